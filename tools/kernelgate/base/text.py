# SPDX-License-Identifier: MIT
"""Makes texts of any origin safe for a terminal, Markdown, CSV and a CI runner's log, and makes them fit where there is little room."""

import re

# Patterns that are compiled when they are first used, which takes 5 ms.
# Controls, ends of lines and paragraphs, what turns the direction of writing, and what has no width.
_CONTROLS = "[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
_UNPRINTABLE = "[\ufffe\uffff\ud800-\udfff]"
_COMMAND = re.compile("^([^!-~]*)::")
_MARKUP = re.compile(r"[\\`*_\[\]|~#@!$]")


def clean(text):
    """The text on one line that cannot control a terminal, an XML reader or a CI runner."""
    text = re.sub(_UNPRINTABLE, "\ufffd", re.sub(_CONTROLS, " ", text)).replace("##[", "# [")
    return _COMMAND.sub(r"\1: ", text)


def fit(text, size):
    """The text as one line of fewer than `size` bytes; a longer one is cut and ends in "..."."""
    data = re.sub(r"[\x00-\x1f\x7f]", " ", text).encode("utf-8", "surrogateescape")
    if len(data) >= size:
        data = data[: size - 4].decode("utf-8", "ignore").encode() + b"..."
    return data.decode("utf-8", "surrogateescape")


def shorten(text, most):
    """The text, or as much of its beginning as `most` characters hold, with "…"."""
    return text if len(text) <= most else text[:most - 1] + "…"


def take_what_fits(entries, size, lines_of=lambda line: [line]):
    """The lines of the first entries that fit in `size` bytes, and how many entries do not."""
    lines = []
    for number, entry in enumerate(entries):
        block = lines_of(entry)
        size -= sum(len(line.encode("utf-8", "replace")) + 1 for line in block)
        if size < 0:
            return lines, len(entries) - number
        lines += block
    return lines, 0


def escape_markdown(text):
    """The text escaped for Markdown, also within a table."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", text)


def code(text, in_table=True):
    """A text as Markdown code. A backtick would end the code, and a bar the table's cell."""
    text = (clean(text) or "?").replace("`", "'")
    return "`" + (text.replace("|", "\\|") if in_table else text) + "`"


def csv_field(text):
    text = clean(text)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
