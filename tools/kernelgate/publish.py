"""Writes the files that are made of OUT/results.json: what kernelgate runs at the end of a run. usage: publish.py OUT
[FORM FILE]... [--annotations]"""

import os

import annotations
from common import Failure, complain, print_output, run
from printers import PRINTERS, save
from results import Run, load


def main(arguments):
    folder, *options = arguments
    prefix = annotations.prefix_of(".", os.environ.get("GITHUB_WORKSPACE"))
    results = Run(load(os.path.join(folder, "results.json")), prefix=prefix)
    code = 0
    printers = {printer.name: printer for printer in PRINTERS}
    for form, file in zip(options[::2], options[1::2]):
        try:
            save(os.path.join(folder, file), printers[form].write(results))
        except Failure as failure:  # the other files are written all the same
            complain(str(failure))
            code = 2
    if "--annotations" in options:
        print_output("results", annotations.write(results))
    return code


if __name__ == "__main__":
    run(main)
