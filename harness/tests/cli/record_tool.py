"""Tests of `kernelgate baseline record` with a comparison on a GPU that is not there, and on the CPU model: what it stores, what
it leaves alone, and what it refuses without touching a file.
usage: record_tool.py TREE KERNELGATE FAKE_SOUND_GPU FAKE_GPU FAKE_MODEL"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import unittest

from command_fixture import COMMAND, Folder

SOUND, GPU, MODEL = sys.argv[3:6]
SLOW = "fake/plain/64/b32"
QUICK = "fake/quick/64/b32"
PATH = "baselines/nvidia-fake.json"
COUNTS = "baselines/cpu-model.json"
RIGHT = "fake/plain/*,fake/quick/*"  # what the fake comparison has right
REQUESTS = f"* {SLOW} global_load_requests 300 line kernels/fake/plain.cu:14 global_load_requests 300"
NOTHING = " ".join(["* * global_load_requests 0 global_load_sectors 0 global_store_requests 0 global_store_sectors 0 barriers 0",
                    "unique_bytes_read 0 unique_bytes_written 0", *(
                        f"line kernels/fake/plain.cu:{line} {counter} 0" for line, counter in (
                            (14, "global_load_requests"), (14, "global_load_sectors"), (15, "barriers"),
                            (16, "global_store_requests"), (16, "global_store_sectors")))])


def differing_lines(first, second):
    """How many lines of two texts differ, which have as many; None where they have not."""
    first, second = first.splitlines(), second.splitlines()
    return sum(a != b for a, b in zip(first, second)) if len(first) == len(second) else None


class Recording(Folder):
    def setUp(self):
        super().setUp()
        self.environment.update(KG_OUT="out", KG_CASE_TIMEOUT="20", **{
            name: os.path.abspath(name.lower()[len("FAKE_"):])
            for name in ("FAKE_LOG", "FAKE_PLAN", "FAKE_COUNT_LOG", "FAKE_COUNT_PLAN")})

    def plan(self, *lines):
        """What the processes do: the first one checks, the others are sessions."""
        self.write("plan", "".join(f"{line}\n" for line in lines))

    def plan_counts(self, *lines):
        """The same of the instrumented processes: the first one checks, two count."""
        self.write("count_plan", "".join(f"{line}\n" for line in lines))

    def arguments(self, program, *options):
        for log in ("log", "count_log"):
            if os.path.exists(log):
                os.unlink(log)
        return "baseline", "record", "--baselines", "baselines", "--commit", "abcdef0123", program, *options

    def record(self, told="", *options, code=0, program=SOUND, **settings):
        """What is printed, where it ends so; an error in one line each."""
        done = self.run_command(*self.arguments(program, *options), **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(told, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout

    def count(self, told="", *options, code=0, filter_=RIGHT):
        return self.record(told, *options, code=code, program=MODEL, KG_FILTER=filter_)

    def recorded(self, *options, code=0, program=SOUND, **settings):
        return self.document(code, *self.arguments(program, *options), "--json", **settings)

    def processes(self, log="log"):
        return self.read(log).count("\n")

    def stored(self, path=PATH):
        return json.loads(self.read(path))

    def case(self, path=PATH, case=SLOW):
        return self.stored(path)["cases"][case]

    def edit(self, change, path=PATH):
        """Changes a baseline as an editor does."""
        document = self.stored(path)
        change(document)
        self.write(path, document)

    def entry(self, document, group, **members):
        """The only entry of a document's list with these members."""
        found = [entry for entry in document[group] if all(entry.get(name) == value for name, value in members.items())]
        self.assertEqual(len(found), 1, document[group])
        return found[0]


