"""Writes the files that are made of a run's results, and prints them."""

import os
import sys

import color
import console
from common import Failure, complain, print_output
from printers import PRINTERS, save
from text import clean


def print_console(results, detail, files, stream):
    """Prints the results, and last the files."""
    text = console.write(results, detail, color.is_wanted(stream))
    if files and detail != "quiet":
        text += clean("  ".join(f"{results.document.get('out', '')}/{file}" for file in files)) + "\n"
    if stream is sys.stdout:
        print_output("the verdicts", text)
    else:
        stream.buffer.write(text.encode("utf-8", "surrogateescape"))
        stream.flush()


def write_files(folder, files, results):
    """Whether all could be written: the other files are, where one cannot."""
    printers = {printer.name: printer for printer in PRINTERS}
    written = True
    for form, file in files:
        try:
            save(os.path.join(folder, file), printers[form].write(results))
        except Failure as failure:
            complain(str(failure))
            written = False
    return written
