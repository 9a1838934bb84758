# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline adopt` with the results of a gate on a GPU that is not there: what it adds to a baseline, what it
leaves out, and what it refuses without touching the file."""

import copy
import json
import os
import subprocess
import tempfile

from command_fixture import COMMAND, MODEL, SOUND_GPU, Folder
from own_folder import read_json, write_file
from record_fixture import PATH, QUICK, SESSIONS, SLOW

FAR_OFF = "is off the baseline's 10 000 ns by a factor of 2 or more, and no other results agree on it: left out"
CODE, OTHER = ({"fingerprint": digits} for digits in ("0123456789abcdef", "fedcba9876543210"))


def time(value):
    return {"value": value, "band": 0.02, "noise": [0, 0]}


RESTS_ON = {"boards": 1, "sessions": 5}


def case(hot, **more):
    return {"commit": "0123456789", "cold_time_ns": time(1.2 * hot), "time_ns": time(hot), **RESTS_ON, **more}


def sessions_of(document):
    """Five equal ones of each time, of one board."""
    return {"schema": "kernelgate-sessions/1", "target": document["target"]["key"], "sessions": {
        name: {metric: {"GPU-old": [entry[metric]["value"]] * 5} for metric in ("cold_time_ns", "time_ns") if metric in entry}
        for name, entry in {**document["cases"], **document.get("sentinels", {})}.items()}}


BASELINE = {
    "schema": "kernelgate-baseline/2",
    "target": {"key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0", "memory_mib": 81920,
               "multiprocessors": 132},
    "provenance": {"launch_ns": 500}, "sentinels": {
        name: {"time_ns": {**time(value), "band": 0.01}, **RESTS_ON} for name, value in (("copy", 100000), ("fma", 200000), ("bus", 150000))},
    "cases": {f"fake/{name}/64/{launch}": case(hot) for name, hot in (("plain", 10000), ("quick", 5000))
              for launch in ("b32", "b64")}}


def results_of(program, part):
    """What a gate writes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "BXFI_"))}
        environment.update(KG_OUT="out", KG_LOCK_DIR=folder, KG_BASELINES="baselines", FAKE_PLAN=f"{folder}/plan",
                           FAKE_LOG=f"{folder}/log", FAKE_COUNT_PLAN=f"{folder}/count_plan", FAKE_COUNT_LOG=f"{folder}/count_log")
        os.mkdir(f"{folder}/baselines")
        for name, content in ((f"{folder}/plan", ""), (f"{folder}/baselines/nvidia-fake.json", json.dumps(BASELINE))):
            write_file(name, content)
        for command in ([COMMAND, "begin"], [program, f"--filter={part}"], [COMMAND, "results"]):
            subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True)
        document = read_json(f"{folder}/out/results.json")
    document["run"].pop("commit", None)  # that of the checkout in which these tests run
    return document


def entry_of(results, name=SLOW):
    return next(entry for entry in results["cases"] if entry["case"] == name)


