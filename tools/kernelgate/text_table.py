"""Tables of cells as text, Markdown or CSV, how figures are shown in them, and the option that chooses the format."""

import difflib
import math
import os
import re
import sys
from dataclasses import dataclass

from common import Failure, Option

FORMATS = ("text", "markdown", "csv", "json")
FORMAT_OPTION = Option("--format", "FORMAT", "text (the default), markdown, csv or json")
GROUPED = 1e15  # from here on a figure has an exponent: nobody reads so many groups of digits
UNKNOWN = "–"

# What has no width, ends a line, or changes the direction of writing.
_HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_UNPRINTABLE = re.compile("[\ud800-\udfff\ufffe\uffff]")
_COMMAND = re.compile("^([^!-~]*)::")
_MARKUP = re.compile(r"[\\`*_\[\]|~#@!$]")

_GREEN, _RED, _YELLOW, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
_COLORS = {**dict.fromkeys(("pass", "faster", "ok"), _GREEN),
           **dict.fromkeys(("slower", "wrong", "error", "lacks", "beyond the limit"), _RED),
           **dict.fromkeys(("noisy", "environment", "no-baseline"), _YELLOW)}


def parse_format(command, options, formats=FORMATS):
    """The format by --format, and by --json, which is short for --format json."""
    asked = options["format"]
    if options["json"] and asked not in (None, "json"):
        raise Failure(f"{command}: --json and --format {asked} are two formats: give one")
    if options["json"] or asked is None:
        return "json" if options["json"] else "text"
    if asked not in formats:
        nearest = difflib.get_close_matches(asked, formats, 1)
        known = f"{', '.join(formats[:-1])} or {formats[-1]}"
        raise Failure(f'{command}: there is no format "{asked}"' + (f"; did you mean {nearest[0]}" if nearest else "")
                      + f": use {known}")
    return asked


def clean(text):
    """A text of any origin on one line that steers neither a terminal nor a CI runner."""
    text = _UNPRINTABLE.sub("\ufffd", _HIDDEN.sub(" ", text))
    return _COMMAND.sub(r"\1: ", text.replace("##[", "# ["), count=1)


def metric_unit(metric):
    """The unit of a metric, by the end of its name: "ns" for a time, "" for a count."""
    return "ns" if metric.endswith("_ns") and len(metric) > 3 else ""


def _grouped(value, decimals):
    return f"{value:,.{decimals}f}".replace(",", " ")


def show_figure(value, unit=""):
    """A figure with its thousands grouped and as many decimals as matter: "47 980 ns", "3.652 ns"."""
    if not math.isfinite(value):
        return "unknown"
    size = abs(value)
    if size >= GROUPED:
        text = f"{value:.6g}"
    else:
        text = _grouped(value, 0 if size == math.floor(size) or size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3)
    return f"{text} {unit}" if unit else text


def show_percent(fraction, sign=False):
    """A fraction in percent, 0.0631 as "6.3 %"; below 0.1 % with two significant digits."""
    if not math.isfinite(fraction):
        return "unknown"
    percent = 100.0 * fraction
    size = abs(percent)
    if size >= GROUPED:
        text = f"{percent:.3g}"
    else:
        text = _grouped(percent, 0 if size >= 100 else int(min(9, 1 - math.floor(math.log10(size)))) if 0 < size < 0.1 else 1)
    return f"{'+' if sign and percent > 0 else ''}{text} %"


def _exact(figure):
    """A figure in as few digits as read back as the same one; "" for NaN."""
    if math.isnan(figure):
        return ""
    return f"{figure:.0f}" if abs(figure) < 1e16 and figure == math.floor(figure) else repr(figure)


@dataclass(frozen=True)
class Column:
    title: str
    right: bool = False
    csv_only: bool = False  # elsewhere a heading says it


@dataclass(frozen=True)
class Figure:
    """A cell that CSV has in full; NaN is an empty field."""

    shown: str
    exact: float


def _wants_color():
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    if environment.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and environment.get("TERM") != "dumb"


class Table:
    """Rows of cells, each a text or a Figure. `colored` is the title of a column of verdicts, which a terminal shows in color."""

    def __init__(self, columns, colored=None):
        self._columns = columns
        self._colored = colored
        self.rows = []

    def add(self, *cells):
        self.rows.append(cells)

    def format(self, form):
        """The table as lines of "text", "markdown" or "csv"."""
        return "".join(f"{line}\n" for line in {"text": self._text, "markdown": self._markdown, "csv": self._csv}[form]())

    def _shown(self):
        """The titles and rows without the columns that only CSV has."""
        places = [place for place, column in enumerate(self._columns) if not column.csv_only]
        yield [self._columns[place].title for place in places]
        for row in self.rows:
            yield [clean(cell.shown if isinstance(cell, Figure) else cell) for cell in (row[place] for place in places)]

    def _text(self):
        columns = [column for column in self._columns if not column.csv_only]
        rows = list(self._shown())
        widths = [max(len(row[place]) for row in rows) for place in range(len(columns))]
        colors = _COLORS if self._colored and _wants_color() else {}
        for number, row in enumerate(rows):
            line = ""
            for column, width, cell in zip(columns, widths, row):
                padding = " " * (width - len(cell))
                color = colors.get(cell) if number and column.title == self._colored else None
                text = f"{color}{cell}{_PLAIN}" if color else cell
                line += (padding + text if column.right else text + padding) + "  "
            yield line.rstrip()

    def _markdown(self):
        rows = self._shown()
        yield f"| {' | '.join(next(rows))} |"
        yield f"| {' | '.join('---:' if column.right else '---' for column in self._columns if not column.csv_only)} |"
        for row in rows:
            yield f"| {' | '.join(escape_markdown(cell) for cell in row)} |"

    def _csv(self):
        for row in ([column.title for column in self._columns], *self.rows):
            fields = [clean(_exact(cell.exact) if isinstance(cell, Figure) else cell) for cell in row]
            yield ",".join('"{}"'.format(field.replace('"', '""')) if "," in field or '"' in field else field for field in fields)


def escape_markdown(text):
    """A text that Markdown shows as it is, in a table too."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", text)
