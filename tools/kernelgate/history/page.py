"""kernelgate history page: a page of a history, one file without scripts: each metric over the commits, with its baseline and its
limit."""

import os

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import known_figure, known_percent, show_figure, unit_of
from kernelgate.base.json_io import number_of, text_of
from kernelgate.base.run_facts import short_commit
from kernelgate.base.text import clean
from kernelgate.history.show import add_choice, change_of, limit_of, load_series, moment
from kernelgate.report import plots
from kernelgate.report.page import FOLDER as REPORT
from kernelgate.report.printers import save

LAST = 100
MOST = 400  # plots; of more metrics nobody reads a page
WIDTH, HEIGHT, MARGIN = 720, 120, 6


def _plot_of(series):
    """The values, the baseline and the limit over the runs; {} where fewer than two are known."""
    points = series.points
    plot = plots.begin("lines", series.metric, "commit", unit_of(series.metric), [short_commit(point.run.facts) for point in points])
    baselines = [number_of(point.figures, "baseline") for point in points]
    limits = [baseline * (1 + limit_of(point.figures)) for baseline, point in zip(baselines, points)]
    for style, (name, values) in enumerate((("value", [point.value for point in points]), ("baseline", baselines), ("limit", limits))):
        plots.add_series(plot, name, style, [value if value >= 0 else None for value in values])
    return next(iter(plots.finish(plot)), {})


def draw(plot):
    """The polylines of a plot in the page's units, and those of its axis: from zero, unless the least value is above half of the
    greatest, whose moves could not be seen."""
    figures = list(plots.figures_in(value for series in plot["series"] for value in series["values"]))
    low = min(figures) if 2 * min(figures) > max(figures) else 0.0
    span = max(figures) - low or 1.0

    def place(number, value):
        across = number / max(1, len(plot["places"]) - 1)
        return f"{MARGIN + across * (WIDTH - 2 * MARGIN):.1f},{HEIGHT - MARGIN - (value - low) / span * (HEIGHT - 2 * MARGIN):.1f}"

    lines = {series["name"]: [(number, place(number, value)) for number, value in enumerate(series["values"]) if value is not None]
             for series in plot["series"]}
    return {"lines": lines, "low": show_figure(low, plot["value_title"]), "high": show_figure(max(figures), plot["value_title"])}


def _row(series):
    unit, last = unit_of(series.metric), series.points[-1]
    known = [point for point in series.points if point.figures]
    plot = _plot_of(series)
    tips = [f"{short_commit(point.run.facts)} {moment(point.run)} {text_of(point.run.facts, 'host')}: {known_figure(point.value, unit)} "
            f"{point.verdict}" for point in series.points]
    return {"case": series.case, "metric": series.metric, "target": series.target, "runs": len(series.points), "verdict": last.verdict,
            "last": known_figure(known[-1].value, unit), "baseline": known_figure(number_of(known[-1].figures, "baseline"), unit),
            "change": known_percent(change_of(known[0].value, known[-1].value), True), "limit": known_percent(limit_of(known[-1].figures)),
            "commit": short_commit(last.run.facts), "plot": draw(plot) if plot else None, "tips": list(map(clean, tips)),
            "verdicts": [point.verdict for point in series.points]}


def write(series):
    import jinja2  # pylint: disable=import-outside-toplevel # no other command needs it, and the manual page imports all
    shown = [one for one in series if one.moves or unit_of(one.metric)]
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader([folder, REPORT]), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html").render(
        rows=list(map(_row, shown[:MOST])), left_out=max(0, len(shown) - MOST), unmoved=len(series) - len(shown), width=WIDTH, height=HEIGHT)


def add_arguments(parser):
    parser.add_argument("case", nargs="?", metavar="GLOB", help="only these cases; * also matches slashes, a comma separates globs")
    add_choice(parser, LAST)
    parser.add_argument("--output", metavar="FILE", help="write it to this file (default: the standard output)")
    parser.epilog = """\
Counters that stayed as they were are left out.

exit: 0 printed or written; 2 no history, nothing chosen, or a damaged file
"""


def main(options):
    text = write(load_series(options, options.last))
    if options.output is None:
        print_output("history page", text)
        return
    try:
        save(options.output, text)
    except Failure as failure:
        raise Failure(f"history page: {failure}") from None
