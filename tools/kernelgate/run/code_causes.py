# SPDX-License-Identifier: MIT
"""How the code and the launch of a slower case differ from those of the base's build or, without one, of the baseline of its
architecture: the figures and, with a base and a disassembler, the lines of SASS."""

import os
from collections import namedtuple

from kernelgate.base.case_id import comparison_of_case
from kernelgate.code import sass
from kernelgate.baseline.file import default_folder
from kernelgate.code.code_baseline import read, why_not_comparable
from kernelgate.code.code_verdicts import describe_moves, judge_cases
from kernelgate.base.errors import Failure
from kernelgate.code.generated_code import CodeBuild, figures_of, find_kernel, number_of
from kernelgate.code.cuda_tools import ask, capability, file_of
from kernelgate.base.programs import GPU
from kernelgate.code.cubin import plain_name, read_kernels
from kernelgate.base.settings import setting

# The figures that moved, lists of lines, and why the lines are unknown.
Difference = namedtuple("Difference", "text came went why")


def _list_launches(program):
    listing = ask(program) or {"cases": []}
    return [{**launch, "file": file_of(listing, launch)} for launch in listing["cases"]]


class _Build:
    """The kernels in the programs of a build folder for an architecture, as launched by its cases. Empty if a
    program or its launches cannot be read: a missing cause must not be an error."""

    def __init__(self, folder, architecture, list_launches=None):
        self._folder = folder
        self._architecture = architecture
        self._list_launches = list_launches or (lambda comparison: _list_launches(self.program(comparison)))
        self._read = {}  # by comparison: the launches and the kernels

    def program(self, comparison):
        return os.path.join(self._folder, comparison + GPU)

    def _read_comparison(self, comparison):
        if comparison not in self._read:
            kernels = {(number, plain_name(kernel["name"])): kernel
                       for number, kernel in enumerate(read_kernels(self.program(comparison)))
                       if kernel["architecture"] == self._architecture}
            try:
                self._read[comparison] = self._list_launches(comparison), kernels
            except Failure:
                self._read[comparison] = [], kernels
        return self._read[comparison]

    def find(self, case):
        """The figures of a case's kernels, and the kernels' names in the program."""
        launches, kernels = self._read_comparison(comparison_of_case(case))
        launches = [launch for launch in launches if launch["case"] == case]
        try:
            return (figures_of(launches, kernels, self._architecture).get(case, []),
                    list(dict.fromkeys(find_kernel(kernels, launch)["name"] for launch in launches)))
        except Failure:
            return [], []


class _Architecture:
    """The differences of cases that run on GPUs of one architecture."""

    def __init__(self, build, architecture):
        base = setting("KG_BASE")
        self._architecture = architecture
        self._baseline = {}
        self._base = _Build(base, architecture) if base else None
        self._head = _Build(build, architecture, None if base else self._open_baseline(build))

    def _open_baseline(self, build):
        """Reads the baselines of generated code that have the build's nvcc; returns the function that lists a comparison's
        launches."""
        try:
            code = CodeBuild(build)
            keys = dict.fromkeys([str(self._architecture), *(key for key in code.architectures if number_of(key) == self._architecture)])
            for key in keys:
                baseline = read(default_folder(), key)
                if why_not_comparable(baseline, default_folder(), key, code.toolkit()) is None:
                    self._baseline.update(baseline.cases)
            return lambda comparison: [launch for key in keys if key.isdigit() or comparison in code.comparisons(key)
                                       for launch in code.launches(key, comparison)]
        except Failure:
            return None

    def compare(self, case):
        """The figures of a case's kernels before and now, and sass.compare()'s result; None if nothing is known."""
        before, names = self._base.find(case) if self._base else (self._baseline.get(case, []), [])
        if not before:
            return None
        now, own_names = self._head.find(case)
        comparison = comparison_of_case(case)
        lines = sass.compare(self._base.program(comparison), names, self._head.program(comparison), own_names,
                             self._architecture) if names and own_names else ([], [], None)
        return before, now, lines


def find_differences(build, cases):
    """The Difference of each (case, target) of a run, in order; None if nothing is known, or nothing differs."""
    architectures = {number: _Architecture(build, number) for number in {capability(target) for _, target in cases} if build and number}
    compared = [architectures[capability(target)].compare(case) if capability(target) in architectures else None
                for case, target in cases]
    judged = iter(judge_cases("results", "sm", [(case, *found[:2]) for (case, _), found in zip(cases, compared) if found and found[1]]))
    for found in compared:
        moves = next(judged)["moves"] if found and found[1] else []
        came, went, why = found[2] if found else ([], [], None)
        yield Difference(describe_moves(moves), came, went, why) if moves or came or went else None
