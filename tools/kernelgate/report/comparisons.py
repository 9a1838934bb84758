# SPDX-License-Identifier: MIT
"""A comparison in publishable form: rows by size and launch, variants side by side; a target's timed or counted
cases that KG_FILTER selects."""

import math
from dataclasses import dataclass, field
from typing import Optional

from kernelgate.base.case_id import comparison_of_case, parse_case_id
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import list_of, member, number_of, text_of
from kernelgate.base.figures import show_figure, show_percent
from kernelgate.base.programs import filter_takes
from kernelgate.base.results import COUNTERS, MODEL_KEY, RANKS, is_code, verdict_of

MICROSECONDS, FIGURE, TIMES, PERCENT = "microseconds", "figure", "times", "percent"  # formats of a column's figures
REMEDY = "run ctest, which writes the results again"


@dataclass(frozen=True)
class Column:
    name: str  # "time_ns": with its unit
    title: str = ""  # of its own table; empty: only in CSV
    form: str = FIGURE
    bracketed: str = ""  # the column whose figure follows each figure in brackets


GPU_COLUMNS = (
    Column("time_ns", "Time, hot in the caches (µs)", MICROSECONDS, "speedup"),
    Column("time_low_ns"), Column("time_high_ns"),
    Column("speedup", "", TIMES),
    Column("cold_time_ns", "Time, cold from device memory (µs)", MICROSECONDS, "cold_speedup"),
    Column("cold_speedup", "", TIMES),
    Column("bandwidth_gb_per_s", "Bandwidth (GB/s)"),
    Column("arithmetic_gflop_per_s", "Arithmetic (GFLOP/s)"),
    Column("share_of_limit", "Share of the limit", PERCENT),
    Column("occupancy", "Occupancy", PERCENT),
    Column("registers"), Column("shared_bytes"), Column("local_bytes"), Column("blocks_per_multiprocessor"),
    Column("operations"), Column("bytes"),
)
KERNEL_FIGURES = ("occupancy", "registers", "shared_bytes", "local_bytes", "blocks_per_multiprocessor")

# Ratios of counters: each name ends in the divisor of its first counter.
RATIOS = {
    f"{access}_{what}_per_request": (f"{access}_{what}", f"{access}_requests")
    for access, what in (("global_load", "sectors"), ("global_store", "sectors"), ("global_atomic", "sectors"),
                         ("shared_load", "wavefronts"), ("shared_store", "wavefronts"), ("constant_load", "words"))
}
# Counters without a table of their own: a ratio, the work of the job, or its launch covers them.
UNTITLED = ("shared_load_requests", "shared_store_requests", "constant_load_requests", "constant_load_words", "blocks", "threads",
            "busiest_warp_requests", "unique_bytes_read", "unique_bytes_written")


def title_of(name):
    return name[0].upper() + name[1:].replace("_", " ")


MODEL_COLUMNS = (
    *(Column(name, "" if name in UNTITLED else title_of(name), FIGURE, f"{name}_of_first") for name in COUNTERS),
    *(Column(f"{name}_of_first", "", TIMES) for name in COUNTERS),
    *(Column(name, title_of(name)) for name in RATIOS),
)


@dataclass
class Case:
    id: str
    entry: Optional[dict]  # of the results; None: refused
    why: str
    variant: str
    size: str
    launch: str
    first_axis: str  # of the launch: "b256" of "b256g1056"
    others: str  # the other axes: "g1056"
    row: Optional["Row"] = None
    figures: dict = field(default_factory=dict)  # by column; unknown or invalid figures are absent
    clock: str = ""  # that timed it: "graph", "host", ...
    limited_by: str = ""  # "bytes" or "operations", whichever takes longer

    def verdict(self):
        return verdict_of(self.entry) if self.entry is not None else "refused"

    def is_wrong(self):
        return self.entry is not None and RANKS[self.verdict()] >= RANKS["wrong"]

    def group(self):
        return self.size, self.first_axis

    def name(self):
        return f"{self.variant}/{self.size}/{self.launch}"


@dataclass
class Row:
    """A size and a launch. Variants share the row of the first axis of their launches, for example if one launches
    as many blocks as the size requires and another a fixed number; a variant with several launches of that axis has
    a row for each."""

    number: int
    size: str
    others: Optional[str]  # None: the other axes do not distinguish it from its neighbors
    launch: str = ""
    cases: dict = field(default_factory=dict)  # by variant


def parse_case(entry, text):
    """A Case from an entry, or from a refused id (entry: None)."""
    found = parse_case_id(text)
    if not found:
        raise Failure(f'"{text}" is not a case id (comparison/variant/size/launch): {REMEDY}')
    first_axis = found.first_axis()
    return Case(text, entry, "", found.variant, found.size, found.launch, first_axis, found.launch[len(first_axis):])


def was_measured(entry):
    """Whether a case was timed or counted, with any result."""
    return any(part in ("time", "count") for part in list_of(entry, "parts")) or bool(member(entry, "metrics"))


