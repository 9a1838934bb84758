# SPDX-License-Identifier: MIT
"""The tests and cases that must report in a run, from the programs' own lists and the baselines, and those that did
not."""

import functools
import os

from kernelgate.base.added_programs import added_tests
from kernelgate.base.case_id import comparison_of_case, variant_of_case
from kernelgate.baseline.file import counted_cases, load
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.json_io import is_number, member, number_of, text_of
from kernelgate.base.figures import plural
from kernelgate.code.generated_code import BUILD_FILE, CodeBuild
from kernelgate.base.programs import ask_program, filter_takes
from kernelgate.base.results import MODEL_KEY
from kernelgate.base.settings import CODE, GPU, MODEL, setting

NAMED_CASES = 5  # named in an error about more
CTEST_CHOICES = {"-R", "--tests-regex", "-E", "--exclude-regex", "-L", "--label-regex", "-LE", "--label-exclude", "-FA",
                 "--fixture-exclude-any", "-I", "--tests-information", "-S", "--script", "-SP", "--script-new-process",
                 "--rerun-failed", "--tests-from-file", "--exclude-from-file"}


def list_names(names, most=NAMED_CASES):
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def ctest_chose_tests():
    """Whether the ctest that runs this as one of its tests was told to run only some tests."""
    if "CTEST_INTERACTIVE_DEBUG_MODE" not in os.environ:  # CTest sets it for each of its tests
        return False
    try:
        with open(f"/proc/{os.environ.get('KG__CALLER', os.getppid())}/cmdline", "rb") as file:
            return not CTEST_CHOICES.isdisjoint(map(os.fsdecode, file.read().split(b"\0")))
    except OSError:
        return False


def kind_of_test(test):
    """The kind of target of a test: "sm" for "sm_90.matmul_f32.code"."""
    return split_test(test)[0].partition("_")[0]


def _tests_of_code(folder, kinds):
    """The tests that judge a build's generated code."""
    if kinds and CODE not in kinds or not os.path.exists(os.path.join(folder, BUILD_FILE)):
        return {}
    build = CodeBuild(folder)
    # The kernels of a program are known only from its code, which need not be built.
    return {name: {} if build.is_program(comparison) else dict.fromkeys(filter(filter_takes, build.cases(architecture, comparison)))
            for name, (architecture, comparison) in build.tests().items()}


def list_tests(path, kinds, filtered=True):
    """The tests that must report, with the cases of their tables: of the comparisons' programs that the file at `path` lists,
    one per line, of the programs that kg_add_program() gates, and of the code generated in its folder. Tests of some
    kinds of targets, or (none named) of all. The programs list the cases that KG_FILTER selects, or all of them."""
    for kind in kinds:
        if kind not in (GPU, MODEL, CODE):
            raise Failure(f"--target '{kind}': expected gpu, model or sm")
    with (os_errors_as(f"{path}: cannot be read", "configure the build again"),
          open(path, encoding="utf-8", errors="surrogateescape") as file):
        programs = [line for line in file.read().split("\n") if line]
    listed = [test for program in programs for test in ask_program(program, "--tests", "tests", filtered=filtered)["tests"]]
    tests = {test["test"]: dict.fromkeys(test["cases"]) for test in listed if not kinds or kind_of_test(test["test"]) in kinds}
    folder = os.path.dirname(path)
    added = {name: {test.case: None} for name, test in added_tests(folder, kinds).items()}
    return {**tests, **added, **_tests_of_code(folder, kinds)}


def split_test(test):
    """The parts of a test's name, "gpu.matmul_f32.time"."""
    kind, _, rest = test.partition(".")
    comparison, _, part = rest.partition(".")
    return kind, comparison, part


def _program_test(kind, case):
    """The test of a program that launched a case's kernel."""
    return f"{kind}.{variant_of_case(case).replace('/', '.')}"


@functools.lru_cache(maxsize=None)
def stored_baseline(folder, target):
    """The baseline of a target; None if there is none, or an invalid one, which the tests that read it have
    reported."""
    try:
        return load(f"{folder}/{target}.json")
    except Failure:
        return None


