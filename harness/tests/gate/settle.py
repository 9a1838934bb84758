# SPDX-License-Identifier: MIT
"""Settling: who is a suspect, what pairs of the builds `base` and `head` find, and who judges where no pair does. Each build has the
fake comparison's program, on a GPU that is not there, with a plan and a log of its own."""

import os
import subprocess
import time

from part_fixture import COMMAND, GPU, OTHER, SLOW, PartRuns, entry_of, fake_baseline

VERDICTS = "out/records/gpu.fake.time.verdicts.json"
HOT = f"* {SLOW} hot 10300\n"
BY_BASELINE = "slower by 3.0 % (10 300 ns against 10 000 ns"


class Settle(PartRuns):
    def setUp(self):
        super().setUp()
        self.store(fake_baseline())
        self.build("base")
        self.build("head")
        self.set(KG_BASE=self.at("base"), KG_VERBOSE=None)

    def build(self, side, before=""):
        """A build's program, after the commands `before`."""
        self.write_script(f"{side}/fake.gpu", f"#!/bin/sh\n{before} FAKE_PLAN='{self.at(side)}_plan' FAKE_LOG='{self.at(side)}_log' "
                                              f"exec '{GPU}' \"$@\"\n")
        self.plan_of(side, "")

    def plan_of(self, side, text):
        self.write(f"{side}_plan", text)
        self.write(f"{side}_log", "")

    def processes(self, side):
        """How many a build's observers were."""
        return self.read(f"{side}_log").count("\n")

    def time_head(self, plan, code, told):
        self.plan_of("head", plan)
        self.expect_program(code, told, "head/fake.gpu", "--filter=fake/time")

    def suspect(self, plan=HOT, told="suspect"):
        """Has the first observation of the head trip."""
        self.time_head(plan, 0, told)

    def words(self, *more, **options):
        options = {"base": self.at("base"), "head": self.at("head"), "ref": "main", **options}
        return ["settle", *more, *(word for name, value in options.items() for word in (f"--{name}", value))]

    def settle(self, told=(), code=0, **options):
        self.expect_program(code, told, COMMAND, *self.words(**options))

    def settled(self, code=0, told=()):
        """The document of a settling, and its suspects by their cases."""
        document = self.document(code, *self.words("--json")) if not told else self.valid_alone(
            self.finish(code, told, *self.words("--json")).stdout)
        return document, {entry["case"]: entry for entry in document["suspects"]}

    def results(self, code, told):
        self.expect_program(code, told, COMMAND, "results", "--verbose")
        return self.load("out/results.json")

    def entry(self, case=SLOW):
        return entry_of(self.load(VERDICTS), case)

    def is_suspect(self, case=SLOW):
        return self.entry(case).get("suspect", False)

    def expect(self, verdict, why, case=SLOW):  # pylint: disable=arguments-differ
        self.expect_case(self.load(VERDICTS), case, verdict, why)


