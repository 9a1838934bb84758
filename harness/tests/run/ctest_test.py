# SPDX-License-Identifier: MIT
"""How a gate lists the boards for CTest."""

import os
import tempfile
import unittest
from types import SimpleNamespace

from own_folder import write_file

from kernelgate.run import ctest

ALL_FIRST = " (so all tests go to the first board)"


class Boards(unittest.TestCase):
    def list_boards(self, script):
        """The boards that a program with this script lists, and what is said; None: there is no program."""
        said = []
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "a.gpu")
            if script:
                write_file(program, f"#!/bin/sh\n{script}\n")
                os.chmod(program, 0o755)
            project = SimpleNamespace(folder=lambda _: folder, programs=lambda *_: [program] if script is not None else [])
            boards = ctest.list_boards(project, SimpleNamespace(say=said.append))
            return boards, " ".join(said).replace(folder, "BUILD"), os.path.exists(os.path.join(folder, "gpus.json"))

    def test_boards_are_listed(self):
        for script, count, told, error in (
                (None, 0, "", ""), ("echo '{\"id\": \"0\"}'", 1, "", ""),
                ("echo '{\"id\": \"0\"}, {\"id\": \"1\"}'", 2, "the tests for the GPU are spread over 2 boards (BUILD/gpus.json)", ""),
                ("echo 'kernelgate: no GPU' >&2; exit 77", 0, "no GPU" + ALL_FIRST, ""),
                ("exit 77", 0, "no resource spec" + ALL_FIRST, ""),
                ("echo 'kernelgate: the driver fails' >&2; exit 2", 0, "the driver fails: build it again" + ALL_FIRST,
                 "a.gpu: does not list its boards (exit code 2): kernelgate: the driver fails: build it again"),
                ("", 0, "BUILD/a.gpu: does not list its boards (No such file or directory): build it again" + ALL_FIRST, "(No such file")):
            with self.subTest(script):
                boards, said, is_written = self.list_boards(script)
                self.assertEqual((boards.count, is_written, bool(boards.error)), (count, count > 0, bool(error)))
                self.assertIn(told, said)
                self.assertIn(error, boards.error)
