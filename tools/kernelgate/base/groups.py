# SPDX-License-Identifier: MIT
"""Groups of failures. groups_of(run) is the only function that decides which failures of a run are alike, and in which order
they are told: every form of results shows what it returns."""

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.base.json_io import integer_of, list_of, member, number_of, object_of, text_of
from kernelgate.base.places import find_kernel, find_line, place_of_claim
from kernelgate.base.results import (COUNTERS, RANKS, Run, claim_fails, is_dismissed, items, reason_of, variant_of, verdict_of,
                                     with_explanation)
from kernelgate.base.text import clean

# What fails outside of judged cases, by the verdict that is as serious.
OTHERS = {"claim": "slower", "vanished": "no-baseline", "unlisted": "no-baseline", "skipped": "no-baseline"}
MEMBERS_NAMED = 8
WHOLE_RUN = "kernelgate"  # in place of a test, of errors that are of none


@dataclass(frozen=True)
class Move:
    """What the metric did by which a case has its verdict."""

    case: str
    metric: str
    value: float
    baseline: float
    change: float  # NaN if unknown, as the others
    limit: float


@dataclass
class Group:
    """Failures that are alike: of one verdict on one target, and of one variant, one cause or one reason. What does not fail the
    run is grouped too, and so is what got better."""

    verdict: str  # of a case, or one of OTHERS
    target: str  # "" if it is of none
    cases: list  # ids, or names of tests or claims; the representative first
    fails: bool  # whether it fails the run
    reason: str  # the representative's, one line
    entry: dict = field(default_factory=dict)  # the representative's, with its findings, causes and SASS; {} of unlisted cases
    moves: list = field(default_factory=list)  # of each case that has one, the largest first
    sizes: int = 0  # how many cases of its variant were judged on its target; 0 if it is not of judged cases
    run: Run = None

    @property
    def name(self):
        """The case; of several, what they have in common: "matmul_f32/tiled"."""
        if len(self.cases) == 1:
            return clean(self.cases[0])
        variants = {variant_of(case) for case in self.cases}
        shared = {comparison_of_case(case) for case in self.cases}
        return clean(variants.pop().rstrip("/") if len(variants) == 1 else shared.pop() if len(shared) == 1 else self.cases[0])

    @property
    def reproduce(self):
        """The command that runs the representative again; "" if there is none."""
        return clean(text_of(self.entry, "reproduce"))

    @cached_property
    def place(self):
        """Its file below the sources and the line there; None if there is no such file."""
        if self.verdict == "claim":
            return place_of_claim(self.run.sources, self.cases[0])
        if self.verdict == "vanished":
            return find_line(self.run.sources, f"baselines/{self.target}.json", self.cases[0])
        return place_of(self.run, self.entry) if self.sizes else None

    def members(self, most=MEMBERS_NAMED):
        """Which cases they are, "2 of 4 cases: 530/b16 +10.0 %, 1/b16 +5.0 %", or which other tests; "" of a single one."""
        if len(self.cases) == 1:
            return ""
        if self.verdict in ("error", "skipped") and not self.sizes:
            return "also " + _listed(list(map(clean, self.cases[1:])), most)
        variants = dict.fromkeys(map(variant_of, self.cases))
        if len(variants) > 1:
            return _listed([clean(variant.rstrip("/")) for variant in variants], most)
        variant = next(iter(variants))
        changes = {move.case: show_percent(move.change, True) for move in self.moves}
        shown = [clean(case[len(variant):]) + (f" {changes[case]}" if case in changes else "") for case in self.cases]
        count = f"{len(shown)} of {self.sizes} cases" if self.sizes else plural(len(shown), "case")
        if len(shown) == self.sizes and not self.moves:
            return f"{count}, first {shown[0]}"
        return f"{count}: {_listed(shown, most)}"

    def document(self):
        return {"verdict": self.verdict, "target": self.target, "cases": self.cases, "fails": self.fails}

    def _order(self):
        verdict = OTHERS.get(self.verdict, self.verdict)
        # Of a kernel that is slower and less accurate by one change, the slower cases name the cause.
        rank = RANKS["slower"] - 0.5 if verdict == "less-accurate" else RANKS[verdict]
        return not self.fails, -rank, -abs(self.moves[0].change if self.moves else 0)


def _listed(names, most):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def groups_of(run):
    """The groups of a results.Run, a list of Group: first those that fail it, of these the most serious first, of equals the one
    that moved most."""
    found = [*_of_errors(run), *_of_cases(run), *_of_claims(run), *_of_vanished(run), *_of_unlisted(run), *_of_skipped(run)]
    return sorted(found, key=Group._order)  # pylint: disable=protected-access


def place_of(run, entry):
    """A case's place in the sources: its first finding's, else its own, else its kernel's; None if it is not found."""
    first = (list_of(entry, "findings") or [None])[0]
    for file, line in ((text_of(first, "file"), integer_of(first, "line")),
                       (text_of(member(entry, "at"), "file"), integer_of(member(entry, "at"), "line"))):
        place = find_line(run.sources, file, "__global__")
        if place is not None:
            return place[0], line if line > 0 else place[1]
    return find_kernel(run.sources, text_of(entry, "case"))


