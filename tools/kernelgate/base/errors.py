# SPDX-License-Identifier: MIT
"""Errors that the user can act on, and their one-line messages."""

import difflib
import os
import sys

from kernelgate.base.text import fit

MESSAGE_SIZE = 1024  # maximum bytes of a message, plus one


class Failure(Exception):
    """An error that the user can act on: the problem, its place, and what to do, in one line."""


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
