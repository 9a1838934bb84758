# SPDX-License-Identifier: MIT
"""Tests of the tables that the Python commands print."""

import math
import os
import unittest
from unittest import mock

from kernelgate.base import columns as tool


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

    def test_a_cell_that_files_have_otherwise(self):
        table = tool.Table([tool.Column("x_y")], [[tool.Figure("-", "")], [tool.Figure("from 0", math.inf)], [tool.Figure("a_b", "c")]])
        self.assertEqual(table.format("csv"), "x_y\n\ninf\nc\n")
        self.assertEqual(table.format("markdown"), "| x\\_y |\n| --- |\n| - |\n| from 0 |\n| a\\_b |\n")
