# SPDX-License-Identifier: MIT
"""A benchmark's command: runs it within bounds of time and output, and reads the JSON that it prints or leaves in a file."""

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time

from kernelgate.base.errors import Failure
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import parse_json
from kernelgate.base.observers import stopped_later
from kernelgate.base.programs import list_libraries
from kernelgate.base.steps import end_process_group
from kernelgate.base.text import fit

FILE = "{}"  # in a command: the file for its JSON
REMEDY = f"let it print JSON alone, or leave it in a file, {FILE}"
MOST_BYTES = 256 << 20  # of JSON: some ten thousand benchmarks of nvbench
LAST_BYTES = 4096  # read of what else a command prints
LOOK_SECONDS = 0.1  # between two looks at what a command left
ELF = b"\x7fELF"


class BenchmarkCommand:
    """The command of a side, --base or --head."""

    def __init__(self, option, text, timeout):
        self.option = option
        self.text = text
        self._timeout = timeout
        try:
            self._words = shlex.split(text)
        except ValueError as error:
            raise Failure(f"pair: {option} {text}: {error}: quote it as in a shell") from None
        if not self._words:
            raise Failure(f"pair: {option} is empty: give the command of a benchmark")

    def _failure(self, why, remedy, said=""):
        """The failure of a command; `said` is the path of what it printed, whose last line may say why."""
        last = ""
        if said:
            with open(said, "rb") as file:
                file.seek(max(0, os.path.getsize(said) - LAST_BYTES))
                lines = file.read().decode("utf-8", "replace").split("\n")
            last = next((f" ({fit(line.strip(), 300)})" for line in reversed(lines) if line.strip()), "")
        return Failure(f"pair: {self.option} {fit(self.text, 160)}: {why}{last}: {remedy}")

    def _wait(self, process, files):
        """Waits for the end of a process; its exit code. Failure if it takes too long, or one of the files grows too large."""
        end = time.monotonic() + self._timeout
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(LOOK_SECONDS)
            if any(os.path.exists(file) and os.path.getsize(file) > MOST_BYTES for file in files):
                raise self._failure(f"leaves more than {MOST_BYTES >> 20} MiB", "run fewer benchmarks at a time, and let it print nothing else")
            if time.monotonic() >= end:
                raise self._failure(f"still runs after {self._timeout:g} s", "mend it, or give a longer --timeout", files[-1])

    def _execute(self, words, files):
        """Runs the command to its end, which prints into the last two files."""
        *_, printed, said = files
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(open(file, "wb")) for file in (printed, said)]
            try:
                with stopped_later():
                    process = stack.enter_context(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=streams[0], stderr=streams[1],
                                                                   start_new_session=True))
                    stack.callback(end_process_group, process)
            except (OSError, ValueError) as error:
                raise self._failure(f"cannot be run: {getattr(error, 'strerror', error)}", "name a program on the PATH, or its path") from None
            code = self._wait(process, files)
        if code != 0:
            how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
            raise self._failure(how, "mend it", said if os.path.getsize(said) else printed)

    def run(self, convert):
        """Runs the command; what `convert` makes of its JSON, given the path for its messages, and the document."""
        with tempfile.TemporaryDirectory(prefix="kernelgate-pair-") as folder:
            left, printed, said = files = [os.path.join(folder, name) for name in ("run.json", "printed", "said")]
            words = [word.replace(FILE, left) for word in self._words]
            path = printed if words == self._words else left
            self._execute(words, files)
            try:
                with open_regular(path) as file:
                    document = parse_json(file.read(MOST_BYTES))
                return convert(path, document)
            except OSError as error:
                raise self._failure(f"leaves no JSON in {FILE}: {error.strerror}", f"put {FILE} where it takes a file's name") from None
            except ValueError as error:
                raise self._failure(f"its output is not JSON: {error}", REMEDY, path) from None
            except Failure as failure:
                raise Failure(str(failure).replace(path, f"pair: {self.option}")) from None

    @property
    def _program(self):
        return shutil.which(self._words[0]) or ""

    @staticmethod
    def are_alike(a, b):
        """Whether two commands run different programs with the same arguments."""
        # pylint: disable=protected-access
        return a._words[1:] == b._words[1:] and os.path.realpath(a._program) != os.path.realpath(b._program)

    def code_files(self, binary):
        """The files that may hold the kernels: the binary, or the command's program, and the libraries that it loads, by
        their names; {} if there is no such program."""
        program = binary or self._program
        try:
            with open_regular(program) as file:
                if file.read(len(ELF)) != ELF:
                    return {}
            libraries, _ = list_libraries(program)
        except OSError:
            return {}
        return {"": program, **{name: path for name, path in libraries if name}}
