# SPDX-License-Identifier: MIT
"""Tests of the calculator of occupancy, by figures worked out by hand and by what a GPU's driver said when its baseline was recorded,
and of the figures that are read of cubins."""

import math
import os
import tempfile
import unittest

from command_fixture import BUILD, TREE
from fake_cubin import cubin_of
from own_folder import read_json, read_json_lines

from kernelgate.code.cubin import plain_name, read_kernels
from kernelgate.code.cuda_tools import ask, capability
from kernelgate.code.kernel_code import whole_code
from kernelgate.code.occupancy_limits import MULTIPROCESSORS, calculate

PLAIN, TILED = "_ZL5plainPf", "_Z5tiledILi16EEvPf"
RESERVED = 1024  # bytes of shared memory that the system has for itself, from sm_90 on
HOPPER = cubin_of(90, "_Z5plainPf", 40) + cubin_of(90, TILED, 32, shared=49152 + RESERVED)
AMPERE = cubin_of(80, "_Z5plainPf", 16, shared=49152) + cubin_of(80, TILED, 16)


class Calculator(unittest.TestCase):
    def test_by_hand(self):
        """Registers are given by the warp, in units of 256; shared memory by the block, in units of 128 (of 256 before 8.0), with
        1 KiB for the system from 8.0 on."""
        table = (
            # 2048 threads are 64 warps, of 8 a block.
            ((90, 32, 0, 0, 256), 8, 64, "threads and registers"),
            ((90, 16, 0, 0, 256), 8, 64, "threads"),
            # 40 x 32 are 1280, of which a quarter of 65536 holds 12: 48 warps.
            ((90, 40, 0, 0, 256), 6, 48, "registers"),
            # 49 152 + 1024 bytes, of which 233 472 holds 4.
            ((90, 16, 49152, 0, 128), 4, 16, "shared memory"),
            ((90, 16, 0, 49152, 128), 4, 16, "shared memory"),
            # 8 x 29 184 are all of it, of which the system takes its share: 7.
            ((90, 16, 29184, 0, 128), 7, 28, "shared memory"),
            # 102 400 + 1024, of which it holds 2: beyond 48 KiB, as asked for.
            ((90, 16, 0, 102400, 128), 2, 8, "shared memory"),
            ((80, 16, 49152, 0, 128), 3, 12, "shared memory"),
            ((90, 32, 0, 0, 16), 32, 32, "blocks"),
            ((86, 16, 0, 0, 64), 16, 32, "blocks"),
            ((75, 16, 0, 0, 256), 4, 32, "threads"),
            # 65536 registers are too few for 32 warps of 2304.
            ((90, 65, 0, 0, 1024), 0, 0, "registers"),
            ((90, 16, 0, 232448, 32), 1, 1, "shared memory"),
            ((90, 16, 0, 232449, 32), 0, 0, "shared memory"),
        )
        for (need, blocks, warps, limits), result in zip(table, calculate([row[0] for row in table])):
            figures = (result["blocks"], result["warps"], " and ".join(result["limited_by"]))
            self.assertEqual(figures, (blocks, warps, limits), need)
        self.assertAlmostEqual(calculate([(86, 16, 0, 0, 64)])[0]["occupancy"], 32 / 48, delta=1e-12)

    def test_as_the_toolkits_calculator(self):
        """What cuda_occupancy.h of CUDA 13 said of launches on every architecture."""
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "code", "occupancies.jsonl"))
        self.assertEqual({need[0] for need, *_ in rows}, MULTIPROCESSORS.keys())
        for (need, blocks, limits), result in zip(rows, calculate([row[0] for row in rows])):
            self.assertEqual((result["blocks"], result["limited_by"]), (blocks, limits), need)

    def test_what_is_not_a_launch(self):
        for need in ((90, 16, 0, 0, 0), (90, 16, 0, 0, -1), (90, 16, 0, 0, 1025), (90, -1, 0, 0, 32), (90, 256, 0, 0, 32),
                     (90, 16, 2**40, 0, 32), (90, 16, 0, 2**40, 32), (90, 16, -1, 0, 32), (90, 16, 0, 0, 2**33 + 32)):
            (result,) = calculate([need])
            self.assertIn("no kernel can be launched like this", result["why"], need)
        self.assertIn("architecture 35 are not known: use one of 50, 52", calculate([(35, 16, 0, 0, 32)])[0]["why"])

    def test_as_the_driver_said(self):
        """The driver of an H200 said what the occupancy of each recorded launch is."""
        cases = read_json(os.path.join(TREE, "baselines", "nvidia-h200.json"))["cases"]
        for entry in cases.values():
            entry["code"] = whole_code(entry.get("code"))
        launches = {}
        for comparison in {case.split("/")[0] for case in cases}:
            program = os.path.join(BUILD, f"{comparison}.model")
            if os.path.exists(program):  # a comparison may have been removed
                for launch in reversed(ask(program)["cases"]):
                    launches[launch["case"]] = launch
        needs = {}
        for case, entry in cases.items():
            if case in launches and entry["code"]:
                code, dynamic = entry["code"], launches[case].get("dynamic_shared", 0)
                needs[case] = (90, code["registers"], code["shared_bytes"] - dynamic, dynamic, math.prod(launches[case]["block"]))
        for case, result in zip(needs, calculate(list(needs.values()))):
            self.assertEqual(result["occupancy"], cases[case]["code"]["occupancy"], case)
        self.assertGreater(len(needs), 100)


