# SPDX-License-Identifier: MIT
"""Tests of choosing the best launches: records in, choices and ratios out."""

import unittest

from kernelgate.tune import launch_choice
from tune_fixture import counted, finalist, measured


class Choice(unittest.TestCase):
    def tuning(self, *records, metric="time_ns"):
        tuning = launch_choice.Tuning(metric)
        for record in records:
            tuning.add(record["case"])
            tuning.take(record)
        return tuning, list(tuning.candidates.values())

    def test_fates(self):
        case = "add/plain/1000/b32"
        for record, fate, why in (
            ({"event": "start"}, "untried", ""),
            ({"event": "checked", "right": True}, "untried", ""),
            ({"event": "checked", "right": False, "why": "c[3] differs"}, "wrong", "c[3] differs"),
            ({"event": "failed", "why": "crashed"}, "failed", "crashed"),
            ({"event": "refused", "why": "no"}, "refused", "no"),
            ({"event": "skipped", "why": "far behind b64"}, "skipped", "far behind b64"),
            ({"event": "measured", "metrics": {"time_ns": {"value": 0}}}, "failed", "its record has no time_ns"),
            ({"event": "measured", "metrics": [], "absent": {"time_ns": "short"}}, "failed", "its record has no time_ns: short"),
            (measured(case, 5), "measured", ""),
        ):
            tuning, (candidate,) = self.tuning({"case": case, **record})
            self.assertEqual((candidate.fate, candidate.why), (fate, why))
            taken = tuning.take(measured(case, 1))
            self.assertEqual(taken is not None, fate == "untried", "what is settled stays so")
        self.assertIsNone(tuning.take(measured("add/other/1/b1", 1)))

    def test_best(self):
        _, candidates = self.tuning(measured("add/plain/1000/b32", 120, 0.5), measured("add/plain/1000/b64", 100, 0.75),
                                    measured("add/plain/1000/b128", 110, 1), measured("add/plain/1000/b256", 105, 1))
        for aim, launch in (("figure", "b64"), ("occupancy", "b256")):
            self.assertEqual(launch_choice.best(candidates, aim).launch, launch)
        self.assertEqual((candidates[1].gigabytes, candidates[1].gigaflops), (80, 10))
        self.assertIsNone(launch_choice.best([]))

    def test_a_dropped_candidate_wins_only_among_its_like(self):
        records = [measured("add/plain/1000/b32", 90, dropped_in_round=2), measured("add/plain/1000/b64", 100),
                   finalist("add/plain/1000/b128", [101, 101, 101])]
        for count, launch in ((1, "b32"), (2, "b64"), (3, "b128")):
            self.assertEqual(launch_choice.best(self.tuning(*records[:count])[1]).launch, launch)

    def test_ratios_are_taken_round_by_round(self):
        """Both drift by a factor of two, together: their ratio does not."""
        other = [100 * (1 + i / 11) for i in range(12)]
        first = [value * 1.05 * (1 + 0.001 * (i % 3 - 1)) for i, value in enumerate(other)]
        _, (a, b) = self.tuning(finalist("add/plain/1000/b32", first), finalist("add/strided/1000/b32", other))
        ratio, mirrored = launch_choice.compare(True, a, b), launch_choice.compare(True, b, a)
        self.assertEqual((ratio.differs, mirrored.differs, ratio.rounds), (True, True, 12))
        self.assertAlmostEqual(ratio.times.value, 1.05, delta=0.0011)
        self.assertTrue(1.04 < ratio.times.low < ratio.times.high < 1.06)
        self.assertAlmostEqual(mirrored.times.low, 1 / ratio.times.high, delta=1e-12)
        _, (a, b) = self.tuning(finalist("add/a/1/b32", [99, 101] * 4), finalist("add/b/1/b32", [100] * 8))
        self.assertEqual(launch_choice.compare(True, a, b).differs, False)

    def test_median_intervals(self):
        """The ranks are those of a table of the sign test."""
        for count, rank in ((5, None), (6, 1), (8, 1), (9, 2), (12, 3), (20, 6), (25, 8), (50, 18), (1000, 469)):
            interval = launch_choice.median_interval(range(1, count + 1))
            expected = (rank, count + 1 - rank) if rank else (-float("inf"), float("inf"))
            self.assertEqual(((count + 1) / 2, *expected), (interval.value, interval.low, interval.high))

    def test_only_what_was_timed_in_turn_has_a_ratio(self):
        rounds = [1, 2, 3, 4, 5, 6, 7, 8]
        _, (a, b, c, d, spoiled, own) = self.tuning(
            finalist("add/a/1000/b32", rounds), finalist("add/b/1000/b32", rounds[1:]), finalist("add/c/1000/b32", rounds[3:]),
            finalist("add/d/1000/b32", rounds[3:]), finalist("add/e/1000/b32", [1, 2, 0, 4, 5, 6]),
            measured("add/f/1000/b32", 5, no_final="timed by the host"))
        for first, other, why in ((a, b, "different processes"), (c, d, "too few rounds"), (a, spoiled, "not both"),
                                  (a, own, "timed by the host"), (own, a, "timed by the host")):
            self.assertIn(why, launch_choice.compare(True, first, other).why)

    def test_counters_are_exact(self):
        _, (a, b, zero) = self.tuning(counted("add/plain/1/b32", 300), counted("add/plain/1/b64", 200), counted("add/strided/1/b32", 0),
                                      metric="global_load_sectors")
        self.assertIsNone(launch_choice.best([a, b], "occupancy"))
        ratio = launch_choice.compare(False, a, b)
        self.assertEqual((ratio.times, ratio.differs), (launch_choice.Interval(1.5, 1.5, 1.5), True))
        self.assertIn("is 0", launch_choice.compare(False, a, zero).why)
        self.assertEqual(launch_choice.compare(False, zero, zero).differs, False)
