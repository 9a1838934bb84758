# SPDX-License-Identifier: MIT
"""`kernelgate run`: runs a program that `kernelgate nvcc` built, and prints what its kernels cost, as a profiler does."""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time

from kernelgate.base.added_programs import added_tests, judge
from kernelgate.base.columns import UNKNOWN, Column, Figure, Table
from kernelgate.base.command_line import add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import show_figure
from kernelgate.base.json_io import json_text, list_of, object_of, read_json, text_of
from kernelgate.base.observers import stoppable
from kernelgate.base.settings import GPU, is_strict, refuse_hidden_filter, setting
from kernelgate.run.gpu import find_gpu
from kernelgate.run.merge import VERDICTS_SCHEMA, leave_verdicts

# Of memory, by warps.
REQUESTS = ("global_load_requests", "global_store_requests", "global_atomic_requests", "shared_load_requests", "shared_store_requests",
            "shared_atomic_requests", "constant_load_requests")
COUNTS = (("launches", ("launches",)), ("blocks", ("blocks",)), ("requests", REQUESTS))
# The title, and the counters whose sums are divided: 1 sector per request is all that 8 lanes of 4 bytes need, 4 those of a warp.
RATIOS = (
    ("load sectors", ("global_load_sectors",), ("global_load_requests",)),
    ("store sectors", ("global_store_sectors",), ("global_store_requests",)),
    ("bank conflicts", ("shared_load_wavefronts", "shared_store_wavefronts"), ("shared_load_requests", "shared_store_requests")),
    ("lanes", ("accesses",), REQUESTS),
)
REMEDY = "run a program that `kernelgate nvcc` built as checked or counting"


def _sum_of(kernel, counters):
    counts = {**object_of(kernel, "counters"), "accesses": kernel.get("accesses", 0)}
    return sum(counts.get(counter, 0) for counter in counters)


def _ratio(kernel, above, below):
    requests = _sum_of(kernel, below)
    value = _sum_of(kernel, above) / requests if requests else math.nan
    return Figure(UNKNOWN if math.isnan(value) else f"{value:.2f}", value)


def _extent(sizes):
    """ "4", or "4,2"."""
    return ",".join(str(size) for place, size in enumerate(sizes) if place == 0 or any(more > 1 for more in sizes[place:]))


def _table(kernels):
    table = Table([Column("kernel"), Column("grid"), Column("block"), *(Column(title, right=True) for title, *_ in (*COUNTS, *RATIOS))])
    for kernel in kernels:
        counts = [_sum_of(kernel, counters) for _, counters in COUNTS]
        table.add(text_of(kernel, "name"), *(_extent(list_of(kernel, axis)) for axis in ("grid", "block")), *(Figure(show_figure(count), count) for count in counts),
                  *(_ratio(kernel, above, below) for _, above, below in RATIOS))
    return table


def add_arguments(parser):
    parser.add_argument("--counters", action="store_true", help="print a table of the kernels' counters at the end, by the shape of "
                        "launches: sectors per global request, wavefronts per shared one, active lanes per request")
    parser.add_argument("--sample", type=int, metavar="N", help="launches of more than N million accesses run some blocks of each kind; "
                        "the program's results are then not valid")
    add_format(parser)
    parser.add_argument("--build", metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("--test", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("--tests", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("program", metavar="PROGRAM", nargs="?")
    parser.add_argument("words", nargs="*", metavar="ARGUMENT", help="of the program; after -- those that begin with a dash")
    parser.epilog = """\
exit: the program's own; 66 with findings (KERNELGATE_OPTIONS=exitcode=N: another); 128 and
the signal's number where one ended it; 2 an error
"""


def _run_test(build, name):
    """Runs one of CTest's tests, and leaves its verdicts."""
    refuse_hidden_filter(is_strict())
    # The name of a program has no dot.
    kind, program = (name.split(".") + [""])[:2]
    test = added_tests(build, (kind,), program).get(name)
    if test is None:
        raise Failure(f"run: there is no test {name} in {build}: configure it again, and build it")
    begun = time.monotonic()
    verdicts = {"schema": VERDICTS_SCHEMA, "test": name, "complete": True}
    try:
        if not test.may_be_taken_by(setting("KG_FILTER") or ""):
            verdicts.update(skipped="KG_FILTER leaves no case", skipped_by="filter")
        elif test.kind == GPU and (gpu := find_gpu()).state != "usable":
            verdicts.update(skipped=gpu.text, skipped_by="unavailable")
        else:
            with stoppable():
                document = test.run(gpu.text.partition(",")[0] if test.kind == GPU else "")
            sys.stdout.buffer.write(document["run"]["output"].encode())
            sys.stdout.flush()
            verdicts = judge(document)
    except Failure as failure:
        verdicts["errors"] = [str(failure)]
    verdicts["seconds"] = round(time.monotonic() - begun, 3)
    return leave_verdicts("run", verdicts)


def _run_program(options):
    program = options.program if "/" in options.program else f"./{options.program}"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/counters.json"
        given = [os.environ.get("KERNELGATE_OPTIONS"), f"counters={path}" if options.counters else None,
                 None if options.sample is None else f"sample={options.sample}"]
        environment = {**os.environ, "KERNELGATE_OPTIONS": ":".join(filter(None, given))}
        sys.stdout.flush()
        # A form that a program reads is alone on standard output.
        output = sys.stderr if options.counters and options.format != "text" else None
        code = subprocess.run([program, *options.words], env=environment, stdout=output, check=False).returncode
        if options.counters:
            if not os.path.exists(path):
                raise Failure(f"run: {options.program}: it left no counters: {REMEDY}")
            document = read_json(path, REMEDY)
            kernels = list_of(document, "kernels")
            if not kernels:
                raise Failure(f"run: {options.program}: no kernel was counted: {REMEDY}, with arguments that launch one")
            print_output("counters", json_text(document) if options.format == "json" else _table(kernels).format(options.format))
    return code if code >= 0 else 128 - code


def main(options):
    if options.tests:
        print_output("run", "".join(f"{test.kind} {test.program['name']} {test.part} {test.program['timeout']}\n"
                                    for test in added_tests(options.build).values()))
        return 0
    if options.test is not None:
        return _run_test(options.build, options.test)
    if options.program is None:
        raise Failure("run: which program? Name one that `kernelgate nvcc` built")
    if not os.access(options.program, os.X_OK) or os.path.isdir(options.program):
        what = "no program that can be run" if os.path.exists(options.program) else "no such file"
        raise Failure(f"run: {options.program}: {what}: build it by `kernelgate nvcc`")
    return _run_program(options)
