# SPDX-License-Identifier: MIT
"""The settings that the command refuses, by the examples that test harness/suite/settings.c. usage: settings_test.py TREE"""

import json
import os
import sys
import unittest
from unittest import mock

TREE = sys.argv[1]
sys.path.insert(0, os.path.join(TREE, "tools"))
# pylint: disable=wrong-import-position
from kernelgate.base.errors import Failure  # noqa: E402
from kernelgate.base.settings import check_settings  # noqa: E402


class Settings(unittest.TestCase):
    def test_examples(self):
        with open(os.path.join(TREE, "harness", "tests", "suite", "settings.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for row in rows:
            with self.subTest(row), mock.patch.dict(os.environ, {row["setting"]: row["value"]}):
                try:
                    check_settings()
                    taken = True
                except Failure:
                    taken = False
                self.assertEqual(taken, row["seconds"] is not None)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
