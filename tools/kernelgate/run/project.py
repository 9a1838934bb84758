# SPDX-License-Identifier: MIT
"""The project that is gated: the folder in KG_PROJECT, else the current one; and the environment that a run depends
on."""

import glob
import os
import re

from kernelgate.base.errors import Failure
from kernelgate.base.files import own_file
from kernelgate.base.settings import setting


class Project:
    def __init__(self):
        # Everything started from here on is for this project, and needs no KG_PROJECT.
        named = os.environ.pop("KG_PROJECT", None) or "."
        self.home = os.path.realpath(os.path.join(os.path.dirname(own_file("../../ci/setup")), ".."))
        self.root = os.path.realpath(named)
        self.is_own = self.root == self.home  # kernelgate's own tree, not a project that uses it
        command = os.environ.get("KG__COMMAND", "")
        if not os.path.exists(os.path.join(self.home, "CMakeLists.txt")) and command:
            # Build the project with the copy of kernelgate that this command belongs to.
            os.environ["kernelgate_ROOT"] = os.path.dirname(os.path.dirname(command))
        if not os.path.isfile(os.path.join(self.root, "CMakePresets.json")):
            raise Failure(f"{self.root} is not a project to gate, since it has no CMakePresets.json: run this in the project's "
                          "folder, or name it in KG_PROJECT; a new project copies that of examples/own-kernels")
        parallel_tests(1)

    def folder(self, preset):
        return os.path.join(self.root, "build", preset)

    def shown(self, path):
        """A path relative to the project's folder, if it is below it."""
        return os.path.relpath(path, self.root) if path.startswith(self.root + os.sep) else path

    def command(self, preset):
        """The command kernelgate that a preset was built with."""
        try:
            with open(os.path.join(self.folder(preset), "kernelgate.path"), encoding="utf-8", errors="surrogateescape") as file:
                return self.shown(file.read().rstrip("\n"))
        except OSError:
            parts = glob.glob("*/**/kernelgate.path", root_dir=self.folder(preset), recursive=True)
            if parts:
                raise Failure(f"the gate is that of {os.path.dirname(parts[0])}/, whose CMakeLists.txt has a project() of its own: "
                              "call kg_add_program() and kg_add_comparison() outside of it") from None
            raise Failure("the project has no gate: end its CMakeLists.txt with kg_finish_gate()") from None

    def programs(self, preset, suffix=""):
        """The programs of a preset, as listed by the build: leftovers of another commit are not among them."""
        try:
            with open(os.path.join(self.folder(preset), "kernelgate.programs"), encoding="utf-8", errors="surrogateescape") as file:
                return [line for line in file.read().split("\n") if line and line.endswith(suffix)]
        except OSError:
            return []


def need_baselines():
    """The absolute path in KG_BASELINES."""
    folder = setting("KG_BASELINES")
    if not os.path.isdir(folder):
        raise Failure(f"KG_BASELINES='{folder}' is not a folder: set it to the folder of the baselines, or unset it")
    return os.path.abspath(folder)


def parallel_tests(least):
    """How many tests ctest runs at a time: CTest's own variable, else one per processor, and at least `least`, for
    the boards."""
    level = setting("CTEST_PARALLEL_LEVEL")
    if level is not None and not re.fullmatch("[1-9][0-9]{0,5}", level):
        raise Failure(f"CTEST_PARALLEL_LEVEL='{level}' is not a number of tests: set it to 1 or more, or unset it")
    return level or str(max(len(os.sched_getaffinity(0)), least))
