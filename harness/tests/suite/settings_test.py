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

    def test_misspelled(self):
        """Ignored, KG_BASELINE would leave a run with other baselines than were meant."""
        for name, meant in (("KG_BASELINE", "KG_BASELINES"), ("KG_BASELINE_", "KG_BASELINES"), ("KG_FILTERS", "KG_FILTER"),
                            ("KG_STRCT", "KG_STRICT")):
            with (self.subTest(name), mock.patch.dict(os.environ, {name: "x"}),
                  self.assertRaisesRegex(Failure, f"^{name} is .*: rename it to {meant}, or")):
                check_settings()
        others = ("KG_BASE", "KG_FILTER_GIVEN", "KG_BASE_COMMIT", "KG_SAMPLE", "KG_GPU", "KG_HISTORY")
        with mock.patch.dict(os.environ, {name: "x" for name in others}):
            check_settings()
