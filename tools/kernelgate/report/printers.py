# SPDX-License-Identifier: MIT
"""The forms of a run's results, each a function of a results.Run, and how they become files. ci/run-files lists the
forms that every run leaves."""

import os
from dataclasses import dataclass
from typing import Callable

from kernelgate.report import annotations
from kernelgate.report import console
from kernelgate.report import junit
from kernelgate.report import page as report_page
from kernelgate.report import scanning
from kernelgate.report import summary
from kernelgate.report import publish_tables
from kernelgate.base.errors import Failure
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import json_text


@dataclass(frozen=True)
class Printer:
    name: str  # the name for --format
    write: Callable  # returns the form of a Run as a text


PRINTERS = (
    Printer("console", console.write),
    Printer("html", report_page.write),
    Printer("json", lambda run: json_text(run.document)),
    Printer("junit", junit.write),
    Printer("markdown", summary.write),
    Printer("csv", publish_tables.write_csv),
    Printer("annotations", annotations.write),
    Printer("sarif", scanning.write_sarif),
    Printer("code-quality", scanning.write_code_quality),
    Printer("badge", scanning.write_badge),
)


def save(path, text):
    """Writes a file, with its folder."""
    target = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(target) and not os.path.isfile(target):
            raise Failure(f"{path}: cannot be written: it is not a regular file, and stays as it is: name another")
        if os.path.islink(path) and not os.path.exists(target):
            raise Failure(f"{path}: cannot be written: it is a symbolic link whose target cannot be found: remove it, or name "
                          "another file")
        replace_file(path, text)
    except OSError as error:
        raise Failure(f"{path}: cannot be written: {error.strerror}: check its folder, or name another file") from None
