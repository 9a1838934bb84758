# SPDX-License-Identifier: MIT
"""The differences of two baselines, and the limits that they loosen.

Each step of a chain of recordings may be small; a difference is their sum."""

import math
from dataclasses import dataclass
from typing import Optional

from kernelgate.baseline.file import Case, Metric
from kernelgate.base.results import KEPT

ROUNDING = 1e-12  # as in the judge: a figure that exceeds its limit by no more counts as at the limit

KINDS = ("moved", "new", "retired")

# How a metric, or a case, was loosened, the worst first.
LOOSENINGS = ("no_longer_gated", "retired", "widened", "slower")

NO_CASE = Case("")


def _exceeds(amount, limit, scale):
    return amount > (limit + ROUNDING * scale if limit > 0 else 0)


def moved_beyond(before, after, fraction, floor):
    """Whether a move would trip the judge: by more than a fraction and a floor, either way."""
    ratio = math.inf if before == 0 else -math.inf if after == 0 else math.log(after / before)
    return _exceeds(abs(ratio), math.log1p(fraction), 1) and _exceeds(abs(after - before), floor, after + before)


@dataclass(frozen=True)
class Difference:
    """The difference of a metric of a case, or of a whole case."""

    kind: str
    case: str
    metric: Optional[str] = None  # None: the whole case is new or retired
    first: Optional[Metric] = None  # None: it was absent; a counter was 0
    last: Optional[Metric] = None  # None: it is absent now; a counter is 0

    @property
    def before(self):
        return self.first.value if self.first else 0.0

    @property
    def after(self):
        return self.last.value if self.last else 0.0

    @property
    def now(self):
        return self.last or self.first

    @property
    def gated(self):
        return self.now is not None and self.now.gated

    @property
    def was_gated(self):
        return self.first is not None and self.first.gated

    @property
    def moved(self):
        return self.kind == "moved"

    @property
    def change(self):
        """As a fraction: infinite from 0, and None where there is nothing to compare."""
        if not self.moved:
            return None
        return 0.0 if self.before == self.after else self.after / self.before - 1 if self.before > 0 else math.inf

    @property
    def beyond(self):
        """Whether it moved by more than its present band and its floor."""
        return self.moved and moved_beyond(self.before, self.after, self.now.band, self.now.floor)

    @property
    def slower(self):
        if not (self.gated and self.beyond):
            return False
        return self.after > self.before and (self.metric != KEPT or self.before > 0) or self.metric == KEPT and self.after == 0

    @property
    def faster(self):
        return self.gated and self.beyond and self.after < self.before and self.metric != KEPT

    @property
    def ungated(self):
        """Whether a metric was judged and no longer is: it is gone, ungated by hand, or counted differently by the
        file's model."""
        return self.was_gated and (self.kind == "retired" or self.moved and not self.gated)

    @property
    def loosened(self):
        """Whether a slowdown that was detected before no longer is."""
        return (self.moved and self.first is not None and self.last is not None and self.was_gated and self.gated
                and not _held_the_same(self.first, self.last) and self.last.smallest > self.first.smallest)

    def exceeds(self, limit):
        """Whether a judged metric got slower by more than the limit and its floor."""
        return (limit is not None and self.moved and self.gated and self.after > self.before
                and moved_beyond(self.before, self.after, limit, self.last.floor))

    def is_loosened(self, how):
        if how == "retired":
            return self.kind == "retired" and self.metric is None
        return {"no_longer_gated": self.ungated, "widened": self.loosened, "slower": self.slower}[how]

    def order(self):
        """Moves before new before retired ones; moves by size, the worst first."""
        return KINDS.index(self.kind), -self.change if self.moved else 0, self.case, self.metric or ""


def _held_the_same(first, last):
    return (first.gated, first.band, first.floor) == (last.gated, last.band, last.floor)


