#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the CPU model's counts of each kernel with the hardware's."""

import fnmatch
import math
import os
import sys
from dataclasses import dataclass, field
from typing import Optional

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# pylint: disable=wrong-import-position
from kernelgate.base.command_line import Parser, print_output, run
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import integer_of, number_of, object_of, text_of
from kernelgate.base.observers import Records
from kernelgate.base.figures import exact, plural, show_figure, show_percent
from kernelgate.base.columns import Column, Table
from ncu_table import Table as HardwareTable

PERMITTED = 0.001  # how far a judged counter may be from the hardware's, as a fraction of the latter
OPCODES = "sass__inst_executed_per_opcode"  # executed instructions of warps, an instance for each opcode


@dataclass(frozen=True)
class Counterpart:
    """What a counter is compared with: a sum of hardware metrics, or the instructions with some opcodes. The counters that
    are not listed have none: hardware loads a kernel's parameters as it loads constants, and unique bytes are not an event."""

    counter: str
    metrics: tuple = (OPCODES,)
    opcodes: tuple = ()
    judged: bool = False  # else shown, since ptxas may merge, keep or drop such accesses
    per_block: bool = False  # counted once per block by the model, once per warp by the hardware


def _global(access, what, *operations, judged):
    metrics = tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}.sum" for operation in operations)
    return Counterpart(f"global_{access}_{what}", metrics, judged=judged)


