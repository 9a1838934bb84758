# SPDX-License-Identifier: MIT
"""Tests of tools/dev/header-comments."""

import os
import subprocess
import tempfile
import unittest

from own_folder import write_file
from command_run import TREE

COMMAND = os.path.join(TREE, "tools", "dev", "header-comments")


def check(text):
    """The command's exit code, and what it prints of a header of this text, without its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.h")
        write_file(path, text)
        done = subprocess.run([COMMAND, path], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.replace(path, "a.h") + done.stderr


class Rule(unittest.TestCase):
    def accepts(self, text):
        self.assertEqual(check(text), (0, ""))

    def refuses(self, text, *places):
        code, printed = check(text)
        self.assertEqual(code, 1, printed)
        self.assertEqual([line.split(": no comment")[0] for line in printed.splitlines()], list(places))

    def test_a_comment_above_is_enough(self):
        self.accepts("/* Frees it. */\nvoid kg__one_free(kg__one *one);\n")
        self.accepts("/* Tells,\n * in two lines. */\nconst char *kg_tell(int (*how)(void), int n);\n")

    def test_none_is_not(self):
        self.refuses("void kg__one_free(kg__one *one);\n", "a.h:1: kg__one_free")
        self.refuses("/* The head. */\n#include <a.h>\n\nint kg_one(void);\n", "a.h:4: kg_one")

    def test_a_neighbors_comment_is_not(self):
        self.refuses("/* Two. */\nint kg_a(int x,\n         int y);\nint kg_b(void);\n", "a.h:4: kg_b")

    def test_an_empty_line_parts_them(self):
        self.refuses("/* part_checking.c */\n\nvoid kg__check(void);\n", "a.h:3: kg__check")

    def test_a_comment_beside_the_line_above_is_a_members(self):
        self.refuses("struct one {\n    int a;\n}; /* one */\n\nint kg_a(void);\n", "a.h:5: kg_a")

    def test_inline_functions(self):
        self.refuses("static inline int kg__a(void)\n{\n    return kg__b();\n}\n", "a.h:1: kg__a")
        self.accepts("/* One. */\nstatic inline __attribute__((always_inline)) int\nkg__a(int b)\n{\n    return kg__b(b);\n}\n")

    def test_of_several_declarations_one_has_it(self):
        self.accepts("#ifdef A\nstatic inline int kg__a(void)\n{\n    return 0;\n}\n#else\n/* One. */\nint kg__a(void);\n#endif\n")
        self.refuses("#ifdef A\nint kg__a(void);\n#else\nint kg__a(int b);\n#endif\n", "a.h:2: kg__a", "a.h:4: kg__a")

    def test_directives_may_stand_between(self):
        self.accepts("/* The path. */\n#define KG_A \\\n    1\nint kg__a(void);\n")

    def test_what_is_no_function_needs_none(self):
        self.accepts("typedef int kg_call(int);\nstruct one {\n    int (*kg_do)(int);\n};\nextern int kg_a;\n#define KG_B(x) kg_b(x)\n")
        self.accepts('#ifdef __cplusplus\nextern "C" {\n#endif\n/* One. */\nint kg_a(void);\nint other(void);\n#ifdef __cplusplus\n}\n#endif\n')

    def test_within_extern_c(self):
        self.refuses('extern "C" {\nint kg_a(void);\n}\n', "a.h:2: kg_a")

    def test_templates(self):
        self.accepts("/* One. */\ntemplate <typename V>\nstatic auto kg_a(V v) -> decltype(+v)\n{\n    return v;\n}\n")
        self.refuses("template <typename V>\nstatic auto kg_a(V v) -> decltype(+v)\n{\n    return v;\n}\n", "a.h:1: kg_a")

    def test_a_header_that_is_not_there(self):
        done = subprocess.run([COMMAND, "/nowhere/a.h"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/a.h: cannot be read", done.stderr)

    def test_no_header_is_an_error(self):
        self.assertEqual(subprocess.run([COMMAND], capture_output=True, check=False).returncode, 2)
        self.assertEqual(subprocess.run([COMMAND, "--help"], capture_output=True, check=False).returncode, 0)
