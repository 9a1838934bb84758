# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline record` with a comparison on a GPU that is not there: what it stores, what it leaves alone, and
what it refuses without touching a file."""

import fcntl
import os
import shutil
import subprocess
from types import SimpleNamespace

from command_fixture import GPU, MODEL, SOUND_GPU
from record_fixture import BOARD, COUNTS, PATH, QUICK, RIGHT, SESSIONS, SLOW, Recording, differing_lines

from kernelgate.baseline import timing


class Times(Recording):
    def test_a_first_recording(self):
        self.plan(f"3 {SLOW} hot 10020", f"4 {SLOW} hot 10010", f"5 {SLOW} hot 9990")
        output = self.record("session 5 of 5\n")
        self.assertIn(f"{SLOW}                                  time_ns                    -      10 000 ns       new  "
                      "band 2.0 %\n", output)
        self.assertIn(f"{PATH}: 7 of 7 cases and sentinels changed, 5 sessions\n", output)
        self.assertEqual(self.processes(), 6, "one process checks, five measure")
        document = self.valid(self.printed)
        self.assertEqual({name: document[name] for name in ("command", "written", "replace", "sessions", "changed", "looked_at",
                                                            "file", "commit", "exit_code", "target")},
                         {"command": "baseline record", "written": True, "replace": False, "sessions": 5, "changed": 7,
                          "looked_at": 7, "file": PATH, "commit": "abcdef0123", "exit_code": 0,
                          "target": {"key": "nvidia-fake", "name": "NVIDIA Fake"}})
        self.assertEqual(self.entry(document, "changes", case=SLOW, metric="cold_time_ns"),
                         {"case": SLOW, "metric": "cold_time_ns", "kind": "new", "new": 12000, "band": 0.02,
                          "band_by_hand": False, "noise": [0, 0], "boards": 1, "sessions": 5, "gated": True})
        self.assertEqual(self.entry(document, "changes", case=SLOW, kind="code")["notes"], ["recorded"])
        self.assertEqual(self.entry(document, "sentinels", case="fma")["new"], 200000)
        stored = self.stored()
        self.assertEqual(stored["target"], {"key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0",
                                            "memory_mib": 81920, "multiprocessors": 132})
        self.assertEqual([stored["provenance"][name] for name in ("driver", "launch_ns")], ["1.2.3", 500])
        self.assertEqual((len(stored["cases"]), list(stored["sentinels"])), (4, ["bus", "copy", "fma"]))
        self.assertEqual(stored["sentinels"]["fma"]["time_ns"]["value"], 200000)
        slow = stored["cases"][SLOW]
        self.assertEqual((slow["commit"], slow["cold_time_ns"]["value"], slow["boards"], slow["sessions"]),
                         ("abcdef0123", 12000, 1, 5))
        self.assertEqual(slow["time_ns"], {"value": 10000, "band": 0.02, "noise": [0.00114, 0]})
        self.assertEqual(stored["sentinels"]["copy"]["time_ns"], {"value": 100000, "band": 0.01, "noise": [0, 0]})
        sessions = self.sessions()
        self.assertEqual((len(sessions), sessions["fma"]["time_ns"]), (7, {BOARD: [200000] * 5}))
        self.assertEqual(sessions[SLOW]["time_ns"], {BOARD: [10000, 10020, 10010, 9990, 10000]})
        self.assertLess(max(map(len, self.read(PATH).splitlines()[2:])), 330)

    def test_errors(self):
        """Each session checks where there are any; within their band they are left alone."""
        self.record("checking 4 times more, for errors that vary", FAKE_ERROR="0.001")
        self.assertEqual(self.processes(), 10, "five check, five measure")
        first = self.stored()["accuracy"]
        self.assertEqual((len(first), len(first[SLOW])), (8, 2))
        self.record("0 of 7 cases and sentinels changed, 5 sessions\n", FAKE_ERROR="0.00104")
        self.assertEqual(self.stored()["accuracy"], first)
        self.record("; the errors of 8 cases changed", FAKE_ERROR="0.00106")

    def test_only_what_moved_is_rewritten(self):
        self.record()
        first = self.read(PATH)
        self.plan(f"* {SLOW} hot 10190", "* copy hot 101000")
        self.record("0 of 7 cases and sentinels changed", "--replace")
        self.assertEqual(self.read(PATH), first)
        self.assertEqual(self.sessions()[SLOW]["time_ns"], {BOARD: [10190] * 5})
        self.assertTrue(self.valid(self.printed)["replace"])
        self.plan(f"* {SLOW} hot 12000", "* copy hot 104000")
        self.record("time_ns            10 000 ns      12 000 ns   +20.0 %  band")
        document = self.valid_alone(self.printed)
        self.entry(document, "changes", case=SLOW, metric="time_ns", kind="moved", old=10000, new=12000, sessions=5)
        self.entry(document, "sentinels", case="copy", kind="moved", old=100000)
        self.assertEqual(differing_lines(first, self.read(PATH)), 2, "its line, and the sentinels'")
        self.assertEqual(self.case()["time_ns"]["value"], 12000)

    def test_what_is_noisy_is_recorded_ungated(self):
        """So are the sessions of a clock that depends on the host, however far apart."""
        for plan, told, cold_gated in (
                (f"2 {SLOW} hot 10450\n4 {SLOW} hot 10450", "not gated: above 5.0 %", True),
                (f"3 {SLOW} hot 11100", f"{SLOW}: time_ns: the sessions disagree, 10 000 ns to 11 100 ns", True),
                (f"* {SLOW} clock host\n3 {SLOW} clock host hot 20000 cold 30000", "not gated: above 5.0 %", False)):
            shutil.rmtree("baselines", ignore_errors=True)
            self.plan(plan)
            self.record(told)
            gated = [self.case()[name].get("gated", True) for name in ("time_ns", "cold_time_ns")]
            self.assertEqual(gated, [False, cold_gated], plan)
        self.assertGreater(self.entry(self.valid(self.printed), "changes", case=SLOW, metric="time_ns", gated=False)["noise"][0], 0.02)

    def test_results_are_checked_by_the_first_session(self):
        self.plan(f"3 {SLOW} wrong")
        self.record("7 of 7 cases and sentinels changed")

    def test_code(self):
        """It is recorded next to values that stay."""
        self.record("code: recorded")
        self.assertEqual(self.case()["code"], {"registers": 40, "occupancy": 0.75})
        before = self.read(PATH)
        self.plan(f"* {SLOW} registers 48 hot 10050")
        self.record(f"{SLOW}                                  code: registers 40 -> 48\n")
        self.assertEqual(self.case()["code"], {"registers": 48, "occupancy": 0.75})
        self.assertNotIn("10050", self.read(PATH))
        self.assertLessEqual(differing_lines(before, self.read(PATH)), 2, "its line, and the date")
        self.record(": 0 of 7 cases and sentinels changed")
        document = self.valid(self.printed)
        self.assertEqual((document["written"], document["changed"], document["changes"], document["sentinels"]),
                         (False, 0, [], []))

    def test_machine_code(self):
        with open(SOUND_GPU, "rb") as file, open("other.gpu", "wb") as other:
            other.write(file.read().replace(b"fake_code_EXIT", b"fake_code_BRA0"))
        os.chmod("other.gpu", 0o755)
        changed = "code: other machine code, or another launch\n"
        same = ": 0 of 7 cases and sentinels changed"
        self.plan(f"* {SLOW} launch aa")
        self.record()
        first = self.case()["code"]
        self.assertRegex(first["fingerprint"], "^elf-[0-9a-f]{16}$")
        self.record(same)
        self.record(changed, program="./other.gpu")
        self.assertNotEqual(self.case()["code"], first)
        # A fingerprint is kept while it is not known and nothing contradicts it.
        for plan, told, code in (
                ("launch bb", changed, None), ("launch aa", changed, first), ("registers 40", same, first),
                ("registers 48", "code: registers 40 -> 48, its machine code is no longer known\n",
                 {"registers": 48, "occupancy": 0.75}),
                ("launch aa", "code: registers 48 -> 40, its machine code is known now\n", first),
                ("hot 12000", "code: its machine code is no longer known\n", {"registers": 40, "occupancy": 0.75})):
            self.plan(f"* {SLOW} {plan}")
            self.record(told)
            self.assertIn(self.case()["code"], [code] if code else [self.case()["code"]], plan)
        self.edit(lambda document: document["cases"][SLOW]["code"].update(fingerprint="0123456789abcdef"))  # of an older version
        self.plan(f"* {SLOW} launch aa")
        self.record("code: its machine code is known now\n")
        self.assertEqual(self.case()["code"], first)

    def test_machine_code_of_a_size_that_is_only_timed(self):
        """No check has described the GPU before it."""
        only_timed = "fake/plain/1048576/b32"
        self.plan(f"* {only_timed} launch aa")
        self.record(program=os.path.join(os.path.dirname(SOUND_GPU), "fake_tuned.gpu"), KG_FILTER=only_timed)
        self.assertRegex(self.case(case=only_timed)["code"]["fingerprint"], "^elf-[0-9a-f]{16}$")

    def test_a_band_set_by_hand_stays(self):
        self.record()
        self.edit(lambda document: document["cases"][SLOW]["time_ns"].update(band=0.1, band_by="hand"))
        self.plan(f"* {SLOW} hot 10900")
        self.record("0 of 7")
        self.plan(f"* {SLOW} hot 12000")
        self.record("band 10.0 %, by hand")
        self.assertEqual(self.case()["time_ns"], {"value": 12000, "band": 0.1, "noise": [0, 0], "band_by": "hand"})

    def test_a_copy_has_a_fingerprint_too(self):
        """It starts no kernel, so that its launch is all that is known of it."""
        recorded = timing.Timing(SimpleNamespace(log=None, provenance={}, refuse=self.fail), [GPU], 5, False)
        for case, kernel in ((SLOW, {"launch": "0123456789abcdef", "fingerprint": "elf-0123456789abcdef"}), (QUICK, {})):
            recorded._take_measured({"case": case, "kernel": kernel, "metrics": {"time_ns": {"value": 5000}}})
        self.assertEqual([recorded._sessions.case(case).code for case in (SLOW, QUICK)],
                         [{"fingerprint": "elf-0123456789abcdef"}, None])

    def test_sessions_that_are_lost_or_malformed(self):
        """They are never started afresh beside lines that rest on some, unless that is asked for."""
        self.record()
        before = self.read(PATH)
        for text, told in ((None, f"{SESSIONS}: is missing, and the lines of {PATH} rest on it: restore it"),
                           ("{", f"{SESSIONS}:1: is not JSON")):
            if text is None:
                os.unlink(SESSIONS)
            else:
                self.write(SESSIONS, text)
            output = self.record(told, code=2)
            self.assertNotIn("session 1", output, "it is seen before any session is measured")
            self.record(told, code=2, KG_FILTER=SLOW)
        self.assertEqual(self.read(PATH), before)
        self.record("is not JSON", "--replace", code=2, KG_FILTER=SLOW)
        self.record("0 of 7 cases and sentinels changed", "--replace")
        self.assertEqual(len(self.sessions()), 7)

    def test_another_board_of_a_name(self):
        """One whose memory differs has a file of its own."""
        self.record()
        self.edit(lambda document: document["target"].update(memory_mib=40960))
        other = self.read(PATH)
        self.record("baselines/nvidia-fake-80gib.json: 7 of 7 cases")
        self.assertEqual(self.stored("baselines/nvidia-fake-80gib.json")["target"]["key"], "nvidia-fake-80gib")
        self.assertEqual(self.read(PATH), other)

    def test_a_case_that_is_gone_is_retired(self):
        """With a filter it might only be hidden."""
        self.record()
        self.edit(lambda document: document["cases"].update(
            {case: document["cases"][SLOW] for case in ("fake/old/64/b32", "other/old/64/b32")}))
        self.record("0 of 5 cases and sentinels changed", KG_FILTER="fake/quick/*")
        self.record("fake/old/64/b32                                    retired: no longer in the table\n")
        self.entry(self.valid(self.printed), "changes", case="fake/old/64/b32", kind="retired")
        cases = self.stored()["cases"]
        self.assertNotIn("fake/old/64/b32", cases)
        self.assertEqual(len(self.sessions()), 7)
        self.assertIn("other/old/64/b32", cases, "other comparisons were not recorded")
        self.assertIn(SLOW, cases)

    def test_a_metric_that_no_session_has(self):
        self.record()
        self.plan(f"* {SLOW} cold 0")
        self.record("cold_time_ns  retired: it can no longer be measured")
        self.assertNotIn("cold_time_ns", self.case())

    def test_filters(self):
        self.record("6 of 6 cases and sentinels changed", program=GPU, KG_FILTER=f"{SLOW},fake/quick/64/*")
        self.assertEqual(len(self.stored()["cases"]), 3)
        told = "no case to record: is KG_FILTER too narrow?{} `kernelgate list` has the cases"
        for globs, hint in (("matmul/*", ""), ("fake/quik/*", ' Did you mean "fake/quick/*"?')):
            self.record(told.format(hint), code=2, program=GPU, KG_FILTER=globs)

    def test_neighbors_of_what_a_filter_takes(self):
        """They are timed in the same process and not recorded, whatever happens to them."""
        for globs, listed in (("matmul/*", ""), (QUICK, f"{SLOW}\n{QUICK}\n")):
            done = subprocess.run([SOUND_GPU, "--timed-with"], env={**self.environment, "KG_FILTER": globs}, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.stdout, listed)
        self.plan(f"2 {SLOW} crash")
        self.record("4 of 4 cases and sentinels changed", KG_FILTER=QUICK)
        self.assertEqual(self.processes(), 7, "a process more, for the crash")

    def test_a_part_leaves_the_provenance_of_the_rest(self):
        self.record()
        self.edit(lambda document: document["provenance"].update(driver="0.9"))
        for value, globs, told, driver in ((10500, SLOW, "1 of 4 cases", "0.9"), (11000, "", " cases and sentinels", "1.2.3")):
            self.plan(f"* {SLOW} hot {value}")
            self.record(told, KG_FILTER=globs)
            self.assertEqual(self.stored()["provenance"]["driver"], driver)

    def test_the_commit_is_unknown_without_git(self):
        os.mkdir("bin")
        os.symlink(shutil.which("python3"), "bin/python3")
        self.expect(0, "7 of 7", "baseline", "record", "--baselines", "baselines", SOUND_GPU, PATH=os.path.abspath("bin"))
        self.assertEqual(self.case()["commit"], "unknown")

    def test_the_gate_passes_by_what_was_recorded(self):
        self.record()
        for plan, code, told in (([], 0, "pass         "), ([f"* {SLOW} hot 10500"], 1, "slower       ")):
            self.plan(*plan)
            done = subprocess.run([SOUND_GPU, "--filter=fake/time"], capture_output=True, text=True, check=False, env={
                **self.environment, "KG_BASELINES": os.path.abspath("baselines"), "KG_STRICT": "1", "KG_VERBOSE": "1"})
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(f"{told}nvidia-fake  {SLOW}", done.stdout + done.stderr)


class Throttled(Recording):
    def test_a_case_is_timed_again(self):
        self.plan(f"3 {SLOW} throttled hot 20000")
        self.record("timing 1 case again: the GPU was throttled while it was timed\nsession 3 of 5\n")
        self.assertEqual(self.processes(), 7, "one process checks, five measure, one measures again")
        self.assertEqual(self.sessions()[SLOW]["time_ns"], {BOARD: [10000] * 5})
        self.assertEqual(self.sessions()[QUICK]["time_ns"], {BOARD: [5000] * 5}, "it is not taken twice")

    def test_one_that_stays_throttled_keeps_its_line(self):
        self.record()
        before, sessions = self.case(), self.sessions()[SLOW]
        self.plan(f"* {SLOW} throttled hot 20000", f"* {QUICK} hot 6000")
        for settings in ({}, {"KG_FILTER": "fake/plain/*,fake/quick/*"}):
            self.record(code=1, **settings)
            self.assertEqual(self.processes(), 9, "one checks, five measure, and the first session's case is measured three times again")
            left_out = self.entry(self.valid(self.printed), "left_out", case=SLOW)
            self.assertIn("while it was timed, and 3 times again: left out", left_out["why"])
            self.assertEqual((self.case(), self.sessions()[SLOW], self.case(case=QUICK)["time_ns"]["value"]), (before, sessions, 6000))
        self.record(f"{SLOW}: the GPU was throttled while it was timed, and 3 times again: left out", code=1)
        self.record("1 of 1 cases were throttled: nothing is recorded", code=2, KG_FILTER=SLOW)


class Refusals(Recording):
    def test_what_refuses(self):
        """Nothing is rewritten, not even in another form."""
        sound = '{"schema": "kernelgate-baseline/2", "cases": {},   "target": {"key": "nvidia-fake"}}'
        for plan, told in (
                (f"2 {SLOW} wrong", f"{SLOW}: to[3]: expected 1, got 2, after timing: nothing is"),
                (f"4 {SLOW} crash", f"{SLOW}: crashed"), (f"4 {SLOW} forget", f"{SLOW}: record lost"),
                (f"* {SLOW} throttled\n* {QUICK} throttled", "2 of 4 cases were throttled: nothing is recorded"),
                (f"4 {SLOW} foreign 1", f"{SLOW}: 1 other process computed on the GPU while it was timed: end it"),
                (f"4 {SLOW} launch_ns 680", f"{SLOW}: the launch overhead was 680 ns while it was timed and 500 ns before"),
                ("3 copy hot 120000", "copy: time_ns: the sessions disagree"),
                (f"3 {SLOW} cold 0", f"{SLOW}: cold_time_ns: 4 values of 5"),
                (f"3 {SLOW} hot 0", f"{SLOW}: time_ns: 4 values of 5 sessions"),
                (f"3 {SLOW} hot 11100 cold 14000", "2 of 8 metrics differ from session to session: nothing is recorded")):
            self.write(PATH, sound)
            self.plan(plan)
            self.record(told, code=2)
            self.assertEqual(self.read(PATH), sound)
        document = self.valid_alone(self.printed)
        self.assertEqual((document["written"], len(document["differing"]), len(document["refused"])), (False, 2, 1))

    def test_programs_that_refuse(self):
        for program, globs, told in (
                (GPU, "fake/plain/*,fake/wrong/*", "fake/wrong/64/b32: to[17]: expected"),
                (GPU, "fake/cannot/*", "fake/cannot/64/b32: launching: cudaErrorInvalidV"),
                (GPU, "fake/crashes/*", "fake/crashes/64/b32: crashed: the observer died"),
                ("/no/such/program", "", "/no/such/program: does not list its cases (No such file"),
                ("/bin/true", "", "no case to record")):
            self.record(told, code=2, program=program, KG_FILTER=globs)
        for device, told in (("broken", "the driver does not work"), ("absent", "no GPU: this one is a fake")):
            self.record(told, code=2, FAKE_DEVICE=device)
        self.assertEqual(os.listdir("baselines"), [])

    def test_a_malformed_baseline(self):
        """It is seen before any session is measured."""
        malformed = '{"schema": "kernelgate-baseline/2", '
        self.write(PATH, malformed)
        output = self.record("fix or move that file first; nothing is recorded", code=2)
        self.assertEqual(self.valid(self.printed)["file"], PATH)
        self.assertNotIn("session 1", output)
        self.assertEqual(self.read(PATH), malformed)

    def test_what_could_not_be_read_again(self):
        self.expect(2, f"{PATH}: not written: a name, or a commit (--commit), is not UTF-8", "baseline", "record", "--baselines",
                    "baselines", "--commit", "\udcff", SOUND_GPU)
        self.plan(f"* {SLOW} hot 1e300")
        self.record(f"not written: {PATH}:", code=2)
        self.assertEqual(os.listdir("baselines"), [])

    def test_a_write_protected_file(self):
        self.record()
        before = self.read(PATH)
        os.chmod(PATH, 0o444)
        self.plan(f"* {SLOW} hot 12000")
        self.record("not written: it is write-protected: chmod u+w it first", code=2)
        self.assertEqual(self.read(PATH), before)

    def test_a_folder_that_somebody_else_changes(self):
        """Two recordings at once would each store what the other one does not know of."""
        os.mkdir("baselines")
        facts = os.stat("baselines")
        with open(f"kernelgate-baselines-{facts.st_dev:x}-{facts.st_ino:x}.lock", "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("process 1 (x)")
            file.flush()
            self.record("baselines: it is held by process 1 (x): wait for its end", code=2)
        self.assertFalse(os.path.exists("log") or os.path.exists(PATH), "nothing is measured in vain")
        self.record("7 of 7 cases and sentinels changed")

    def test_arguments(self):
        self.write("file", "")
        for told, *arguments in (
                *(("not a number from 5 to 999", "--baselines", "b", SOUND_GPU, "--sessions", number)
                  for number in ("4", "-1", "5x", "1000")),
                ("file/below: the folder cannot be made: Not a directory", "--baselines", "file/below", SOUND_GPU),
                ("programs for a GPU and for the CPU model", "--baselines", "b", MODEL, SOUND_GPU),
                ("--replace: is for times", "--baselines", "b", MODEL, "--replace")):
            self.refuse(told, "baseline", "record", *arguments)
        self.assertFalse(os.path.exists("b") or os.path.exists("log"), "nothing is measured in vain")
        self.record("session 7 of 7", "--sessions", "7")
        self.assertEqual(self.case()["sessions"], 7)

    def test_an_output_that_takes_nothing(self):
        """The file is there by then, which nobody would expect of a command that failed."""
        for program, path, option in ((SOUND_GPU, PATH, ()), (MODEL, COUNTS, ()), (SOUND_GPU, PATH, ("--json",))):
            shutil.rmtree("baselines", ignore_errors=True)
            lost = self.lose_output(f"{path} was written, but its report is lost: the standard output cannot be written",
                                    *self.arguments(program, *option), KG_FILTER=RIGHT)
            self.assertEqual(lost.count("kernelgate: "), 1)
            self.assertTrue(os.path.exists(path))
