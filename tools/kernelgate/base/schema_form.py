"""Holds a document against a JSON Schema of kernelgate's own."""

import functools

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import check_schema
from kernelgate.base.schemas import load_schema


@functools.lru_cache(maxsize=None)
def _referred(reference):
    """The schema that "FILE#/$defs/NAME" names, in which all references are replaced by what they name: jsonschema resolves each
    reference anew for each value, which takes more than half of its time (2.0 s of 1.6 MB of verdicts, 0.8 s without)."""
    name, _, path = reference.partition("#")
    schema = load_schema(name)
    for step in filter(None, path.split("/")):
        schema = schema[step]
    return _inlined(schema, name)


def _inlined(schema, name):
    if isinstance(schema, list):
        return [_inlined(inner, name) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    inlined = {key: _inlined(inner, name) for key, inner in schema.items() if key not in ("$ref", "$defs", "$id")}
    if "$ref" not in schema:
        return inlined
    reference = schema["$ref"]
    referred = _referred(name + reference if reference.startswith("#") else reference)
    return {**inlined, "allOf": [referred]} if inlined else referred


@functools.lru_cache(maxsize=None)
def _validator(name):
    import jsonschema  # pylint: disable=import-outside-toplevel # 0.1 s

    schema = _referred(f"{name}#")
    return jsonschema.validators.validator_for(schema)(schema)


def misfit(document, name):
    """What of a document does not fit the schema in the file `name`, "tests[0].seconds: 'x' is not of type 'number'"; None where
    all fits."""
    error = next(_validator(name).iter_errors(document), None)
    return error and f"{error.json_path.lstrip('$').lstrip('.') or 'the document'}: {error.message}"


def check_form(path, document, schema, name, remedy):
    """Failure where a document does not say that it is of `schema`, or does not fit the schema in the file `name`."""
    check_schema(path, document, schema, remedy)
    fault = misfit(document, name)
    if fault:
        raise Failure(f"{path}: {fault}: {remedy}")
