# SPDX-License-Identifier: MIT
"""The plots of a run's page, in page.js's form: {"kind": "lines" or "bars", "title", "place_title", "value_title",
"places": [name], "series": [{"name", "style" (from 0), "values": [a number or null for each place]}], "marks": [], and for a
logarithmic axis "log_from", its beginning}. "curves" (axes from zero) and "points" (logarithmic axes) have no places, but
"points": [[x, y, name]] in each series and mark. Samples are strips, which the template draws."""

import collections
import math
import os
import re
import statistics

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.figures import show_figure, unit_of
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import is_number, list_of, member, number_of, object_of, text_of
from kernelgate.report.comparisons import MICROSECONDS, quotient
from kernelgate.base.results import RANKS, items, verdict_of
from kernelgate.base.text import clean

CHART_JS = "/usr/share/javascript/chart.js/chart.min.js"
LONGEST_HEADER = 200  # how far into the file its name is searched
STYLES = 8  # colors and shapes of series; page.css has the colors --s1 to --s8
MOST = 8  # per table or case
MOST_LINES = 32  # a plot of more variants cannot be read, and takes the square of their number
WIDEST_LINEAR = 20  # a wider range has a logarithmic axis,
LOWEST_BAR = 0.8  # which begins at a power of ten below this fraction of the least value
SAMPLES_SHOWN = 100  # of a process


def read_chart_js():
    """The path of Chart.js, its name with the version, and its text, in which nothing may end its HTML element."""
    path = os.environ.get("KG_CHART_JS") or CHART_JS
    if not os.path.exists(path):
        raise Failure(f"Chart.js is not at {path}: apt-get install libjs-chart.js")
    with os_errors_as(f"{path}: cannot be read", "check its permissions"), open_regular(path) as file:
        text = file.read().decode("utf-8", "replace")
    name = re.search(r"Chart\.js v3\..*", text[:LONGEST_HEADER])
    if name is None or "</script" in text.lower() or "<!--" in text or "\ufffd" in text:
        raise Failure(f"{path}: not a file of Chart.js 3: name one by KG_CHART_JS")
    return path, name[0], text


def begin(kind, title, place_title, value_title, places=()):
    return {"kind": kind, "title": clean(title), "place_title": place_title, "value_title": value_title,
            "places": [clean(place) for place in places], "series": [], "marks": []}


def add_series(plot, name, style, values):
    plot["series"].append({"name": clean(name), "style": style % STYLES, "values": values})


def finish(plot):
    """The plot in a list, without series that have no figure; empty if it would show a single one."""
    plot["series"] = [series for series in plot["series"] if set(series["values"]) - {None}]
    figures = [value for series in plot["series"] for value in series["values"] if value is not None]
    if len(figures) < 2:
        return []
    if min(figures) > 0 and max(figures) > WIDEST_LINEAR * min(figures):
        plot["log_from"] = 10.0 ** math.floor(math.log10(LOWEST_BAR * min(figures)))
    return [plot]


def elements_of(size):
    """The product of the numbers in a size."""
    return math.prod(float(digits) for digits in re.findall("[0-9]+", size))


class Sizes:
    """The rows of a table by size, from small to large."""

    def __init__(self, table):
        self.table = table
        self.rows = {}
        for row in table.rows:
            self.rows.setdefault(row.size, []).append(row)
        self.names = sorted(self.rows, key=elements_of)

    def best(self, name):
        """The case with the least figure of each size and variant that has one."""
        cases = {}
        for row in self.table.rows:
            for variant, case in row.cases.items():
                if name in case.figures:
                    cases.setdefault((row.size, variant), []).append(case)
        return {key: min(found, key=lambda case: case.figures[name]) for key, found in cases.items()}


def column_of(table, name):
    return next(column for column in table.columns if column.name == name)


