# SPDX-License-Identifier: MIT
"""kernelgate occupancy: prints the occupancy of each launch and what limits it, for any GPU."""

import math
import os
import sys
import tempfile
from dataclasses import dataclass

from kernelgate.base.case_id import parts_of
from kernelgate.baseline.file import open_named
from kernelgate.base.command_line import add_filter, add_format, print_output
from kernelgate.base.errors import Failure, Unavailable, complain
from kernelgate.base.json_io import integer_of, is_number, json_text, list_of, member, number_of, text_of
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.base.run_tool import run_tool
from kernelgate.base.programs import GPU, MODEL, comparison_of, find_build, find_programs, hint_of_nearest, takes
from kernelgate.code.cuda_tools import COMPILING_SECONDS, ask, capability, file_of, find_tool, read_architectures
from kernelgate.code.occupancy_limits import calculate
from kernelgate.code.resource_usage import Ambiguous, Resources, Usage
from kernelgate.base.columns import Column, Figure, Table

SCHEMA = "kernelgate-occupancy/1"
SIZES_NAMED = 3  # more are counted
COLUMNS = (Column("arch"), Column("case"), Column("sizes"), Column("kernel", csv_only=True), Column("registers", right=True),
           Column("shared", right=True), Column("dynamic", right=True, csv_only=True), Column("local", right=True),
           Column("threads", right=True), Column("blocks", right=True), Column("warps", right=True),
           Column("occupancy", right=True), Column("limited by"))
UNITS = ("", "B", "B", "B", "", "", "")  # of Row.figures()


@dataclass(frozen=True)
class Row:
    """One kernel of a launch of a case on an architecture."""

    case: str
    architecture: int  # 90 is 9.0
    launch: dict  # as listed by its program
    resources: Resources
    by_driver: bool
    calculated: dict  # by the toolkit's calculator; empty if it fails

    @property
    def threads(self):
        return math.prod(self.launch["block"])

    @property
    def shared(self):
        """All the shared memory of a block."""
        return self.resources.static_shared + integer_of(self.launch, "dynamic_shared")

    @property
    def blocks(self):
        return integer_of(self.launch, "blocks_per_multiprocessor") if self.by_driver else self.calculated["blocks"]

    @property
    def occupancy(self):
        return max(0.0, number_of(self.launch, "occupancy")) if self.by_driver else self.calculated["occupancy"]

    @property
    def limits(self):
        return list_of(self.calculated, "limited_by")

    def figures(self):
        return (self.resources.registers, self.shared, integer_of(self.launch, "dynamic_shared"), self.resources.local_bytes,
                self.threads, self.blocks, integer_of(self.calculated, "warps"))

    def group(self):
        """The common part of rows that differ only in the size."""
        comparison, variant, _, launch = parts_of(self.case)
        return self.architecture, f"{comparison}/{variant}/*/{launch}", text_of(self.launch, "kernel"), self.figures()


class Found:
    """The launches of a build's programs, and their rows."""

    def __init__(self):
        self.listings = []
        self.rows = []
        self.without_kernel = 0
        self.unknown = 0  # each was complained about
        self.source = ""


