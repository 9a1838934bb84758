# SPDX-License-Identifier: MIT
"""kernelgate history page: a page of a history, one file without scripts: each metric over the commits, with its baseline and its
limit."""

import os

import jinja2

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import failures_of
from kernelgate.base.figures import show_figure, unit_of
from kernelgate.base.json_io import number_of
from kernelgate.base.run_facts import short_commit
from kernelgate.history.show import add_choice, limit_of, load_series, moved, overview, table_of
from kernelgate.report import plots
from kernelgate.report.page import FOLDER as REPORT
from kernelgate.report.printers import save

LAST = 100
MOST = 400  # metrics; of more nobody reads a page
WIDTH, HEIGHT, MARGIN = 720, 120, 6


def plot_of(series):
    """The values, the baseline and the limit over the runs; None where fewer than two are known."""
    points = series.points
    plot = plots.begin("lines", series.metric, "commit", unit_of(series.metric), [short_commit(point.run.facts) for point in points])
    baselines = [number_of(point.figures, "baseline") for point in points]
    limits = [baseline * (1 + limit_of(point.figures)) for baseline, point in zip(baselines, points)]
    for style, (name, values) in enumerate((("value", [point.value for point in points]), ("baseline", baselines), ("limit", limits))):
        plots.add_series(plot, name, style, [value if value >= 0 else None for value in values])
    return next(iter(plots.finish(plot)), None)


def draw(plot):
    """The lines of a plot in the page's units, each a list of a run's number and its place. The axis begins at zero, unless moves
    could not be seen then: where the least value is above half of the greatest."""
    figures = [value for series in plot["series"] for value in series["values"] if value is not None]
    low = min(figures) if max(figures) / 2 < min(figures) < max(figures) else 0.0
    across, up = (WIDTH - 2 * MARGIN) / max(1, len(plot["places"]) - 1), (HEIGHT - 2 * MARGIN) / (max(figures) - low or 1.0)
    lines = {series["name"]: [(number, round(MARGIN + number * across, 1), round(HEIGHT - MARGIN - (value - low) * up, 1))
                              for number, value in enumerate(series["values"]) if value is not None] for series in plot["series"]}
    return {"lines": lines, "low": show_figure(low, plot["value_title"]), "high": show_figure(max(figures), plot["value_title"])}


def _row(cells, series):
    plot = plot_of(series)
    return {"cells": cells[:-1], "plot": draw(plot) if plot else None, "verdicts": [point.verdict for point in series.points],
            "tips": ["  ".join(shown) for shown in list(table_of([series]).shown())[1:]]}


def write(series, metric):
    shown = moved(series, metric)
    titles, *cells = overview(shown[:MOST]).shown()
    folders = jinja2.FileSystemLoader([os.path.dirname(os.path.abspath(__file__)), REPORT])
    environment = jinja2.Environment(loader=folders, autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html").render(
        titles=titles[:-1], rows=list(map(_row, cells, shown)), left_out=len(shown) - len(cells), unmoved=len(series) - len(shown),
        width=WIDTH, height=HEIGHT)


def add_arguments(parser):
    add_choice(parser, LAST)
    parser.add_argument("--output", metavar="FILE", help="write it to this file (default: the standard output)")
    parser.epilog = """\
Without --metric it has times, and counters that moved.

exit: 0 printed or written; 2 no history, nothing chosen, or a damaged file
"""


def main(options):
    text = write(load_series(options, options.last), options.metric)
    if options.output is None:
        print_output("history page", text)
        return
    with failures_of("history page"):
        save(options.output, text)
