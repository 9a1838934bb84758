# SPDX-License-Identifier: MIT
"""Recording: turns the sessions of cases, from new processes or from gates, into a baseline's lines."""

import math
from dataclasses import dataclass, field
from typing import Optional

from kernelgate.baseline.changes import moved_beyond
from kernelgate.baseline.file import Metric
from kernelgate.base.json_io import member, number_of, text_of
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.code.kernel_code import is_other_code, is_same_code
from kernelgate.baseline.noise import (BAND_MINIMUM, ERROR_BAND, GATED_LIMIT, SESSIONS_MINIMUM, TIME_FLOOR_NS, band_of_errors,
                                       disagreement, is_gated, noise_of, value_of_sessions)
from kernelgate.base.results import COUNTERS

TIMES = ("time_ns", "cold_time_ns")  # the recorded metrics of a case; a sentinel has only the first
SENTINELS = ("copy", "fma", "bus")  # harness/records/sentinel.c
BUS = "bus"  # the host also affects it, and older baselines lack it
HOST_CLOCKS = ("host", "first_touch")  # the host also affects them
LAUNCH_COSTS_DIFFER = 0.1  # a launch has one of two costs, a third apart; readings of one differ by less than 2 %
REMEDY = "counts have to repeat: does the kernel depend on chance, or on the order of its threads?"
BAND_ROUNDING = 1e-6  # far less than the 0.1 % that bands are rounded to
HEAD = f"{'case':<50} {'metric':<13} {'old':>14} {'new':>14} {'change':>9}"


def value_of(record, metric):
    """The value of a metric in a "measured" record; NaN if it has none."""
    return number_of(member(member(record, "metrics"), metric), "value")


def launch_costs(state, provenance):
    """The costs of an empty launch while a case was timed and in the provenance, in ns, if these are two different
    costs (docs/measuring.md); None if they are two readings of one, or unknown."""
    now, then = number_of(state, "launch_ns"), number_of(provenance, "launch_ns")
    differ = now > 0 and then > 0 and max(now, then) > (1 + LAUNCH_COSTS_DIFFER) * min(now, then)
    return (now, then) if differ else None


def make_time(before, name, boards, sentinel=False):
    """A time from its sessions, a list for each board: ungated if its band is too wide. A band set by hand is kept,
    with its gate, and so is an existing floor. A sentinel's band is its limit, however narrow."""
    noise = noise_of(boards)
    value = value_of_sessions([value for values in boards.values() for value in values])
    metric = Metric(name, value, noise.band(0 if sentinel else BAND_MINIMUM), floor=before.floor if before else TIME_FLOOR_NS,
                    noise=(noise.within, noise.between))
    metric.gated = is_gated(metric.band)
    if before is not None and before.by_hand:
        metric.band, metric.by_hand, metric.gated = before.band, True, before.gated
    return metric


def errors_of_sessions(sessions):
    """The errors of cases, from the [largest, mean] of each session: the largest of all, since atomics add in a
    different order each time, and the band if it is not the minimum."""
    found = {}
    for case, errors in sessions.items():
        columns = list(zip(*errors))
        band = max(map(band_of_errors, columns), default=ERROR_BAND)
        found[case] = [*map(max, columns), *([band] if band > ERROR_BAND else [])]
    return found


def is_moved(before, now):
    """Whether a time differs enough to rewrite its line."""
    return (before is None or before.gated != now.gated or abs(before.band - now.band) > BAND_ROUNDING
            or moved_beyond(before.value, now.value, before.band, before.floor))


def _why_other_code(case, recorded, stored, board):
    """Why the stored sessions of a case are of other code than the timed one; None if they may be of the same."""
    if is_other_code(case.code, recorded.code):
        return "its machine code, or its launch, is another"
    if is_same_code(case.code, recorded.code):
        return None
    for name, values in recorded.values.items():
        before, metric = stored.boards(case.id, name).get(board), case.metrics.get(name)
        if (values and before and metric is not None and metric.gated
                and moved_beyond(value_of_sessions(before), value_of_sessions(values), metric.band, metric.floor)):
            return f"its {name} moved on this board, and its machine code is not known to be the same"
    return None


def record_count(case, counter, value):
    """Records a counter. A band or a gate set by hand is kept, and a counter within its band is unchanged; one of 0
    is removed. Returns the old value, 0 if there was none; None if it is unchanged."""
    metric = case.metrics.get(counter)
    old = metric.value if metric is not None else 0.0
    if value == old or old > 0 and value > 0 and abs(math.log(value / old)) <= math.log1p(metric.band):
        return None
    if value == 0:
        del case.metrics[counter]
        return old
    if metric is None:
        metric = case.metrics[counter] = Metric(counter)
    metric.value = value
    return old


def record_lines(case, lines):
    """Records the counters by source line; whether they changed."""
    kept = {line: {counter: count for counter, count in counters.items() if count} for line, counters in (lines or {}).items()}
    before, case.lines = case.lines, {line: counters for line, counters in kept.items() if counters} or None
    return case.lines != before


def counts_of(record):
    """Every counter of a "measured" record; missing ones are 0."""
    return {counter: max(0.0, value_of(record, counter)) for counter in COUNTERS}


