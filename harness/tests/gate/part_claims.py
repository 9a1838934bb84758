# SPDX-License-Identifier: MIT
"""The claims of a suite, on times and on counters that this run recorded."""

import os

from part_fixture import GPU, GPU_CLAIMS, MODEL_CLAIMS, QUICK, SLOW, PartRuns, fake_baseline

SPEEDUP = "claim_quick_beats_plain"
TEST = "gpu.fake.claim_quick_beats_plain"


class TimeClaims(PartRuns):
    def claim(self, code, told=""):
        return self.run_test(GPU, SPEEDUP, code, told)

    def test_claims_that_hold_and_fail(self):
        """Both times are of this run. A claim that the baseline of this GPU does not bear out, or has not, fails nothing."""
        as_slow, barely = fake_baseline(), fake_baseline()
        as_slow["cases"][QUICK]["time_ns"]["value"] = 7000.0
        barely["cases"][QUICK]["time_ns"].update(value=6600.0)
        under, beyond = (f"* {QUICK} hot {ns}\n" for ns in (6720, 6740))
        at, then = "quick/64/b32 runs at {} times the speed of plain/64/b32, at least 1.50 expected", "; 1.52 at recording"
        slower, quick = f"* {QUICK} hot 7000\n", "quick/64/b32 runs at 1.43 times the speed of plain/64/b32, at least 1.50 expected"
        for stored, plan, timed, code, word, why, holds, reported in (
                (None, "", 77, 0, "holds", "quick/64/b32 runs at 2.00 times the speed of plain/64/b32, at least 1.50 expected", True, False),
                (None, slower, 77, 0, "reported", f"{quick}; the baseline does not have it either", False, True),
                (as_slow, slower, 0, 0, "reported", f"{quick}; the baseline does not have it either", False, True),
                (fake_baseline(), slower, 1, 1, "fails", f"{quick}; 2.00 at recording, further than 2.0 %", False, False),
                (barely, under, 0, 0, "holds", f"{at.format('1.49')}{then}, within 2.0 %", True, False),
                (barely, beyond, 1, 1, "fails", f"{at.format('1.48')}{then}, further than 2.0 %", False, False)):
            if stored is not None:
                self.store(stored)
            self.plan(plan)
            self.time(timed)
            for strict in (0, 1):
                self.set(KG_STRICT=strict)
                verdicts = self.claim(code, f"{word:11}  claim        {TEST}  {why}")
            claim, = verdicts["claims"]
            self.assertEqual((claim["holds"], claim.get("reported_only", False), verdicts["target"]["key"]),
                             (holds, reported, "nvidia-fake"))
            self.set(KG_STRICT=0)

    def test_a_claim_judges_no_case(self):
        """It compares this run with itself."""
        both = f"@(time|{SPEEDUP})"
        self.time(77)
        self.run_test(GPU, both, 77, "holds        claim        " + TEST)
        self.merge(77, ("claims: 1 holds", "\nNO BASELINE  4 no-baseline of 4 cases on "))
        self.set(KG_STRICT=1)
        self.merge(2, ", because of KG_STRICT=1: 4 no-baseline, 1 test had nothing to judge\n")
        self.run_test(GPU, both, 2, "holds        claim        " + TEST)

    def test_a_claim_on_what_is_wrong(self):
        self.store(fake_baseline())
        self.claim(77, f"{QUICK} must be right")
        self.plan(f"* {QUICK} wrong\n")
        self.time(1)
        told = f"{QUICK} must be right and have its time_ns in this run (part time)"
        self.expect_skip(self.claim(77, "skipped      claim"), "unavailable", told)
        self.set(KG_STRICT=1)
        self.claim(2, "must be right and have its")

    def test_a_claim_that_nothing_came_before(self):
        """Run by hand, with no folder of results."""
        self.assertFalse(os.path.exists("out"))
        self.expect_skip(self.claim(77), "unavailable", "must be right and have its")
        self.assertNotIn("kernelgate: ", self.printed)

    def test_a_claim_that_is_filtered_out(self):
        self.store(fake_baseline())
        self.set(KG_STRICT=1, KG_FILTER="fake/quick/*")
        self.time(0)
        self.expect_skip(self.claim(77, "not selected by --filter:"), "filter", "not selected by --filter:")

    def test_claims_on_cold_times(self):
        self.store(fake_baseline())
        for plan, time_code, claim, code, told in (
                ("", 0, "quick_from_memory", 0, ("cold_time_ns: quick/64/b32 has 6 000 ns, plain/64/b32 has 12 000 ns: 2.00 times",
                                                 "time_ns of quick/64/b32 is 5 000, 4 000 to 6 000 expected")),
                (None, 0, "a_counter", 2, "barriers: no metric of part time: fix the claim"),
                (None, 0, "a_speedup_by_nothing", 2, "a factor that is not a number above 0: fix the claim"),
                (f"* {QUICK} cold 6100\n", 0, "quick_from_memory", 0, "as much expected; 2.00 at recording, within 2.0 %"),
                (f"* {QUICK} cold 6130\n", 1, "quick_from_memory", 1, "as much expected; 2.00 at recording, further than 2.0 %"),
                (f"* {QUICK} hot 3999\n", 0, "quick_from_memory", 1, "4 000 to 6 000 expected; 5 000 at recording, further than"),
                (f"* {QUICK} cold 0\n", 2, "quick_from_memory", 77, "must be right and have its cold_")):
            if plan is not None:
                self.plan(plan)
                self.time(time_code)
            self.run_test(GPU_CLAIMS, f"claim_{claim}", code, told)
        self.claim(77, f"{QUICK} must be right and have its time_ns")


