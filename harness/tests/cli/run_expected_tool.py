# SPDX-License-Identifier: MIT
"""Tests of what had to report in a run, against what reported."""

import os
import subprocess
import sys

from merge_fixture import COMMAND, MODEL, TREE, Merges, claim, part, verdicts

from kernelgate import commands
from kernelgate.base import programs
from kernelgate.run import begin as run_begin, expected as run_expected
from kernelgate.run.shard import Share
from kernelgate.base.errors import Failure

# Two tests of one comparison on the CPU model, and a claim.
TABLES = {"model.a.check": ["a/v/1/-", "a/v/2/-", "a/v/3/-"], "model.a.count": ["a/v/3/-"], "model.a.claim_x": []}
CHECKED = ("a/v/1/-", "a/v/2/-", "a/v/3/-")
SKIPPED = {"skipped": "s", "skipped_by": "unavailable"}


def check(*cases, **more):
    return verdicts("model.a.check", *(part("check", case=case, target=MODEL) for case in cases), target=MODEL, **more)


def count(*cases, metrics=None, **more):
    entries = [part("count", case=case, target=MODEL, metrics=metrics or {}) for case in cases]
    return verdicts("model.a.count", *entries, target=MODEL, **more)


CLAIM = verdicts("model.a.claim_x", target=MODEL, claims=[claim(True)])
ALL = (check(*CHECKED), count("a/v/3/-"), CLAIM)


