# SPDX-License-Identifier: MIT
"""The gate's use of CTest: its tests, spread over the boards, their progress, and its report on each."""

import contextlib
import json
import os
import re
import subprocess
from typing import NamedTuple
from xml.etree import ElementTree

from kernelgate.base.errors import Failure
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import member
from kernelgate.base.programs import GPU, NOTHING, call_program
from kernelgate.base.steps import run_step
from kernelgate.base.text import clean
from kernelgate.run.last_run import Estimate
from kernelgate.run.merge import ERROR, FAIL, PASS, SUFFIX
from kernelgate.run.project import parallel_tests

BOARDS = "gpus.json"  # CTest's resource spec, in a build folder
ENDED = re.compile(r" *([0-9]+)/([0-9]+) Test +#[0-9]+: (\S+) \.+ *\**(\S.*?) +([0-9.]+) sec")
STARTED = re.compile(r" *Start +[0-9]+: (\S+)")
SHOWN_BYTES = 16384  # shown of a test's output, its beginning and its end
SHOWN_TESTS = 20


class Test(NamedTuple):
    """A test in the report of `ctest --output-junit`."""

    name: str
    status: str  # run, fail, notrun, disabled
    message: str
    seconds: str
    output: str

    def is_skip(self):
        return self.status == "notrun" and self.message.startswith("SKIP_")

    def agrees(self, code):
        """Whether the exit code in a test's verdicts matches CTest's status. A test without verdicts, such as one of
        another project's own, only has to pass or to be skipped."""
        if code is None:
            return self.status == "run" or self.is_skip()
        if self.status in ("run", "fail"):
            return code in ((PASS,) if self.status == "run" else (FAIL, ERROR))
        return self.is_skip() and code == NOTHING


def read_report(path, code):
    """Each test of CTest's report; Failure if there is none."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ValueError, LookupError, ElementTree.ParseError):
        raise Failure(f"{path}: ctest ended with code {code} and left no report of its tests there: see its output") from None
    tests = []
    for test in root.iter("testcase"):
        said = [part.get("message", "") for part in test if part.tag in ("failure", "skipped")]
        tests.append(Test(test.get("name", ""), test.get("status", ""), said[-1] if said else "", test.get("time", "0"),
                          test.findtext("system-out") or ""))
    return tests


def check_report(merged, path, code, expected=()):
    """Adds an error for each test whose verdicts disagree with CTest, and for each of `expected` that it did not run."""
    tests = {test["name"]: test for test in merged.document["tests"]}
    any_failed, report = False, read_report(path, code)
    told = {error.get("test") for error in merged.document["errors"]} | tests.keys() | {test.name for test in report}
    for name in expected:
        if name not in told:
            merged.add_error(name, "is in this shard's share, and ctest did not run it: see its log")
    for test in report:
        known = tests.get(test.name, {}).get("program_exit_code")
        any_failed = any_failed or test.status != "run" and not test.is_skip()
        if test.agrees(known) or any(error.get("test") == test.name for error in merged.document["errors"]):
            continue
        more = f" ({test.message})" if test.message else ""
        if known is not None:
            merged.add_error(test.name, f'ended as "{test.status}"{more} for CTest, and its verdicts were written for exit code {known}: '
                                        "run it again, and find out why its program ends")
        else:
            merged.add_error(test.name, f"{'failed' if test.status == 'fail' else 'was not run'}{more}: see CTest's log")
    if code and not any_failed:
        merged.add_error(None, f"ctest ended with code {code}, though no test failed: see its output")


def _code_in_verdicts(out, test):
    """The exit code in a test's verdicts; None if it left none."""
    try:
        with open_regular(os.path.join(out, "records", test + SUFFIX)) as file:
            return member(json.load(file), "exit_code")
    except (OSError, ValueError):
        return None


def ended_tests(path, code):
    """Each test of CTest's report; none without a report, which the results explain."""
    try:
        return read_report(path, code)
    except Failure:
        return []