class Coverage:
    """Adds the missing tests and cases to the results of a run."""

    def __init__(self, run, tests, baselines, partial, added=(), share=None):
        self._run = run
        self._added = added  # the names of tests of programs, which list what vanished themselves
        self._tests = tests  # of the whole run, with the cases of their tables
        self._share = share  # of a shard, None of a whole run
        self._mine = [test for test in tests if share is None or test in share.tests]  # that must report
        self._baselines = baselines  # the folder
        self._partial = partial  # the user chose only some of the tests
        document = run.document
        self._reported = {test["name"]: test for test in document["tests"]}
        self._entries = {(entry["target"], entry["case"]): entry for entry in document["cases"]}
        self._judged = {(*key, part) for key, entry in self._entries.items() for part in entry["parts"]}
        self._refused = {(entry["target"], entry["case"]) for entry in document["refused"]}

    def check(self):
        self._check_tests()
        if self._run.strict:
            self._check_skipped_programs()
        self._check_baselines()
        self._run.document["coverage"] = self._coverage()

    def _has_judged(self, test):
        """Whether a test judged cases; one that could not run, for example without a GPU, has given its reason
        instead."""
        return test in self._reported and self._reported[test].get("skipped_by") != "unavailable"

    def _check_tests(self):
        """Checks that each expected test has reported. If none did, one error names them."""
        if not self._reported and not self._partial and self._mine:
            for test in self._mine:
                self._leave_unreported(test, self._tests[test])
            self._run.add_error(None, f"no test left a verdict, of these: {', '.join(self._mine)}: run ctest, and see its output")
            return
        for test in self._mine:
            if test not in self._reported and not self._partial:
                self._leave_unreported(test, self._tests[test])
                self._run.add_error(test, "left no verdict: it was not run, or its program ended before it could report: run it "
                                          "again, and see that nothing leaves it out")
            elif self._has_judged(test):
                self._check_cases(test)

    def _check_skipped_programs(self):
        """Adds an error for a program of kg_add_program() whose tests have all skipped themselves."""
        skipped = {}
        for test in self._added:
            is_skipped = text_of(self._reported.get(test), "skipped_by") == "empty"
            skipped.setdefault(tuple(split_test(test)[:2]), []).append(is_skipped)
        for (kind, program), tests in skipped.items():
            if all(tests):
                self._run.add_error(None, f"{kind}.{program}: {plural(len(tests), 'test')}, and each skipped itself, so nothing was "
                                          "checked: have one run, or remove the program from the gate")

    def _leave_unreported(self, test, cases):
        """Lists cases without a verdict, with the target of other tests of their kind."""
        kind = kind_of_test(test)
        target = next((known["target"] for known in self._reported.values() if known["name"] == test or kind_of_test(known["name"]) == kind), kind)
        self._run.document.setdefault("unreported", []).append(
            {"name": test, "target": target, "cases": [case for case in cases if filter_takes(case)]})

    def _check_cases(self, test):
        """Adds an error for cases of a test's table without a verdict, although the test reported."""
        target, part = self._reported[test]["target"], split_test(test)[2]
        if test in self._added:
            part = "check"
        missing = [case for case in self._tests[test] if filter_takes(case) and (target, case, part) not in self._judged
                   and (target, case) not in self._refused]
        if missing:
            self._leave_unreported(test, missing)
            self._run.add_error(test, f"{plural(len(missing), 'case')} of its table left no verdict: {list_names(missing)}: run "
                                      "the test again")

    def _check_baselines(self):
        """Checks the baseline of each target that a test of the run found."""
        for target in self._run.document["targets"]:
            kind = next((split_test(test["name"])[0] for test in self._run.document["tests"]
                         if test["target"] == target and test["name"] in self._tests), None)
            if kind in (GPU, MODEL):
                self._check_baseline(target, kind)

    def _check_baseline(self, target, kind):
        baseline = stored_baseline(self._baselines, target)
        if baseline is None:
            return
        imported = text_of(baseline.provenance, "measured_by") != ""
        for case in baseline.cases.values():
            self._check_stored(target, kind, case.id, "time" if kind == GPU else "count", imported)
            self._check_judged_by(target, case)
        for case in baseline.checked:
            self._check_stored(target, kind, case, "check", imported)
        if kind == MODEL:
            self._find_unlisted(target, {*baseline.cases, *baseline.checked})

    def _check_stored(self, target, kind, case, part, imported):
        """Checks a case of the baseline for a part: it has vanished if no table has it, or if its comparison now
        refuses it. A missing test is an error, and one that judged nothing has given its reason. No table has
        imported cases."""
        refused = (target, case) in self._refused
        if _program_test(kind, case) in self._added:
            return
        test = f"{kind}.{comparison_of_case(case)}.{part}"
        known = test in self._tests
        if not filter_takes(case) or known and case in self._tests[test] and not refused:
            return
        if refused or (self._has_judged(test) if known else not self._partial and not imported):
            self._run.document["vanished"].append({"case": case, "target": target, "test": test if known else ""})

    def _check_judged_by(self, target, stored):
        """A case must be judged by the file that everyone sees. A test's environment can set another baselines
        folder than this command's."""
        entry = self._entries.get((target, stored.id))
        for name, metric in stored.metrics.items() if entry is not None else ():
            shown = entry["metrics"].get(name)
            judged, band = member(shown, "baseline"), number_of(shown, "band")
            wrong = is_number(judged) and (
                f"a baseline of {judged:.17g}, and {{}} has {metric.value:.17g}" if judged != metric.value else
                f"a band of {band:.17g}, and {{}} has {metric.band:.17g}" if band > metric.band else
                "a baseline that does not gate it, and {} does" if metric.gated and member(shown, "gated") is False else "")
            if wrong:
                self._run.add_error(entry["test"], f"{stored.id}: {name} was judged by "
                                                   f"{wrong.format(f'{self._baselines}/{target}.json')}: judge it by that file, "
                                                   "without KG_BASELINES")
                return

    def _find_unlisted(self, target, known):
        """Checked cases that the baseline does not list: their removal would go unnoticed."""
        for entry in self._run.document["cases"]:
            if entry["target"] == target and "check" in entry["parts"] and entry["case"] not in known:
                self._run.document["unlisted"].append({"case": entry["case"], "target": target, "test": entry["test"]})

    def _coverage(self):
        document = self._run.document
        reported = sum(test in self._reported for test in self._mine)
        cases = {(split_test(test)[0], case) for test in self._mine for case in self._tests[test]}
        programs = {split_test(test)[1] for test in self._added}
        launched = [entry["case"] for entry in document["cases"] if entry["target"] == MODEL_KEY]
        cases |= {(MODEL, case) for case in (*counted_cases(programs), *launched) if comparison_of_case(case) in programs
                  and (self._share is None or _program_test(MODEL, case) in self._share.tests)}
        coverage = {"tests": {"expected": len(self._mine), "reported": reported},
                    "cases": {"expected": len(cases), "reported": len(document["cases"])}}
        if setting("KG_FILTER") is not None:
            coverage["filter"] = setting("KG_FILTER")
        if os.path.realpath(self._baselines) != os.path.realpath("baselines"):
            coverage["baselines"] = self._baselines
        if self._partial and reported < len(self._mine):
            coverage["partial"] = True
        return coverage
