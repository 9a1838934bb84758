# SPDX-License-Identifier: MIT
"""Part tune from end to end: the real search of a GPU's program, on a GPU and a clock that are not there. Sizes 64, at which
some variants misbehave with 32 threads per block, and 1048576."""

import json
import os
import subprocess
from unittest import mock

from command_fixture import FAKES, Folder
from kernelgate.base.errors import Failure
from kernelgate.base.observers import Observation

PROGRAM = os.path.join(FAKES, "fake_tuned.gpu")
PLAIN, QUICK, WIDE = "fake/plain/64/", "fake/quick/64/", "fake/wide/1048576/"


class Tuning(Folder):
    def setUp(self):
        super().setUp()
        self.environment.update(FAKE_LOG="log", FAKE_PLAN="plan", KG_CASE_TIMEOUT="30")
        self.records = []
        self.plan()

    def plan(self, *lines):
        self.write("plan", "".join(f"{line}\n" for line in lines))

    def observe(self, cases, **settings):
        """The records of a tuning of these cases, by event and case: the last of each."""
        with mock.patch.dict(os.environ, {**self.environment, **settings}, clear=True):
            self.records = []
            Observation(PROGRAM, "tune", cases, self.records.append, settings).run(".")
        return {(record["event"], record.get("case")): record for record in self.records}

    def tune(self, *filters, **settings):
        """The same of all candidates that the filters let through."""
        environment = {**self.environment, "KG_FILTER": ",".join(filters), "KG_FILTER_GIVEN": ",".join(filters)}
        done = subprocess.run([PROGRAM, "--candidates"], capture_output=True, text=True, check=True, env=environment)
        listed = json.loads(done.stdout)
        self.assertTrue(listed["cases"] and listed["work"], filters)
        for size, work in listed["work"].items():
            self.assertEqual((work["operations"], work["bytes"]), (int(size), 8 * int(size)))
        return self.observe(listed["cases"], **settings)

    def count(self, event, case=None):
        return sum(record["event"] == event and case in (None, record.get("case")) for record in self.records)

    def expect_finals(self, seen, yes=(), no=()):
        """Which of the cases that were measured came into the final."""
        self.assertEqual([case for case in (*yes, *no) if "final" in seen["measured", case]], list(yes))

    def test_the_best_of_each_variant_meet(self):
        """The best by time of each variant are in the final, and so are the best by occupancy, with as many samples."""
        self.plan("* fake/*/b128 occupancy 1", "* fake/plain/*/b96 occupancy 1")
        seen = self.tune(PLAIN + "*", QUICK + "*")
        self.assertEqual(self.count("measured"), 8)
        # Of equal occupancy the faster one.
        self.expect_finals(seen, [PLAIN + "b64", PLAIN + "b96", QUICK + "b64", QUICK + "b128"], [PLAIN + "b128", QUICK + "b32"])
        final = seen["measured", PLAIN + "b64"]["final"]
        self.assertAlmostEqual(final["value"] / 10000, 1, delta=0.01)
        self.assertLessEqual(final["low"], final["value"])
        self.assertGreaterEqual(final["high"], final["value"])
        self.assertIn("dropped_in_round", seen["measured", PLAIN + "b96"])
        self.assertNotIn("dropped_in_round", seen["measured", PLAIN + "b64"])
        samples = len(final["samples_ns"])
        self.assertGreaterEqual(samples, 12)
        self.assertEqual(len(seen["measured", PLAIN + "b96"]["final"]["samples_ns"]), samples)
        progress = [record for record in self.records if record["event"] == "progress"][-1]
        self.assertEqual((progress["size"], progress["of"]), ("64", 8))
        self.assertGreaterEqual(progress["seconds_left"], 0)

    def test_a_final_is_over_for_all_at_once(self):
        """One that needs more samples keeps all the others in the final, so that each round is whole."""
        self.plan("* fake/plain/*/b64 width 0.1")
        seen = self.tune(PLAIN + "b64", QUICK + "b64")
        final = seen["measured", PLAIN + "b64"]["final"]
        samples = len(final["samples_ns"])
        self.assertGreater(samples, 12)
        self.assertEqual(len(seen["measured", QUICK + "b64"]["final"]["samples_ns"]), samples)
        self.assertLessEqual(final["high"] - final["low"], 2 * 0.005 * final["value"])

    def test_what_is_wrong_never_wins(self):
        wrong = ("wrong", "nan", "unwritten", "overruns", "scribbles")
        self.plan("* fake/*/64/b32 hot 100")  # the wrong one would be the fastest
        seen = self.tune(*(f"fake/{variant}/64/*" for variant in wrong), PLAIN + "b64")
        for variant in wrong:
            self.assertIs(seen["checked", f"fake/{variant}/64/b32"]["right"], False)
            self.assertNotIn(("measured", f"fake/{variant}/64/b32"), seen)
            self.expect_finals(seen, [f"fake/{variant}/64/b64"])

    def test_what_the_device_does_not_take(self):
        seen = self.tune("fake/cannot/64/*")
        self.assertIn("cudaErrorInvalidValue", seen["refused", "fake/cannot/64/b32"]["why"])
        self.assertEqual((self.count("refused"), self.count("measured")), (3, 1))

    def test_what_ends_the_process_costs_its_candidate(self):
        seen = self.tune("fake/crashes/64/*", "fake/hangs/64/*", "fake/strays/64/*", PLAIN + "*", KG_CASE_TIMEOUT="3")
        for variant, why in (("crashes", "crashed"), ("hangs", "hung"), ("strays", "cudaErrorIllegalAddress")):
            self.assertIn(why, seen["failed", f"fake/{variant}/64/b32"]["why"])
        self.assertEqual(self.count("measured"), 13)
        self.expect_finals(seen, ["fake/crashes/64/b64"])

    def test_what_ends_while_it_is_timed(self):
        self.plan(f"* {QUICK}b32 crash", f"* {QUICK}b96 quit", f"* {QUICK}b128 failed")
        seen = self.tune(QUICK + "*")
        for launch, why in (("b32", "crashed"), ("b96", ""), ("b128", "as planned")):
            self.assertIn(why, seen["failed", QUICK + launch]["why"])
        self.assertEqual(self.count("measured"), 1)

    def test_a_finished_size_stays(self):
        """What a size came to is not done again by the process that goes on after a crash."""
        self.plan("2 fake/quick/1048576/b96 crash")  # the first process tells the candidates
        self.tune("fake/quick/*")
        self.assertEqual((self.count("failed"), self.count("measured")), (1, 7))
        self.assertEqual((self.count("start", QUICK + "b128"), self.count("start", "fake/quick/1048576/b128")), (1, 2))

    def test_fewer_blocks_than_too_few(self):
        """Where too few blocks are too slow, still fewer are not tried. 270336 threads run at a time.
        A case of this size is slow to check: few of them."""
        self.plan(f"* {WIDE}b64g32 hot 20000", f"* {WIDE}b64g8 hot 10")
        seen = self.tune(*(f"{WIDE}b64g{grid}" for grid in (64, 32, 16, 8)))
        self.assertEqual(self.count("measured"), 2)
        self.assertLessEqual({("measured", WIDE + "b64g32"), ("skipped", WIDE + "b64g16"), ("skipped", WIDE + "b64g8")},
                             set(seen))
        self.assertNotIn(("start", WIDE + "b64g8"), seen)

    def test_precision(self):
        """What varies takes more samples."""
        def samples():
            return len(self.tune(QUICK + "b64")["measured", QUICK + "b64"]["final"]["samples_ns"])
        self.assertEqual(samples(), 12)
        self.plan("* fake/* width 0.1")
        self.assertGreater(samples(), 12)

    def test_invalid_cases(self):
        with self.assertRaises(Failure):
            self.observe([QUICK + "b64", "fake/quick/65/b64"])
        self.write("twice", 2 * f"{QUICK}b64\n")
        done = subprocess.run([PROGRAM, "--observe", "twice", "--part", "tune", "--records", "records"], capture_output=True,
                              text=True, check=False, env=self.environment)
        self.assertEqual(done.returncode, 2, done.stderr)