class Expected(Merges):
    def setUp(self):
        super().setUp()
        run_expected.stored_baseline.cache_clear()

    def put_baseline(self, cases, checked=(), target=None, **more):
        target = target or MODEL
        self.write(f"baselines/{target['key']}.json", {
            "schema": "kernelgate-baseline/2", "target": target, "provenance": {"model": "4"}, **more,
            **({"checked": list(checked)} if checked else {}),
            "cases": {case: {"commit": "c", "barriers": 0} if case != "bad" else {} for case in cases}})
        run_expected.stored_baseline.cache_clear()

    def checked(self, *documents, partial=False, tables=None, share=None):
        tables = {test: dict.fromkeys(cases) for test, cases in (tables or TABLES).items()}
        merged = self.merged(*documents)
        before = len(merged.document["errors"])
        run_expected.Coverage(merged, tables, "baselines", partial, share=share).check()
        del merged.document["errors"][:before]
        return merged.document

    def test_each_hole_has_its_name(self):
        refused = {"refused": [{"case": "a/v/2/-"}]}
        counted_refused = {"refused": [{"case": "a/v/3/-"}]}
        skipped = count(**SKIPPED)
        other, wider, open_, same = (count("a/v/3/-", metrics={"barriers": {"value": 0, "baseline": 0, "band": 0, **more}})
                                     for more in ({"baseline": 7}, {"band": 0.9}, {"gated": False}, {}))
        for name, documents, stored, more, errors, vanished, unlisted in (
                ("nothing is missing", ALL, None, {}, [], [], []),
                ("a test that left nothing", ALL[:2], None, {}, ["model.a.claim_x"], [], []),
                ("tests that nobody asked for", (check(*CHECKED),), None, {"partial": True}, [], [], []),
                ("a case of the table without a verdict", (check("a/v/1/-", "a/v/3/-"), *ALL[1:]), None, {}, ["model.a.check"], [], []),
                ("the same, where tests were chosen", (check("a/v/1/-"),), None, {"partial": True}, ["model.a.check"], [], []),
                ("a case that one test judged and another did not", (ALL[0], count("a/v/9/-"), CLAIM), None, {}, ["model.a.count"], [],
                 []),
                ("a case that is refused", (check("a/v/1/-", "a/v/3/-", **refused), *ALL[1:]), None, {}, [], [], []),
                ("cases that the filter leaves out", (check("a/v/1/-"), count(skipped="s", skipped_by="filter"), CLAIM), None,
                 {"globs": "a/v/1/*"}, [], [], []),
                ("a counted case that left the table", ALL, ["a/v/3/-", "a/v/4/-"], {}, [], ["a/v/4/- model.a.count"], []),
                ("the same, where tests were chosen", ALL[:2], ["a/v/4/-"], {"partial": True}, [], ["a/v/4/- model.a.count"], []),
                ("a counted case that is only checked now", ALL, ["a/v/1/-"], {}, [], ["a/v/1/- model.a.count"], []),
                ("a case of a comparison that is gone", ALL, ["b/v/3/-"], {}, [], ["b/v/3/- "], []),
                ("the same, where tests were chosen", ALL, ["b/v/3/-"], {"partial": True}, [], [], []),
                ("a case that the filter leaves out cannot vanish", (check("a/v/1/-"), ALL[1], CLAIM), ["a/v/4/-"],
                 {"globs": "a/v/1/*"}, [], [], []),
                ("a test that judged nothing has given its reason", (ALL[0], skipped, CLAIM), ["a/v/4/-"], {}, [], [], []),
                ("a counted case that is refused now", (check("a/v/1/-", "a/v/2/-", **counted_refused), *ALL[1:]), ["a/v/3/-"], {}, [],
                 ["a/v/3/- model.a.count"], []),
                ("all counted cases are refused now", (check("a/v/1/-", "a/v/2/-", **counted_refused), skipped, CLAIM), ["a/v/3/-"],
                 {}, [], ["a/v/3/- model.a.count"], []),
                ("a case that was judged by another baseline", (ALL[0], other, CLAIM), ["a/v/3/-"], {}, ["model.a.count"], [], []),
                ("one with a wider band", (ALL[0], wider, CLAIM), ["a/v/3/-"], {}, ["model.a.count"], [], []),
                ("one that does not gate it", (ALL[0], open_, CLAIM), ["a/v/3/-"], {}, ["model.a.count"], [], []),
                ("the same baseline", (ALL[0], same, CLAIM), ["a/v/3/-"], {}, [], [], []),
                ("a file that is not right", ALL, ["a/v/3/-", "bad", "a/v/4/-"], {"checked": ["a/v/2/-"]}, [], [], []),
                ("a checked case that left the table", ALL, ["a/v/3/-"], {"checked": ["a/v/0/-", "a/v/1/-", "a/v/2/-"]}, [],
                 ["a/v/0/- model.a.check"], []),
                ("a checked case that is new", ALL, ["a/v/3/-"], {"checked": ["a/v/2/-"]}, [], [], ["a/v/1/-"]),
                ("a baseline without such a list", ALL, ["a/v/3/-"], {"checked": ()}, [], [], ["a/v/1/-", "a/v/2/-"]),
                ("cases of tests that did not have to report", (check("a/v/1/-"),), ["a/v/9/-"], {"tables": {"gpu.a.time": []}},
                 ["gpu.a.time"], [], [])):
            with self.subTest(name):
                os.environ.pop("KG_FILTER", None)
                os.environ.update({"KG_FILTER": more["globs"]} if "globs" in more else {})
                if os.path.exists("baselines/cpu-model.json"):
                    os.unlink("baselines/cpu-model.json")
                run_expected.stored_baseline.cache_clear()
                if stored is not None:
                    rest = [case for case in CHECKED if case not in stored]
                    self.put_baseline(stored, more.get("checked", rest))
                document = self.checked(*documents, partial=more.get("partial", False), tables=more.get("tables"))
                self.assertEqual([error["test"] for error in document["errors"]], errors)
                self.assertEqual([f"{entry['case']} {entry['test']}" for entry in document["vanished"]], vanished)
                self.assertEqual([entry["case"] for entry in document["unlisted"]], unlisted)

    def test_a_shard_answers_for_its_share(self):
        """What vanished from the tables of its tests, and from all of them; not what others judge."""
        tables = {**TABLES, "model.b.check": ["b/v/1/-"], "model.b.count": ["b/v/1/-"]}
        self.put_baseline(["a/v/3/-", "a/v/4/-", "b/v/1/-", "b/v/2/-", "c/v/1/-"], ["a/v/1/-", "a/v/2/-"])
        for tests, documents, errors, vanished, counts in (
                (TABLES, ALL, [], ["a/v/4/-", "c/v/1/-"], (3, 3, 3, 3)), (TABLES, ALL[:2], ["model.a.claim_x"], ["a/v/4/-", "c/v/1/-"], (3, 2, 3, 3)),
                (["model.b.check"], (verdicts("model.b.check", part("check", case="b/v/1/-", target=MODEL), target=MODEL),), [], ["c/v/1/-"],
                 (1, 1, 1, 1)), (["model.b.check"], (), [None], [], (1, 0, 1, 0)), ([], (), [], [], (0, 0, 0, 0))):
            with self.subTest(tests=tests, documents=documents):
                document = self.checked(*documents, tables=tables, share=Share(1, 2, "p", tuple(tests)))
                self.assertEqual([error.get("test") for error in document["errors"]], errors)
                self.assertEqual([entry["case"] for entry in document["vanished"]], vanished)
                covered = document["coverage"]
                self.assertEqual(tuple(covered[key][name] for key in ("tests", "cases") for name in ("expected", "reported")), counts)

    def test_timed_cases_are_the_gpus(self):
        gpu = {"key": "nvidia-fake", "name": "NVIDIA Fake"}
        tables = {"gpu.a.time": ["a/v/1/-"], "gpu.a.count": ["a/v/2/-"]}
        documents = [verdicts(test, part(test[6:], case=cases[0], target=gpu), target=gpu) for test, cases in tables.items()]
        self.put_baseline(["a/v/1/-", "a/v/2/-"], target=gpu)
        self.assertEqual([entry["case"] for entry in self.checked(*documents, tables=tables)["vanished"]], ["a/v/2/-"])

    def test_a_comparison_that_is_gone_and_was_imported(self):
        fake = {"key": "fake"}
        document = verdicts("gpu.a.time", part("time", case="a/v/1/-", target=fake), target=fake)
        for provenance, vanished in (({}, ["b/v/1/-"]), ({"measured_by": "nvbench"}, [])):
            self.put_baseline(["b/v/1/-"], target=fake, provenance=provenance)
            found = self.checked(document, tables={"gpu.a.time": ["a/v/1/-"]})
            self.assertEqual([entry["case"] for entry in found["vanished"]], vanished)

    def test_no_test_reported(self):
        for partial, errors in ((False, 1), (True, 0)):
            document = self.checked(partial=partial)
            self.assertEqual(len(document["errors"]), errors)
        self.expect_members(self.checked()["errors"][0], {"test": None})
        self.assertIn("model.a.check, model.a.count, model.a.claim_x", self.checked()["errors"][0]["why"])

    def test_cases_are_named_up_to_five(self):
        for missing, told in ((5, "a/v/0/-, a/v/1/-, a/v/2/-, a/v/3/-, a/v/4/-: run"), (6, "a/v/4/-, ...: run")):
            tables = {"model.a.check": [f"a/v/{size}/-" for size in range(missing)]}
            self.assertIn(told, self.checked(check("a/w/1/-"), tables=tables)["errors"][0]["why"])

    def test_what_was_covered_is_counted(self):
        os.environ["KG_FILTER"] = "a/v/1/*"
        coverage = {"tests": {"expected": 3, "reported": 1}, "cases": {"expected": 3, "reported": 1}, "filter": "a/v/1/*"}
        self.assertEqual(self.checked(check("a/v/1/-"), partial=True)["coverage"], {**coverage, "partial": True})
        self.assertEqual(self.checked(check("a/v/1/-"))["coverage"], coverage)
        del os.environ["KG_FILTER"]
        self.assertEqual(self.checked(*ALL, partial=True)["coverage"],
                         {key: {"expected": 3, "reported": 3} for key in ("tests", "cases")})
        both = {**TABLES, "gpu.a.time": ["a/v/3/-"]}
        self.assertEqual(self.checked(*ALL, tables=both)["coverage"]["cases"], {"expected": 4, "reported": 3})


