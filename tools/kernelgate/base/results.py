# SPDX-License-Identifier: MIT
"""The results of a run: its verdicts and counters, loading and checking the document, and queries that all its forms
use."""

import hashlib
import json
import math

from kernelgate.base.case_id import parts_of, variant_of_case
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import check_schema, integer_of, is_number, list_of, member, number_of, object_of, read_json, text_of
from kernelgate.base.figures import known_percent, show_figure, show_percent, unit_of
from kernelgate.base.schema_form import misfit
from kernelgate.base.schemas import BASELINE, RESULTS, load_schema
from kernelgate.base.text import clean

SCHEMA = "kernelgate-results/2"
EARLIER = "kernelgate-results/1"
FORM = "results-read.schema.json"
REMEDY = "run ctest, which writes it, or name another results file"

VERDICTS = tuple(load_schema(RESULTS)["$defs"]["verdict"]["enum"])  # from best to worst
OUTCOMES = {0: "PASS", 1: "FAIL", 77: "NOTHING JUDGED"}  # the words for exit codes; any other is "ERROR"
RANKS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
MODEL_KEY = "cpu-model"  # the target whose metrics are exact counters

ERRORS = ("error_max", "error_mean")  # a checked case's errors against its reference, in roundoffs of its output's type
FACTS = {"uuid": "", "driver": "driver ", "cuda": "CUDA ", "compiler": ""}  # what is shown of a machine
UUID_SHOWN = 12  # characters shown of a board's UUID: "GPU-956c5159"
COUNTERS = tuple(load_schema(BASELINE)["$defs"]["counter"]["enum"])
KEPT = "tensor_multiply_adds"  # not a cost, and must not be lost
ALWAYS_SHOWN = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors", "barriers")


def is_code(target):
    """Whether a target's metrics are figures of nvcc's generated code."""
    return target.startswith("sm_")


def is_dismissed(verdict):
    """Whether a verdict invalidates the figures of its case."""
    return RANKS[verdict] >= RANKS["wrong"]


def worst(verdicts):
    return max(verdicts, key=RANKS.get, default="pass")


def items(value):
    """The members of an object; none if it is not one."""
    return value.items() if isinstance(value, dict) else ()


def verdict_of(entry):
    """The verdict of a case or a metric; "error" if it has no known one."""
    verdict = text_of(entry, "verdict")
    return verdict if verdict in RANKS else "error"


def fails(verdict, strict):
    """Whether a verdict makes a run fail."""
    return RANKS[verdict] >= RANKS["slower"] or strict and RANKS[verdict] > RANKS["faster"]


def counts_as(entry):
    """The verdict that decides an exit code. Doubts about the times of unchanged code are listed and fail nothing."""
    verdict = verdict_of(entry)
    return "unchanged" if verdict in ("noisy", "environment") and "same_code" in entry else verdict


def was_left_alone(entry):
    """Whether a case was not timed because its code is unchanged."""
    return "same_code" in entry and "time_ns" not in object_of(entry, "metrics")


def variant_of(case):
    """ "comparison/variant/" at the front of a case's id; all of it if it has no more parts."""
    return f"{variant_of_case(case)}/" if len(parts_of(case)) > 2 else case


def is_shown(name, metric):
    """Whether a metric of a case is shown: counters that readers look for, and counters and errors that moved."""
    value, baseline = number_of(metric, "value"), number_of(metric, "baseline")
    if name in ERRORS:
        return math.isfinite(baseline) and value != baseline
    if name not in COUNTERS:
        return True
    if value == 0 and not baseline > 0:
        return False
    return name in ALWAYS_SHOWN or math.isfinite(baseline) and value != baseline


def shown_metrics(entry):
    return [(name, metric) for name, metric in items(member(entry, "metrics")) if is_shown(name, metric)]


def figures_of(name, metric):
    """A metric's figures: "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower"."""
    unit = unit_of(name)
    text = f"{name} {show_figure(number_of(metric, 'value'), unit)}"
    against = [f"baseline {show_figure(number_of(metric, 'baseline'), unit)}", known_percent(number_of(metric, "change"), True)]
    if is_number(member(metric, "limit")):
        against.append("limit " + show_percent(number_of(metric, "limit")))
    if is_number(member(metric, "baseline")):
        text += f" ({', '.join(filter(None, against))})"
    return clean(text + (f": {verdict_of(metric)}" if text_of(metric, "verdict") else ""))


def texts_of(value, key):
    return [text if isinstance(text, str) else "" for text in list_of(value, key)]


