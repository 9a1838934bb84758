# SPDX-License-Identifier: MIT
"""Tests of texts of any origin."""

import unittest

from kernelgate.base import text


class Texts(unittest.TestCase):
    def test_clean(self):
        for origin, expected in (
                ("a\nb\x1b\u202e\u200bc", "a b   c"), ("::error::x", ": error::x"), (" ::x", " : x"), (" \u00e9::x", " \u00e9: x"),
                ("a::b", "a::b"), ("x ::y", "x ::y"), ("##[group]", "# [group]"), ("\udcff\ufffe", "\ufffd\ufffd"),
                ("größe", "größe")):
            self.assertEqual(text.clean(origin), expected)

    def test_markup(self):
        self.assertEqual(text.escape_markdown("a|b`c*<d>&#1\n"), "a\\|b\\`c\\*&lt;d&gt;&amp;\\#1 ")
        self.assertEqual([text.code(name) for name in ("", "a`|b")], ["`?`", "`a'\\|b`"])
        self.assertEqual([text.csv_field(field) for field in ("a b", 'a,"b"', "\n")], ["a b", '"a,""b"""', " "])
