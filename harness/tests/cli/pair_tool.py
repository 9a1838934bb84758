# SPDX-License-Identifier: MIT
"""Tests of `kernelgate pair`: the judge of pairs with simulated machines, real commands, formats and errors."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import command_fixture
from command_fixture import COMMAND
from fake_cubin import FFMA, LOAD_128, cubin_of
from import_fixture import commands, google, nvbench, run_of
from own_folder import write_file

from kernelgate.base import errors, nvidia_driver
from kernelgate.imports import benchmark_command, pair
os.environ["KG__COMMAND"] = COMMAND

MEASURES = {"latency": {"value": 5000.0, "lower_value": 4990.0, "upper_value": 5010.0}}


def bmf(*factors):
    return {f"copy/n{index}/{1024 * (index + 1)}": {"latency": {"value": 5000.0 * factor}} for index, factor in enumerate(factors)}


def pytest(**more):
    stats = {"median": 5e-6, "rounds": 9, "data": [4e-6, 5e-6, 6e-6]}
    return {"machine_info": {}, "version": "5.1.0", "benchmarks": [
        {"name": "test_copy[256-1.5]", "fullname": "bench/test_a.py::test_copy[256-1.5]", "params": {"block": 256, "x": 1.5, "n": 31},
         "stats": stats},
        {"name": "test_b", "fullname": "bench/test_a.py::test_b", "params": None, "stats": {"median": 7e-6, "rounds": 9}, **more}]}


class Machine:
    """What two commands measure on a machine whose speed moves: the logarithms of the times of two benchmarks."""

    def __init__(self, seed, noise=0.01, shift=0.0, drift=0.0, memory=0.0, second=0.0, jump=0.0):
        self._random = random.Random(seed)
        self._noise, self._shift, self._drift, self._memory, self._second, self._jump = noise, shift, drift, memory, second, jump
        self._runs, self._state = 0, 0.0

    def run(self, command, convert):
        self._state = self._memory * self._state + self._random.gauss(0, self._noise)
        common = self._state + self._drift * self._runs / 48 + self._second * (self._runs % 2) + self._jump * (self._runs >= 11)
        self._runs += 1
        slow = self._shift if command.option == "--head" else 0.0
        return convert(command.option, bmf(*(2.718281828 ** (common + part + self._random.gauss(0, self._noise / 4)) for part in (slow, 0.0))))


def options_of(*words):
    return commands.make_parsers("pair")[0].parse_args(["pair", "--base=b", "--head=h", *words])


class Statistics(unittest.TestCase):
    # How many of ten runs find the first benchmark slower, of commands that are so on such a machine. The second benchmark never is.
    ROWS = (
        ("equal", {}, (), 0),
        ("equal, in a machine that gets 10 % slower", {"drift": 0.1}, (), 0),
        ("equal, with noise that persists", {"memory": 0.95}, (), 0),
        ("equal, where the second run of a pair is 5 % slower", {"second": 0.05}, (), 0),
        ("equal, where the machine gets 10 % slower at once", {"jump": 0.1}, (), 0),
        ("0.5 % slower, without doubt", {"shift": 0.005, "noise": 0.0005}, (), 0),
        ("3 % slower, and 5 % allowed", {"shift": 0.03}, ("--limit=5%",), 0),
        ("3 % slower", {"shift": 0.03}, (), 10),
        ("3 % slower, in a machine that gets 10 % slower", {"shift": 0.03, "drift": 0.1}, (), 10),
        ("0.5 % slower, and nothing allowed", {"shift": 0.005, "noise": 0.0005}, ("--limit=0",), 10),
    )

    def test_alarms(self):
        for name, machine, words, expected in self.ROWS:
            alarms = 0
            for seed in range(10):
                made = Machine(seed, **machine)
                with mock.patch.object(benchmark_command.BenchmarkCommand, "run", lambda command, convert, run=made.run: run(command, convert)):
                    pairs = pair.Pairs(options_of(f"--seed={seed}", *words))
                    slow, other = pair.judge_pairs(pairs)["cases"]
                self.assertEqual(other["verdict"], "pass", name)
                self.assertLessEqual(pairs.count, 24)
                alarms += slow["verdict"] == "slower"
            self.assertEqual(alarms, expected, name)


class Commands(command_fixture.Folder):
    def setUp(self):
        super().setUp()
        self.environment["KG_OUT"] = "out"

    def documents(self, base, head):
        self.write("base.json", base)
        self.write("head.json", head)

    def pair(self, code, *words, base="cat base.json", head="cat head.json"):
        """The results of two commands, valid by their schema."""
        return self.document(code, "pair", "--base", base, "--head", head, "--json", *words)

    def test_formats(self):
        slow = pytest()
        slow["benchmarks"][1]["stats"]["median"] = 8e-6
        for base, head, expected in (
                (nvbench(), nvbench(1.03), {"nvidia-fake-nvbench copy/strided/1048576/b256": "slower",
                                            "nvidia-fake-nvbench scan/i32/65536/-": "slower"}),
                (google(), google(0.9), {"google-benchmark copy/float/1024/b64": "pass", "google-benchmark scan/up/31x33/-": "pass"}),
                (pytest(), slow, {"pytest-benchmark test_a/test_copy_1_5/31/b256": "pass", "pytest-benchmark test_a/test_b/-/-": "slower"}),
                (bmf(1, 1), bmf(1.04, 1), {"bmf copy/n0/1024/-": "slower", "bmf copy/n1/2048/-": "pass"})):
            self.documents(base, head)
            code = 1 if "slower" in expected.values() else 0
            results = self.pair(code, "--ref=main", base="cp base.json {}", head="cp head.json {}")
            self.assertEqual({f"{case['target']} {case['case']}": case["verdict"] for case in results["cases"]}, expected)
            self.assertEqual({case["pairs"]["time_ns"]["count"] for case in results["cases"]}, {12})
            self.assertEqual((results["run"]["base_ref"], results["cases"][0]["base"]["ref"]), ("main", "main"))
            self.assertEqual([case.get("reproduce", "").startswith("kernelgate pair --base ") for case in results["cases"]],
                             [verdict == "slower" for verdict in expected.values()])
        self.assertIn("<testcase", self.read("out/junit.xml"))

    def test_different_benchmarks(self):
        failed = {"error_occurred": True, "error_message": "no memory"}
        skipped = {"skipped": True, "skip_message": "too large"}
        runs = (  # of the base, of the head
            (run_of("a", 5, "us"), run_of("a", 5, "us")), (run_of("gone", 5, "us"), None), (None, run_of("new", 5, "us")),
            (run_of("both", 1, "us", **skipped), run_of("both", 1, "us", **skipped)), (run_of("now", 5, "us"), run_of("now", 1, "us", **skipped)),
            (run_of("mended", 1, "us", **failed), run_of("mended", 5, "us")), (run_of("broken", 5, "us"), run_of("broken", 1, "us", **failed)))
        self.documents(*({**google(), "benchmarks": [run[side] for run in runs if run[side]]} for side in (0, 1)))
        results = self.pair(2)
        self.assertEqual({case["case"]: (case["verdict"], case["why"]) for case in results["cases"] if case["verdict"] != "pass"}, {
            "now/-/-/-": ("error", "the base measures it, and here it was skipped: too large"), "broken/-/-/-": ("error", "no memory")})
        self.assertEqual([entry["case"] for entry in results["refused"]], ["both/-/-/-"])
        self.assertEqual([note["note"] for note in results["notes"]][:3], [
            "gone/-/-/-: vanished: the base measures it, and here there is no such benchmark",
            "mended/-/-/-: new: the base does not measure it: no memory", "new/-/-/-: new: the base does not measure it: it has no such benchmark"])

    def test_a_benchmark_in_some_runs_only(self):
        script = "#!/bin/sh\necho >> runs{0}\n[ $(wc -l < runs{0}) -gt 3 ] && cat {1}.json || cat {2}.json\n"
        self.write_script("later", script.format(1, "base", "head"))
        self.documents(bmf(1), bmf(1, 1))
        self.write_script("first", script.format(2, "head", "base"))
        for base, head, expected in (("cat base.json", "./later", "0 of 12 runs of the base and in 3 here"),
                                     ("./first", "cat head.json", "9 of 12 runs of the base and in 12 here")):
            (case,) = [case for case in self.pair(2, base=base, head=head)["cases"] if case["verdict"] == "error"]
            self.assertIn(f"measured in {expected}: ", case["why"])

    def test_a_metric_that_only_one_side_has(self):
        head = nvbench()
        head["benchmarks"][0]["states"][0]["summaries"] = head["benchmarks"][0]["states"][0]["summaries"][3:]
        self.documents(head, nvbench())
        (case, _) = self.pair(2)["cases"]
        self.assertEqual((case["verdict"], case["why"]), ("error", "cold_time_ns is not measured by both the base and this build"))

    def test_too_little_time(self):
        self.documents(bmf(1), bmf(1.1))
        for words, code in (((), 0), (("--strict",), 1)):
            (case,) = self.pair(code, "--seconds=0.01", *words)["cases"]
            self.assertEqual(case["verdict"], "noisy")
            self.assertRegex(case["why"], "^not decided by 1 pair: there is no time for 12 within 0.01 s")

    def test_hundreds_of_benchmarks(self):
        self.documents(bmf(*[1] * 300), bmf(*[1] * 299, 1.02))
        results = self.pair(1)
        self.assertEqual([(case["case"], case["pairs"]["time_ns"]["count"]) for case in results["cases"] if case["verdict"] == "slower"],
                         [("copy/n299/307200/-", 24)])

    def test_filter(self):
        self.documents(bmf(1, 1), bmf(1.04, 1))
        with mock.patch.dict(self.environment, KG_FILTER="copy/n1/*"):
            self.assertEqual([case["case"] for case in self.pair(0)["cases"]], ["copy/n1/2048/-"])

    def test_unchanged_code(self):
        self.documents(bmf(1), bmf(1.1))
        for name, code in (("a", (LOAD_128, FFMA)), ("same", (LOAD_128, FFMA)), ("other", (FFMA, LOAD_128))):
            write_file(name, cubin_of(code=code))
        for head, words, code, verdict in (("same", (), 0, "unchanged"), ("other", (), 1, "slower"), ("same", ("--all",), 1, "slower")):
            (case,) = self.pair(code, "--base-binary=a", f"--head-binary={head}", *words)["cases"]
            self.assertEqual((case["verdict"], "pairs" in case), (verdict, verdict == "slower"))
        self.refuse("--head-binary none: is no program or library", "pair", "--base=cat base.json", "--head=cat head.json", "--base-binary=a",
                    "--head-binary=none")

    def test_programs_are_compared_where_their_arguments_are_equal(self):
        for name in ("a", "b"):
            self.write_script(name, "")
        of = benchmark_command.BenchmarkCommand
        for base, head, alike in (("./a 1", "./b 1", True), ("./a 1", "./b 2", False), ("./a 1", "./a 1", False)):
            self.assertEqual(of.are_alike(of("--base", base, 1), of("--head", head, 1)), alike)
        self.assertEqual(list(of("--base", sys.executable, 1).code_files(None))[0], "")
        self.assertEqual(of("--base", "./a", 1).code_files(None), {})

    def test_errors(self):
        self.documents(bmf(1), bmf(1))
        self.write("zero.json", bmf(0.0))
        self.write("nan.json", '{"a": {"latency": {"value": NaN}}}')
        self.write("other.json", {"b": MEASURES})
        self.write("google.json", google())
        two = nvbench()
        two["devices"].append({**two["devices"][0], "id": 1})
        two["benchmarks"][1]["states"][0]["device"] = 1
        self.write("two.json", two)
        other = nvbench()
        other["devices"][0]["id"] = 1
        for benchmark in other["benchmarks"]:
            benchmark["states"][0]["device"] = 1
        self.write("board.json", other)
        self.write_script("boards", "#!/bin/sh\n[ -e ran ] && cat board.json || cat nvbench.json\ntouch ran\n")
        self.write("nvbench.json", nvbench())
        for told, head, *words in (
                ("--head sh -c 'echo boom >&2; exit 3': exit code 3 (boom): ", "sh -c 'echo boom >&2; exit 3'"),
                ("ended by signal 9", "sh -c 'kill -9 $$'"),
                ("--head none: cannot be run: No such file", "none"),
                ("is not JSON: Expecting value: line 1 column 1 (char 0) (hello): ", "echo hello"), ("leaves no JSON in {}: No such file", "true {}"),
                ("still runs after 0.3 s", "sleep 60", "--timeout=0.3"), ("No closing quotation", "a 'b"), ("--head is empty", " "),
                ("its latency is not a time above 0", "cat zero.json"), ("NaN is not a number of JSON", "cat nan.json"),
                ("no benchmark in common (copy/n0/1024/- and b/-/-/-)", "cat other.json"),
                ("is of google-benchmark, and the first", "cat google.json"),
                ("of 2 devices", "cat two.json"), ("or of another board of it", "./boards", "--base=./boards"), ("of no tool known here", "echo [1]"),
                ("--pairs 8: finds nothing slower among 1 benchmarks: give 12", "cat head.json", "--pairs=8"),
                ("is not a number from 0 to 99", "cat head.json", "--limit=x")):
            base = () if any(word.startswith("--base=") for word in words) else ("--base=cat base.json",)
            done = self.run_command("pair", *base, f"--head={head}", "--seed=1", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(told, done.stderr.replace("--base", "--head") if "google" in told else done.stderr)
            self.assertFalse(os.path.exists("out/results.json"))

    def test_bounded_output(self):
        with mock.patch.object(benchmark_command, "MOST_BYTES", 1 << 20):
            for command in ("yes", "sh -c 'yes > {}'"):
                with self.assertRaisesRegex(errors.Failure, "leaves more than 1 MiB"):
                    benchmark_command.BenchmarkCommand("--base", command, 60).run(None)

    @staticmethod
    def is_running(process):
        """Whether a process runs; it may be a zombie that nobody waits for."""
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                return file.read() != b""
        except OSError:
            return False

    def test_interrupt(self):
        self.documents(bmf(1), bmf(1))
        self.pair(0)
        self.write_script("hang", "#!/bin/sh\nsleep 60 &\necho $! > child\nwait\n")
        for number in (signal.SIGINT, signal.SIGTERM) * 2:
            with subprocess.Popen([COMMAND, "pair", "--base=./hang", "--head=./hang"], env=self.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as process:
                while not os.path.exists("child") or not self.read("child"):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertIn("stopped by a signal", process.stderr.read())
            self.assertEqual(process.returncode, -number)
            child = int(self.read("child"))
            for _ in range(1000):  # a killed process takes a moment to go
                if not self.is_running(child):
                    break
                time.sleep(0.01)
            self.assertFalse(self.is_running(child))
            self.assertFalse(os.path.exists("out/results.json"))
            self.assertEqual(self.read("out/run.lock"), "")
            os.remove("child")

    def test_board(self):
        gpus = (nvidia_driver.Gpu(uuid="GPU-a", foreign_processes=2), nvidia_driver.Gpu(uuid="GPU-b", foreign_processes=1))
        for set_to, found, chosen, busy in ((None, gpus, "GPU-a", 2), ("1", gpus, "1", 1), ("GPU-b", gpus, "GPU-b", 1), ("", gpus, "", 0),
                                            (None, gpus[:1], None, 2), (None, (), None, 0)):
            with mock.patch.dict(os.environ), mock.patch.object(pair, "ask_smi", return_value=nvidia_driver.Smi(gpus=found)):
                os.environ.pop("CUDA_VISIBLE_DEVICES", None)
                if set_to is not None:
                    os.environ["CUDA_VISIBLE_DEVICES"] = set_to
                pair.choose_board()
                self.assertEqual((os.environ.get("CUDA_VISIBLE_DEVICES"), pair.foreign_processes()), (chosen, busy))


class Readers(unittest.TestCase):
    def test_refusals(self):
        tools = pair.TOOLS
        for tool, document, told in (
                ("bmf", {}, "is not an object of benchmarks"), ("bmf", {"a": {"latency": 5}}, "is not an object of benchmarks"),
                ("bmf", {"a": {"throughput": {"value": 5}}}, "x: a: has no measure latency"), ("bmf", {"": MEASURES}, "without a name"),
                ("bmf", {"a": {"latency": {"value": "5"}}}, "not a time above 0"), ("bmf", {"a": {"latency": {"value": 2.0**60}}}, "is months"),
                ("bmf", {"a": {"latency": {"value": 5, "upper_value": 4}}}, "outside of its own"),
                ("bmf", {"a": {"latency": {"value": 5, "lower_value": "4"}}}, "outside of its own"),
                ("pytest-benchmark", bmf(1), 'has no "machine_info"'),
                ("pytest-benchmark", pytest(stats={}), "test_b: a time of its stats is missing"),
                ("pytest-benchmark", pytest(stats={"median": 1, "data": [0]}), "not above 0"),
                ("pytest-benchmark", {"machine_info": {}, "benchmarks": [5]}, "benchmarks[0] is not an object with a name")):
            with self.assertRaises(errors.Failure) as caught:
                tools[tool].convert("x", document)
            self.assertIn(told, str(caught.exception))

    def test_figures(self):
        (device,) = pair.TOOLS["pytest-benchmark"].convert("x", pytest())
        time_ns = device.records["test_a/test_copy_1_5/31/b256"]["metrics"]["time_ns"]
        self.assertEqual((round(time_ns["value"]), round(time_ns["low"]), time_ns["samples"]), (5000, 4000, 3))
        (device,) = pair.TOOLS["bmf"].convert("x", {"scope::f/block:64/8": MEASURES, "short": {"latency": {"value": 0.5}}})
        self.assertEqual(device.records["scope_f/-/8/b64"]["metrics"]["time_ns"]["low"], 4990.0)
        self.assertEqual(device.records["short/-/-/-"]["event"], "refused")

    def test_tools_are_told_apart(self):
        for name, document in (("nvbench", nvbench()), ("google-benchmark", google()), ("pytest-benchmark", pytest()), ("bmf", bmf(1))):
            self.assertEqual([tool for tool, module in pair.TOOLS.items() if module.looks_like(document)], [name])
