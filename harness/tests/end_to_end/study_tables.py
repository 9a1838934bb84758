# SPDX-License-Identifier: MIT
"""Tests of tools/dev/study-tables, tools/dev/error-rates and tools/dev/try-regressions."""

import ast
import os
import pathlib
import re
import runpy
import subprocess
import unittest

from command_run import TREE
from own_folder import OwnFolder, read_text, write_file

COMMAND = os.path.join(TREE, "tools", "dev", "study-tables")
BASELINE = {"cases": {f"a/v/{size}/-": {"time_ns": {"value": 5000, "band": 0.02}} for size in (1, 2)}}


def case(size, change, verdict="pass", observers=1, **more):
    figures = {"value": 5000 * (1 + change), "change": change, "clock": "graph", "smallest": 0.02}
    return {"case": f"a/v/{size}/-", "parts": ["time"], "metrics": {"time_ns": figures}, "verdict": verdict, "observers": observers, **more}


def results(*cases):
    return {"provenance": {"gpu": {"uuid": "GPU-0123456789"}}, "cases": list(cases)}


class Tables(OwnFolder):
    def setUp(self):
        super().setUp()
        self.write("baselines/gpu.json", BASELINE)

    def put_gate(self, name, exit_code, *cases, **more):
        self.write(f"study/false-alarms/{name}/results.json", results(*cases))
        self.write(f"study/false-alarms/{name}/gate.json", {"seconds": 50.5, "exit_code": exit_code, **more})

    def tables(self, code=0):
        done = subprocess.run([COMMAND, f"{self.folder}/study", f"{self.folder}/baselines"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr

    def test_false_alarms(self):
        self.put_gate("1", 0, case(1, 0.001), case(2, -0.03, "faster", 3))
        self.put_gate("2", 1, case(1, 0.021, "environment", 3), case(2, 0.0, gpu_state={"batches_repeated": 2}))
        printed = self.tables()
        self.assertIn("| GPU-01234567 | the stored | 2 | 4 | 4 | 25.0 % | 2 (50.0 %) | 1 | 1 | 1 | 0 |", printed)
        self.assertIn("Failed: environment a/v/1/-.", printed)

    def test_false_alarms_of_gates_that_settle(self):
        self.put_gate("1", 0, case(1, 0.001), case(2, 0.0), settled=False)
        self.put_gate("2", 0, case(1, 0.031, pairs={"time_ns": {"count": 12}}), case(2, 0.0), settled=True)
        printed = self.tables()
        self.assertIn("| GPU-01234567 | the stored | 1 | 2 | 2 | 0.0 % | 0 (0.0 %) | 0 | 0 | 0 | 0 |", printed)
        self.assertIn("| GPU-01234567 | the stored, and pairs | 1 | 2 | 2 | 0.0 % | 1 (50.0 %) | 0 | 0 | 0 | 0 |", printed)

    def test_a_run_that_was_cut_short_is_named(self):
        self.put_gate("1", 0, case(1, 0.0))
        self.write("study/false-alarms/2/gate.log", "kernelgate: built in 9 s\n")
        printed = self.tables()
        self.assertRegex(printed, r"Left out, for they were cut short: \S+/study/false-alarms/2\.")
        self.assertIn("| GPU-01234567 | the stored | 1 | 1 | 1 |", printed)

    def test_what_cannot_be_read_is_an_error(self):
        self.put_gate("1", 0, case(1, 0.0))
        os.remove("baselines/gpu.json")
        self.assertRegex(self.tables(2), r"^tools/dev/study-tables: \S+/baselines/gpu\.json: No such file or directory: put it there")

    def test_a_study_that_is_not_there_is_an_error(self):
        self.assertRegex(self.tables(2), r"^tools/dev/study-tables: \S+/study/false-alarms: No such file or directory: put it there")


class ErrorRates(OwnFolder):
    def rows(self, sessions, code=0):
        """The rows of a file with these sessions of one metric, without the words."""
        self.write("sessions/gpu.json", {"schema": "kernelgate-sessions/1", "target": "gpu", "sessions": {
            "copy": {"time_ns": {"GPU-1": [1, 2, 3]}}, "a/v/1/-": {"time_ns": {"GPU-1": sessions}}}})
        done = subprocess.run([os.path.join(TREE, "tools", "dev", "error-rates"), "."], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return [[cell.strip() for cell in line.strip("| ").split("|")][2:] for line in done.stdout.splitlines()[2:]]

    def test_threes_of_sessions(self):
        """One process that was disturbed trips, and is not confirmed; of two the median is slower. What is noisy is not judged."""
        calm, interval = [10000] * 9, "0.00% to 56.15%"
        for sessions, five in ((calm, ["3", "0 (0.00%)", "0 (0.00%)", interval]),
                               ([*calm[:6], 11000, 10000, 10000], ["1", "1 (100.00%)", "0 (0.00%)", "0.00% to 79.35%"]),
                               ([*calm[:6], 11000, 11000, 10000], ["1", "1 (100.00%)", "1 (100.00%)", "20.65% to 100.00%"])):
            self.assertEqual(self.rows(sessions)[-1], ["five", *five], sessions)
        self.assertEqual(self.rows([10000, 12000] * 5), [])
        self.rows([0], code=2)


class Pages(unittest.TestCase):
    """The tables of committed data in the pages are what they are computed to be; after a recording they are to be made again."""

    def expect_rows(self, page, rows):
        with open(os.path.join(TREE, page), encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        self.assertTrue(rows)
        self.assertEqual([row for row in rows if row not in lines], [], f"rows that {page} does not have")

    def test_tables_of_tools(self):
        done = subprocess.run([os.path.join(TREE, "tools/dev/error-rates")], capture_output=True, text=True, check=True)
        self.expect_rows("docs/evidence/error-rates.md", [line for line in done.stdout.splitlines() if line])


class Architecture(unittest.TestCase):
    def test_each_path_exists(self):
        """Each file that docs/architecture.md names is in the tree, in the directory that it gives."""
        files = ["/" + path.as_posix() for folder in ("harness", "tools", "cmake", "suites", "baselines", "ci")
                 for path in pathlib.Path(TREE, folder).rglob("*")]
        text = pathlib.Path(TREE, "docs/architecture.md").read_text(encoding="utf-8")
        named = {path for path in re.findall(r"(?<![\w/>.*])[\w/-]+\.(?:c|h|py|cmake|jsonl|txt)\b", text)
                 if not path.startswith("out/")}
        self.assertGreater(len(named), 40)
        self.assertEqual([path for path in sorted(named) if not any(file.endswith("/" + path) for file in files)], [])

    def test_each_function_exists(self):
        """Each function that the page names with its brackets is defined: in C, in Python, in a class if it is one's, or in bash."""
        defined = set()
        for path in (path for folder in ("harness", "tools", "cmake", "ci") for path in pathlib.Path(TREE, folder).rglob("*")):
            if path.suffix == ".py":
                scopes = [("", ast.parse(path.read_bytes()))]
                scopes += [(f"{scope.name}.", scope) for scope in scopes[0][1].body if isinstance(scope, ast.ClassDef)]
                defined |= {prefix + node.name for prefix, scope in scopes for node in scope.body if isinstance(node, ast.FunctionDef)}
            elif path.suffix in (".c", ".h", ".cmake") or not path.suffix and path.is_file():
                defined |= set(re.findall(r"^(?:[\w* ]*[ *]|(?:function|macro)\()?(\w+)(?=[( )])", path.read_text(encoding="utf-8"), re.M))
        text = pathlib.Path(TREE, "docs/architecture.md").read_text(encoding="utf-8")
        named = set(re.findall(r"(?<![\w<])(?:[A-Z]\w*\.)?[a-z]\w*(?=\(\))", text))
        self.assertGreater(len(named), 40)
        self.assertEqual(sorted(named - defined - {"main"}), [])


class Regressions(OwnFolder):
    def test_each_change_has_its_place(self):
        """Each text that tools/dev/try-regressions replaces is once in its file."""
        for regression in runpy.run_path(os.path.join(TREE, "tools", "dev", "try-regressions"))["load_regressions"]():
            with self.subTest(regression.what):
                for edit in regression.edits:
                    write_file(edit.file, read_text(os.path.join(TREE, edit.file)))
                regression.apply(pathlib.Path.cwd())
