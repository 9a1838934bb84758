# SPDX-License-Identifier: MIT
"""Observers: processes of a comparison's program that check, time or count cases, and append a record of each to a
file. A crash or a hang costs the running case; another process observes the rest."""

import contextlib
import os
import signal
import subprocess
import time

from kernelgate.base.case_id import variant_of_case
from kernelgate.base.errors import Failure, Unavailable, complain, os_errors_as
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import parse_json, text_of
from kernelgate.base.settings import setting

LOOK_SECONDS = 0.005  # between two polls of a running observer's records
SECONDS_TO_GO = 20.0  # for a process in a call of the driver, or a wrapper that has an observer to end
SECONDS_TO_TELL = 5.0  # for a hung process to report its place
MOST_HANGS = 3  # per variant; its other cases are skipped, since each would take a full silence limit
END = object()  # of steps
SETTLING = ("checked", "measured", "failed", "refused", "skipped")


class Stopped(BaseException):
    """A signal requested the end of this process."""

    def __init__(self, number):
        super().__init__()
        self.number = number


def _stop(number, _frame):
    raise Stopped(number)


@contextlib.contextmanager
def stoppable():
    """Makes a signal that ends this process first end its observer and remove its files."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        yield
    except Stopped as stopped:
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)


@contextlib.contextmanager
def stopped_later():
    """Puts off Stopped while a process is started, which would run on if it were raised before the process is known."""
    numbers = []
    stopping = [number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is _stop]
    for number in stopping:
        signal.signal(number, lambda number, _frame: numbers.append(number))
    try:
        yield
    finally:
        for number in stopping:
            signal.signal(number, _stop)
        for number in numbers:
            os.kill(os.getpid(), number)


def silence_limit():
    """The seconds without a record after which an observer counts as hung."""
    return float(setting("KG_CASE_TIMEOUT") or 60)


class Records:
    """A file of records that may still be growing, and whose writer may die within a line."""

    def __init__(self, path):
        self._path = path
        self._file = open_regular(path)
        self._rest = b""
        self._bad_lines = 0

    def read(self):
        """The records added since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        for line in lines:
            try:
                record = parse_json(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                yield record
            else:
                self._bad_lines += 1

    def close(self):
        self._file.close()
        if self._bad_lines or self._rest:
            complain(f"{self._path}: {self._bad_lines} damaged and {int(bool(self._rest))} unfinished lines were skipped")


def end_process(process, seconds):
    """Asks a process to end, and kills it after this many seconds."""
    for end, patience in ((process.terminate, seconds), (process.kill, SECONDS_TO_GO)):
        end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return
    raise Failure(f"process {process.pid} hung and cannot be killed: the driver holds it; see nvidia-smi, and restart the "
                  "machine if it stays")


def run_side_by_side(observations, at_a_time):
    """Runs the steps of observations to their ends, `at_a_time` at once. An exception in one ends all."""
    waiting, running = list(observations), []
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                running.append(waiting.pop(0))
            running = [steps for steps in running if next(steps, END) is not END]
            if running:
                time.sleep(LOOK_SECONDS)
    finally:
        for steps in running:
            steps.close()


class Observation:
    """The observation of cases by one program's observers. `take` is called with each record, including a "failed"
    one made for a case that was lost."""

    def __init__(self, program, part, cases, take, settings):
        self._program = program
        self._part = part
        self._left = dict.fromkeys(cases)
        self._take = take
        # Criterion's worker finds its arena by this variable, which would end any other program at its start.
        self._environment = {name: value for name, value in os.environ.items() if name != "BXFI_MAP"}
        self._environment.update(settings, KG__PARENT=str(os.getpid()))
        self._wrapper = os.environ.get("KG_WRAPPER", "").split() if part == "check" else []
        self._hangs = []

    def run(self, folder):
        """Starts observers until each case has its record. Unavailable without a device, Failure if none can be run."""
        run_side_by_side([self.steps(folder)], 1)

    def steps(self, folder):
        """Like run(), as a generator that yields whenever it must wait; closing it ends its observer."""
        number = 0
        while self._left:
            path = os.path.join(folder, f"{self._part}.{number}")
            self._running, self._done, self._progressed, self._where, self._error = None, False, False, "", None
            self._settle(*(yield from self._follow(*self._start(path))))
            number += 1

    def _start(self, path):
        """A new process, and its records."""
        try:
            with open(f"{path}.cases", "w", encoding="utf-8") as cases, open(f"{path}.jsonl", "wb"):
                cases.writelines(f"{case}\n" for case in self._left)
            records = Records(f"{path}.jsonl")
        except OSError as error:
            raise Failure(f"{error.filename}: cannot be written: {error.strerror}: check its folder and free space") from None
        command = [*self._wrapper, self._program, "--observe", f"{path}.cases", "--part", self._part,
                   "--records", f"{path}.jsonl"]
        with os_errors_as(f"{command[0]}: cannot be run", "see KG_WRAPPER" if self._wrapper else "build it again"):
            return subprocess.Popen(command, env=self._environment), records

    def _follow(self, process, records):
        """Returns the exit status of an observer at its end, and whether silence ended it."""
        limit = silence_limit()
        heard = time.monotonic()
        hung = False
        try:
            while True:
                ended = process.poll() is not None
                for record in records.read():
                    self._take_record(record)
                    heard = time.monotonic()
                if ended:
                    break
                if time.monotonic() - heard > limit:
                    hung = True
                    end_process(process, SECONDS_TO_GO if self._wrapper else SECONDS_TO_TELL)
                else:
                    yield
            records.close()
            return process.returncode, hung
        finally:
            if process.poll() is None:
                end_process(process, SECONDS_TO_TELL)

    def _take_record(self, record):
        event, case, why = (text_of(record, key) for key in ("event", "case", "why"))
        if event == "done":
            self._done = True
        elif event in ("unavailable", "broken"):
            self._error = Unavailable(why) if event == "unavailable" else Failure(why)
            return
        elif event == "hung":
            self._where = text_of(record, "where")
            return
        elif event == "start" and case in self._left:
            self._running = case
        elif event in SETTLING and case in self._left:
            del self._left[case]
            self._progressed = True
        self._take(record)

    def _lose(self, case, why):
        self._take_record({"event": "failed", "case": case, "why": why})

    def _describe_end(self, status, hung):
        where = f" {self._where}" if self._where else ""
        if hung:
            return f"hung: no record for {silence_limit():g} s (KG_CASE_TIMEOUT sets the limit); it was ended{where}"
        if where:
            return f"the observer was ended from outside (SIGTERM){where}"
        if status < 0:
            return f"crashed: the observer died of signal {-status} ({signal.strsignal(-status)})"
        return f"the observer ended early with exit code {status}"

    def _settle(self, status, hung):
        """Handles the end of an observer: the case that was running is lost."""
        end = self._describe_end(status, hung)
        if self._running in self._left:
            variant = variant_of_case(self._running) + "/"
            self._hangs += [variant] if hung else []
            self._lose(self._running, end)
            if self._hangs.count(variant) >= MOST_HANGS:
                for case in [case for case in self._left if case.startswith(variant)]:
                    self._lose(case, f"not run: {MOST_HANGS} cases of this variant hung before it")
        if self._error is not None:
            raise self._error
        if self._done or (status == 0 and not hung):
            for case in list(self._left):
                self._lose(case, "record lost: the observer ended well and left none of this case")
        if self._left and not self._progressed:
            raise Failure(f"part {self._part}: {end} before its first case: run it by hand to see why")
