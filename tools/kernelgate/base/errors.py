# SPDX-License-Identifier: MIT
"""Errors that the user can act on, and their one-line messages."""

import contextlib
import difflib
import os
import sys

from kernelgate.base.text import fit

NOTHING = 77  # the exit code of a program that finds no GPU, or has nothing to judge
MESSAGE_SIZE = 1024  # maximum bytes of a message, plus one


class Failure(Exception):
    """An error that the user can act on: the problem, its place, and what to do, in one line."""


class Unavailable(Failure):
    """This machine lacks what a command needs, such as a GPU: not an error of what it looks at, so that it ends with 77."""


@contextlib.contextmanager
def os_errors_as(what, remedy):
    """Makes an OSError in a with statement a Failure: what cannot be done, the system's reason, and what to do."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{what}: {error.strerror}: {remedy}") from None


@contextlib.contextmanager
def failures_of(place):
    """Puts a place in front of a Failure in a with statement: "report: no such file"."""
    try:
        yield
    except Failure as failure:
        raise Failure(f"{place}: {failure}") from None


def complain(message):
    """Prints an error as one line that no CI runner treats as a command."""
    line = fit(message, MESSAGE_SIZE).replace("##[", "# [")
    try:
        sys.stderr.buffer.write(f"kernelgate: {line}\n".encode("utf-8", "surrogateescape"))
        sys.stderr.flush()
    except (OSError, AttributeError):  # Python has no sys.stderr if it is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def nearest_name(name, names, likeness=0.6):
    """The name that was probably meant; None if none is near."""
    return next(iter(difflib.get_close_matches(name, names, 1, likeness)), None)
