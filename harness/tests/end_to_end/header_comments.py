# SPDX-License-Identifier: MIT
"""Tests of tools/dev/header-comments."""

import os
import subprocess

from command_run import TREE
from own_folder import OwnFolder

COMMAND = os.path.join(TREE, "tools", "dev", "header-comments")
# What each is about, the text, and where a comment is missing.
RULES = (
    ("a comment above is enough", "/* Frees it. */\nvoid kg__one_free(kg__one *one);\n"),
    ("of two lines", "/* Tells,\n * in two lines. */\nconst char *kg_tell(int (*how)(void), int n);\n"),
    ("none is not", "void kg__one_free(kg__one *one);\n", "a.h:1: kg__one_free"),
    ("the head's is not", "/* The head. */\n#include <a.h>\n\nint kg_one(void);\n", "a.h:4: kg_one"),
    ("a neighbor's is not", "/* Two. */\nint kg_a(int x,\n         int y);\nint kg_b(void);\n", "a.h:4: kg_b"),
    ("an empty line parts them", "/* part_checking.c */\n\nvoid kg__check(void);\n", "a.h:3: kg__check"),
    ("one beside the line above is a member's", "struct one {\n    int a;\n}; /* one */\n\nint kg_a(void);\n", "a.h:5: kg_a"),
    ("an inline function", "static inline int kg__a(void)\n{\n    return kg__b();\n}\n", "a.h:1: kg__a"),
    ("an inline function that has one", "/* One. */\nstatic inline __attribute__((always_inline)) int\nkg__a(int b)\n{\n    return kg__b(b);\n}\n"),
    ("of several declarations one has it", "#ifdef A\nstatic inline int kg__a(void)\n{\n    return 0;\n}\n#else\n/* One. */\nint kg__a(void);\n#endif\n"),
    ("none has it", "#ifdef A\nint kg__a(void);\n#else\nint kg__a(int b);\n#endif\n", "a.h:2: kg__a", "a.h:4: kg__a"),
    ("directives may stand between", "/* The path. */\n#define KG_A \\\n    1\nint kg__a(void);\n"),
    ("no functions",
     "typedef int kg_call(int);\nstruct one {\n    int (*kg_do)(int);\n};\nextern int kg_a;\n#define KG_B(x) kg_b(x)\n"),
    ("not kernelgate's", '#ifdef __cplusplus\nextern "C" {\n#endif\n/* One. */\nint kg_a(void);\nint other(void);\n#ifdef __cplusplus\n}\n#endif\n'),
    ("within extern C", 'extern "C" {\nint kg_a(void);\n}\n', "a.h:2: kg_a"),
    ("a template that has one", "/* One. */\ntemplate <typename V>\nstatic auto kg_a(V v) -> decltype(+v)\n{\n    return v;\n}\n"),
    ("a template with a default", "template <typename V, int n = 0>\nauto kg_a(V v)\n{\n    return v;\n}\n", "a.h:1: kg_a"),
    ("a macro's call", "KG__UNARY(one, kg__a(x))\n"),
    ("a template", "template <typename V>\nstatic auto kg_a(V v) -> decltype(+v)\n{\n    return v;\n}\n", "a.h:1: kg_a"),
)


class Rule(OwnFolder):
    def call(self, *arguments):
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_rules(self):
        for about, text, *places in RULES:
            self.write("a.h", text)
            code, printed = self.call("a.h")
            self.assertEqual((code, [line.split(": no comment")[0] for line in printed.splitlines()]), (int(places != []), places), about)

    def test_arguments(self):
        code, printed = self.call("/nowhere/a.h")
        self.assertEqual((code, "/nowhere/a.h: cannot be read" in printed), (2, True))
        self.assertEqual([self.call(*words)[0] for words in ((), ("--help",))], [2, 0])
