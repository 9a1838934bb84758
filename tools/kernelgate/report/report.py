# SPDX-License-Identifier: MIT
"""kernelgate report: prints a run's measurements of a comparison, or a whole run."""

import os
import sys

from kernelgate.base import color
from kernelgate.report import console
from kernelgate.base.command_line import add_format, did_you_mean, print_output
from kernelgate.base.errors import Failure, failures_of
from kernelgate.base.json_io import json_text
from kernelgate.report.comparisons import comparisons_of, packed, tables_of, targets_of
from kernelgate.report.printers import PRINTERS
from kernelgate.base.results import Run, load
from kernelgate.base.settings import results_folder
from kernelgate.report.publish_tables import as_csv, as_markdown

SCHEMA = "kernelgate-table/1"
TABLE_FORMATS = {
    "markdown": lambda tables: "\n".join(map(as_markdown, tables)),
    "csv": as_csv,
    "json": lambda tables: json_text({"schema": SCHEMA, "tables": list(map(packed, tables))}),
}

def add_arguments(parser):
    parser.add_argument("--table", metavar="COMPARISON", help="print this comparison's table")
    add_format(parser, tuple(PRINTERS), default=None,
               text="markdown, variants side by side (the default), csv, one line per case, or json; without --table, of the whole "
                    "run: " + ", ".join(PRINTERS))
    parser.add_argument("--verbose", action="store_true", help="with --format console: one line per case")
    parser.add_argument("--target", metavar="KEY", help="only this target (default: all, GPUs first)")
    parser.add_argument("--results", metavar="FILE", help="read this results file (default: results.json in --out)")
    parser.add_argument("--out", metavar="DIR", help="the folder of the results (default: KG_OUT, else out)")
    parser.epilog = """\
For a GPU: time, cold time, speedup over the comparison's first variant, GB/s, GFLOP/s,
share of the GPU's measured limits, occupancy. For the CPU model: its counters, also
relative to the first variant's. KG_FILTER selects cases.

exit: 0 printed; 2 an error, or nothing to print
"""


def check_options(options):
    comparison, name = options.table, options.format
    if comparison and name and name not in TABLE_FORMATS:
        raise Failure(f"report: --format {name} is of a whole run: with --table use {', '.join(TABLE_FORMATS)}")
    if not comparison and (not name or options.target):
        raise Failure("report: name what to print: --table COMPARISON, or --format FORMAT for the whole run")
    if options.results and options.out:
        raise Failure("report: --results names the file, --out its folder: give one")


def require_name(path, kind, name, names):
    if not names:
        raise Failure(f"report: {path} holds no case: run ctest first")
    if name not in names:
        hint = did_you_mean(name, names)
        raise Failure(f'report: {path} has no {kind} "{name}"{f"{hint} It" if hint else ": it"} has {", ".join(names)}')


def tables(path, results, comparison, target):
    """The tables of a comparison; Failure if they would be empty."""
    require_name(path, "comparison", comparison, comparisons_of(results))
    if target is not None:
        require_name(path, "target", target, targets_of(results, comparison))
    with failures_of(f"report: {path}"):
        found = tables_of(results, comparison, target)
    on = f" on {target}" if target else ""
    globs = os.environ.get("KG_FILTER")
    if not found and globs:
        raise Failure(f"report: KG_FILTER={globs} leaves no case of {comparison} that was timed or counted{on} in {path}: give "
                      "another, or none")
    if not found:
        raise Failure(f"report: no case of {comparison} was timed or counted{on} in {path}, only checked: run ctest -R "
                      f"'\\.{comparison}\\.(time|count)$'")
    return found


def main(options):
    check_options(options)
    name = options.format
    folder = results_folder(options.out)
    path = options.results or os.path.join(folder, "results.json")
    with failures_of("report"):
        results = Run(load(path))
    if options.table:
        print_output("report", TABLE_FORMATS[name or "markdown"](tables(path, results, options.table, options.target)))
    elif name == "console":
        detail = "verbose" if options.verbose else "brief"
        print_output("report", console.write(results, detail, color.is_wanted(sys.stdout)))
    else:
        print_output("report", PRINTERS[name](results))
    return 0
