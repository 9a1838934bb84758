# SPDX-License-Identifier: MIT
"""Tests of numbers as texts."""

import math
import os
import unittest

from command_run import TREE
from own_folder import read_json_lines

from kernelgate.base import figures


class Figures(unittest.TestCase):
    def test_examples(self):
        """Those that test kg__show_figure() and kg__show_percent()."""
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "base", "figures.jsonl"))
        for row in rows:
            value = row.get("figure", row.get("fraction"))
            value = math.nan if value is None else value
            shown = figures.show_figure(value, row["unit"]) if "figure" in row else figures.show_percent(value, row["sign"])
            self.assertEqual(shown, row["shown"], row)

    def test_what_is_known(self):
        self.assertEqual([figures.show_figure(math.inf), figures.show_percent(math.inf)], ["unknown", "unknown"])
        self.assertEqual([figures.known_figure(value, "ns") for value in (5, math.nan)], ["5 ns", ""])
        self.assertEqual([figures.known_percent(value, True) for value in (0.5, math.nan)], ["+50.0 %", ""])

    def test_exact(self):
        for value, expected in ((1e15, "1000000000000000"), (1.1, "1.1"), (1e-7, "1e-07"), (2e16, "2e+16"), (-0.0, "0"),
                                (0.1 + 0.2, "0.30000000000000004"), (math.nan, ""), (math.inf, "inf")):
            self.assertEqual(figures.exact(value), expected)
        self.assertEqual(figures.exact(2e16, 2e16), "20000000000000000")

    def test_words(self):
        self.assertEqual([figures.unit_of(metric) for metric in ("time_ns", "_ns", "barriers")], ["ns", "", ""])
        self.assertEqual([figures.plural(1, "case"), figures.plural(0, "case"), figures.plural(2, "launch", "es")],
                         ["1 case", "0 cases", "2 launches"])
