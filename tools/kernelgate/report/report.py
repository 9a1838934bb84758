"""kernelgate report: prints what a run measured of a comparison, or makes the page of a whole run."""

import os
import sys

from kernelgate.base import color
from kernelgate.report import console
from kernelgate.base.common import JSON_OPTION, Command, Failure, Option, json_text, nearest_name, print_output
from kernelgate.report.comparison_table import comparisons_of, packed, tables_of, targets_of
from kernelgate.report.printers import PRINTERS, save
from kernelgate.base.programs import filter_takes
from kernelgate.base.results import Run, load
from kernelgate.base.settings import results_folder
from kernelgate.report.table_forms import as_csv, as_markdown
from kernelgate.base.table import parse_format

SCHEMA = "kernelgate-table/1"
TABLE_FORMATS = {
    "markdown": lambda tables: "\n".join(map(as_markdown, tables)),
    "csv": as_csv,
    "json": lambda tables: json_text({"schema": SCHEMA, "tables": list(map(packed, tables))}),
}
RUN_FORMATS = {printer.name: printer for printer in PRINTERS}

COMMAND = Command(
    "report",
    options=(
        Option("--table", "COMPARISON", "print this comparison's table"),
        Option("--format", "FORMAT", "markdown, variants side by side (the default), csv, one line per case, or json; without "
               "--table, of the whole run: console, html, json, junit, markdown, csv or annotations"),
        Option("--verbose", None, "with --format console: one line per case"),
        JSON_OPTION,
        Option("--target", "KEY", "only this target (default: all, GPUs first)"),
        Option("--html", "FILE", "write the page of the whole run instead, like out/report/index.html"),
        Option("--results", "FILE", "read this results file (default: results.json in --out)"),
        Option("--out", "DIR", "the folder of the results (default: KG_OUT, else out)"),
    ),
    details="""\
For a GPU: time, cold time, speedup over the comparison's first variant, GB/s, GFLOP/s,
share of the GPU's measured limits, occupancy. For the CPU model: its counters, also
relative to the first variant's. KG_FILTER selects cases.

exit: 0 printed or written; 2 an error, or nothing to print
""",
)


def check_options(options):
    """The format that is asked for."""
    comparison = options["table"]
    name = parse_format("report", options, list(TABLE_FORMATS) if comparison else list(RUN_FORMATS), None)
    if options["html"] and (comparison or options["target"] or name):
        given = "--table" if comparison else "--target" if options["target"] else "--format"
        raise Failure(f"report: --html writes the page of the whole run: omit {given}")
    if not options["html"] and not comparison and (not name or options["target"]):
        raise Failure("report: name what to print: --table COMPARISON, or --format FORMAT for the whole run, or what to write: "
                      "--html FILE")
    if options["results"] and options["out"]:
        raise Failure("report: --results names the file, --out its folder: give one")
    return name


def require_name(path, kind, name, names):
    if not names:
        raise Failure(f"report: {path} holds no case: run ctest first")
    if name not in names:
        nearest = nearest_name(name, names)
        hint = f'; did you mean "{nearest}"? It has' if nearest else ": it has"
        raise Failure(f'report: {path} has no {kind} "{name}"{hint} {", ".join(names)}')


def tables(path, results, comparison, target):
    """The tables of a comparison; Failure where they would be empty."""
    require_name(path, "comparison", comparison, comparisons_of(results))
    if target is not None:
        require_name(path, "target", target, targets_of(results, comparison))
    try:
        found = tables_of(results, comparison, target)
    except Failure as failure:
        raise Failure(f"report: {path}: {failure}") from None
    on = f" on {target}" if target else ""
    globs = os.environ.get("KG_FILTER")
    if not found and globs:
        raise Failure(f"report: KG_FILTER={globs} leaves no case of {comparison} that was timed or counted{on} in {path}: give "
                      "another, or none")
    if not found:
        raise Failure(f"report: no case of {comparison} was timed or counted{on} in {path}, only checked: run ctest -R "
                      f"'\\.{comparison}\\.(time|count)$'")
    return found


def write_page(path, results, page):
    """Writes the page of a run: not over its results, and not without cases."""
    if os.path.exists(page) and os.path.samefile(path, page):
        raise Failure(f"report: --html {page}: is the results file itself: name another")
    cases = results.list("cases")
    if cases and not any(filter_takes(entry["case"]) for entry in cases):
        raise Failure(f"report: KG_FILTER={os.environ['KG_FILTER']} leaves none of the {len(cases)} cases in {path}: give "
                      "another, or none")
    try:
        save(page, RUN_FORMATS["html"].write(results))
    except Failure as failure:
        raise Failure(f"report: {failure}") from None


def main(arguments):
    options = COMMAND.parse(arguments)
    name = check_options(options)
    folder = results_folder(options["out"])
    path = options["results"] or os.path.join(folder, "results.json")
    try:
        document = load(path)
    except Failure as failure:
        raise Failure(f"report: {failure}") from None
    results = Run(document)
    if options["html"]:
        write_page(path, results, options["html"])
    elif options["table"]:
        print_output("report", TABLE_FORMATS[name or "markdown"](tables(path, results, options["table"], options["target"])))
    elif name == "console":
        detail = "verbose" if options["verbose"] else "brief"
        print_output("report", console.write(results, detail, color.is_wanted(sys.stdout)))
    else:
        print_output("report", RUN_FORMATS[name].write(results))
    return 0
