# SPDX-License-Identifier: MIT
"""The forms of a run's results, each a function of a results.Run, and how they are written and printed. ci/run-files lists the
forms that every run leaves."""

import os
import sys

from kernelgate.base import color
from kernelgate.report import annotations
from kernelgate.report import console
from kernelgate.report import junit
from kernelgate.report import page as report_page
from kernelgate.report import scanning
from kernelgate.report import summary
from kernelgate.report import publish_tables
from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure, complain, os_errors_as
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import json_text
from kernelgate.base.text import clean


# By the names for --format.
PRINTERS = {
    "console": console.write,
    "html": report_page.write,
    "json": lambda run: json_text(run.document),
    "junit": junit.write,
    "markdown": summary.write,
    "csv": publish_tables.write_csv,
    "annotations": annotations.write,
    "sarif": scanning.write_sarif,
    "code-quality": scanning.write_code_quality,
    "badge": scanning.write_badge,
}


def save(path, text):
    """Writes a file, with its folder."""
    target = os.path.realpath(path)
    with os_errors_as(f"{path}: cannot be written", "check its folder, or name another file"):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(target) and not os.path.isfile(target):
            raise Failure(f"{path}: cannot be written: it is not a regular file, and stays as it is: name another")
        if os.path.islink(path) and not os.path.exists(target):
            raise Failure(f"{path}: cannot be written: it is a symbolic link whose target cannot be found: remove it, or name "
                          "another file")
        replace_file(path, text)


def print_console(results, detail, files, stream):
    """Prints the results, followed by the files."""
    text = console.write(results, detail, color.is_wanted(stream))
    if files and detail != "quiet":
        text += clean("  ".join(f"{results.document.get('out', '')}/{file}" for file in files)) + "\n"
    if stream is sys.stdout:
        print_output("the verdicts", text)
    else:
        stream.buffer.write(text.encode("utf-8", "surrogateescape"))
        stream.flush()


def write_files(folder, files, results):
    """Writes files, each a form and a path. Returns those that could not be written, with the reason."""
    failed = {}
    for form, file in files:
        try:
            save(os.path.join(folder, file), PRINTERS[form](results))
        except Failure as failure:
            complain(str(failure))
            failed[form, file] = str(failure)
    return failed
