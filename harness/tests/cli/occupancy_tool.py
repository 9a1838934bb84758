# SPDX-License-Identifier: MIT
"""Tests of `kernelgate occupancy`: the calculator by figures worked out by hand and by what a GPU's driver said when its baseline
was recorded, and the command on stand-ins for programs and tools."""

import json
import os
import struct
import sys
import tempfile
import unittest

from command_fixture import BUILD, TREE, Folder
from own_folder import read_json, read_json_lines

from kernelgate.predict import occupancy
from kernelgate.code import resource_usage
from kernelgate.code.kernel_code import whole_code
from kernelgate.code.occupancy_limits import MULTIPROCESSORS
from kernelgate.code.resource_usage import Resources


PLAIN, TILED = "_ZL5plainPf", "_Z5tiledILi16EEvPf"
TIME = {"value": 5000, "band": 0.02}
CASES = [("m/plain/530/b16", PLAIN, 0), ("m/plain/1024/b16", PLAIN, 0), ("m/tiled/530/b16", TILED, 1024)]


def cubin_of(architecture, kernel, registers, shared, stack=0):
    """A cubin of one kernel, with what the command reads. From sm_90 on what the system reserves is in the shared memory."""
    names = b"\0.text.k\0.nv.info\0.nv.shared.k\0" + kernel.encode() + b"\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", names.index(kernel.encode()), 0x12, 0x10, 4, 0, 0)
    info = struct.pack("<BBHIIBBHII", 4, 0x2F, 8, 1, registers, 4, 0x12, 8, 1, stack)
    parts = [(0, 3, names, 0, 0, 0), (0, 2, symbols, 1, 0, 24), (names.index(b".nv.info"), 0x70000000, info, 2, 0, 0),
             (names.index(b".text"), 1, b"code", 2, 1, 0)]
    headers, data = bytes(64), b""
    for name, kind, part, link, about, size in parts:
        headers += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, 64 + 6 * 64 + len(data), len(part), link, about, 4, size)
        data += part + bytes(-len(part) % 16)
    reserved = 1024 if architecture >= 90 and shared else 0
    headers += struct.pack("<IIQQQQIIQQ", names.index(b".nv.shared"), 8, 0, 0, 0, shared + reserved, 0, 4, 4, 0)
    about = struct.pack("<4sBBBBB7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0x41, 8, 2, 190, 1, 0, 0, 64, architecture << 8, 64, 0,
                        0, 64, 6, 1)
    return about + headers + data


HOPPER = cubin_of(90, "_Z5plainPf", 40, 0) + cubin_of(90, TILED, 32, 49152)
AMPERE = cubin_of(80, "_Z5plainPf", 16, 49152) + cubin_of(80, TILED, 16, 0)
COPIES = 'while [ "$1" != -o ]; do shift; done; cp {} "$2"'  # of a compiler: its output is there already


