"""Recording: what the sessions of cases, from new processes or from gates, make of a baseline."""

import math
from dataclasses import dataclass, field
from typing import Optional

from baseline_file import Metric
from common import member, number_of, text_of
from figures import show_figure, show_percent
from noise import (SESSIONS_MINIMUM, TIME_FLOOR_NS, band_of_sessions, disagreement, is_gated, noise, noise_bound, rounded,
                   value_of_sessions)
from results import COUNTERS

TIMES = ("time_ns", "cold_time_ns")  # the recorded metrics of a case; a sentinel has only the first
SENTINELS = ("copy", "fma", "bus")  # harness/records/sentinel.c
BUS = "bus"  # the host also affects it, and baselines recorded before it was timed lack it
HOST_CLOCKS = ("host", "first_touch")  # the host also affects them
LAUNCH_COSTS_DIFFER = 0.1  # a launch costs one of two times, a third apart; one is read again within 2 %
REMEDY = "counts have to repeat: does the kernel depend on chance, or on the order of its threads?"
HEAD = f"{'case':<50} {'metric':<13} {'old':>14} {'new':>14} {'change':>9}"


def value_of(record, metric):
    """The value of a metric in a "measured" record; NaN where it has none."""
    return number_of(member(member(record, "metrics"), metric), "value")


def launch_costs(state, provenance):
    """What an empty launch cost while a case was timed, and what it cost for the provenance, in ns, where these are two costs
    (docs/measuring.md) and not one that was read twice; None where they are one, or not known."""
    now, then = number_of(state, "launch_ns"), number_of(provenance, "launch_ns")
    differ = now > 0 and then > 0 and max(now, then) > (1 + LAUNCH_COSTS_DIFFER) * min(now, then)
    return (now, then) if differ else None


def record_time(case, name, sessions, merge):
    """Records a time: value and band as the sessions have them (a band set by hand is kept, and so is whether its metric is
    gated), the floor that it has, ungated where the noise may be too large. A metric that has not moved beyond its band and
    rests on enough sessions is left alone. With `merge` the sessions join those that it has, and it is rewritten in any case:
    boards of one model differ by more than one board from day to day, and a baseline of several holds for all of them.
    The old value, NaN of a new metric; None where it is left alone."""
    metric = case.metrics.get(name)
    value = value_of_sessions(sessions)
    old = math.nan if metric is None else metric.value
    if metric is not None and not merge and len(metric.sessions) >= SESSIONS_MINIMUM and (
            abs(math.log(value / old)) <= math.log1p(metric.band) or abs(value - old) <= metric.floor):
        return None
    if metric is None:
        metric = case.metrics[name] = Metric(name, floor=TIME_FLOOR_NS)
    metric.sessions = (*(metric.sessions if merge else ()), *map(rounded, sessions))
    metric.value = value_of_sessions(metric.sessions)
    if not metric.by_hand:
        metric.band = band_of_sessions(metric.sessions)
        metric.gated = is_gated(metric.sessions)
    return old


def record_count(case, counter, value):
    """Records a counter. A band or a gate that a hand wrote is kept, and a counter within its band is left alone; one of 0 is
    removed. The old value, 0 where there was none; None where it is left alone."""
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
    """Every counter of a "measured" record, those that it lacks as 0."""
    return {counter: max(0.0, value_of(record, counter)) for counter in COUNTERS}


def counts_differ(first, second):
    """Why two runs did not count the same of a case, the lines too, with the counter and both figures; None where they did."""
    for (counter, count), other in zip(counts_of(first).items(), counts_of(second).values()):
        if count != other:
            return f"{counter} is {show_figure(count)} in one run and {show_figure(other)} in another: {REMEDY}"
    return None if member(first, "lines") == member(second, "lines") else f"its lines have other counts in another run: {REMEDY}"


@dataclass
class Recorded:
    """What the sessions measured of a case or a sentinel."""

    id: str
    values: dict = field(default_factory=lambda: {name: [] for name in TIMES})  # of each metric, one per session
    loose: set = field(default_factory=set)  # metrics whose sessions may disagree: recorded ungated, not refused
    code: Optional[dict] = None

    def add(self, metric, value):
        """Adds a value, unless it is not above 0."""
        if value > 0:
            self.values[metric].append(value)

    def take(self, metric, figures):
        """Adds the value of a metric, whose clock decides whether sessions must agree."""
        if text_of(figures, "clock") in HOST_CLOCKS:
            self.loose.add(metric)
        else:
            self.loose.discard(metric)
        self.add(metric, number_of(figures, "value"))


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
        """Whether the sessions of a metric agree, unless its clock makes no promise; complains where not."""
        values = recorded.values[metric]
        why = disagreement(values) if values and metric not in recorded.loose else None
        if why is not None:
            self._log.disagree(why, recorded.id, metric)
        return why is None

    def are_of_one_state(self):
        """Whether the machine was in one state. If only one metric, or one of ten, differs from session to session, the kernel is
        the reason: it is recorded ungated. If more do, or a sentinel, the machine is the reason: False, with a complaint."""
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
            row += (f", not gated: its noise is {show_percent(noise(metric.sessions))}, and may be "
                    f"{show_percent(noise_bound(metric.sessions))}")
        self._log.say(row)

    def store(self, case, recorded, merge):
        """Stores the times of a case or a sentinel, and prints a row for each that changed; whether any did."""
        changed = False
        for name, values in recorded.values.items():
            old = record_time(case, name, values, merge) if values else None
            if old is None:
                continue
            metric = case.metrics[name]
            self._print_row(case.id, metric, old)
            self._log.change(case.id, name, old, metric.value, metric)
            changed = True
        return changed