class CountClaims(PartRuns):
    def count_by_plan(self, plan):
        """There is no baseline, and claims need none."""
        self.plan_counts(plan)
        self.count(77, "no-baseline  cpu-model")

    def claim(self, name, code, told=""):
        return self.run_test(MODEL_CLAIMS, f"claim_{name}", code, told)

    def expect_held(self, verdicts, *holds):
        self.assertEqual([claim["holds"] for claim in verdicts["claims"]], list(holds))

    def test_claims_on_counters(self):
        """Nothing is less than nothing, and something more than any number of times nothing."""
        fewer, sectors = "model.fake.claim_fewer_sectors    global_load_sectors: ", "at least 2.00 times as much expected"
        barriers, twice = "barriers: quick/64/b32 has 0, plain/64/b32 has ", "at least 2.00 times as much"
        each = "global_load_sectors_per_request"
        for plan, claims in (
                (f"* {QUICK} global_load_sectors 200\n", (
                    ("fewer_sectors", 0, f"holds        claim        {fewer}quick/64/b32 has 200, plain/64/b32 has 400: 2.00 times "
                     f"as much, {sectors}"),
                    ("fewer_sectors_per_request", 0, f"{each}: quick/64/b32 has 1, plain/64/b32 has 2: 2.00 times"),
                    ("sectors_per_request", 0, f"{each} of plain/64/b32 is 2, 2 to 2.5 expected"))),
                (f"* {QUICK} global_load_sectors 201\n", (
                    ("fewer_sectors", 1, f"fails        claim        {fewer}quick/64/b32 has 201, plain/64/b32 has 400: 1.99 times "
                     f"as much, {sectors}"),)),
                (f"* {SLOW} global_load_sectors 501\n", (("sectors_per_request", 1, "is 2.505, 2 to 2.5 expected"),)),
                (f"* {SLOW} global_load_sectors 399\n", (("sectors_per_request", 1, "is 1.995, 2 to 2.5 expected"),)),
                ("* * barriers 0\n", (("fewer_barriers", 1, f"{barriers}0, {twice}"), ("as_many_barriers", 0, "holds"))),
                (f"* {QUICK} barriers 0\n", (("fewer_barriers", 0, f"{barriers}8, {twice}"), ("as_many_barriers", 1, "fails")))):
            self.set(KG_STRICT=0)
            self.count_by_plan(plan)
            self.set(KG_STRICT=1)
            for claim, code, told in claims:
                with self.subTest(plan=plan, claim=claim):
                    self.claim(claim, code, told)

    def test_a_claim_that_expects_several_things(self):
        """All of them stay in its file, up to the first that fails."""
        self.count_by_plan("")
        self.expect_held(self.claim("several", 0, "unique_bytes_read of plain/64/b64 is 256, 0 to 256 expected"), True, True, True)
        self.assertEqual(len(self.merge(77)["claims"]), 3)
        self.count_by_plan(f"* {QUICK} global_load_sectors 401\n")
        self.expect_held(self.claim("several", 1, "fails        claim        model.fake.claim_several"), True, False)
        # Six digits of a count would show 1 000 001 as what was expected of 1 000 000.
        self.count_by_plan(f"* {SLOW} barriers 1000001\n")
        self.claim("several", 1, "barriers of plain/64/b32 is 1 000 001, 8 expected")
        self.count_by_plan("* fake/plain/64/b64 unique_bytes_read -\n")
        verdicts = self.claim("several", 0, "fake/plain/64/b64 must be right")
        self.expect_skip(verdicts, "unavailable", "have its unique_bytes_read in this")
        self.expect_held(verdicts, True, True)
        self.set(KG_STRICT=1)
        self.claim("several", 2, "must be right and have its")

    def test_claims_on_what_is_wrong_or_not_counted(self):
        """What the check found wrong is nothing to speak of, whatever it counts."""
        self.claim("fewer_sectors", 77, f"{QUICK} must be right")
        self.plan_counts(f"* {SLOW} finding\n")
        self.count(1, f"wrong        cpu-model    {SLOW}")
        self.claim("fewer_barriers", 77, f"{SLOW} must be right")
        self.count_by_plan(f"* {QUICK} barriers 0\n")
        self.claim("fewer_barriers", 0, "holds")
        self.plan_counts(f"* {QUICK} wrong\n")
        self.check(1, f"wrong        cpu-model    {QUICK}")
        self.claim("fewer_barriers", 77, f"{QUICK} must be right")

    def test_claims_that_say_nothing(self):
        """A claim that can never speak would be skipped forever: it is an error, unless a filter leaves its cases out."""
        self.count_by_plan("")
        for claim, told in (("no_such_case", "fake/plain/65/b32: no such case among those of part count: fix"),
                            ("no_case_that_is_counted", "fake/plain/1/b32: no such case among those of part count"),
                            ("no_such_metric", "barrier: no metric of part count: fix the claim"), ("a_time", ""),
                            ("no_factor", "a factor that is not a number above 0: fix the claim"),
                            ("no_range", "a range whose least is above its most: fix the claim"),
                            ("a_range_of_nothing", "a range whose least is above its most: fix the claim"),
                            ("nothing_at_all", "the claim expects nothing: give it a kg_expect_...(), or remove it")):
            with self.subTest(claim):
                verdicts = self.claim(claim, 2, told)
                self.assertEqual(len(verdicts["errors"]), 1)
                self.expect_held(verdicts, *[True] * (claim == "no_such_case"))
        self.set(KG_STRICT=1, KG_FILTER="fake/quick/*")
        told = f"not selected by --filter: {SLOW}"
        self.expect_skip(self.claim("fewer_sectors", 77, told), "filter", "not selected by --filter:")
        self.claim("no_such_case", 77, told)
