# SPDX-License-Identifier: MIT
"""Tests of what a gate takes from the results of the last run."""

import json
import tempfile
import unittest
from unittest import mock

from own_folder import write_file

from kernelgate.base.errors import Failure
from kernelgate.base.results import Run
from kernelgate.run import last_run


def case(name, verdict, **more):
    return {"case": name, "target": "t", "verdict": verdict, "why": "", "metrics": {}, **more}


def many(count, length):
    return [case(f"{'c' * length}{number % 50}/v{number % 500}/{number}/-", "slower") for number in range(count)]


PASSING = case("a/v/9/-", "pass")
# Results, and the filter of what failed.
FAILED = (
    ({"cases": [PASSING, case("a/v/2/-", "noisy")]}, ""), ({"cases": [PASSING, case("a/v/2/-", "noisy")], "strict": True}, "a/v/2/-"),
    ({"cases": [PASSING, case("a/v/1/-", "wrong", group="x"), case("a/v/2/-", "wrong", group="x"), case("b/v/1/-", "slower")]},
     "a/v/1/-,a/v/2/-,b/v/1/-"),
    ({"errors": [{"why": "x", "test": "gpu.b.time"}, {"why": "x", "test": "model.b.check"}]}, "b/*"), ({"errors": [{"why": "x"}]}, None),
    ({"errors": [{"why": "x", "test": "import.t"}]}, None), ({"errors": [{"why": "x", "test": "model.reduce_tests.main"}]}, "reduce_tests/*"),
    ({"errors": [{"why": "x", "test": "sm_90.b.code"}]}, "b/*"),
    ({"claims": [{"claim": "gpu.a.claim_b_wins", "holds": False, "target": "t"}]}, "a/*"),
    ({"tests": [{"name": "gpu.b.time", "skipped": "no GPU", "exit_code": 2}]}, "b/*"),
    ({"cases": [PASSING], "vanished": [{"case": "a/old/1/-", "target": "t"}]}, "a/*"), ({"vanished": [{"case": "a/old/1/-", "target": "t"}]}, None),
    ({"cases": [case("a/*", "wrong")]}, None), ({"cases": [case("a,b", "wrong")]}, None), ({"strict": True, "unlisted": [{"case": "a/v/1/-"}]}, None),
)


class LastRun(unittest.TestCase):
    def test_what_failed(self):
        for document, expected in FAILED:
            self.assertEqual(last_run.filter_of_failures(Run(document)), expected, document)

    def test_a_filter_fits_the_environment(self):
        for count, length, expected in ((10, 9, 9), (4000, 40, 499), (10000, 3, 499), (1000, 3000, None)):
            found = last_run.filter_of_failures(Run({"cases": many(count, length)}))
            self.assertEqual(found and found.count(","), expected)
            self.assertLessEqual(len(found or ""), last_run.LONGEST_FILTER)
        found = last_run.filter_of_failures(Run({"cases": many(1000, 1200)}))
        self.assertEqual((found.count(","), found.endswith("49/*")), (49, True), "of comparisons")

    def test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(last_run.load_last(folder))
            for text in ("{", json.dumps({"schema": "kernelgate-results/9"})):
                write_file(f"{folder}/results.json", text)
                with self.assertRaises(Failure):
                    last_run.load_last(folder)


class Estimate(unittest.TestCase):
    def counts(self, tests, ended, started=(), coverage=None):
        """What is added to the counts, of tests that end at these times, of 4 in all; some have started at once."""
        found = []
        with mock.patch("time.monotonic", return_value=0) as clock:
            estimate = last_run.Estimate(tests and Run({"coverage": coverage or {}, "tests": [
                {"name": name, "seconds": seconds} for name, seconds in tests.items()]}))
            for name in started:
                estimate.start(name)
            for number, (name, clock.return_value) in enumerate(ended, 1):
                found.append(estimate.count(number, 4, name))
        return found

    def test_estimates(self):
        tests = {"a": 10, "b": 10, "c": 10, "d": 10}
        for known, ended, expected in (
                (tests, (("a", 5), ("b", 10), ("c", 15), ("d", 20)), [", about 15 s left", ", about 10 s left", ", about 5 s left", ""]),
                ({**tests, "e": 10, "f": 10}, (("a", 10),), [", about 30 s left"]),  # of others, which --target left out
                ({"a": 1, "b": 100}, (("a", 1), ("b", 50)), ["", ""]), (None, (("a", 1),), [""]), ({"a": "x", "b": -1}, (("a", 1),), [""]),
                (tests, (("new", 3), ("a", 10)), ["", ", about 20 s left"])):
            self.assertEqual(self.counts(known, ended), expected, ended)
        self.assertEqual(self.counts(tests, (("a", 5), ("b", 10)), coverage={"filter": "m/*"}), ["", ""])
        # The long one runs beside the others, and needs what is left of it.
        found = self.counts({"a": 30, "b": 10, "c": 10, "d": 10}, (("b", 10), ("c", 20), ("d", 30)), "ab")
        self.assertEqual(found, [", about 20 s left", ", about 10 s left", ""])