class Times(Recording):
    def test_a_first_recording(self):
        self.plan(f"3 {SLOW} hot 10020", f"4 {SLOW} hot 10010", f"5 {SLOW} hot 9990")
        output = self.record("session 5 of 5\n")
        self.assertIn(f"{SLOW}                                  time_ns                    -      10 000 ns       new  "
                      "band 2.0 %\n", output)
        self.assertIn(f"{PATH}: 6 of 6 cases and sentinels changed, 5 sessions\n", output)
        self.assertEqual(self.processes(), 6, "one process checks, five measure")
        stored = self.stored()
        self.assertEqual(stored["target"], {"key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0",
                                            "memory_mib": 81920, "multiprocessors": 132})
        self.assertEqual([stored["provenance"][name] for name in ("driver", "launch_ns")], ["1.2.3", 500])
        self.assertEqual((len(stored["cases"]), list(stored["sentinels"])), (4, ["copy", "fma"]))
        self.assertEqual(stored["sentinels"]["fma"]["time_ns"]["value"], 200000)
        slow = stored["cases"][SLOW]
        self.assertEqual((slow["commit"], slow["cold_time_ns"]["value"]), ("abcdef0123", 12000))
        self.assertEqual(slow["time_ns"], {"value": 10000, "band": 0.02, "floor": 50,
                                           "sessions": [10000, 10020, 10010, 9990, 10000]})

    def test_only_what_moved_is_rewritten(self):
        self.record()
        first = self.read(PATH)
        self.plan(f"* {SLOW} hot 10190", "* copy hot 101000")
        self.record("0 of 6 cases and sentinels changed")
        self.assertEqual(self.read(PATH), first)
        self.plan(f"* {SLOW} hot 12000")
        self.record("time_ns            10 000 ns      12 000 ns   +20.0 %  band")
        self.assertEqual(differing_lines(first, self.read(PATH)), 1)
        self.assertEqual(self.case()["time_ns"]["value"], 12000)

    def test_what_is_noisy_is_recorded_ungated(self):
        """So are the sessions of a clock that depends on the host, however far apart."""
        for plan, told, cold_gated in (
                (f"2 {SLOW} hot 10450\n4 {SLOW} hot 10450", "not gated: its noise is", True),
                (f"3 {SLOW} hot 11100", f"{SLOW}: time_ns: the sessions disagree, 10 000 ns to 11 100 ns", True),
                (f"* {SLOW} clock host\n3 {SLOW} clock host hot 20000 cold 30000", "not gated: its noise is", False)):
            shutil.rmtree("baselines", ignore_errors=True)
            self.plan(plan)
            self.record(told)
            gated = [self.case()[name].get("gated", True) for name in ("time_ns", "cold_time_ns")]
            self.assertEqual(gated, [False, cold_gated], plan)

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
        self.record(": 0 of 6 cases and sentinels changed")

    def test_machine_code(self):
        with open(SOUND, "rb") as file, open("other.gpu", "wb") as other:
            other.write(file.read().replace(b"fake_code_EXIT", b"fake_code_BRA0"))
        os.chmod("other.gpu", 0o755)
        changed = "code: other machine code, or another launch\n"
        same = ": 0 of 6 cases and sentinels changed"
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

    def test_a_band_set_by_hand_stays(self):
        self.record()
        self.edit(lambda document: document["cases"][SLOW]["time_ns"].update(band=0.1, band_by="hand"))
        self.plan(f"* {SLOW} hot 10900")
        self.record("0 of 6")
        self.plan(f"* {SLOW} hot 12000")
        self.record("band 10.0 %, by hand")
        self.assertEqual(self.case()["time_ns"], {"value": 12000, "band": 0.1, "band_by": "hand", "floor": 50,
                                                  "sessions": [12000] * 5})

    def test_further_boards_are_merged(self):
        self.record()
        self.plan(f"* {SLOW} hot 10100")
        self.record("6 of 6 cases and sentinels changed", "--merge")
        metric = self.case()["time_ns"]
        self.assertEqual((metric["value"], metric["sessions"]), (10050, [10000] * 5 + [10100] * 5))

    def test_another_board_of_a_name(self):
        """One whose memory differs has a file of its own."""
        self.record()
        self.edit(lambda document: document["target"].update(memory_mib=40960))
        other = self.read(PATH)
        self.record("baselines/nvidia-fake-80gib.json: 6 of 6 cases")
        self.assertEqual(self.stored("baselines/nvidia-fake-80gib.json")["target"]["key"], "nvidia-fake-80gib")
        self.assertEqual(self.read(PATH), other)

    def test_a_case_that_is_gone_is_retired(self):
        """With a filter it might only be hidden."""
        self.record()
        self.edit(lambda document: document["cases"].update(
            {case: document["cases"][SLOW] for case in ("fake/old/64/b32", "other/old/64/b32")}))
        self.record("0 of 4 cases and sentinels changed", KG_FILTER="fake/quick/*")
        self.record("fake/old/64/b32                                    retired: no longer in the table\n")
        cases = self.stored()["cases"]
        self.assertNotIn("fake/old/64/b32", cases)
        self.assertIn("other/old/64/b32", cases, "other comparisons were not recorded")
        self.assertIn(SLOW, cases)

    def test_a_metric_that_no_session_has(self):
        self.record()
        self.plan(f"* {SLOW} cold 0")
        self.record("cold_time_ns  retired: it can no longer be measured")
        self.assertNotIn("cold_time_ns", self.case())

    def test_filters(self):
        self.record("5 of 5 cases and sentinels changed", program=GPU, KG_FILTER=f"{SLOW},fake/quick/64/*")
        self.assertEqual(len(self.stored()["cases"]), 3)
        told = "no case to record: is KG_FILTER too narrow?{} `kernelgate list` has the cases"
        for globs, hint in (("matmul/*", ""), ("fake/quik/*", ' Did you mean "fake/quick/*"?')):
            self.record(told.format(hint), code=2, program=GPU, KG_FILTER=globs)

    def test_neighbors_of_what_a_filter_takes(self):
        """They are timed in the same process and not recorded, whatever happens to them."""
        for globs, listed in (("matmul/*", ""), (QUICK, f"{SLOW}\n{QUICK}\n")):
            done = subprocess.run([SOUND, "--beside"], env={**self.environment, "KG_FILTER": globs}, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.stdout, listed)
        self.plan(f"2 {SLOW} crash")
        self.record("3 of 3 cases and sentinels changed", KG_FILTER=QUICK)
        self.assertEqual(self.processes(), 7, "a process more, for the crash")

    def test_a_part_leaves_the_provenance_of_the_rest(self):
        self.record()
        self.edit(lambda document: document["provenance"].update(driver="0.9"))
        for value, globs, told, driver in ((10500, SLOW, "1 of 3 cases", "0.9"), (11000, "", " cases and sentinels", "1.2.3")):
            self.plan(f"* {SLOW} hot {value}")
            self.record(told, KG_FILTER=globs)
            self.assertEqual(self.stored()["provenance"]["driver"], driver)

    def test_the_commit_is_unknown_without_git(self):
        os.mkdir("bin")
        os.symlink(shutil.which("python3"), "bin/python3")
        self.expect(0, "6 of 6", "baseline", "record", "--baselines", "baselines", SOUND, PATH=os.path.abspath("bin"))
        self.assertEqual(self.case()["commit"], "unknown")

    def test_the_gate_passes_by_what_was_recorded(self):
        self.record()
        for plan, code, told in (([], 0, "pass         "), ([f"* {SLOW} hot 10500"], 1, "slower       ")):
            self.plan(*plan)
            done = subprocess.run([SOUND, "--filter=fake/time"], capture_output=True, text=True, check=False, env={
                **self.environment, "KG_BASELINES": os.path.abspath("baselines"), "KG_STRICT": "1", "KG_VERBOSE": "1"})
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(f"{told}nvidia-fake  {SLOW}", done.stdout + done.stderr)