def comparison_of(entry):
    return comparison_of_case(text_of(entry, "case"))


def targets_of(run, comparison):
    """The targets with cases of a comparison, GPUs first; generated code has no figures to compare variants by."""
    targets = dict.fromkeys(text_of(entry, "target") for entry in run.list("cases")
                            if comparison_of(entry) == comparison and not is_code(text_of(entry, "target")))
    return sorted(targets, key=lambda target: target == MODEL_KEY)


def quotient(above, below):
    """A finite quotient; None if there is none."""
    if above is None or below is None or below == 0:
        return None
    return above / below if math.isfinite(above / below) else None


def positive(value):
    return value if value is not None and math.isfinite(value) and value > 0 else None


class Table:
    """A target's measurements of a comparison; Failure if an id is not a case's, or appears twice."""

    def __init__(self, run, comparison, target):
        self.run, self.comparison, self.target = run, comparison, target
        self.counted = target == MODEL_KEY
        self.columns = MODEL_COLUMNS if self.counted else GPU_COLUMNS
        self.rows = []
        limits = member(run.object("provenance").get(target), "limits")
        self.copy_limit = positive(number_of(limits, "copy_bytes_per_second"))
        self.operation_limit = positive(number_of(limits, "operations_per_second"))
        self.bus_limit = positive(number_of(limits, "bus_bytes_per_second"))
        self._take_cases()
        self._make_rows()
        self._set_figures()

    def _entries(self, key):
        return [entry for entry in self.run.list(key) if comparison_of(entry) == self.comparison
                and text_of(entry, "target") == self.target and "/" in text_of(entry, "case")]

    def _take_cases(self):
        entries = self._entries("cases")
        measured = [parse_case(entry, entry["case"]) for entry in entries if was_measured(entry) and filter_takes(entry["case"])]
        # Variants have the comparison's order, which cases that were only checked also show.
        named = {case.variant for case in measured}
        self.variants = list(dict.fromkeys(found.variant for found in (parse_case_id(entry["case"]) for entry in entries)
                                           if found and found.variant in named))
        for case in measured:
            case.why = text_of(case.entry, "why")
        groups = {case.group() for case in measured}
        self.cases = measured
        for entry in self._entries("refused"):
            if filter_takes(entry["case"]):
                case = parse_case(None, entry["case"])
                case.why = text_of(entry, "why")
                if case.variant in named and case.group() in groups:
                    self.cases.append(case)

    def _make_rows(self):
        launches, groups = {}, {}
        for case in self.cases:
            launches.setdefault((case.variant, case.group()), set()).add(case.others)
            groups.setdefault(case.group(), []).append(case)
        for cases in groups.values():
            several = dict.fromkeys(case.others for case in cases if len(launches[case.variant, case.group()]) > 1)
            rows = {others: Row(0, cases[0].size, others, cases[0].first_axis + others) for others in several}
            if not rows:
                shared = {case.launch for case in cases}
                rows = {None: Row(0, cases[0].size, None, shared.pop() if len(shared) == 1 else cases[0].first_axis)}
            first = next(iter(rows.values()))
            for row in rows.values():
                row.number = len(self.rows)
                self.rows.append(row)
            for case in cases:
                case.row = rows.get(case.others, first)
                if case.variant in case.row.cases:
                    raise Failure(f"{case.id} appears twice in the results of {self.target}: {REMEDY}")
                case.row.cases[case.variant] = case
        order = {variant: number for number, variant in enumerate(self.variants)}
        self.cases.sort(key=lambda case: (case.row.number, order[case.variant]))

    def _set_figures(self):
        for case in self.cases:
            if case.entry is not None and not case.is_wrong():
                known = self._counts(case) if self.counted else self._times(case)
                case.figures = {name: value for name, value in known.items() if value is not None and math.isfinite(value)}
        references = {}
        for row in self.rows if self.variants else ():
            first = row.cases.get(self.variants[0])
            if first is not None:
                references.setdefault(first.group(), first)
        for case in self.cases:
            first = case.row.cases.get(self.variants[0]) or references.get(case.group())
            if first is not None:
                self._set_ratios(case, first)

    def _set_ratios(self, case, first):
        """A wrong case has no figures, and so no ratios."""
        if self.counted:
            ratios = {f"{name}_of_first": quotient(case.figures.get(name), first.figures.get(name)) for name in COUNTERS}
        else:
            ratios = {ratio: quotient(first.figures.get(time), case.figures.get(time))
                      for ratio, time in (("speedup", "time_ns"), ("cold_speedup", "cold_time_ns"))}
        case.figures.update({name: value for name, value in ratios.items() if value is not None})

    @staticmethod
    def _counts(case):
        metrics = case.entry["metrics"]
        counts = {name: number_of(member(metrics, name), "value") for name in COUNTERS}
        known = {name: value for name, value in counts.items() if math.isfinite(value)}
        return {**known, **{name: quotient(known.get(above), known.get(below)) for name, (above, below) in RATIOS.items()}}

    def _times(self, case):
        metrics, work = case.entry["metrics"], member(case.entry, "work")
        time, kernel = member(metrics, "time_ns"), member(case.entry, "kernel")
        case.clock = text_of(time, "clock")
        figures = {"time_ns": positive(number_of(time, "value")), "time_low_ns": number_of(time, "low"),
                   "time_high_ns": number_of(time, "high"),
                   "cold_time_ns": positive(number_of(member(metrics, "cold_time_ns"), "value")),
                   "operations": number_of(work, "operations"), "bytes": number_of(work, "bytes"),
                   **{name: number_of(kernel, name) for name in KERNEL_FIGURES}}
        figures["bandwidth_gb_per_s"] = positive(quotient(figures["bytes"], figures["time_ns"]))
        figures["arithmetic_gflop_per_s"] = positive(quotient(figures["operations"], figures["time_ns"]))
        figures["share_of_limit"] = self._share(case, figures) if kernel is not None else None
        return figures

    def limits_ns(self, figures):
        """The times that the job's minimum bytes, and its operations, take at the GPU's limits; None if unknown."""
        return [quotient(1e9 * figures[name], limit) if name in figures else None
                for name, limit in (("bytes", self.copy_limit), ("operations", self.operation_limit))]

    def _share(self, case, figures):
        """The time of the job's minimum bytes and operations at the GPU's limits, as a fraction of the measured
        time. None for a copy that starts no kernel, or for pages that come from the host, since the bus limits
        these."""
        taken = figures["cold_time_ns"] or figures["time_ns"]
        moving, computing = self.limits_ns(figures)
        if case.clock == "first_touch" or None in (taken, moving, computing):
            return None
        case.limited_by = "operations" if computing > moving else "bytes"
        return max(moving, computing) / taken

    def has_launches(self):
        return any(row.launch != "-" for row in self.rows)

    def shown_variants(self, column):
        """The variants that have a figure in a column, or would have one if they were right."""
        shown = {case.variant for case in self.cases
                 if case.entry is not None and (case.is_wrong() or column.name in case.figures)}
        return [variant for variant in self.variants if variant in shown]

    def shown_columns(self):
        """The columns with a title and figures; a counter that is always 0 is left out."""
        return [column for column in self.columns
                if column.title and any(case.figures.get(column.name, 0) != 0 for case in self.cases)]

    def grid(self, column):
        """One column as texts: the header, and one list per row; launches if there are any, then variants."""
        variants, launches = self.shown_variants(column), self.has_launches()
        return [["size", "launch"][:1 + launches] + variants] + [
            [row.size, row.launch][:1 + launches] + [self.cell(row.cases.get(variant), column) for variant in variants]
            for row in self.rows]

    def cell(self, case, column):
        """A case's figure in a column, with that of the bracketed column, or its replacement. The first variant
        needs no ratio to itself, and 0 none to anything."""
        if case is None:
            return "-"
        if case.entry is None or case.is_wrong():
            return case.verdict()
        if column.name not in case.figures:
            return "-"
        text, ratio = cell_of(case.figures[column.name], column.form), self._ratio(case, column)
        return f"{text} ({cell_of(ratio, TIMES)})" if ratio > 0 else text

    def _ratio(self, case, column):
        return 0 if case.variant == self.variants[0] else case.figures.get(column.bracketed, 0)

    def title(self, column):
        """A column's title, and what the figures in brackets are ratios of: more is faster for times, more work for counters."""
        if not any(self._ratio(case, column) > 0 for case in self.cases):
            return column.title
        return f"{column.title}; in brackets the {'speed' if column.form == MICROSECONDS else 'count'} relative to {self.variants[0]}"


