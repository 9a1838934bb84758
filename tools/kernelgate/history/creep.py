# SPDX-License-Identifier: MIT
"""kernelgate history creep: slowdowns that each new baseline accepted, of which none was beyond its limit and the sum is.

A case's runs are divided by the baseline that judged them. A step from one baseline to the next beyond its limit, up or down,
was seen by a gate, so that the sum starts again after it. Times are of one GPU model, since a target is one. The interval is that
of what was measured: medians of the runs that the first and the last baseline judged, the low end from the last one's low and the
first one's high, as `kernelgate compare` has it."""

import math
import statistics
from dataclasses import dataclass

from kernelgate.base.columns import Column, Figure, Table
from kernelgate.base.command_line import add_format, print_output
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.json_io import json_text, number_of
from kernelgate.base.results import KEPT
from kernelgate.base.run_facts import short_commit
from kernelgate.history.show import add_choice, limit_of, load_series

COLUMNS = (Column("case"), Column("metric"), Column("target"), Column("steps", right=True), Column("first baseline", right=True),
           Column("since"), Column("last baseline", right=True), Column("sum", right=True), Column("limit", right=True),
           Column("measured", right=True), Column("interval", right=True))


@dataclass
class Period:
    """Runs that one baseline judged, one after the other."""

    baseline: float
    limit: float
    points: list

    def median(self, key):
        """The median of a bound of the runs' values, or of the values where bounds are not known."""
        return statistics.median(value if math.isnan(bound) else bound for bound, value in (
            (number_of(point.figures, key), point.value) for point in self.points))

    def exceeds(self, other, limit):
        """Whether it is off another one by more than a limit, up or down."""
        return abs(math.log(self.baseline / other.baseline)) > math.log1p(limit) + 1e-12


def periods_of(series):
    found = []
    for point in series.points:
        baseline, limit = number_of(point.figures, "baseline"), limit_of(point.figures)
        if not (baseline > 0 and limit >= 0 and point.value > 0) or point.figures.get("gated") is False:
            continue
        if not found or found[-1].baseline != baseline:
            found.append(Period(baseline, limit, []))
        found[-1].limit = limit
        found[-1].points.append(point)
    return found


def creep_of(series):
    """The periods since the last step that a gate saw, where their sum is beyond the last limit; else none."""
    periods = periods_of(series) if series.metric != KEPT else []
    begin = 0
    for number in range(1, len(periods)):
        if periods[number].exceeds(periods[number - 1], periods[number].limit):
            begin = number
    found = periods[begin:]
    return found if len(found) > 2 and found[-1].baseline > found[0].baseline and found[-1].exceeds(found[0], found[-1].limit) else []


def entry_of(series, periods):
    first, last = periods[0], periods[-1]
    change = {"value": last.median("value") / first.median("value") - 1, "low": last.median("low") / first.median("high") - 1,
              "high": last.median("high") / first.median("low") - 1}
    return {"case": series.case, "target": series.target, "metric": series.metric, "steps": len(periods) - 1,
            "first": {"baseline": first.baseline, "commit": short_commit(first.points[0].run.facts)},
            "last": {"baseline": last.baseline, "commit": short_commit(last.points[-1].run.facts)},
            "sum": last.baseline / first.baseline - 1, "limit": last.limit, "measured": change,
            "baselines": [{"baseline": period.baseline, "limit": period.limit, "runs": len(period.points),
                           "commit": short_commit(period.points[0].run.facts)} for period in periods]}


def _cells(entry):
    unit, measured = unit_of(entry["metric"]), entry["measured"]
    yield from (entry["case"], entry["metric"], entry["target"], str(entry["steps"]))
    yield Figure(show_figure(entry["first"]["baseline"], unit), entry["first"]["baseline"])
    yield entry["first"]["commit"]
    yield Figure(show_figure(entry["last"]["baseline"], unit), entry["last"]["baseline"])
    yield from (Figure(show_percent(value, sign), value) for value, sign in ((entry["sum"], True), (entry["limit"], False),
                                                                           (measured["value"], True)))
    yield f"{show_percent(measured['low'], True)} to {show_percent(measured['high'], True)}"


def add_arguments(parser):
    add_choice(parser, None)
    add_format(parser)
    parser.epilog = """\
Of each gated metric, across the baselines that judged its runs: where each step was
within its limit and their sum is beyond the last one, worst first. measured: the median
of the last baseline's runs against that of the first one's. An exact counter has no
limit to creep within.

exit: 0 none; 1 some; 2 no history, nothing chosen, or a damaged file
"""


def main(options):
    series = load_series(options, options.last)
    found = [entry_of(one, periods) for one in series for periods in [creep_of(one)] if periods]
    found.sort(key=lambda entry: -entry["sum"])
    if options.format == "json":
        print_output("history creep", json_text({"schema": "kernelgate-creep/1", "metrics": len(series), "creeping": found}))
    else:
        table = Table(COLUMNS, [list(_cells(entry)) for entry in found]).format(options.format) if found or options.format == "csv" else ""
        after = "" if options.format == "csv" else f"{len(found)} of {plural(len(series), 'metric')} crept beyond the limit\n"
        print_output("history creep", "\n".join(filter(None, (table, after))))
    return 1 if found else 0
