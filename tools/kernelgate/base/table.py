"""Tables of cells as text, Markdown or CSV, and the option that chooses the format."""

import sys
from dataclasses import dataclass
from typing import Union

from kernelgate.base import color
from kernelgate.base.common import Failure, Option, nearest_name
from kernelgate.base.figures import exact
from kernelgate.base.text import clean, csv_field, escape_markdown

FORMATS = ("text", "markdown", "csv", "json")
FORMAT_OPTION = Option("--format", "FORMAT", "text (the default), markdown, csv or json")
UNKNOWN = "–"


def parse_format(command, options, formats=FORMATS, default="text"):
    """The format by --format, and by --json, which is short for --format json."""
    asked = options["format"]
    if options["json"] and asked not in (None, "json"):
        raise Failure(f"{command}: --json and --format {asked} are two formats: give one")
    if options["json"] or asked is None:
        return "json" if options["json"] else default
    if asked not in formats:
        nearest = nearest_name(asked, formats)
        hint = f"; did you mean {nearest}? Use" if nearest else ": use"
        raise Failure(f'{command}: there is no format "{asked}"{hint} {", ".join(formats[:-1])} or {formats[-1]}')
    return asked


@dataclass(frozen=True)
class Column:
    title: str
    right: bool = False
    csv_only: bool = False  # elsewhere a heading says it


@dataclass(frozen=True)
class Figure:
    """A cell that CSV has otherwise: a figure in full, of which NaN is an empty field, or a text."""

    shown: str
    stored: Union[float, str]

    def field(self):
        return self.stored if isinstance(self.stored, str) else exact(self.stored)


class Table:
    """Rows of cells, each a text or a Figure. `colored` is the title of a column of verdicts, which a terminal shows in color."""

    def __init__(self, columns, rows=(), colored=None):
        self._columns = columns
        self._colored = colored
        self.rows = list(rows)

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
        colors = color.OF_WORDS if self._colored and color.is_wanted(sys.stdout) else {}
        for number, row in enumerate(rows):
            line = ""
            for column, width, cell in zip(columns, widths, row):
                padding = " " * (width - len(cell))
                text = color.paint(cell, colors.get(cell) if number and column.title == self._colored else None)
                line += (padding + text if column.right else text + padding) + "  "
            yield line.rstrip()

    def _markdown(self):
        titles, *rows = [[escape_markdown(cell) for cell in row] for row in self._shown()]
        rule = ["---:" if column.right else "---" for column in self._columns if not column.csv_only]
        return (f"| {' | '.join(row)} |" for row in (titles, rule, *rows))

    def _csv(self):
        for row in ([column.title for column in self._columns], *self.rows):
            yield ",".join(csv_field(cell.field() if isinstance(cell, Figure) else cell) for cell in row)
