"""A benchmark's command: runs it within bounds of time and output, and reads the JSON that it prints or leaves in a file."""

import contextlib
import json
import os
import selectors
import shlex
import shutil
import subprocess
import tempfile
import time

from kernelgate.base.errors import Failure, fit
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import parse_json
from kernelgate.base.observers import stopped_later
from kernelgate.base.steps import end_process_group

FILE = "{}"  # in a command: the file for its JSON
REMEDY = f"let it print JSON alone, or leave it in a file, {FILE}"
MOST_BYTES = 256 << 20  # of JSON: some ten thousand benchmarks of nvbench
LAST_BYTES = 4096  # kept of what else a command prints
SECONDS_TO_LIST = 60
ELF = b"\x7fELF"


class Output:
    """What a command prints on a stream: the first bytes, or the last."""

    def __init__(self, stream, most=None):
        self.stream = stream
        self._most = most
        self.data = bytearray()
        self.overflowed = False

    def read(self):
        """Reads what is there; False at the end."""
        data = os.read(self.stream.fileno(), 1 << 16)
        self.data += data
        if self._most is None:
            del self.data[:-LAST_BYTES]
        else:
            self.overflowed = len(self.data) > self._most
        return bool(data)


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

    def _failure(self, why, remedy, said=b""):
        lines = said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return Failure(f"pair: {self.option} {fit(self.text, 160)}: {why}{f' ({fit(last, 300)})' if last else ''}: {remedy}")

    def _drain(self, process, outputs):
        """Reads the outputs to their ends; subprocess.TimeoutExpired if the command takes too long."""
        end = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            for output in outputs:
                selector.register(output.stream, selectors.EVENT_READ, output)
            while selector.get_map():
                ready = selector.select(max(end - time.monotonic(), 0))
                if not ready and time.monotonic() >= end:
                    raise subprocess.TimeoutExpired(self._words, self._timeout)
                for key, _ in ready:
                    if key.data.overflowed:
                        raise self._failure(f"prints more than {MOST_BYTES >> 20} MiB", f"let it leave its JSON in a file, {FILE}")
                    if not key.data.read():
                        selector.unregister(key.fileobj)
        process.wait(max(end - time.monotonic(), 0.001))

    def _execute(self, words, in_file):
        """Runs the command to its end; what it printed on the standard output."""
        with contextlib.ExitStack() as stack:
            try:
                with stopped_later():
                    process = stack.enter_context(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                                   stderr=subprocess.PIPE, start_new_session=True))
                    stack.callback(end_process_group, process)
            except (OSError, ValueError) as error:
                raise self._failure(f"cannot be run: {getattr(error, 'strerror', error)}", "name a program on the PATH, or its path") from None
            printed, said = Output(process.stdout, None if in_file else MOST_BYTES), Output(process.stderr)
            try:
                self._drain(process, (printed, said))
            except subprocess.TimeoutExpired:
                raise self._failure(f"still runs after {self._timeout:g} s", "mend it, or give a longer --timeout", said.data) from None
        if process.returncode != 0:
            how = f"exit code {process.returncode}" if process.returncode > 0 else f"ended by signal {-process.returncode}"
            raise self._failure(how, "mend it", said.data or printed.data)
        return printed.data

    def run(self, convert):
        """Runs the command; what `convert` makes of its JSON, given the path for its messages, and the document."""
        with tempfile.TemporaryDirectory(prefix="kernelgate-pair-") as folder:
            path = os.path.join(folder, "run.json")
            words = [word.replace(FILE, path) for word in self._words]
            in_file = words != self._words
            data = self._execute(words, in_file)
            try:
                if in_file:
                    if os.path.getsize(path) > MOST_BYTES:
                        raise self._failure(f"leaves more than {MOST_BYTES >> 20} MiB in {FILE}", "run fewer benchmarks at a time")
                    with open(path, "rb") as file:
                        data = file.read()
                return convert(path, parse_json(bytes(data)))
            except OSError as error:
                raise self._failure(f"leaves no JSON in {FILE}: {error.strerror}", f"put {FILE} where it takes a file's name") from None
            except json.JSONDecodeError as error:
                raise self._failure(f"its output is not JSON: line {error.lineno}: {error.msg}", REMEDY, data[:LAST_BYTES].partition(b"\n")[0]) from None
            except ValueError as error:
                raise self._failure(f"its output is not JSON: {error}", REMEDY) from None
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
            listed = subprocess.run(["ldd", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                                    timeout=SECONDS_TO_LIST).stdout.decode("utf-8", "surrogateescape")
        except (OSError, subprocess.SubprocessError):
            return {}
        # "	libx.so => /path/libx.so (0x7f...)"
        libraries = (words for words in map(str.split, listed.split("\n")) if len(words) > 3 and words[1] == "=>")
        return {"": program, **{words[0]: words[2] for words in libraries}}
