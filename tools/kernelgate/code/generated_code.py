# SPDX-License-Identifier: MIT
"""nvcc's generated code for the kernels of each case, by architecture: from a build's cubins, which need no GPU, and
the launches that the CPU model lists."""

import glob
import json
import math
import os
import re

from kernelgate.base.case_id import demangle, plain_part
from kernelgate.base.errors import Failure, Unavailable, os_errors_as
from kernelgate.base.figures import plural
from kernelgate.base.json_io import integer_of, list_of, member, object_of, read_json, text_of
from kernelgate.code.cuda_tools import ask, file_of, is_placed
from kernelgate.base.programs import MODEL
from kernelgate.base.run_tool import run_tool
from kernelgate.code.cubin import plain_name, read_kernels
from kernelgate.code.occupancy_limits import calculate

# The compiled parts of the configured build: {"nvcc", "judged", "programs", "own", "sources": {"90": {"matmul_f32": {"tiled":
# "kernels/matmul_f32/tiled.cu"}}}}, by architecture, comparison and cubin. own: an architecture with instructions of its own has the
# GPU-only files.
BUILD_FILE = "kernelgate.code"
PART = "code"
LAUNCHES = ".launches.json"  # suites/NAME.launches.json: "cases" of NAME.gpu --launches, for variants that the model lacks
NVCC_SECONDS = 60
OF_KERNEL = ("registers", "local_bytes", "spill_stores", "spill_loads", "code_bytes", "instructions")
ENTRY = re.compile("Compiling entry function '([^']+)' for")
SPILLS = re.compile("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads")


def key_of(architecture):
    return f"sm_{architecture}"


def number_of(architecture):
    """The number of an architecture, 90 of "90a", whose instructions include some that no other architecture has."""
    return int(architecture.rstrip("a"))


