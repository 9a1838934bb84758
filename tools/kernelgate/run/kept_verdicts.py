# SPDX-License-Identifier: MIT
"""Verdicts kept from earlier runs, in the build folder: kernelgate gate --changed tests a comparison again only where its
programs, libraries, settings or baseline changed. Only a comparison that passed whole is kept. The CPU model repeats exactly, and
so do figures of generated code, which follow from it and from the launches. A GPU does not: there the boards and the driver must be
the same too, and a comparison is kept only if its machine code was unchanged and no case of it was timed."""

import contextlib
import functools
import glob
import hashlib
import os
import re

import kernelgate
from kernelgate import VERSION
from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular, replace_file
from kernelgate.base.judging import PROGRAM as JUDGE
from kernelgate.base.json_io import canonical, check_schema, json_text, list_of, member, object_of, read_json, text_of
from kernelgate.base.programs import GPU as GPU_PROGRAM, MODEL as MODEL_PROGRAM, NOTHING, instrumented_program, list_libraries
from kernelgate.base.results import MODEL_KEY, is_code, was_left_alone
from kernelgate.base.run_facts import facts_of_run
from kernelgate.base.schema_form import check_form
from kernelgate.base.settings import GPU, MODEL, setting
from kernelgate.baseline.file import default_folder, list_files
from kernelgate.code.generated_code import BUILD_FILE, CodeBuild
from kernelgate.run.ctest import BOARDS
from kernelgate.run.expected import split_test
from kernelgate.run.merge import PASS, SUFFIX, VERDICTS_FILE, VERDICTS_SCHEMA, load_verdicts

FOLDER = "verdicts"  # of a build folder; CI stores it from one run to the next
SCHEMA = "kernelgate-kept/1"
REMEDY = "its comparison is tested again"
MOST_UNUSED = 4  # entries of earlier states that stay, per comparison
SETTINGS = re.compile("(KG_[A-Z]|KERNELGATE_)")
OTHER_SETTINGS = {"KG_OUT", "KG_PROJECT", "KG_CHANGED", "KG_SAMPLE", "KG_FILTER_GIVEN", "KG_BASE", "KG_BASE_REF", "KG_BASE_COMMIT",
                  "KG_PAIRED", "KG_CHART_JS"}  # no verdict on the model depends on them
# What a GPU's verdicts depend on beside these: the commit whose machine code a case's is compared with, and what the CUDA driver
# and libraries read. The driver's library is loaded from LD_LIBRARY_PATH.
GPU_SETTINGS = re.compile("(KG_BASE_COMMIT$|CUDA_|CUBLAS_|NVIDIA_|LD_LIBRARY_PATH$)")
BY_CASE = ("cases", "checked", "accuracy")  # of a baseline
IDLE = ("empty", "gpu-only", "unchanged")  # why a test of a passing comparison may have nothing to judge
PROGRAMS = {MODEL: MODEL_PROGRAM, GPU: GPU_PROGRAM}
DRIVER = "/proc/driver/nvidia/version"


def _digest(*parts):
    joined = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hashlib.blake2b(joined, digest_size=20).hexdigest()


def _of_file(path):
    with open_regular(path) as file:
        return hashlib.blake2b(file.read(), digest_size=20).digest()


def _canonical(value):
    return canonical(value).encode("utf-8", "surrogateescape")


def _libraries(programs):
    """The digest of the libraries that the loader gives the programs. OSError if one is missing."""
    libraries, are_all = list_libraries(*programs)
    if not are_all:
        raise OSError(None, "a library is missing")
    return b"".join(map(_of_file, sorted({path for _, path in libraries})))


def _baselines(kind):
    """The parts of the baselines that judge one comparison each, by comparison, and the parts that judge all."""
    folder, of_model = default_folder(), f"{MODEL_KEY}.json"
    parts, shared = {}, []
    for name in [of_model] if kind == MODEL else [name for name in list_files(folder) if name != of_model]:
        stored = read_json(f"{folder}/{name}", REMEDY)
        for key in BY_CASE:
            entries = stored.get(key)
            for case in filter(lambda case: isinstance(case, str), entries if isinstance(entries, (dict, list)) else ()):
                mine = parts.setdefault(comparison_of_case(case), {}).setdefault(f"{name} {key}", [])
                mine.append([case, entries[case]] if isinstance(entries, dict) else case)
        shared.append({key: value for key, value in stored.items() if key not in BY_CASE})
    return parts, shared


