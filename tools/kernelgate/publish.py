"""Writes the files that are made of OUT/results.json and prints it: what kernelgate runs at the end of a run. FORM FILE are the
files that a run leaves, in the order in which they are named. With --print it only prints the results in FILE.
usage: publish.py OUT [FORM FILE]... [--console=DETAIL] [--to-stderr] [--annotations]
       publish.py --print=DETAIL FILE"""

import os
import sys

import annotations
import color
import console
from common import Failure, complain, print_output, run
from printers import PRINTERS, save
from results import Run, load
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


def main(arguments):
    options = dict(argument[2:].partition("=")[::2] for argument in arguments if argument.startswith("--"))
    operands = [argument for argument in arguments if not argument.startswith("--")]
    if "print" in options:
        print_console(Run(load(operands[0])), options["print"], [], sys.stdout)
        return 0
    folder, *named = operands
    files = list(zip(named[::2], named[1::2]))
    prefix = annotations.prefix_of(".", os.environ.get("GITHUB_WORKSPACE"))
    results = Run(load(os.path.join(folder, "results.json")), prefix=prefix)
    if "console" in options:
        print_console(results, options["console"], [file for _, file in files],
                      sys.stderr if "to-stderr" in options else sys.stdout)
    written = write_files(folder, [(form, file) for form, file in files if form != "json"], results)
    if "annotations" in options:
        print_output("results", annotations.write(results))
    return 0 if written else 2


if __name__ == "__main__":
    run(main)
