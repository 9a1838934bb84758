# SPDX-License-Identifier: MIT
"""Configures and builds a preset of a project. usage: python3 -m kernelgate.run.build PROCESS PRESET [TARGET...], for a script, which
then holds the build folder until it ends: PROCESS is its number"""

import contextlib
import itertools
import os
import re
import subprocess
import time

from kernelgate.base import run_lock
from kernelgate.base.command_line import run
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.contents import STALE_SECONDS, mark_stale
from kernelgate.base.steps import Console, elapsed, pass_on_errors, run_step, told_when_stopped
from kernelgate.run.gpu import find_nvcc
from kernelgate.run.project import Project

# Environment variables that a configured build depends on.
ENVIRONMENT = ("CC", "CXX", "CUDACXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CUDAFLAGS", "CUDAHOSTCXX", "CUDAARCHS", "NVCC_PREPEND_FLAGS",
               "NVCC_APPEND_FLAGS")
OTHERWISE = "work in a checkout of its own (git worktree add)"
COUNTER = re.compile(r"\[([0-9]+/[0-9]+)\] ")
# With several compilers running, the error can be far above the log's end: it follows the first FAILED line of Ninja.
FIRST_ERRORS = (re.compile("FAILED: |CMake Error"), re.compile("(^|.*[: ])error:"))
WARNING = re.compile("warning:|CMake Warning")
SHOWN_LINES = 40
SHOWN_WARNINGS = 10


def read_lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\r") for line in file.read().removesuffix("\n").split("\n")]


def fail_with_log(log, step):
    """Shows the errors in a log, and raises a Failure of the step."""
    lines = read_lines(log)
    begin = next((number for error in FIRST_ERRORS for number, line in enumerate(lines) if error.match(line)), None)
    part = "the last lines of the log"
    if begin is None:
        lines = lines[-SHOWN_LINES:]
    else:
        part = "the log, from its first error on"
        lines = [line for line in lines[begin:] if not COUNTER.match(line)][:SHOWN_LINES]
    pass_on_errors([f"--- {part}:", *lines])
    raise Failure(f"{step} failed: the whole log is in {log}")


class Build:
    """The build folder of a preset, which the caller must hold."""

    def __init__(self, project, preset, console):
        self.folder = project.folder(preset)
        self._project = project
        self._preset = preset
        self._console = console
        self._log = os.path.join(self.folder, "build.log")
        # Another project decides itself whether its warnings are errors.
        self._options = [f"-DKG_WERROR={'ON' if os.environ.get('CI') == 'true' else 'OFF'}"] if project.is_own else []
        find_nvcc()  # for every preset, because any compiler that is there generates the judged code
        with os_errors_as(f"cannot write to {self.folder}", "make it writable, or remove it"):
            os.makedirs(self.folder, exist_ok=True)

    def _identity(self):
        with open(os.path.join(self._project.root, "CMakePresets.json"), encoding="utf-8", errors="replace") as file:
            presets = file.read()
        return "\n".join([f"root={self._project.root} home={self._project.home}", *self._options,
                          *(f"{name}={os.environ.get(name, '')}" for name in ENVIRONMENT), presets])

    def run(self, what, *command):
        """Runs a command of CMake into the log."""
        with open(self._log, "a", encoding="utf-8", errors="replace") as log:
            def keep(line):
                log.write(f"{line}\n")
                counter = COUNTER.match(line)
                if counter:
                    self._console.count(f"{what} {counter[0].rstrip()}")
            code = run_step(["cmake", *command], keep, stderr=subprocess.STDOUT, cwd=self._project.root)
        self._console.clear()
        return code

    def _say_what_changed(self):
        """Marks outdated outputs, because Ninja only uses times, which a copy may set back. Returns whether a rule
        of CMake must run again."""
        for changed in sorted(set(mark_stale(self.folder, unseen=True).values())):
            self._console.say(f"{changed}: changed since it was compiled: its outputs are rebuilt")
        return os.stat(os.path.join(self.folder, "build.ninja")).st_mtime == STALE_SECONDS

    def build(self, *targets):
        """Configures only if something that it depends on changed (Ninja itself detects changed CMake files), and
        builds."""
        begun = time.monotonic()
        stamp = os.path.join(self.folder, "configured")
        open(self._log, "w", encoding="utf-8").close()
        known = None
        if os.path.exists(os.path.join(self.folder, "build.ninja")) and not self._say_what_changed() and os.path.exists(stamp):
            with open(stamp, encoding="utf-8", errors="replace") as file:
                known = file.read()
        if known != self._identity():
            self._console.say(f"configuring and building {self.folder}")
            with contextlib.suppress(FileNotFoundError):
                os.remove(stamp)
            if self.run("configuring", "--fresh", "--preset", self._preset, *self._options):
                fail_with_log(self._log, f"configuring preset {self._preset}")
            with open(stamp, "w", encoding="utf-8", errors="replace") as file:
                file.write(self._identity())
        else:
            self._console.say(f"building {self.folder}")
        if self.run("building", "--build", self.folder, *(word for target in targets for word in ("--target", target))):
            fail_with_log(self._log, f"building preset {self._preset}")
        # The log would hide warnings.
        pass_on_errors(sorted(set(warnings_in(read_lines(self._log))))[:SHOWN_WARNINGS])
        self._console.say(f"built in {elapsed(begun)}")


def warnings_in(lines):
    """Each warning as one line. Those of CMake go on below it, indented."""
    for number, line in enumerate(lines, 1):
        if WARNING.search(line):
            more = itertools.takewhile(lambda text: text[:2].isspace() or not text, lines[number:] if line.startswith("CMake Warning") else ())
            yield " ".join((line, *filter(None, map(str.strip, more))))


def main(arguments):
    with told_when_stopped():
        process, preset, *targets = arguments
        build = Build(Project(), preset, Console())
        run_lock.take(build.folder, int(process), otherwise=OTHERWISE)
        build.build(*targets)
    return 0


if __name__ == "__main__":
    run(main)
