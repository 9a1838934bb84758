# SPDX-License-Identifier: MIT
"""The best launch of each variant in a search, and the ratios of variants: observers' records in, choices and ratios
out."""

import math
import statistics
from dataclasses import dataclass, field

from kernelgate.base.case_id import parse_case_id
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import integer_of, is_number, list_of, member, number_of, text_of
from kernelgate.base.samples import lower_rank

TIME = "time_ns"
FEWEST_ROUNDS = 6  # with fewer, a median has no 95 % interval
FATES = ("measured", "refused", "skipped", "wrong", "failed")


@dataclass(frozen=True)
class Interval:
    """A median with its 95 % interval; infinite bounds: unknown."""

    value: float = math.nan
    low: float = -math.inf
    high: float = math.inf


def read_interval(figures):
    value, low, high = (number_of(figures, key) for key in ("value", "low", "high"))
    return Interval(value, low, high) if low <= value <= high else Interval(value)


@dataclass
class Candidate:
    """A launch of a variant, with its result."""

    id: str
    comparison: str
    variant: str
    size: str
    launch: str
    values: tuple  # of the launch's axes; empty: nothing to choose
    fate: str = "untried"
    why: str = ""  # of a result other than measured
    time_or_count: Interval = Interval()
    samples: int = 0
    dropped: int = 0  # the round, from 1, in which a race dropped it
    occupancy: float = math.nan
    operations: float = math.nan
    bytes: float = math.nan
    final: Interval = Interval()  # of a finalist: timed in turn with the others
    rounds: list = field(default_factory=list)  # its samples, one per round
    no_final: str = ""  # why it could not be a finalist
    record: dict = field(default_factory=dict)

    @property
    def figure(self):
        """The most precise figure."""
        return self.final if self.rounds else self.time_or_count

    @property
    def gigabytes(self):
        """GB/s."""
        return self.bytes / self.figure.value if self.bytes > 0 else math.nan

    @property
    def gigaflops(self):
        """GFLOP/s."""
        return self.operations / self.figure.value if self.operations > 0 else math.nan

    @property
    def rank(self):
        """Its class of precision, lower is better: a finalist, timed to the end, dropped early."""
        return 0 if self.rounds else 2 if self.dropped else 1

    def settle(self, fate, why):
        self.fate, self.why = fate, why

    def take_figures(self, metric, record):
        figures, work = member(member(record, "metrics"), metric), member(record, "work")
        value = number_of(figures, "value")
        timed = metric == TIME
        if not (value > 0 if timed else value >= 0):
            absent = text_of(member(record, "absent"), metric)
            self.settle("failed", f"its record has no {metric}{': ' if absent else ''}{absent}")
            return
        self.fate = "measured"
        self.operations, self.bytes = number_of(work, "operations"), number_of(work, "bytes")
        self.time_or_count, self.samples = Interval(value, value, value), 1
        if timed:
            self.time_or_count, self.samples = read_interval(figures), max(integer_of(figures, "samples"), 0)
            self.dropped = max(integer_of(record, "dropped_in_round"), 0)
            self.occupancy = number_of(member(record, "kernel"), "occupancy")
            self.no_final = text_of(record, "no_final")
            final, rounds = read_interval(member(record, "final")), list_of(member(record, "final"), "samples_ns")
            if final.value > 0 and all(is_number(sample) and sample > 0 for sample in rounds):
                self.final, self.rounds = final, [float(sample) for sample in rounds]


