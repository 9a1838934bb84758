# SPDX-License-Identifier: MIT
"""Tests of `kernelgate selftest`, with a comparison on a GPU that is not there: a gate that works is proven, and one that is
broken, in whichever way, is not."""

import os
import subprocess

from command_fixture import SOUND_GPU, Folder

from kernelgate.base import run_lock

EDIT = "sed -i '{}' \"$KG_OUT\"/records/*.verdicts.json 2>/dev/null"
TABLE = "out/selftest/selftest.md"


class Selftest(Folder):
    """The first process tells of the device, the second checks, 3 to 7 are the baseline's sessions, 8 is the run as they are, 9
    and 10 are those of 1 and 2 %, where nothing trips; from there on each run is of three processes: 11 with 3 %, 14 with 5 %, 17
    the drift, 20 the kernels' alone."""

    def setUp(self):
        super().setUp()
        self.environment.update(KG_OUT="out", KG_CASE_TIMEOUT="20", FAKE_LOG=f"{self.folder}/log", FAKE_PLAN=f"{self.folder}/plan")

    def start(self, code, told, plan, *arguments):
        if os.path.exists("log"):
            os.unlink("log")
        self.write("plan", plan)
        return self.finish(code, told, "selftest", *arguments)

    def ends(self, code, told, plan="", program=SOUND_GPU):
        self.start(code, told, plan, program)
        self.assertEqual(os.path.exists(TABLE), code in (0, 1))

    def proven(self, code, plan=""):
        done = self.start(code, (), plan, "--json", SOUND_GPU)
        document = self.valid(done.stdout)
        self.assertEqual(document["exit_code"], code)
        return document, {run["run"]: run for run in document["runs"]}, done.stderr

    def test_a_gate_that_works_is_proven(self):
        document, runs, told = self.proven(0)
        for line in ("session 5 of 5\n", "judging +3 %\n", "selftest: PASS"):
            self.assertIn(line, told)
        table = self.read(TABLE)
        self.assertIn(table, told)
        self.assertEqual(table.count("\n| fake/"), 28)
        self.assertIn("| fake/quick/64/b64    | +3 %         |   +3.00 % | 2.00 % |   +3.00 % | 2.00 % | slower      | slower      |",
                      table)
        self.assertIn("- +0 %: 4 of 4 pass\n- +1 %: 0 of 4 slower (reported, whatever it is)\n", table)
        self.assertIn("- machine +5 %: 4 of 4 environment\n- kernels +5 %: 4 of 4 slower\n", table)
        self.assertEqual(self.read("log").count("\n"), 22, "processes")
        self.assertEqual((document["target"], document["failures"], document["table"]), ("nvidia-fake", [], TABLE))
        self.assertEqual([(run["run"], run["baselines"], run["expected"], run["judged"], run["extra"], run["exit_code"], run["agreed"])
                          for run in document["runs"]],
                         [("plus0", "baselines", "pass", True, 0, 0, 4), ("plus1", "baselines", "slower", False, 0.01, 0, 0),
                          ("plus2", "baselines", "slower", False, 0.02, 0, 0), ("plus3", "baselines", "slower", True, 0.03, 1, 4),
                          ("plus5", "baselines", "slower", True, 0.05, 1, 4), ("drift", "drifted", "environment", True, 0, 0, 4),
                          ("no-drift", "drifted-kernels", "slower", True, 0, 1, 4)])
        (case,) = (case for case in runs["plus3"]["cases"] if case["case"] == "fake/quick/64/b64")
        self.assertEqual((case["verdict"], case["observers"], case["metrics"]["cold_time_ns"]["limit"]), ("slower", 3, 0.02))
        self.assertAlmostEqual(case["metrics"]["cold_time_ns"]["change"], 0.03, delta=1e-3)

    def test_document_of_what_failed(self):
        document, runs, told = self.proven(1, "11 fake/quick/64/b64 hot 5000 cold 6000\n14 fake/quick/64/b64 wrong\n")
        slipped, wrong = document["failures"]
        self.assertEqual(slipped, {"run": "plus3", "what": "fake/quick/64/b64 is pass, by 1 observers", "expected": "slower"})
        self.assertEqual((wrong["run"], wrong["what"]), ("plus5", "fake/quick/64/b64 is wrong, by 0 observers"))
        self.assertEqual(runs["plus3"]["agreed"], 3)
        self.assertIn("selftest: FAIL: the gate did otherwise than it must 2 times", told)
        document, _, told = self.proven(2, "11 fake/plain/64/b32 quit\n12 * quit\n13 * quit\n")
        self.assertEqual(len(document["runs"]), 3, "those before the one that could not be run")
        self.assertIn("+3 %: the test ended with exit code 2", told)
        self.assertTrue(os.path.exists("out/selftest/plus3/output.txt"))
        self.assertFalse(os.path.exists(TABLE))

    def test_what_is_found_by_plan(self):
        for code, told, plan in (
            (0, "- +1 %: 2 of 4 slower (reported, whatever it is)\n",
             "9 fake/plain/* hot 10250\n10 fake/plain/* hot 10250\n11 fake/plain/* hot 10250\n"),
            (1, "+3 %: fake/plain/64/b32 is pass, by 1 observers; expected slower",
             "* fake/plain/* hot 10000 cold 12000\n* fake/quick/* hot 5000 cold 6000\n"),
            (1, "+0 %: fake/plain/64/b32 is slower, by 3 observers; expected pass: time_ns",
             "8 fake/* hot 11000\n9 fake/* hot 11000\n10 fake/* hot 11000\n"),
            # Also a drift that no sentinel tells of, and a slowdown that is put down to the machine.
            (1, ("+0 %: fake/plain/64/b32 is noisy, by 1 observers; expected pass",
                 "machine +5 %: fake/plain/64/b32 is slower, by 3 observers; expected environment",
                 "kernels +5 %: fake/plain/64/b32 is environment, by 3 observers; expected slower"),
             "8 fake/plain/64/b32 width 0.05\n20 copy hot 105000\n21 copy hot 105000\n22 copy hot 105000\n"
             + "".join(f"{process} copy hot 95238\n{process} fma hot 190476\n" for process in (17, 18, 19))),
            (0, "| fake/plain/64/b32    | +0 %         |   +0.00 % |", "* fake/plain/64/b32 hot 10100\n"),
            (2, "selftest: there is no baseline to judge by", "3 fake/plain/64/b32 wrong\n"),
        ):
            with self.subTest(told):
                self.ends(code, told, plan)

    def test_a_gate_that_is_broken(self):
        """A program that does something after every call of the right one, whose exit code is in $code. The surroundings do not steer
        it."""
        self.environment.update(KG_FILTER="fake/quick/*", KG_STRICT="1", KG_STUDY_EXTRA="0.1")
        for line, code, told in (
            (":", 0, "- +0 %: 4 of 4 pass"),
            ("code=0", 1, "+3 %: the test ended with exit code 0; expected slower: its verdicts are right"),
            (EDIT.format('s/"observers": 3/"observers": 2/'), 1,
             "+3 %: fake/plain/64/b32 is slower, by 2 observers; expected slower"),
            ('rm -f "$KG_OUT"/records/*.verdicts.json', 2, "+0 %: the test ended with exit code 0: "),
            (EDIT.format("1s/^/x/"), 2, "+0 %: the test ended with exit code 0: "),
            (EDIT.format('s/"complete": true/"complete": false/'), 2, "exit code 0: it did not come to its end: see "),
            (EDIT.format('s/"errors": \\[\\]/"errors": ["a crash"]/'), 2, "exit code 0: a crash: see "),
            (EDIT.format('s/"schema"/"skipped": "no time", "skipped_by": "filter", "schema"/'), 2,
             "exit code 0: it judged nothing: no time: see "),
            (EDIT.format('s/"case": "fake.quick.64.b32"/"case": "lost"/'), 2, "it has no verdict of fake/quick/64/b32: see "),
        ):
            with self.subTest(line):
                self.write_script("broken.gpu", f"#!/bin/sh\n'{SOUND_GPU}' \"$@\"\ncode=$?\n{line}\nexit $code\n")
                self.ends(code, told, program="broken.gpu")

    def test_no_gpu(self):
        for device, code, told in (("absent", 77, "no GPU: this one is a fake: nothing is proven"),
                                   ("broken", 2, "its observer ended with exit code 2 (the driver does not work")):
            self.environment["FAKE_DEVICE"] = device
            self.ends(code, told)

    def test_another_one_in_the_same_folder(self):
        os.makedirs("out/selftest")
        self.write(TABLE, "")
        with subprocess.Popen(["sleep", "60"]) as other:
            run_lock.take("out", other.pid, "another self-test")
            done = self.start(2, "out: held by another self-test", "", SOUND_GPU)
            other.kill()
        self.assertEqual(done.stdout, "")
        self.assertTrue(os.path.exists(TABLE))
        self.ends(2, "selftest: there is no baseline to judge by", "3 fake/plain/64/b32 wrong\n")

    def test_arguments(self):
        for program, told in (("selftest.gpu", "selftest.gpu: no such program: build the preset gpu"),
                              ("matmul_f32.model", "matmul_f32.model: is not a program for a GPU: those end in .gpu")):
            self.ends(2, told, program=program)
        self.environment["KG_OUT"] = "plan"
        self.ends(2, "plan")