class Globs(Merges):
    def test_are_those_of_the_programs(self):
        """fnmatch(3), by which the programs choose, takes more than Python's own does."""
        for glob, case, taken in (
                ("c/*", "c/v/1/-", True), ("c/[^v]/*", "c/w/1/-", True), ("c/[^v]/*", "c/v/1/-", False), ("c/[!v]/*", "c/v/1/-", False),
                ("c/\\v/*", "c/v/1/-", True), ("c/[[:alpha:]]/*", "c/v/1/-", True), ("c/[[:digit:]]/*", "c/v/1/-", False),
                ("x,c/?/1/-", "c/v/1/-", True), ("", "c/v/1/-", False)):
            with self.subTest(glob):
                self.assertIs(programs.globs_take(glob, case), taken)


class Programs(Merges):
    def answer(self, text, code=0, name="a.model"):
        self.write_script(name, f"#!/bin/sh\n[ \"$*\" = --tests ] && cat <<'END'\n{text}\nEND\nexit {code}\n")
        self.write("programs", f"\n{os.path.abspath(name)}\n")

    def test_the_tests_that_had_to_report(self):
        self.answer('{"tests": [{"test": "model.a.check", "cases": ["a/v/1/-"]}, {"test": "gpu.a.time", "cases": []}]}')
        both = {"model.a.check": {"a/v/1/-": None}, "gpu.a.time": {}}
        for kinds, names in (((), list(both)), (["model"], ["model.a.check"]), (["gpu"], ["gpu.a.time"]), (["sm"], [])):
            self.assertEqual(run_expected.list_tests("programs", kinds), {name: both[name] for name in names})
        self.write("programs", "")
        self.assertEqual(run_expected.list_tests("programs", ()), {})

    def test_refusals(self):
        for text, code in (("", 0), ("{}", 0), ('{"tests": []}', 0), ('{"tests": {}}', 0), ('{"tests": [1]}', 0), ("[]", 0),
                           ('{"tests": [{"test": "", "cases": []}]}', 0), ('{"tests": [{"test": "model.a.check"}]}', 0),
                           ('{"tests": [{"test": "t", "cases": [1]}]}', 0), ('{"tests": [{"test": "t", "cases": {}}]}', 0),
                           ('{"tests": [{"test": "t", "cases": []}, {"cases": []}]}', 0),
                           ('{"tests": [{"test": "t", "cases": []}]}', 3)):
            self.answer(text, code)
            with self.assertRaisesRegex(Failure, r"/a\.model: does not list its tests" + (r" .exit code 3" if code else ": .+: build")):
                run_expected.list_tests("programs", ())
        os.unlink("a.model")
        with self.assertRaisesRegex(Failure, r"/a\.model: does not list its tests \(No such file or directory\): build it again"):
            run_expected.list_tests("programs", ())
        for path, kinds, told in (("none", (), "none: cannot be read: No such file"), (".", (), "cannot be read"),
                                  ("programs", ["cpu"], "--target 'cpu': expected gpu, model or sm")):
            with self.assertRaisesRegex(Failure, told):
                run_expected.list_tests(path, kinds)

    def test_a_filter_that_takes_nothing_is_refused_at_the_begin(self):
        self.answer('{"tests": [{"test": "model.a.check", "cases": ["a/v/1/-", "a/v/2/-"]}]}')
        for globs, kind, told in ((None, None, None), ("a/v/2/*", None, None), ("a/w/*", None, 'did you mean "a/v/\\*"'),
                                  ("zzz", None, "KG_FILTER=zzz matches no case of any test: `kernelgate list`"),
                                  ("a/v/*", "gpu", "matches")):
            os.environ.pop("KG_FILTER", None)
            os.environ.update({"KG_FILTER": globs} if globs else {})
            if told is None:
                run_begin._refuse_empty_filter("programs", [kind] if kind else [])
            else:
                with self.assertRaisesRegex(Failure, told):
                    commands.main(["begin", "--programs", "programs", "--out", "out", *(["--target", kind] if kind else [])])
        self.assertFalse(os.path.exists("out"), "what is refused leaves the folder as it was")
        run_begin._refuse_empty_filter(None, None)
        os.environ.update(KG_FILTER="a/v/2/*", KG_STRICT="1")
        with self.assertRaisesRegex(Failure, "set in the environment of a strict run"):
            commands.main(["begin", "--programs", "programs", "--out", "out"])


