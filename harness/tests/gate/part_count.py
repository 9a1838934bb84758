# SPDX-License-Identifier: MIT
"""The part that counts: what rises, falls and holds, and what cannot be counted."""


from part_fixture import SLOW, PartRuns, entry_of, fake_counts, passing

LOADS = "kernels/fake/plain.cu:14 global_load_sectors"
REBASELINE = "commit, then KG_FILTER='fake/plain/*' kernelgate rebaseline --target model"


class PartCount(PartRuns):
    def test_counts_that_hold(self):
        self.store(fake_counts())
        verdicts = self.count(0, "pass         cpu-model    fake/quick/64/b64\n")
        self.assertEqual((passing(verdicts), self.instrumented()), (4, 1), "counts repeat: nothing is confirmed")
        self.assertEqual([len(verdicts[name]) for name in ("refused", "vanished", "notes", "errors")], [4, 0, 0, 0])
        self.assertEqual(verdicts["target"]["compiler"], "gcc 12.2.0")
        entry = entry_of(verdicts, SLOW)
        self.assertIsInstance(entry["seconds"], (int, float))
        self.assertEqual(len(entry["lines"]), 3)

    def test_counts_that_move(self):
        """One request more fails, with the line that makes it and what accepts it."""
        self.store(fake_counts())
        finding = "kernels/fake/other.cu:14: error: "
        for plan, code, told, verdict, why in (
                (f"* {SLOW} global_load_sectors 3200 line {LOADS} 3200", 1, f"slower       cpu-model    {SLOW}                 "
                 "global_load_sectors rose by 700.0 %", "slower", "global_load_sectors rose by 700.0 % (3 200 against 400); "
                 f"kernels/fake/plain.cu:14: loads went from 2.00 to 16.00 sectors per request; to accept it: {REBASELINE}"),
                (f"* {SLOW} global_load_requests 100 shuffles 1", 1, "", "slower",
                 "shuffles rose (1 against 0); fallen: global_load_requests"),
                (f"* {SLOW} barriers 0", 0, f"faster       cpu-model    {SLOW}", "faster",
                 f"barriers fell by 100.0 % (0 against 8); to keep it: {REBASELINE}"),
                (f"* {SLOW} sampled", 0, "", "pass", ""),
                # The counts of a kernel that touches what it must not are no reason for praise or blame.
                (f"* {SLOW} barriers 7\n* {SLOW} finding", 1, f"wrong        cpu-model    {SLOW}", "wrong", finding)):
            with self.subTest(plan):
                self.plan_counts(plan + "\n")
                verdicts = self.count(code, told)
                self.expect_case(verdicts, SLOW, verdict, why)
                self.assertEqual((passing(verdicts), self.instrumented()), (3 + (verdict == "pass"), 1))

    def test_an_empty_launch_more(self):
        """A launch that does nothing more, against a baseline of this model and of one that counted none."""
        counts = fake_counts()
        self.store({**counts, "cases": {case: {**entry, "launches": {"value": 1, "band": 0}}
                                        for case, entry in counts["cases"].items()}})
        self.plan_counts(f"* * launches 1\n* {SLOW} launches 2\n")
        self.assertEqual(passing(self.count(1, "launches rose by 100.0 % (2 against 1)"), "slower"), 1)
        self.store({**counts, "provenance": {"model": "2"}})
        unjudged = ("note         cpu-model    the baseline was recorded with model 2, this run has model 4; not judged until it "
                    "is recorded again: global_atomic_passes, shared_atomic_passes, constant_load_words, fences, printf_calls, "
                    "tensor_multiply_adds, launches, blocks, threads, busiest_warp_requests\n")
        self.assertEqual(passing(self.count(0, unjudged)), 4)
        self.set(KG_STRICT=1)
        verdicts = self.count(2, "record it again with kernelgate rebaseline --target model")
        self.assertEqual((passing(verdicts, "no-baseline"), verdicts.get("skipped_by")), (4, None))
        self.set(KG_STRICT=None)
        self.plan_counts(f"* * launches 1\n* {SLOW} barriers 9\n")
        self.count(1, "barriers rose by 12.5 % (9 against 8)")

    def test_another_compiler(self):
        """It is no reason by itself; beside one it is told. What is optimized otherwise may compute something else."""
        self.store(fake_counts())
        told = "the baseline was recorded with gcc 12.2.0, this run has gcc 13.1.0"
        self.set(FAKE_COMPILER="gcc 13.1.0")
        self.assertEqual(len(self.count(0, "note         cpu-model    " + told)["notes"]), 1)
        for barriers, code, advice in ((9, 1, "accept"), (7, 0, "keep")):
            self.plan_counts(f"* {SLOW} barriers {barriers}\n")
            self.count(code, f"; {told}; to {advice} it: ")
        self.plan_counts("")
        self.set(FAKE_COMPILER=None, FAKE_FLAGS="-ffast-math")
        self.count(0, "note         cpu-model    the baseline was recorded with no CXXFLAGS, this run has CXXFLAGS -ffast-math\n")

    def test_a_new_case_alone(self):
        """The target has a baseline, of other cases: what is not in it is no reason to say that there is none."""
        counts = fake_counts()
        del counts["cases"][SLOW]
        self.store(counts)
        self.set(KG_FILTER=SLOW)
        self.assertNotIn("skipped_by", self.count(77, f"no-baseline  cpu-model    {SLOW}"))
        self.assertEqual(self.merge(77, "no-baseline")["unrecorded"], [])

    def test_counts_without_a_baseline(self):
        verdicts = self.count(77, "baselines/cpu-model.json is not there: restore it, or record these cases with kernelgate rebaseline")
        self.expect_skip(verdicts, "no-baseline", "cpu-model.json")
        self.assertEqual(passing(verdicts, "no-baseline"), 4)
        self.set(KG_STRICT=1)
        self.count(2, "no-baseline  cpu-model    fake/plain/64/b32                 no baseline")
        counts = fake_counts()
        del counts["cases"][SLOW]
        self.store(counts)
        for strict in (1, 0):
            self.set(KG_STRICT=strict)
            self.count(strict, "no baseline: record one with kernelgate rebaseline")

    def test_a_baseline_that_is_wrong(self):
        """One that would let any count pass makes an error of the run that it judges."""
        self.write("baselines/cpu-model.json", '{"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model"},\n"cases": {'
                   f'"{SLOW}": {{"time_ns": {{"value": 5, "band": 0, "floor": 1}}}}}}}}')
        self.count(2, "cpu-model.json: cases: fake/plain/64/b32: time_ns: ")
        self.plan_counts(f"* {SLOW} barriers 900\n")
        for metric in ({"value": -0.0}, {"value": 8, "gated": False}, {"value": 900}):
            counts = fake_counts()
            counts["cases"][SLOW] = {**counts["cases"][SLOW], "barriers": metric}
            self.store(counts)
            self.count(2, "cases: fake/plain/64/b32: barriers: ")

    def test_what_goes_wrong_while_counting(self):
        self.store(fake_counts())
        self.expect_mishaps(self.count, self.plan_counts, self.instrumented, (
            ("failed", "error", "kernels/fake/plain.cu: running the kernel: cudaError", 2, 1),
            ("wrong", "wrong", "kernels/fake/plain.cu: to[17]: expected 1, got 2", 1, 1),
            ("forget", "error", "kernels/fake/plain.cu: record lost", 2, 1),
            ("crash", "error", "kernels/fake/plain.cu: crashed: the observer died of signal 11", 2, 2),
            ("hang", "error", "kernels/fake/plain.cu: hung: no record for 1 s", 2, 2)))

    def test_counting_needs_the_instrumented_program(self):
        verdicts = self.count(2, "lone.instrumented: the program with instrumented kernels cannot be run: No such file or "
                              "directory: build it", self.lone_program())
        self.expect_case(verdicts, SLOW, "error", "no observer could be run for this case")

    def test_a_filter_that_leaves_nothing(self):
        self.store(fake_counts())
        self.set(KG_FILTER="fake/plain/1/*", KG_STRICT=1)
        self.expect_skip(self.count(77, "skipped      cpu-model    model.fake.count                  not selected by"), "filter",
                         "not selected by --filter")