class Tuning:
    """The candidates of a search, ranked by time or by an exact counter."""

    def __init__(self, metric):
        self.metric = metric
        self.timed = metric == TIME
        self.candidates = {}

    def add(self, case, refusal=None):
        """Adds a candidate; `refusal` is why it cannot be launched."""
        parts = parse_case_id(case)
        if not parts:
            raise Failure(f'"{case}": is not a case id: one is comparison/variant/size/launch')
        if case in self.candidates:
            raise Failure(f"{case}: appears twice among the candidates: build the program again")
        candidate = self.candidates[case] = Candidate(case, parts.comparison, parts.variant, parts.size, parts.launch,
                                                      parts.values())
        if refusal is not None:
            candidate.settle("refused", refusal)
        return candidate

    def take(self, record):
        """The candidate that a record decides, or None. A wrong candidate stays wrong."""
        event = text_of(record, "event")
        candidate = self.candidates.get(text_of(record, "case"))
        if candidate is None or candidate.fate != "untried":
            return None
        if event == "measured":
            candidate.take_figures(self.metric, record)
        elif event in ("refused", "skipped", "failed"):
            candidate.settle(event.replace("_", "-"), text_of(record, "why"))
        elif event == "checked" and record.get("right") is not True:
            candidate.settle("wrong", text_of(record, "why"))
        else:
            return None
        candidate.record = record
        return candidate

    def problems(self):
        """The candidates of each comparison and size, in the order of the table."""
        problems = {}
        for candidate in self.candidates.values():
            problems.setdefault((candidate.comparison, candidate.size), []).append(candidate)
        return problems

    def variants(self, comparison=None):
        return list(dict.fromkeys(candidate.variant for candidate in self.candidates.values()
                                  if comparison in (None, candidate.comparison)))


def best(candidates, aim="figure"):
    """The best of a set: by time, a finalist before others, and a dropped one last, since its time is less precise; by
    "occupancy", the fastest of equals. None if none was measured, or none has the aim's figure."""
    keys = {
        "figure": lambda candidate: (candidate.rank, candidate.figure.value),
        "occupancy": lambda candidate: (-candidate.occupancy, candidate.rank, candidate.figure.value),
    }
    measured = [candidate for candidate in candidates if candidate.fate == "measured"]
    fit = [candidate for candidate in measured if not any(map(math.isnan, keys[aim](candidate)))]
    return min(fit, key=keys[aim], default=None)


def ties(candidates, winner):
    """How many have the best figure, including the winner."""
    return sum(candidate.fate == "measured" and candidate.figure.value == winner.figure.value for candidate in candidates)


def tally(candidates):
    """The number of candidates, in total and by result."""
    counts = {"samples": sum(candidate.samples + len(candidate.rounds) for candidate in candidates),
              "candidates": len(candidates), "dropped": sum(candidate.dropped > 0 for candidate in candidates)}
    counts.update({fate: sum(candidate.fate == fate for candidate in candidates) for fate in FATES})
    return counts


def median_interval(samples):
    """The median, with the interval between the ranks that enclose it with 95 % confidence."""
    ordered = sorted(samples)
    rank = lower_rank(len(ordered))
    bounds = (ordered[rank - 1], ordered[-rank]) if rank else ()
    return Interval(statistics.median(ordered), *bounds)


@dataclass(frozen=True)
class Ratio:
    """One candidate's figure over another's."""

    why: str = ""  # if it is unknown
    times: Interval = Interval()  # the median of the ratios by round; for counters, the exact ratio
    rounds: int = 0
    differs: bool = False  # the interval does not contain 1


def compare(timed, candidate, other):
    """The ratio; below 1 the candidate is better. Unknown unless both were timed in turn in the same rounds: figures
    from different times include the drift between them."""
    if not timed:
        above, below = candidate.figure.value, other.figure.value
        if above != below and below == 0:
            return Ratio("the other count is 0")
        value = 1.0 if above == below else above / below
        return Ratio(times=Interval(value, value, value), differs=above != below)
    if not candidate.rounds or not other.rounds:
        absent = other if candidate.rounds else candidate
        return Ratio(absent.no_final or "not both were timed in the final")
    if len(candidate.rounds) != len(other.rounds):
        return Ratio("they were timed in finals of different processes")
    if len(candidate.rounds) < FEWEST_ROUNDS:
        return Ratio("the final had too few rounds for an interval")
    times = median_interval([a / b for a, b in zip(candidate.rounds, other.rounds)])
    return Ratio("", times, len(candidate.rounds), times.low > 1 or times.high < 1)