def _converted(document):
    """A document of the earlier form as one of this form, whose `run` says when, where and of what commit it was, and whose cases
    name their group."""
    document = {**document, "schema": SCHEMA}
    run = {key: document.pop(key) for key in ("host", "ended", "commit") if key in document}
    if isinstance(run.get("commit"), str):
        run.update(commit=run["commit"].removesuffix("-dirty"), dirty=run["commit"].endswith("-dirty"))
    base = object_of(document, "base")
    document.pop("base", None)
    run.update({key: base[name] for key, name in (("base_ref", "ref"), ("base", "commit")) if name in base})
    alike = {(text_of(group, "target"), text_of(group, "verdict"), case): digest(texts_of(group, "cases")[0])
             for group in list_of(document, "failure_groups") for case in texts_of(group, "cases")}
    for entry in list_of(document, "cases"):
        group = alike.get(tuple(text_of(entry, key) for key in ("target", "verdict", "case")))
        if group is not None:
            entry["group"] = group
    document.pop("failure_groups", None)
    return {**document, "run": run}


def digest(text):
    """A short name for what cases that failed alike have in common."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def as_results(label, document):
    """A document of results, of this form or the earlier one, as one of this form; `label` names it in errors."""
    if member(document, "schema") == EARLIER:
        document = _converted(document)
    check_schema(label, document, SCHEMA, REMEDY)
    return document


def read_results(path):
    """The document in a file of results, of any form that as_results() takes."""
    return as_results(path, read_json(path, REMEDY))


def checked(label, document, part=""):
    """The document from as_results(), after a check of the members that readers rely on; they accept anything for the rest."""
    fault = misfit(document, FORM + part)
    if fault:
        raise Failure(f"{label}: {fault}: {REMEDY}")
    return document


def load_figures(path):
    """The results in a file, for computing with figures: compare and predict need no more members than those of all results."""
    return checked(path, read_results(path))


def load(path):
    """The results in a file, which must be whole."""
    return checked(path, read_results(path), "#/$defs/whole")


def load_times(path):
    """Like load_figures(), for making times a baseline's, which is named by its target's key."""
    return checked(path, read_results(path), "#/$defs/times")


def measured_figure(document, target, group, name):
    """A run's measurement of a target itself, sentinels_ns or limits; None if it is not a number above 0."""
    value = member(member(document["provenance"].get(target), group), name)
    return value if is_number(value) and value > 0 else None


def shown_value(value):
    """A fact as a text: JSON, except that texts are unquoted."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def refusal_word(entry):
    """The word for a case that was not judged: "gpu-only" for a GPU-only case on the CPU model."""
    return "gpu-only" if member(entry, "gpu_only") is True else "refused"


class Run:
    """The data that is printed: the document, the sources' folder, and its path in its repository."""

    def __init__(self, document, sources=".", prefix=""):
        self.document = document
        self.sources = sources
        self.prefix = prefix
        self.strict = document.get("strict") is True

    def list(self, key):
        return list_of(self.document, key)

    def object(self, key):
        return object_of(self.document, key)

    def text(self, key):
        """A text of the summary; results of an earlier version have none."""
        found = text_of(self.object("summary"), key)
        if not found and key == "outcome":
            code = integer_of(self.document, "exit_code")
            return f"{OUTCOMES.get(code, 'ERROR')} (exit {code})"
        if not found and key == "verdict":
            return f"{self.text('outcome').partition(' (exit ')[0]}  {self.text('headline')}"
        return found if found or key != "headline" else f"{len(self.list('cases'))} cases"

    def machine(self, target):
        """The GPU and the software of a target, "GPU-956c5159, driver 580, CUDA 13.0", or the model's compiler."""
        facts = self.object("provenance").get(target)
        boards = sum(text_of(board, "target") == target for board in self.object("boards").values())
        shown = [label + clean(text_of(facts, fact)) for fact, label in FACTS.items() if text_of(facts, fact)]
        if text_of(facts, "uuid"):
            shown[0] = f"{boards} boards" if boards > 1 else shown[0][:UUID_SHOWN]
        return ", ".join(shown)

    def fails(self, entry):
        return fails(counts_as(entry), self.strict)


def claim_fails(claim):
    return member(claim, "holds") is not True and member(claim, "reported_only") is not True


def is_reported_only(claim):
    """Whether a claim does not hold but fails nothing, because it has not held on this target before."""
    return member(claim, "holds") is not True and not claim_fails(claim)


def with_explanation(reason, entry):
    """A reason, followed by its explanation: what moved in the code, the launch or the counters."""
    return "; ".join(filter(None, (reason, text_of(entry, "explanation"))))


def reason_of(entry):
    """Why a case has its verdict, "" for a plain pass; results of an earlier version lack some reasons."""
    if RANKS[verdict_of(entry)] <= RANKS["unchanged"]:
        return clean(text_of(entry, "why"))
    return clean(with_explanation(text_of(entry, "reason") or text_of(entry, "why") or "no reason was recorded", entry))


def sass_lines(entry):
    """The added lines of SASS, "+ 16x LDS R, [R+…]", and the removed ones."""
    return [f"{sign} {clean(line)}" for key, sign in (("came", "+"), ("went", "-")) for line in texts_of(member(entry, "sass"), key)]