class NoPair(Settle):
    def test_what_tripped_is_a_suspect_and_fails_where_nobody_settles_it(self):
        self.suspect(told="suspect      nvidia-fake  fake/plain/64/b32                 time_ns slower by 3.0 %")
        self.assertEqual(self.processes("head"), 2, "timed and identified, not confirmed")
        self.assertEqual((self.is_suspect(), self.is_suspect(OTHER)), (True, False))
        self.expect("slower", "slower by 3.0 %")
        results = self.results(1, "1 suspect not settled against a base")
        self.assertNotIn("base", results, "nothing was held against it")
        self.assertFalse([case for case in results["cases"] if "first" in case], "records are no results")

    def test_doubtful_trips_are_suspects_too(self):
        """Whatever its one observation would be attributed to: pairs with a base are more precise. Not so what did not trip."""
        for plan, told, verdict, why, is_suspect in (
                ("hot 10300 throttled", "suspect", "environment", "the GPU throttled", True),
                ("hot 10300 width 0.05", "suspect", "noisy", "", True), ("width 0.05", "noisy        nvidia-fake", "noisy", "", False)):
            self.suspect(f"* {SLOW} {plan}\n", told)
            self.expect(verdict, why)
            self.assertEqual(self.is_suspect(), is_suspect)

    def test_an_error_is_no_suspect(self):
        """What the baseline has and the head no longer measures is an error, as slow or fast as the rest of the case may be: no base
        settles that."""
        lost = "cold_time_ns is in the baseline and was not measured"
        for plan, told, paired in (("cold 0 hot 10300", "no suspects", None), ("cold 0", "settled 3 of 3", 1)):
            self.set(KG_PAIRED=paired)
            self.time_head(f"* {SLOW} {plan}\n", 2, lost)
            self.assertFalse(self.is_suspect())
            self.settle(told)
            self.expect("error", lost)
        self.results(2, lost)

    def test_what_got_faster_is_confirmed_as_ever(self):
        self.suspect(f"* {SLOW} hot 9000\n", "confirming   nvidia-fake  fake/plain/64/b32")
        self.assertEqual((self.processes("head"), self.is_suspect()), (4, False))
        self.expect("faster", "")
        self.settle("no suspects: nothing to settle")

    def test_a_case_that_the_base_has_not(self):
        self.build("base", "KG_FILTER='fake/quick/*'")
        self.suspect()
        self.settle("new: main has no such case")
        self.assertEqual((self.processes("head"), self.processes("base")), (4, 0))
        self.expect("slower", f"time_ns {BY_BASELINE}")
        self.assertEqual(self.entry()["note"], "new: main has no such case")
        self.suspect()
        _, suspects = self.settled()
        self.assertNotIn("pairs", suspects[SLOW])
        self.assertEqual({key: suspects[SLOW][key] for key in ("verdict", "judged_by", "note")},
                         {"verdict": "slower", "judged_by": "baseline", "note": "new: main has no such case"})
        # The baseline's rule: the median of three.
        self.suspect(f"1 {SLOW} hot 10300\n")
        self.settle("settled 1 of 1")
        self.expect("pass", "")

    def test_the_baselines_own_code_judged_by_the_baseline(self):
        """Where the baseline judges, what is known of the first process's code holds of the others, as long as they launch alike. Of
        three equal values the second is the median."""
        code = "0123456789abcdef"
        baseline = fake_baseline()
        baseline["cases"][SLOW]["code"] = {"fingerprint": code}
        self.build("base", "KG_FILTER='fake/quick/*'")
        for plan, verdict in ((f"* {SLOW} hot 10300 launch aa\n", "environment"),
                              (f"* {SLOW} hot 10300 launch bb\n1 {SLOW} launch aa\n", "slower"), (f"{HOT}1 {SLOW} launch aa\n", "slower")):
            self.store(fake_baseline())
            self.suspect(plan)
            self.store(baseline)
            verdicts = self.load(VERDICTS)
            entry_of(verdicts, SLOW)["first"]["measured"]["kernel"]["fingerprint"] = code
            self.write(VERDICTS, verdicts)
            self.settle("settled 1 of 1")
            self.expect(verdict, "slower by 3.0 %")

    def test_a_base_without_the_comparison(self):
        """Its program is another one, or none."""
        for program, told in ((f'[ "$1" = --cases ] && echo {SLOW} || exit 3\n', "main cannot be measured: part time: "),
                              ("exit 3\n", "main's program does not list its cases (exit code 3)"), (None, "new: main has no such comparison")):
            if program is None:
                os.remove("base/fake.gpu")
            else:
                self.write("base/fake.gpu", f"#!/bin/sh\n{program}")
            self.suspect()
            self.settle(told)
            self.expect("slower", "slower by 3.0 %")

    def test_without_time_for_pairs_the_baseline_judges(self):
        self.suspect()
        self.build("base", "sleep 1;")
        self.settle("there is no time for 12 pairs within 8 s (a pair takes ", seconds="8")
        self.expect("slower", f"time_ns {BY_BASELINE}")
        self.assertEqual((self.processes("head"), self.processes("base")), (4, 1))

    def test_without_any_time_the_first_verdict_stands(self):
        self.suspect(f"1 {SLOW} hot 10300\n")
        self.build("base", "sleep 0.6;")
        self.settle("no time for two more observations: its first one counts", seconds="0.4")
        self.expect("slower", "slower by 3.0 %")
        self.assertFalse(self.is_suspect())

    def test_an_interrupted_settling_leaves_whole_verdicts(self):
        self.suspect()
        self.build("base", "sleep 0.2;")
        with subprocess.Popen([COMMAND, *self.words()], env=self.environment) as process:
            end = time.monotonic() + 30
            while time.monotonic() < end and not (os.path.exists("out/run.lock") and self.read("out/run.lock")):
                time.sleep(0.1)
            self.settle("held by kernelgate, process ", 2)  # meanwhile nobody else does
            process.kill()
        self.assertTrue(self.is_suspect(), "who is not settled is a suspect still")
        self.results(1, "slower")
        self.build("base")
        self.settle("settled 1 of 1")

    def test_what_it_is_told_wrongly(self):
        for option, value in (("seconds", "0"), ("seconds", "nan"), ("base", "/no"), ("out", "/no")):
            self.settle(value, 2, **{option: value})
        self.suspect()
        self.settle("name the folders of two builds", 2, base=self.at("head/../head"))
        self.assertTrue(self.is_suspect())

    def test_nothing_is_settled(self):
        """Verdicts of another version or changed by hand, or no program of this build: nothing passes."""
        self.suspect()
        verdicts = self.load(VERDICTS)
        del entry_of(verdicts, SLOW)["first"]
        self.write(VERDICTS, verdicts)
        self.settle(f"{SLOW}: a suspect without its first observation", 2)
        self.assertTrue(self.is_suspect())
        self.suspect()
        os.remove("head/fake.gpu")
        document, suspects = self.settled(2)
        self.assertEqual((document["settled"], document["exit_code"], suspects[SLOW]["settled"]), (0, 2, False))
        self.assertNotIn("verdict", suspects[SLOW])
        self.settle("build it again", 2)
        self.assertTrue(self.is_suspect())
        self.results(1, "slower")
        self.write(VERDICTS, '{"schema": "kernelgate-verdicts/9"}')
        self.settle('its schema is "kernelgate-verdicts/9"', 2)