def size_of(entry):
    """A case's size and launch: "530/b16"."""
    case = text_of(entry, "case")
    return clean(case[len(variant_of(case)):])


def is_counted(entry):
    return COUNTERS[0] in object_of(entry, "metrics")


def move_of(entry):
    """The move of the metric by which a case has its verdict, of several the one that moved most; None if there is none."""
    moves = [Move(text_of(entry, "case"), name, *(number_of(metric, key) for key in ("value", "baseline", "change", "limit")))
             for name, metric in items(member(entry, "metrics")) if verdict_of(metric) == verdict_of(entry)]
    return max((move for move in moves if math.isfinite(move.change)), key=lambda move: abs(move.change), default=None)


def _slower_time(entry, move):
    """The time of a case that got slower, "530/b16 takes 68.50 µs, was 65.30 µs (+4.9 %, limit 2.0 %)"; "" if its
    verdict is not about a time against the stored baseline."""
    if move is None or verdict_of(entry) != "slower" or is_counted(entry) or "pairs" in entry:
        return ""
    value, baseline = (show_figure(nanoseconds / 1000, "µs") for nanoseconds in (move.value, move.baseline))
    cold = " cold" if move.metric == "cold_time_ns" else ""
    return f"{size_of(entry)} takes {value}{cold}, was {baseline} ({show_percent(move.change, True)}, limit {show_percent(move.limit)})"


def _reason(entry, move, is_alone):
    times = _slower_time(entry, move)
    if times:
        return clean(with_explanation(times, entry))
    return reason_of(entry) if move is None or is_alone else f"{size_of(entry)}: {reason_of(entry)}"


def _alike(entries, key_of):
    found = {}
    for entry in entries:
        found.setdefault(key_of(entry), []).append(entry)
    return found.values()


def _of_cases(run):
    """Of one verdict and target, and of one cause, as the programs say it (`group`); without, wrong and broken cases are
    alone, those without a baseline are those of a comparison, and others of a variant. Where a target has no baseline at all, its
    cases are left out."""
    unrecorded = list_of(run.document, "unrecorded")

    def key_of(entry):
        verdict, case = verdict_of(entry), text_of(entry, "case")
        alone = case if is_dismissed(verdict) else comparison_of_case(case) if verdict == "no-baseline" else variant_of(case)
        return verdict, text_of(entry, "target"), run.fails(entry), text_of(entry, "group") or alone

    chosen = [entry for entry in run.list("cases") if RANKS[verdict_of(entry)] > RANKS["unchanged"]
              and not (verdict_of(entry) == "no-baseline" and text_of(entry, "target") in unrecorded)]
    sizes = Counter((text_of(entry, "target"), variant_of(text_of(entry, "case"))) for entry in run.list("cases")) if chosen else {}
    for alike in _alike(chosen, key_of):
        moved = [(move_of(entry), entry) for entry in alike]
        moved.sort(key=lambda pair: -abs(pair[0].change) if pair[0] else 0)
        move, first = moved[0]
        yield Group(verdict_of(first), text_of(first, "target"), [text_of(entry, "case") for _, entry in moved], run.fails(first),
                    _reason(first, move, len(moved) == 1), first, [move for move, _ in moved if move],
                    sizes[text_of(first, "target"), variant_of(text_of(first, "case"))], run)


def _of_errors(run):
    for alike in _alike(run.list("errors"), lambda entry: text_of(entry, "why")):
        tests = dict.fromkeys(text_of(entry, "test") or WHOLE_RUN for entry in alike)
        yield Group("error", "", list(tests), True, clean(text_of(alike[0], "why")), alike[0], run=run)


def _of_claims(run):
    for entry in filter(claim_fails, run.list("claims")):
        yield Group("claim", text_of(entry, "target"), [text_of(entry, "claim")], True, clean(text_of(entry, "why")), entry, run=run)


def _of_vanished(run):
    for alike in _alike(run.list("vanished"), lambda entry: (text_of(entry, "target"), variant_of(text_of(entry, "case")))):
        yield Group("vanished", text_of(alike[0], "target"), [text_of(entry, "case") for entry in alike], True,
                    clean(text_of(alike[0], "why")), alike[0], run=run)


def _of_unlisted(run):
    if run.list("unlisted"):
        yield Group("unlisted", "", ["baseline"], run.strict, clean(run.text("unlisted")), run=run)


def _of_skipped(run):
    """Tests that had nothing to judge, but for those that the user chose to skip."""
    unrecorded = list_of(run.document, "unrecorded")

    def is_expected(test):
        by = text_of(test, "skipped_by")
        return by in ("filter", "unchanged", "gpu-only") or by == "no-baseline" and text_of(test, "target") in unrecorded

    skipped = [test for test in run.list("tests") if isinstance(member(test, "skipped"), str) and not is_expected(test)]
    for alike in _alike(skipped, lambda test: (text_of(test, "target"), integer_of(test, "exit_code") == 2, test["skipped"])):
        yield Group("skipped", text_of(alike[0], "target"), [text_of(test, "name") or "?" for test in alike],
                    integer_of(alike[0], "exit_code") == 2, clean(alike[0]["skipped"]), alike[0], run=run)