class Refusals(Recording):
    def test_what_refuses(self):
        """Nothing is rewritten, not even in another form."""
        sound = '{"schema": "kernelgate-baseline/1", "cases": {},   "target": {"key": "nvidia-fake"}}'
        for plan, told in (
                (f"4 {SLOW} wrong", f"{SLOW}: to[3]: expected 1, got 2, after timing: nothing is"),
                (f"4 {SLOW} crash", f"{SLOW}: crashed"), (f"4 {SLOW} forget", f"{SLOW}: record lost"),
                (f"6 {SLOW} throttled", f"{SLOW}: the GPU was throttled while"),
                (f"4 {SLOW} foreign 1", f"{SLOW}: 1 other process computed on the GPU while it was timed: end it"),
                (f"4 {SLOW} launch_ns 680", f"{SLOW}: the launch overhead was 680 ns while it was timed and 500 ns before"),
                (f"3 {SLOW} hot 11100 cold 14000", "2 of 8 metrics differ from session to session: nothing is recorded"),
                ("3 copy hot 120000", "copy: time_ns: the sessions disagree"),
                (f"3 {SLOW} cold 0", f"{SLOW}: cold_time_ns: 4 values of 5"),
                (f"3 {SLOW} hot 0", f"{SLOW}: time_ns: 4 values of 5 sessions")):
            self.write(PATH, sound)
            self.plan(plan)
            self.record(told, code=2)
            self.assertEqual(self.read(PATH), sound)

    def test_programs_that_refuse(self):
        for program, globs, told in (
                (GPU, "fake/plain/*,fake/wrong/*", "fake/wrong/64/b32: to[17]: expected"),
                (GPU, "fake/cannot/*", "fake/cannot/64/b32: launching: cudaErrorInvalidV"),
                (GPU, "fake/crashes/*", "fake/crashes/64/b32: crashed: the observer died"),
                ("/no/such/program", "", "it does not list its cases"), ("/bin/true", "", "no case to record")):
            self.record(told, code=2, program=program, KG_FILTER=globs)
        for device, told in (("broken", "the driver does not work"), ("absent", "no GPU: this one is a fake")):
            self.record(told, code=2, FAKE_DEVICE=device)
        self.assertEqual(os.listdir("baselines"), [])

    def test_a_malformed_baseline(self):
        """It is seen before any session is measured."""
        malformed = '{"schema": "kernelgate-baseline/1", '
        self.write(PATH, malformed)
        output = self.record("fix or move that file first; nothing is recorded", code=2)
        self.assertNotIn("session 1", output)
        self.assertEqual(self.read(PATH), malformed)

    def test_what_could_not_be_read_again(self):
        self.expect(2, f"{PATH}: not written: a name, or a commit (--commit), is not UTF-8", "baseline", "record", "--baselines",
                    "baselines", "--commit", "\udcff", SOUND)
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
        self.record("6 of 6 cases and sentinels changed")

    def test_arguments(self):
        needs = "needs --baselines DIR and a comparison's program"
        self.write("file", "")
        for told, *arguments in (
                *(("not a number from 5 to 999", "--baselines", "b", SOUND, "--sessions", number)
                  for number in ("4", "-1", "5x", "1000")),
                (needs, "--baselines", "b"), (needs, SOUND), (needs, "--json"),
                ("file/below: the folder cannot be made: Not a directory", "--baselines", "file/below", SOUND),
                ("programs for a GPU and for the CPU model", "--baselines", "b", MODEL, SOUND),
                ("--merge: is for several boards of one GPU model", "--baselines", "b", MODEL, "--merge")):
            self.refuse(told, "baseline", "record", *arguments)
        self.assertFalse(os.path.exists("b") or os.path.exists("log"), "nothing is measured in vain")
        self.record("session 7 of 7", "--sessions", "7")
        self.assertEqual(len(self.case()["time_ns"]["sessions"]), 7)

    def test_an_output_that_takes_nothing(self):
        """The file is there by then, which nobody would expect of a command that failed."""
        for program, path, option in ((SOUND, PATH, ()), (MODEL, COUNTS, ()), (SOUND, PATH, ("--json",))):
            if os.path.exists(path):
                os.unlink(path)
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([COMMAND, *self.arguments(program, *option)], stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False, env={**self.environment, "KG_FILTER": RIGHT})
            self.assertEqual((done.returncode, done.stderr.count("kernelgate: ")), (2, 1), done.stderr)
            self.assertIn(f"{path} was written, but its report is lost: the standard output cannot be written", done.stderr)
            self.assertTrue(os.path.exists(path))


