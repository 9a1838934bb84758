"""The results of a run as a document: reading them, and what their members mean."""

from common import Failure, is_number, member, read_json, text_of

SCHEMA = "kernelgate-results/1"
REMEDY = "run ctest, which writes it, or name another results file"
MODEL = "cpu-model"  # the target whose metrics are exact counters
VERDICTS = ("pass", "faster", "no-baseline", "noisy", "environment", "slower", "wrong", "error")  # from best to worst


def severity(verdict):
    return VERDICTS.index(verdict)


def is_dismissed(verdict):
    """Whether a verdict makes the figures of its case count for nothing."""
    return severity(verdict) >= severity("wrong")


def worst(verdicts):
    return max(verdicts, key=severity, default="pass")


def check_schema(path, document, schema, remedy):
    if not isinstance(document, dict):
        raise Failure(f"{path}: is not a JSON object: {remedy}")
    if document.get("schema") != schema:
        raise Failure(f'{path}: its schema is "{text_of(document, "schema")}", not "{schema}": {remedy}')


def _check_form(path, where, value, kind, expected):
    if not isinstance(value, kind):
        raise Failure(f"{path}: {where} is not {expected}: {REMEDY}")


def _check_figures(path, where, figures):
    _check_form(path, where, figures, dict, "an object")
    for key in ("value", "low", "high", "baseline", "limit", "smallest"):
        if figures.get(key) is not None and not is_number(figures[key]):
            raise Failure(f"{path}: {where}.{key} is not a number: {REMEDY}")
    if not isinstance(figures.get("gated", True), bool):
        raise Failure(f"{path}: {where}.gated is not true or false: {REMEDY}")
    if figures.get("verdict", "pass") not in VERDICTS:
        raise Failure(f"{path}: {where}.verdict is not a known verdict: {REMEDY}")


def _check_case(path, where, entry):
    _check_form(path, where, entry, dict, "an object")
    for key, what in (("case", "a case's id"), ("target", "a target's key")):
        if not text_of(entry, key):
            raise Failure(f"{path}: {where}.{key} is not {what}: {REMEDY}")
    if text_of(entry, "verdict") not in VERDICTS:
        raise Failure(f"{path}: {where}.verdict is not a known verdict: {REMEDY}")
    _check_form(path, f"{where}.why", entry.get("why"), str, "a text")
    _check_form(path, f"{where}.metrics", entry.get("metrics"), dict, "an object")
    for metric, figures in entry["metrics"].items():
        _check_figures(path, f"{where}.metrics.{metric}", figures)


def read_results(path):
    """A results document, of whose members those are checked that compare and predict read."""
    document = read_json(path, REMEDY)
    check_schema(path, document, SCHEMA, REMEDY)
    _check_form(path, "commit", document.get("commit", ""), str, "a text")
    for key in ("targets", "provenance"):
        _check_form(path, key, document.get(key), dict, "an object")
        for name, inner in document[key].items():
            _check_form(path, f"{key}.{name}", inner, dict, "an object")
    _check_form(path, "boards", document.get("boards", {}), dict, "an object")
    _check_form(path, "cases", document.get("cases"), list, "a list")
    for number, entry in enumerate(document["cases"]):
        _check_case(path, f"cases[{number}]", entry)
    return document


def measured_figure(document, target, group, name):
    """What a run measured of a target itself, sentinels_ns or limits; None where it is not a number above 0."""
    value = member(member(document["provenance"].get(target), group), name)
    return value if is_number(value) and value > 0 else None
