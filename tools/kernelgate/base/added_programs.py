# SPDX-License-Identifier: MIT
"""The programs that kg_add_program() gates: their tests, and runs of them for kernelgate-judge.

A program has one test, `main`, or one for each case of GoogleTest or Catch2 in it. What a run launches makes its other cases:
PROGRAM/TEST/KERNEL/LAUNCH."""

import contextlib
import functools
import mmap
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Callable, NamedTuple

from kernelgate.base.case_id import demangle, plain_part, shape_part, target_key
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import list_of, object_of, read_json, text_of
from kernelgate.base.judging import ask_of, records_of
from kernelgate.base.results import MODEL_KEY
from kernelgate.base.samples import sampled
from kernelgate.base.settings import GPU, MODEL

BUILD_FILE = "kernelgate.added"  # in a build folder, by cmake/KgProgram.cmake
RUNS = "runs"  # in a build folder: the working directories of the tests
REMEDY = "configure the build again"
MAIN = "main"
LIST_SECONDS = 60
SECONDS_TO_TELL = 20  # for a program to report after its time is over
MOST_OUTPUT = 1 << 20  # bytes that are judged: the last ones
UNREPORTED = ("it left no report of its kernels: it ended by _exit() or was replaced by another program, or is not built by "
              "kernelgate nvcc")
TIMES = "libkernelgate_times.so"  # of the toolkit
TIMED_PROCESSES = 3  # as many as confirm a slower time of a comparison
UNTIMED = "its kernels are not timed: it launched none, or there is no CUPTI: its output says which"
FORM = "program"
DISABLED = re.compile(r"(^|[./])DISABLED_")  # GoogleTest's mark, before a suite's or a test's name


def _gtest_cases(listing):
    """The names in the output of --gtest_list_tests, without those that are disabled."""
    suite = ""
    for line in listing.splitlines():
        name = line.partition("  # ")[0].strip()
        if name and not line.startswith(" "):
            suite = name if name.endswith(".") else ""
        elif name and suite and not DISABLED.search(suite + name):
            yield suite + name


def _gtest_words(name):
    """A filter has no escapes for its own characters; its report says if it took another test."""
    return [f"--gtest_filter={re.sub('[:*-]', '?', name)}"]


def _gtest_report(path, _):
    return [f"--gtest_output=json:{path}"]


def _gtest_results(path, _, __):
    suites = list_of(read_json(path, "run the test again"), "testsuites") if os.path.exists(path) else []
    return [(plain_part(f"{text_of(suite, 'name')}.{text_of(test, 'name')}"), "FAIL" if "failures" in test else text_of(test, "result")[:4])
            for suite in suites for test in list_of(suite, "testsuite") if text_of(test, "status") == "RUN"]


def _catch_cases(listing):
    """Catch2 2 lists a name that begins with # in quotes."""
    return filter(None, (re.sub('^"(#.*)"$', r"\1", line.strip()) for line in listing.splitlines()))


def _catch_words(name):
    name = re.sub(r'([\\,\[\]"])', r"\\\1", name)
    return [f'"{name}"' if re.match("[~#-]|exclude:", name) else name]


def _catch2_words(name):
    return [*_catch_words(name), "--warn", "NoTests"]


def _catch_report(path, args):
    """A reporter of the user's own stays. The reporter automake does not capture what the program prints."""
    own = any(re.match("(-r|--reporter)([=: ]|$)", word) for word in args)
    return [*([] if own else ["-r", "console"]), "-r", f"automake::out={path}"]


def _catch_results(path, _, __):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [(plain_part(name.strip()), result) for result, name in re.findall(r"^:test-result: (\w+) (.*)$", file.read(), re.MULTILINE)]


