"""The forms of a run's results, each a function of a results.Run, and how they become files."""

import os
import stat
from dataclasses import dataclass
from typing import Callable, Optional

import annotations
import junit
import report_page
import summary
import table_text
from common import Failure, json_text


@dataclass(frozen=True)
class Printer:
    name: str  # as --format has it
    file: Optional[str]  # in the folder of the results; None: a run does not leave this form
    write: Callable  # the form of a Run, as a text


PRINTERS = (
    Printer("html", "report/index.html", report_page.write),
    Printer("json", None, lambda run: json_text(run.document)),
    Printer("junit", "junit.xml", junit.write),
    Printer("markdown", "summary.md", summary.write),
    Printer("csv", None, table_text.write_csv),
    Printer("annotations", None, annotations.write),
)


def save(path, text):
    """Replaces a file so that a reader finds the old content or the new one. A link stays; its target is replaced."""
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.new-{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        mode = os.stat(target).st_mode if os.path.exists(target) else None
        if mode is not None and not stat.S_ISREG(mode):
            raise Failure(f"{path}: cannot be written: it is not a regular file, and stays as it is: name another")
        if mode is None and os.path.islink(path):
            raise Failure(f"{path}: cannot be written: it is a symbolic link whose target cannot be found: remove it, or name "
                          "another file")
        try:
            with open(temporary, "xb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
                if mode is not None:
                    os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.replace(temporary, target)
        except OSError:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise Failure(f"{path}: cannot be written: {error.strerror}: see to its folder, or name another file") from None
