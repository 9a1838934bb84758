# SPDX-License-Identifier: MIT
"""The part that holds the checks against kernels that are known to be wrong."""


from part_fixture import FINDING, GPU, MODEL, SOUND_GPU, PartRuns, entry_of, passing

UNCAUGHT = "no check caught this defect (is right after all): fix the checks, or the row that says where it shows"


class PartDefects(PartRuns):
    def defects(self, code, told="", program=MODEL):
        return self.run_test(program, "defects", code, told)

    def test_defects(self):
        """What a check finds wrong, in either program, is caught, and its source is told by its launcher; what could not be run
        was not looked at by any check."""
        misses, harmless, unlaunchable, unlucky = (f"fake/{case}/b32"
                                                   for case in ("misses/64", "harmless/64", "unlaunchable/64", "unlucky/7"))
        refused = "refused (7 is an unlucky size): no check sees this defect: fix its row"
        for case, event, code, verdict, why, started in (
                (misses, "", 0, "pass", "caught: kernels/fake/adds_one.cu: to[17]: expected ", 1),
                (harmless, "finding", 0, "pass", "caught: " + FINDING, 1),
                (misses, "finding", 0, "pass", "3 times; kernels/fake/adds_one.cu: to[17]: expected ", 1),
                (harmless, "", 1, "wrong", UNCAUGHT, 1),
                (unlaunchable, "", 2, "error", "kernels/fake/unlaunchable.cu: launching: cudaErrorInvalidValue", 1),
                (misses, "crash", 2, "error", "with instrumented kernels: kernels/fake/adds_one.cu: ", 1),
                (unlucky, "", 2, "error", refused, 0)):
            with self.subTest(case=case, event=event):
                self.set(KG_FILTER=case, KG_STRICT=1)
                self.plan_counts(f"* {case} {event}\n" if event else "")
                verdicts = self.defects(code, (f"{verdict:<12} cpu-model    {case:<32}  ", why))
                self.expect_case(verdicts, case, verdict, why)
                self.assertEqual((len(verdicts["cases"]), verdicts["errors"]), (1, []))
                self.assertEqual(entry_of(verdicts, case)["part"], "defects")
                if event == "finding":
                    self.assertEqual(self.instrumented(), started)
                if not event:  # a GPU has no instrumented kernels
                    self.expect_case(self.defects(code, (f"{verdict:<12} nvidia-fake  {case}", why), GPU), case, verdict, why)

    def test_several_at_once(self):
        """One that is not caught spoils its own case alone."""
        self.set(KG_FILTER="fake/harmless/*,fake/misses/*,fake/unlaunchable/*")
        verdicts = self.defects(2)
        self.assertEqual([passing(verdicts, verdict) for verdict in ("pass", "wrong", "error")], [1, 1, 1])
        self.merge(2, "ctest --test-dir build/cpu -R '^model\\.fake\\.defects$'")

    def test_defects_that_are_filtered_out_or_absent(self):
        self.expect_skip(self.defects(77, "not selected by --filter"), "filter", "not selected by --filter")
        self.defects(2, "fake: the filter matches no test", SOUND_GPU)

    def test_defects_that_cannot_be_written(self):
        self.write("file", "")
        self.set(KG_FILTER="fake/misses/*", KG_OUT=self.at("file/out"))
        self.defects(2, "file/out: the folder cannot be made")