def _catch2_results(_, output, part):
    """Catch2 2 has one reporter: the summary that the default one prints says how many cases have run, not which. None without it."""
    found = re.findall(r"^(?:All tests passed \(.* in|test cases:) +(\d+) (?:test cases?\)|\|(.*))$", output, re.MULTILINE)
    return [(part, "FAIL" if re.search(r"\d failed *(\||$)", found[-1][1]) else "PASS")] * int(found[-1][0]) if found else None


class Framework(NamedTuple):
    """How its programs are known, and called."""

    name: str
    mark: bytes  # that they contain
    listing: tuple  # the arguments that list their cases
    names_in: Callable  # the names in such a list
    words_of: Callable  # the arguments that run a case
    report_words: Callable  # those that leave a report at a path, next to the program's own arguments
    results_in: Callable  # the cases that have run, and how each ended, by a report's path, the output, and the case's part of an id


FRAMEWORKS = (
    Framework("GoogleTest", b"InitGoogleTest", ("--gtest_list_tests",), _gtest_cases, _gtest_words, _gtest_report, _gtest_results),
    Framework("Catch2", b"list-test-names-only", ("--list-test-names-only",), _catch_cases, _catch2_words, lambda *_: [], _catch2_results),
    Framework("Catch2", b"N5Catch", ("--list-tests", "--verbosity", "quiet"), _catch_cases, _catch_words, _catch_report, _catch_results),
)


SKIP_REASON = re.compile(r": Skipped\n(.+)")  # as GoogleTest prints it
CHOOSING = ("GTEST_", "TESTBRIDGE_TEST_", "TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX")


def _has(path, what):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        return data.find(what) >= 0


def _environment(**settings):
    """This process's, without the variables by which the frameworks leave out tests."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith(CHOOSING)}, **settings}


def board_settings():
    """The environment that shows a program only the board that CTest has assigned to its test."""
    found = re.match("id:gpu_([0-9a-f_]+),", os.environ.get("CTEST_RESOURCE_GROUP_0_GPUS", ""))
    return {"CUDA_VISIBLE_DEVICES": f"GPU-{found[1].replace('_', '-')}"} if found else {}


def find_cupti():
    """The path of the CUDA Toolkit's CUPTI, which the loader need not find; None if it is nowhere."""
    nvcc = shutil.which(os.environ.get("CUDACXX") or "nvcc") or "/usr/local/cuda/bin/nvcc"
    root = os.path.dirname(os.path.dirname(nvcc))
    places = [f"{root}/{folder}/libcupti.so" for folder in ("lib64", "extras/CUPTI/lib64")]
    return next(filter(os.path.exists, places), None)