def counts_differ(first, second):
    """Why two runs did not count a case the same, source lines included, with the counter and both figures; None if
    they did."""
    for (counter, count), other in zip(counts_of(first).items(), counts_of(second).values()):
        if count != other:
            return f"{counter} is {show_figure(count)} in one run and {show_figure(other)} in another: {REMEDY}"
    return None if member(first, "lines") == member(second, "lines") else f"its lines have other counts in another run: {REMEDY}"


@dataclass
class Recorded:
    """The sessions' measurements of a case or a sentinel."""

    id: str
    values: dict = field(default_factory=lambda: {name: [] for name in TIMES})  # by metric, one per session
    boards: dict = field(default_factory=lambda: {name: [] for name in TIMES})  # by metric, one per value; None: the only board
    loose: set = field(default_factory=set)  # metrics whose sessions may disagree: recorded ungated, not refused
    code: Optional[dict] = None

    def add(self, metric, value, board=None):
        """Adds a value if it is above 0."""
        if value > 0:
            self.values[metric].append(value)
            self.boards[metric].append(board)

    def clear(self, metric):
        self.values[metric].clear()
        self.boards[metric].clear()

    def take(self, metric, figures, board=None):
        """Adds the value of a metric; its clock decides whether sessions must agree."""
        if text_of(figures, "clock") in HOST_CLOCKS:
            self.loose.add(metric)
        else:
            self.loose.discard(metric)
        self.add(metric, number_of(figures, "value"), board)


class Sessions:
    """The times of cases by session, from recordings or gates, and how a baseline stores them."""

    def __init__(self, log):
        self._log = log
        self.cases = {}
        self.sentinels = {name: Recorded(name) for name in SENTINELS}
        self.sentinels[BUS].loose.add(TIMES[0])

    def case(self, case):
        """Finds or adds a case."""
        return self.cases.setdefault(case, Recorded(case))

    def _agree(self, recorded, metric):
        """Whether the sessions of a metric agree, or its clock makes no promise; complains if not."""
        values = recorded.values[metric]
        why = disagreement(values) if values and metric not in recorded.loose else None
        if why is not None:
            self._log.disagree(why, recorded.id, metric)
        return why is None

    def are_of_one_state(self):
        """Whether the machine was in one state. If only one metric, or one in ten, differs from session to session,
        the kernel is the reason: it is recorded ungated. If more do, or a sentinel, the machine is the reason:
        False, with a complaint."""
        pairs = [(recorded, metric) for recorded in self.cases.values() for metric in TIMES]
        metrics = sum(bool(recorded.values[metric]) for recorded, metric in pairs)
        apart = sum(not self._agree(*pair) for pair in pairs)
        steady = sum(not self._agree(sentinel, TIMES[0]) for sentinel in self.sentinels.values()) == 0
        if steady and (apart <= 1 or apart <= metrics // 10):
            if apart > 0:
                self._log.say(f"{apart} of {metrics} metrics differ from session to session while the sentinels do not: still "
                              "gated if their noise is small")
            return True
        self._log.refuse(f"{apart} of {metrics} metrics{'' if steady else ' and a sentinel'} differ from session to session: "
                         "nothing is recorded; quiet the machine (see kernelgate doctor) and record again")
        return False

    def _print_row(self, case, metric, old):
        new = math.isnan(old)
        shown = "-" if new else show_figure(old, "ns")
        change = "new" if new else show_percent(metric.value / old - 1, True)
        row = (f"{case:<50} {metric.name:<13} {shown:>14} {show_figure(metric.value, 'ns'):>14} {change:>9}  "
               f"band {show_percent(metric.band)}{', by hand' if metric.by_hand else ''}")
        if not metric.gated:
            row += "" if metric.by_hand else f", not gated: above {show_percent(GATED_LIMIT)}"
        self._log.say(row)

    def store(self, case, recorded, stored, board=None):
        """Adds the sessions of a case or a sentinel to the stored ones, and rewrites its line if it changes: a value
        beyond the band, another band, gate or number of boards. If all are of one given board, stored sessions of
        other code are dropped first. Then prints a row for each metric; returns whether it did."""
        why = _why_other_code(case, recorded, stored, board) if board else None
        dropped = stored.count(case.id, TIMES[0]) if why else 0
        if dropped:
            self._log.say(f"{case.id:<50} {why}: {plural(dropped, 'older session')} dropped")
            stored.drop(case.id)
        elif case.sessions and not any(stored.count(case.id, name) for name in TIMES):
            self._log.say(f"{case.id:<50} {stored.path} has no sessions of it: its {case.sessions} before do not count")
        for name, values in recorded.values.items():
            for value, of in zip(values, recorded.boards[name]):
                stored.add(case.id, name, of or board, [value])
        lists = stored.cases.get(case.id, {})
        now = {name: make_time(case.metrics.get(name), name, boards, recorded.id in SENTINELS) for name, boards in lists.items()}
        counts = min(map(len, lists.values()), default=0), min((stored.count(case.id, name) for name in lists), default=0)
        if not dropped and counts[0] == case.boards and case.sessions >= SESSIONS_MINIMUM and not any(
                is_moved(case.metrics.get(name), metric) for name, metric in now.items()):
            return False
        case.boards, case.sessions = counts
        for name, metric in now.items():
            old = case.metrics[name].value if name in case.metrics else math.nan
            case.metrics[name] = metric
            if recorded.values[name]:
                self._print_row(case.id, metric, old)
                self._log.change(case.id, name, old, metric.value, metric, case)
        return bool(now)
