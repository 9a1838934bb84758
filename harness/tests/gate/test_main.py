# SPDX-License-Identifier: MIT
"""The main function of a comparison's program: its options, what it lists, tests of a suite's own, and tests that are ended from
outside."""

import glob
import json
import os
import signal
import socket
import subprocess
import time

from own_folder import read_text
from part_fixture import BAD_TABLE, COMMAND, GPU, MODEL, SLOW, SOUND_GPU, PartRuns, fake_baseline


class Options(PartRuns):
    def test_options(self):
        for code, told, program, *options in (
                (0, "check", MODEL, "--list"), (0, "claim_quick_beats_plain", GPU, "--list"),
                (0, ("usage: ", "--cases PART"), MODEL, "--help"),
                (2, "fake: the filter matches no test", MODEL, "--filter=nothing/*"),
                (2, "fake: the filter matches no test", MODEL, "--filter=fake/time"),
                (0, "pass         cpu-model", MODEL, "--filter", "fake/check", "-j", "1", "--encoding=C")):
            self.expect_program(code, told, program, *options)

    def test_an_option_that_criterion_refuses_is_an_error(self):
        """Criterion prints its usage for these, runs nothing, and would end with 0; it ignores words."""
        self.set(ASAN_OPTIONS="detect_leaks=0")  # Criterion keeps copies of what it refuses
        for line, *options in (("Criterion refused its options: ", "--no-such-option"), ("Criterion refused its options: ", "-qZ"),
                               ("Criterion refused its options: ", "--filter"), ("Criterion refused its options: ", "--output=xml"),
                               ('unexpected argument "check"', "-q", "check"), ('unexpected argument "-"', "-")):
            self.expect_program(2, "fake: " + line, MODEL, *options)
            self.assertFalse(os.path.exists("out/records"), options)
        self.set(CRITERION_OUTPUTS="xml")
        self.expect_program(2, "fake: Criterion refused its options: ", MODEL, "-q")

    def test_baselines_are_in_a_directory(self):
        self.write("file", "")
        for folder in (self.at("none"), self.at("file")):
            self.set(KG_BASELINES=folder)
            self.check(2, f"kernelgate: KG_BASELINES='{folder}' is not a directory: set it to")

    def test_strictness_is_0_or_1(self):
        self.set(KG_STRICT="no")
        self.check(2, "kernelgate: KG_STRICT='no' is neither 0 nor 1: set it to 1")
        self.expect_program(0, "check", MODEL, "--list")
        self.set(KG_STRICT=0)
        self.check(0, "pass         cpu-model")

    def test_what_a_runner_needs_of_its_surroundings(self):
        """Criterion aborts without it, and what is opened in place of a closed stream would get the stream's text."""
        mounted = "unshare -rm sh -c 'mount {} && exec \"$@\"' sh"
        can_mount = self.run_program("/bin/sh", "-c", mounted.format("-t tmpfs -o ro none /dev/shm") + " true")[0] == 0
        for before, after, told in (
                ("exec", ">&-", "the standard output or error is closed"), ("exec", "2>&-", ""), ("ulimit -n 12; exec", "", "(ulimit -n)"),
                (mounted.format("-t tmpfs -o ro none /dev/shm"), "", "/dev/shm: Read-only file system: "),
                (mounted.format("-t tmpfs none /dev"), ">&2", "/dev/shm: No such file or directory: "),
                (mounted.format("--bind -o ro /tmp /tmp"), "", "/tmp: Read-only file system: ")):
            if can_mount or before.endswith("exec"):
                with self.subTest(before=before, after=after):
                    printed = self.expect_program(2, told, "/bin/sh", "-c", f"{before} {MODEL} --filter=fake/check {after}")
                    self.assertEqual(printed.count("\n"), 1 if told else 0, printed)

    def test_no_option_turns_a_failure_into_a_success(self):
        """Always one test at a time, and never a success by request."""
        self.set(KG_FILTER="fake/wrong/*")
        self.expect_program(1, "wrong        cpu-model", MODEL, "--always-succeed", "--ignore-warnings")


class Lists(PartRuns):
    def test_tests_with_their_cases(self):
        """Whatever the filter of the environment says; what is wrong with the table its own tests report."""
        self.set(KG_FILTER="fake/plain/1/*")
        tests = json.loads(self.expect_program(0, "", SOUND_GPU, "--tests"))["tests"]
        self.assertEqual((len(tests), {test["test"][:4] for test in tests}), (8, {"gpu."}))
        self.assertEqual(sum(len(test.get("cases", ())) for test in tests), 16 + 8, "checked and timed")
        self.expect_program(2, ": --tests takes no value", GPU, "--tests", "all")
        self.expect_program(0, '"test": "model.fake.check"', BAD_TABLE, "--tests")

    def test_cases(self):
        defects = [f"fake/{case}/b32" for case in ("misses/64", "harmless/64", "unlaunchable/64", "unlucky/7")]
        plain = [f"fake/plain/{size}/b{block}" for size in (7, 64) for block in (32, 64)]
        for globs, program, part, cases in (("fake/plain/*", GPU, "time", plain), ("", MODEL, "defects", defects)):
            self.set(KG_FILTER=globs)
            self.assertEqual(self.expect_program(0, "", program, "--cases", part).splitlines(), cases)
        for told, program, *part in (("fake: this target has no part time", MODEL, "time"), ("--cases: name a part", MODEL),
                                     ("appears twice", BAD_TABLE, "check")):
            self.expect_program(2, told, program, "--cases", *part)

    def test_launches(self):
        """Of what is timed or counted anywhere; on the CPU model the fake starts no kernel."""
        self.set(KG_FILTER="fake/plain/64/*")
        cases = json.loads(self.expect_program(0, "", GPU, "--launches"))["cases"]
        self.assertEqual((len(cases), cases[0]["case"]), (2, SLOW))
        self.expect_program(0, f'"without": [\n  "{SLOW}"', MODEL, "--launches")
        self.expect_program(2, "all: --launches takes no value", GPU, "--launches", "all")
        self.expect_program(2, "time: --candidates takes no value", GPU, "--candidates", "time")
        self.set(KG_FILTER="")
        self.expect_program(2, "appears twice", BAD_TABLE, "--launches")


