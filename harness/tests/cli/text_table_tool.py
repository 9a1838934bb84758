"""Tests of the tables that the Python commands print. usage: text_table_tool.py TREE KERNELGATE"""

import importlib
import math
import os
import sys
import unittest
from unittest import mock

sys.argv.pop()
TREE = sys.argv.pop()
sys.path.insert(0, os.path.join(TREE, "tools", "kernelgate"))
common, tool = (importlib.import_module(name) for name in ("common", "text_table"))


class Tables(unittest.TestCase):
    def setUp(self):
        self.table = tool.Table([tool.Column("verdict"), tool.Column("target", csv_only=True), tool.Column("ns", right=True),
                                 tool.Column("note")], colored="verdict")
        self.table.add("pass", "gpu", tool.Figure("47 980", 47980.25), "")
        self.table.add("slower", "gpu", tool.Figure("–", math.nan), 'a_b, "c" | <d>')
        environment = mock.patch.dict(os.environ, {"NO_COLOR": "1"})
        environment.start()
        self.addCleanup(environment.stop)

    def test_formats(self):
        for form, expected in (
                ("text", 'verdict      ns  note\npass     47 980\nslower        –  a_b, "c" | <d>\n'),
                ("markdown", "| verdict | ns | note |\n| --- | ---: | --- |\n| pass | 47 980 |  |\n"
                             '| slower | – | a\\_b, "c" \\| &lt;d&gt; |\n'),
                ("csv", 'verdict,target,ns,note\npass,gpu,47980.25,\nslower,gpu,,"a_b, ""c"" | <d>"\n')):
            self.assertEqual(self.table.format(form), expected)

    def test_colors(self):
        with mock.patch.dict(os.environ, {"CLICOLOR_FORCE": "1"}):
            self.assertNotIn("\x1b", self.table.format("text"))
            del os.environ["NO_COLOR"]
            self.assertIn("\n\x1b[31mslower\x1b[0m  ", self.table.format("text"))
            self.assertNotIn("\x1b", self.table.format("markdown"))

    def test_figures(self):
        for value, unit, expected in ((47980, "ns", "47 980 ns"), (3.6521, "ns", "3.652 ns"), (31.456, "", "31.46"),
                                      (312.34, "", "312.3"), (1234.5, "", "1 234"), (-1234567, "", "-1 234 567"),
                                      (2e15, "ns", "2e+15 ns"), (math.nan, "ns", "unknown"), (0, "", "0")):
            self.assertEqual(tool.show_figure(value, unit), expected)
        for fraction, sign, expected in ((0.0631, False, "6.3 %"), (0.0631, True, "+6.3 %"), (3.1e-5, False, "0.0031 %"),
                                         (-0.5, True, "-50.0 %"), (12.3456, False, "1 235 %"), (math.inf, False, "unknown"),
                                         (1e15, True, "+1e+17 %"), (0, True, "0.0 %"), (1e-300, False, "0.000000000 %")):
            self.assertEqual(tool.show_percent(fraction, sign), expected)
        for figure, expected in ((1e15, "1000000000000000"), (1.1, "1.1"), (1e-7, "1e-07"), (2e16, "2e+16")):
            table = tool.Table([tool.Column("x")])
            table.add(tool.Figure("", figure))
            self.assertEqual(table.format("csv"), f"x\n{expected}\n")

    def test_texts_of_any_origin(self):
        for text, expected in (("a\nb\u202e\u200b", "a b  "), ("::error::x", ": error::x"), (" ::x", " : x"), ("a::b", "a::b"),
                               ("##[group]", "# [group]"), ("\udcff", "\ufffd"), ("größe", "größe")):
            self.assertEqual(tool.clean(text), expected)

    def test_the_format(self):
        for asked, as_json, expected in ((None, False, "text"), (None, True, "json"), ("json", True, "json"),
                                         ("csv", False, "csv")):
            self.assertEqual(tool.parse_format("c", {"format": asked, "json": as_json}), expected)
        for asked, as_json, told in (("csv", True, "c: --json and --format csv are two formats: give one"),
                                     ("jsn", False, 'no format "jsn"; did you mean json: use text, markdown, csv or json')):
            with self.assertRaisesRegex(common.Failure, told):
                tool.parse_format("c", {"format": asked, "json": as_json})


if __name__ == "__main__":
    unittest.main()