class Adopt(Folder):
    @classmethod
    def setUpClass(cls):
        cls.template = results_of(SOUND_GPU, "fake/time")

    def setUp(self):
        super().setUp()
        self.store(BASELINE)

    def store(self, document, name="nvidia-fake"):
        self.write(f"baselines/{name}.json", document)
        self.write(f"baselines/sessions/{name}.json", sessions_of(document))

    def gate(self, sentinel=100100, slow=10050, **members):
        """The results of a gate in which the sentinel `copy` and SLOW took these times."""
        results = copy.deepcopy(self.template)
        results["provenance"]["nvidia-fake"]["sentinels_ns"]["copy"] = sentinel
        entry_of(results)["metrics"]["time_ns"]["value"] = slow
        entry_of(results).update(members)
        return results

    def gates(self, *times):
        """Files of gates by the time of `copy`, or by that and that of SLOW: 0.json, 1.json..."""
        for number, values in enumerate(times):
            self.write(f"{number}.json", self.gate(*values))
        return [f"{number}.json" for number in range(len(times))]

    def arguments(self, *arguments):
        return "baseline", "adopt", "--baselines", "baselines", *arguments

    def adopt(self, told, *arguments, code=0, **settings):
        """Adopts; what ends with another code than 0 must leave the baseline as it was."""
        before = self.read(PATH)
        output = self.expect(code, told, *self.arguments(*arguments), **settings)
        if code != 0:
            self.assertEqual(self.read(PATH), before)
        return output

    def stored(self, name=SLOW, metric="time_ns"):
        document = json.loads(self.read(PATH))
        return {**document["cases"], **document["sentinels"]}[name][metric]

    def sessions(self, name=SLOW, metric="time_ns"):
        """Of all boards."""
        boards = json.loads(self.read(SESSIONS))["sessions"].get(name, {}).get(metric, {})
        return [value for values in boards.values() for value in values]

    def edit(self, **members):
        """Changes the stored time of SLOW as an editor does."""
        document = json.loads(self.read(PATH))
        document["cases"][SLOW]["time_ns"].update(members)
        self.write(PATH, document)

    def expect_sessions(self, count, *names):
        for name in names or (SLOW,):
            self.assertEqual(len(self.sessions(name)), count, name)

    def test_two_gates_are_two_sessions(self):
        output = self.adopt("", *self.gates((100100, 10050), (100200, 10070)))
        self.assertTrue(output.endswith(f"{PATH}: 7 of 7 cases and sentinels changed, by the results of 2 gates\n"), output)
        self.assertIn(f"{SLOW:<50} time_ns            10 000 ns      10 000 ns     0.0 %  band 2.2 %\n", output)
        self.expect_sessions(7, SLOW, QUICK, "copy", "fma")
        self.assertEqual(len(self.sessions(metric="cold_time_ns")), 7)
        self.assertEqual(self.sessions(), [10000] * 5 + [10050, 10070])
        self.assertEqual(self.stored(), {"value": 10000, "band": 0.022, "noise": [0.0006287, 0.004213]})
        self.assertNotIn("sentinels_ns", self.read(PATH))
        self.adopt("not gated: above 5.0 %", "--yes", *self.gates((100300, 10900)))
        self.assertIs(self.stored()["gated"], False)

    def test_an_output_that_takes_nothing(self):
        """The file is changed by then, which nobody would expect of a command that failed."""
        written = f"baseline adopt: {PATH} was written, but its report is lost: the standard output cannot be written"
        lost = "kernelgate: baseline adopt: the standard output cannot be written"
        for copy_time, option, told, sessions in ((100100, ("--json",), written, 6), (100200, (), lost, 7), (100200, (), lost, 7)):
            self.lose_output(told, *self.arguments(*option, *self.gates((copy_time, 10000))))
            self.expect_sessions(sessions)

    def test_a_gate_counts_once_whatever_it_is_called(self):
        (first,) = self.gates((100100, 10000))
        self.write("again.json", {**self.gate(100100, 10000), "strict": True})
        self.adopt("0.json: holds the same as 0.json: give one of them", first, first, code=2)
        self.adopt("again.json: is of the same gate as 0.json", first, "again.json", code=2)
        self.adopt("sentinels changed", first)
        output = self.adopt("0.json: was adopted before: its times do not count again", first)
        self.assertIn("0 of 3 cases and sentinels changed", output)
        self.expect_sessions(6)

    def test_a_baseline_of_fewer_sentinels(self):
        """One recorded before there was a bus: that is left out until there are sessions enough, and gates still count once. Then
        it has fewer sessions than the others. Results of that time, written twice, are one gate too."""
        document = copy.deepcopy(BASELINE)
        del document["sentinels"]["bus"]
        self.store(document)
        gates = self.gates(*((100100 + number, 10000) for number in range(6)))
        self.adopt("bus: time_ns: the baseline has 0 sessions of it and the results 1, of 5 that it takes: left out", gates[0])
        self.adopt("0.json: was adopted before", gates[0])
        self.adopt("", *gates[1:])
        self.expect_sessions(11, SLOW, "copy")
        self.expect_sessions(5, "bus")
        self.adopt("5.json: was adopted before", gates[5])
        self.expect_sessions(11, SLOW, "copy")
        old = self.gate(100200, 10000)
        del old["provenance"]["nvidia-fake"]["sentinels_ns"]["bus"]
        self.write("0.json", old)
        self.write("again.json", {**old, "strict": True})
        self.adopt("again.json: is of the same gate as 0.json", "0.json", "again.json", code=2)

    def test_imported_results_count_once(self):
        """They have no sentinels: equal times, of which there are enough, say that they were adopted."""
        document, results = copy.deepcopy(BASELINE), self.gate()
        document.update(target={"key": "mine"}, provenance={"measured_by": "nvbench 0.1.0"})
        del document["sentinels"]
        results.update(targets={"mine": {"key": "mine"}}, provenance={"mine": {"measured_by": "nvbench 0.2.0"}})
        for entry in results["cases"]:
            entry.update(target="mine", imported={"from": "nvbench", "name": "x", "files": []}, gpu_state={})
            for name, metric in entry["metrics"].items():
                metric["value"] = document["cases"][entry["case"]][name]["value"] + 10
        self.store(document, "mine")
        self.write("0.json", results)
        self.adopt("4 of 7 cases and sentinels changed", "0.json")
        self.adopt("0.json: was adopted before", "0.json")
        results["provenance"]["mine"]["measured_by"] = "google-benchmark"
        self.write("0.json", results)
        self.adopt("0.json: was measured by google-benchmark, and baselines/mine.json by nvbench 0.1.0: import to another --target",
                   "0.json", code=2)

    def test_commits(self):
        unknown, first, second, dirty = self.gates((100500,), (100100,), (100200,), (100300,))
        for name, commit in ((first, "1111111111"), (second, "2222222222"), (dirty, "2222222222-dirty")):
            self.write(name, {**json.loads(self.read(name)), "run": {"commit": commit.removesuffix("-dirty"), "dirty": "-" in commit}})
        self.adopt("2.json: is of commit 2222222222, others are of 1111111111", first, second, code=2)
        self.adopt("3.json: is of 2222222222-dirty, which is not a commit", dirty, code=2)
        self.adopt("sentinels changed", first, unknown)
        self.assertEqual(self.read(PATH).count('"commit": "1111111111"'), 4)
        self.adopt("sentinels changed", "--any-commit", second, dirty)
        self.expect_sessions(9)
        self.adopt("sentinels changed", "--yes", "--commit", "abc", *self.gates((100600, 11000)))
        self.assertEqual(self.read(PATH).count('"commit": "abc"'), 1, "the line that was rewritten")

    # What is left out: the time, the code in the baseline, what the results have, whether it is taken, also by --yes; why not, by
    # --yes; the sessions of the other metric then (0: any).
    ROWS = (
        (10000, None, {"verdict": "wrong"}, False, False, "wrong: left out", 5),
        (10000, None, {"verdict": "error"}, False, False, "error: left out", 5),
        (10000, None, {"gpu_state": {"clock_reasons": "idle, software power cap", "throttled": True}}, False, False,
         "the GPU was throttled while it was timed: left out", 5),
        (10000, None, {"gpu_state": {"clock_reasons": "idle"}}, True, True, None, 6),
        (10000, None, {"gpu_state": {"foreign_processes": 2}}, False, False,
         "other processes computed on the GPU while it was timed: left out", 5),
        (10000, None, {"gpu_state": {"launch_ns": 400}}, False, False,
         "the launch overhead was lower than when the baseline was recorded: left out", 5),
        (10000, None, {"gpu_state": {"launch_ns": 680}}, False, False,
         "the launch overhead was higher than when the baseline was recorded: left out", 5),
        (10000, None, {"gpu_state": {"launch_ns": 540}}, True, True, None, 6),
        (10000, {"registers": 40}, {"kernel": {"registers": 48}}, False, False, "its code is not the baseline's: left out", 5),
        (0, None, {"kernel": {}}, False, False, "0 ns is not a time: left out", 6),
        (-5, None, {"kernel": {}}, False, False, "-5 ns is not a time: left out", 6),
        (1, None, {"kernel": {}}, False, False, f"1 ns {FAR_OFF}", 6),
        (5000, None, {"kernel": {}}, False, False, f"5 000 ns {FAR_OFF}", 6),
        (20000, None, {"kernel": {}}, False, False, f"20 000 ns {FAR_OFF}", 6),
        # A time beyond its limit is a session only if the kernel is known to be the one that was recorded, or --yes says so.
        (5001, None, {"kernel": {}}, False, True, None, 0), (10200, None, {"kernel": {}}, True, True, None, 6),
        (10201, None, {"kernel": {}}, False, True, None, 0), (9800, None, {"kernel": {}}, False, True, None, 0),
        (10400, CODE, {"kernel": {}}, False, True, None, 0), (10400, None, {"kernel": CODE}, False, True, None, 0),
        (10400, CODE, {"kernel": CODE}, True, True, None, 6), (10400, CODE, {"kernel": OTHER}, False, False, "", 5),
        (10100, CODE, {"kernel": OTHER}, False, False, "", 5))

    def test_what_is_left_out(self):
        results, document = self.gate(), copy.deepcopy(BASELINE)
        names = [f"fake/plain/{100 + row}/b32" for row in range(len(self.ROWS))]
        for name, (slow, code, members, *_) in zip(names, self.ROWS):
            entry = {**copy.deepcopy(entry_of(self.gate(slow=slow))), "case": name, **members}
            results["cases"].append(entry)
            document["cases"][name] = case(10000, **({"code": code} if code else {}))
        for option, column in (None, 3), ("--yes", 4):
            self.store(document)
            self.write("0.json", results)
            log = self.document(0, *self.arguments(*filter(None, [option]), "--json", "0.json"))
            left_out = {entry["case"]: entry for entry in log["left_out"]}
            for name, row in zip(names, self.ROWS):
                with self.subTest(option=option, row=row):
                    taken, why, cold = row[column], row[5], row[6]
                    self.expect_sessions(6 if taken else 5, name)
                    self.assertEqual(name in left_out, not taken)
                    if option and not taken:
                        self.assertIn(why, left_out[name]["why"])
                        self.assertEqual(left_out[name]["file"], "0.json")
                    if option and cold:
                        self.assertEqual(len(self.sessions(name, "cold_time_ns")), cold)
            self.expect_sessions(6, QUICK, SLOW)

    def test_what_several_gates_agree_on_is_the_new_time(self):
        self.adopt(f"0.json: {SLOW}: time_ns: 2 000 ns {FAR_OFF}", "--yes", *self.gates((100100, 2000), (100200, 10010)))
        self.expect_sessions(6)
        self.adopt("sentinels changed", "--yes", *self.gates((100300, 3000), (100400, 3100)))
        self.expect_sessions(8)

    def test_a_metric_that_is_not_gated_may_be_anything(self):
        self.edit(gated=False, band_by="hand")
        self.adopt("sentinels changed", *self.gates((100100, 30000)))
        self.expect_sessions(6)

    def test_a_sentinel_that_is_far_off(self):
        """A sentinel is of the machine, and so of all that the gate took. Such a gate neither agrees nor disagrees."""
        for sentinel, told in ((10, "10 ns is off the baseline's 100 000 ns by a factor of 2"),
                               (0, "0 ns is not a time: left out")):
            done = self.run_command(*self.arguments(*self.gates((sentinel, 10000))))
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"0.json: copy: time_ns: {told}", done.stderr)
            self.assertIn("0.json: its sentinel is not credible: all its times are left out\n", done.stderr)
            self.assertIn("0 of 3 cases and sentinels changed", done.stdout)
            self.expect_sessions(5, "copy", "fma", SLOW)
        self.adopt(f"0.json: {SLOW}: time_ns: 3 000 ns {FAR_OFF}", "--yes", *self.gates((100100, 3000), (10, 3000)))
        self.expect_sessions(5)
        self.adopt("sentinels changed", "--yes", *self.gates((100500, 3000), (100300, 3100), (11, 10000)))
        self.expect_sessions(7)

    def test_a_new_case_takes_five_sessions(self):
        """Results that were adopted still count for a case that was left out then, as are those whose times were all left out."""
        gates = self.gates(*((100100 + number, 10000) for number in range(5)))
        document = copy.deepcopy(BASELINE)
        del document["cases"][SLOW]
        self.store(document)
        self.adopt(f"{SLOW}: time_ns: the baseline has 0 sessions of it and the results 1, of 5 that it takes: left out", gates[0])
        self.expect_sessions(0)
        self.expect_sessions(6, QUICK)
        self.adopt("0 of 3 cases and sentinels changed", gates[1], KG_FILTER="no/such/*")
        self.adopt("sentinels changed", *gates)
        self.expect_sessions(5)
        self.expect_sessions(10, QUICK)

    def test_a_first_baseline_takes_five_gates(self):
        """It has no launch's cost yet: its first gate says what that is."""
        gates = self.gates(*((100100 + number, 10000) for number in range(6)))
        self.write(gates[4], self.gate(100104, 10000, gpu_state={"launch_ns": 400}))
        os.unlink(PATH)
        os.unlink(SESSIONS)
        self.expect(2, "a first baseline takes the results of 5 gates at least: nothing is recorded", *self.arguments(*gates[:4]))
        self.assertFalse(os.path.exists(PATH))
        self.expect(0, f"{SLOW}: the launch overhead was lower than when the baseline was recorded", *self.arguments(*gates[:5]))
        self.expect_sessions(0)
        self.expect_sessions(5, QUICK)
        self.adopt("sentinels changed", *gates[:4], gates[5])
        self.expect_sessions(5)
        document = json.loads(self.read(PATH))
        self.assertEqual((document["target"]["name"], document["provenance"]["launch_ns"]), ("NVIDIA Fake", 500))

    def test_refusals(self):
        first, apart = self.gates((100100, 10000), (120000, 10000))
        for name, results in (("other", self.gate(target="nvidia-other")), ("nameless", {**self.gate(), "targets": {}}),
                              ("gpu_state", self.gate(gpu_state={"launch_ns": -1})), ("model", results_of(MODEL, "fake/count")),
                              ("bad", {"schema": "kernelgate-results/0"})):
            self.write(f"{name}.json", results)
        for told, *arguments in (
                ("other.json: has times of nvidia-other, and nvidia-fake is being adopted", first, "other.json"),
                ("model.json: has no times of a GPU", first, "model.json"),
                ('bad.json: its schema is "kernelgate-results/0"', first, "bad.json"),
                ("absent.json: cannot be read", first, "absent.json"),
                ("nameless.json: does not describe nvidia-fake in its targets", "nameless.json"),
                (".gpu_state.launch_ns: -1 is less than the minimum of 0", "gpu_state.json"),
                ("copy: time_ns: the sessions disagree", first, apart)):
            self.adopt(told, *arguments, code=2)
        os.unlink(SESSIONS)
        self.adopt(f"{SESSIONS}: is missing, and the lines of {PATH} rest on it", first, code=2)
        self.write(PATH, "{")
        self.adopt("fix or move that file first; nothing is recorded", first, code=2)

    def entry(self, document, group, **members):
        (entry,) = [entry for entry in document[group] if members.items() <= entry.items()]
        return entry

    def test_documents(self):
        self.write("0.json", {**self.gate(), "run": {"commit": "1" * 40}})
        self.write("1.json", self.gate(100200, 10070, verdict="wrong"))
        document = self.small_document(0, *self.arguments("--json", "0.json", "1.json"))
        self.assertEqual([document[name] for name in ("command", "replace", "commit", "sessions", "changed", "written")],
                         ["baseline adopt", False, "1111111111", 2, 7, True])
        for name, sessions in ((SLOW, 6), (QUICK, 7)):
            self.assertEqual(self.entry(document, "changes", case=name, metric="time_ns", kind="moved")["sessions"], sessions)
        self.assertEqual(self.entry(document, "left_out", case=SLOW, file="1.json")["why"], "wrong: left out")
        document = self.document(0, *self.arguments("--json", "0.json"))
        self.assertNotIn("case", self.entry(document, "left_out", file="0.json"))
        self.assertIs(document["written"], False)
        self.write("1.json", {**self.gate(100300), "run": {"commit": "2" * 40}})
        document = self.document(2, *self.arguments("--json", "0.json", "1.json"))
        self.entry(document, "refused", file="1.json")