class Runner(PartRuns):
    def test_tests_of_a_suites_own(self):
        """They count as claims do, and their names stand for them; how they ended is in their verdicts."""
        for test, code, told, member in (("passes", 0, "Passing: 1", "claims"), ("fails", 1, "told to", "claims"),
                                         ("skips", 77, "", "skipped"),
                                         ("crashes", 2, "own.crashes: crashed outside of any case", "errors")):
            self.expect_program(code, told, SOUND_GPU, f"--filter=own/{test}")
            verdicts = self.verdicts(f"gpu.own.{test}")
            self.assertEqual(verdicts["exit_code"], code)
            self.assertTrue(verdicts[member] if test == "skips" else len(verdicts[member]) == 1, verdicts)
        self.merge(2, "gpu.own.crashes: error: crashed outside of any case: look for a table")
        for strict, tests, code, told in ((0, "dawdles", 2, "gpu.own.dawdles: timed out, and was ended"),
                                          (0, "@(passes|fails)", 1, "told to"), (0, "@(passes|skips)", 0, ""),
                                          (1, "@(passes|skips)", 2, "")):
            self.expect_program(code, told, SOUND_GPU, f"--filter=own/{tests}", KG_STRICT=str(strict))

    def long_path(self, name, length):
        """A name in the test's folder by a path of so many bytes, or one more."""
        path = self.at(name)
        return path + "/." * ((length - len(path)) // 2)

    def test_a_long_path_is_never_cut(self):
        """Results go where they were told to, or nowhere."""
        verdicts = "out/records/model.fake.check.verdicts.json"
        self.set(KG_OUT=self.long_path("out", 1500))
        self.expect_program(0, "", COMMAND, "begin")
        self.assertTrue(os.path.exists("out/run.lock"))
        self.check(0, "pass         cpu-model")
        self.set(KG_LOCK_DIR=self.long_path("", 1500))
        self.time(77)
        self.assertTrue(glob.glob("kernelgate-*.lock"))
        for length in (1030, 4080, 6000):
            self.expect_shell("rm -rf out")
            self.set(KG_OUT=self.long_path("out", length))
            fits = length < 4000
            self.check(*((0, "pass         cpu-model") if fits else
                         (2, "this path is longer than 4095 bytes: choose a shorter one")))
            self.assertEqual(os.path.exists(verdicts), fits)

    def expect_nothing_runs_here(self):
        """What was killed may take a moment to end."""
        def is_here(path):
            try:
                with open(path, "rb") as file:
                    return any(word.startswith(os.fsencode(self.folder)) for word in file.read().split(b"\0"))
            except OSError:
                return False

        deadline = time.monotonic() + 5
        while any(map(is_here, glob.glob("/proc/[0-9]*/cmdline"))):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_a_test_that_is_ended(self):
        """CTest kills the runner alone when a test is overdue, Criterion likewise: what it judged until then stays, the rest is an
        error, and nothing that it started lives on."""
        self.set(KG_CASE_TIMEOUT=50, KG_FILTER="fake/plain/*,fake/hangs/64/*")
        for code, told, *program in ((128 + signal.SIGKILL, "", "/usr/bin/timeout", "-s", "KILL", "2", MODEL, "--encoding=C"),
                                     (2, "model.fake.check: timed out, and was ended: see ", MODEL, "--filter=fake/check",
                                      "--timeout=2")):
            self.expect_program(code, told, *program)
            self.expect_nothing_runs_here()
            verdicts = self.verdicts("model.fake.check")
            self.expect_case(verdicts, SLOW, "pass")
            self.expect_case(verdicts, "fake/hangs/64/b32", "error", "the test ended before this")
            if code != 2:
                self.assertFalse(verdicts["complete"])
                self.merge(2, "ended before it was finished")

    def test_a_folder_that_is_taken_over(self):
        """The run around a test was killed, and another one took its folder over meanwhile."""
        self.store(fake_baseline())
        path, held = "out/records/gpu.fake.time.verdicts.json", "/out: held by somebody, process "
        self.set(KG_CASE_TIMEOUT=1)
        self.plan(f"1 {SLOW} hang\n")
        with subprocess.Popen(["sleep", "100"]) as stranger, \
                subprocess.Popen([GPU, "--filter=fake/time"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 env=self.environment) as run:
            while not os.path.exists("log"):
                time.sleep(0.02)
            started = read_text(f"/proc/{stranger.pid}/stat").rpartition(")")[2].split()[19]
            self.write("out/run.lock", f"process {stranger.pid}\nstarted {started}\nhost {socket.gethostname()}\nwhat somebody\n"
                       "since today\n")
            printed = run.communicate()[0]
            self.assertEqual((run.returncode, held in printed), (2, True), printed)
            self.assertFalse(self.load(path)["complete"], "nothing is written any more")
            os.remove(path)
            self.time(2, held)  # and no test begins there
            self.expect_program(2, held, GPU)
            self.assertFalse(os.path.exists(path))
            self.expect_program(0, "fake", GPU, "--list")
            stranger.kill()
        os.remove("log")
        self.time(2, "hung")
