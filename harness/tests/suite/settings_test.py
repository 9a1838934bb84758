# SPDX-License-Identifier: MIT
"""The settings that the command refuses, by the examples that test harness/suite/settings.c."""

import os
import unittest
from unittest import mock

from command_run import TREE
from own_folder import read_json_lines

from kernelgate.base.errors import Failure
from kernelgate.base.settings import check_settings


class Settings(unittest.TestCase):
    def test_examples(self):
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "suite", "settings.jsonl"))
        for row in rows:
            with self.subTest(row), mock.patch.dict(os.environ, {row["setting"]: row["value"]}):
                try:
                    check_settings()
                    taken = True
                except Failure:
                    taken = False
                self.assertEqual(taken, row["seconds"] is not None)
