# SPDX-License-Identifier: MIT
"""ci/gate from its first line to its last, in a folder of its own, with a build that needs no building and a ctest that
stands in for CTest's: what it refuses, and that it never takes an earlier run's words for this one's."""

import functools
import json
import os
import shutil
import signal
import subprocess
import time

from run_fixture import COMMAND, MODEL, Runs

# pylint: disable=wrong-import-position
from kernelgate import commands
from kernelgate.base.command_line import run
from kernelgate.base.run_lock import look
from kernelgate.run import project

EARLIER_WORDS = "what an earlier ctest said"
CASES = [f"fake/{case}/b{block}" for case, block in (("plain/1", 32), ("plain/1", 64), ("plain/64", 32), ("plain/64", 64),
                                                     ("wrong/64", 32))]
PLAIN = {"KG_FILTER": "fake/plain/*"}


def script(*lines):
    return "\n".join(("#!/bin/sh", *lines, ""))


def fake_ctest(*more):
    """A ctest that runs the part `check` alone and reports how it ended, and then does more."""
    return script('while [ $# -gt 0 ]; do if [ "$1" = --output-junit ]; then report=$2; fi; shift; done',
                  f"{MODEL} --filter=fake/check >/dev/null 2>&1; code=$?",
                  "case $code in 0) status=run ;; 77) status=notrun why=SKIP_RETURN_CODE=77 ;; *) status=fail ;; esac",
                  'echo "<testsuite><testcase name=\\"model.fake.check\\" status=\\"$status\\"><skipped message=\\"$why\\"/></testcase>'
                  '</testsuite>" >"$report"', *more, "test $code -eq 0 -o $code -eq 77")


def also(name, *printed, end="<failure message=\"\"/>"):
    """A further test in the report, which failed and printed lines."""
    return (f"""cat >>"$report".new <<'END'\n<testcase name="{name}" status="fail" time="0.5">{end}<system-out>"""
            + "\n".join(printed) + """\n</system-out></testcase></testsuite>\nEND\n"""
            """sed -i 's|</testsuite>||' "$report"; cat "$report".new >>"$report"; rm "$report".new""")


def report(testcase):
    return f"echo '<testsuite>{testcase}</testsuite>' >\"$report\""


def printing(*lines):
    quoted = " ".join(f"'{line}'" for line in lines)
    return f"printf '%s\\n' {quoted}"


def have_ended(started):
    """Whether processes, each with its entry at the start, have ended; another process may have taken the number since."""
    return all(now is None or now.ended or now.started != then.started
               for then, now in ((then, look(process)) for process, then in started.items()))


def kernelgate():
    """What ci/gate of the current folder starts."""
    project.own_file = lambda _: "ci/setup"
    run(commands.main)


def kernelgate_stopped_early():
    """The same, which a signal stops after ctest has begun and before Popen() returns."""
    start = subprocess.Popen

    def start_slowly(command, *more, **options):
        process = start(command, *more, **options)
        if "--verbose" in command:
            while not os.path.exists("running"):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGTERM)
        return process

    subprocess.Popen = start_slowly
    kernelgate()


