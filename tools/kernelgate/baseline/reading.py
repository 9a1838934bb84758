# SPDX-License-Identifier: MIT
"""The strict reader of baselines: their JSON schema, and the rules that a schema cannot express. The programs have their own
(harness/baseline/baseline_read.c); harness/tests/baseline/documents.jsonl tests both."""

import functools
import itertools
import json
import math
import re

from kernelgate.base.case_id import target_key
from kernelgate.base import schema_form
from kernelgate.base.errors import MESSAGE_SIZE, Failure
from kernelgate.base.json_io import member, object_of, parse_json, text_of
from kernelgate.base.figures import show_figure, show_percent
from kernelgate.base.results import MODEL_KEY
from kernelgate.base.schemas import BASELINE, load_schema
from kernelgate.base.text import fit

REMEDY = "fix the file, or record it again with kernelgate rebaseline"
LARGEST_VALUE = 80  # characters of a value that a message shows
SUFFIX = ".json"
NO_METRICS = ("boards", "code", "commit", "lines", "sessions")  # members of a case
MEASURED_BY = "measured_by"
IDS = (("cases",), ("accuracy",))  # objects whose members are named by cases
SCHEMA = load_schema(BASELINE)
_DEFINED = SCHEMA["$defs"]
_COUNTER = _DEFINED["counter"]
COUNTERS_OF_LINES = tuple(name for name in _COUNTER["enum"] if name not in _COUNTER["x-by-case"])
TIME_FLOOR_NS = _DEFINED["metric"]["properties"]["floor"]["x-default"]
GATED_LIMIT = _DEFINED["metric"]["properties"]["gated"]["x-limit"]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^\s{}\[\],:"]+')


def is_time(metric):
    return metric.endswith("_ns")


def outdated_counters(provenance):
    """The counters that a provenance's model counted differently from the present one, or not at all."""
    model = text_of(provenance, "model")
    known = re.fullmatch("[1-9][0-9]{0,8}", model) and int(model) <= _COUNTER["x-model"]
    return {name for name, since in _COUNTER["x-since"].items() if known and int(model) < since}


def _key(word):
    try:
        return json.loads(word)
    except ValueError:
        return word  # after the text that made the document invalid


def _keys(text):
    """The keys in the text of a JSON document, in their order: the path of each, and its line."""
    path, kinds, before = [], [], ""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "}]":
            del path[-1:], kinds[-1:]
        elif word[0] == '"' and kinds and kinds[-1] == "{" and before in "{,":
            path[-1] = _key(word)
            yield tuple(path), text.count("\n", 0, token.start()) + 1
        elif word in "{[":
            path.append(None)
            kinds.append(word)
        before = word


