"""`kernelgate run`: runs a program that `kernelgate nvcc` built, and prints what its kernels cost, as a profiler does."""

import math
import os
import subprocess
import sys
import tempfile

from kernelgate.base.columns import UNKNOWN, Column, Figure, Table
from kernelgate.base.command_line import add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import show_figure
from kernelgate.base.json_io import json_text, list_of, object_of, read_json, text_of

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


def _table(kernels):
    table = Table([Column("kernel"), *(Column(title, right=True) for title, *_ in (*COUNTS, *RATIOS))])
    for kernel in kernels:
        counts = [_sum_of(kernel, counters) for _, counters in COUNTS]
        table.add(text_of(kernel, "name"), *(Figure(show_figure(count), count) for count in counts),
                  *(_ratio(kernel, above, below) for _, above, below in RATIOS))
    return table


def add_arguments(parser):
    parser.add_argument("--counters", action="store_true", help="print a table of the kernels' counters at the end: sectors per "
                        "global request, wavefronts per shared one, active lanes per request")
    parser.add_argument("--sample", type=int, metavar="N", help="launches of more than N million accesses run some blocks of each kind; "
                        "the program's results are then not valid")
    add_format(parser)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("words", nargs="*", metavar="ARGUMENT", help="of the program; after -- those that begin with a dash")


def main(options):
    if not os.access(options.program, os.X_OK) or os.path.isdir(options.program):
        raise Failure(f"run: {options.program}: no program that can be run: build it by `kernelgate nvcc`")
    program = options.program if "/" in options.program else f"./{options.program}"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/counters.json"
        given = [os.environ.get("KERNELGATE_OPTIONS"), f"counters={path}" if options.counters else None,
                 None if options.sample is None else f"sample={options.sample}"]
        environment = {**os.environ, "KERNELGATE_OPTIONS": ":".join(filter(None, given))}
        sys.stdout.flush()
        code = subprocess.run([program, *options.words], env=environment, check=False).returncode
        if options.counters:
            if not os.path.exists(path):
                raise Failure(f"run: {options.program}: it left no counters: {REMEDY}")
            document = read_json(path, REMEDY)
            kernels = list_of(document, "kernels")
            if not kernels:
                raise Failure(f"run: {options.program}: no kernel was counted: {REMEDY}, with arguments that launch one")
            print_output("counters", json_text(document) if options.format == "json" else _table(kernels).format(options.format))
    return code if code >= 0 else 128 - code
