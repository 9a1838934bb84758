# SPDX-License-Identifier: MIT
"""A comparison's table as Markdown and as CSV."""

import math

from kernelgate.base.json_io import integer_of, member, text_of
from kernelgate.report.comparisons import comparisons_of, tables_of
from kernelgate.base.figures import show_figure
from kernelgate.base.results import reason_of
from kernelgate.base.text import csv_field, escape_markdown

CLOCKS = (("host", "by the host's clock, around calls and the wait for their end"),
          ("first_touch", "around one launch that finds managed memory on the host"))
COUNTER_NOTES = (
    "A request is a warp's memory instruction. Its sectors are the 32-byte pieces of global memory that it accesses, its "
    "wavefronts the passes over shared memory, its words the distinct words of constant memory: fewer is better. The busiest "
    "block is the one that makes the most requests.",
    "Every counter is in the results and in CSV. A counter has no table here if it is always 0, or covered by another: "
    "requests next to a ratio, unique bytes.",
)
BANDWIDTH_NOTE = ("Bandwidth and arithmetic: the minimum bytes and operations of the job, whatever the variant does, over the "
                  "hot time.")
NO_SHARE_NOTE = "Share of the limit: unknown, because the results have no limits of the GPU."
SHARE_NOTE = ("Share of the limit: the time that those bytes take at the copy's rate, or those operations at that of float "
              "multiply-adds (of integers too), whichever is longer, over the cold time, or the hot one where there is no cold "
              "one.")
NO_SHARE_OF_COPIES = " It is omitted where the bus is the limit: copies that start no kernel, and first touches."
DOUBTFUL = ("slower", "environment", "noisy")
CSV_NAMES = ("target", "comparison", "variant", "size", "launch", "verdict", "clock", "limited_by")


def facts(table, escape=escape_markdown):
    """Where and with what a table was measured, in a line."""
    target = table.run.object("targets").get(table.target)
    provenance = table.run.object("provenance").get(table.target)
    name = "Counted on the CPU model" if table.counted else escape(text_of(target, "name")) or "A GPU"
    for title, value in (("", text_of(target, "compiler")), ("driver ", text_of(provenance, "driver")),
                         ("CUDA ", text_of(provenance, "cuda"))):
        name += f", {title}{escape(value)}" if value else ""
    if table.copy_limit is None or table.operation_limit is None:
        return f"{name}."
    bus = f", and moves {show_figure(table.bus_limit / 1e9, 'GB/s')} over the bus" if table.bus_limit is not None else ""
    return (f"{name}. Its limits, measured in the same run: it copies {show_figure(table.copy_limit / 1e9, 'GB/s')}, and "
            f"computes {show_figure(table.operation_limit / 1e9, 'GFLOP/s')} of multiply-adds in floats{bus}.")


def _names(cases):
    return ", ".join(f"`{case.name()}`" for case in cases)


def _meanings(table):
    first = table.variants[0]
    if table.counted:
        if len(table.variants) > 1:
            yield f"In brackets: how many times as many as `{first}` has at the same size and threads per block."
        yield from COUNTER_NOTES
        return
    if len(table.variants) > 1:
        yield f"In brackets: how many times as fast as `{first}` at the same size and threads per block."
    for clock, how in CLOCKS:
        timed = dict.fromkeys(case.variant for variant in table.variants for case in table.cases
                              if case.variant == variant and case.clock == clock)
        others = "; the others as launches in a CUDA graph" if any(case.clock == "graph" for case in table.cases) else ""
        if timed:
            yield f"Timed {how}: {', '.join(f'`{variant}`' for variant in timed)}{others}."
    yield BANDWIDTH_NOTE
    if table.copy_limit is None or table.operation_limit is None:
        yield NO_SHARE_NOTE
        return
    lacking = any("time_ns" in case.figures and "share_of_limit" not in case.figures for case in table.cases)
    yield SHARE_NOTE + (NO_SHARE_OF_COPIES if lacking else "")


def _launches(table):
    """The launches of a variant's cases, if the rows do not show them."""
    for variant in table.variants:
        cases = [case for case in table.cases if case.variant == variant]
        if any(case.row.launch != case.launch for case in cases):
            yield f"`{variant}` is launched as {', '.join(dict.fromkeys(case.launch for case in cases))}."


def _omissions(table, escape):
    """The refused cases, by their reason; why cases have no figures, once for cases that failed alike."""
    refused = {}
    for case in table.cases:
        if case.entry is None:
            refused.setdefault(case.why, []).append(case)
    for why, cases in refused.items():
        yield f"Refused: {_names(cases)}: {escape(why)}"
    failed = {}
    for case in table.cases:
        if case.is_wrong():
            failed.setdefault((case.verdict(), text_of(case.entry, "group") or case.id), []).append(case)
    for (verdict, _), (first, *others) in failed.items():
        also = f"; also {', '.join(f'{case.size}/{case.launch}' for case in others)}" if others else ""
        yield f"**{verdict}**: `{first.name()}`: {escape(reason_of(first.entry) + also)}"


def _doubts(table):
    """Cases with doubtful or changed figures; counts for which not all blocks ran."""
    for verdict in DOUBTFUL:
        cases = [case for case in table.cases if case.verdict() == verdict]
        if cases:
            yield f"{verdict}: {_names(cases)}."
    for case in table.cases:
        sampled = member(case.entry, "sampled")
        if sampled:
            yield (f"`{case.name()}` was counted on {integer_of(sampled, 'blocks')} of its {integer_of(sampled, 'of')} "
                   "blocks.")


def notes(table, escape=escape_markdown):
    """The notes on a table, a line each, with `code` and **words** marked as in Markdown."""
    return [*_meanings(table), *_launches(table), *_omissions(table, escape), *_doubts(table)]


def _grid(rows, left):
    """A Markdown table with padded columns, so that its source is readable too."""
    widths = [max(4, *map(len, column)) for column in zip(*rows)]
    lines = [[text.ljust(width) if number < left else text.rjust(width)
              for number, (text, width) in enumerate(zip(line, widths))] for line in rows]
    rule = ["-" * width if number < left else "-" * (width - 1) + ":" for number, width in enumerate(widths)]
    return [f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:])]


def as_markdown(table):
    """A heading, a table per column that has a title and figures, and notes."""
    lines = [f"## {table.comparison} on {escape_markdown(table.target)}", "", facts(table)]
    # If every case is wrong, show only that.
    for column in table.shown_columns() or table.columns[:1]:
        lines += ["", f"### {column.title}", "", *_grid(table.grid(column), 1 + table.has_launches())]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes(table))]) + "\n"


def _number(value):
    """Counts in full, measured figures with significant digits only."""
    return "" if value is None else f"{value:.{16 if value == math.floor(value) else 10}g}"


def as_csv(tables):
    """One line per case of several tables; GPUs and the model each leave the other's columns empty."""
    kinds = [next((table for table in tables if table.counted == counted), None) for counted in (False, True)]
    columns = [(kind.counted, column.name) for kind in kinds if kind for column in kind.columns]
    lines = [",".join((*CSV_NAMES, *(name for _, name in columns)))]
    for table in tables:
        for case in table.cases:
            fields = (csv_field(table.target), table.comparison, case.variant, case.size, case.launch, case.verdict(),
                      csv_field(case.clock), case.limited_by)
            figures = (_number(case.figures.get(name) if counted == table.counted else None) for counted, name in columns)
            lines.append(",".join((*fields, *figures)))
    return "\n".join(lines) + "\n"


def write_csv(run):
    return as_csv([table for comparison in comparisons_of(run) for table in tables_of(run, comparison)])
