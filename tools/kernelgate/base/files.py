# SPDX-License-Identifier: MIT
"""Files: the package's own, and atomic reading and replacing."""

import os
import stat

from kernelgate.base.errors import Failure


def own_file(*places):
    """The first of some paths, relative to the package's directory, that exists: a checkout and an installation
    differ."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (os.path.join(here, place) for place in places):
        if os.path.exists(path):
            return path
    raise Failure(f"{os.path.basename(places[0])}: cannot be found: install kernelgate again")


def open_regular(path):
    """Opens a regular file for reading bytes, without blocking on a pipe. OSError if it cannot be opened."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return open(file, "rb")
    os.close(file)
    raise OSError(None, "it is not a regular file")


def read_text(path):
    """The text of a file; "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def replace_file(path, text):
    """Replaces a file by a text, completely or not at all. Keeps a link and replaces its target. OSError on failure."""
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.new-{os.getpid()}")
    try:
        with open(temporary, "xb") as file:
            if os.path.exists(target):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)
