# SPDX-License-Identifier: MIT
"""Checks a document against one of kernelgate's own JSON Schemas. Functions generated from the schema check whether
the document fits; only if it does not, jsonschema is imported and finds the fault. For 0.8 MB of results jsonschema
takes 1.35 s and those functions 0.05 s; importing it takes 0.1 s. harness/tests/cli/schema_form_tool.py compares
both."""

import functools
import json
import re

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import check_schema, is_integer, is_number
from kernelgate.base.schemas import load_schema

_ANNOTATIONS = ("$defs", "$id", "$schema", "default", "description", "title")
_TYPES = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_integer(value) or isinstance(value, float) and value.is_integer(),
    "null": lambda value: value is None,
    "number": is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _schema_at(reference):
    """The schema that "FILE#/$defs/NAME" refers to, and its file."""
    name, _, path = reference.partition("#")
    schema = load_schema(name)
    for step in filter(None, path.split("/")):
        schema = schema[step]
    return schema, name


def _absolute(reference, name):
    return name + reference if reference.startswith("#") else reference


@functools.lru_cache(maxsize=None)
def _check_of(reference):
    """The function that checks a value against the schema of a reference."""
    return _check(*_schema_at(reference))


def _all(checks):
    def check_all(value):
        for check in checks:
            if not check(value):
                return False
        return True
    return checks[0] if len(checks) == 1 else check_all


def _check(schema, name):
    if isinstance(schema, bool):
        return lambda value: schema
    # Keywords read by one function are one check.
    makers = {_KEYWORDS[key]: argument for key, argument in schema.items() if key not in _ANNOTATIONS and not key.startswith("x-")}
    return _all([make(argument, schema, name) for make, argument in makers.items()])


def _checks(schemas, name):
    return [_check(schema, name) for schema in schemas]


def _type(names, *_):
    checks = [_TYPES[word] for word in ([names] if isinstance(names, str) else names)]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _enum(values, *_):
    """In Python true equals 1, in JSON it does not."""
    known = {(isinstance(value, bool), value) for value in values}
    return lambda value: not isinstance(value, (dict, list)) and (isinstance(value, bool), value) in known


def _of_numbers(is_within):
    return lambda limit, *_: lambda value: not is_number(value) or is_within(value, limit)


def _of_size(kind, is_within):
    return lambda limit, *_: lambda value: not isinstance(value, kind) or is_within(len(value), limit)


def _pattern(pattern, *_):
    search = re.compile(pattern).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _members(_, schema, name):
    """`properties`, `patternProperties` and `additionalProperties`, which applies to members that neither of the
    others matches."""
    named = {key: _check(inner, name) for key, inner in schema.get("properties", {}).items()}
    patterns = [(re.compile(pattern).search, _check(inner, name)) for pattern, inner in schema.get("patternProperties", {}).items()]
    others = _check(schema.get("additionalProperties", True), name)

    def check(value):
        if not isinstance(value, dict):
            return True
        for key, inner in value.items():
            taken = [check_matched for search, check_matched in patterns if search(key)]
            if key in named:
                taken.append(named[key])
            for check_member in taken or (others,):
                if not check_member(inner):
                    return False
        return True
    return check


def _names(argument, _, name):
    check = _check(argument, name)
    return lambda value: not isinstance(value, dict) or all(map(check, value))


def _required(keys, *_):
    return lambda value: not isinstance(value, dict) or all(key in value for key in keys)


def _dependent(needed, *_):
    return lambda value: not isinstance(value, dict) or all(other in value for key, others in needed.items() if key in value
                                                            for other in others)


def _items(_, schema, name):
    firsts, rest = _checks(schema.get("prefixItems", []), name), _check(schema.get("items", True), name)

    def check(value):
        if not isinstance(value, list):
            return True
        return all(first(item) for first, item in zip(firsts, value)) and all(map(rest, value[len(firsts):]))
    return check


def _unique(argument, *_):
    return lambda value: not argument or not isinstance(value, list) or len({json.dumps(item) for item in value}) == len(value)


def _condition(_, schema, name):
    condition, then, otherwise = _checks([schema["if"], schema.get("then", True), schema.get("else", True)], name)
    return lambda value: then(value) if condition(value) else otherwise(value)


def _of_any(argument, _, name):
    checks = _checks(argument, name)
    return lambda value: any(check(value) for check in checks)


def _of_one(argument, _, name):
    checks = _checks(argument, name)
    return lambda value: sum(check(value) for check in checks) == 1


def _not(argument, _, name):
    check = _check(argument, name)
    return lambda value: not check(value)


# An unknown keyword is an error, whatever a document has.
_KEYWORDS = {
    "$ref": lambda target, _, name: _check_of(_absolute(target, name)),
    "additionalProperties": _members,
    "allOf": lambda schemas, _, name: _all(_checks(schemas, name)),
    "anyOf": _of_any,
    "const": lambda value, *_: _enum([value]),
    "dependentRequired": _dependent,
    "else": _condition,
    "enum": _enum,
    "exclusiveMaximum": _of_numbers(lambda value, limit: value < limit),
    "exclusiveMinimum": _of_numbers(lambda value, limit: value > limit),
    "if": _condition,
    "items": _items,
    "maxItems": _of_size(list, lambda size, limit: size <= limit),
    "maxLength": _of_size(str, lambda size, limit: size <= limit),
    "maximum": _of_numbers(lambda value, limit: value <= limit),
    "minItems": _of_size(list, lambda size, limit: size >= limit),
    "minLength": _of_size(str, lambda size, limit: size >= limit),
    "minProperties": _of_size(dict, lambda size, limit: size >= limit),
    "minimum": _of_numbers(lambda value, limit: value >= limit),
    "not": _not,
    "oneOf": _of_one,
    "pattern": _pattern,
    "patternProperties": _members,
    "prefixItems": _items,
    "properties": _members,
    "propertyNames": _names,
    "required": _required,
    "then": _condition,
    "type": _type,
    "uniqueItems": _unique,
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
def _validator(name):
    import jsonschema  # pylint: disable=import-outside-toplevel # 0.1 s

    schema = _inlined(load_schema(name), name)
    return jsonschema.validators.validator_for(schema)(schema)


def fits(document, name):
    """Whether a document fits the schema in the file `name`."""
    return _check_of(f"{name}#")(document)


def faults(document, name):
    """The document's violations of the schema in the file `name`, by jsonschema; empty if it fits."""
    if not fits(document, name):
        errors = _validator(name).iter_errors(document)
        first = next(errors, None)
        if first is None:
            raise RuntimeError(f"jsonschema finds no fault in what does not fit {name}")
        yield first
        yield from errors


def misfit(document, name):
    """The first violation as text, "tests[0].seconds: 'x' is not of type 'number'"; None if the document fits."""
    error = next(faults(document, name), None)
    return error and f"{error.json_path.lstrip('$').lstrip('.') or 'the document'}: {error.message}"


def check_form(path, document, schema, name, remedy):
    """Failure if a document does not name `schema` as its schema, or does not fit the schema in the file `name`."""
    check_schema(path, document, schema, remedy)
    fault = misfit(document, name)
    if fault:
        raise Failure(f"{path}: {fault}: {remedy}")
