"""Figures, tables and documents, as the commands print them."""

import json
import math
import re

# Controls, ends of lines, what turns the direction of writing, and what has no width.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_HTML = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def clean(text):
    """The text as one line that neither a terminal nor a CI runner takes for a command."""
    return _CONTROLS.sub(" ", text).replace("##[", "# [")


def markdown(text):
    """The text as Markdown that shows it as it is."""
    return re.sub(r"[<>&\\`*_\[\]|~#@!$]", lambda match: _HTML.get(match[0], "\\" + match[0]), clean(text))


def show_figure(value):
    """A number for readers, with a space between groups of three digits."""
    if not math.isfinite(value):
        return "unknown"
    magnitude = abs(value)
    if magnitude >= 1e15:
        return f"{value:.6g}"
    whole = magnitude >= 1000 or magnitude == math.floor(magnitude)
    decimals = 0 if whole else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3
    return f"{value:,.{decimals}f}".replace(",", " ")


def show_percent(fraction, sign=False):
    """A fraction as "1.0 %", with two digits of a small one; with `sign` as "+1.0 %"."""
    percent = fraction * 100
    magnitude = abs(percent)
    plus = "+" if sign and percent > 0 else ""
    if magnitude >= 1e15:
        return f"{plus}{percent:.3g} %"
    decimals = 1
    if magnitude >= 100:
        decimals = 0
    elif 0 < magnitude < 0.1:
        decimals = int(min(9, 1 - math.floor(math.log10(magnitude))))
    return f"{plus}{percent:,.{decimals}f} %".replace(",", " ")


def show_json(document):
    # No CI runner takes a text in it for one of its commands.
    return json.dumps(document, indent=1, ensure_ascii=False).replace("##[", "\\u0023#[") + "\n"


def show_table(columns, rows, as_markdown=False):
    """A table with a column for each (title, whether its cells are aligned to the right); cells are text."""
    right = [aligned for _, aligned in columns]
    titles = [title for title, _ in columns]
    if as_markdown:
        lines = [[markdown(cell) for cell in row] for row in (titles, *rows)]
        lines.insert(1, ["---:" if aligned else "---" for aligned in right])
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    lines = [[clean(cell) for cell in row] for row in (titles, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ""
    for line in lines:
        text += "  ".join(cell.rjust(width) if aligned else cell.ljust(width)
                          for cell, width, aligned in zip(line, widths, right)).rstrip(" ") + "\n"
    return text
