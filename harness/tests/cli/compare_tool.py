# SPDX-License-Identifier: MIT
"""Tests of `kernelgate compare`."""

import json
import math
import os
import random
import subprocess
import tempfile
import unittest
from unittest import mock

import command_run
import mutations
from own_folder import OwnFolder

from command_fixture import COMMAND
from kernelgate import commands
from kernelgate.base import command_line, judging
from kernelgate.report import compare as tool
JUDGE = os.path.join(os.path.dirname(COMMAND), judging.PROGRAM)

GPU, OTHER, MODEL = "nvidia-h200", "nvidia-a100", "cpu-model"
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("KG_")}, "NO_COLOR": "1"}
CODE = {"name": "k", "fingerprint": "00112233445566ff"}
DEFAULT, SQUARE = "default", math.expm1(math.sqrt(2) * math.log1p(0.02))


def time(value, width=0.001, **more):
    """The figures of a time that is known to half of `width` on both sides."""
    return {"time_ns": {"value": value, "low": value * (1 - width / 2), "high": value * (1 + width / 2), **more}}


def count(value, **more):
    return {"barriers": {"value": value, **more}}


def judged(value, baseline, limit, smallest, **more):
    """A time that was judged by a baseline."""
    return time(value, baseline=baseline, limit=limit, smallest=smallest, **more)


def case(name, metrics, target=GPU, verdict="pass", why="", **more):
    return {"case": f"m/{name}/1/b8", "target": target, "metrics": metrics, "verdict": verdict, "why": why, **more}


def results(*cases, **more):
    return {"schema": "kernelgate-results/2", "run": {}, "targets": {entry["target"]: {"key": entry["target"]} for entry in cases},
            "provenance": {}, "cases": list(cases), **more}


def compared(a, b, globs="", across=False):
    """A and B are documents, or lists of cases."""
    found = (found if isinstance(found, dict) else results(*found) for found in (a, b))
    return tool.Comparison(*(tool.Run(name, f"{name}.json", document) for name, document in zip("AB", found)), globs, across)


