# SPDX-License-Identifier: MIT
"""Checks a document against one of kernelgate's own JSON Schemas. The keywords below say whether the document fits; only if it does
not, jsonschema is imported and finds the fault. For 0.8 MB of results jsonschema takes 1.35 s and this 0.06 s; importing it takes
0.1 s. harness/tests/cli/schema_form_tool.py compares both."""

import functools
import json
import re

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import check_schema, is_integer, is_number
from kernelgate.base.schemas import load_schema

_TYPES = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_integer(value) or isinstance(value, float) and value.is_integer(),
    "null": lambda value: value is None,
    "number": is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


@functools.lru_cache(maxsize=None)
def _schema_at(reference):
    """The schema that "FILE#/$defs/NAME" refers to, and its file."""
    name, _, path = reference.partition("#")
    schema = load_schema(name)
    for step in filter(None, path.split("/")):
        schema = schema[step]
    return schema, name


def _absolute(reference, name):
    return name + reference if reference.startswith("#") else reference


def _fits(value, schema, name):
    """Whether a value fits a schema of the file `name`."""
    if isinstance(schema, bool):
        return schema
    kind = type(value)
    for keyword, argument in schema.items():
        kinds, check = _KEYWORDS["x-" if keyword.startswith("x-") else keyword]
        if kind in kinds and not check(value, argument, schema, name):
            return False
    return True


def _refers(value, reference, _, name):
    return _fits(value, *_schema_at(_absolute(reference, name)))


def _is_of_type(value, names, *_):
    return _TYPES[names](value) if isinstance(names, str) else any(_TYPES[name](value) for name in names)


def _is_one_of(value, known, *_):
    """In Python true equals 1, in JSON it does not."""
    return value in known and any(isinstance(value, bool) == isinstance(one, bool) for one in known if one == value)


def _matched(value, schema):
    """The keys of an object that `patternProperties` matches, each with the schema for it."""
    return [(key, inner) for pattern, inner in schema.get("patternProperties", {}).items() for key in value if re.search(pattern, key)]


def _others_fit(value, others, schema, name):
    """`additionalProperties` applies to members that neither `properties` nor `patternProperties` matches."""
    keys = value.keys() - schema.get("properties", {}).keys() - {key for key, _ in _matched(value, schema)}
    return all(_fits(value[key], others, name) for key in keys)


def _rest_fits(value, rest, schema, name):
    return all(_fits(item, rest, name) for item in value[len(schema.get("prefixItems", ())):])


def _condition(value, condition, schema, name):
    return _fits(value, schema.get("then" if _fits(value, condition, name) else "else", True), name)


_ANY = (dict, list, str, int, float, bool, type(None))
_NUMBERS = (int, float)
# By keyword, the types of the values that it applies to, and whether it holds, from the value, the keyword's argument, its
# schema and that schema's file. The first ones apply to nothing, or others read them.
_KEYWORDS = {
    **dict.fromkeys(("$defs", "$id", "$schema", "default", "description", "title", "x-", "then", "else"), ((), None)),
    "$ref": (_ANY, _refers),
    "additionalProperties": ((dict,), _others_fit),
    "allOf": (_ANY, lambda value, schemas, _, name: all(_fits(value, schema, name) for schema in schemas)),
    "anyOf": (_ANY, lambda value, schemas, _, name: any(_fits(value, schema, name) for schema in schemas)),
    "const": (_ANY, lambda value, known, *_: _is_one_of(value, [known])),
    "dependentRequired": ((dict,), lambda value, needed, *_: all(value.keys() >= set(others) for key, others in needed.items()
                                                                 if key in value)),
    "enum": (_ANY, _is_one_of),
    "exclusiveMaximum": (_NUMBERS, lambda value, limit, *_: value < limit),
    "exclusiveMinimum": (_NUMBERS, lambda value, limit, *_: value > limit),
    "if": (_ANY, _condition),
    "items": ((list,), _rest_fits),
    "maxItems": ((list,), lambda value, most, *_: len(value) <= most),
    "maxLength": ((str,), lambda value, most, *_: len(value) <= most),
    "maximum": (_NUMBERS, lambda value, limit, *_: value <= limit),
    "minItems": ((list,), lambda value, least, *_: len(value) >= least),
    "minLength": ((str,), lambda value, least, *_: len(value) >= least),
    "minProperties": ((dict,), lambda value, least, *_: len(value) >= least),
    "minimum": (_NUMBERS, lambda value, limit, *_: value >= limit),
    "not": (_ANY, lambda value, schema, _, name: not _fits(value, schema, name)),
    "oneOf": (_ANY, lambda value, schemas, _, name: sum(_fits(value, schema, name) for schema in schemas) == 1),
    "pattern": ((str,), lambda value, pattern, *_: re.search(pattern, value)),
    "patternProperties": ((dict,), lambda value, _, schema, name: all(_fits(value[key], inner, name)
                                                                      for key, inner in _matched(value, schema))),
    "prefixItems": ((list,), lambda value, firsts, _, name: all(_fits(item, first, name) for item, first in zip(value, firsts))),
    "properties": ((dict,), lambda value, named, _, name: all(_fits(value[key], named[key], name) for key in value.keys() & named.keys())),
    "propertyNames": ((dict,), lambda value, schema, _, name: all(_fits(key, schema, name) for key in value)),
    "required": ((dict,), lambda value, keys, *_: all(key in value for key in keys)),
    "type": (_ANY, _is_of_type),
    "uniqueItems": ((list,), lambda value, wanted, *_: not wanted or len({json.dumps(item) for item in value}) == len(value)),
}


def _inlined(schema, name):
    """A schema with all references replaced by their targets, so that jsonschema needs no other file."""
    if isinstance(schema, list):
        return [_inlined(inner, name) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    inlined = {key: _inlined(inner, name) for key, inner in schema.items() if key not in ("$ref", "$defs", "$id")}
    if "$ref" not in schema:
        return inlined
    referred = _inlined(*_schema_at(_absolute(schema["$ref"], name)))
    return {**inlined, "allOf": [referred]} if inlined else referred


@functools.lru_cache(maxsize=None)
def _validator(reference):
    import jsonschema  # pylint: disable=import-outside-toplevel # 0.1 s

    schema = _inlined(*_schema_at(reference))
    return jsonschema.validators.validator_for(schema)(schema)


# A schema is named by its file, or as a part of it, "FILE#/$defs/NAME".


def fits(document, reference):
    """Whether a document fits a schema."""
    return _fits(document, *_schema_at(reference))


def faults(document, reference):
    """The document's violations of a schema, by jsonschema; empty if it fits."""
    if not fits(document, reference):
        errors = _validator(reference).iter_errors(document)
        first = next(errors, None)
        if first is None:
            raise RuntimeError(f"jsonschema finds no fault in what does not fit {reference}")
        yield first
        yield from errors


def misfit(document, reference):
    """The first violation as text, "tests[0].seconds: 'x' is not of type 'number'"; None if the document fits."""
    error = next(faults(document, reference), None)
    return error and f"{error.json_path.lstrip('$').lstrip('.') or 'the document'}: {error.message}"


def check_form(path, document, name, reference, remedy):
    """Failure if a document does not have the name of its schema, or does not fit the schema."""
    check_schema(path, document, name, remedy)
    fault = misfit(document, reference)
    if fault:
        raise Failure(f"{path}: {fault}: {remedy}")