class Ctest(Merges):
    def test_whether_tests_were_chosen(self):
        """By the command line of the parent, which here is a shell that is called as ctest is."""
        code = (f"import sys; sys.path.insert(0, {os.path.join(TREE, 'tools')!r}); "
                "from kernelgate.run import expected; print(expected.ctest_chose_tests())")
        for arguments, by_ctest, chosen in (
                (["-j2"], True, False), (["-R", "x"], True, True), (["-R", "x"], False, False), (["-Rx"], True, False),
                (["x-R"], True, False),
                *((["--output-on-failure", choice, "x"], True, True) for choice in (
                    "--tests-regex", "-E", "--exclude-regex", "-L", "--label-regex", "-LE", "--label-exclude", "-FA",
                    "--fixture-exclude-any", "-I", "--tests-information", "-S", "--script", "-SP", "--script-new-process",
                    "--rerun-failed", "--tests-from-file", "--exclude-from-file"))):
            environment = {**self.environment, "CODE": code, "PYTHON": sys.executable}
            environment.update({"CTEST_INTERACTIVE_DEBUG_MODE": "0"} if by_ctest else {})
            done = subprocess.run(["/bin/sh", "-c", '"$PYTHON" -B -W ignore -c "$CODE"; exit $?', "ctest", *arguments], env=environment,
                                  stdout=subprocess.PIPE, text=True, check=True)
            self.assertEqual(done.stdout, f"{chosen}\n", (arguments, by_ctest, COMMAND))
