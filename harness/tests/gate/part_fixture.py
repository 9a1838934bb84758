# SPDX-License-Identifier: MIT
"""Runs of one part of the fake comparison, and the verdicts that they leave."""

import os
import shutil

# pylint: disable=wrong-import-position
from command_fixture import FAKES
from run_fixture import COMMAND, GPU, MODEL, MODEL_CLAIMS, SLOW, SOUND_GPU, TREE, Runs, fake_baseline, fake_counts  # noqa: E402

__all__ = [
    "BAD_TABLE", "COMMAND", "DEBUG_GPU", "FINDING", "GPU", "GPU_CLAIMS", "MODEL", "MODEL_CLAIMS", "OTHER", "QUICK", "SLOW",
    "SOUND_GPU", "TREE", "PartRuns", "entry_of", "fake_baseline", "fake_counts", "passing"
]

BAD_TABLE, GPU_CLAIMS, DEBUG_GPU = (os.path.join(FAKES, name)
                                    for name in ("fake_bad_table.model", "fake_claims.gpu", "fake_debug.gpu"))
QUICK = "fake/quick/64/b32"
OTHER = "fake/quick/64/b64"
FINDING = "kernels/fake/other.cu:14: error: "  # what instrumented kernels find where a plan says `finding`


def entry_of(verdicts, case):
    """The entry of a case in the verdicts of a test."""
    return next(entry for entry in verdicts["cases"] if entry["case"] == case)


def passing(verdicts, verdict="pass"):
    """How many cases have this verdict."""
    return sum(entry["verdict"] == verdict for entry in verdicts["cases"])


class PartRuns(Runs):
    """A filter leaves the variants that are right; where a test changes it, all that follows has that filter."""

    def setUp(self):
        super().setUp()
        self.set(KG_FILTER="fake/plain/*,fake/quick/*")

    def store(self, *documents):
        for document in documents:
            self.write(f"baselines/{document['target']['key']}.json", document)

    def plan_counts(self, text):
        """What the instrumented observers do from now on; forgets which were started."""
        self.write("count_plan", text)
        if os.path.exists("count_log"):
            os.remove("count_log")

    def instrumented(self):
        """How many instrumented observers were started."""
        return self.read("count_log").count("\n") if os.path.exists("count_log") else 0

    def verdicts(self, test):
        return self.load(f"out/records/{test}.verdicts.json")

    def run_test(self, program, test, code, told=""):
        """Runs a test of the fake comparison, whose exit code and output are such; its verdicts, or None where it left none."""
        self.printed = self.expect_program(code, told, program, f"--filter=fake/{test}")
        target = os.path.splitext(program)[1][1:]
        path = f"out/records/{target}.fake.{test}.verdicts.json"
        return self.load(path) if os.path.exists(path) else None

    def check(self, code, told="", program=MODEL):
        return self.run_test(program, "check", code, told)

    def count(self, code, told="", program=MODEL):
        return self.run_test(program, "count", code, told)

    def time(self, code, told="", program=GPU):
        return self.run_test(program, "time", code, told)

    def expect_case(self, verdicts, case, verdict, why=""):
        entry = entry_of(verdicts, case)
        self.assertEqual(entry["verdict"], verdict, entry)
        self.assertIn(why, entry["why"])
        return entry

    def expect_skip(self, verdicts, by, why):
        self.assertEqual((verdicts["skipped_by"], verdicts["complete"]), (by, True))
        self.assertIn(why, verdicts["skipped"])

    def merge(self, code, told=""):
        """The results of all verdicts in out/."""
        self.expect_program(code, told, COMMAND, "results")
        return self.load("out/results.json")

    def lone_program(self):
        """A copy of the model's program that has no instrumented one beside it."""
        return shutil.copy(MODEL, self.at("lone.model"))

    def expect_mishaps(self, run, plan, observers, mishaps):
        """Each of them befalls SLOW in a run of its own, the other three cases pass; a hung case is given up after a second."""
        self.set(KG_CASE_TIMEOUT=1)
        for event, verdict, why, code, number in mishaps:
            with self.subTest(event):
                plan(f"* {SLOW} {event}\n")
                verdicts = run(code, why)
                self.expect_case(verdicts, SLOW, verdict, why)
                self.assertEqual((passing(verdicts), observers()), (3, number))