class CodeBuild:
    """A build folder that compiles cubins. Unavailable if it has none."""

    def __init__(self, folder):
        self.folder = folder
        path = os.path.join(folder, BUILD_FILE)
        if not os.path.exists(path):
            raise Unavailable(f"{folder} compiles no code, since no baseline names an architecture, or there is no nvcc: record one "
                              "with kernelgate rebaseline --target sm --arch 90, or install the CUDA Toolkit and configure again")
        document = read_json(path, "configure the build again")
        self._nvcc = text_of(document, "nvcc")
        self.judged = list_of(document, "judged")
        self._sources, self._own = object_of(document, "sources"), member(document, "own") is True
        self.architectures = list(self._sources)
        self._programs = list_of(document, "programs")  # those of the comparisons that kg_add_program() gates
        self._listings = {}  # by comparison

    def comparisons(self, architecture):
        return list(object_of(self._sources, architecture))

    def tests(self):
        """The names of the tests, each with its architecture and comparison."""
        return {f"{key_of(architecture)}.{comparison}.{PART}": (architecture, comparison)
                for architecture in self.judged for comparison in self.comparisons(architecture)}

    def is_program(self, comparison):
        return comparison in self._programs

    def toolkit(self):
        """The version of nvcc: "13.0.88"."""
        done = run_tool([self._nvcc, "--version"], NVCC_SECONDS)
        found = re.search(r"\bV([0-9]+(?:\.[0-9]+)+)", done.stdout) if done is not None else None
        if found is None:
            raise Unavailable(f"{self._nvcc} --version tells no version: install the CUDA Toolkit, and configure again")
        return found[1]

    def _listing(self, comparison):
        if comparison not in self._listings:
            self._listings[comparison] = ask(os.path.join(self.folder, f"{comparison}{MODEL}"))
        return self._listings[comparison]

    def launches(self, architecture, comparison):
        """The launches of a comparison's cases: those that its program for the CPU model lists, and those that this model
        lacks, from the list next to its suite. If an architecture has instructions of its own, it has those of the files that ask for
        them, and other architectures the rest."""
        listing = self._listing(comparison)
        for entry in list_of(listing, "failed"):
            raise Failure(f"{text_of(entry, 'case')}: its launch is not known: {text_of(entry, 'why')}")
        listed = [{**launch, "file": file_of({"comparison": comparison}, launch)} for launch in list_of(listing, "cases")]
        if self._own:
            specific = {name for other in self._sources if not other.isdigit() for name in self._sources_of(other, comparison)}
            listed = [launch for launch in listed if (launch["file"] in specific) != architecture.isdigit()]
        if architecture.isdigit() and self._own:
            return listed
        return [*listed, *({**launch, "file": file_of({"comparison": comparison}, launch)} for launch in self._recorded(comparison))]

    def _recorded(self, comparison):
        """The launches in the list next to a suite of the cases that the CPU model refuses, if there is such a list."""
        listing = self._listing(comparison)
        path = os.path.join(text_of(listing, "home"), "suites", f"{comparison}{LAUNCHES}")
        refused = {text_of(entry, "case") for entry in list_of(listing, "refused")}
        return [launch for launch in _read_launches(path, comparison) if launch["case"] in refused] if os.path.exists(path) else []

    def notes(self, architecture, comparison):
        """What is not judged: GPU-only cases without a recorded launch, as those that start a library's kernels are."""
        if architecture.isdigit():
            return []
        recorded = {launch["case"] for launch in self._recorded(comparison)}
        missing = [text_of(entry, "case") for entry in list_of(self._listing(comparison), "refused")
                   if member(entry, "gpu_only") is True and entry["case"] not in recorded]
        return [f"{plural(len(missing), 'GPU-only case')} without a launch in suites/{comparison}{LAUNCHES}, first {missing[0]}: their "
                f"code is not judged; {comparison}.gpu --launches lists them"] if missing else []

    def _program(self, architecture, name):
        """The figures of each kernel of a program, whose launches no table gives."""
        sources = self._sources_of(architecture, name)
        known = self.kernels(architecture, name, sources)
        cases = {}
        for ((file, plain), kernel), words in zip(known.items(), demangle([kernel for _, kernel in known])):
            cases.setdefault(f"{name}/{PART}/{plain_part(words)}/-", []).append({
                "kernel": plain, "file": file, "source": sources[file], "shared_bytes": kernel["static_shared"],
                **{key: kernel[key] for key in OF_KERNEL if key in kernel}})
        return cases

    def cases(self, architecture, comparison):
        if self.is_program(comparison):
            return list(self._program(architecture, comparison))
        return list(dict.fromkeys(launch["case"] for launch in self.launches(architecture, comparison)))

    def _sources_of(self, architecture, comparison):
        return object_of(object_of(self._sources, architecture), comparison)

    def _cubin(self, architecture, comparison, file):
        return os.path.join(self.folder, PART, key_of(architecture), comparison, f"{file}.cubin")

    def files(self, target, comparison):
        """What nvcc left of a comparison's kernels: their code, and what ptxas reports of it."""
        folder = glob.escape(os.path.join(self.folder, PART, target, comparison))
        return sorted(path for end in ("cubin", "ptxas") for path in glob.glob(os.path.join(folder, f"*.{end}")))

    def kernels(self, architecture, comparison, files):
        """The figures of nvcc's code, by (file, plain name)."""
        return {(file, plain_name(kernel["name"])): kernel for file in files
                for kernel in _read_file(self._cubin(architecture, comparison, file))}

    def figures(self, architecture, comparison):
        """The figures of each case's kernels in the order of their launches: {case: [figures]}."""
        if self.is_program(comparison):
            return self._program(architecture, comparison)
        launches, sources = self.launches(architecture, comparison), self._sources_of(architecture, comparison)
        named = dict.fromkeys(launch["file"] for launch in launches)  # after the launchers; others may have the kernels
        known = self.kernels(architecture, comparison, named if named.keys() <= sources.keys() else sources)
        cases = figures_of(launches, known, number_of(architecture))
        for figures in (figures for launched in cases.values() for figures in launched):
            figures["source"] = sources[figures["file"]]
        return cases


