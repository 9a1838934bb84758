# SPDX-License-Identifier: MIT
"""The part that checks, on the CPU model: kernels that do as they are told, and the instrumented program beside them. Printed
lines, the verdicts that stay, and exit codes."""

import contextlib
import json
import os
import subprocess

from kernelgate.base import run_lock
from part_fixture import BAD_TABLE, FINDING, GPU, MODEL, QUICK, SLOW, TREE, PartRuns, entry_of, fake_baseline, fake_counts, passing

SOURCE = os.path.join(TREE, "harness", "tests", "fakes", "fake_comparison.c")


class PartCheck(PartRuns):
    def test_what_is_right_passes(self):
        """What is refused is said with its reason, not skipped."""
        verdicts = self.check(0, ("pass         cpu-model    fake/quick/64/b64\n",
                                  "refused      cpu-model    fake/plain/7/b32                  7 is an unlucky",
                                  "fake/quick/0/b64                  a size below 1 leaves nothing to compute"))
        self.assertEqual((verdicts["test"], verdicts["complete"], verdicts["target"]["key"]),
                         ("model.fake.check", True, "cpu-model"))
        self.assertIsInstance(verdicts["seconds"], (int, float))
        self.assertEqual([len(verdicts[name]) for name in ("cases", "refused", "errors")], [8, 8, 0])
        self.assertNotIn("skipped", verdicts)
        self.assertEqual(passing(verdicts), 8)
        self.expect_case(verdicts, "fake/plain/1/b32", "pass")

    def test_nothing_to_judge(self):
        """A run whose cases are all refused has judged nothing; what a filter leaves out is no failure."""
        for globs, by, why, strict_code in (("fake/plain/7/*,fake/quick/0/b32", "unavailable", "refuses every case", 2),
                                            ("matmul/*", "filter", "not selected by --filter", 77)):
            self.set(KG_FILTER=globs, KG_STRICT=0)
            self.expect_skip(self.check(77, ("skipped      cpu-model    model.fake.check  ", why)), by, why)
            self.set(KG_STRICT=1)
            self.check(strict_code, why)

    def test_each_way_to_be_wrong(self):
        """Each wrong variant is caught, named by its file, and spoils its one case alone."""
        wrong = (("wrong", "kernels/fake/wrong.cu: to[17]: expected"), ("nan", "kernels/fake/nan.cu: to[3]: expected"),
                 ("unwritten", "1 of 64 elements wrong, 1 of them never written; inputs random"),
                 ("overruns", "kernels/fake/overruns.cu: guard zone after to: 4 bytes overwritten"),
                 ("scribbles", "kernels/fake/scribbles.cu: from[5]: an input was written to"))
        self.set(KG_FILTER=",".join(f"fake/{name}/*" for name in ("plain", *dict(wrong))))
        verdicts = self.check(1, [why for _, why in wrong])
        for name, why in wrong:
            self.expect_case(verdicts, f"fake/{name}/64/b32", "wrong", why)
        self.assertEqual(passing(verdicts), 4 + 5 * 3)

    def test_each_way_to_fail(self):
        """What one variant does to its process or its device leaves the others' verdicts standing."""
        failing = (("crashes", "kernels/fake/crashes.cu: crashed: the observer died of signal 11"),
                   ("hangs", "kernels/fake/hangs.cu: hung: no record for 1 s"),
                   ("cannot", "kernels/fake/cannot.cu: launching: cudaErrorInvalidValue"),
                   ("strays", "kernels/fake/strays.cu: running the kernel: cudaErrorIllegalAddress"))
        self.set(KG_CASE_TIMEOUT=1, KG_FILTER=",".join(f"fake/{name}/*" for name in (*dict(failing), "plain", "quick")))
        verdicts = self.check(2, [why for _, why in failing])
        for name, why in failing:
            self.expect_case(verdicts, f"fake/{name}/64/b32", "error", why)
        self.assertEqual((passing(verdicts), passing(verdicts, "error")), (8 + 4 * 3, 4))

    def test_where_a_kernel_hung(self):
        with open(SOURCE, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "/* here it hangs */" in text)
        told = "in kernel sleep_for_ever, block (0,0,0), thread (0,0,0)"
        self.set(KG_CASE_TIMEOUT=1, FAKE_HANG="kernel", KG_FILTER="fake/hangs/64/b32")
        why = f"hung: no record for 1 s (KG_CASE_TIMEOUT sets the limit); it was ended at {SOURCE}:{line}, {told}"
        self.expect_case(self.check(2, why), "fake/hangs/64/b32", "error", why)
        program = self.lone_program()
        subprocess.run(["strip", "-g", program], check=True)
        self.check(2, f"it was ended {told}, at an unknown line: build with -g", program)

    def test_what_instrumented_kernels_find_is_wrong(self):
        """A check runs each variant in two programs, and a case has one line and one verdict of both."""
        self.plan_counts(f"* {SLOW} finding\n")
        verdicts = self.check(1, "wrong        cpu-model    fake/plain/64/b32                 " + FINDING)
        for case in (SLOW, "fake/quick/64/b32"):
            self.assertEqual(self.printed.count(case), 1, self.printed)
        self.expect_case(verdicts, SLOW, "wrong", FINDING)
        self.assertEqual((passing(verdicts), self.instrumented()), (7, 2), "one process a variant that the filter leaves")

    def test_what_was_counted_is_not_run_again(self):
        """Where counting has looked at a case in the same run: without a run's lock the records may be another program's."""
        self.plan_counts(f"* {SLOW} finding\n")
        for held, record, code in ((True, {"event": "checked", "case": SLOW, "right": True}, 0),
                                   (True, {"event": "checked", "case": SLOW, "right": False, "why": "counted wrong"}, 1),
                                   (True, {"event": "measured", "case": SLOW, "metrics": {}}, 1),
                                   (True, {"event": "checked", "case": QUICK, "right": True}, 1),
                                   (False, {"event": "checked", "case": SLOW, "right": True}, 1)):
            with self.subTest(held=held, record=record):
                self.write("out/records/model.fake.count.first.jsonl", json.dumps(record) + "\n")
                with run_lock.held("out", "a run") if held else contextlib.nullcontext():
                    self.expect_case(self.check(code), SLOW, "wrong" if code else "pass")

    def test_a_case_that_failed_as_another_did_refers_to_it(self):
        """What is printed of one mistake is read once; the results have it all."""
        self.plan_counts("".join(f"* fake/{case} finding\n" for case in ("plain/64/b32", "plain/64/b64", "quick/64/b32")))
        verdicts = self.check(1, ("fake/plain/64/b64                 as fake/plain/64/b32 above\n",
                                  "fake/quick/64/b32                 " + FINDING))
        self.expect_case(verdicts, "fake/plain/64/b64", "wrong", FINDING)

    def test_what_the_two_programs_say_of_a_case(self):
        """The line of source comes first; the same wrong result is told once; a finding without a file is the variant's; what was
        not looked at is said of a case that passes, too."""
        cases = (("plain", "sampled", 0, "pass", "memory checks on 120 of 16384 blocks"),
                 ("wrong", "finding", 1, "wrong", "; kernels/fake/wrong.cu: to[17]: expected"),
                 ("wrong", "wrong", 1, "wrong", "kernels/fake/wrong.cu: to[17]: expected"),
                 ("plain", "wrong", 1, "wrong", "kernels/fake/plain.cu: to[17]: expected 1, got 2; inputs random"),
                 ("plain", "nowhere", 1, "wrong", "kernels/fake/plain.cu: error: "),
                 ("plain", "damaged", 2, "error",
                  "kernels/fake/plain.cu: its record is not usable: finding: kind is not known here"),
                 ("crashes", "finding", 2, "error", "; kernels/fake/crashes.cu: crashed: the observer died of signal 11"),
                 ("crashes", "", 2, "error", "kernels/fake/crashes.cu: crashed"))
        for variant, event, code, verdict, why in cases:
            with self.subTest(variant=variant, event=event):
                self.set(KG_FILTER=f"fake/{variant}/64/*")
                self.plan_counts(f"* fake/{variant}/64/b32 {event}\n" if event else "")
                entry = self.expect_case(self.check(code, why), f"fake/{variant}/64/b32", verdict, why)
                self.assertEqual(entry["why"].startswith(FINDING), event == "finding", entry["why"])
                self.assertLessEqual(entry["why"].count("to[17]"), 1)
                if (variant, event) == ("wrong", "finding"):
                    found = {"kind": "out_of_bounds", "file": "kernels/fake/other.cu", "line": 14, "access": "read", "bytes": 4,
                             "space": "global", "symbol": "from", "size": 256, "offset": 256, "count": 3,
                             "text": "invalid global read of 4 bytes, 0 bytes past the end of from (256 bytes), 3 times"}
                    self.assertEqual((entry["failure"], entry["at"], entry["findings"]), (
                        {"kind": "wrong_elements", "symbol": "to"}, {"file": "kernels/fake/wrong.cu"}, [found]))

    def test_instrumented_kernels_that_fail(self):
        """What goes wrong with them alone is an error, and said to be theirs."""
        self.set(KG_CASE_TIMEOUT=1)
        for event, why in (("failed", "running the kernel: cudaErrorLaunchFailure"), ("crash", "crashed: the observer"),
                           ("hang", "hung: no record for 1 s"), ("forget", "record lost")):
            with self.subTest(event):
                why = "with instrumented kernels: kernels/fake/plain.cu: " + why
                self.plan_counts(f"* {SLOW} {event}\n")
                verdicts = self.check(2, why)
                self.expect_case(verdicts, SLOW, "error", why)
                self.assertEqual(passing(verdicts), 7)

    def test_what_hung_is_not_run_again(self):
        """It would hang again with instrumented kernels."""
        self.set(KG_CASE_TIMEOUT=1, KG_FILTER="fake/hangs/64/*")
        self.plan_counts("* fake/hangs/64/b32 finding\n")
        why = "kernels/fake/hangs.cu: hung"
        entry = self.expect_case(self.check(2, why + ": no record for 1 s"), "fake/hangs/64/b32", "error", why)
        self.assertNotIn(FINDING, entry["why"])
        self.assertEqual(self.instrumented(), 1, "for the other launch alone")

    def test_results_that_are_collected(self):
        """A variant whose results lie elsewhere is right once they are collected."""
        self.set(KG_FILTER="fake/leaves/*")
        for step, code, told in ((None, 0, "pass         cpu-model    fake/leaves/64/b32"),
                                 ("collect", 2, "kernels/fake/leaves.cu: collecting the results: cudaErrorNotSupported"),
                                 ("launch", 2, "kernels/fake/leaves.cu: launching: cudaErrorInvalidValue")):
            self.set(FAKE_COLLECT=step)
            self.check(code, told)

    def judge_errors(self, error, code, told="", program=MODEL, **settings):
        """Checks SLOW alone, off by an error; its entry."""
        self.set(FAKE_ERROR=error, KG_FILTER=SLOW, **settings)
        return entry_of(self.check(code, told, program), SLOW)

    def errors_of(self, error, program=MODEL):
        """What a check measures then, as a baseline has it."""
        metrics = self.judge_errors(error, 0, program=program)["metrics"]
        return [metrics[name]["value"] for name in ("error_max", "error_mean")]

    def test_errors_on_the_model(self):
        """Exactly: a digit more fails; less changes nothing, and is said. Without one that is recorded they are shown."""
        errors = self.errors_of(0.001)
        self.assertGreater(errors[0], 1000)
        baseline = {**fake_counts(), "accuracy": {SLOW: errors}}
        baseline["target"]["compiler"] = self.verdicts("model.fake.check")["target"]["compiler"]
        old = {**baseline, "accuracy": {}}
        del old["accuracy"]
        for stored, error, strict, code, verdict, told in (
                (baseline, 0.001, 1, 0, "pass", ""),
                (baseline, 0.0010003, 0, 1, "less-accurate", "largest error "),
                (baseline, 0.0009, 1, 0, "more-accurate", " roundoffs, was "),
                ({**baseline, "accuracy": {}}, 0.001, 0, 77, "no-baseline", "no baseline: record one"),
                (old, 0.001, 0, 0, "pass", ""), (old, 0.001, 1, 2, "no-baseline", "record them with kernelgate rebaseline"),
                (baseline, None, 0, 1, "less-accurate", "its errors can no longer be measured")):
            with self.subTest(error=error, strict=strict, verdict=verdict):
                self.store(stored)
                entry = self.judge_errors(error, code, told, KG_STRICT=strict)
                self.assertEqual(entry["verdict"], verdict)
                self.assertIn(told, entry["why"])
                if verdict == "less-accurate":
                    self.assertEqual(entry["at"], {"file": "kernels/fake/plain.cu"})
        self.store(old)
        self.judge_errors(0.001, 0, "note         cpu-model    errors against the reference are not gated", KG_STRICT=0)

    def test_errors_of_another_library(self):
        """Its functions round differently: within 5 % nobody is to blame."""
        baseline = {**fake_counts(), "accuracy": {SLOW: self.errors_of(0.001)}}
        baseline["provenance"] = {"model": "3", "libc": "1.0"}
        self.store(baseline)
        self.assertEqual(self.judge_errors(0.00104, 0)["verdict"], "pass")
        self.assertEqual(self.judge_errors(0.00106, 1)["verdict"], "less-accurate")

    def test_errors_on_a_gpu(self):
        """By a band, and never of code that is the baseline's: that of the variant's timed cases."""
        errors = self.errors_of(0.001, GPU)
        for band, error, code, verdict in ((None, 0.00104, 0, "pass"), (None, 0.00106, 1, "less-accurate"),
                                           (None, 0.0009, 0, "more-accurate"), (0.5, 0.0014, 0, "pass"),
                                           (0.5, 0.0016, 1, "less-accurate")):
            with self.subTest(band=band, error=error):
                self.store({**fake_baseline(), "accuracy": {SLOW: errors + ([band] if band else [])}})
                self.assertEqual(self.judge_errors(error, code, program=GPU)["verdict"], verdict)

    def test_a_check_without_instrumented_kernels(self):
        """A build without instrumented programs checks results, and says what it leaves out."""
        program, told = self.lone_program(), "accesses to memory are not checked: "
        for strict, code, line in ((0, 0, "note         cpu-model    " + told), (1, 2, "kernelgate: model.fake.check: " + told)):
            self.set(KG_STRICT=strict)
            self.assertEqual(passing(self.run_test(program, "check", code, line)), 8)
            if not strict:
                note, = self.verdicts("model.fake.check")["notes"]
                self.assertIn("lone.instrumented: the program with", note)
        self.assertEqual(self.instrumented(), 0)
        self.set(KG_STRICT=None, FAKE_BLIND=1)
        self.check(2, "its kernels are not instrumented, so that no access is checked: build it again")

    def test_a_table_that_is_wrong(self):
        told = "fake/plain/64/b32: appears twice in the table"
        verdicts = self.check(2, "model.fake.check: " + told, BAD_TABLE)
        self.assertEqual((len(verdicts["errors"]), verdicts["cases"]), (1, []))
        self.run_test(BAD_TABLE, "claim_fewer_sectors", 2, "model.fake.claim_fewer_sectors    " + told)

    def test_surroundings_that_are_wrong(self):
        """They come before anything is tested."""
        self.set(KG_CASE_TIMEOUT="soon")
        self.check(2, "kernelgate: KG_CASE_TIMEOUT='soon' is not a number of seconds from 0.001 to 1000000: set it to one, or "
                   "unset it\n")
        self.assertFalse(os.path.exists("out"))
        self.write("file", "")
        self.write("other/records", "")
        for out, told in (("file/out", "file/out: the folder cannot be made: Not a directory"),
                          ("other", "other/records: is not a folder")):
            self.set(KG_CASE_TIMEOUT=20, KG_OUT=self.at(out))
            self.check(2, told)