def _line_of(lines, path):
    """The line of the key at the end of a path, or of the nearest above it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _schema_faults(document):
    """The violations of the schema: the path of each, and the fault."""
    for error in schema_form.faults(document, BASELINE):
        path = tuple(itertools.takewhile(lambda key: isinstance(key, str), error.absolute_path))  # items of lists have no keys
        if "propertyNames" in error.absolute_schema_path and error.validator != "not":
            yield (*path, error.instance), ("is not a case: comparison/variant/size/launch" if path in IDS else
                                            "is not a counter of the CPU model" if error.validator == "anyOf" else "is an unknown key")
        elif error.validator == "additionalProperties":
            yield from (((*path, key), "is an unknown key") for key in error.instance if key not in error.schema["properties"])
        elif error.validator == "required":
            yield path, f'has no "{next(key for key in error.validator_value if key not in error.instance)}"'
        elif error.validator == "not":
            yield path, "has no metric" if error.validator_value else "is an unknown key"
        elif len(str(error.instance)) > LARGEST_VALUE:
            yield path, f"is not {json.dumps({error.validator: error.validator_value})}"
        else:
            yield path, error.message


def _is_own_key(target):
    """Whether the target is a GPU's key in this project's own programs: from its name, and from its memory if boards of that name
    differ."""
    key, name = text_of(target, "key"), text_of(target, "name")
    own = target_key(name)
    return own != "" and name != key and re.fullmatch(re.escape(own) + "(.*gib)?", key) is not None


def _origin_faults(document):
    provenance = object_of(document, "provenance")
    is_model = document["target"]["key"] == MODEL_KEY
    if is_model and int(provenance["model"]) > _COUNTER["x-model"]:
        yield ("provenance", "model"), f"is not a version of the CPU model from \"1\" to \"{_COUNTER['x-model']}\""
    if text_of(provenance, MEASURED_BY) and (is_model or _is_own_key(document["target"]) or document.get("sentinels")):
        yield ("provenance", MEASURED_BY), ("names another tool, and the target or the sentinels are those of this project's own "
                                            "programs: take it out, or import to another --target")


def _metric_faults(name, metric):
    value = metric["value"] if isinstance(metric, dict) else metric
    if math.copysign(1, value) < 0:
        yield ("value",) if isinstance(metric, dict) else (), "is -0, from which no rise can be computed: write 0"
    floor = metric.get("floor", 0) if isinstance(metric, dict) and metric.get("gated", True) else 0
    if floor > max(TIME_FLOOR_NS, GATED_LIMIT * value):
        hidden = show_percent(floor / value) if value else "any size"
        yield ("floor",), (f"is {show_figure(floor, 'ns' if is_time(name) else '')}, which hides any slowdown of up to {hidden}: "
                           'lower it, or write "gated": false and "band_by": "hand"')


def _is_sum(metric, total):
    """Whether a counter equals the sum of its lines: exactly, or within its band set by hand, within which recording keeps its
    value."""
    value = metric["value"] if isinstance(metric, dict) else metric or 0
    if value == total or metric is None:
        return value == total
    return value > 0 and total > 0 and abs(math.log(total / value)) <= math.log1p(member(metric, "band") or 0)


def _case_faults(case):
    for name, metric in case.items():
        if name not in NO_METRICS:
            yield from (((name, *path), fault) for path, fault in _metric_faults(name, metric))
    lines = case.get("lines")
    for name in COUNTERS_OF_LINES if lines is not None else ():
        total = sum(counters.get(name, 0) for counters in lines.values())
        if not _is_sum(case.get(name), total):
            yield (name,), f"is not {total}, which its lines add up to"


def _rule_faults(document, name):
    """The errors of a document that fits the schema, from the file `name`."""
    key = document["target"]["key"]
    if name != key + SUFFIX:
        yield ("target", "key"), f"is {key}, which belongs in {key}{SUFFIX}: rename the file"
    for word, wanted in _DEFINED["target"]["properties"].items():
        most = wanted.get("maxLength")
        if most is not None and len(text_of(document["target"], word).encode()) > most:
            yield ("target", word), f"has more than {most} bytes"
    yield from _origin_faults(document)
    for kind in ("sentinels", "cases"):
        for case, members in object_of(document, kind).items():
            yield from (((kind, case, *path), fault) for path, fault in _case_faults(members))
    for case, (largest, mean, *_) in object_of(document, "accuracy").items():
        if mean > largest or math.copysign(1, mean) < 0:
            yield ("accuracy", case), "is not the largest error and the mean of no more"


def _syntax_fault(data, error):
    if not data.strip():
        return 1, "the file is empty"
    if isinstance(error, UnicodeDecodeError):
        return data.count(b"\n", 0, error.start) + 1, "is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, f"{error.msg} in column {error.colno}"
    seen = set()
    for path, line in _keys(data.decode("utf-8", "replace")):
        if path in seen and None not in path:
            return line, f'has the key "{path[-1]}" twice'
        seen.add(path)
    return 1, str(error)


@functools.lru_cache(maxsize=16)
def _fault(name, data):
    """The error in the content of the file `name`, to follow its path and a colon: line, place and remedy. None if it is valid."""
    try:
        document = parse_json(data)
    except ValueError as error:
        return "{}: {}: {}".format(*_syntax_fault(data, error), REMEDY)
    if not isinstance(document, dict):
        return f"1: is not a JSON object: {REMEDY}"
    schema, wanted = document.get("schema", ""), SCHEMA["properties"]["schema"]["const"]
    if not isinstance(schema, str):
        faults = [(("schema",), "is not a string")]
    elif schema not in ("", wanted):
        line = _line_of(dict(_keys(data.decode())), ("schema",))
        return (f"{line}: schema {schema} is not the one this program reads ({wanted}): update kernelgate or record again with "
                "kernelgate rebaseline")
    else:
        faults = list(_schema_faults(document)) or list(_rule_faults(document, name))
    if not faults:
        return None
    # Report the first fault in the file; a missing member has no line.
    lines = dict(_keys(data.decode()))
    _, line, _, place, fault = min((fault.startswith("has no "), _line_of(lines, place), -len(place), place, fault)
                                   for place, fault in faults)
    return ": ".join((str(line), *place, fault, REMEDY))


def read_document(label, name, data):
    """The document in the content of the file `name`, called `label` in errors. Failure if it is invalid."""
    fault = _fault(name, data)
    if fault is not None:
        raise Failure(fit(f"{label}:{fault}", MESSAGE_SIZE))
    return parse_json(data)