def cell_of(value, form):
    if form == TIMES:
        return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3}f}×"
    if form == PERCENT:
        return show_percent(value)
    return show_figure(value / 1000 if form == MICROSECONDS else value)


def tables_of(run, comparison, target=None):
    """The tables of a comparison that have any case; for one target, or for all."""
    tables = [Table(run, comparison, name) for name in targets_of(run, comparison) if target in (None, name)]
    return [table for table in tables if table.cases]


def comparisons_of(run):
    return list(dict.fromkeys(map(comparison_of, run.list("cases"))))


def packed(table):
    """A table as JSON."""
    names = [column.name for column in table.columns]
    cases = []
    for case in table.cases:
        texts = {"case": case.id if case.entry is not None else "", "why": case.why, "clock": case.clock,
                 "limited_by": case.limited_by}
        cases.append({"variant": case.variant, "size": case.size, "launch": case.launch, "verdict": case.verdict(),
                      **{key: text for key, text in texts.items() if text},
                      "figures": {name: case.figures[name] for name in names if name in case.figures}})
    limits = {"copy_bytes_per_second": table.copy_limit, "operations_per_second": table.operation_limit,
              "bus_bytes_per_second": table.bus_limit}
    return {"comparison": table.comparison, "target": table.target, "cases": cases,
            **{key: limit for key, limit in limits.items() if limit is not None}}