class Gate(Runs):
    def setUp(self):
        super().setUp()
        self.set(PATH=f"{self.at('bin')}:{os.environ['PATH']}", KG_OUT=None, KG_BASELINES=None)
        for folder in ("bin", "kernels", "build/cpu"):
            os.makedirs(folder)
        self.copy_front("gate")
        self.write("build/cpu/kernelgate.path", COMMAND)
        self.write("build/cpu/kernelgate.programs", "build/cpu/fake.model\n")
        self.list_tests({"test": "model.fake.check", "cases": CASES})
        self.write_script("bin/cmake", script())
        self.write("CMakePresets.json", "{}")
        self.write("build/cpu/ctest.log", EARLIER_WORDS + "\n")
        self.write_script("bin/ctest", fake_ctest())

    def list_tests(self, *tests):
        listing = json.dumps({"tests": tests})
        self.write_script("build/cpu/fake.model", script(f"echo '{listing}'"))

    def gate(self, code, told, *options, front=False, **settings):
        """What a gate of the CPU model prints, where it ends so; nothing in it is an earlier run's. To start Python takes most of a
        gate's time, so only some begin in ci/gate."""
        for name in ("KG_FILTER", "KG_STRICT", "KG_FILTER_GIVEN", "CI", "KG_PROJECT"):
            self.set(**{name: None})
        self.set(**{**({} if front else {"KG_PROJECT": self.folder}), **settings})
        printed = self.expect_program(code, told, *(["ci/gate"] if front else [kernelgate, "gate"]), "--target", "model", *options)
        self.assertNotIn(EARLIER_WORDS, printed)
        return printed

    def test_judges_what_ctest_runs(self):
        self.gate(0, "\nPASS  4 cases on cpu-model, filtered: 4 of 5 cases", front=True, **PLAIN)

    def test_generated_code_without_a_baseline(self):
        """Nor is there a compiler everywhere."""
        for strict, code in (((), 77), (("--strict",), 2)):
            self.expect_program(code, "nothing was judged for --target sm: ", "ci/gate", "--target", "sm", *strict)
        self.expect_program(2, "--seconds requires --base REF", "ci/gate", "--target", "sm", "--seconds", "9")

    def test_projects_without_a_gate(self):
        os.mkdir("build/cpu/part")
        os.rename("build/cpu/kernelgate.path", "build/cpu/part/kernelgate.path")
        self.gate(2, "kernelgate: the gate is that of part/, whose CMakeLists.txt has a project() of its own: call kg_add_program()")
        os.remove("build/cpu/part/kernelgate.path")
        self.gate(2, "kernelgate: the project has no gate: end its CMakeLists.txt with kg_finish_gate()")

    def test_warnings_are_errors_here_alone(self):
        """Another project's are that project's to say."""
        os.mkdir("theirs")
        shutil.copy("CMakePresets.json", "theirs")
        self.write_script("bin/cmake", script('echo "$*" >>configured; exit 1'))
        for folder, settings, option in ((".", {"CI": "true"}, "-DKG_WERROR=ON"), (".", {}, "-DKG_WERROR=OFF"),
                                         ("theirs", {"CI": "true", "KG_PROJECT": "theirs"}, None)):
            self.gate(2, "configuring preset cpu failed", **settings)
            configured = self.read(os.path.join(folder, "configured"))
            self.assertIn("--preset cpu", configured)
            self.assertEqual([word for word in configured.split() if "WERROR" in word], [option] if option else [])
            os.remove(os.path.join(folder, "configured"))

    def test_sets_up_the_project_that_it_gates(self):
        """What PyPI has goes into its build directory, where its compilations look; kernelgate's own may be read-only."""
        self.write_script("ci/setup", script('echo "$KG_PROJECT" >>"$KG_PROJECT/set_up"; exit 2'))
        os.mkdir("theirs")
        shutil.copy("CMakePresets.json", "theirs")
        for folder, settings in ((".", {}), ("theirs", {"KG_PROJECT": "theirs"})):
            self.gate(2, "", front=True, **settings)
            self.assertEqual(self.read(os.path.join(folder, "set_up")), f"{os.path.realpath(folder)}\n")

    def test_filters_that_take_no_case(self):
        """A list of which a part is misspelled would gate the rest alone, and pass."""
        see = "`kernelgate list` has the cases"
        for glob, told in (
                ("fake/plan/*", f'KG_FILTER=fake/plan/* matches no case of any test; did you mean "fake/plain/*"? {see}'),
                ("fake", 'did you mean "fake/*"?'), ("fake/plain/65/b32", 'did you mean "fake/plain/64/b32"?'),
                ("nothing/at/all,fake/plain", 'did you mean "fake/plain/*"?'),
                ("nothing/at/all", f"KG_FILTER=nothing/at/all matches no case of any test: {see}, and COMPARISON/* is a filter for "
                                   "those of one comparison"),
                ("fake/plain/*,fake/wrng/*",
                 f'KG_FILTER: "fake/wrng/*" matches no case of any test; did you mean "fake/wrong/*"? {see}'),
                ("fake/plain/64/*, fake/wrong/64/b32",
                 'KG_FILTER: " fake/wrong/64/b32" matches no case of any test; did you mean "fake/wrong/64/b32"?'),
                ("fake/plain/*,nothing/at/all", f'KG_FILTER: "nothing/at/all" matches no case of any test: {see}')):
            with self.subTest(glob):
                self.gate(2, told, KG_FILTER=glob)
        self.gate(0, "\nPASS  2 cases on cpu-model, filtered", KG_FILTER="fake/plain/64/*,fake/plain/7/*,")

    def test_a_filter_that_matches_nothing_leaves_the_results(self):
        """Nothing was judged, so the results of the run before are still the last; a build that fails leaves none, for they may be
        of another tree."""
        files = ("out/results.json", "out/report/index.html", "out/records/model.fake.check.verdicts.json")
        for path in files:
            self.write(path, "earlier\n")
        self.gate(2, 'did you mean "fake/plain/*"?', KG_FILTER="fake/plan/*")
        self.assertEqual([self.read(path) for path in files], ["earlier\n"] * 3)
        self.write_script("bin/cmake", script("exit 1"))
        self.gate(2, "configuring preset cpu failed")
        self.assertFalse(any(map(os.path.exists, files)))

    def test_a_failed_build_shows_its_first_error(self):
        """With several compilers at once, the error is far above the log's end; the third is CMake that runs again in the build."""
        from_error = "--- the log, from its first error on:\n"
        for log, told in (
                ("echo '[1/9] Building a.o'; echo 'FAILED: b.o '; echo 'cc b.c'; echo 'b.c:3: error: x'; seq -f '[%g/9] note' 100; "
                 "echo 'ninja: build stopped'", "\nFAILED: b.o \ncc b.c\nb.c:3: error: x\nninja: build stopped\n"),
                ("seq -f 'before %g' 100; echo 'c.c:9: fatal error: y'; seq -f 'after %g' 100; echo 'make: *** [all] Error 2'",
                 f"{from_error}c.c:9: fatal error: y\nafter 1\n"),
                ("echo '[1/2] Re-running CMake...'; echo 'CMake Error at a.cmake:1'; echo 'FAILED: build.ninja'",
                 f"{from_error}CMake Error at a.cmake:1\nFAILED: build.ninja"),
                ("echo 'CMake Error at CMakeLists.txt:3 (message):'; seq -f 'more %g' 100",
                 f"{from_error}CMake Error at CMakeLists.txt:3 (message):\n"),
                ("seq -f 'line %g' 100", "--- the last lines of the log:\nline 61\n")):
            self.write_script("bin/cmake", script(log, "exit 1"))
            printed = self.gate(2, (told, "kernelgate: configuring preset cpu failed: the whole log is in "))
            self.assertLess(printed.count("\n"), 50)

    def test_shows_warnings_of_cmake_whole(self):
        self.write_script("bin/cmake", script(printing("CMake Warning:", "  not used:", "", "    A", "    B", "", "-- Done", "  b.cu:1: warning: c")))
        self.gate(0, ("\nCMake Warning: not used: A B\n", "\n  b.cu:1: warning: c\n"), **PLAIN)

    def test_shows_what_a_test_printed_that_left_no_verdict(self):
        """The verdicts say why the others failed; --verbose shows what those printed too."""
        self.write_script("bin/ctest", fake_ctest(also("mine", "of a suite", "its end"), "exit 8"))
        self.gate(2, ("\ntest mine: failed after 0.50 s\nof a suite\nits end\n", "mine: error: failed: see CTest's log"), **PLAIN)
        explained = fake_ctest("sed -i 's|<skipped message=\"\"/>|<system-out>of the program</system-out>|' \"$report\"")
        self.write_script("bin/ctest", explained)
        for options, shown in ((), False), (("--verbose",), True):
            printed = self.gate(1, "fake/wrong/64/b32", *options, KG_FILTER="fake/wrong/64/b32")
            self.assertEqual("of the program" in printed, shown)

    def test_output_without_end_is_shown_in_part(self):
        self.write_script("bin/ctest", fake_ctest("head -c 3000000 /dev/zero", *(also(f"t{number}", "x") for number in range(23)), "exit 8"))
        printed = self.gate(2, "kernelgate: 3 more tests failed and left no verdict", **PLAIN)
        self.assertEqual(printed.count("\nx\n"), 20)

    def test_says_as_much_as_was_asked_for(self):
        """A green gate is short, a quiet one a single line."""
        self.write_script("bin/ctest", fake_ctest(printing("7: of a test", " 1/2 Test  #7: own ......   Passed    0.50 sec")))
        for options, told, lines in (
                ((), ("\n  fake              4 checked       4 refused\nrun: 20", "; the command kernelgate: "), 8),
                (("-q",), "PASS  4 cases on cpu-model, filtered: 4 of 5 cases\n", 1),
                (("--verbose",), "\nkernelgate: own: passed after 0.50 s\n", 17)):
            printed = self.gate(0, told, *options, **PLAIN)
            self.assertEqual(printed.count("\n"), lines, printed)
            self.assertNotIn("of a test", printed)

    def test_what_tests_print_is_no_workflow_command(self):
        self.write_script("bin/ctest", fake_ctest(also("mine", "::error::x", "  ::error::y", "in ##[error]z", "a\r::error::x"),
                                                  "echo ::error::y >&2", "exit 8"))
        printed = self.gate(2, "\n: error::x\n  : error::y\nin # [error]z\n", **PLAIN)
        self.assertEqual(self.workflow_commands(printed), [])
        self.write_script("bin/ctest", script("printf '::error::x\\n' >build/cpu/ctest.log", "exit 9"))
        printed = self.gate(2, ": error::x\n", **PLAIN)
        self.assertEqual(self.workflow_commands(printed), [])

    def test_what_a_build_prints_is_no_workflow_command(self):
        """Warnings of a compiler that passed, and what the programs print besides their tests' names."""
        lines = ("::error file=a.cu::x.cu:1: warning: y", "x.cu:2: warning: a\r::stop-commands::b", " \t::add-mask::x.cu: warning: z",
                 "x.cu:3: warning: ##[add-mask]w")
        self.write_script("bin/cmake", script(printing(*lines)))
        listed = self.read("build/cpu/fake.model")
        self.write_script("build/cpu/fake.model", listed + printing("::warning::from a program") + " >&2\n")
        printed = self.gate(0, (": error file=a.cu::x.cu:1", "warning: # [add-mask]w", ": warning::from a program"), **PLAIN)
        self.assertEqual(self.workflow_commands(printed), [])

    def test_strictness_is_0_or_1(self):
        for unclear in ("false", "no", "off", "yes", "2"):
            self.gate(2, f"kernelgate: KG_STRICT='{unclear}' is neither 0 nor 1: set it to 1 for strict mode, or to 0", KG_STRICT=unclear,
                      **PLAIN)
            self.assertFalse(os.path.exists("out"), "it comes before anything is done")
        for clear in ("", "0"):
            self.gate(0, "\nPASS  4 cases", KG_STRICT=clear, **PLAIN)

    def test_says_that_ctest_is_missing(self):
        os.mkdir("programs")
        for folder in self.environment["PATH"].split(":"):
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if name != "ctest" and not os.path.lexists(f"programs/{name}"):
                    os.symlink(os.path.join(folder, name), f"programs/{name}")
        self.gate(2, "kernelgate: ctest is not on the PATH: install the package cmake, 3.25 or newer, which brings it\n",
                  front=True, PATH=self.at("programs"))

    def wait_until(self, holds, told=""):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, told)
            time.sleep(0.05)

    def test_a_signal_ends_all_that_runs(self):
        """What runs tests, and what those started, even of a gate that is killed; the next gate finds nobody here."""
        self.write_script("bin/ctest", script("sleep 300 &", "echo $$ $! >running.new; mv running.new running; wait"))
        for number, listing in ((signal.SIGINT, []), (signal.SIGTERM, []), (signal.SIGKILL, []), (signal.SIGTERM, ["--changed"])):
            with subprocess.Popen(["ci/gate", "--target", "model", *listing], env={**self.environment, **PLAIN}, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as gate:
                self.wait_until(lambda: os.path.exists("running"))
                started = {process: look(process) for process in self.read("running").split()}
                gate.send_signal(number)
                said = gate.communicate()[1]
            self.assertEqual((gate.returncode, "stopped by a signal" in said), (-number, number != signal.SIGKILL), said)
            self.wait_until(functools.partial(have_ended, started), f"{number!r}, {started}")
            self.assertEqual(self.read("out/run.lock") == "", number != signal.SIGKILL)
            os.remove("running")
        self.set(KG_PROJECT=self.folder, **PLAIN)
        self.expect_program(128 + signal.SIGTERM, "stopped by a signal", kernelgate_stopped_early, "gate", "--target", "model")
        started = {process: look(process) for process in self.read("running").split()}
        self.assertTrue(have_ended(started), started)
        self.write_script("bin/ctest", fake_ctest())
        self.gate(0, "\nPASS  4 cases", **PLAIN)

    def test_shows_no_log_of_an_earlier_run(self):
        for ctest, code, told in (
                (script("echo 'CMake Error: no such preset' >&2; exit 9"), 2,
                 "ctest ended with code 9 and left no report of its tests there"),
                (script("echo in its log >build/cpu/ctest.log; exit 9"), 2, "\nin its log\n"), (fake_ctest(), 0, "\nPASS  4 cases"),
                (script("exit 9"), 2, "no test left a verdict, of these: model.fake.check")):
            self.write_script("bin/ctest", ctest)
            self.gate(code, told, **PLAIN)

    def test_what_failed_in_the_last_run(self):
        self.write_script("bin/ctest", script("exit 1"))
        self.gate(2, "everything runs: out has no results", "--last-failed")
        self.write_script("bin/ctest", fake_ctest())
        self.gate(1, "FAIL", "--filter", "fake/plain/*,fake/wrong/*")
        for _ in range(2):  # a run of what failed is the last run of the next one
            printed = self.gate(1, "only what failed in the last run", "--last-failed")
            self.assertIn(f"filtered: 1 of {len(CASES)} cases", printed)
            self.assertEqual([entry["case"] for entry in self.load("out/results.json")["cases"]], ["fake/wrong/64/b32"])
        self.gate(0, "PASS", "--filter", "fake/plain/*")
        before = self.load("out/results.json")
        for strict, code in ((None, 77), ("1", 2)):
            self.gate(code, "nothing was judged: nothing failed in the last run, by out/results.json", "--last-failed", KG_STRICT=strict)
        self.assertEqual(self.load("out/results.json"), before)
        for told, *options in (("--last-failed and --filter exclude", "--filter", "x"), ("--last-failed and KG_FILTER exclude",)):
            self.gate(2, told, "--last-failed", *options, **({} if options else PLAIN))
        self.write("out/results.json", "{")
        self.gate(2, "out/results.json:1: is not JSON", "--last-failed")

    def test_a_strict_run_takes_no_filter_of_the_environment(self):
        """One that was left there would pass for a whole gate."""
        strict = {"KG_STRICT": "1", **PLAIN}
        self.gate(2, "kernelgate: KG_FILTER='fake/plain/*' is set in the environment of a strict run", **strict)
        self.assertFalse(os.path.exists("out"), "it comes before anything is done")
        self.gate(0, "\nPASS  4 cases on cpu-model, filtered: ", "--strict", "--filter", "fake/plain/*", **strict)
        self.assertRegex(self.read("out/summary.md"), "(?m)^# kernelgate: PASS \\(exit 0\\)\n\n.*, filtered: ")

    def test_other_baselines_than_the_trees_are_named(self):
        """They may be looser, which no other word of a pass tells."""
        os.mkdir("other")
        self.gate(2, "KG_BASELINES='none' is not a folder: set it to the folder of the baselines", KG_BASELINES="none")
        for folder, named in (("other", "other"), (self.at("other"), "other"), ("baselines", None), (self.at("baselines"), None),
                              ("", None)):
            self.gate(0, "\nPASS  4 cases on cpu-model, filtered: ", "--strict", "--filter", "fake/plain/*", KG_BASELINES=folder)
            results = self.load("out/results.json")
            self.assertEqual(results["coverage"].get("baselines"), named and self.at(named))
            self.assertEqual("by the baselines in" in results["summary"]["verdict"], named is not None)

    def test_what_ctest_saw_otherwise_is_no_pass(self):
        """Only the step whose exit code it is says PASS, and no file of a run that ends otherwise does."""
        case = '<testcase name="{}" status="{}"'.format
        for more, told in (
                ((report(case("model.fake.check", "fail") + '><failure message="Segmentation fault"/></testcase>'), "exit 8"),
                 '\nmodel.fake.check: error: ended as "fail" (Segmentation fault) for CTest, and its verdicts were written for exit '
                 "code 0"),
                ((report(case("gate.begin", "fail") + "/>"), "exit 8"), "\ngate.begin: error: failed: see CTest's log"),
                ((report(case("mine", "disabled") + "/>"), "exit 8"), "\nmine: error: was not run: see CTest's log"),
                (("exit 9",), "ctest ended with code 9, though no test failed"),
                (('rm -f "$report"; exit 137',), "ctest ended with code 137 and left no report of its tests there"),
                (("rm -f out/records/*; exit 0",), "no test left a verdict, of these: model.fake.check")):
            with self.subTest(told):
                self.write_script("bin/ctest", fake_ctest(*more))
                self.gate(2, told, **PLAIN)
                for path in ("out/summary.md", "out/junit.xml", "out/report/index.html"):
                    self.assertNotIn("PASS", self.read(path))
                self.assertEqual(self.load("out/results.json")["exit_code"], 2)

    def test_a_test_without_a_verdict_is_an_error(self):
        """A program that ends by itself, such as by a constructor's _Exit(0), leaves no verdict; nor does a test that CTest was told
        to ignore."""
        self.list_tests({"test": "model.fake.check", "cases": CASES[:1]}, {"test": "model.fake.count", "cases": []})
        self.gate(2, "\nmodel.fake.count: error: left no verdict: it was not run, or its program ended before it could report", **PLAIN)
        self.write_script("build/cpu/fake.model", script("exit 0"))
        self.gate(2, "build/cpu/fake.model: does not list its tests", **PLAIN)

    def test_a_shard_is_a_share_of_the_tests(self):
        """A shard without tests is idle; its filter may match the cases of others alone; a test that ctest left out is missing."""
        listing = json.dumps({"tests": [{"name": "model.fake.check"}, {"name": "mine"}, {"name": "gate.begin", "properties": [
            {"name": "FIXTURES_SETUP", "value": ["gate"]}]}]})
        mine = "[ $mine ] && " + report('<testcase name="mine" status="run"/>') + " && exit 0"
        self.write_script("bin/ctest", fake_ctest().replace("\n", f"\ncase \"$*\" in *json-v1*) echo '{listing}'; exit ;; *\" 0,0,0,2 \"*) mine=1 ;; esac\n", 1)
                          .replace(f"{MODEL} ", f"{mine}\n{MODEL} "))
        for shard, told in (("1/3", "shard 1 of 3: 1 of 2 tests, about 1 of 1 s"), ("2/3", "shard 2 of 3: 1 of 2 tests"),
                            ("3/3", "shard 3 of 3: 0 of 2 tests")):
            self.gate(0, told, "--shard", shard, **PLAIN)
            os.rename("out", f"out{shard[0]}")
        tests = [self.load(f"out{index}/results.json")["coverage"]["tests"]["reported"] for index in (1, 2, 3)]
        self.assertEqual(sorted(tests), [0, 0, 1])
        self.expect_program(0, "PASS  4 cases on cpu-model, filtered: 4 of 5 cases", COMMAND, "merge", "out1", "out2", "out3", "--out", "all")
        self.expect_program(2, "shard 2 of 3 is missing", COMMAND, "merge", "out1", "out3", "--out", "all")
        self.write_script("bin/ctest", self.read("bin/ctest").replace('name=\\"mine', 'name=\\"other').replace('name="mine"', 'name="other"', 1))
        self.gate(2, "mine: error: is in this shard's share, and ctest did not run it", "--shard", "1/3", **PLAIN)

    def test_options_of_shards(self):
        for told, *options in (("--shard '3/2': expected I/N", "--shard", "3/2"), ("--shard '0/2': expected", "--shard", "0/2"),
                               ("--shard '1': expected", "--shard", "1"), ("--costs requires --shard I/N or --slurm N", "--costs", "x"),
                               ("--slurm '0': expected a number of shards", "--slurm", "0"), ('unexpected argument "-x"', "--", "-x"),
                               ("--shard and --slurm exclude each other", "--slurm", "2", "--shard", "1/2"),
                               ("none.json: cannot be read", "--shard", "1/2", "--costs", "none.json"),
                               ("out/slurm: is not the folder of an earlier job", "--slurm", "2")):
            self.write("out/slurm/mine", "")
            with self.subTest(options):
                self.gate(2, told, *options, **PLAIN)
        self.assertEqual(self.read("out/slurm/mine"), "")

    def test_a_scheduler_that_refuses_or_is_not_there(self):
        self.write_script("bin/sbatch", script("echo 'sbatch: error: invalid partition specified: x' >&2; exit 1"))
        self.gate(2, "sbatch: sbatch: error: invalid partition specified: x", "--slurm", "2", "--", "-p", "x")
        self.write_script("bin/sbatch", script("echo '7;east'"))
        self.write_script("bin/squeue", script('echo "$*" >>asked', "[ -e away ] || { : >away; echo 'no controller' >&2; exit 1; }",
                                               "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"))
        self.gate(2, ("squeue: no controller: waiting for it", "no shard left results: shard 1: its job 7_1 ended as unknown: it left no "
                      "results; see out/slurm/1.log; shard 2: its job"), "--slurm", "2")
        self.assertIn("--clusters=east", self.read("asked"))
        os.remove("bin/sbatch")
        if not shutil.which("sbatch"):
            self.gate(2, "sbatch: cannot be run: No such file or directory: --slurm requires Slurm's commands", "--slurm", "2")