def _programs(build, kind, comparison):
    path = os.path.join(build, f"{comparison}{PROGRAMS[kind]}")
    return [path, instrumented_program(path)] if kind == MODEL else [path]


def _settings(kind):
    return sorted((name, value) for name, value in os.environ.items()
                  if SETTINGS.match(name) and name not in OTHER_SETTINGS or kind == GPU and GPU_SETTINGS.match(name))


def _sampled(comparison):
    """The comparison's cases that are timed whether they changed or not."""
    return [case for case in (setting("KG_SAMPLE") or "").split(",") if comparison_of_case(case) == comparison]


def _keys(build, kind, comparisons):
    """The key of each comparison: what its verdicts depend on. None is known if a program, a library or the baseline
    cannot be read: the tests report it."""
    try:
        programs = {comparison: _programs(build, kind, comparison) for comparison in comparisons}
        libraries = _libraries([path for paths in programs.values() for path in paths])
        machine = [_of_file(path) for path in (os.path.join(build, BOARDS), DRIVER)] if kind == GPU else []
        parts, shared = _baselines(kind)
        common = _digest(VERSION.encode(), kind.encode(), libraries, *machine, _canonical(_settings(kind)), _canonical(shared))
        return {comparison: _digest(common.encode(), *map(_of_file, paths), _canonical(parts.get(comparison)),
                                    _canonical(_sampled(comparison) if kind == GPU else []))
                for comparison, paths in programs.items()}
    except (Failure, OSError):
        return {}


def _code_keys(open_build, build, target, comparisons, judge):
    """The same for the code that nvcc generates for a target."""
    try:
        code, architecture = open_build(build), target.removeprefix("sm_")
        sources = sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(kernelgate.__file__)), "*", "*.py")))
        shared = [os.path.join(build, BUILD_FILE), f"{default_folder()}/{target}.json", judge, *sources]
        common = _digest(VERSION.encode(), target.encode(), code.toolkit().encode(), _canonical(_settings(MODEL)), *map(_of_file, shared))
        comparisons = [comparison for comparison in comparisons if not code.is_program(comparison)]
        return {comparison: _digest(common.encode(), _canonical(code.launches(architecture, comparison)),
                                    *(part for path in code.files(target, comparison) for part in (path.encode(), _of_file(path))))
                for comparison in comparisons}
    except (Failure, OSError):
        return {}


def _is_kept(verdicts, kind, comparison):
    """Whether a test's verdicts may be kept: it ended, timed nothing, and passed or had nothing to judge."""
    code, test = member(verdicts, "exit_code"), split_test(text_of(verdicts, "test"))
    passed = code == PASS or code == NOTHING and text_of(verdicts, "skipped_by") in IDLE
    cases = list_of(verdicts, "cases")
    return (member(verdicts, "complete") is True and passed and not list_of(verdicts, "errors") and test[:2] == (kind, comparison)
            and all(comparison_of_case(entry["case"]) == comparison for entry in cases)
            and (test[2] != "time" or all(map(was_left_alone, cases))))


