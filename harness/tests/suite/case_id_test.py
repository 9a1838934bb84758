# SPDX-License-Identifier: MIT
"""The grammar of cases' ids in Python, by the examples that test harness/suite/case_id.c."""

import os
import re
import unittest

from command_run import TREE
from own_folder import read_json_lines
from kernelgate.base.case_id import (is_case_id, is_program_case, parse_case_id, parts_of, plain_part, shape_part, target_key,
                                     variant_of_case)
from kernelgate.base.schemas import BASELINE, CODE, load_schema


class CaseIds(unittest.TestCase):
    def test_examples(self):
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "suite", "case_ids.jsonl"))
        baseline, code = (load_schema(name)["properties"] for name in (BASELINE, CODE))
        patterns = [form["pattern"] for form in (baseline["cases"]["propertyNames"], baseline["accuracy"]["propertyNames"],
                                                 baseline["checked"]["items"], code["cases"]["propertyNames"])]
        for row in rows:
            self.assertEqual([re.search(pattern, row["id"]) is not None for pattern in patterns], [len(row) > 1] * 4, row["id"])
            found = parse_case_id(row["id"])
            with self.subTest(row["id"]):
                self.assertEqual(is_case_id(row["id"]), len(row) > 1)
                self.assertEqual(found is not None, "launch" in row or "other" in row)
                if "launch" in row:
                    self.assertEqual(found.values(), tuple(row["launch"]))
                    self.assertEqual((found.comparison, found.variant, found.size), ("matmul", "naive", "31x17"))

    def test_parts(self):
        self.assertEqual(parts_of("a/b/1/b2/c"), ["a", "b", "1", "b2/c"])
        self.assertEqual((variant_of_case("a/b/1/b2"), variant_of_case("a")), ("a/b", "a"))

    def test_parts_of_programs(self):
        """Names that differ are parts that differ."""
        names = {"sum": "sum", "ns::sum<float, 256>": "ns.sum-float-256", "Inst/Suite.Case/0": "Inst-Suite.Case-0", "adds up": "adds_up"}
        self.assertEqual({name: plain_part(name) for name in names}, names)
        odd = ["f<int*>", "f<int&>", "(anonymous namespace)::f", "f(int)", "", "\u00e9", "x" * 64, "x" * 65, "f<main::{lambda(int)#1}>"]
        parts = [plain_part(name) for name in odd]
        self.assertEqual(len({*parts, *names.values()}), len(odd) + len(names))
        for part in parts:
            self.assertTrue(is_case_id(f"a/b/{part}/-") and len(part) <= 63, part)

    def test_shapes_of_programs(self):
        for block, grid, shape in (((64, 1, 1), (4, 1, 1), "b64g4"), ((8, 8, 1), (4, 1, 2), "b8by8g4gz2"), ((1, 1, 2), (1, 3, 1), "b1bz2g1gy3")):
            self.assertEqual(shape_part(block, grid), shape)
            self.assertTrue(is_program_case(f"a/b/c/{shape}") and parse_case_id(f"a/b/c/{shape}"))
        self.assertFalse(any(map(is_program_case, ("a/b/31x17/b256", "a/b/-/-", "a/b/31/g4b64", "a/b/31/bm8g4"))))

    def test_keys(self):
        self.assertEqual([target_key(name) for name in ("NVIDIA H200", " a--\u0130B ", "x" * 99)], ["nvidia-h200", "a-b", "x" * 95])
