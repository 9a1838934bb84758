# SPDX-License-Identifier: MIT
"""JSON documents: strict reading, printing, and access to members."""

import json
import math
import re

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular

LARGEST_FIGURE = 2.0**53  # far above any time or count


def json_text(document, indent=1):
    """A document as printed by the commands: UTF-8, whatever bytes a path has. "##[", which begins a CI runner's commands, can only
    be in a string. One that only programs read is printed on one line, `indent` None, in a fifth of the time."""
    text = json.dumps(document, indent=indent, ensure_ascii=False).replace("##[", "\\u0023#[")
    return text.encode("utf-8", "replace").decode() + "\n"


def canonical(document):
    """A document as the one text that only equal documents have."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _unique(pairs):
    members = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f'an object has "{key}" twice')
        members[key] = value
    return members


def _integer(text):
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{text[:40]} needs more than 64 bits")
    return number


def _real(text):
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is out of range")
    return number


def _constant(text):
    raise ValueError(f"{text} is not a number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer, parse_float=_real, parse_constant=_constant)
_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def parse_json(data):
    """The JSON object or array in `data`, parsed as strictly as all of kernelgate's own files. ValueError if it is
    not one."""
    text = data.decode("utf-8")
    try:
        document = _DECODER.decode(text)
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not a character
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _ZERO.search(text):
        raise ValueError("a string contains a NUL character")
    if not isinstance(document, (dict, list)):
        raise ValueError("it is neither an object nor an array")
    return document


def parse_named(label, data, remedy):
    """The JSON document in the content of a file, called `label` in errors."""
    try:
        return parse_json(data)
    except json.JSONDecodeError as error:
        raise Failure(f"{label}:{error.lineno}: is not JSON: {error.msg} in column {error.colno}: {remedy}") from None
    except ValueError as error:
        raise Failure(f"{label}: is not JSON: {error}: {remedy}") from None


def read_json(path, remedy):
    """The JSON document in a file."""
    with os_errors_as(f"{path}: cannot be read", remedy), open_regular(path) as file:
        return parse_named(path, file.read(), remedy)


def check_schema(path, document, schema, remedy):
    if not isinstance(document, dict):
        raise Failure(f"{path}: is not a JSON object: {remedy}")
    if document.get("schema") != schema:
        raise Failure(f'{path}: its schema is "{text_of(document, "schema")}", not "{schema}": {remedy}')


# A document may have anything anywhere: a missing member, or one of another type, counts as empty.


def member(value, key):
    return value.get(key) if isinstance(value, dict) else None


def text_of(value, key):
    found = member(value, key)
    return found if isinstance(found, str) else ""


def object_of(value, key):
    found = member(value, key)
    return found if isinstance(found, dict) else {}


def list_of(value, key):
    found = member(value, key)
    return found if isinstance(found, list) else []


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def number_of(value, key):
    """A member that is a number; NaN if it is not."""
    found = member(value, key)
    return float(found) if is_number(found) else math.nan


def integer_of(value, key):
    """A member that is an integer; 0 if it is not."""
    found = member(value, key)
    return found if is_integer(found) else 0