class Counts(Recording):
    def test_a_first_recording(self):
        self.count("cpu-model.json: 4 of 4 cases changed, counted twice with equal results")
        self.assertEqual(self.processes("count_log"), 3, "one process checks, two count")
        stored, text = self.stored(COUNTS), self.read(COUNTS)
        self.assertEqual(stored["target"]["key"], "cpu-model")
        self.assertRegex(stored["target"]["compiler"], "^(gcc|clang) ")
        self.assertEqual((len(stored["cases"]), "sentinels" in stored), (4, False))
        entry = stored["cases"][SLOW]
        self.assertEqual(entry["commit"], "abcdef0123")
        self.assertEqual(len(entry), 7 + 2, "counters of 0 are omitted")
        self.assertEqual(entry["global_load_sectors"], {"value": 400, "band": 0})
        self.assertEqual(len(entry["lines"]), 3)
        self.assertIn('"barriers": {"value": 8, "band": 0}, "global_load_requests"', text)
        self.assertIn('"lines": {"kernels/fake/plain.cu:14": {"global_load_requests": 200, "global_load_sectors": 400}, ', text)
        self.assertEqual(text.count("\n"), 19, "one case per line")
        self.assertIn(' "checked": [\n  "fake/plain/0/b32",\n', text)
        self.count("cpu-model.json: 0 of 4 cases changed")
        self.assertEqual(self.read(COUNTS), text)

    def test_only_counts_that_moved_are_rewritten(self):
        self.count()
        first = self.read(COUNTS)
        self.plan_counts(f"{REQUESTS} barriers 0 shuffles 5 line kernels/fake/plain.cu:15 barriers 0 "
                         "line kernels/fake/plain.cu:15 shuffles 5")
        output = self.count("cpu-model.json: 1 of 4 cases changed")
        for row in (f"{SLOW}                                  global_load_requests                    200              300   "
                    "+50.0 %\n", "barriers                                  8                0    -100 %\n",
                    "shuffles                                  0                5       new\n"):
            self.assertIn(row, output)
        self.assertNotIn(" ns", output)
        self.assertEqual(differing_lines(first, self.read(COUNTS)), 1)
        entry = self.case(COUNTS)
        self.assertEqual((entry["global_load_requests"]["value"], "barriers" in entry), (300, False))

    def test_lines_that_moved_are_rewritten(self):
        """The next verdict must not look for them where they were."""
        self.count()
        self.plan_counts(f"* {SLOW} line kernels/fake/plain.cu:15 barriers 5 line kernels/fake/plain.cu:20 barriers 3")
        self.count(f"{SLOW}                                  lines of source moved, and no counter")
        self.assertEqual([len(self.case(COUNTS, case)["lines"]) for case in (SLOW, QUICK)], [4, 3])

    def test_a_band_set_by_hand_stays(self):
        def edit(document):
            document["cases"][SLOW]["barriers"].update(band=0.1, band_by="hand")
            document["cases"][SLOW]["global_load_requests"].update(gated=False, band_by="hand")

        self.count()
        self.edit(edit, COUNTS)
        self.plan_counts(f"{REQUESTS} barriers 9 line kernels/fake/plain.cu:15 barriers 9")
        self.count("1 of 4")
        entry = self.case(COUNTS)
        self.assertEqual(entry["barriers"], {"value": 9, "band": 0.1, "band_by": "hand"})
        self.assertEqual(entry["global_load_requests"], {"value": 300, "band": 0, "band_by": "hand", "gated": False})

    def test_a_case_that_counts_nothing(self):
        self.plan_counts(NOTHING)
        self.count("1 of 1", filter_=SLOW)
        self.assertEqual(self.case(COUNTS), {"commit": "abcdef0123", "global_load_requests": {"value": 0, "band": 0}})
        self.count("0 of 1", filter_=SLOW)

    def test_cases_that_are_only_checked(self):
        self.count()
        listed = self.stored(COUNTS)["checked"]
        self.edit(lambda document: document.update(checked=["fake/gone/1/b32", *listed[1:], "other/gone/1/b32"]), COUNTS)
        output = self.count("(1 changed)")
        self.assertIn(f"{listed[0]:<50} checked, new\n", output)
        # What a filter leaves out may only be hidden.
        self.assertEqual(self.stored(COUNTS)["checked"], ["fake/gone/1/b32", *listed, "other/gone/1/b32"])

    def test_other_flags_than_the_rest(self):
        """The provenance names the flags of all cases, so that a part of them cannot have others."""
        self.count()
        self.edit(lambda document: document["provenance"].update(flags="-O0"), COUNTS)
        first = self.read(COUNTS)
        self.plan_counts(REQUESTS)
        self.count('cpu-model.json: its other cases were recorded with CXXFLAGS "-O0", these with "": build with the same flags, '
                   "or record all cases", code=2)
        self.assertEqual(self.read(COUNTS), first)

    def test_what_refuses(self):
        before = '{"schema": "kernelgate-baseline/1", "cases": {},   "target": {"key": "cpu-model"}}'
        for globs, plan, told in (
                (RIGHT, f"3 {SLOW} global_load_sectors 401", f"{SLOW}: global_load_sectors is 400 in one run and 401 in another"),
                (RIGHT, f"2 {SLOW} line kernels/fake/plain.cu:14 global_load_sectors 401",
                 f"{SLOW}: its lines have other counts in another run"),
                (RIGHT, f"1 {SLOW} finding", f"{SLOW}: kernels/fake/other.cu:14: error: "),
                (RIGHT, f"1 {SLOW} crash", f"{SLOW}: crashed"), (RIGHT, f"3 {SLOW} forget", f"{SLOW}: record lost"),
                (RIGHT, f"* {SLOW} barriers 9", f"not written: {COUNTS}:"),
                ("fake/plain/*,fake/wrong/*", "", "fake/wrong/64/b32: to[17]: expected"),
                ("fake/plain/1/*", "", 'is KG_FILTER too narrow? Did you mean "fake/plain/7/*"?')):
            self.write(COUNTS, before)
            self.plan_counts(plan)
            self.count(told, code=2, filter_=globs)
            self.assertEqual(self.read(COUNTS), before)
        shutil.copy(MODEL, "lone.model")
        self.record("lone.instrumented: the program with instrumented kernels cannot be run", code=2, program="./lone.model")


