# SPDX-License-Identifier: MIT
"""Color on a terminal, only for the words of verdicts."""

import os

GREEN, RED, YELLOW, PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
OF_WORDS = {
    **dict.fromkeys(("pass", "unchanged", "more-accurate", "faster", "holds", "ok"), GREEN),
    **dict.fromkeys(("slower", "less-accurate", "wrong", "error", "fails", "lacks", "beyond the limit"), RED),
    **dict.fromkeys(("noisy", "environment", "no-baseline", "suspect", "confirming", "skipped", "note"), YELLOW),
}


def is_wanted(stream):
    """Whether output to a stream is colored: on a terminal that is not dumb, or anywhere with CLICOLOR_FORCE; never
    with NO_COLOR (no-color.org, bixense.com/clicolors)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text, color):
    """The text in a color; unchanged if the color is None or ""."""
    return f"{color}{text}{PLAIN}" if color else text