@functools.lru_cache(maxsize=None)
def _cases_of(path):
    """The framework of a test program, and its cases, each a part of an id and the words that choose it; None and `main` of another."""
    if not os.path.exists(path):
        raise Failure(f"{path}: is not there: build it (cmake --build of this build folder)")
    for framework in FRAMEWORKS:
        if not _has(path, framework.mark):
            continue
        words = framework.listing
        try:
            done = subprocess.run([path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=LIST_SECONDS, check=False, encoding="utf-8", errors="replace", env=_environment())
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{path} {' '.join(words)}: does not list its tests: {error}: build it again") from None
        names = list(framework.names_in(done.stdout))
        if not names:
            raise Failure(f"{path} {' '.join(words)}: lists no test (exit code {done.returncode}): add one, or remove the program")
        cases = {}
        for name in names:
            if plain_part(name) in cases:
                raise Failure(f'{path}: two tests would be {plain_part(name)}, one of them "{name}": rename it')
            cases[plain_part(name)] = tuple(framework.words_of(name))
        return framework, cases
    return None, {MAIN: ()}


@dataclass(frozen=True)
class AddedTest:
    """A test of a program on a kind of target."""

    build: str
    kind: str
    program: dict  # its entry in the build's file
    part: str  # of its id
    words: tuple  # that choose the case
    framework: Framework | None

    @property
    def name(self):
        return f"{self.kind}.{self.program['name']}.{self.part}"

    @property
    def case(self):
        """The id of the run itself."""
        return f"{self.program['name']}/{self.part}/-/-"

    def may_be_taken_by(self, globs):
        """Whether a filter may take a case of this test, whose other cases only a run tells."""
        begin = self.case[:-3]
        heads = [re.split(r"[*?\[\\]", glob)[0] for glob in globs.split(",") if glob] or [""]
        return any(begin.startswith(head) or head.startswith(begin) for head in heads)

    @property
    def _folder(self):
        """The working directory; a run's reports are next to it."""
        return os.path.abspath(os.path.join(self.build, RUNS, self.name))

    @property
    def _tests_report(self):
        return f"{self._folder}.tests"

    def _make_folder(self):
        """An empty working directory with copies of FILES, which the program may change, and without an earlier run's reports."""
        folder = self._folder
        shutil.rmtree(folder, ignore_errors=True)
        for report in (f"{folder}.json", self._tests_report):
            with contextlib.suppress(FileNotFoundError):
                os.remove(report)
        try:
            os.makedirs(folder)
            for source, name in self.program["files"]:
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, path)
        except OSError as error:
            raise Failure(f"{self.name}: its FILES cannot be copied to {folder}: {error}: correct them in kg_add_program(), or free "
                          "space") from None
        return folder

    def _wait(self, process, begun):
        """How the program, started after `begun`, ended; one that takes longer than its time is ended."""
        limit = self.program["timeout"]
        try:
            # A program for the CPU model ends itself, with its place.
            process.wait(limit + (SECONDS_TO_TELL if self.kind == MODEL else 0))
        except subprocess.TimeoutExpired:
            pass
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        hung = time.monotonic() - begun >= limit  # whatever the program made of SIGTERM
        return {**({"signal": -code} if code < 0 else {"exit_code": code}), **({"hung_after": limit} if hung else {})}

    def _execute(self, folder, settings):
        """Runs the program in a folder: how it ended, with its output."""
        log, begun = f"{folder}.log", time.monotonic()
        command = [self.program[self.kind], *self.program["args"], *self.words]
        if self.framework:
            command += self.framework.report_words(self._tests_report, self.program["args"])
        with os_errors_as(f"{command[0]}: cannot be run", "build it again"), open(log, "wb") as output, subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                env=_environment(**settings)) as process:
            ended = self._wait(process, begun)
        with open(log, "rb") as file:
            file.seek(max(0, os.path.getsize(log) - MOST_OUTPUT))
            return {**ended, "output": file.read().replace(b"\0", b"?").decode("utf-8", "replace")}

    def _observe(self, settings):
        """Runs the program with settings that name a report, {}; how it ended, and the report, None if it left none."""
        folder = self._make_folder()
        report = f"{folder}.json"
        run = self._execute(folder, {name: value.replace("{}", report) for name, value in settings.items()})
        return run, read_json(report, "run the test again") if os.path.exists(report) else None

    def run(self, gpu=""):
        """Runs the program, on a GPU of this name, and returns what it left, as kernelgate-judge takes it."""
        document = {"test": self.name, "case": self.case, "home": os.getcwd(), "source": self.program["source"],
                    "pass_regex": self.program["pass_regex"], "needs_kernels": self.part == MAIN}
        document.update(self._run_on_gpu(gpu) if self.kind == GPU else self._run_on_model())
        if self.framework:
            document.update(self._tests_reported(document["run"]["output"]))
        return document

    def _tests_reported(self, output):
        """How many tests the framework says that it has run, 0 without this one, and whether the one failed or skipped itself. A test
        that ended the program reports none. The exit code may be 0 in each case: main() need not return the framework's result."""
        tests = self.framework.results_in(self._tests_report, output, self.part)
        if tests is None:
            return {}
        if tests != [(self.part, "SKIP")]:
            return {"framework": self.framework.name, "ran": len(tests) if self.part in dict(tests) else 0,
                    "test_failed": any(result == "FAIL" for _, result in tests)}
        reason = SKIP_REASON.search(output)
        return {"ran": 1, "skipped": f"it skipped itself: {reason[1]}" if reason else "it skipped itself, without a reason"}

    def _run_on_model(self):
        given = os.environ.get("KERNELGATE_OPTIONS")
        if "sample=" in (given or ""):
            raise Failure(f"KERNELGATE_OPTIONS={given}: the results of sampled launches are not valid: take sample out")
        options = f"counters={{}}:exitcode=0:summary=0:timeout={self.program['timeout']}"
        run, left = self._observe({"KERNELGATE_OPTIONS": f"{given}:{options}" if given else options})
        left = left or {"unreported": UNREPORTED}
        kernels = [(text_of(kernel, "name"), kernel, {name: {"value": count} for name, count in object_of(kernel, "counters").items()})
                   for kernel in list_of(left, "kernels")]
        return {"run": run, "target": {"key": MODEL_KEY}, "part": "count", **{key: value for key, value in left.items() if key != "kernels"},
                "records": self._records(kernels)}

    def _run_on_gpu(self, gpu):
        """The times are the medians of several processes, which have to agree that one is slower."""
        settings = {"CUDA_INJECTION64_PATH": f"{self.program['toolkit']}/lib64/{TIMES}", "KG__KERNEL_TIMES": "{}", **board_settings()}
        cupti = find_cupti()
        settings.update({"KG__CUPTI": cupti} if cupti else {})
        document = {"part": "time", "target": {"key": target_key(gpu), "name": gpu}, "records": {}}
        for _ in range(TIMED_PROCESSES):
            run, left = self._observe(settings)
            document["run"] = run
            if left is None:
                return {**document, "needs_kernels": False, "untimed": UNTIMED}
            device = object_of(left, "device")
            name = text_of(device, "name") or gpu
            document.update(target={**{key: value for key, value in device.items() if key != "uuid"}, "key": target_key(name), "name": name},
                            provenance={key: value for key, value in device.items() if key == "uuid"})
            kernels = list_of(left, "kernels")
            timed = zip(demangle([text_of(kernel, "name") for kernel in kernels]), kernels)
            for case, records in self._records([(name, kernel, {"time_ns": sampled(list_of(kernel, "times_ns"), "cupti")})
                                                for name, kernel in timed]).items():
                document["records"].setdefault(case, []).extend(records)
            if run.get("exit_code") != 0:
                break
        return document

    def _records(self, kernels):
        """The records of each kernel and shape by its id, from names, shapes and metrics."""
        records = {}
        for name, kernel, metrics in kernels:
            case = f"{self.case[:-3]}{plain_part(name)}/{shape_part(list_of(kernel, 'block'), list_of(kernel, 'grid'))}"
            if case in records:
                raise Failure(f"{case}: two kernels have this id, one of them {name}: rename it")
            records[case] = [{"event": "measured", "case": case, "metrics": metrics}]
        return records


def judge(document):
    """The verdicts of a run."""
    return ask_of("run", records_of(FORM, **document))["verdicts"]


@functools.lru_cache(maxsize=None)
def _entries(build):
    path = os.path.join(build, BUILD_FILE)
    return list_of(read_json(path, REMEDY), "programs") if os.path.exists(path) else []


def added_names(build):
    """The names of the programs of a build folder."""
    return [entry["name"] for entry in _entries(build)]


def added_tests(build, kinds=(), name=None):
    """The tests of the programs of a build folder, by their names; of some kinds of targets, or (none named) of all; of one
    program, or (None) of all, each of which lists its tests."""
    tests = [AddedTest(build, kind, entry, part, words, framework) for entry in _entries(build) if name in (None, entry["name"])
             for kind in (MODEL, GPU) if kind in entry if not kinds or kind in kinds
             for framework, cases in [_cases_of(entry[kind])] for part, words in cases.items()]
    return {test.name: test for test in tests}
