# SPDX-License-Identifier: MIT
"""The steps of a long command: the programs that it starts, each in a process group of its own, and its progress
messages."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure, complain
from kernelgate.base.observers import Stopped, stoppable, stopped_later
from kernelgate.base.text import clean

SECONDS_TO_END = 20.0  # for a process that was asked to end
SAY_SECONDS = 30.0  # between two lines of progress without a terminal
LINE_SIZE = 1 << 16  # longer lines are split, so that a test that prints no newline costs no memory
# Ends the process group whose number it reads once the other end of the pipe is closed: a killed process cannot end its
# children, which would then write where the next run does.
ORPHANS = 'read -r group || exit; read -r nothing; kill -TERM -"$group"; sleep 2; kill -KILL -"$group"'
# Writes its process group to that pipe before it becomes the program: a command that was killed between starting a program
# and writing its number left it running.
NUMBERED = 'echo "$$" >&0; exec "$@" </dev/null'


class Console:
    """Prints a command's progress on the standard output; a quiet one prints nothing."""

    def __init__(self, quiet=False):
        self._quiet = quiet
        self.is_terminal = (not quiet and sys.stdout is not None and sys.stdout.isatty()
                            and os.environ.get("TERM", "") not in ("", "dumb"))
        self._counting = False
        self._said = time.monotonic()

    def show(self, text):
        if self._counting:
            self._counting = False
            text = f"\r\033[K{text}"
        if not self._quiet:
            print_output("progress", text)

    def say(self, text):
        self.show(f"kernelgate: {clean(text)}\n")

    def count(self, text):
        """Shows a count: on a terminal in place of the last one, elsewhere as a line every 30 s."""
        if self.is_terminal:
            self.show(f"\rkernelgate: {text}\033[K")
            self._counting = True
        elif time.monotonic() - self._said >= SAY_SECONDS:
            self._said = time.monotonic()
            self.say(text)

    def pass_on(self, line):
        self.show(f"{clean(line)}\n")

    def clear(self):
        """Clears the count from the terminal, for other output."""
        if self._counting:
            self.show("")


def lines_of(stream):
    """The lines that a program prints, until it and all its children have closed the stream."""
    for line in iter(lambda: stream.readline(LINE_SIZE), b""):
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def pass_on_errors(lines):
    """Prints lines from another program on the standard error, so that no CI runner treats one as a command."""
    for line in lines:
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.write(f"{clean(line)}\n")
            sys.stderr.flush()


def _pass_on(stream):
    pass_on_errors(line for line in lines_of(stream) if not line.startswith("Errors while running CTest"))


def end_process_group(process, group=True):
    """Asks a process, or its whole group, to end, and kills it if it does not."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        (os.killpg if group else os.kill)(process.pid, signal.SIGTERM)
        process.wait(SECONDS_TO_END)
    with contextlib.suppress(ProcessLookupError):
        if group:
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()


def run_step(command, read=None, group=True, **more):
    """Runs a program to its end; its exit code, as a shell has it. `read` gets each line that it prints. Output on a
    standard error that is subprocess.PIPE is passed on, so that no CI runner treats it as a command. Without `group`
    it may prompt on the terminal, and must end its children itself. An exception here ends it."""
    with contextlib.ExitStack() as stack:
        if group:
            if shutil.which(command[0], path=more.get("env", os.environ).get("PATH")) is None:
                raise Failure(f"{command[0]}: cannot be run: install it, or put it on the PATH")
            command = ["/bin/sh", "-c", NUMBERED, "sh", *command]
            watcher = stack.enter_context(subprocess.Popen(["/bin/sh", "-c", ORPHANS], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                                           stderr=subprocess.DEVNULL, start_new_session=True))
            stack.callback(watcher.kill)
        process = None
        try:
            with stopped_later():
                process = subprocess.Popen(command, stdin=watcher.stdin if group else None, start_new_session=group,
                                           stdout=subprocess.PIPE if read else more.pop("stdout", None), **more)
            errors = threading.Thread(target=_pass_on, args=(process.stderr,), daemon=True) if process.stderr else None
            if errors:
                errors.start()
            for line in lines_of(process.stdout) if read else ():
                read(line)
            code = process.wait()
            if errors:
                errors.join(SECONDS_TO_END)
        except BaseException as error:
            if process is not None:
                end_process_group(process, group)
            elif isinstance(error, OSError):
                raise Failure(f"{command[0]}: cannot be run: {error.strerror}") from None
            raise
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def told_when_stopped():
    """Makes a signal end the running program, and prints so before it ends this process."""
    with stoppable():
        try:
            yield
        except Stopped:
            complain("stopped by a signal")
            raise


def elapsed(begun):
    """The time since time.monotonic() was `begun`, with one decimal."""
    return f"{time.monotonic() - begun:.1f} s"
