# SPDX-License-Identifier: MIT
"""Runs of several parts, whose verdicts `kernelgate results` joins."""

import os

from run_fixture import COMMAND, GPU, MODEL, SLOW, SOUND_GPU, Runs, fake_baseline, fake_counts


class WholeRuns(Runs):
    def setUp(self):
        super().setUp()
        self.set(KG_FILTER="fake/plain/*,fake/quick/*")

    def runs(self, code, program, part):
        self.expect_program(code, "", program, f"--filter=fake/{part}")

    def results(self, code, *told):
        self.expect_program(code, told, COMMAND, "results")
        return self.load("out/results.json")

    def case(self, results, name):
        (entry,) = (entry for entry in results["cases"] if entry["case"] == name)
        return entry

    def sound_run(self):
        """The results of a run in which the variants that are right were checked and timed."""
        self.write("baselines/nvidia-fake.json", fake_baseline())
        self.runs(0, SOUND_GPU, "check")
        self.runs(0, SOUND_GPU, "time")
        return self.results(0)

    def test_a_run_is_summed_up(self):
        self.set(KG_FILTER="fake/plain/*,fake/overruns/*")
        self.runs(1, MODEL, "check")
        results = self.results(1, "fake/overruns/64/b32")
        self.assertEqual((len(results["cases"]), len(results["refused"])), (8, 8))
        self.assertIn("guard zone after to", self.case(results, "fake/overruns/64/b32")["why"])
        self.assertTrue(os.path.exists("out/junit.xml") and os.path.exists("out/summary.md"))

    def test_checks_and_counts_are_summed_up(self):
        """Both parts of a case come together: the check's verdict and the counters."""
        self.write("baselines/cpu-model.json", fake_counts())
        self.write("count_plan", f"* {SLOW} barriers 9\n")
        self.runs(0, MODEL, "check")
        self.runs(1, MODEL, "count")
        results = self.results(1, "barriers rose by 12.5 % (9 against 8)", "&& KG_FILTER='fake/plain/64/b32' ctest")
        entry = self.case(results, SLOW)
        self.assertEqual(len(entry["parts"]), 2)
        self.assertGreaterEqual(len(entry["metrics"]), 17 + 2, "all of them")
        self.assertIn("lines", entry)
        self.assertIn("| `fake/plain/64/b32` | `cpu-model` | `barriers` | 8 | 9 | +12.5 % |", self.read("out/summary.md"))
        junit = self.read("out/junit.xml")
        self.assertIn("barriers 9 (baseline 8, +12.5 %", junit)
        self.assertIn("global_load_sectors_per_request 2 ", junit)
        self.assertNotIn("constant_load_words", junit)

    def test_a_run_on_both_targets_is_summed_up(self):
        self.write("baselines/nvidia-fake.json", fake_baseline())
        self.runs(0, MODEL, "check")
        self.runs(0, GPU, "check")
        self.plan("* fake/quick/64/b64 hot 6000\n")
        self.runs(1, GPU, "time")
        self.runs(0, GPU, "claim_quick_beats_plain")
        results = self.results(1, "64/b64 takes 6 µs, was 5 µs (+20.0 %, limit 2.0 %)")
        self.assertEqual([len(results[part]) for part in ("targets", "tests", "claims", "cases")], [2, 4, 1, 16])
        targets = [entry["target"] for entry in results["cases"] if entry["case"] == "fake/quick/64/b64"]
        self.assertEqual(sorted(targets), ["cpu-model", "nvidia-fake"])

    def test_the_results_hold_what_the_sentinels_said(self):
        """The part that checks describes the device first; the one that times adds its sentinels to that."""
        said = self.sound_run()["provenance"]["nvidia-fake"]
        self.assertLessEqual({"copy", "fma", "bus"}, set(said["sentinels_ns"]))
        # 400 MB in 100 us, 10 G operations in 200 us, 8 MB in 150 us.
        self.assertEqual({name: round(value / 1e9) for name, value in said["limits"].items()},
                         {"copy_bytes_per_second": 4000, "operations_per_second": 50000, "bus_bytes_per_second": 53})

    def test_a_timed_run_has_its_table(self):
        """The job's work and what its kernel takes go from the record to the results, and from there into the table."""
        entry = self.case(self.sound_run(), SLOW)
        self.assertEqual((entry["work"]["operations"], entry["work"]["bytes"], entry["kernel"]["registers"]), (64, 512, 40))
        self.expect_program(0, ("| 64   | b32    |    10 | 5 (2.00×) |", "| 64   | b32    | 75.0 % | 75.0 % |"), COMMAND, "report",
                            "--table", "fake")
