# SPDX-License-Identifier: MIT
"""Runs the tests of a file, which finds kernelgate's modules and those that tests share.
usage: tests_of.py FILE [ARGUMENT...] [-- unittest's arguments]"""

import importlib
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    path, *sys.argv[1:] = sys.argv[1:]
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    chosen, sys.argv[end:] = sys.argv[end + 1:], []
    folder, name = os.path.split(os.path.abspath(path))
    sys.path[:1] = [folder, *(os.path.join(HERE, shared) for shared in ("cli", "end_to_end", "report", "fakes")),
                    *(os.path.join(HERE, os.pardir, os.pardir, tools) for tools in ("tools", "tools/dev"))]
    unittest.main(importlib.import_module(os.path.splitext(name)[0]), argv=[path, *chosen])