def _wavefronts(counter, operation):
    return Counterpart(counter, (f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum",))


COUNTERPARTS = (
    _global("load", "requests", "ld", judged=True),
    _global("load", "sectors", "ld", judged=True),
    _global("store", "requests", "st", judged=True),
    _global("store", "sectors", "st", judged=True),
    _global("atomic", "requests", "atom", "red", judged=False),
    _global("atomic", "sectors", "atom", "red", judged=False),
    Counterpart("shared_load_requests", opcodes=("LDS", "LDSM")),
    _wavefronts("shared_load_wavefronts", "ld"),
    Counterpart("shared_store_requests", opcodes=("STS",)),
    _wavefronts("shared_store_wavefronts", "st"),
    Counterpart("shared_atomic_requests", opcodes=("ATOMS",)),
    _wavefronts("shared_atomic_passes", "atom"),
    Counterpart("shuffles", opcodes=("SHFL",)),
    Counterpart("barriers", opcodes=("BAR",), per_block=True),
    Counterpart("fences", opcodes=("MEMBAR",)),
    Counterpart("blocks", ("launch__grid_size",)),
    Counterpart("threads", ("launch__thread_count",)),
)

POLLED = "a block polls until the one before it has published, how often depends on time"
UNROLLED = "lanes leave a loop at different times, and ptxas unrolls it"


@dataclass(frozen=True)
class KnownDifference:
    """Where the model is known to be off, how far as a fraction of the hardware's count, and why."""

    cases: str  # a glob on case ids
    counter: str
    permitted: float
    reason: str


KNOWN_DIFFERENCES = (
    KnownDifference("hardware_ptx/padded/*", "global_load_sectors", 0.34,
                    "of cp.async to rows 48 bytes apart an H200 counts half as many sectors again, for reasons not known"),
    KnownDifference("hardware_rows/unequal/*", "global_load_requests", 0.28, UNROLLED),
    KnownDifference("hardware_select/both/*", "global_load_sectors", 0.002,
                    "nvcc has only those lanes load the second value that use it"),
    KnownDifference("hardware_wide/by_warp/*", "global_load_requests", 0.26, UNROLLED),
    KnownDifference("hardware_wide/by_warp/*", "global_load_sectors", 0.05, UNROLLED),
    KnownDifference("pair_means/warp_shuffle/*", "global_load_requests", 0.43, UNROLLED),
    KnownDifference("pair_means/warp_shuffle/*", "global_load_sectors", 0.12, UNROLLED),
    KnownDifference("scan_f32/look_back*", "global_load_requests", 0.1, POLLED),
    KnownDifference("scan_f32/look_back*", "global_load_sectors", 0.01, POLLED),
)


@dataclass
class Case:
    """A case, with what both sides counted: by counter, without what the hardware does not count."""

    id: str
    kernels: int
    model: dict = field(default_factory=dict)
    hardware: dict = field(default_factory=dict)
    sampled: Optional[dict] = None

    def sample(self):
        """ "120 of 16384 blocks"; empty where all were counted."""
        return f"{self.sampled['blocks']} of {self.sampled['of']} blocks" if self.sampled else ""


# Reading


def read_records(path):
    """The records of an observer's file, which must end in "done"."""
    with os_errors_as(f"{path}: cannot be opened", "check the path and its permissions"):
        records = Records(path)
    last = ""
    for record in records.read():
        last, why = text_of(record, "event"), text_of(record, "why")
        if last == "failed" or (last == "checked" and record.get("right") is not True):
            raise Failure(f"{path}: {text_of(record, 'case')}: {why}")
        if last in ("broken", "unavailable"):
            raise Failure(f"{path}: {why}")
        yield record
    records.close()
    if last != "done":
        raise Failure(f"{path}: ends before its observer was done: observe again")


def read_launches(path):
    """The cases that were launched, by id."""
    cases = {}
    for record in read_records(path):
        if text_of(record, "event") == "launched":
            case = text_of(record, "case")
            cases[case] = Case(case, integer_of(record, "kernels"))
    if not cases:
        raise Failure(f"{path}: no case was launched: is any counted?")
    return cases


def read_counts(path, cases):
    """Adds what the model counted. Returns the cases that it refused as GPU-only."""
    gpu_only = set()
    for record in read_records(path):
        if record.get("gpu_only"):
            gpu_only.add(text_of(record, "case"))
        if text_of(record, "event") != "measured":
            continue
        case = cases.get(text_of(record, "case"))
        if case is None:
            raise Failure(f"{path}: {text_of(record, 'case')}: was counted and not launched: observe the same cases")
        counted = object_of(record, "metrics")
        case.model = {part.counter: number_of(counted.get(part.counter), "value") for part in COUNTERPARTS}
        case.sampled = record.get("sampled")
    for case in cases.values():
        if not case.model and case.id not in gpu_only:
            raise Failure(f"{case.id}: was launched, and {path} has no count of it: observe the same cases")
    return gpu_only


def count_kernel(table, kernel, case):
    """Adds what one kernel did to the hardware's counts of its case."""
    warps = table.warps(kernel)
    for part in COUNTERPARTS:
        for metric in part.metrics:
            count = table.count(kernel, metric, part.opcodes)
            if count is not None and part.counter in case.hardware:
                case.hardware[part.counter] += count / warps if part.per_block else count
            elif count is None and part.judged:
                raise Failure(f"{table.path}: {case.id}: there is no {metric}, which is judged: profile with the metrics of "
                              "tools/dev/validate.py --metrics")
            elif count is None:
                case.hardware.pop(part.counter, None)


def read_hardware(path, launches_path, cases):
    """Adds what the hardware counted."""
    table = HardwareTable(path)
    launched = sum(case.kernels for case in cases.values())
    if launched != len(table.kernels):
        raise Failure(f"{path}: holds {len(table.kernels)} kernels, where {launched} were launched ({launches_path}): profile "
                      "the whole of that one observer")
    kernels = iter(table.kernels)
    for case in cases.values():
        case.hardware = {part.counter: 0.0 for part in COUNTERPARTS}
        for _ in range(case.kernels):
            count_kernel(table, next(kernels), case)


# Comparing


@dataclass
class Figure:
    """One counter of one case; NaN if the hardware does not count it."""

    part: Counterpart
    model: float
    hardware: float
    difference: float = math.nan  # as a fraction of the hardware's count; infinite where that is 0
    finding: str = "shown"  # or equal, within, known, beyond
    known: Optional[KnownDifference] = None

    @property
    def is_nothing(self):
        return self.model == 0 and not self.hardware > 0


def compare(case, part):
    figure = Figure(part, case.model[part.counter], case.hardware.get(part.counter, math.nan))
    if figure.model == figure.hardware:
        figure.difference = 0.0
    elif figure.hardware == 0:
        figure.difference = math.inf
    else:
        figure.difference = (figure.model - figure.hardware) / figure.hardware
    if not part.judged:
        return figure
    permitted = PERMITTED
    if abs(figure.difference) > PERMITTED:
        figure.known = next((known for known in KNOWN_DIFFERENCES
                             if known.counter == part.counter and fnmatch.fnmatchcase(case.id, known.cases)), None)
        permitted = figure.known.permitted if figure.known else PERMITTED
    if figure.model == figure.hardware:
        figure.finding = "equal"
    elif not abs(figure.difference) <= permitted:
        figure.finding = "beyond"
    else:
        figure.finding = "known" if figure.known else "within"
    return figure


# Printing


def show_difference(figure):
    if figure.model == figure.hardware:
        return "equal"
    if math.isnan(figure.difference):
        return "-"
    return "none on hardware" if math.isinf(figure.difference) else show_percent(figure.difference, sign=True)


def line_of(case, figure):
    remark = ""
    if figure.known:
        remark = f"  up to {show_percent(figure.known.permitted)} is known: {figure.known.reason}"
    elif not figure.part.judged:
        remark = "  shown, not judged"
    verdict = "differs" if figure.finding == "beyond" else "ok"
    return (f"{verdict:8} {case.id:44} {figure.part.counter:25} {show_figure(figure.model):>15} "
            f"{show_figure(figure.hardware):>15}  {show_difference(figure)}{remark}\n")


def lines_of(cases, figures):
    """One line per figure."""
    text = ""
    for case in cases:
        if case.sampled is not None:
            text += f"sampled  {case.id}: the model counted {case.sample()}\n"
        text += "".join(line_of(case, figure) for figure in figures[case.id] if not figure.is_nothing)
    return text


def cell_of(figure):
    """One count where both agree, else "model/hardware"; empty where there is nothing to count."""
    if figure.is_nothing:
        return ""
    hardware = "unknown" if math.isnan(figure.hardware) else exact(figure.hardware)
    return hardware if figure.model == figure.hardware else f"{exact(figure.model)}/{hardware}"


def csv_of(cases, figures):
    """One row per case, one column per counter, as docs/evidence/ has them."""
    columns = [Column("case"), *(Column(part.counter) for part in COUNTERPARTS)]
    return Table(columns, [[case.id, *map(cell_of, figures[case.id])] for case in cases]).format("csv")


def show_metrics():
    """The metrics to profile."""
    judged = {metric: part.judged for part in COUNTERPARTS for metric in part.metrics if metric != OPCODES}
    judged[OPCODES] = False
    return "".join(f"{metric}{' judged' if wanted else ''}\n" for metric, wanted in judged.items())


def compare_files(model, launches, hardware):
    """The cases, and the figures of each by its id."""
    by_id = read_launches(launches)
    gpu_only = read_counts(model, by_id)
    read_hardware(hardware, launches, by_id)
    cases = [case for case in by_id.values() if case.id not in gpu_only]
    return cases, {case.id: [compare(case, part) for part in COUNTERPARTS] for case in cases}


def validate(options):
    """What is found of the three files, and the exit code."""
    cases, figures = compare_files(options.model, options.launches, options.hardware)
    findings = [figure.finding for case in cases for figure in figures[case.id]]
    judged = sum(finding != "shown" for finding in findings)
    equal, within, known, beyond = map(findings.count, ("equal", "within", "known", "beyond"))
    if options.csv:
        return csv_of(cases, figures), 1 if beyond else 0
    return (f"{lines_of(cases, figures)}kernelgate: {plural(len(cases), 'case')}, {judged} figures judged: "
            f"{equal} equal to the hardware's, {within} within 0.1 %, "
            f"{known} known to be further off, {beyond} beyond\n", 1 if beyond else 0)


def add_arguments(parser):
    parser.add_argument("--csv", action="store_true", help="print one row per case, as CSV")
    parser.add_argument("--model", metavar="FILE", help="records of the instrumented program's part count")
    parser.add_argument("--launches", metavar="FILE", help="records of the GPU program's part launch")
    parser.add_argument("--hardware", metavar="FILE", help="Nsight Compute's table of the same launches")
    parser.add_argument("--metrics", action="store_true",
                        help="print the metrics to profile, one per line, marking those that the verdict needs")
    parser.epilog = """\
tools/dev/validate-model makes the three files. Global loads and stores are judged: more than
0.1 % between the two is a failure, unless it is a known exception.

exit: 0 all agree; 1 a figure is beyond what is permitted; 2 error
"""


def main(arguments):
    options = Parser(add_arguments, prog="tools/dev/validate.py").parse_args(arguments)
    if options.metrics:
        text, code = show_metrics(), 0
    elif None in (options.model, options.hardware, options.launches):
        raise Failure("validate: needs --model, --hardware and --launches: see tools/dev/validate.py --help")
    else:
        text, code = validate(options)
    print_output("validate", text)
    return code


if __name__ == "__main__":
    run(main)