def listing_of(cases, target=None, **more):
    launches = [{"case": case, "launcher": f"m_{case.split('/')[1]}", "kernel": kernel, "grid": [34, 34, 1], "block": [16, 16, 1],
                 "dynamic_shared": dynamic, **more} for case, kernel, dynamic in cases]
    return {"comparison": "m", "home": "/h", "include": "/i", "target": target or {}, "cases": launches,
            "without": ["m/copy/530/-"], "refused": [], "failed": []}


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
        for (need, blocks, warps, limits), result in zip(table, occupancy.calculate([row[0] for row in table])):
            figures = (result["blocks"], result["warps"], occupancy.name_limits(result["limited_by"]))
            self.assertEqual(figures, (blocks, warps, limits), need)
        self.assertAlmostEqual(occupancy.calculate([(86, 16, 0, 0, 64)])[0]["occupancy"], 32 / 48, delta=1e-12)

    def test_as_the_toolkits_calculator(self):
        """What cuda_occupancy.h of CUDA 13 said of launches on every architecture."""
        rows = read_json_lines(os.path.join(TREE, "harness", "tests", "code", "occupancies.jsonl"))
        self.assertEqual({need[0] for need, *_ in rows}, MULTIPROCESSORS.keys())
        for (need, blocks, limits), result in zip(rows, occupancy.calculate([row[0] for row in rows])):
            self.assertEqual((result["blocks"], result["limited_by"]), (blocks, limits), need)

    def test_what_is_not_a_launch(self):
        for need in ((90, 16, 0, 0, 0), (90, 16, 0, 0, -1), (90, 16, 0, 0, 1025), (90, -1, 0, 0, 32), (90, 256, 0, 0, 32),
                     (90, 16, 2**40, 0, 32), (90, 16, 0, 2**40, 32), (90, 16, -1, 0, 32), (90, 16, 0, 0, 2**33 + 32)):
            (result,) = occupancy.calculate([need])
            self.assertIn("no kernel can be launched like this", result["why"], need)
        self.assertIn("architecture 35 are not known: use one of 50, 52", occupancy.calculate([(35, 16, 0, 0, 32)])[0]["why"])

    def test_as_the_driver_said(self):
        """The driver of an H200 said what the occupancy of each recorded launch is."""
        cases = read_json(os.path.join(TREE, "baselines", "nvidia-h200.json"))["cases"]
        for entry in cases.values():
            entry["code"] = whole_code(entry.get("code"))
        launches = {}
        for comparison in {case.split("/")[0] for case in cases}:
            program = os.path.join(BUILD, f"{comparison}.model")
            if os.path.exists(program):  # a comparison may have been removed
                for launch in reversed(occupancy.ask(program)["cases"]):
                    launches[launch["case"]] = launch
        needs = {}
        for case, entry in cases.items():
            if case in launches and entry["code"]:
                row = occupancy.Row(case, 90, launches[case], Resources(0, 0, 0), False, {})
                code = entry["code"]
                needs[case] = (90, code["registers"], code["shared_bytes"] - row.shared, row.shared, row.threads)
        for case, result in zip(needs, occupancy.calculate(list(needs.values()))):
            self.assertEqual(result["occupancy"], cases[case]["code"]["occupancy"], case)
        self.assertGreater(len(needs), 100)


