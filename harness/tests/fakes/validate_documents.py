"""Holds documents to a JSON Schema: validate_documents.py SCHEMA DOCUMENTS [-v]

DOCUMENTS is a file with an array of documents. Prints one line: a 1 for each that is valid and a 0 for each that is
not; with -v what is wrong with those first. Ends with 2 where the schema itself is not right.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: install it with ci/setup --for test")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(schema_path, documents_path, *options):
    schema = read(schema_path)
    validator_of = jsonschema.validators.validator_for(schema, default=None)
    if validator_of is None:
        sys.exit(f"{schema_path}: its $schema is one that this jsonschema does not know: install a newer one")
    validator_of.check_schema(schema)
    validator = validator_of(schema)
    verdicts = []
    for document in read(documents_path):
        error = next(validator.iter_errors(document), None)
        if error is not None and "-v" in options:
            print(f"{error.json_path}: {error.message[:300]}", file=sys.stderr)
        verdicts.append("1" if error is None else "0")
    print("".join(verdicts))


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