class Kept:
    """The verdicts that a build folder keeps for the tests of a run. `out` is the folder of its results, `command` the kernelgate
    that runs it."""

    def __init__(self, build, out, command, tests):
        self._build, self._folder, self._records = build, os.path.join(build, FOLDER), os.path.join(out, "records")
        self._all, self._tests = tests, {}  # the latter by kind and comparison
        for test in tests:
            kind, comparison, _ = split_test(test)
            program = MODEL_PROGRAM if is_code(kind) else PROGRAMS.get(kind)
            if program and os.path.exists(os.path.join(build, f"{comparison}{program}")):
                self._tests.setdefault((kind, comparison), []).append(test)
        self._keys, judge = {}, os.path.join(os.path.dirname(command), JUDGE)
        self._open_build = functools.cache(CodeBuild)  # it asks each program once, for all targets
        for kind in dict.fromkeys(suite[0] for suite in self._tests):
            comparisons = [suite[1] for suite in self._tests if suite[0] == kind]
            keys = _code_keys(self._open_build, build, kind, comparisons, judge) if is_code(kind) else _keys(build, kind, comparisons)
            self._keys.update({(kind, comparison): key for comparison, key in keys.items()})
        self._found = {}  # the kept verdicts by test
        self.damaged = []  # why an entry was not used

    def _path(self, suite):
        return os.path.join(self._folder, f"{'.'.join(suite)}.{self._keys[suite]}.json")

    def _read(self, suite):
        """The kept verdicts by test. Failure if the entry is not as it was written."""
        path = self._path(suite)
        document = read_json(path, REMEDY)
        check_schema(path, document, SCHEMA, REMEDY)
        tests = object_of(document, "tests")
        facts = {key: member(document, key) for key in ("key", "kept", "tests")}
        if text_of(document, "digest") != _digest(_canonical(facts)) or facts["key"] != self._keys[suite]:
            raise Failure(f"{path}: was changed after it was written: {REMEDY}")
        if sorted(tests) != sorted(self._tests[suite]):  # kept by a run that left out some
            return {}
        for test, verdicts in tests.items():
            check_form(path, verdicts, VERDICTS_SCHEMA, VERDICTS_FILE, REMEDY)
            if text_of(verdicts, "test") != test or not _is_kept(verdicts, *suite):
                raise Failure(f"{path}: holds verdicts that did not pass: {REMEDY}")
        return {test: {**verdicts, "kept": facts["kept"]} for test, verdicts in tests.items()}

    def remaining(self):
        """The tests that have to run."""
        for suite in self._keys:
            if os.path.exists(self._path(suite)):
                try:
                    self._found.update(self._read(suite))
                    os.utime(self._path(suite))
                except (Failure, OSError) as failure:
                    self.damaged.append(str(failure))
        return tuple(test for test in self._all if test not in self._found)

    def leave(self):
        """Leaves what was found among the run's verdicts, whose folder `kernelgate begin` has cleared."""
        for test, verdicts in self._found.items():
            path = os.path.join(self._records, test + SUFFIX)
            with os_errors_as(f"{path}: cannot be written", "make its folder writable, or set KG_OUT"):
                replace_file(path, json_text(verdicts, indent=None))

    def store(self, ended, begun):
        """Keeps the comparisons that passed, if CTest, whose report has the tests `ended`, saw each end as its verdicts say, and
        removes what an earlier run kept of those that failed. A folder that cannot be written keeps nothing. begun: when the
        tests began, in ns; what a program that was built later would do is not known."""
        ended = {test.name: test for test in ended}
        run = facts_of_run(os.path.dirname(self._records))
        kept = {name: run[name] for name in ("commit", "ended") if name in run}
        for suite, key in self._keys.items():
            if any(test in self._found for test in self._tests[suite]):
                continue
            with contextlib.suppress(OSError):
                tests, failed = self._seen(suite, ended)
                if tests and not self._changed_since(suite, begun):
                    facts = {"key": key, "kept": kept, "tests": tests}
                    os.makedirs(self._folder, exist_ok=True)
                    document = {"schema": SCHEMA, "digest": _digest(_canonical(facts)), **facts}
                    replace_file(self._path(suite), json_text(document, indent=None))
                elif failed:
                    os.unlink(self._path(suite))
        self._forget()

    def _seen(self, suite, ended):
        """The verdicts of a comparison's tests, None if they are not to be kept; and whether one failed."""
        try:
            tests = {test: load_verdicts(os.path.join(self._records, test + SUFFIX)) for test in self._tests[suite]}
        except Failure:
            return None, True
        if not all(test in ended and ended[test].agrees(member(verdicts, "exit_code")) and member(verdicts, "exit_code") in (PASS, NOTHING)
                   for test, verdicts in tests.items()):
            return None, True
        return tests if all(_is_kept(verdicts, *suite) for verdicts in tests.values()) else None, False

    def _changed_since(self, suite, begun):
        """Whether a program, a cubin or a baseline was written while the tests ran."""
        files = self._open_build(self._build).files(*suite) if is_code(suite[0]) else _programs(self._build, *suite)
        baselines = glob.glob(os.path.join(glob.escape(default_folder()), "*.json"))
        return any(os.stat(path).st_ctime_ns >= begun for path in (*files, *baselines))

    def _forget(self):
        """Removes the entries that were not used for the longest time."""
        try:
            entries = sorted((entry.stat().st_mtime_ns, entry.path) for entry in os.scandir(self._folder)
                             if entry.name.endswith(".json"))
            for _, path in entries[:-max(1, MOST_UNUSED * len(self._tests))]:
                os.unlink(path)
        except OSError:
            return


def of_ended_tests(build, out, command):
    """Those for the tests that left verdicts in the folder of a run's results."""
    return Kept(build, out, command,
                [name[:-len(SUFFIX)] for name in sorted(os.listdir(os.path.join(out, "records"))) if name.endswith(SUFFIX)])