class Changes:
    """The differences of two baselines of one kind of target."""

    def __init__(self, first, last):
        self._counters = last.is_model or first.is_model
        self._outdated = first.outdated | last.outdated
        self._unjudged = last.outdated - first.outdated  # by the model that the file names now
        self.both = [case for case in last.cases if case in first.cases]
        differences = [difference for case in self.both for difference in self._of_case(first.cases[case], last.cases[case])]
        for kind, here, there in (("new", last, first), ("retired", first, last)):
            known = {*there.cases, *there.checked}
            # A case that was only checked, and is counted now, is new.
            differences += (Difference(kind, case) for case in here.cases if case not in there.cases)
            differences += (Difference(kind, case) for case in here.checked if case not in known)
        differences += _of_errors(first, last)
        self.differences = sorted(differences, key=Difference.order)
        self.sentinels = {name: (first.sentinels.get(name, NO_CASE), last.sentinels.get(name, NO_CASE))
                          for name in sorted({*first.sentinels, *last.sentinels})}

    def _of_case(self, first, last):
        for name in sorted({*first.metrics, *last.metrics, *self._unjudged}):
            before, after = first.metrics.get(name), last.metrics.get(name)
            if name in self._unjudged:
                yield Difference("retired", last.id, name, before or Metric(name))
                continue
            difference = Difference(self._kind(name, before, after), last.id, name, before, after)
            same = before is None or after is None or _held_the_same(before, after)
            if difference.before != difference.after or not same:
                yield difference

    def _kind(self, name, before, after):
        comparable = name not in self._outdated if self._counters else before is not None and after is not None
        return "moved" if comparable else "new" if after is not None else "retired"

    def cases(self, matches):
        """How many cases have a difference that matches."""
        return len({difference.case for difference in self.differences if matches(difference)})

    def whole(self, kind):
        """How many cases are new, or retired."""
        return sum(difference.kind == kind and difference.metric is None for difference in self.differences)

    def count(self, name):
        """How many differences have a property."""
        return sum(getattr(difference, name) for difference in self.differences)

    def sentinel_changes(self):
        """The relative change of each sentinel that both have: no commit touches their code."""
        times = ((name, first.metrics.get("time_ns"), last.metrics.get("time_ns"))
                 for name, (first, last) in self.sentinels.items())
        return {name: last.value / first.value - 1 for name, first, last in times if first and last}

    def file_entry(self, target, state, why):
        """The file's entry in a run's results."""
        entry = {"target": target, "state": state,
                 **{how: sum(difference.is_loosened(how) for difference in self.differences) for how in LOOSENINGS},
                 "new": sum(difference.kind == "new" for difference in self.differences),
                 "sentinels_moved": sum(_time_of(first) != _time_of(last) for first, last in self.sentinels.values())}
        return {**entry, "why": why} if why else entry

    def loosened_entries(self, target):
        """The loosened metrics and cases, each with the worst of its ways, the worst ways first."""
        for worst, how in enumerate(LOOSENINGS):
            for difference in self.differences:
                if difference.is_loosened(how) and not any(map(difference.is_loosened, LOOSENINGS[:worst])):
                    yield _loosened_entry(target, difference, how)


def _of_errors(first, last):
    """The differences in the errors of cases that both files have, or that only have errors in the first one."""
    now = last.error_cases()
    for case, before in first.error_cases().items():
        for name, metric in before.metrics.items():
            after = now[case].metrics[name] if case in now else None
            if after is None and case in last.ids():
                yield Difference("retired", case, name, metric)
            elif after is not None and (metric.value, metric.band) != (after.value, after.band):
                yield Difference("moved", case, name, metric, after)


def _time_of(sentinel):
    metric = sentinel.metrics.get("time_ns")
    return metric.value if metric else None


def _loosened_entry(target, difference, how):
    entry = {"target": target, "case": difference.case, "kind": how}
    if difference.metric is not None:
        entry["metric"] = difference.metric
    if how == "widened":
        entry.update(before=difference.first.smallest, after=difference.last.smallest)
    elif how == "slower":
        entry.update(before=difference.before, after=difference.after)
    return entry
