# SPDX-License-Identifier: MIT
"""kernelgate history show: a case's metrics over the runs of a history."""

import math
import time

from kernelgate.base.columns import Column, Figure, Table
from kernelgate.base.command_line import add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import known_figure, known_percent, plural, unit_of
from kernelgate.base.json_io import json_text, number_of, text_of
from kernelgate.base.run_facts import short_commit
from kernelgate.history.database import Database, add_database, path_of
from kernelgate.history.series import History

LAST = 30
BARS = "▁▂▃▄▅▆▇█"
COLUMNS = (Column("case", csv_only=True), Column("metric", csv_only=True), Column("target", csv_only=True), Column("commit"), Column("run"),
           Column("branch"), Column("host"), Column("value", right=True), Column("low", csv_only=True), Column("high", csv_only=True),
           Column("baseline", right=True), Column("change", right=True), Column("limit", right=True), Column("verdict"))
OVERVIEW = (Column("case"), Column("metric"), Column("target"), Column("runs", right=True), Column("first", right=True),
            Column("last", right=True), Column("change", right=True), Column("verdict"), Column("from least to most"))


def sparkline(values):
    """A bar for each value, from the least to the greatest; a dot for one that is not known."""
    known = [value for value in values if math.isfinite(value)]
    low, span = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)
    return "".join(BARS[round((value - low) / span * (len(BARS) - 1)) if span else 0] if math.isfinite(value) else "·"
                   for value in values)


def change_of(before, after):
    return after / before - 1 if before > 0 else math.nan


def limit_of(figures):
    """The slowdown that would have been seen, as a fraction: the limit, or what a floor makes of it."""
    return max(number_of(figures, "limit"), number_of(figures, "smallest")) if "smallest" in figures else number_of(figures, "limit")


def moment(run):
    """When a run began, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.at))


def _figure(value, unit):
    return Figure(known_figure(value, unit) or "-", value)


def _percent(value, sign=False):
    return Figure(known_percent(value, sign) or "-", value)


def cells_of(series, point):
    unit, figures = unit_of(series.metric), point.figures
    baseline = number_of(figures, "baseline")
    yield from (series.case, series.metric, series.target, short_commit(point.run.facts) or "-",
                moment(point.run), point.run.branch or "-", text_of(point.run.facts, "host") or "-")
    yield _figure(point.value, unit)
    yield from (Figure("", number_of(figures, key)) for key in ("low", "high"))
    yield _figure(baseline, unit)
    yield _percent(change_of(baseline, point.value), True)
    yield _percent(limit_of(figures))
    yield point.verdict


def table_of(series):
    return Table(COLUMNS, [list(cells_of(found, point)) for found in series for point in found.points], colored="verdict")


def overview(series):
    """A line for each series."""
    table = Table(OVERVIEW, colored="verdict")
    for found in series:
        unit, values = unit_of(found.metric), [point.value for point in found.points]
        known = [value for value in values if math.isfinite(value)]
        table.add(found.case, found.metric, found.target, str(len(values)), _figure(known[0], unit), _figure(known[-1], unit),
                  _percent(change_of(known[0], known[-1]), True), found.points[-1].verdict, sparkline(values))
    return table


def moved(series, metric):
    """Times, what moved, and what --metric names."""
    return [found for found in series if metric or found.moves or unit_of(found.metric)]


def render(series, metric, form):
    """The output: of one series its runs, of several a line each, without the counters that stayed as they were."""
    if form == "csv":
        return table_of(series).format(form)
    if form == "json":
        return json_text({"schema": "kernelgate-history/1", "series": [
            {"case": found.case, "target": found.target, "metric": found.metric, "points": [point.document() for point in found.points]}
            for found in series]})
    shown = moved(series, metric)
    lines = overview(shown).format(form) if shown else ""
    if len(series) > len(shown):
        gap = "\n" if shown else ""
        lines += f"{gap}{plural(len(series) - len(shown), 'metric')} that never moved: --metric NAME shows one\n"
    return f"{lines}\n{table_of(shown).format(form)}" if len(shown) == 1 else lines


def add_choice(parser, last):
    """The arguments that choose cases, runs, targets and metrics."""
    parser.add_argument("case", nargs="?", metavar="GLOB", help="only these cases; * also matches slashes, a comma separates globs")
    parser.add_argument("--metric", metavar="NAME", help="only this metric, such as time_ns (default: all)")
    parser.add_argument("--target", metavar="GLOB", help="only these targets, such as nvidia-h200 (default: all)")
    parser.add_argument("--branch", metavar="NAME", help="only the runs of this branch (default: all)")
    parser.add_argument("--last", metavar="N", type=_count, default=last, help=f"only the last N runs of a case (default: {last or 'all'})")
    add_database(parser)


def _count(text):
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**31:
        raise Failure(f"history: --last {text}: is not a number of runs: give 1 or more")
    return int(text)


def load_series(options, last, commit=None):
    """The chosen series. Failure if there is none."""
    database = Database(path_of(options))
    history = History(database, options.branch, last, commit)
    found = list(history.series(history.cases(options.case), history.targets(options.target), options.metric))
    database.close()
    if not found:
        raise Failure(f"{path_of(options)}: no run has figures of {options.case or 'any case'}"
                      + "".join(f", --{name} {value}" for name, value in (("metric", options.metric), ("target", options.target),
                                                                         ("branch", options.branch), ("commit", commit)) if value)
                      + ": choose others")
    return found


def add_arguments(parser):
    add_choice(parser, LAST)
    add_format(parser)
    parser.epilog = """\
Of one metric of a case every run, with baseline, limit and verdict; of several a line
each. Commits come in the order of git's first parents (of --branch, else of HEAD) where
this folder's repository has them, else runs come by time.

exit: 0 printed; 2 no history, nothing chosen, or a damaged file
"""


def main(options):
    print_output("history show", render(load_series(options, options.last), options.metric, options.format))