class Pairs(Settle):
    def test_a_head_as_fast_as_its_base_passes(self):
        self.set(KG_BASE_COMMIT="0a1b2c3d4e")
        self.suspect(f"* {SLOW} hot 10311\n")
        self.plan_of("base", HOT)
        self.settle("settling 1 suspect in 1 comparison against main (0a1b2c3d4e): at most 300 s")
        self.assertEqual((self.processes("base"), self.processes("head")), (12, 14), "one look is enough")
        self.expect("pass", "time_ns as fast as main (+0.1 %, 12 pairs, p = 1.00); against the stored baseline +3.1 %: the machine, or an "
                            "earlier commit")
        entry = self.entry()
        self.assertFalse({"suspect", "first"} & entry.keys())
        pairs = entry["pairs"].pop("time_ns")
        self.assertEqual((pairs["count"], pairs["base_ns"], pairs["head_ns"]), (12, [10300] * 12, [10311] * 12))
        self.assertEqual((entry["pairs"], entry["base"]), ({}, {"ref": "main", "commit": "0a1b2c3d4e"}), "cold was never in doubt")
        self.results(0, "against the stored baseline +3.1 %")

    def test_a_head_slower_than_its_base_fails(self):
        """Base, head; head, base; and so on, each as short as twelve of them may be, and only the first two compute references.
        Suspects run without their neighbors."""
        # What each process of the base may sample for, whether results are checked, and how many of this build's came before.
        self.build("base", f'[ "$1" = --observe ] && echo "$KG_CASE_SECONDS" "${{KG__CHECKED:--}}" "$(wc -l <{self.at("head_log")})" '
                           f'>>{self.at("order")};')
        self.suspect(f"* {SLOW} hot 10300 cold 12360\n")
        self.settle("slower       nvidia-fake  fake/plain/64/b32")
        self.expect("slower", "time_ns slower than main by 3.0 % (interval 3.0 % to 3.0 %, 12 pairs, p = 0.0002; 10 300 ns against "
                              "10 000 ns)")
        self.results(1, "slower than main by 3.0 %")
        order = self.read("order").splitlines()
        self.assertEqual((order[:5], len(order)), (["0.02 - 2", "0.02 1 4", "0.02 1 4", "0.02 1 6", "0.02 1 6"], 12))
        self.assertEqual(self.read("out/records/gpu.fake.time.head.cases"), f"{SLOW}\n")

    def test_pairs_are_run_on_the_board_of_the_test(self):
        """A machine may have several GPUs; the suspects' own is asked again."""
        first, other = "GPU-11111111-2222-3333-4444-555555555555", "GPU-66666666-7777-8888-9999-000000000000"
        self.set(FAKE_BOARDS=f"{first}=NVIDIA Fake,{other}=NVIDIA Fake", CUDA_VISIBLE_DEVICES=other)
        self.suspect()
        self.set(CUDA_VISIBLE_DEVICES=first)
        self.settle("settled 1 of 1 suspects")
        self.assertIn(other, self.read("out/records/gpu.fake.time.base.jsonl"))

    def test_every_case_of_a_paired_run(self):
        self.set(KG_PAIRED=1)
        self.suspect(f"* {OTHER} cold 6130\n", "suspect      nvidia-fake  fake/plain/64/b64")
        self.assertTrue(self.is_suspect() and self.is_suspect(OTHER))
        self.settle("settling 4 suspects")
        self.expect("pass", "as fast as main")
        self.expect("slower", "cold_time_ns slower than main by 2.2 %", OTHER)
        self.results(1, "slower than main by 2.2 %")

    def test_ungated_metrics_are_not_paired(self):
        """What is recorded ungated is in no doubt, paired or not."""
        baseline = fake_baseline()
        for case, entry in baseline["cases"].items():
            entry["cold_time_ns"]["gated"] = False
            entry["time_ns"]["gated"] = case != OTHER
        self.store(baseline)
        self.set(KG_PAIRED=1)
        self.suspect(f"* {OTHER} hot 6000\n* {SLOW} cold 19000\n")
        self.settle("settled 4 of 4")
        self.expect("pass", "time_ns as fast as main")
        self.expect("pass", "", OTHER)

    def test_a_paired_run_without_a_baseline(self):
        """A base is enough: what has no baseline is judged all the same."""
        os.remove("baselines/nvidia-fake.json")
        self.set(KG_PAIRED=1)
        self.suspect()
        self.settle("settled 4 of 4")
        self.expect("slower", "slower than main by 3.0 %")
        self.expect("pass", "as fast as main", OTHER)

    def test_what_goes_wrong_in_pairs(self):
        """The base's faults leave the verdict to the baseline, the head's are its own."""
        for side, plan, told, verdict, why, processes in (
                ("base", f"* {SLOW} crash\n", "main cannot be measured: crashed: the observer died of", "slower", "slower by 3.0 %", None),
                ("base", f"* {SLOW} wrong\n", "main cannot be measured: to[3]: expected 1, got 2", "slower", "slower by 3.0 %", None),
                ("base", f"3 {SLOW} forget\n", "main cannot be measured: the observer ended early", "slower", "slower by 3.0 %", None),
                ("base", f"* {SLOW} clock host\n", "time_ns of main has another clock (host; here graph)", "slower", "slower by 3.0 %", None),
                ("base", f"* {SLOW} cold 0\n", (), "slower", "slower than main by 3.0 %", 12),
                ("base", f"* {SLOW} throttled\n", "environment  nvidia-fake", "environment",
                 "the GPU was throttled, or not alone, in 7 of 7 pairs", 7),
                ("head", f"{HOT}1 {SLOW} wrong\n", "wrong        nvidia-fake", "wrong", "to[3]: expected 1, got 2", None),
                ("head", f"{HOT}3 {SLOW} crash\n", "error        nvidia-fake", "error", "crashed: the observer died of signal 11", None),
                ("head", f"{HOT}3 {SLOW} hot 99000 throttled\n", "slower", "slower", "slower than main by 3.0 %", 13)):
            with self.subTest(side=side, plan=plan):
                self.plan_of("base", "")
                self.suspect()
                self.plan_of(side, plan)
                self.settle(told)
                self.expect(verdict, why)
                self.assertIn(self.processes("base"), (processes or self.processes("base"),))

    def test_what_is_close_takes_more_pairs(self):
        """What is close takes more looks: a third of the pairs are well below the margin."""
        self.suspect("".join(f"{number} {SLOW} hot {time}\n" for number, time in (
            ("*", 10210), (1, 10300), (3, 9990), (7, 9990), (11, 9991))))
        self.settle("slower")
        self.assertGreater(self.processes("base"), 12)

    def test_what_was_found_stays_found(self):
        """One metric is found slower at the first look, and one is not decided by then: it is slower by 2 % in all pairs but every
        fourth. From then on the base cannot be measured."""
        for then in ("throttled", "crash"):
            self.suspect(f"* {SLOW} hot 10190 cold 12240\n1 {SLOW} hot 10300 cold 12400\n"
                         + "".join(f"{number} {SLOW} hot 10190 cold 11990\n" for number in range(3, 40, 4)))
            self.plan_of("base", "".join(f"{number} {SLOW} {then}\n" for number in range(13, 40)))
            self.settle("slower       nvidia-fake  fake/plain/64/b32")
            self.assertGreater(self.processes("base"), 12, then)
            self.expect("slower", "time_ns slower than main by 1.9 %")
            self.assertIn("not found slower by more than 1.0 % than main", self.entry()["metrics"]["cold_time_ns"]["why"])
            self.results(1, "slower than main by 1.9 %")

    def test_documents(self):
        self.set(KG_BASE_COMMIT="0a1b2c3d4e")
        self.suspect(f"{HOT}* {OTHER} hot 5160\n")
        self.plan_of("base", f"* {OTHER} hot 5160\n")
        document, suspects = self.settled(told=("settling 2 suspects in 1 comparison", f"slower       nvidia-fake  {SLOW}"))
        self.assertEqual((document["base"], document["settled"], document["limit_seconds"]),
                         ({"ref": "main", "commit": "0a1b2c3d4e"}, 2, 300))
        slow, pairs = suspects[SLOW], suspects[SLOW]["pairs"]["time_ns"]
        self.assertEqual([slow[key] for key in ("verdict", "judged_by", "target", "undisturbed_pairs", "disturbed_pairs")],
                         ["slower", "pairs", "nvidia-fake", 12, 0])
        self.assertTrue(pairs["count"] == 12 and pairs["change"] > 0.029 and pairs["low"] <= pairs["change"] and pairs["high"] < 0.031
                        and pairs["p"] < 0.001, pairs)
        pairs = suspects[OTHER]["pairs"]["time_ns"]
        self.assertEqual((suspects[OTHER]["verdict"], suspects[OTHER]["judged_by"], pairs["change"]), ("pass", "pairs", 0))
        self.assertGreater(pairs["p"], 0.5)
        document, suspects = self.settled()
        self.assertEqual((suspects, document["settled"]), ({}, 0))
        self.suspect(f"{HOT}3 {SLOW} wrong\n")
        suspect = self.settled()[1][SLOW]
        self.assertEqual((suspect["verdict"], suspect["judged_by"]), ("wrong", "observation"))
