# SPDX-License-Identifier: MIT
"""Verdicts of the CPU model kept from earlier runs, in the build folder. The model repeats exactly: the same programs,
libraries, settings and baseline give the same verdicts, so that kernelgate gate --changed tests a comparison again only
where one of these has changed. Only a comparison that passed whole is kept."""

import hashlib
import os
import re

from kernelgate import VERSION
from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.errors import Failure
from kernelgate.base.files import open_regular, replace_file
from kernelgate.base.json_io import canonical, check_schema, json_text, list_of, member, object_of, read_json, text_of
from kernelgate.base.programs import MODEL as PROGRAM, NOTHING, instrumented_program, list_libraries
from kernelgate.base.results import MODEL_KEY
from kernelgate.base.run_facts import facts_of_run
from kernelgate.base.schema_form import check_form
from kernelgate.base.settings import MODEL
from kernelgate.baseline.file import default_folder
from kernelgate.run.expected import split_test
from kernelgate.run.merge import PASS, SUFFIX, VERDICTS_FILE, VERDICTS_SCHEMA, load_verdicts

FOLDER = "verdicts"  # of a build folder; CI stores it from one run to the next
SCHEMA = "kernelgate-kept/1"
REMEDY = "its comparison is tested again"
MOST_UNUSED = 4  # entries of earlier states that stay, per comparison
SETTINGS = re.compile("(KG_[A-Z]|KERNELGATE_)")
OTHER_SETTINGS = {"KG_OUT", "KG_PROJECT", "KG_CHANGED", "KG_SAMPLE", "KG_FILTER_GIVEN", "KG_BASE", "KG_BASE_REF", "KG_BASE_COMMIT",
                  "KG_PAIRED", "KG_CHART_JS"}  # the model's programs do not read them
BY_CASE = ("cases", "checked", "accuracy")  # of a baseline
IDLE = ("empty", "gpu-only")  # why a test of a passing comparison may have nothing to judge


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


def _baselines(stored):
    """The parts of a baseline that judge one comparison each, by comparison, and the part that judges all."""
    parts = {}
    for key in BY_CASE:
        entries = stored.get(key)
        for case in filter(lambda case: isinstance(case, str), entries if isinstance(entries, (dict, list)) else ()):
            mine = parts.setdefault(comparison_of_case(case), {}).setdefault(key, [])
            mine.append([case, entries[case]] if isinstance(entries, dict) else case)
    return parts, {key: value for key, value in stored.items() if key not in BY_CASE}


def _programs(build, comparison):
    path = os.path.join(build, f"{comparison}{PROGRAM}")
    return path, instrumented_program(path)


def _keys(build, comparisons):
    """The key of each comparison: what its verdicts depend on. None is known if a program, a library or the baseline
    cannot be read: the tests report it."""
    try:
        programs = {comparison: _programs(build, comparison) for comparison in comparisons}
        libraries = _libraries([path for paths in programs.values() for path in paths]) if programs else b""
        stored = read_json(f"{default_folder()}/{MODEL_KEY}.json", REMEDY)
        settings = sorted((name, value) for name, value in os.environ.items()
                          if SETTINGS.match(name) and name not in OTHER_SETTINGS)
        parts, shared = _baselines(stored)
        common = _digest(VERSION.encode(), libraries, _canonical(settings), _canonical(shared))
        return {comparison: _digest(common.encode(), *map(_of_file, paths), _canonical(parts.get(comparison)))
                for comparison, paths in programs.items()}
    except (Failure, OSError):
        return {}


def _is_kept(verdicts, comparison):
    """Whether a test's verdicts may be kept: it ended, and passed or had nothing to judge."""
    code = member(verdicts, "exit_code")
    passed = code == PASS or code == NOTHING and text_of(verdicts, "skipped_by") in IDLE
    return (member(verdicts, "complete") is True and passed and not list_of(verdicts, "errors")
            and split_test(text_of(verdicts, "test"))[1] == comparison
            and all(comparison_of_case(entry["case"]) == comparison for entry in list_of(verdicts, "cases")))


