"""Tables as text, Markdown or CSV. A cell is a text, and the rows of a table have as many cells as its headings."""

import difflib
import re

from common import Failure, Option

FORMATS = ("text", "markdown", "csv", "json")
FORMAT_OPTION = Option("--format", "FORMAT", "text (the default), markdown, csv or json")

# Controls, ends of lines, and characters that turn the direction of writing or have no width.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_MARKUP = re.compile(r"[\\`*_\[\]|~#@!$]")


def format_of(command, options):
    """The format that --format and --json ask for."""
    named = options["format"]
    if options["json"]:
        if named not in (None, "json"):
            raise Failure(f"{command}: --json and --format {named} are two formats: give one")
        return "json"
    if named is not None and named not in FORMATS:
        nearest = difflib.get_close_matches(named, FORMATS, 1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        raise Failure(f'{command}: there is no format "{named}"{hint}: use text, markdown, csv or json')
    return named or "text"


def clean(cell):
    """The text of a cell as part of one line, in which no CI runner finds one of its commands."""
    return re.sub("^::", ": ", _CONTROL.sub(" ", cell).replace("##[", "# ["))


def text(headings, rows, right_aligned):
    """Columns aligned by spaces. `right_aligned` is a set of headings."""
    table = [list(headings), *([clean(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = []
    for row in table:
        cells = [cell.rjust(width) if heading in right_aligned else cell.ljust(width)
                 for cell, width, heading in zip(row, widths, headings)]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def escape_markdown(cell):
    plain = clean(cell).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(lambda found: f"\\{found[0]}", plain)


def markdown(headings, rows, right_aligned):
    lines = [headings, ["---:" if heading in right_aligned else "---" for heading in headings]]
    lines += ([escape_markdown(cell) for cell in row] for row in rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def csv(headings, rows):
    """Rows without headings where these are None."""
    lines = [headings] if headings else []
    return "".join(",".join(map(_csv_field, line)) + "\n" for line in (*lines, *rows))


def _csv_field(cell):
    field = clean(cell)
    return '"' + field.replace('"', '""') + '"' if re.search('[,"]', field) else field


def written(name, headings, rows, right_aligned):
    """The table as text or as Markdown."""
    return {"text": text, "markdown": markdown}[name](headings, rows, right_aligned)