class Documents(Recording):
    """What --json prints, next to which all else goes to the standard error."""

    def test_a_first_recording(self):
        document = self.recorded()
        self.assertEqual({name: document[name] for name in ("command", "written", "merge", "sessions", "changed", "looked_at",
                                                            "file", "commit", "exit_code", "target")},
                         {"command": "baseline record", "written": True, "merge": False, "sessions": 5, "changed": 6,
                          "looked_at": 6, "file": PATH, "commit": "abcdef0123", "exit_code": 0,
                          "target": {"key": "nvidia-fake", "name": "NVIDIA Fake"}})
        change = self.entry(document, "changes", case=SLOW, metric="cold_time_ns")
        self.assertAlmostEqual(change.pop("noise"), 0.00904, 5)
        self.assertAlmostEqual(change.pop("noise_bound"), 0.00904, 5)
        self.assertEqual(change, {"case": SLOW, "metric": "cold_time_ns", "kind": "new", "new": 12000, "band": 0.02,
                                  "band_by_hand": False, "sessions": 5, "gated": True})
        self.assertEqual(self.entry(document, "changes", case=SLOW, kind="code")["notes"], ["recorded"])
        self.assertEqual(self.entry(document, "sentinels", case="fma")["new"], 200000)
        document = self.recorded()
        self.assertEqual((document["written"], document["changed"], document["changes"], document["sentinels"]),
                         (False, 0, [], []))
        self.plan(f"* {SLOW} hot 11000", "* copy hot 104000")
        document = self.small_document(0, *self.arguments(SOUND), "--json")
        self.assertEqual((document["written"], len(document["changes"])), (True, 1))
        change = self.entry(document, "changes", case=SLOW, metric="time_ns", kind="moved", old=10000, new=11000)
        self.assertAlmostEqual(change["change"], 0.1)
        self.entry(document, "sentinels", case="copy", kind="moved", old=100000, new=104000)
        document = self.recorded("--merge")
        self.assertTrue(document["merge"])
        self.assertEqual(self.entry(document, "changes", case=SLOW, metric="time_ns")["sessions"], 10)

    def test_a_case_that_is_gone(self):
        self.record()
        self.edit(lambda document: document["cases"].update({"fake/old/64/b32": document["cases"][SLOW]}))
        document = self.recorded()
        self.entry(document, "changes", case="fake/old/64/b32", kind="retired")
        self.assertEqual((document["changed"], document["written"]), (1, True))

    def test_refusals(self):
        self.plan(f"3 {SLOW} hot 11100")
        document = self.recorded()
        self.assertEqual(self.entry(document, "differing", case=SLOW, metric="time_ns")["why"],
                         "the sessions disagree, 10 000 ns to 11 100 ns: quiet the machine")
        change = self.entry(document, "changes", case=SLOW, metric="time_ns")
        self.assertFalse(change["gated"])
        self.assertGreater(change["noise"], 0.05)
        shutil.rmtree("baselines")
        self.plan(f"3 {SLOW} throttled")
        document = self.small_document(2, *self.arguments(SOUND), "--json")
        self.assertIn("the GPU was throttled while it was timed", self.entry(document, "refused", case=SLOW)["why"])
        self.assertFalse(document["written"] or os.path.exists(PATH))
        self.plan(f"3 {SLOW} hot 11100 cold 14000")
        document = self.recorded(code=2)
        self.assertEqual((len(document["differing"]), len(document["refused"])), (2, 1))
        self.write(PATH, "{")
        self.assertEqual(self.recorded(code=2)["file"], PATH)
        self.entry(self.recorded(code=2, program="./none.gpu"), "refused", file="./none.gpu")

    def test_counts(self):
        settings = {"program": MODEL, "KG_FILTER": RIGHT}
        document = self.recorded(**settings)
        self.assertEqual((document["looked_at"], document["changed"], document["sessions"]), (4, 4, 2))
        self.assertEqual(self.entry(document, "changes", case=SLOW, metric="global_load_sectors"),
                         {"case": SLOW, "metric": "global_load_sectors", "kind": "new", "new": 400})
        self.plan_counts(f"{REQUESTS} barriers 0 shuffles 5 line kernels/fake/plain.cu:15 barriers 0 "
                         "line kernels/fake/plain.cu:15 shuffles 5",
                         f"* {QUICK} line kernels/fake/plain.cu:15 barriers 0 line kernels/fake/quick.cu:20 barriers 8")
        document = self.recorded(**settings)
        self.entry(document, "changes", case=SLOW, metric="global_load_requests", old=200, new=300, change=0.5)
        self.entry(document, "changes", case=SLOW, metric="barriers", kind="moved", new=0)
        self.entry(document, "changes", case=SLOW, metric="shuffles", kind="new")
        self.entry(document, "changes", case=QUICK, kind="lines")
        self.assertEqual((len(document["changes"]), document["changed"]), (4, 2))
        self.plan_counts(f"3 {SLOW} global_load_sectors 401")
        why = self.entry(self.recorded(code=2, **settings), "refused", case=SLOW)["why"]
        self.assertTrue(why.startswith("global_load_sectors is 400 in one run and 401 in another"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
