# SPDX-License-Identifier: MIT
"""Tables of cells as text, Markdown or CSV, and the option that chooses the format."""

import sys
from dataclasses import dataclass
from typing import Union

from kernelgate.base import color
from kernelgate.base.figures import exact
from kernelgate.base.text import clean, csv_field, escape_markdown

UNKNOWN = "–"


@dataclass(frozen=True)
class Column:
    title: str
    right: bool = False
    csv_only: bool = False  # elsewhere a heading shows it


@dataclass(frozen=True)
class Figure:
    """A cell that differs in CSV: a figure in full, with NaN as an empty field, or a text."""

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

    def shown(self):
        """The titles and rows without the CSV-only columns."""
        places = [place for place, column in enumerate(self._columns) if not column.csv_only]
        yield [self._columns[place].title for place in places]
        for row in self.rows:
            yield [clean(cell.shown if isinstance(cell, Figure) else cell) for cell in (row[place] for place in places)]

    def _text(self):
        columns = [column for column in self._columns if not column.csv_only]
        rows = list(self.shown())
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
        titles, *rows = [[escape_markdown(cell) for cell in row] for row in self.shown()]
        rule = ["---:" if column.right else "---" for column in self._columns if not column.csv_only]
        return (f"| {' | '.join(row)} |" for row in (titles, rule, *rows))

    def _csv(self):
        for row in ([column.title for column in self._columns], *self.rows):
            yield ",".join(csv_field(cell.field() if isinstance(cell, Figure) else cell) for cell in row)
