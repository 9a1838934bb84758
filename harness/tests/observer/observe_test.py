# SPDX-License-Identifier: MIT
"""A comparison's program in observer mode: the records that it leaves, and how it ends."""

import json
import os
import subprocess
import unittest

from command_fixture import GPU, MODEL, Folder

LOST = 3


class Observe(Folder):
    def run_program(self, program, *arguments, **settings):
        settings = {"FAKE_PLAN": "plan", "FAKE_LOG": "log", **settings}
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=60,
                              env={**self.environment, **settings})

    def expect_program(self, code, told, program, *arguments, **settings):
        done = self.run_program(program, *arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(told, done.stdout + done.stderr)

    def observe(self, cases, part="check", code=0, told="", program=MODEL, records="records", **settings):
        """The records of an observer of these cases, which ends so."""
        self.write("cases", "".join(f"{case}\n" for case in cases))
        self.expect_program(code, told, program, "--observe", "cases", "--part", part, "--records", records, **settings)
        if not os.path.isfile(records):
            return []
        written = [json.loads(line) for line in self.read(records).splitlines()]
        os.remove(records)
        return written

    def test_records(self):
        target, *records, done = self.observe(["fake/plain/7/b32", "fake/plain/64/b32", "fake/wrong/64/b32"])
        self.assertEqual((target["event"], done), ("target", {"event": "done"}))
        self.assertEqual([(record["event"], record["case"], record.get("right")) for record in records],
                         [("refused", "fake/plain/7/b32", None),
                          ("start", "fake/plain/64/b32", None), ("checked", "fake/plain/64/b32", True),
                          ("start", "fake/wrong/64/b32", None), ("checked", "fake/wrong/64/b32", False)])
        self.assertTrue(records[0]["why"])
        self.assertTrue(records[-1]["why"].startswith("to[17]"), records)

    def test_an_observer_of_launches_collects_nothing(self):
        """Whoever looks on at the launches of a GPU sees those of the variant and no other."""
        for fails, event in (("collect", "launched"), ("launch", "failed")):
            records = self.observe(["fake/leaves/64/b32"], "launch", program=GPU, FAKE_COLLECT=fails)
            record = next(record for record in records if record["event"] == event)
            self.assertEqual(record["case"], "fake/leaves/64/b32")
        self.assertIn("running the kernel: cudaErrorInvalidValue", record["why"])

    def test_a_lost_device_ends_the_process(self):
        records = self.observe(["fake/strays/64/b32", "fake/plain/64/b32"], code=LOST)
        self.assertTrue({"target", "start", "failed"}.issuperset(record["event"] for record in records), records)
        self.assertNotIn("fake/plain/64/b32", [record.get("case") for record in records])

    def test_wrong_calls(self):
        cases = ["fake/plain/64/b32"]
        self.observe(cases)
        os.mkfifo("pipe")
        for told, *arguments in (
                ("an observer needs --observe CASES --part PART --records FILE", "--observe", "cases"),
                ("--part: the option needs a value", "--observe", "cases", "--part"),
                ("--prat: not an option of an observer", "--observe", "cases", "--prat", "check"),
                ("missing: cannot be read", "--observe", "missing", "--part", "check", "--records", "records"),
                ("pipe: cannot be read", "--observe", "pipe", "--part", "check", "--records", "records")):
            self.expect_program(2, told, MODEL, *arguments)
        self.observe(cases, code=2, told="missing/records: cannot be written: No such file", records="missing/records")
        self.observe(cases, "time", 2, "fake: this target has no part time")
        self.observe([*cases, "fake/plain/65/b32"], code=2, told="fake/plain/65/b32: no such case in the table")
        self.observe(1000 * cases, code=2, told="fake/plain/64/b32: appears twice in cases: name each case once")

    def test_launches_beyond_the_table(self):
        """A search tries launches that no row has; they are checked as any other."""
        records = self.observe(["fake/plain/64/b32", "fake/plain/64/b96"])
        self.assertIn(("fake/plain/64/b96", True), [(record.get("case"), record.get("right")) for record in records])
        # That a launch cannot be is not a defect where no row asks for it.
        records = self.observe(["fake/cannot/64/b32", "fake/cannot/64/b96"])
        events = {(record["event"], record.get("case")) for record in records}
        self.assertLessEqual({("failed", "fake/cannot/64/b32"), ("refused", "fake/cannot/64/b96")}, events)
        # This program cannot count; that it has no such case is not why.
        self.observe(["fake/plain/64/b96"], "count", LOST, "needs the instrumented program")
        self.observe(["fake/plain/64/96"], code=2, told="fake/plain/64/96: no such case")

    @unittest.skipUnless(os.access("/dev/full", os.W_OK), "there is no /dev/full here")
    def test_full_records(self):
        """An observer that cannot report is of no use: it ends."""
        self.observe(["fake/plain/64/b32"], code=2, told="a record cannot be written: No space left on device",
                     records="/dev/full")