def show_unexplained(tests, out, console, verbose):
    """Shows the output of tests whose verdicts do not explain their failure, such as a crash; of all failed tests if
    `verbose`."""
    failed = [test for test in tests if test.status not in ("run", "notrun") and test.output
              and (verbose or not test.agrees(_code_in_verdicts(out, test.name)))]
    for test in failed[:SHOWN_TESTS]:
        console.show(f"test {clean(test.name)}: failed after {float(test.seconds):.2f} s\n")
        for line in test.output.rstrip().splitlines():
            console.pass_on(line)
    if len(failed) > SHOWN_TESTS:
        console.say(f"{len(failed) - SHOWN_TESTS} more tests failed and left no verdict: CTest's log has what they printed")


class Boards(NamedTuple):
    options: tuple = ()  # of ctest, to assign the boards
    count: int = 0
    error: str = ""  # why they could not be listed


def list_boards(project, console):
    """Makes a GPU program list the boards that CUDA shows, for CTest to assign. Without a list all tests use the
    first."""
    spec = os.path.join(project.folder("gpu"), BOARDS)
    with contextlib.suppress(FileNotFoundError):
        os.remove(spec)
    program = next(iter(project.programs("gpu", GPU)), None)
    if program is None:
        return Boards()
    error = ""
    try:
        done = call_program(program, "--resource-spec", lists="boards", stderr=subprocess.PIPE, filtered=True, ends=(0, NOTHING))
        why = done.stderr.decode("utf-8", "replace").strip().removeprefix("kernelgate: ") or "no resource spec"
    except Failure as failure:
        error = why = str(failure)
    if error or done.returncode == NOTHING:
        console.say(f"{why} (so all tests go to the first board)")
        return Boards(error=error)
    with open(spec, "wb") as file:
        file.write(done.stdout)
    count = done.stdout.count(b'"id"')
    if count > 1:
        console.say(f"the tests for the GPU are spread over {count} boards ({spec})")
    return Boards(("--resource-spec-file", spec), count)


def _selection(preset, options):
    """The options that choose a run's tests. Leaves out gate.begin and gate.results, which begin and sum up a run of plain
    ctest: the gate does that itself. A preset that repeats a test until it passes would hide one that fails now and then."""
    return ["--preset", preset, *options, "--repeat", "until-fail:1", "--exclude-regex", r"^gate\.(begin|results)$",
            "--fixture-exclude-setup", "^gate$", "--fixture-exclude-cleanup", "^gate$"]


def list_tests(preset, options):
    """ctest's JSON about the tests that run_tests() would run, without those that only fixtures add: the first is number 1
    of --tests-information."""
    lines = []
    code = run_step(["ctest", "--show-only=json-v1", *_selection(preset, options), "--fixture-exclude-any", ".*"], lines.append,
                    stderr=subprocess.PIPE)
    if code:
        raise Failure(f"ctest --show-only=json-v1 ended with code {code} and does not list the tests: see what it prints; a test "
                      "preset may not repeat them")
    return "".join(lines)


def run_tests(preset, boards, options, console, verbose, last=None):
    """The exit code of ctest for a preset of this folder, which leaves its log and its report in the preset's build
    folder. `last` is the last run, by which the progress is estimated."""
    estimate = Estimate(last)

    def read(line):
        started, ended = STARTED.match(line), ENDED.match(line)
        if started:
            estimate.start(started[1])
        if ended:
            left = estimate.count(int(ended[1]), int(ended[2]), ended[3])
            if verbose:
                console.say(f"{ended[3]}: {ended[4].lower()} after {ended[5]} s")
            else:
                console.count(f"{ended[1]}/{ended[2]} tests{left}")
    code = run_step(["ctest", *_selection(preset, options), "--verbose", "--no-tests=ignore", "--parallel", parallel_tests(boards.count),
                     *boards.options, "--test-output-size-failed", str(SHOWN_BYTES), "--test-output-truncation", "middle",
                     "--output-junit", os.path.abspath(f"build/{preset}/ctest.xml"),
                     "--output-log", os.path.abspath(f"build/{preset}/ctest.log")], read, stderr=subprocess.PIPE)
    console.clear()
    return code
