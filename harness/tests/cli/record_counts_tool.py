# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline record` on the CPU model."""

import shutil

from command_fixture import MODEL
from record_fixture import COUNTS, NOTHING, QUICK, REQUESTS, RIGHT, SLOW, Recording, differing_lines


class Counts(Recording):
    def test_a_first_recording(self):
        self.count("cpu-model.json: 4 of 4 cases changed, counted twice with equal results")
        self.assertEqual(self.processes("count_log"), 3, "one process checks, two count")
        document = self.valid(self.printed)
        self.assertEqual((document["looked_at"], document["changed"], document["sessions"]), (4, 4, 2))
        self.assertEqual(self.entry(document, "changes", case=SLOW, metric="global_load_sectors"),
                         {"case": SLOW, "metric": "global_load_sectors", "kind": "new", "new": 400})
        stored, text = self.stored(COUNTS), self.read(COUNTS)
        self.assertEqual(stored["target"]["key"], "cpu-model")
        self.assertRegex(stored["target"]["compiler"], "^(gcc|clang) ")
        self.assertEqual((len(stored["cases"]), "sentinels" in stored), (4, False))
        entry = stored["cases"][SLOW]
        self.assertEqual(entry["commit"], "abcdef0123")
        self.assertEqual(len(entry), 7 + 2, "counters of 0 are omitted")
        self.assertEqual(entry["global_load_sectors"], 400)
        self.assertEqual(len(entry["lines"]), 3)
        self.assertIn('"barriers": 8, "global_load_requests"', text)
        self.assertIn('"lines": {"kernels/fake/plain.cu:14": {"global_load_requests": 200, "global_load_sectors": 400}, ', text)
        self.assertEqual(text.count("\n"), 19, "one case per line")
        self.assertIn(' "checked": [\n  "fake/plain/0/b32",\n', text)
        self.count("cpu-model.json: 0 of 4 cases changed")
        self.assertEqual(self.read(COUNTS), text)

    def test_only_counts_that_moved_are_rewritten(self):
        self.count()
        first = self.read(COUNTS)
        self.plan_counts(f"{REQUESTS} barriers 0 shuffles 5 line kernels/fake/plain.cu:15 barriers 0 "
                         "line kernels/fake/plain.cu:15 shuffles 5")
        output = self.count("cpu-model.json: 1 of 4 cases changed")
        for row in (f"{SLOW}                                  global_load_requests                    200              300   "
                    "+50.0 %\n", "barriers                                  8                0    -100 %\n",
                    "shuffles                                  0                5       new\n"):
            self.assertIn(row, output)
        self.assertNotIn(" ns", output)
        document = self.valid(self.printed)
        self.entry(document, "changes", case=SLOW, metric="global_load_requests", old=200, new=300, change=0.5)
        self.entry(document, "changes", case=SLOW, metric="barriers", kind="moved", new=0)
        self.entry(document, "changes", case=SLOW, metric="shuffles", kind="new")
        self.assertEqual(differing_lines(first, self.read(COUNTS)), 1)
        entry = self.case(COUNTS)
        self.assertEqual((entry["global_load_requests"], "barriers" in entry), (300, False))

    def test_errors_are_recorded_exactly(self):
        """Of the cases that a filter takes; those that have none any more are removed."""
        self.count()
        self.assertNotIn("accuracy", self.stored(COUNTS), "the fake is exact")
        output = self.count("the errors of 8 cases changed", FAKE_ERROR="0.001")
        first = self.stored(COUNTS)["accuracy"]
        self.assertIn("8 cases with a new error against the reference\n", output)
        self.assertTrue(first[SLOW][0] > first[SLOW][1] > 0)
        self.assertEqual(self.count("0 of 4 cases changed", FAKE_ERROR="0.001").count("error"), 0)
        output = self.count("the errors of 2 cases changed", FAKE_ERROR="0.0010003", filter_="fake/plain/64/*")
        self.assertRegex(output, f"{SLOW} +error_max +8 564 +8 566 +[+]0.023 %\n")
        self.assertEqual(sum(first[case] != errors for case, errors in self.stored(COUNTS)["accuracy"].items()), 2)
        self.count("the errors of 8 cases changed")
        self.assertEqual(self.stored(COUNTS)["accuracy"], {})

    def test_lines_that_moved_are_rewritten(self):
        """The next verdict must not look for them where they were."""
        self.count()
        self.plan_counts(f"* {SLOW} line kernels/fake/plain.cu:15 barriers 5 line kernels/fake/plain.cu:20 barriers 3")
        self.count(f"{SLOW}                                  lines of source moved, and no counter")
        self.entry(self.valid(self.printed), "changes", case=SLOW, kind="lines")
        self.assertEqual([len(self.case(COUNTS, case)["lines"]) for case in (SLOW, QUICK)], [4, 3])

    def test_a_band_set_by_hand_stays(self):
        def edit(document):
            document["cases"][SLOW].update(barriers={"value": 8, "band": 0.1, "band_by": "hand"},
                                           global_load_requests={"value": 200, "gated": False, "band_by": "hand"})

        self.count()
        self.edit(edit, COUNTS)
        self.plan_counts(f"{REQUESTS} barriers 9 line kernels/fake/plain.cu:15 barriers 9")
        self.count("1 of 4")
        entry = self.case(COUNTS)
        self.assertEqual(entry["barriers"], {"value": 9, "band": 0.1, "band_by": "hand"})
        self.assertEqual(entry["global_load_requests"], {"value": 300, "band": 0, "band_by": "hand", "gated": False})

    def test_a_case_that_counts_nothing(self):
        self.plan_counts(NOTHING)
        self.count("1 of 1", filter_=SLOW)
        self.assertEqual(self.case(COUNTS), {"commit": "abcdef0123", "global_load_requests": 0})
        self.count("0 of 1", filter_=SLOW)

    def test_cases_that_are_only_checked(self):
        self.count()
        listed = self.stored(COUNTS)["checked"]
        self.edit(lambda document: document.update(checked=["fake/gone/1/b32", *listed[1:], "other/gone/1/b32"]), COUNTS)
        output = self.count("(1 changed)")
        self.assertIn(f"{listed[0]:<50} checked, new\n", output)
        # What a filter leaves out may only be hidden.
        self.assertEqual(self.stored(COUNTS)["checked"], ["fake/gone/1/b32", *listed, "other/gone/1/b32"])

    def test_other_flags_than_the_rest(self):
        """The provenance names the flags of all cases, so that a part of them cannot have others."""
        self.count()
        self.edit(lambda document: document["provenance"].update(flags="-O0"), COUNTS)
        first = self.read(COUNTS)
        self.plan_counts(REQUESTS)
        self.count('cpu-model.json: its other cases were recorded with CXXFLAGS "-O0", these with "": build with the same flags, '
                   "or record all cases", code=2)
        self.assertEqual(self.read(COUNTS), first)

    def test_what_refuses(self):
        before = '{"schema": "kernelgate-baseline/2", "cases": {},   "target": {"key": "cpu-model"}, "provenance": {"model": "4"}}'
        for globs, plan, told in (
                (RIGHT, f"3 {SLOW} global_load_sectors 401", f"{SLOW}: global_load_sectors is 400 in one run and 401 in another"),
                (RIGHT, f"2 {SLOW} line kernels/fake/plain.cu:14 global_load_sectors 401",
                 f"{SLOW}: its lines have other counts in another run"),
                (RIGHT, f"1 {SLOW} finding", f"{SLOW}: kernels/fake/other.cu:14: error: "),
                (RIGHT, f"1 {SLOW} crash", f"{SLOW}: crashed"), (RIGHT, f"3 {SLOW} forget", f"{SLOW}: record lost"),
                (RIGHT, f"* {SLOW} barriers 9", f"not written: {COUNTS}:"),
                ("fake/plain/*,fake/wrong/*", "", "fake/wrong/64/b32: to[17]: expected"),
                ("fake/plain/1/*", "", 'is KG_FILTER too narrow? Did you mean "fake/plain/7/*"?')):
            self.write(COUNTS, before)
            self.plan_counts(plan)
            self.count(told, code=2, filter_=globs)
            self.assertEqual(self.read(COUNTS), before)
        shutil.copy(MODEL, "lone.model")
        self.record("lone.instrumented: the program with instrumented kernels cannot be run", code=2, program="./lone.model")