class Words(unittest.TestCase):
    def test_capabilities(self):
        for text, number in (("9.0", 90), ("8.9", 89), ("12.1", 121), ("", 0), ("unknown", 0)):
            self.assertEqual(capability({"compute_capability": text}), number)


class Kernels(unittest.TestCase):
    """What the compiler gave kernels, from their cubins."""

    def kernels_of(self, data):
        """The architecture, the plain name and the resources of each kernel."""
        with tempfile.NamedTemporaryFile() as program:
            program.write(data)
            program.flush()
            return [(kernel["architecture"], plain_name(kernel["name"]), kernel["registers"], kernel["static_shared"], kernel["local_bytes"])
                    for kernel in read_kernels(program.name)]

    def test_cubins(self):
        plain = "_Z5plainPf"
        self.assertEqual(self.kernels_of(HOPPER + AMPERE + cubin_of(100, TILED, 24, shared=2048 + RESERVED, stack=64)), [
            (90, plain, 40, 0, 0), (90, TILED, 32, 49152, 0), (80, plain, 16, 49152, 0), (80, TILED, 16, 0, 0), (100, TILED, 24, 2048, 64)])

    def test_names_of_two_compilers(self):
        for mangled, plain in (
            ("_ZL5naivePf", "_Z5naivePf"), ("_Z5tiledILi16EEvPf", "_Z5tiledILi16EEvPf"), ("_ZN2kgL5naiveEv", "_ZN2kg5naiveEv"),
            ("_Z6fourthIL4Edge1EEvPi", "_Z6fourthI4Edge1EEvPi"), ("_ZN12_GLOBAL__N_15naiveEv", "_ZN12_GLOBAL__N_15naiveEv"),
            ("_ZN32_GLOBAL__N__63d8032e_4_n_cu_main6kernelIiEEvPT_", "_ZN12_GLOBAL__N_16kernelIiEEvPT_"), ("main", "main"),
            ("", ""), ("_ZN99_GLOBAL__N_5naive", "_ZN99_GLOBAL__N_5naive"),
            ("_Z99999999999999999999999x", "_Z99999999999999999999999x"),
        ):
            self.assertEqual(plain_name(mangled), plain)

    def test_what_is_no_program(self):
        for data in (b"", b"#!/bin/sh", HOPPER[:300]):
            self.assertEqual(self.kernels_of(data), [], data)
