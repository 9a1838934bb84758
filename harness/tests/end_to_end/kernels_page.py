# SPDX-License-Identifier: MIT
"""Tests of tools/dev/kernels-page. Skipped (exit code 77) while BUILD has no programs."""

import json
import os
import re
import shutil
import subprocess
import sys

from command_run import TREE
from own_folder import OwnFolder, read_text
from results_fixture import results, timed

BUILD = os.path.join(TREE, "build", "cpu")  # the sanitized build lacks some comparisons
H100, H200 = "baselines/nvidia-h100-80gb-hbm3.json", "baselines/nvidia-h200.json"
CUBLAS, SPLIT_K, TILED = (f"matmul_f32/{case}" for case in ("cublas/1024/-", "split_k/1024/-", "tiled/1024/b32"))


def is_built():
    try:
        return all(os.access(path, os.X_OK) for path in read_text(os.path.join(BUILD, "kernelgate.programs")).split("\n") if path)
    except FileNotFoundError:
        return False


class Made(OwnFolder):
    """In a copy of what the page is made from."""

    def setUp(self):
        super().setUp()
        for name in ("tools", "docs", "baselines"):
            shutil.copytree(os.path.join(TREE, name), name, ignore=shutil.ignore_patterns("__pycache__", "evidence"))
        os.symlink(os.path.join(TREE, "kernels"), "kernels")
        shutil.copy(os.path.join(TREE, "README.md"), "README.md")

    def replace(self, name, before, after):
        text = self.read(name)
        self.assertEqual(text.count(before), 1, before)
        self.write(name, text.replace(before, after))

    def make(self, code, *arguments):
        done = subprocess.run(["tools/dev/kernels-page", "--build", BUILD, *arguments], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def row(self, first):
        """The row of matmul_f32's table that begins so."""
        table = self.read("docs/kernels.md").partition("## matmul_f32\n")[2].partition("\n##")[0]
        return next(line for line in table.splitlines() if line.startswith(f"| {first} |"))

    def move(self, case, time, baseline=H200):
        """Gives a case, or all that begin so, another time."""
        document = json.loads(self.read(baseline))
        for found in filter(lambda found: found.startswith(case), document["cases"]):
            document["cases"][found]["time_ns"].update(value=time, gated=False)
        self.write(baseline, json.dumps(document))

    def test_a_baseline_that_moved(self):
        self.move(TILED, 4000)
        message = self.make(1, "--check")
        self.assertIn("docs/kernels.md, README.md: not what the baselines, suites and docs/libraries.json say now: run tools/dev/kernels-page, "
                      "and commit what it writes", message)
        self.assertEqual(self.make(0), "")
        self.assertIn("| **4.0** |", self.row("`tiled`"))
        self.make(0, "--check")

    def test_a_rung_that_does_not_pay(self):
        for time, told in ((1, ""), (9e6, "does not pay on the H200")):
            for baseline in (H200, H100) if time == 1 else (H200,):
                self.move("matmul_f32/register_tile/", time, baseline)
            self.make(0)
            steps = self.read("docs/kernels.md").partition("- `register_tile`:")[2].partition("\n-")[0]
            self.assertEqual(" ".join(steps.split()).partition("; ")[2], told)

    def test_a_rung_that_is_only_counted(self):
        for baseline in (H100, H200):
            document = json.loads(self.read(baseline))
            document["cases"] = {case: entry for case, entry in document["cases"].items() if not case.startswith("matmul_f32/naive/")}
            self.write(baseline, json.dumps(document))
        self.make(0)
        page = self.read("docs/kernels.md").partition("## matmul_f32\n")[2].partition("\n##")[0]
        self.assertNotIn("| `naive` |", page)
        self.assertIn("- `naive`: ", page)

    def test_a_run_with_libraries(self):
        """Of a size with a library, the library and the fastest kernel are kept, beside other sizes of the same CUDA. Cases without a
        time are ignored."""
        times = {CUBLAS: 4000, SPLIT_K: 5000, TILED: 24000, "matmul_f32/naive/1024/b16": 0, "vector_add/strided/1048576/b256g1056": 10}
        run = results(*(timed(case, time) for case, time in times.items()))
        before = json.loads(self.read("docs/libraries.json"))["gpus"]["nvidia-h200"]
        others = {case: time for case, time in before["times_ns"].items() if not re.match("matmul_f32/[a-z_]+/1024/", case)}
        self.assertIn("matmul_f32/cublas/2048/-", others)
        for cuda, kept in ((before["cuda"], others), ("99.0", {})):
            run["provenance"]["nvidia-h200"]["cuda"] = cuda
            self.write("run.json", json.dumps(run))
            self.make(0, "--libraries", "run.json")
            self.assertEqual(json.loads(self.read("docs/libraries.json"))["gpus"]["nvidia-h200"],
                             {"cuda": cuda, "times_ns": {**kept, CUBLAS: 4000, SPLIT_K: 5000}})
            self.assertIn("| **4.0** (80 %) |", self.row("cuBLAS"))

    def test_a_template_with_an_unknown_comparison(self):
        self.replace("tools/dev/kernels.md.j2", '"matmul_bf16"', '"matmul_bf17"')
        self.assertIn('there is no comparison "matmul_bf17"', self.make(2))

    def test_a_picture_and_a_readme_without_their_places(self):
        self.write("docs/ladder.svg", "")
        self.assertIn("docs/ladder.svg: not what", self.make(1, "--check"))
        self.replace("README.md", "gated at 2%", "gated at 3%")
        self.assertIn("README.md: has no table", self.make(2, "--check"))


if not is_built():
    print(f"{BUILD} has no programs: build preset cpu")
    sys.exit(77)