class Gathering:
    """Gathers the rows of a build's launches."""

    def __init__(self, build, globs, architectures):
        self._build = build
        self._globs = globs
        self._architectures = architectures
        self._usage = {}  # by comparison

    def takes(self, case):
        return takes(self._globs, case)

    def gather(self):
        found = None if self._architectures else self._from_driver()
        if found is None:
            found = self._without_gpu()
        if not found.rows and not found.unknown:
            self._refuse_filter(found)
        return found

    def _ask_all(self, suffix):
        """The lists of the programs of one kind; None without such programs, or without a device."""
        found = Found()
        for program in find_programs(self._build, suffix):
            listing = ask(program)
            if listing is None:
                return None
            for entry in list_of(listing, "failed"):
                if self.takes(text_of(entry, "case")):
                    complain(f"occupancy: {text_of(entry, 'case')}: {text_of(entry, 'why')}")
                    found.unknown += 1
            found.without_kernel += sum(isinstance(case, str) and self.takes(case) for case in list_of(listing, "without"))
            found.listings.append(listing)
        return found if found.listings else None

    def _taken(self, listing):
        return [launch for launch in listing["cases"] if self.takes(launch["case"])]

    def _add_rows(self, found, architecture, launches, by_driver):
        """Adds a row for each (launch, resources)."""
        results = calculate([(architecture, resources.registers, resources.static_shared, integer_of(launch, "dynamic_shared"),
                              math.prod(launch["block"])) for launch, resources in launches])
        for (launch, resources), result in zip(launches, results):
            if "why" in result and not by_driver:
                complain(f"occupancy: {launch['case']} on sm_{architecture}: {result['why']}")
                found.unknown += 1
                continue
            found.rows.append(Row(launch["case"], architecture, launch, resources, by_driver, {} if "why" in result else result))

    def _from_driver(self):
        found = self._ask_all(GPU)
        if found is None:
            return None
        target = member(found.listings[0], "target")
        keys = ("registers", "static_shared", "local_bytes")
        launches = [(launch, Resources(*(integer_of(launch, key) for key in keys)))
                    for listing in found.listings for launch in self._taken(listing)]
        self._add_rows(found, capability(target), launches, True)
        found.source = f"from the driver of this machine's {text_of(target, 'name')}"
        return found

    def _without_gpu(self):
        found = self._ask_all(MODEL)
        if found is None:
            raise Failure(f"occupancy: {self._build} has no program for the CPU model, which knows the launches: build it again")
        self._read_programs()
        architectures = list(dict.fromkeys(self._architectures or [architecture for usage in self._usage.values()
                                                                   for architecture in usage.architectures()]))
        if not architectures:
            self._refuse_unknown()
        for architecture, probe in zip(architectures, calculate([(known, 16, 0, 0, 32) for known in architectures])):
            if "why" in probe:
                raise Failure(f"occupancy: {probe['why']}")
            launches = []
            for listing in found.listings:
                self._compile_missing(listing, architecture)
                for launch in self._taken(listing):
                    resources = self._find_resources(listing, launch, architecture, found)
                    launches += [(launch, resources)] if resources else []
            self._add_rows(found, architecture, launches, False)
        found.source = "calculated without a GPU, from ptxas and cuda_occupancy.h"
        return found

    def _read_programs(self):
        """Reads the compiler's figures of the GPU programs' kernels."""
        for program in find_programs(self._build, GPU):
            usage = self._usage[comparison_of(program)] = Usage()
            usage.add(program)

    def _find_resources(self, listing, launch, architecture, found):
        kernel = text_of(launch, "kernel")
        try:
            resources = self._usage[text_of(listing, "comparison")].find(architecture, kernel, file_of(listing, launch))
            why = f"kernel {kernel} is not among those compiled: build again"
        except Ambiguous:
            resources, why = None, f"several kernels are named {kernel}: give them different names"
        if resources is None:
            complain(f"occupancy: {launch['case']} on sm_{architecture}: {why}")
            found.unknown += 1
        return resources

    def _compile_missing(self, listing, architecture):
        """Compiles kernels that the programs lack for an architecture."""
        comparison = text_of(listing, "comparison")
        usage = self._usage.setdefault(comparison, Usage())
        files = list(dict.fromkeys(file_of(listing, launch) for launch in self._taken(listing)))
        if not files or architecture in usage.architectures():
            return
        nvcc = find_tool("nvcc")
        if nvcc is None:
            raise Unavailable(f"occupancy: {comparison}.gpu has no code for sm_{architecture}, and there is no nvcc to compile it: "
                              "install the CUDA Toolkit, or build for that architecture")
        with tempfile.TemporaryDirectory(prefix="kernelgate-occupancy.") as folder:
            for file in files:
                if sys.stderr.isatty():
                    complain(f"compiling {comparison}/{file}.cu for sm_{architecture}")
                source = os.path.join(text_of(listing, "home"), "kernels", comparison, f"{file}.cu")
                cubin = os.path.join(folder, f"{file}.cubin")
                done = run_tool([nvcc, "-std=c++17", "-cubin", f"-arch=sm_{architecture}", f"-I{text_of(listing, 'include')}",
                                 "-o", cubin, source], COMPILING_SECONDS)
                if done is None or done.returncode != 0:
                    said = done.stdout[:300].strip() if done else "nvcc cannot be run, or takes too long"
                    raise Failure(f"occupancy: {source} does not compile for sm_{architecture}: {said}")
                usage.add(cubin, file)

    def _refuse_unknown(self):
        if not find_programs(self._build, GPU):
            raise Unavailable(f"occupancy: {self._build} has no GPU program to take the architectures from: name some with --arch, "
                              "as in --arch 90")
        raise Unavailable(f"occupancy: the GPU programs in {self._build} contain no machine code, or compressed: name architectures "
                          "with --arch for nvcc to compile")

    def _refuse_filter(self, found):
        cases = [launch["case"] for listing in found.listings for launch in listing["cases"]]
        raise Failure("occupancy: the filter leaves none of the cases that start a kernel"
                      f"{hint_of_nearest(self._globs, cases)}: give another, or none")


def name_limits(limits):
    """ "threads, registers and blocks"."""
    return " and ".join(filter(None, (", ".join(limits[:-1]), *limits[-1:])))


def cells_of(row, name, sizes):
    limits = name_limits(row.limits) if row.blocks > 0 else "cannot be launched"
    figures = [Figure(show_figure(figure, unit), figure) for figure, unit in zip(row.figures(), UNITS)]
    return [f"sm_{row.architecture}", name, sizes, text_of(row.launch, "kernel"), *figures,
            Figure(show_percent(row.occupancy), row.occupancy), limits]


def size_of(row):
    return parts_of(row.case)[2]