class Kept:
    """The verdicts that a build folder keeps for the tests of a run. `out` is the folder of its results."""

    def __init__(self, build, out, tests):
        self._folder, self._records = os.path.join(build, FOLDER), os.path.join(out, "records")
        self._all, self._tests = tests, {}  # the latter by comparison
        for test in tests:
            kind, comparison, _ = split_test(test)
            if kind == MODEL and os.path.exists(os.path.join(build, f"{comparison}{PROGRAM}")):
                self._tests.setdefault(comparison, []).append(test)
        self._keys = _keys(build, self._tests)
        self._found = {}  # the kept verdicts by test
        self.damaged = []  # why an entry was not used

    def _path(self, comparison):
        return os.path.join(self._folder, f"{comparison}.{self._keys[comparison]}.json")

    def _read(self, comparison):
        """The kept verdicts by test. Failure if the entry is not as it was written."""
        path = self._path(comparison)
        document = read_json(path, REMEDY)
        check_schema(path, document, SCHEMA, REMEDY)
        tests = object_of(document, "tests")
        facts = {key: member(document, key) for key in ("key", "kept", "tests")}
        if text_of(document, "digest") != _digest(_canonical(facts)) or facts["key"] != self._keys[comparison]:
            raise Failure(f"{path}: was changed after it was written: {REMEDY}")
        if sorted(tests) != sorted(self._tests[comparison]):  # kept by a run that left out some
            return {}
        for test, verdicts in tests.items():
            check_form(path, verdicts, VERDICTS_SCHEMA, VERDICTS_FILE, REMEDY)
            if text_of(verdicts, "test") != test or not _is_kept(verdicts, comparison):
                raise Failure(f"{path}: holds verdicts that did not pass: {REMEDY}")
        return {test: {**verdicts, "kept": facts["kept"]} for test, verdicts in tests.items()}

    def remaining(self):
        """The tests that have to run."""
        for comparison in self._keys:
            if os.path.exists(self._path(comparison)):
                try:
                    self._found.update(self._read(comparison))
                    os.utime(self._path(comparison))
                except (Failure, OSError) as failure:
                    self.damaged.append(str(failure))
        return tuple(test for test in self._all if test not in self._found)

    def leave(self):
        """Leaves what was found among the run's verdicts, once its own tests have ended: their first one clears them."""
        for test, verdicts in self._found.items():
            path = os.path.join(self._records, test + SUFFIX)
            try:
                replace_file(path, json_text(verdicts, indent=None))
            except OSError as error:
                raise Failure(f"{path}: cannot be written: {error.strerror}: make its folder writable, or set KG_OUT") from None

    def store(self):
        """Keeps the comparisons that passed. A folder that cannot be written keeps nothing."""
        run = facts_of_run(os.path.dirname(self._records))
        kept = {name: run[name] for name in ("commit", "ended") if name in run}
        for comparison in self._keys:
            try:
                tests = {test: load_verdicts(os.path.join(self._records, test + SUFFIX)) for test in self._tests[comparison]}
                if all(_is_kept(verdicts, comparison) and "kept" not in verdicts for verdicts in tests.values()):
                    facts = {"key": self._keys[comparison], "kept": kept, "tests": tests}
                    os.makedirs(self._folder, exist_ok=True)
                    document = {"schema": SCHEMA, "digest": _digest(_canonical(facts)), **facts}
                    replace_file(self._path(comparison), json_text(document, indent=None))
            except (Failure, OSError):
                continue
        self._forget()

    def _forget(self):
        """Removes the entries that were not used for the longest time."""
        try:
            entries = sorted((entry.stat().st_mtime_ns, entry.path) for entry in os.scandir(self._folder)
                             if entry.name.endswith(".json"))
            for _, path in entries[:-max(1, MOST_UNUSED * len(self._tests))]:
                os.unlink(path)
        except OSError:
            return


def of_ended_tests(build, out):
    """Those for the tests that left verdicts in the folder of a run's results."""
    return Kept(build, out, [name[:-len(SUFFIX)] for name in sorted(os.listdir(os.path.join(out, "records"))) if name.endswith(SUFFIX)])
