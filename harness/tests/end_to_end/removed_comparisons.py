# SPDX-License-Identifier: MIT
"""Any of the shipped comparisons may be removed: each is missing from one of two trees, which have a single comparison left
and must configure.
"""

import pathlib
import re
import subprocess
import tempfile
import unittest

from command_run import TREE

ROOT = pathlib.Path(TREE)
LINE = re.compile(r"^ *kg_add_comparison\((\w+)[^)]*\)\n", re.MULTILINE)


def configure(kept, folder):
    """Configures the tree with one comparison in a folder; returns CMake's exit code and output."""
    lists = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(LINE.sub(lambda line: line[0] if line[1] == kept else "", lists), encoding="utf-8")
    for name in ("suites", "kernels"):
        (folder / name).mkdir()
    for path in (f"suites/{kept}.c", f"kernels/{kept}", "harness", "cmake", "baselines", "ci", "tools"):
        (folder / path).symlink_to(ROOT / path)
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DKG_HARNESS_TESTS=ON", "-DKG_GPU=OFF"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class RemovedComparisons(unittest.TestCase):
    def test_each_can_be_missing(self):
        shipped = LINE.findall((ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(shipped), 2)
        for kept in shipped[0], shipped[-1]:
            with self.subTest(kept=kept), tempfile.TemporaryDirectory(prefix="kernelgate-removed-") as folder:
                code, output = configure(kept, pathlib.Path(folder))
                self.assertEqual(code, 0, output)
