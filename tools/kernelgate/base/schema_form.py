"""Holds a document against a JSON schema, by the keywords that kernelgate's own schemas use."""

import functools
import json
import re

from kernelgate.base.common import Failure, check_schema, is_number, own_file

_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": is_number,
    "integer": lambda value: is_number(value) and value == int(value),  # JSON knows no integers: 1.0 is one too
    "null": lambda value: value is None,
}


def _is_same(left, right):
    return left == right and isinstance(left, bool) == isinstance(right, bool)


@functools.lru_cache(maxsize=None)
def _compiled(pattern):
    """In Python $ is before the last line's end too."""
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))


# Whether a value fits a keyword of a schema; what is not a text has any pattern, and so on.
_KEYWORDS = {
    "type": lambda value, types: any(_TYPES[name](value) for name in ([types] if isinstance(types, str) else types)),
    "const": _is_same,
    "enum": lambda value, listed: any(_is_same(value, known) for known in listed),
    "minimum": lambda value, least: not is_number(value) or value >= least,
    "maximum": lambda value, most: not is_number(value) or value <= most,
    "exclusiveMinimum": lambda value, below: not is_number(value) or value > below,
    "minLength": lambda value, least: not isinstance(value, str) or len(value) >= least,
    "maxLength": lambda value, most: not isinstance(value, str) or len(value) <= most,
    "pattern": lambda value, pattern: not isinstance(value, str) or _compiled(pattern).search(value) is not None,
    "minItems": lambda value, least: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most: not isinstance(value, list) or len(value) <= most,
    "minProperties": lambda value, least: not isinstance(value, dict) or len(value) >= least,
}


class _Misfit(Exception):
    """A value that a schema does not take: its path, and what is wanted there."""


@functools.lru_cache(maxsize=None)
def _load(name):
    with open(own_file(f"run/{name}", f"../../baselines/schemas/{name}", f"../../schemas/{name}"), encoding="utf-8") as file:
        return json.load(file)


def _refuse(schema, where, document):
    if isinstance(schema, dict) and "$ref" in schema:
        referred, document = _refer(schema["$ref"], document)
        schema = {**referred, **schema}
    wanted = {key: schema[key] for key in _KEYWORDS if isinstance(schema, dict) and key in schema}
    raise _Misfit(f"{where or 'the document'} is not {json.dumps(wanted) if wanted else 'a known member'}")


def _refer(reference, document):
    """The schema that "FILE#/$defs/NAME" names, and the document that it is in."""
    file, _, path = reference.partition("#")
    document = _load(file) if file else document
    schema = document
    for step in filter(None, path.split("/")):
        schema = schema[step]
    return schema, document


def _member_schema(schema, key):
    return schema.get("properties", {}).get(key, schema.get("additionalProperties"))


def _check_object(value, schema, where, document):
    required = list(schema.get("required", ()))
    for key, others in schema.get("dependentRequired", {}).items():
        required += others if key in value else ()
    for key in required:
        if key not in value:
            wanted, its_document = _member_schema(schema, key), document
            if wanted is None and "$ref" in schema:
                referred, its_document = _refer(schema["$ref"], document)
                wanted = _member_schema(referred, key)
            _refuse(wanted, f"{where}.{key}".lstrip("."), its_document)
    for key, inner in value.items():
        _check(key, schema.get("propertyNames", True), f"{where}.{key}".lstrip("."), document)
        wanted = _member_schema(schema, key)
        if wanted is not None:
            _check(inner, wanted, f"{where}.{key}".lstrip("."), document)


def _check(value, schema, where, document):
    if isinstance(schema, bool):
        if not schema:
            _refuse(schema, where, document)
        return
    if "$ref" in schema:
        _check(value, *_referred(schema["$ref"], where, document))
    if any(key in schema and not fits(value, schema[key]) for key, fits in _KEYWORDS.items()):
        _refuse(schema, where, document)
    if isinstance(value, dict):
        _check_object(value, schema, where, document)
    elif isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            _check(item, schema["items"], f"{where}[{number}]", document)


def _referred(reference, where, document):
    schema, document = _refer(reference, document)
    return schema, where, document


def misfit(document, name):
    """What of a document does not fit the schema in the file `name`, "tests[0].seconds is not {"type": "number"}"; None where
    all fits."""
    schema = _load(name)
    try:
        _check(document, schema, "", schema)
    except _Misfit as found:
        return str(found)
    return None


def check_form(path, document, schema, name, remedy):
    """Failure where a document does not say that it is of `schema`, or does not fit the schema in the file `name`."""
    check_schema(path, document, schema, remedy)
    fault = misfit(document, name)
    if fault:
        raise Failure(f"{path}: {fault}: {remedy}")
