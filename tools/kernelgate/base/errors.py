"""Errors that the user can act on, and their one-line messages."""

import difflib
import os
import re
import sys

MESSAGE_SIZE = 1024  # maximum bytes of a message, plus one


class Failure(Exception):
    """An error that the user can act on: the problem, its place, and what to do, in one line."""


def fit(text, size):
    """The text as one line of fewer than `size` bytes; a longer one is cut and ends in "..."."""
    data = re.sub(r"[\x00-\x1f\x7f]", " ", text).encode("utf-8", "surrogateescape")
    if len(data) >= size:
        data = data[: size - 4].decode("utf-8", "ignore").encode() + b"..."
    return data.decode("utf-8", "surrogateescape")


def complain(message):
    """Prints an error as one line that no CI runner treats as a command."""
    line = fit(message, MESSAGE_SIZE).replace("##[", "# [")
    try:
        sys.stderr.buffer.write(f"kernelgate: {line}\n".encode("utf-8", "surrogateescape"))
        sys.stderr.flush()
    except (OSError, AttributeError):  # Python has no sys.stderr if it is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def nearest_name(name, names):
    """The name that was probably meant; None if none is near."""
    return next(iter(difflib.get_close_matches(name, names, 1)), None)