def figures_of(launches, known, architecture):
    """The figures of each case's kernels, from those known by (file, plain name), in the order of their launches:
    {case: [figures]}. Figures that only ptxas reports are there for cubins."""
    places = [_place_of(known, launch) for launch in launches]
    found = [(launch, known[place]) for launch, place in zip(launches, places)]
    needs = [(architecture, kernel["registers"], kernel["static_shared"], integer_of(launch, "dynamic_shared"),
              math.prod(launch["block"])) for launch, kernel in found]
    cases = {}
    for (file, _), (launch, kernel), answer in zip(places, found, calculate(needs)):
        cases.setdefault(launch["case"], []).append({
            "kernel": plain_name(kernel["name"]), "file": file, "threads": math.prod(launch["block"]),
            "blocks": math.prod(launch["grid"]),
            "shared_bytes": kernel["static_shared"] + integer_of(launch, "dynamic_shared"),
            "occupancy": answer.get("occupancy", 0),  # a kernel that cannot be launched has none
            **{key: kernel[key] for key in OF_KERNEL if key in kernel}})
    return cases


def _read_launches(path, comparison):
    """The launches in a recorded list."""
    remedy = f"write it with {comparison}.gpu --launches"
    launches = list_of(read_json(path, remedy), "cases")
    for launch in launches:
        if not (text_of(launch, "case").startswith(f"{comparison}/") and text_of(launch, "kernel") and is_placed(launch)):
            raise Failure(f"{path}: a launch of it lacks its case, kernel, grid or block: {remedy}")
    return launches


def _read_file(cubin):
    """The kernels of one file, with the spilled bytes that ptxas reported."""
    log = f"{os.path.splitext(cubin)[0]}.ptxas"
    with os_errors_as(f"{log}: cannot be read", "build the target kernel_code"), open(log, encoding="utf-8", errors="replace") as stream:
        spills = read_spills(stream.read())
    for kernel in read_kernels(cubin):
        if kernel["name"] not in spills:
            raise Failure(f"{log}: ptxas does not say what {kernel['name']} spills: remove the file, and build the target "
                          "kernel_code")
        yield {**kernel, **spills[kernel["name"]]}


def read_spills(text):
    """The spills of each kernel and the functions that it calls, from ptxas -v."""
    spills = {}
    parts = ENTRY.split(text)
    for name, said in zip(parts[1::2], parts[2::2]):
        found = SPILLS.findall(said)
        if found:
            spills[name] = {"spill_stores": sum(int(stores) for stores, _ in found),
                            "spill_loads": sum(int(loads) for _, loads in found)}
    return spills


def find_kernel(known, launch):
    """The kernel of a launch: of its launcher's file, or the only one of its name."""
    return known[_place_of(known, launch)]


def _place_of(known, launch):
    name = plain_name(text_of(launch, "kernel"))
    own = (launch["file"], name)
    named = [place for place in known if place[1] == name]
    if own not in known and len(named) != 1:
        raise Failure(f"{launch['case']}: kernel {text_of(launch, 'kernel')} is "
                      f"{'in several files' if named else 'not among those compiled'}: build the target kernel_code")
    return own if own in known else named[0]


WORDS = {"barrier": "barriers", "atomic": "global atomics", "shared_atomic": "shared atomics", "matrix_load": "matrix loads",
         "kernels": "kernels of the launch"}


def class_words(name):
    """ "128-bit global loads" for "global_load_128"."""
    words, _, width = name.rpartition("_")
    if width.isdigit():
        return f"{width}-bit {words.replace('_', ' ').replace('copy', 'copie')}s"
    return WORDS.get(name, name.upper())


def json_line(value):
    return json.dumps(value, ensure_ascii=False)