class Compare(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.dict(os.environ, {**ENVIRONMENT, "KG__COMMAND": COMMAND}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_ratio_has_an_interval_that_both_intervals_make(self):
        ratio = compared([case("a", time(1000, 0.02))], [case("a", time(2000, 0.04))]).rows[0].ratio
        for found, expected in ((ratio.value, 2), (ratio.low, 1960 / 1010), (ratio.high, 2040 / 990)):
            self.assertAlmostEqual(found, expected, delta=1e-12)

    def test_how_a_metric_is_judged(self):
        """Of both runs' figures, the verdict and where the limit is from; an empty one is not judged."""
        rows = (
            # Without any baseline 2 % are widened to 1.02^sqrt(2), 2.84 %, and 50 ns.
            (time(100000), time(100000), "pass", DEFAULT), (time(100000), time(102800), "pass", DEFAULT),
            (time(100000), time(102900), "slower", DEFAULT), (time(100000), time(97300), "pass", DEFAULT),
            (time(100000), time(97100), "faster", DEFAULT), (time(1000), time(1049), "pass", DEFAULT),
            (time(1000), time(1051), "slower", DEFAULT),
            # A's baseline before B's, and a floor of 200 ns by hand.
            (judged(100000, 100000, 0.04, 0.04), time(105000), "pass", "A's baseline"),
            (time(100000), judged(105000, 100000, 0.03, 0.03), "slower", "B's baseline"),
            (judged(1000, 1000, 0.03, 0.2), judged(1190, 1000, 0.03, 0.03), "pass", "A's baseline"),
            (judged(1000, 1000, 1e300, 1e300, gated=True), time(2000), "slower", DEFAULT),
            # What is too noisy to be gated is shown, and not judged.
            (judged(100000, 100000, 0.2, 0.2), time(200000), "", "A's baseline"),
            (time(100000, gated=False), time(200000), "", DEFAULT), (time(100000), time(200000, gated=False), "", DEFAULT),
            (judged(100000, 100000, 0.2, 0.2, gated=True), time(200000), "slower", "A's baseline"),
            # What A does not know counts as what B does not know.
            (time(100000, 0.02), time(100500), "noisy", DEFAULT), (time(100000), time(100500, 0.02), "noisy", DEFAULT),
            # Counters are exact, whatever band a hand gave them.
            (count(100), count(101), "slower", "exact"), (count(0), count(1), "slower", "exact"),
            (count(0), count(0), "pass", "exact"), (count(2), count(0), "faster", "exact"),
            (count(100, baseline=100, limit=0.1), count(105), "slower", "exact"), (count(1, gated=False), count(2), "", "exact"),
        )
        for a, b, verdict, source in rows:
            row = compared([case("a", a)], [case("a", b)]).rows[0]
            self.assertEqual((row.verdict if row.judged else "", row.limit_from), (verdict, source), (a, b, row.why))
        row = compared([case("a", time(100000))], [case("a", time(100000))]).rows[0]
        self.assertAlmostEqual(row.limit, SQUARE, delta=1e-12)
        self.assertTrue(math.isnan(compared([case("a", count(0))], [case("a", count(1))]).rows[0].ratio.value))

    def test_what_no_run_can_have_measured(self):
        for absurd in ({"value": 1e300, "low": 1e300, "high": 1e300}, {"value": 100, "low": 101, "high": 102}, {"value": 0},
                       {"value": 100, "low": 98, "high": 99}, {"value": -100, "low": -100, "high": -100}):
            found = compared([case("a", time(100))], [case("a", {"time_ns": absurd})])
            self.assertEqual((found.rows[0].verdict, found.means(), found.exit_code(False)), ("error", [], 2), absurd)
            self.assertTrue(found.rows[0].why.startswith("B's value"))
        found = compared([case("a", {"time_ns": {"value": None}})], [case("a", {"time_ns": {"value": None}})])
        self.assertEqual((found.rows, found.checked, found.tally["pass"]), ([], 1, 1))

    def test_the_surroundings(self):
        """A time that is 3.5 % slower, and what may answer for that."""
        a, b = time(100000, 0), time(103500, 0)

        def moved(copy, bus=100.0):
            return {"provenance": {GPU: {"sentinels_ns": {"copy": copy, "fma": 100.0, "bus": bus}}}}

        for of_a, of_b, extra_a, extra_b, verdict in (
                ({}, {}, moved(100.0), moved(105.0), "environment"), ({}, {}, moved(100.0), moved(101.0), "slower"),
                ({}, {}, {}, moved(105.0), "slower"), ({"kernel": CODE}, {"kernel": CODE}, {}, {}, "environment"),
                ({"kernel": CODE}, {"kernel": {**CODE, "fingerprint": "00112233445566fe"}}, {}, {}, "slower"),
                ({"kernel": {}}, {"kernel": {}}, {}, {}, "slower"),
                ({"gpu_state": {"foreign_processes": 1}}, {}, {}, {}, "environment")):
            found = compared(results(case("a", a, **of_a), **extra_a), results(case("a", b, **of_b), **extra_b))
            self.assertEqual(found.rows[0].verdict, verdict, (of_a, of_b, extra_b))
        memory, bus = (moved(105.0), moved(100.0, 105.0))
        for bounds, extra_b, verdict in ((("memory", "memory"), memory, "environment"),
                                         (("compute", "compute"), memory, "slower"), (("bus", "bus"), memory, "slower"),
                                         (("bus", "bus"), bus, "environment"), (("memory", "memory"), bus, "slower"), (("compute", "memory"), memory, "environment")):
            sides = [results(case("a", time(value, 0, bound=bound)), **extra)
                     for value, bound, extra in zip((100000, 103500), bounds, (moved(100.0), extra_b))]
            self.assertEqual(compared(*sides).rows[0].verdict, verdict, (bounds, extra_b))
        row = compared([case("a", a)], [case("a", time(103500, 0, verdict="environment"))]).rows[0]
        self.assertEqual((row.verdict, row.why[:41]), ("environment", "B's surroundings were disturbed: slower b"))

    def test_what_cannot_be_compared(self):
        found = compared([case("now_wrong", time(100)), case("was_wrong", time(100), verdict="wrong"), case("gone", time(100)),
                          case("half", {**time(100), **count(1, gated=False)}), case("more", count(1))],
                         [case("now_wrong", time(100), verdict="wrong", why="c[0]"), case("was_wrong", time(100)),
                          case("new", time(100)), case("new_and_right", {}), case("half", {}),
                          case("more", {**count(1), **time(100)})])
        self.assertEqual([(row.verdict, row.metric, row.why) for row in found.rows[:2]],
                         [("wrong", None, "in B: c[0]"), ("no-baseline", None, "nothing to compare B with: A had it wrong")])
        self.assertEqual(found.only_in[0], [
            {"case": "m/gone/1/b8", "target": GPU}, {"case": "m/half/1/b8", "target": GPU, "metric": "time_ns"},
            {"case": "m/half/1/b8", "target": GPU, "metric": "barriers"}])
        self.assertEqual([entry["case"] for entry in found.only_in[1]], ["m/more/1/b8", "m/new/1/b8", "m/new_and_right/1/b8"])
        counted = {key: number for key, number in found.tally.items() if number}
        self.assertEqual(counted, {"wrong": 1, "no-baseline": 4, "vanished": 2})

    def test_work_on_tensor_cores(self):
        """It may be gained; where some is lost the case is not faster, and where all is it is slower."""
        for before, now, verdict in ((8, 8, "faster"), (0, 8, "faster"), (8, 9, "slower"), (8, 4, "pass"), (8, 0, "slower")):
            sides = [[case("a", {**count(barriers), "tensor_multiply_adds": {"value": work}}, MODEL)]
                     for barriers, work in ((4, before), (2, now))]
            found = compared(*sides)
            self.assertEqual({name for name, number in found.tally.items() if number}, {verdict}, (before, now))

    def test_two_gpus(self):
        """They are shown, and judged where that is asked for. The model of both runs is one target."""
        a, b = case("a", time(100000, 0), kernel=CODE), case("a", time(110000, 0), OTHER, kernel=CODE)
        found = compared([a], [b])
        self.assertEqual((found.rows[0].judged, found.unjudged, found.exit_code(False), found.exit_code(True)), (False, 1, 77, 2))
        self.assertEqual((found.means()[0]["target_b"], found.only_in), (OTHER, ([], [])))
        self.assertEqual(len(compared([a], [b, case("a", count(1), MODEL)]).rows), 1)
        found = compared([a], [b], across=True)
        self.assertEqual((found.rows[0].verdict, found.exit_code(False)), ("slower", 1), "whatever machine code both run")
        found = compared([a, case("a", count(1), MODEL)], [b, case("a", count(1), MODEL)])
        self.assertEqual([row.judged for row in found.rows], [False, True])
        with self.assertRaisesRegex(command_line.Failure, "no case in common"):
            compared([a], [b, case("a", time(1), "nvidia-third")])

    def test_means_are_geometric(self):
        found = compared([case("a", {**time(100), **count(1)}), case("b", time(100))],
                         [case("a", {**time(200), **count(2)}), case("b", time(50))]).means()
        self.assertEqual([mean["cases"] for mean in found], [2])
        self.assertAlmostEqual(found[0]["geometric_mean"], 1)

    def test_exit_codes(self):
        a, slow, fast, noisy = (case("a", metrics) for metrics in (time(1e5), time(2e5), time(5e4), time(1e5, 0.1)))
        b = case("b", time(1e5))
        lone = case("c", {}), case("c", time(1e5))
        for one, two, usual, strict in (([a], [a], 0, 0), ([a], [slow], 1, 1), ([a], [fast], 0, 0), ([a], [noisy], 0, 1),
                                        ([a, b], [a], 0, 1), ([a], [a, b], 0, 1), (lone[:1], lone[1:], 77, 2),
                                        ([a], [case("a", {}, verdict="error")], 2, 2)):
            found = compared(one, two)
            self.assertEqual((found.exit_code(False), found.exit_code(True)), (usual, strict), (one, two))

    def test_refusals(self):
        a, b = case("a", time(100)), case("b", time(100))
        for one, two, globs, told in (([], [a], "", "A holds no case"), ([a], [], "", "B holds no case"),
                                      ([a], [b], "", "no case in common"),
                                      ([a], [a], "n/*", "the filter leaves none of 1 cases.*none$"),
                                      ([a], [a, a], "", f"B: m/a/1/b8 appears twice on {GPU}"),
                                      ([a], [a], "m/a/1/b9", "nearest is m/a/1/b8"), ([a], [a], "m/aa/*", "nearest is m/a/1/b8")):
            with self.assertRaisesRegex(command_line.Failure, told):
                compared(one, two, globs)
        for globs, taken in (("m/a", 1), ("m", 2), ("m/*", 2), ("x,m/b/1", 1)):
            self.assertEqual(len(compared([a, b], [a, b], globs).rows), taken, globs)
        with mock.patch.dict(os.environ, {"KG_FILTER": "m/b/*"}):
            self.assertEqual(len(compared([a, b], [a, b]).rows), 1)

    def test_moves_that_are_none(self):
        with tempfile.NamedTemporaryFile() as file:
            for content in (b"", b"[]", b"{}", *(judging.records_of("moves", **moves) for moves in (
                    {}, {"moves": {}}, {"moves": [1]}, {"moves": [{"unit": "ns"}]}))):
                file.seek(0)
                file.truncate()
                file.write(content)
                file.flush()
                done = subprocess.run([JUDGE, file.name], capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), content)


class Front(OwnFolder):
    def setUp(self):
        super().setUp()
        self.a = results(case("a", time(100000)), case("b", time(100000)), case("a", count(7), MODEL), run={"commit": "a" * 40})
        self.b = results(case("a", time(100000)), case("b", time(110000)), case("a", count(7), MODEL), run={"commit": "bbbbbbbbbb"})
        self.write("a.json", self.a)
        self.write("b.json", self.b)

    def run_command(self, *arguments, **environment):
        return command_run.run([COMMAND, "compare", *arguments], capture_output=True, text=True, check=False,
                               env={**ENVIRONMENT, **environment})

    def test_the_table(self):
        done = self.run_command("a.json", "b.json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout, """\
A = a.json: nvidia-h200, cpu-model, commit aaaaaaaaaa
B = b.json: nvidia-h200, cpu-model, commit bbbbbbbbbb

verdict  case      metric            A           B   B / A          interval  limit  note
slower   m/b/1/b8  time_ns  100 000 ns  110 000 ns  1.1000  1.0989 to 1.1011  2.8 %  default limit: no baseline
pass     m/a/1/b8  time_ns  100 000 ns  100 000 ns  1.0000  0.9990 to 1.0010  2.8 %  default limit: no baseline

1 counter is the same in both
nvidia-h200, time_ns: B / A is 1.0488 in the geometric mean of 2 cases
slower: m/b/1/b8 on nvidia-h200: 1/b8 takes 110 µs, was 100 µs (+10.0 %, limit 2.8 %)
cases: 1 slower, 2 pass
FAIL (exit 1)
""")
        done = self.run_command("--format=markdown", "a.json", "b.json")
        self.assertIn("| slower | m/b/1/b8 | time\\_ns | 100 000 ns |", done.stdout)
        done = self.run_command("--format", "csv", "a.json", "b.json")
        self.assertIn("\nslower,nvidia-h200,m/b/1/b8,time_ns,100000,110000,1.1,", done.stdout)
        self.assertEqual((done.stdout.count("\n"), "(exit 1)\n" in done.stderr), (4, True))

    def test_what_is_named_after_the_table(self):
        self.b["cases"][1]["case"] = "m/new/1/b8"
        self.a["boards"], self.b["boards"] = {"GPU-1": {}}, {"GPU-2": {}}
        self.write("a.json", self.a)
        self.write("b.json", self.b)
        text = self.run_command("a.json", "b.json").stdout
        for line in ("The boards differ", "only in A: m/b/1/b8 on nvidia-h200\n",
                     "only in B: m/new/1/b8 on nvidia-h200\n",
                     "cases: 1 no-baseline, 2 pass, 1 gone from B, which fails with KG_STRICT=1 alone\nPASS (exit 0)\n"):
            self.assertIn(line, text)
        self.assertIn("(exit 1)\n", self.run_command("a.json", "b.json", KG_STRICT="1").stdout)

    def test_the_document(self):
        os.rename("a.json", "\udcff.json")
        done = self.run_command("--json", "\udcff.json", "b.json")
        document = self.valid(done.stdout)
        self.assertEqual((done.returncode, document["exit_code"], len(document["metrics"])), (1, 1, 3))
        self.assertEqual(document["tally"]["slower"], 1)
        self.assertEqual(document["failure_groups"], [{"verdict": "slower", "target": "nvidia-h200", "cases": ["m/b/1/b8"], "fails": True}])

    def test_bad_input(self):
        self.write("other.json", {"schema": "kernelgate-baseline/2"})
        self.write("cut.json", b'{"schema": ')
        self.write("empty.json", b"")
        for arguments, told in ((("a.json", "none.json"), "none.json: cannot be read"),
                                (("other.json", "b.json"), "kernelgate-results/2"),
                                (("a.json", "cut.json"), "cut.json:1: is not JSON"),
                                (("a.json", "empty.json"), "empty.json:1: is not JSON")):
            done = self.run_command(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(told, done.stderr)

    def test_damage(self):
        """Whatever the files have, they are taken or refused in one line with exit code 2."""
        generator = random.Random(20261123)
        codes = dict.fromkeys((0, 1, 2, 77), 0)
        pass_all = mock.patch.object(tool, "judged", lambda command, form, moves: {"judgments": [
            json.loads(json.dumps(move, allow_nan=False)) and {"verdict": "pass", "why": ""} for move in moves]})
        with pass_all, mock.patch.dict(os.environ, ENVIRONMENT, clear=True):
            for _ in range(2000):
                self.write("b.json", mutations.mutated_text(self.b, generator))
                code, output, error = command_run.run_main(commands.main, "compare", "a.json", "b.json",
                                                           *generator.choice(([], ["--json"], ["--format=csv"])))
                codes[code] += 1
                if code == 2 and not output:
                    self.assertEqual(error.count("\n"), 1)
        self.assertGreater(min(codes[0], codes[2]), 200, codes)
