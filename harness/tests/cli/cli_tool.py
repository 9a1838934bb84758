# SPDX-License-Identifier: MIT
"""The command `kernelgate` as its users call it: help, errors of the command line, begin, results, baseline
lint."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from command_fixture import COMMAND, TREE, Folder
from own_folder import read_text

VERDICTS = "out/records/gpu.a.time.verdicts.json"
BASELINE = """\
{"schema": "kernelgate-baseline/2",
 "target": {"key": "cpu-model", "compiler": "gcc 12.2.0"}, "provenance": {"model": "4"},
 "cases": {
  "a/naive/1/-": {"global_load_requests": 3, "commit": "abc"},
  "b/naive/1/-": {"global_load_requests": 4, "commit": "abc"}
 }}
"""
BAD_BASELINE = '{\n"schema": 3}'
WRONG_SCHEMA = "baselines/cpu-model.json:2: schema: is not a string"


def verdicts(**more):
    return {"schema": "kernelgate-verdicts/1", "test": "gpu.a.time", "complete": True, "exit_code": 0, **more}


class Command(Folder):
    def ends(self, code, printed, complained, *arguments, **settings):
        """Each is a text that is in the standard output, or in the standard error, or "" where there is nothing."""
        done = self.run_command(*arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for expected, text in ((printed, done.stdout), (complained, done.stderr)):
            if expected is not None:
                self.assertIn(expected, text)
                self.assertEqual(expected == "", text == "", text)
        return done.stdout

    def leave(self, verdict=None, **more):
        """A test's verdicts: of one case, or what else is given."""
        case = {"case": "a/b/1/-", "target": "t", "verdict": verdict, "why": "because"}
        self.write(VERDICTS, verdicts(**({"cases": [case]} if verdict else {}), **more))