def value_of(case, column):
    """A figure in the unit of its plot."""
    if case is None or column.name not in case.figures:
        return None
    return case.figures[column.name] * (1e-3 if column.form == MICROSECONDS else 1)


def add_points(plot, table, sizes, best, point_of):
    """A series of points for each variant, from small sizes to large: [x, y, name] by point_of(size, case), None leaves one out."""
    for style, variant in enumerate(table.variants):
        points = [point_of(size, best[size, variant]) for size in sizes.names if (size, variant) in best]
        points = [point for point in points if point]
        if points:
            plot["series"].append({"name": clean(variant), "style": style % STYLES, "points": points})
    return sum(len(series["points"]) for series in plot["series"]) > 1


def time_by_size(table, sizes):
    """The hot time over the size on axes from zero, each variant at its best launch, and the limit. The axis has the size itself
    if that is one number, else its product."""
    if len(table.variants) > MOST_LINES or len(sizes.names) < 2:
        return []
    single = all(name.isdecimal() for name in sizes.names)
    plot = begin("curves", "Time by size, hot, at the fastest launch", "size" if single else "elements: the product of the size", "µs")
    best, column = sizes.best("time_ns"), column_of(table, "time_ns")
    shown = add_points(plot, table, sizes, best, lambda size, case: [elements_of(size), value_of(case, column), clean(size)])
    limits = {}
    for (size, _), case in best.items():
        known = [time for time in table.limits_ns(case.figures) if time]
        if known:
            limits.setdefault(size, [elements_of(size), max(known) / 1e3])
    if len(limits) > 1:
        plot["marks"].append({"name": "limit of the GPU", "points": sorted(limits.values())})
    return [plot] if shown and len({point[0] for series in plot["series"] for point in series["points"]}) > 1 else []


def roofline(table, sizes):
    """Arithmetic over operations per byte, each variant at its best launch of each size, below the rates that the GPU copies and
    computes at (Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009). None for a table in which tensor cores exceed that rate,
    which is of fp32."""
    if table.copy_limit is None or table.operation_limit is None or len(table.variants) > MOST_LINES:
        return []

    def point_of(_, case):
        intensity = quotient(case.figures.get("operations"), case.figures.get("bytes"))
        known = intensity and "arithmetic_gflop_per_s" in case.figures
        return [intensity, case.figures["arithmetic_gflop_per_s"], clean(case.name())] if known else None

    plot = begin("points", "Roofline, hot, at the fastest launch", "operations per byte", "GFLOP/s")
    if not add_points(plot, table, sizes, sizes.best("time_ns"), point_of):
        return []
    points = [point for series in plot["series"] for point in series["points"]]
    if max(rate for _, rate, _ in points) > 1e-9 * table.operation_limit:
        return []
    ridge = table.operation_limit / table.copy_limit
    places = [ridge, *(place for place, *_ in points)]
    left, right = min(places) / 2, max(places) * 2
    plot["marks"].append({"name": "limit of the GPU", "points": [[left, 1e-9 * left * table.copy_limit], [ridge, 1e-9 * table.operation_limit],
                                                                 [right, 1e-9 * table.operation_limit]]})
    return [plot]


def by_launch(table, sizes):
    """The hot time over the launches of the size with the most launches, the last of such sizes."""
    column = column_of(table, "time_ns")
    counts = {size: sum(any("time_ns" in case.figures for case in row.cases.values()) for row in sizes.rows[size])
              for size in sizes.names}
    size = max(reversed(sizes.names), key=counts.get)
    if counts[size] < 2:
        return []
    rows = sizes.rows[size]
    plot = begin("lines", f"Time by launch, hot, at size {size}", "launch", "µs",
                 [row.launch for row in rows])
    for style, variant in enumerate(table.variants):
        add_series(plot, variant, style, [value_of(row.cases.get(variant), column) for row in rows])
    return finish(plot)


