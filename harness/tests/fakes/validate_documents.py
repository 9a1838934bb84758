# SPDX-License-Identifier: MIT
"""Holds a document to the JSON Schema of its form. usage: validate_documents.py SCHEMAS DOCUMENT [CHANGED [MEMBER]]

SCHEMAS is the folder of the schemas; the form kernelgate-NAME/N is that of kernelgate-NAME.schema.json there, or else the
definition NAME in kernelgate-documents.schema.json. Prints what is wrong. In the file CHANGED it leaves all copies of the document
with one change (every value in it to others, every member taken out, members that no form has), each as [valid, copy]; with
MEMBER, those with one change in that member.

exit: 0 valid, 1 not, or there is no such schema
"""

import functools
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: install it with ci/setup --for test")

# Of every type, and of every range that a rule may draw a line at.
VALUES = (None, True, False, -1, 0, 1, 2, 0.5, 1e300, [], {}, "", "a", "hand", 9007199254740993)
MEMBERS = ("unknown", "Unknown key", "time_us")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def name_of(document):
    return document["schema"].removeprefix("kernelgate-").partition("/")[0]


@functools.lru_cache(maxsize=None)
def validator_of(folder, name):
    """What holds documents of a form to its schema. It takes 0.2 s to check the schema itself."""
    path = os.path.join(folder, f"kernelgate-{name}.schema.json")
    if os.path.exists(path):
        schema = read(path)
    else:
        documents = read(os.path.join(folder, "kernelgate-documents.schema.json"))
        if name not in documents["$defs"]:
            sys.exit(f"there is no schema of kernelgate-{name}")
        schema = {"$schema": documents["$schema"], "$defs": documents["$defs"], "$ref": f"#/$defs/{name}"}
    kind = jsonschema.validators.validator_for(schema, default=None)
    if kind is None:
        sys.exit(f"{schema['$schema']}: this jsonschema does not know it: install a newer one")
    kind.check_schema(schema)
    return kind(schema)


def changes(inside):
    """Makes one change after the other in a list or an object, and takes each back."""
    for key in list(inside) if isinstance(inside, dict) else range(len(inside)):
        kept = inside[key]
        if isinstance(kept, (dict, list)):
            yield from changes(kept)
        for inside[key] in VALUES:
            yield
        if isinstance(inside, dict):
            del inside[key]
            yield
        inside[key] = kept
    for key in MEMBERS if isinstance(inside, dict) else ():
        for inside[key] in (1, {}):
            yield
        del inside[key]


def main(folder, path, changed=None, member=None):
    document = read(path)
    validator = validator_of(folder, name_of(document))
    for error in validator.iter_errors(document):
        sys.exit(f"{error.json_path}: {error.message[:300]}")
    if changed is not None:
        copies = [f"[{json.dumps(validator.is_valid(document))}, {json.dumps(document)}]"
                  for _ in changes(document if member is None else document[member])]
        with open(changed, "w", encoding="utf-8") as file:
            file.write(f"[{', '.join(copies)}]")


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