class CommandLine(Command):
    def test_help(self):
        usage = "usage: kernelgate COMMAND"
        self.ends(2, "", usage)
        for arguments in (("help",), ("--help",), ("-h",)):
            people, _, plumbing = self.ends(0, usage, "", *arguments).partition("called by CTest")
            self.assertIn("  baseline lint ", people)
            self.assertIn("  begin ", plumbing)
        for told, *arguments in (("--programs FILE", "help", "results"), ("exit: 0", "results", "--help"),
                                 ("usage: kernelgate baseline lint", "help", "baseline", "lint"), ("exit: 0 pass; 1 slower", "gate", "--help"),
                                 ("exit: 0 recorded;", "rebaseline", "--help"),
                                 ("usage: kernelgate baseline COMMAND", "help", "baseline"), ("  baseline record ", "baseline", "-h")):
            self.ends(0, told, "", *arguments)

    def test_version(self):
        version = self.ends(0, "kernelgate", "", "--version")
        self.assertRegex(version, r"\Akernelgate [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{40}(-dirty)?\))?\n\Z")
        done = subprocess.run([sys.executable, "-m", "kernelgate", "--version"], capture_output=True, text=True, check=False,
                              env={**self.environment, "PYTHONPATH": os.path.join(TREE, "tools")})
        self.assertEqual((done.returncode, done.stdout), (0, version))
        self.ends(2, "", None, "--version", "doctor")

    def test_refusals(self):
        for told, *arguments in (
                ('kernelgate: unknown command "doktor"; did you mean "doctor"? See `kernelgate --help`\n', "doktor"),
                ('kernelgate: unknown command "nope": see `kernelgate --help`\n', "help", "nope"),
                ('kernelgate: baseline: unknown command "lnt"; did you mean "lint"?', "baseline", "lnt"),
                ("baseline: the following arguments are required: COMMAND", "baseline"),
                ('doctor: unknown option --jsn; did you mean "--json"?', "doctor", "--jsn"),
                ("doctor: unknown option --zzz: see `kernelgate doctor --help`", "doctor", "--zzz"),
                ("option --out needs a value: --out DIR", "begin", "--out="),
                ("option --out is given twice: omit one", "begin", "--out", "a", "--target=gpu", "--target=sm", "--out=b"),
                ("option --json is given twice", "doctor", "--json", "--json"),
                ("options --format and --json contradict: omit one", "list", "--format", "csv", "--json"),
                ('unknown format "markdwn": use ', "list", "--format", "markdwn"),
                ('begin: unexpected argument "--out"', "begin", "--", "--out")):
            self.ends(2, "", told, *arguments)
        self.assertFalse(os.path.exists("out"))

    def test_completion(self):
        """argcomplete writes what may follow to descriptor 8."""
        if subprocess.run(["python3", "-c", "import argcomplete"], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("argcomplete is not installed")
        for line, wanted in (("kernelgate dok", ""), ("kernelgate baseline li", "lint"), ("kernelgate doctor --js", "--json")):
            done = subprocess.run(["sh", "-c", f"{COMMAND} 8>&1 9>&2"], capture_output=True, text=True, check=False,
                                  env={**self.environment, "_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))})
            self.assertEqual(done.stdout.strip(), wanted, done.stderr)

    def test_completion_of_shells(self):
        """Each asks the command for what may follow."""
        self.write("bin/kernelgate", '#!/bin/sh\n[ "$_ARGCOMPLETE" ] && [ "$COMP_POINT" = 19 ] && printf "%s\n--strict\n--sample" "--$COMP_LINE" >&8; echo no\n')
        os.chmod("bin/kernelgate", 0o755)
        line, folder = "kernelgate gate --s", os.path.join(TREE, "tools", "completions")
        for shell, program in (
                ("bash", f'source {folder}/kernelgate.bash; COMP_LINE="{line}" COMP_POINT=19; _kernelgate kernelgate; printf "%s\n" "${{COMPREPLY[@]}}"'),
                ("zsh", f'compadd() {{ print -rl -- ${{(P)@[-1]}} }}; BUFFER="{line}" CURSOR=19 words=(kernelgate); source {folder}/_kernelgate'),
                ("fish", f'source {folder}/kernelgate.fish; complete -C "{line}"')):
            with self.subTest(shell):
                if shutil.which(shell) is None:
                    self.skipTest(f"{shell} is not installed")
                done = subprocess.run([shell, "-c", program], capture_output=True, text=True, check=False,
                                      env={**self.environment, "PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}", "HOME": os.getcwd()})
                self.assertEqual(set(done.stdout.split("\n")) - {"", f"--{line}"}, {"--strict", "--sample"}, done.stderr)

    def test_limits(self):
        """No command takes one that is none; gate.begin, the first of CTest's tests, is such a command."""
        self.ends(2, "", "kernelgate: KG_CASE_TIMEOUT='abc' is not a number of seconds from 0.001 to 1000000: set it to one, or unset "
                         "it\n", "begin", KG_CASE_TIMEOUT="abc")
        self.ends(2, "", "KG_CASE_SECONDS='0.01' is not a number of seconds from 0.02 to 3600: ", "begin", KG_CASE_TIMEOUT="",
                  KG_CASE_SECONDS="0.01")
        self.ends(0, "", "", "begin", KG_CASE_TIMEOUT="", KG_CASE_SECONDS="2")


class Border(unittest.TestCase):
    """Python starts the programs that are C, and these start no Python."""

    def test_no_program_knows_an_interpreter(self):
        build = os.path.dirname(COMMAND)
        programs = [f"{COMMAND}-judge", *(os.path.join(build, "harness", "tests", f"fake.{kind}") for kind in ("model", "gpu"))]
        for program in programs:
            with open(program, "rb") as file:
                self.assertNotIn(b"python", file.read().lower(), program)

    def test_no_source_names_one(self):
        harness = os.path.join(TREE, "harness")
        sources = [os.path.join(folder, name) for folder, _, names in os.walk(harness) for name in names
                   if name.endswith((".c", ".h", ".cu", ".cpp")) and not folder.startswith(os.path.join(harness, "tests"))]
        self.assertGreater(len(sources), 100)
        for path in sources:
            strings = re.findall(r'"(?:[^"\\\n]|\\.)*"', read_text(path))
            self.assertFalse([text for text in strings if "python" in text.lower() or ".py" in text], path)


class Begin(Command):
    def test_makes_the_folder_that_is_named(self):
        for folder, arguments, settings in (("here/out", ("--out", "here/out"), {}), ("there", ("--out=there",), {}), ("out", (), {}),
                                            ("everywhere", (), {"KG_OUT": "everywhere"})):
            self.ends(0, "", "", "begin", *arguments, **settings)
            self.assertTrue(os.path.isdir(os.path.join(folder, "records")))
        self.write("file", "")
        self.ends(2, "", "kernelgate: file: is not a folder", "begin", "--out", "file")

    def test_follows_no_link(self):
        """What an earlier run left is removed, and what a link leads to was left by nobody."""
        os.mkdir("linked")
        self.write("mine/a.jsonl", "mine")
        os.symlink("../mine", "linked/records")
        self.ends(2, "", "kernelgate: linked/records: is a symbolic link", "begin", "--out", "linked")
        self.assertTrue(os.path.exists("mine/a.jsonl"))


class Results(Command):
    def test_files_and_exit_codes(self):
        self.leave("pass")
        self.ends(0, "PASS  1 case on t\nout/report/index.html  out/results.json  ", "", "results")
        self.assertEqual(json.loads(self.read("out/results.json"))["schema"], "kernelgate-results/2")
        self.assertIn('<testsuites name="kernelgate" tests="3"', self.read("out/junit.xml"))
        self.assertIn("# kernelgate: PASS (exit 0)", self.read("out/summary.md"))
        self.leave("slower")
        text = self.ends(1, "ctest --test-dir build/mine -R", None, "results", "--build", "build/mine")
        self.assertIn("\nFAIL  1 slower of 1 case on t\n", text)
        self.assertEqual(self.ends(1, "FAIL", None, "results", "-q"), "FAIL  1 slower of 1 case on t\n")
        self.ends(1, "\nslower       t", None, "results", "--verbose")
        self.assertEqual(json.loads(self.ends(1, "{", None, "results", "--json")), json.loads(self.read("out/results.json")))
        self.leave(skipped="no GPU", skipped_by="unavailable")
        self.ends(77, "\nNOTHING JUDGED  no case was judged", None, "results")
        self.ends(2, None, None, "results", "--strict")
        self.write(VERDICTS, "{")
        self.ends(2, "\ngpu.a.time: error: ", None, "results")

    def test_annotations_in_a_job_of_github_actions_alone(self):
        self.leave("slower")
        for job in ({}, {"GITHUB_ACTIONS": "false"}):
            self.assertNotIn("::error", self.ends(1, "FAIL", None, "results", **job))
        self.ends(1, "\n::error title=slower%3A a/b/1/- on t::because%0Areproduce: ", None, "results", GITHUB_ACTIONS="true")

    def test_strict_by_option_and_by_environment(self):
        self.leave("noisy")
        self.ends(0, "but not with KG_STRICT=1: 1 noisy", None, "results")
        for code, arguments, settings in ((1, ("--strict",), {}), (1, (), {"KG_STRICT": "1"}), (0, (), {"KG_STRICT": "0"})):
            self.ends(code, None, None, "results", *arguments, **settings)
        self.ends(2, "", "kernelgate: KG_STRICT='false' is neither 0 nor 1: set it to 1 for strict mode, or to 0\n", "results",
                  KG_STRICT="false")
        self.ends(0, None, None, "help", "results", KG_STRICT="false")

    def test_a_glob_that_takes_no_case(self):
        """CTest alone is the gate too."""
        self.leave("pass")
        self.ends(2, None, None, "results", KG_FILTER="a/*,b/*")
        self.ends(0, None, None, "results", KG_FILTER="a/*")

    def test_files_that_cannot_be_written(self):
        self.leave("pass")
        os.mkdir("out/results.json")
        self.ends(2, None, "kernelgate: out/results.json: cannot be written", "results")
        os.rmdir("out/results.json")
        for name in ("junit.xml", "summary.md"):
            os.mkdir(f"out/{name}")
        done = self.run_command("results")
        self.assertEqual(done.returncode, 2)
        for name in ("junit.xml", "summary.md"):
            self.assertIn(f"kernelgate: out/{name}: cannot be written", done.stderr)
        self.assertTrue(os.path.exists("out/report/index.html"), "the other files are written")
        self.ends(2, None, "kernelgate: nowhere/records: the folder cannot be read", "results", "--out", "nowhere")

    def test_odd_values_and_streams(self):
        """A value that looks like help is one; a run that cannot be printed has its files, and gives its folder back."""
        self.leave("pass")
        self.ends(2, "kernelgate: error: -h", None, "results", "--error=-h")
        self.ends(2, "", "KG_STRICT='yes' is neither", "results", "--error=-h", KG_STRICT="yes")
        shutil.copy(VERDICTS, "kept")
        for closed in (">&-", ">/dev/full", "2>&- >&-", "2>/dev/full >/dev/full"):
            steps = f"{COMMAND} begin && cp kept {VERDICTS} && {COMMAND} results {closed}; code=$?; ls out; exit $code"
            done = subprocess.run(["sh", "-c", steps], capture_output=True, text=True, check=False, env=self.environment)
            self.assertEqual((done.returncode, "Traceback" in done.stderr, "junit.xml" in done.stdout), (2, False, True), closed)
            self.assertEqual(self.read("out/run.lock"), "", "it is held by nobody")

    def test_lint_the_baselines_of_the_run(self):
        """A run that knows its programs finds what lint does, and what a test has reported once alone."""
        known = ("results", "--programs", "programs")
        self.write("programs", "")
        self.leave("pass")
        self.ends(0, None, None, *known)
        self.write("baselines/cpu-model.json", BASELINE)
        self.ends(0, None, None, *known)
        self.write("baselines/cpu-model.json", BAD_BASELINE)
        self.ends(0, None, None, "results")
        self.ends(2, f"kernelgate: error: {WRONG_SCHEMA}", None, *known)
        self.leave(errors=[f"{WRONG_SCHEMA}: fix the file, or record it again with kernelgate rebaseline"])
        self.assertNotIn("kernelgate: error: ", self.ends(2, None, None, *known))