def side_by_side(table, sizes):
    """Hot and cold times of the variants, each at its fastest launch, at the last size that most variants have."""
    best = sizes.best("time_ns")
    counts = collections.Counter(size for size, _ in best)
    size = max(reversed(sizes.names), key=counts.__getitem__)
    best = [best[size, variant] for variant in table.variants if (size, variant) in best]
    plot = begin("bars", f"Variants side by side at size {size}", "", "µs", [case.variant for case in best])
    for style, (title, name) in enumerate((("hot in the caches", "time_ns"), ("cold from device memory", "cold_time_ns"))):
        add_series(plot, title, style, [value_of(case, column_of(table, name)) for case in best])
    return finish(plot)


def of_counter(table, column):
    """One counter's bars, one per variant, at the last row that most variants have; nothing if all are equal."""
    row = max(reversed(table.rows), key=lambda row: sum(column.name in case.figures for case in row.cases.values()))
    bars = [(variant, value) for variant, value in
            ((variant, value_of(row.cases.get(variant), column)) for variant in table.variants) if value is not None]
    if len({value for _, value in bars}) < 2:
        return []
    plot = begin("bars", f"{column.title} at {row.size}/{row.launch}", "", "", [variant for variant, _ in bars])
    add_series(plot, column.title, 0, [value for _, value in bars])
    return finish(plot)


def of_table(table):
    """For GPUs, time by size and by launch, variants side by side, and the roofline; for the CPU model, the counters in
    which variants differ."""
    if table.counted:
        return [plot for column in table.shown_columns() for plot in of_counter(table, column)][:MOST]
    sizes = Sizes(table)
    return [
        *time_by_size(table, sizes),
        *by_launch(table, sizes),
        *side_by_side(table, sizes),
        *roofline(table, sizes),
    ]


def numbers_of(entry, key):
    return [value for value in list_of(entry, key) if is_number(value)]


def _strip(name, rows, marks):
    """Rows of dots, (name, values), on one axis from the least to the greatest value; marks are lines across it."""
    shown = [value for _, values in rows for value in values] + list(marks.values())
    low, span = min(shown), max(shown) - min(shown) or 1

    def place(value):
        return round(10 + 980 * (value - low) / span, 1)

    drawn = [{"name": clean(label), "dots": "".join(f"M{place(value)},{4 + 3 * (number % 5)}h0" for number, value in enumerate(values)),
              "middle": place(middle), "figure": show_figure(middle, unit_of(name))}
             for label, values in rows if values or label in marks
             for middle in [marks[label] if label in marks else statistics.median(values)]]
    return {"title": clean(name), "rows": drawn, "marks": {label: place(value) for label, value in marks.items()}}


def strips_of(entry, recorded):
    """The samples of each time of a case that is not right: those of the base's processes and of this build's where pairs
    compared them; else each process's below the sessions that the baseline was recorded in, recorded(metric), and its limit."""
    for name, metric in items(member(entry, "metrics")):
        pairs, baseline = object_of(object_of(entry, "pairs"), name), number_of(metric, "baseline")
        processes = [list(filter(is_number, samples))[:SAMPLES_SHOWN] for samples in list_of(metric, "samples_ns")
                     if isinstance(samples, list)]
        if RANKS[verdict_of(metric)] <= RANKS["no-baseline"]:
            continue
        if numbers_of(pairs, "base_ns") and numbers_of(pairs, "head_ns"):
            yield _strip(name, [(text_of(object_of(entry, "base"), "ref") or "base", numbers_of(pairs, "base_ns")),
                                ("now", numbers_of(pairs, "head_ns"))], {})
        elif any(processes):
            marks = {"baseline": baseline, "limit": baseline * (1 + number_of(metric, "limit"))}
            yield _strip(name, [("baseline", recorded(name)), ("limit", []),
                                *((f"now, process {number}", samples) for number, samples in enumerate(processes, 1))],
                         {label: value for label, value in marks.items() if math.isfinite(value)})