class Words(unittest.TestCase):
    def test_limits(self):
        for limits, text in (([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")):
            self.assertEqual(occupancy.name_limits(limits), text)

    def test_capabilities(self):
        for text, number in (("9.0", 90), ("8.9", 89), ("12.1", 121), ("", 0), ("unknown", 0)):
            self.assertEqual(occupancy.capability({"compute_capability": text}), number)


class Usage(unittest.TestCase):
    """What the compiler gave kernels, from their cubins."""

    def usage_of(self, *cubins):
        """The usage of (cubin, file of its source)."""
        usage = resource_usage.Usage()
        for cubin, file in cubins:
            with tempfile.NamedTemporaryFile() as program:
                program.write(cubin)
                program.flush()
                usage.add(program.name, file)
        return usage

    def test_cubins(self):
        usage = self.usage_of((HOPPER + AMPERE + cubin_of(100, TILED, 24, 2048, 64), ""))
        self.assertEqual(usage.architectures(), [90, 80, 100])
        self.assertEqual([usage.find(architecture, kernel, "") for architecture, kernel in (
            (90, TILED), (90, PLAIN), (80, PLAIN), (100, TILED), (100, PLAIN), (86, TILED))],
            [Resources(32, 49152, 0), Resources(40, 0, 0), Resources(16, 49152, 0), Resources(24, 2048, 64), None, None])

    def test_names_of_two_compilers(self):
        for mangled, plain in (
            ("_ZL5naivePf", "_Z5naivePf"), ("_Z5tiledILi16EEvPf", "_Z5tiledILi16EEvPf"), ("_ZN2kgL5naiveEv", "_ZN2kg5naiveEv"),
            ("_Z6fourthIL4Edge1EEvPi", "_Z6fourthI4Edge1EEvPi"), ("_ZN12_GLOBAL__N_15naiveEv", "_ZN12_GLOBAL__N_15naiveEv"),
            ("_ZN32_GLOBAL__N__63d8032e_4_n_cu_main6kernelIiEEvPT_", "_ZN12_GLOBAL__N_16kernelIiEEvPT_"), ("main", "main"),
            ("", ""), ("_ZN99_GLOBAL__N_5naive", "_ZN99_GLOBAL__N_5naive"),
            ("_Z99999999999999999999999x", "_Z99999999999999999999999x"),
        ):
            self.assertEqual(resource_usage.plain_name(mangled), plain)

    def test_one_name_in_two_files(self):
        """Each file may have a static kernel of the same name."""
        files = [(cubin_of(90, "_Z6kernelPf", registers, 0), file)
                 for file, registers in (("one", 32), ("two", 16), ("four", 16))]
        usage = self.usage_of(*files)
        for file, registers in (("two", 16), ("one", 32)):
            self.assertEqual(usage.find(90, "_ZL6kernelPf", file).registers, registers)
        with self.assertRaises(resource_usage.Ambiguous):
            usage.find(90, "_ZL6kernelPf", "three")
        self.assertEqual(self.usage_of(*files[1:]).find(90, "_ZL6kernelPf", "three").registers, 16)

    def test_what_is_no_program(self):
        for data in (b"", b"#!/bin/sh", HOPPER[:300]):
            self.assertEqual(self.usage_of((data, "")).architectures(), [], data)


class Occupancy(Folder):
    def setUp(self):
        super().setUp()
        for name in ("bin", "build"):
            os.mkdir(name)
        # Python itself, and no tool of a toolkit.
        self.environment["PATH"] = os.pathsep.join((f"{self.folder}/bin", os.path.dirname(sys.executable), "/usr/bin", "/bin"))

    def script(self, name, output, code=0, first="", cubins=b""):
        script = f"#!/bin/sh\n{first}\ncat <<'END'\n{output}\nEND\nexit {code}\n".encode()
        self.write(name, script + b"\n" * (-len(script) % 16) + cubins)
        os.chmod(name, 0o755)

    def programs(self):
        """A program with two kernels and a copy, and a GPU program on a machine without a GPU."""
        self.script("build/m.model", json.dumps(listing_of(CASES)), first='[ -z "$KG_FILTER" ] || exit 3')
        self.script("build/m.gpu", "no GPU", 77, cubins=HOPPER)

    def ends(self, code, *texts, arguments=()):
        return self.finish(code, texts, "occupancy", "--build", "build", *arguments)

    def test_without_a_gpu(self):
        self.programs()
        self.ends(0, """\
arch   case             sizes      registers    shared  local  threads  blocks  warps  occupancy  limited by
sm_90  m/plain/*/b16    530, 1024         40       0 B    0 B      256       6     48     75.0 %  registers
sm_90  m/tiled/530/b16  530               32  50 176 B    0 B      256       4     32     50.0 %  shared memory

3 launches, calculated without a GPU, from ptxas and cuda_occupancy.h; 1 case starts no kernel
""")
        self.assertEqual(self.ends(0, "1 launch, ", arguments=["--format", "csv", "m/tiled"]).stdout, """\
arch,case,sizes,kernel,registers,shared,dynamic,local,threads,blocks,warps,occupancy,limited by
sm_90,m/tiled/530/b16,530,_Z5tiledILi16EEvPf,32,50176,1024,0,256,4,32,0.5,shared memory
""")
        for arguments, code, text in ((["m/tiled/*"], 0, "1 launch, "), (["m/tilde/*"], 2, "nearest is m/tiled/530/b16"),
                                      (["nothing/*"], 2, "the filter leaves none of the cases that start a kernel: "),
                                      (["m/tiled/530/b17"], 2, "nearest is m/tiled/530/b16")):
            self.ends(code, text, arguments=arguments)
        self.environment["KG_FILTER"] = "m/plain/1*"
        self.ends(0, "1 launch, calculated", arguments=["m/plain"])
        self.script("build/m.model", json.dumps(listing_of([(f"m/plain/{size}/b16", PLAIN, 0) for size in range(1000, 1005)])))
        self.ends(0, "| m/plain/\\*/b16 | 1000, 1001, 1002 and 2 more | 40 |", arguments=["--format", "markdown"])

    def test_json(self):
        self.programs()
        (launch,) = self.document(0, "occupancy", "--build", "build", "--json", "m/tiled/*")["launches"]
        self.assertEqual(launch, {
            "case": "m/tiled/530/b16", "architecture": 90, "kernel": TILED, "grid": [34, 34, 1], "block": [16, 16, 1],
            "threads": 256, "registers": 32, "local_bytes": 0, "shared_bytes": 50176, "dynamic_shared": 1024,
            "blocks_per_multiprocessor": 4, "occupancy": 0.5, "limited_by": ["shared memory"], "source": "cuda_occupancy.h"})

    def test_any_architecture(self):
        """An architecture that no program has is compiled for."""
        self.programs()
        self.write("cubin", AMPERE)
        self.script("bin/nvcc", "", first='case "$*" in *-arch=sm_80*-I/i*/h/kernels/m/*.cu) ;; *) exit 9 ;; esac\n'
                    + COPIES.format(f"{self.folder}/cubin"))
        self.ends(0, "sm_80  m/plain/*/b16  530, 1024         16  49 152 B    0 B      256       3     24     37.5 %  shared",
                    arguments=["--arch", "80", "m/plain/*"])
        self.ends(0, "6 launches", arguments=["--arch", "sm_90,80"])
        self.script("bin/nvcc", "error: no such thing", 1)
        self.ends(2, "does not compile for sm_80: error: no such thing", arguments=["--arch", "80"])

    def test_what_is_not_known(self):
        """A kernel that the compiler says nothing of is an error, and the others are shown."""
        self.programs()
        self.script("build/m.gpu", "no GPU", 77, cubins=HOPPER[: len(HOPPER) // 2])
        self.ends(2, "m/tiled/530/b16 on sm_90: kernel _Z5tiledILi16EEvPf is not among those compiled", "2 launches")
        self.script("build/m.model", json.dumps({**listing_of(CASES[:2]), "failed": [{"case": "m/odd/1/b1", "why": "no graph"}]}))
        self.ends(2, "occupancy: m/odd/1/b1: no graph", "2 launches")

    def test_with_a_gpu(self):
        """A GPU's driver is asked first, and compared with the calculator."""
        for blocks, code, text in ((6, 0, "from the driver of this machine's NVIDIA H200"),
                                   (5, 1, "m/plain/530/b16: 5 blocks per multiprocessor by the driver, 6 by cuda_occupancy.h")):
            listing = listing_of(CASES[:1], {"name": "NVIDIA H200", "compute_capability": "9.0"}, registers=40, local_bytes=0,
                                 static_shared=0, blocks_per_multiprocessor=blocks, occupancy=0.75)
            self.script("build/m.gpu", json.dumps(listing), first="echo kernelgate: waiting for the GPU >&2")
            self.ends(code, text)

    def test_against_a_baseline(self):
        self.programs()
        for registers, code, text in ((40, 0, "2 cases as in "), (40, 0, "fake-gpu.json, recorded on Fake; 0 differ\n"),
                                      (41, 1, "m/plain/530/b16: registers is 40, the baseline's 41\n")):
            code_of_case = {"registers": registers, "occupancy": 0.75}
            self.write("fake-gpu.json", {
                "schema": "kernelgate-baseline/2", "target": {"key": "fake-gpu", "name": "Fake", "compute_capability": "9.0"},
                "cases": {"m/plain/530/b16": {"time_ns": TIME, "code": code_of_case}, "m/gone/1/b1": {"time_ns": TIME},
                          "m/plain/1024/b16": {"time_ns": TIME, "code": {"registers": registers}}}})
            self.ends(code, text, arguments=["--against", "./fake-gpu.json"])
            self.environment["KG_BASELINES"] = self.folder
            self.ends(code, text, arguments=["--against", "fake-gpu"])
        self.ends(2, "has its code in", arguments=["--against", "fake-gpu", "m/tiled/*"])
        self.ends(2, "none.json", arguments=["--against", "./none.json"])
        for document, text in (({}, "cpu-model.json:1: has no "),
                               ({"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model"}, "provenance": {"model": "1"},
                                 "cases": {}}, "is the CPU model's")):
            self.write("cpu-model.json", document)
            self.ends(2, text, arguments=["--against", "./cpu-model.json"])

    def test_bad_input(self):
        self.ends(2, "has no program of a comparison")
        self.programs()
        for arguments, text in ((["--arch", "x9"], '"x9" is not an architecture'),
                                (["--arch", "90,,80"], '"" is not an architecture')):
            self.ends(2, text, arguments=arguments)
        self.ends(2, "architecture 35 are not known", arguments=["--arch", "35"])
        os.unlink("build/m.gpu")
        self.ends(77, "has no GPU program to take the architectures from")
        for listing in ("[]", '{"cases": [{}]}', "no such option"):
            self.script("build/m.model", listing, 2 if listing[0] == "n" else 0)
            self.ends(2, "build/m.model: does not list its launches", arguments=["--arch", "90"])
