"""Tests of numbers as texts. usage: figures_tool.py TREE KERNELGATE"""

import math
import os
import sys
import unittest

sys.argv.pop()
sys.path.insert(0, os.path.join(sys.argv.pop(), "tools"))

from kernelgate.base import figures


class Figures(unittest.TestCase):
    def test_figures(self):
        for value, unit, expected in ((47980, "ns", "47 980 ns"), (3.6521, "ns", "3.652 ns"), (31.456, "", "31.46"),
                                      (312.34, "", "312.3"), (1234.5, "", "1 234"), (-1234567, "", "-1 234 567"),
                                      (2e15, "ns", "2e+15 ns"), (math.nan, "ns", "unknown"), (0, "", "0")):
            self.assertEqual(figures.show_figure(value, unit), expected)
        self.assertEqual([figures.known_figure(value, "ns") for value in (5, math.nan)], ["5 ns", ""])

    def test_percents(self):
        for fraction, sign, expected in ((0.0631, False, "6.3 %"), (0.0631, True, "+6.3 %"), (3.1e-5, False, "0.0031 %"),
                                         (-0.5, True, "-50.0 %"), (12.3456, False, "1 235 %"), (math.inf, False, "unknown"),
                                         (1e15, True, "+1e+17 %"), (0, True, "0.0 %"), (1e-300, False, "0.000000000 %")):
            self.assertEqual(figures.show_percent(fraction, sign), expected)
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


if __name__ == "__main__":
    unittest.main()
