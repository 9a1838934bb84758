# SPDX-License-Identifier: MIT
"""The part `launch` of a GPU's program, whose records tools/dev/validate.py reads."""

import json

from part_fixture import GPU, MODEL, SOUND_GPU, PartRuns


class PartLaunch(PartRuns):
    def observe(self, program, cases, code, told=""):
        """The records of a process that launches these cases."""
        self.write("cases", "".join(f"{case}\n" for case in cases))
        self.expect_program(code, told, program, "--observe", "cases", "--part", "launch", "--records", "launches.jsonl")
        return [json.loads(line) for line in self.read("launches.jsonl").splitlines()]

    def test_launches_each_counted_case_once(self):
        """The sizes that are counted, and no others."""
        self.set(KG_FILTER=None)
        cases = self.expect_program(0, "fake/plain/64/b32\n", SOUND_GPU, "--cases", "launch").splitlines()
        self.assertEqual(len(cases), 8)
        records = self.observe(SOUND_GPU, cases, 0)
        events = [record["event"] for record in records]
        self.assertEqual((events.count("launched"), events.count("refused")), (4, 4))
        self.assertIn({"event": "done"}, records)
        at = records.index({"event": "start", "case": "fake/quick/64/b32"})
        self.assertEqual(records[at + 1], {"event": "launched", "case": "fake/quick/64/b32", "kernels": 1})

    def test_tells_wrong_and_failed_ones(self):
        names = ("wrong", "hangs", "cannot", "plain")
        records = self.observe(GPU, [f"fake/{name}/64/b32" for name in names], 0)
        wrong, hangs, cannot, plain = ([record for record in records if record.get("case") == f"fake/{name}/64/b32"][-1]
                                       for name in names)
        self.assertIs(wrong["right"], False)
        self.assertTrue(hangs["why"].startswith("launching: this fake"), hangs)
        self.assertTrue(cannot["why"].startswith("launching: "), cannot)
        self.assertEqual(plain["event"], "launched")

    def test_ends_when_the_device_is_lost(self):
        records = self.observe(GPU, ["fake/strays/64/b32", "fake/plain/64/b32"], 3, "fake/strays/64/b32: ")
        self.assertEqual((records[-1]["event"], records[-1]["case"]), ("failed", "fake/strays/64/b32"))
        self.assertNotIn("fake/plain/64/b32", [record.get("case") for record in records])

    def test_is_no_part_of_the_model(self):
        self.write("launches.jsonl", "")
        self.observe(MODEL, ["fake/plain/64/b32"], 2, "fake: this target has no part launch")