def table_of(rows, form):
    """One line per row in CSV, else per group of rows that differ only in the size."""
    if form == "csv":
        return Table(COLUMNS, [cells_of(row, row.case, size_of(row)) for row in rows]).format(form)
    groups = {}
    for row in rows:
        groups.setdefault(row.group(), []).append(row)
    table = Table(COLUMNS)
    for (_, name, *_), group in groups.items():
        sizes = list(map(size_of, group))
        more = f" and {len(sizes) - SIZES_NAMED} more" if len(sizes) > SIZES_NAMED else ""
        table.add(*cells_of(group[0], name if len(group) > 1 else group[0].case, ", ".join(sizes[:SIZES_NAMED]) + more))
    return table.format(form)


def summary_of(found):
    without = found.without_kernel
    text = f"{plural(len(found.rows), 'launch', 'es')}, {found.source}"
    return text + (f"; {plural(without, 'case')} start{'s' if without == 1 else ''} no kernel\n" if without else "\n")


def document_of(found):
    return {"schema": SCHEMA, "source": found.source, "launches": [{
        "case": row.case, "architecture": row.architecture, "kernel": text_of(row.launch, "kernel"), "grid": row.launch["grid"],
        "block": row.launch["block"], "threads": row.threads, "registers": row.resources.registers,
        "local_bytes": row.resources.local_bytes, "shared_bytes": row.shared,
        "dynamic_shared": integer_of(row.launch, "dynamic_shared"),
        "blocks_per_multiprocessor": row.blocks, "occupancy": row.occupancy, "limited_by": row.limits,
        "source": "driver" if row.by_driver else "cuda_occupancy.h"} for row in found.rows]}


def read_baseline(name):
    """A GPU's baseline, given by its key or its file."""
    baseline = open_named(name)
    if baseline.is_model:
        raise Failure(f"occupancy: {baseline.path} is the CPU model's, which has no machine code: name a GPU's baseline")
    return baseline


def differences(row, code):
    """A line for each figure of a row that differs from the baseline's; an absent one is not a difference."""
    figures = {"registers": row.resources.registers, "local_bytes": row.resources.local_bytes, "shared_bytes": row.shared,
               "occupancy": row.occupancy}
    return "".join(f"{row.case}: {key} is {figure:g}, the baseline's {code[key]:g}\n" for key, figure in figures.items()
                   if is_number(member(code, key)) and code[key] != figure)


def compare(rows, baseline):
    """The differences from a baseline, and the exit code."""
    architecture = capability(baseline.target)
    first = {row.case: row for row in reversed(rows) if row.architecture == architecture}
    found = [differences(first[case.id], case.code) for case in baseline.cases.values() if case.code is not None and case.id in first]
    if not found:
        raise Failure(f"occupancy: none of these launches has its code in {baseline.path}: use --arch {architecture}")
    differing = sum(map(bool, found))
    return (f"{''.join(found)}{len(found) - differing} cases as in {baseline.path}, recorded on {text_of(baseline.target, 'name')}; "
            f"{differing} differ\n", 1 if differing else 0)


def count_disputed(rows):
    """Reports the rows where the driver and the calculator differ."""
    disputed = [row for row in rows if row.by_driver and row.limits and row.calculated["blocks"] != row.blocks]
    for row in disputed:
        complain(f"occupancy: {row.case}: {row.blocks} blocks per multiprocessor by the driver, {row.calculated['blocks']} by "
                 "cuda_occupancy.h")
    return len(disputed)


def add_arguments(parser):
    add_filter(parser)
    parser.add_argument("--arch", metavar="N,...",
                        help="for these architectures, 90 for sm_90 (default: the GPU here, else those of the build)")
    parser.add_argument("--build", metavar="DIR", help="the folder of the programs (default: this command's build)")
    add_format(parser)
    parser.add_argument("--against", metavar="BASELINE", help="print only differences from a GPU's baseline")
    parser.epilog = """\
With a GPU, its driver is asked. Without one, or with --arch, launches come from the CPU
model, registers and memory from the GPU programs' code or from nvcc, which compiles for
any architecture, and the rest from the CUDA Toolkit's cuda_occupancy.h.
FILTER is a list of globs on case ids; one without its last parts matches all that begin
so; KG_FILTER also applies. Shared memory is per block, local memory per thread.
exit: 0 printed; 1 --against found a difference, or the driver and the header differ; 2
an error, or the filter matches nothing; 77 a tool is missing
"""


def main(options):
    form = options.format
    architectures = list(map(int, read_architectures(options.arch)))
    folder, paths = find_build(options.build, GPU, MODEL)
    if not paths:
        raise Failure(f"occupancy: {folder} has no program of a comparison (NAME.gpu, NAME.model): build them (cmake --workflow "
                      "--preset cpu), or name their folder with --build")
    baseline = read_baseline(options.against) if options.against else None
    if baseline and not architectures:
        architectures = [capability(baseline.target)]
    found = Gathering(folder, options.filter or "", architectures).gather()
    code = 0
    if baseline:
        text, code = compare(found.rows, baseline)
    elif form == "json":
        text = json_text(document_of(found))
    else:
        text = table_of(found.rows, form) + ("" if form == "csv" else "\n" + summary_of(found))
    print_output("occupancy", text)
    if form == "csv" and not baseline:
        sys.stderr.write(summary_of(found))  # not a row
    if count_disputed(found.rows) and code == 0:
        code = 1
    return 2 if found.unknown else code
