# SPDX-License-Identifier: MIT
"""Writes the files of a run's results, and prints the results."""

import os
import sys

from kernelgate.base import color
from kernelgate.report import console
from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure, complain
from kernelgate.report.printers import PRINTERS, save
from kernelgate.base.text import clean


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
    printers = {printer.name: printer for printer in PRINTERS}
    failed = {}
    for form, file in files:
        try:
            save(os.path.join(folder, file), printers[form].write(results))
        except Failure as failure:
            complain(str(failure))
            failed[form, file] = str(failure)
    return failed
