# SPDX-License-Identifier: MIT
"""The part that times, on a GPU that is not there: what is judged, what is confirmed, and what keeps a case from being judged."""

import fcntl
import json
import os
import subprocess

from part_fixture import DEBUG_GPU, GPU, OTHER, QUICK, SLOW, PartRuns, entry_of, fake_baseline, passing

SLOWER = "slower by 10.0 % (11 000 ns against 10 000 ns, limit 2.0 %)"
SLOW_64 = "fake/plain/64/b64"
NOTE = "note         nvidia-fake  nvidia-fake: "


class PartTime(PartRuns):
    def expect_verdicts(self, rows):
        """By a plan one case has a verdict and the other three pass; so many processes ran; the second code is of a strict run."""
        for plan, verdict, why, code, strict_code, observers in rows:
            for strict, expected in ((0, code), (1, strict_code)):
                if expected is None:
                    continue
                with self.subTest(plan=plan, strict=strict):
                    self.plan(plan + "\n")
                    self.set(KG_STRICT=strict)
                    verdicts = self.time(expected, why)
                    self.expect_case(verdicts, SLOW, verdict, why)
                    self.assertEqual((passing(verdicts), self.observers()), (3 + (verdict == "pass"), observers))
        return verdicts

    def test_times_that_hold(self):
        self.store(fake_baseline())
        verdicts = self.time(0, "pass         nvidia-fake  fake/quick/64/b64\n")
        self.assertEqual([len(verdicts[name]) for name in ("refused", "vanished")], [4, 0])
        self.assertEqual((verdicts["target"]["name"], verdicts["provenance"]["driver"]), ("NVIDIA Fake", "1.2.3"))

    def test_times_that_move(self):
        """One process that was disturbed fails nothing; more observers would not help what is noisy."""
        self.store(fake_baseline())
        throttled = f"{SLOWER}; the GPU throttled"
        self.expect_verdicts((
            ("", "pass", "", 0, 0, 1), (f"* {SLOW} hot 11000", "slower", SLOWER, 1, 1, 3),
            (f"* {SLOW} cold 13000", "slower", "cold_time_ns slower by 8.3 %", 1, None, 3),
            (f"* {SLOW} hot 8000", "faster", "faster by 20.0 % (8 000 ns against 10 000 ns", 0, 0, 3),
            (f"* {SLOW} width 0.05", "noisy", "too noisy: interval 5.0 %", 0, 1, 1),
            (f"* {SLOW} hot 11000 throttled", "environment", throttled, 0, 1, 3), (f"* {SLOW} throttled", "pass", "", 0, 0, 1),
            (f"* {SLOW} hot 11000 foreign 2", "environment", "limit 2.0 %); 2 other processes computed on the GPU", 0, 1, 3),
            (f"* {SLOW} hot 11000\n* copy hot 110000", "environment", "the copy sentinel moved by +10.0 %", 0, 1, 3),
            (f"* {SLOW} hot 11000\n* fma hot 201000", "slower", "slower by 10.0 %", 1, None, 3),
            (f"* {SLOW} hot 11000 bound memory\n* copy hot 110000", "environment", "the copy sentinel moved by +10.0 %", 0, 1, 3),
            (f"* {SLOW} hot 11000 bound memory\n* fma hot 220000", "slower", "slower by 10.0 %", 1, 1, 3),
            (f"* {SLOW} hot 11000 bound compute\n* fma hot 220000", "environment", "the fma sentinel moved by +10.0 %", 0, 1, 3),
            (f"* {SLOW} hot 11000 bound bus\n* bus hot 165000", "environment", "the bus sentinel moved by +10.0 %", 0, 1, 3),
            (f"* {SLOW} hot 11000\n* bus hot 165000", "slower", "slower by 10.0 %", 1, None, 3),
            (f"1 {SLOW} hot 11000", "pass", "", 0, None, 3),
            (f"1 {SLOW} hot 11000\n3 {SLOW} hot 10900", "slower", "slower by 9.0 % (10 900 ns", 1, None, 3),
            (f"* {SLOW} cold 0", "error", "cold_time_ns is in the baseline and was not measured (too many buffer sets)", 2, 2, 1)))

    def test_what_is_confirmed_is_told(self):
        self.store(fake_baseline())
        self.plan(f"* {SLOW} hot 11000\n")
        verdicts = self.time(1, f"confirming   nvidia-fake  {SLOW}                 time_ns slower by 10.0 %")
        self.assertEqual([entry_of(verdicts, case)["observers"] for case in (SLOW, QUICK)], [3, 1])

    def test_a_small_move_is_none(self):
        """Within the band, and within the floor of a short case."""
        baseline = fake_baseline()
        for metric, value in (("time_ns", 1000), ("cold_time_ns", 1200)):
            baseline["cases"][QUICK][metric]["value"] = value
        self.store(baseline)
        self.plan(f"* {SLOW} hot 10190 cold 12200\n* {QUICK} hot 1049 cold 1249\n")
        self.assertEqual((passing(self.time(0)), self.observers()), (4, 1))

    def test_times_of_other_surroundings(self):
        """A figure is the same whether a file holds it as 700 or as 700.0; what a launch costs is noted beyond 10 %."""
        launch = ("2 of 2 cases were timed while a launch cost 502 ns, and not 680 ns as when the baseline was recorded")
        for provenance, plan, note in (
                ({"driver": "1.2.3", "power_limit_w": 700}, "", None),
                ({"driver": "1.2.3", "power_limit_w": 650}, "",
                 "the baseline was recorded with power_limit_w 650, this run has 700.0"),
                ({"launch_ns": 680}, f"* {SLOW} launch_ns 690\n", None),
                ({"launch_ns": 680}, f"* {SLOW} launch_ns 502\n* {QUICK} launch_ns 600\n", launch)):
            self.store({**fake_baseline(), "provenance": provenance})
            self.plan(plan)
            verdicts = self.time(0, NOTE + note if note else "")
            self.assertEqual(len(verdicts["notes"]), bool(note), provenance)

    def test_what_is_not_gated_is_shown(self):
        baseline = fake_baseline()
        baseline["cases"][SLOW]["time_ns"]["gated"] = False
        self.store(baseline)
        self.expect_verdicts(((f"* {SLOW} hot 15000", "pass", "not gated: slower by 50.0 %", 0, 0, 1),))

    def test_no_baseline(self):
        """Boards of another memory are another target, though they share the name."""
        verdicts = self.time(77, "baselines/nvidia-fake.json is not there: restore it, or record these cases with kernelgate rebaseline")
        self.expect_skip(verdicts, "no-baseline", "nvidia-fake.json")
        self.assertEqual((passing(verdicts, "no-baseline"), self.observers()), (4, 1))
        self.set(KG_STRICT=1)
        self.time(2, f"no-baseline  nvidia-fake  {SLOW}                 time_ns no baseline")
        self.set(KG_STRICT=0)
        baseline = fake_baseline()
        baseline["target"]["memory_mib"] = 40960
        self.store(baseline)
        self.expect_skip(self.time(77, "baselines/nvidia-fake-80gib.json is not there: restore it"), "no-baseline",
                         "nvidia-fake-80gib.json")
        baseline = fake_baseline()
        del baseline["cases"][SLOW]
        self.store(baseline)
        self.expect_verdicts((("", "no-baseline", "no baseline: record one with kernelgate rebaseline", 0, 1, 1),))

    def test_a_bad_baseline(self):
        """What can be judged is judged, and still the file is an error. Another tool has no sentinels, and what it measures of a
        kernel is something else."""
        whole, sentinels = json.dumps(fake_baseline()), {"copy": fake_baseline()["sentinels"]["copy"]}
        at = whole.index('"band"', whole.index(f'"{OTHER}"'))
        others = [{"schema": "kernelgate-baseline/2", "target": {"key": "nvidia-fake", "name": name},
                   "provenance": {"measured_by": "nvbench 1"}, **more,
                   "cases": {SLOW: {"time_ns": {"value": 10000, "band": 0.02}}}}
                  for name, more in (("NVIDIA Fake", {}), ("Fake", {"sentinels": sentinels}), ("nvidia-fake", {}))]
        for text, told, right in (('{"schema": "kernelgate-baseline/2",\n oops', "baselines/nvidia-fake.json: line 2:", 0),
                                  (whole[:at] + '"bond"' + whole[at + 6:], "bond", 3),
                                  ('{"schema": "kernelgate-baseline/1"}', "nvidia-fake.json: schema: is not valid: ", 0),
                                  *((other, "provenance: measured_by: ", 0) for other in others)):
            self.write("baselines/nvidia-fake.json", text)
            verdicts = self.time(2, told)
            self.assertGreaterEqual(passing(verdicts), right, text)
            if told.endswith("line 2:"):
                self.assertEqual(passing(verdicts, "no-baseline"), 4)

    def test_what_goes_wrong_while_timing(self):
        self.store(fake_baseline())
        self.expect_mishaps(self.time, self.plan, self.observers, (
            ("wrong", "wrong", "kernels/fake/plain.cu: to[3]: expected 1, got 2, after timing", 1, 1),
            ("failed", "error", "kernels/fake/plain.cu: launching: cudaErrorInvalidValue", 2, 1),
            ("forget", "error", "record lost", 2, 1), ("crash", "error", "crashed: the observer died of signal 11", 2, 2),
            ("hang", "error", "hung: no record for 1 s", 2, 2), ("quit", "error", "the context is gone", 2, 2)))

    def test_what_goes_wrong_while_confirming(self):
        self.store(fake_baseline())
        for process, event, code, verdict, why in ((2, "crash", 2, "error", "crashed"), (3, "wrong", 1, "wrong", "after timing")):
            self.plan(f"* {SLOW} hot 11000\n{process} {SLOW} {event}\n")
            self.expect_case(self.time(code, why), SLOW, verdict, why)

    def test_a_gpu_that_is_taken(self):
        """Two who time on one GPU do not do it at once, and the one who waits says so."""
        self.store(fake_baseline())
        self.write("kernelgate-GPU-fake.lock", "process 1 (x)")
        told = "waiting for the lock of GPU-fake, held by process"
        with open("kernelgate-GPU-fake.lock", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with subprocess.Popen([GPU, "--filter=fake/time"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=self.environment) as waiting:
                printed = ""
                while told not in printed:
                    line = waiting.stdout.readline()
                    self.assertTrue(line, printed)
                    printed += line
                self.assertIsNone(waiting.poll())
                fcntl.flock(file, fcntl.LOCK_UN)
                printed += waiting.stdout.read()
        self.assertEqual(waiting.returncode, 0, printed)
        self.set(KG_LOCK_DIR=self.at("missing"))
        self.time(2, "missing/kernelgate-GPU-fake.lock: the lock cannot be opened")

    def test_variants_with_launches_of_their_own(self):
        """Whatever stands beside a case is timed with it, whatever its blocks: what the filter leaves out too, which is not
        judged."""
        self.set(KG_FILTER="fake/plain/*,fake/wide/*")
        baseline = fake_baseline()
        wide = [f"fake/wide/64/b32g{blocks}" for blocks in (4, 8)]
        baseline["cases"].update(dict.fromkeys(wide, baseline["cases"][QUICK]))
        self.store(baseline)
        self.plan(f"* {wide[1]} hot 6000\n")
        verdicts = self.time(1, f"confirming   nvidia-fake  {wide[1]}")
        self.assertEqual(self.observers(), 3)
        self.assertEqual(self.read("out/records/gpu.fake.time.confirm1.cases").split()[:4], [SLOW, QUICK, *wide])
        self.assertNotIn("/b64", self.read("out/records/gpu.fake.time.confirm1.cases"))
        self.assertIn(QUICK + "\n", self.read("out/records/gpu.fake.time.first.cases"))
        self.assertNotIn("fake/quick", json.dumps(verdicts))

    def test_kernels_compiled_for_debugging_are_not_timed(self):
        """They may be checked, and are not what a baseline is of."""
        self.store(fake_baseline())
        self.time(2, "compiled with nvcc -G", DEBUG_GPU)
        self.check(0, "pass ", DEBUG_GPU)


class Code(PartRuns):
    """A baseline that knows what SLOW ran as."""

    expect_verdicts = PartTime.expect_verdicts

    def setUp(self):
        super().setUp()
        self.set(FAKE_CUDA="13.0")
        self.plan(f"* {SLOW} launch aa")
        self.write("cases", SLOW + "\n")
        self.run_program(GPU, "--observe", "cases", "--part", "time", "--records", "records", KG__FINGERPRINTS="1")
        records = map(json.loads, self.read("records").splitlines())
        self.fingerprint, = (record["kernel"]["fingerprint"] for record in records if record["event"] == "measured")

    def store_code(self, toolkit, fingerprint=None, cases=(SLOW,)):
        baseline = fake_baseline()
        for case in cases:
            baseline["cases"][case]["code"] = {"registers": 40, "fingerprint": fingerprint or self.fingerprint}
        if toolkit:
            baseline["provenance"] = {"cuda": toolkit}
        self.store(baseline)

    def test_times_that_move_with_unchanged_code(self):
        """A process more identifies what is in doubt; what is unchanged needs no confirmation, and fails nothing."""
        self.store_code("13.0")
        same = f"time_ns {SLOWER}; its launch and machine code are unchanged: the machine got slower"
        slower = "slower by 10.0 %"
        verdicts = self.expect_verdicts((
            (f"* {SLOW} launch aa", "pass", "", 0, None, 1), (f"* {SLOW} hot 11000 launch aa", "environment", same, 0, 0, 2),
            (f"* {SLOW} width 0.05 launch aa", "noisy", "too noisy", 0, 0, 2), (f"* {SLOW} width 0.05", "noisy", "too noisy", 0, 1, 2),
            (f"* {SLOW} hot 11000", "slower", slower, 1, None, 4),
            (f"* {SLOW} hot 9000 launch aa", "environment", "are unchanged: the machine got faster", 0, 0, 2),
            (f"* {SLOW} hot 11000 launch bb registers 48", "slower", slower, 1, 1, 4)))
        self.assertEqual(entry_of(verdicts, SLOW)["changed"], ["code changed: registers 40 -> 48"])

    def test_only_what_changed_is_timed(self):
        """What is timed beside a changed case, as it was for the baseline, is not judged by it."""
        self.set(KG_CHANGED=1, KG_STRICT=1)
        self.store_code("13.0", cases=(SLOW, QUICK, OTHER, SLOW_64))
        for plan, sample, verdicts, timed in (
                ("* * launch aa\n", "", {}, 0), (f"* * launch aa\n* {QUICK} hot 9999\n", "", {}, 0),
                (f"* * launch aa\n* {QUICK} launch bb\n* {SLOW} hot 12000\n", "", {QUICK: "pass"}, 2),
                (f"* * launch aa\n* {QUICK} launch bb hot 5500\n", "", {QUICK: "slower"}, 2),
                (f"* * launch aa\n* {SLOW} hot 12000\n", SLOW, {SLOW: "environment"}, 2),
                ("", "", dict.fromkeys((SLOW, QUICK, OTHER, SLOW_64), "pass"), 4)):
            with self.subTest(plan=plan, sample=sample):
                self.plan(plan)
                self.set(KG_SAMPLE=sample)
                found = self.time("slower" in verdicts.values())
                self.assertEqual({entry["case"]: entry["verdict"] for entry in found["cases"]},
                                 {**dict.fromkeys((SLOW, QUICK, OTHER, SLOW_64), "unchanged"), **verdicts})
                self.assertEqual(sum(bool(entry["metrics"]) for entry in found["cases"]), timed)
                self.assertEqual(sum(entry.get("same_code") == "baseline" for entry in found["cases"]),
                                 4 - sum(verdict in ("pass", "slower") for verdict in verdicts.values()))

    def test_errors_of_unchanged_code(self):
        """What a check finds less accurate is not judged where the variant's timed cases run what the baseline names."""
        self.set(FAKE_ERROR=0.002)
        plain = (SLOW, SLOW_64)
        for plan, cases, code, verdict in (("* * launch aa\n", plain, 0, "unchanged"), ("* * launch bb\n", plain, 1, "less-accurate"),
                                           ("* * launch aa\n", (SLOW,), 1, "less-accurate"),
                                           (f"* {SLOW} launch aa\n", plain, 1, "less-accurate")):
            with self.subTest(plan=plan, cases=cases):
                self.store_code("13.0", cases=cases)
                stored = self.load("baselines/nvidia-fake.json")
                self.store({**stored, "accuracy": {"fake/plain/1/b32": [1000, 1000], SLOW: [1000, 1000]}})
                self.plan(plan)
                found = self.check(code, "", GPU)
                for case in ("fake/plain/1/b32", SLOW):
                    self.assertEqual(entry_of(found, case)["verdict"], verdict)

    def test_what_the_base_launched_is_unchanged(self):
        """Its program is found by its name; one that cannot say what it launches is as good as none."""
        os.mkdir("base")
        os.symlink(GPU, "base/fake.gpu")
        for folder, plan, changed in (("base", "* * launch aa\n", 0), ("base", f"1 * launch aa\n2 {SLOW} launch bb\n2 {QUICK} launch aa\n3 {QUICK} launch aa\n", 3),
                                      ("nowhere", "* * launch aa\n", 4)):
            self.set(KG_CHANGED=1, KG_BASE=self.at(folder))
            self.store_code("13.0", cases=(SLOW, QUICK, OTHER, SLOW_64))  # which a change may have written as it likes
            self.plan(plan)
            found = self.time(0)
            self.assertEqual(sum("same_code" not in entry for entry in found["cases"]), changed, (folder, plan))

    def test_what_is_not_compared(self):
        """Under another toolkit, or one that is not known, fingerprints say nothing; nor does one of a disassembler's text."""
        for toolkit, fingerprint in (("12.9", None), (None, None), ("13.0", "0123456789abcdef")):
            self.store_code(toolkit, fingerprint)
            verdicts = self.expect_verdicts(((f"* {SLOW} hot 11000 launch aa", "slower", "slower by 10.0 %", 1, None, 4 if toolkit else 3),))
            if fingerprint:
                self.assertNotIn("changed", entry_of(verdicts, SLOW))
