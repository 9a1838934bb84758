"""A run's results.json: read, held to its form, and asked what every form of it shows."""

import fnmatch
import json
import os

from common import Failure, integer_of, list_of, member, read_json, text_of
from shown import RANKS, VERDICTS, clean, fails, texts_of, variant_of, verdict_of

SCHEMA = "kernelgate-results/1"
REMEDY = "run ctest, which writes it, or name another results file"
_MEMBERS = {"targets": dict, "provenance": dict, "cases": list, "tests": list, "claims": list, "refused": list,
            "vanished": list, "errors": list, "notes": list, "tally": dict, "strict": bool, "exit_code": int}
_TEXTS = {"cases": ("case", "target", "verdict"), "refused": ("case", "target"), "vanished": ("case", "target"),
          "tests": ("name",), "claims": ("claim",), "errors": ("why",), "notes": ("note",)}
_TYPES = {dict: "an object", list: "an array", bool: "true or false", int: "an integer", str: "a string"}


def _require(path, value, where, kind):
    if type(value) is not kind:
        raise Failure(f"{path}: {where}: expected {_TYPES[kind]}: {REMEDY}")


def load(path):
    """The results in a file. What is checked is what the printers rely on; they take anything for the rest."""
    document = read_json(path, REMEDY)
    if text_of(document, "schema") != SCHEMA:
        raise Failure(f'{path}: its schema is "{text_of(document, "schema")}", not "{SCHEMA}": {REMEDY}')
    for key, kind in _MEMBERS.items():
        _require(path, document.get(key), key, kind)
    for key, texts in _TEXTS.items():
        for number, entry in enumerate(document[key]):
            _require(path, entry, f"{key}[{number}]", dict)
            for text in texts:
                _require(path, entry.get(text), f"{key}[{number}].{text}", str)
    for number, entry in enumerate(document["cases"]):
        if entry["verdict"] not in RANKS:
            raise Failure(f"{path}: cases[{number}].verdict: expected one of {', '.join(VERDICTS)}: {REMEDY}")
        _require(path, entry.get("metrics"), f"cases[{number}].metrics", dict)
        for name, metric in entry["metrics"].items():
            _require(path, metric, f"cases[{number}].metrics.{name}", dict)
    return document


def filter_takes(case):
    """Whether KG_FILTER, where it is set, takes a case."""
    globs = os.environ.get("KG_FILTER")
    return not globs or any(fnmatch.fnmatchcase(case, glob) for glob in globs.split(",") if glob)


def shown_value(value):
    """A fact as a text: JSON, but for texts."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Run:
    """What is printed: the document, where the sources are, and the path of that folder in its repository."""

    def __init__(self, document, sources=".", prefix=""):
        self.document = document
        self.sources = sources
        self.prefix = prefix
        self.strict = document.get("strict") is True
        self._groups = {}
        for group in self.list("failure_groups"):
            ids = texts_of(group, "cases")
            for case in ids:
                self._groups.setdefault((text_of(group, "target"), case), []).append((text_of(group, "verdict"), ids))

    def list(self, key):
        return list_of(self.document, key)

    def object(self, key):
        found = member(self.document, key)
        return found if isinstance(found, dict) else {}

    def text(self, key):
        """A text of the summary: results of an earlier version have none."""
        found = text_of(self.object("summary"), key)
        if not found and key == "outcome":
            code = integer_of(self.document, "exit_code")
            return f"{({0: 'PASS', 1: 'FAIL', 77: 'NOTHING JUDGED'}).get(code, 'ERROR')} (exit {code})"
        return found if found or key != "headline" else f"{len(self.list('cases'))} cases"

    def fails(self, entry):
        return fails(verdict_of(entry), self.strict)

    def group_of(self, entry):
        """The ids of the cases that failed like this one, the one that speaks for them first; [] where it is alone."""
        found = self._groups.get((text_of(entry, "target"), text_of(entry, "case")), ())
        return next((ids for verdict, ids in found if verdict == verdict_of(entry)), [])

    def leads(self, entry):
        """Whether a case is told by itself: False where another one speaks for it."""
        return (self.group_of(entry) or [text_of(entry, "case")])[0] == text_of(entry, "case")

    def others(self, entry):
        """The ids of the cases for which one speaks."""
        return self.group_of(entry)[1:] if self.leads(entry) else []

    def worst_first(self, failing):
        """The cases that fail the run, or those that are doubtful without failing it."""
        chosen = [entry for entry in self.list("cases") if verdict_of(entry) != "pass" and self.fails(entry) == failing]
        return sorted(chosen, key=lambda entry: -RANKS[verdict_of(entry)])

    def broken_claims(self):
        return [entry for entry in self.list("claims") if member(entry, "holds") is not True]


def reason_of(entry):
    """Why a case has its verdict, "" for a plain pass; results of an earlier version have but some reasons."""
    if verdict_of(entry) == "pass":
        return clean(text_of(entry, "why"))
    return clean(text_of(entry, "reason") or text_of(entry, "why") or "no reason was recorded")


def reason_with_others(run, entry, most=None):
    """The same, followed by the sizes of the cases for which this one speaks: "...; also 1/b16 and 3 more"."""
    others = run.others(entry)
    if not others:
        return reason_of(entry)
    named = [clean(case[len(variant_of(text_of(entry, "case"))):]) for case in others[:most]]
    rest = f" and {len(others) - len(named)} more" if len(others) > len(named) else ""
    return f"{reason_of(entry)}; also {', '.join(named)}{rest}"
