# SPDX-License-Identifier: MIT
"""Tests of `kernelgate code`: what is read of a build's cubins, how it is judged, and the command on stand-ins for programs and
nvcc. usage: code_tool.py TREE KERNELGATE"""

import json
import os
import shutil
import sys
import unittest
from unittest import mock

from command_fixture import COMMAND, Folder
from fake_cubin import FFMA, KERNEL, LOAD_32, cubin_of
from kernelgate.code import code_baseline
from kernelgate.run import code_causes
from kernelgate.code import generated_code
from kernelgate.code import sass
from kernelgate.baseline.changes import LOOSENINGS
from kernelgate.baseline.code_changes import CodeChanges
from kernelgate.baseline.file import lock
from kernelgate.code.code_verdicts import describe_moves, finish_entry, judge_cases, notes_of
from kernelgate.code.kernel_code import FIGURES
from kernelgate.base.errors import Failure
from kernelgate.run.causes import add_causes

os.environ["KG__COMMAND"] = COMMAND  # kernelgate-judge is beside it
TILED = {"tiled": "kernels/m/tiled.cu"}
PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{}' for 'sm_90'
ptxas info    : Function properties for {}
    0 bytes stack frame, {} bytes spill stores, {} bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers
"""


def figures(kernel=KERNEL, **more):
    instructions = more.pop("instructions", {"global_load_128": 2, "ffma": 8})
    return {"kernel": kernel, "file": "tiled", "source": "kernels/m/tiled.cu", "threads": 256, "shared_bytes": 0, "occupancy": 1.0, "registers": 32,
            "local_bytes": 0, "spill_stores": 0, "spill_loads": 0, "code_bytes": 512, "instructions": instructions, **more}


def judge(pairs):
    """The entries of launches, each with the one before."""
    cases = [(f"m/tiled/{number}/b16", before, now) for number, (before, now) in enumerate(pairs)]
    return [finish_entry(entry, before, now) for entry, (_, before, now) in zip(judge_cases("code", "sm_90", cases), cases)]


class Judging(unittest.TestCase):
    def expect(self, rows):
        entries = judge([(before, now) for before, now, _, _ in rows])
        for entry, (before, now, verdict, text) in zip(entries, rows, strict=True):
            with self.subTest(before=before, now=now):
                self.assertEqual((entry["verdict"], entry.get("moves", "").replace("100 %", "100.0 %")), (verdict, text))

    def test_what_fails_and_what_is_listed(self):
        async_copies = {"async_copy_128": 2, "ffma": 8}
        spilled = {"spill_stores": 4, "spill_loads": 8}
        self.expect([([figures(**before)], [figures(**now)], verdict, text) for before, now, verdict, text in (
                ({}, {}, "pass", ""),
                ({}, {"spill_stores": 64}, "slower", "spill stores 0 B -> 64 B"),
                ({}, {"spill_loads": 64, "registers": 24}, "slower", "spill loads 0 B -> 64 B, registers 32 -> 24"),
                (spilled, {**spilled, "spill_loads": 12}, "slower", "spill loads 8 B -> 12 B"),
                (spilled, spilled, "pass", ""),
                (spilled, {}, "faster", "spill stores 4 B -> 0 B, spill loads 8 B -> 0 B"),
                ({}, {"occupancy": 0.75, "registers": 40}, "slower", "occupancy 100.0 % -> 75.0 %, registers 32 -> 40"),
                ({"occupancy": 0.5}, {}, "faster", "occupancy 50.0 % -> 100.0 %"),
                ({"occupancy": 0.5}, {"spill_loads": 4}, "slower", "spill loads 0 B -> 4 B, occupancy 50.0 % -> 100.0 %"),
                ({}, {"instructions": {"global_load_32": 8, "ffma": 8}}, "slower",
                 "128-bit global loads 2 -> 0, 32-bit global loads 0 -> 8"),
                ({"blocks": 8}, {"blocks": 16, "threads": 128, "code_bytes": 640, "instructions": {"global_load_128": 2, "ffma": 7}}, "pass",
                 "threads per block 256 -> 128, blocks 8 -> 16, FFMA 8 -> 7, code 512 B -> 640 B"),
                ({}, {"instructions": {"global_load_128": 1, "ffma": 8}}, "pass", "128-bit global loads 2 -> 1"),
                ({}, {"instructions": async_copies}, "pass", "128-bit async copies 0 -> 2, 128-bit global loads 2 -> 0"),
                ({"instructions": {"shared_load_128": 1}}, {"instructions": {}}, "slower", "128-bit shared loads 1 -> 0"),
                ({"instructions": {"shared_load_128": 1}}, {"instructions": {"async_copy_128": 1}}, "slower",
                 "128-bit shared loads 1 -> 0, 128-bit async copies 0 -> 1"),
                ({"instructions": {"shared_store_128": 1}}, {"instructions": {}}, "pass", "128-bit shared stores 1 -> 0"),
                ({"instructions": {}}, {}, "faster", "128-bit global loads 0 -> 2, FFMA 0 -> 8"),
                ({}, {"registers": 40, "code_bytes": 640, "local_bytes": 16, "shared_bytes": 1024}, "pass",
                 "registers 32 -> 40, local memory 0 B -> 16 B, shared memory 0 B -> 1 024 B, code 512 B -> 640 B"),
                ({"instructions": {"barrier": 1, "atomic": 2}}, {"instructions": {}}, "pass", "global atomics 2 -> 0, barriers 1 -> 0"),
                # The tensor cores are lost, though loads got wider; in part; to instructions that do more each.
                ({"instructions": {"hmma": 4}}, {}, "slower", "HMMA 4 -> 0, FFMA 0 -> 8, 128-bit global loads 0 -> 2"),
                ({"instructions": {"hmma": 4}}, {"instructions": {"hmma": 2, "global_load_128": 2}}, "pass",
                 "128-bit global loads 0 -> 2, HMMA 4 -> 2"),
                ({"instructions": {"hmma": 4}}, {"instructions": {"hmma": 4, "global_load_128": 2}}, "faster",
                 "128-bit global loads 0 -> 2"),
                ({"instructions": {"hmma": 4}, **spilled}, {"instructions": {"wgmma": 1}}, "pass",
                 "spill stores 4 B -> 0 B, spill loads 8 B -> 0 B, HMMA 4 -> 0, WGMMA 0 -> 1"),
                # Wide accesses are lost in part, or atomics gained.
                (spilled, {"instructions": {"global_load_128": 1, "ffma": 8}}, "pass",
                 "spill stores 4 B -> 0 B, spill loads 8 B -> 0 B, 128-bit global loads 2 -> 1"),
                ({"instructions": {"shared_store_128": 2}, "occupancy": 0.5}, {"instructions": {"shared_store_128": 1}}, "pass",
                 "occupancy 50.0 % -> 100.0 %, 128-bit shared stores 2 -> 1"),
                ({"occupancy": 0.5}, {"instructions": async_copies}, "faster",
                 "occupancy 50.0 % -> 100.0 %, 128-bit async copies 0 -> 2, 128-bit global loads 2 -> 0"),
                ({"occupancy": 0.5}, {"instructions": {"global_load_128": 2, "ffma": 8, "atomic": 1}}, "pass",
                 "occupancy 50.0 % -> 100.0 %, global atomics 0 -> 1"))])

    def test_several_kernels(self):
        """A kernel is held against the one of its name, else against the one at its place; a new one may spill nothing."""
        one, two = figures("one"), figures("two", registers=16)
        self.expect([
                ([one, two], [two, one], "pass", ""),
                ([one, two], [one, {**two, "kernel": "renamed", "registers": 20}], "pass", "renamed: registers 16 -> 20"),
                ([one], [one, two], "pass", "kernels of the launch 1 -> 2"),
                ([one], [one, {**two, "spill_stores": 8}], "slower", "two: spill stores 0 B -> 8 B, kernels of the launch 1 -> 2"),
                ([one, two], [one], "pass", "kernels of the launch 2 -> 1")])

    def test_moves_are_data(self):
        now = [figures("one", occupancy=0.5, instructions={"global_load_128": 2, "ffma": 9}), figures("two")]
        (entry,) = judge_cases("code", "sm_90", [("m/tiled/1/b16", [figures("one")], now)])
        self.assertEqual(entry["moves"], [
            {"kernel": "one", "figure": "occupancy", "before": 1, "now": 0.5, "verdict": "slower"},
            {"kernel": "one", "figure": "ffma", "before": 8, "now": 9, "verdict": "pass"},
            {"kernel": "", "figure": "kernels", "before": 1, "now": 2, "verdict": "pass"}])
        self.assertEqual(judge_cases("code", "sm_90", []), [])
        seven = [{"kernel": "", "figure": "blocks", "before": number, "now": 0} for number in range(1, 9)]
        self.assertTrue(describe_moves(seven).endswith("blocks 6 -> 0 and 2 more"))

    def test_what_results_show(self):
        (entry,) = judge([([figures()], [figures(spill_loads=8)])])
        self.assertEqual(entry["at"], {"file": "kernels/m/tiled.cu"})
        self.assertEqual(entry["metrics"]["spill_loads"], {"value": 8, "baseline": 0})
        self.assertIn("kernelgate rebaseline --target sm", entry["why"])
        self.assertEqual(entry["metrics"]["global_load_128_instructions"], {"value": 2, "baseline": 2})
        (entry,) = judge([(None, [figures(), figures("two", occupancy=0.5, registers=40)])])
        self.assertEqual((entry["verdict"], entry["metrics"]["registers"]), ("no-baseline", {"value": 40}))
        self.assertEqual((entry["metrics"]["occupancy"], entry["metrics"]["global_load_128_instructions"]), ({"value": 0.5}, {"value": 4}))
        self.assertEqual(entry["group"], "sm_90 m no-baseline")
        cases = judge([([figures()], [figures(registers=registers)]) for registers in (33, 33, 32)])
        self.assertEqual(notes_of(cases), ["kernels/m/tiled.cu: registers 32 -> 33"])

    def test_what_ptxas_says(self):
        with_function = PTXAS.format("a", "a", 4, 8) + PTXAS.format("b", "b", 0, 0) + "Function properties for f\n" \
            " 8 bytes stack frame, 16 bytes spill stores, 32 bytes spill loads\n"
        for text, spills in (("", {}), ("nvcc warning : no", {}), (PTXAS.format("a", "a", 404, 448), {"a": (404, 448)}),
                             (with_function, {"a": (4, 8), "b": (16, 32)}), ("Compiling entry function 'a' for 'sm_90'", {})):
            self.assertEqual(generated_code.read_spills(text),
                             {name: {"spill_stores": stores, "spill_loads": loads} for name, (stores, loads) in spills.items()})


class Judge(Folder):
    def test_what_is_no_launch(self):
        good = {"case": "m/tiled/1/b16", "target": "sm_90", "before": None, "now": [figures()]}
        kernels = "launches[1]: it is not a list of kernels: install kernelgate again"
        for broken, told in (({"now": []}, kernels), ({"now": [{}]}, kernels), ({"before": []}, kernels), ({"before": 1}, kernels),
                             ({"target": 1}, "launches[1]: "), ({"more": 1}, "launches[1]: ")):
            self.refuse(told, figures=FIGURES, launches=[good, {**good, **broken}])
        self.refuse("launches[0]: it has no list of launches", figures=FIGURES)
        self.refuse("it has no figures", launches=[good])

    def refuse(self, told, **document):
        self.write("launches", {"schema": "kernelgate-launches/1", **document})
        self.expect_program(2, told, f"{os.path.dirname(COMMAND)}/kernelgate-judge", "launches")


class Baselines(Folder):
    def test_what_is_written_is_read(self):
        cases = {"m/tiled/1/b16": [figures()], "m/tiled/2/b16": [figures(), figures("two", occupancy=0.5)]}
        baseline = code_baseline.CodeBaseline("90", "13.0.88", cases)
        self.assertTrue(baseline.write("b"))
        self.assertFalse(baseline.write("b"), "nothing moved")
        found = code_baseline.read("b", "90")
        for launch in (launch for launches in cases.values() for launch in launches):
            del launch["source"]  # which the build knows
        self.assertEqual((found.cases, found.toolkit), (cases, "13.0.88"))
        self.assertEqual(sum("m/tiled" in line for line in self.read("b/sm_90.json").splitlines()), 4, "a line for each")
        self.assertIsNone(code_baseline.read("b", "80"))
        for other, toolkit, told in ((None, "13.0.88", "b/sm_90.json is missing"),
                                     (found, "12.8.93", "is of nvcc 13.0.88, and this is nvcc 12.8.93"), (found, "13.0.88", None)):
            why = code_baseline.why_not_comparable(other, "b", "90", toolkit)
            self.assertTrue(why is None if told is None else told in why, why)

    def test_what_is_loosened(self):
        """What the code of a case could become without failing, where it failed before."""
        vectors = {"instructions": {"global_load_32": 8}}
        for before, now, kinds in (
                ([figures()], [figures()], []), ([figures()], [figures(registers=64)], []),
                ([figures()], [figures(spill_stores=4, spill_loads=8)], [("slower", 0, 4), ("slower", 0, 8)]),
                ([figures(spill_loads=8)], [figures()], []), ([figures()], [figures(occupancy=0.5)], [("slower", 1.0, 0.5)]),
                ([figures()], [figures(**vectors)], [("slower", 2, 0)]), ([figures(**vectors)], [figures()], []),
                ([figures()], None, [("retired", None, None)]), (None, [figures()], []),
                ([figures(), figures("two")], [figures()], [("no_longer_gated", None, None)])):
            with self.subTest(before=before, now=now):
                other = {"m/other/1/b16": [figures()]}
                sides = ({**other, "m/tiled/1/b16": launch} if launch else other for launch in (before, now))
                changes = CodeChanges(*(code_baseline.CodeBaseline("90", "13.0.88", cases) for cases in sides))
                entries = list(changes.loosened_entries("sm_90"))
                self.assertEqual([(entry["kind"], entry.get("before"), entry.get("after")) for entry in entries], kinds)
                counts = changes.file_entry("sm_90", "changed", None)
                self.assertEqual({how: counts[how] for how in LOOSENINGS},
                                 {how: sum(kind == how for kind, _, _ in kinds) for how in LOOSENINGS})
                self.assertEqual((counts["new"], "why" in counts), (before is None, False))

    def test_what_is_refused(self):
        code_baseline.CodeBaseline("90", "13.0.88", {"m/tiled/1/b16": [figures()]}).write("b")
        right = self.read("b/sm_90.json")
        for before, after, told in ((right, "{", "is not JSON"), ("code/1", "code/2", "its schema is"),
                                    ('"sm_90"', '"sm_80"', 'its target is "sm_80"'), ('"registers": 32', '"registers": -1', "registers"),
                                    ('"toolkit": "13.0.88"', '"toolkit": ""', "toolkit"), ("m/tiled/1/b16", "m/tiled", "not"),
                                    (f'"kernel": "m/tiled {KERNEL}"', '"kernel": "m/tiled x"', "is not among the kernels"),
                                    ('"occupancy": 1.0', '"occupancy": 2', "occupancy")):
            self.assertIn(before, right)
            self.write("b/sm_90.json", right.replace(before, after))
            with self.assertRaisesRegex(Failure, told):
                code_baseline.read("b", "90")


class Code(Folder):
    """The command in a folder with a build: m.model, and a cubin of m/tiled.cu for sm_90."""

    def setUp(self):
        super().setUp()
        self.environment.update(KG_OUT="out")
        self.write_script("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
        self.build_for(**{"90": {"m": TILED}})
        self.list_cases("m/tiled/1/b16", "m/tiled/2/b16")
        self.compile()

    def build_for(self, **sources):
        self.write("build/kernelgate.code", {"nvcc": os.path.abspath("nvcc"), "judged": list(sources), "sources": sources,
                                             "own": "90a" in sources})

    def list_cases(self, *cases, grid=(1, 1, 1), launcher="m_tiled", refused=()):
        launches = [{"case": case, "launcher": launcher, "kernel": "_ZL5tiledPf", "grid": grid, "block": [16, 16, 1],
                     "dynamic_shared": 0} for case in cases]
        listing = {"comparison": "m", "home": os.getcwd(), "include": "/i", "target": {}, "cases": launches, "without": [],
                   "refused": refused, "failed": []}
        self.write_script("build/m.model", f"#!/bin/sh\ncat <<'END'\n{json.dumps(listing)}\nEND\n")

    def compile(self, spills=0, log=None, **cubin):
        self.write("build/code/sm_90/m/tiled.ptxas", PTXAS.format(KERNEL, KERNEL, spills, spills) if log is None else log)
        with open("build/code/sm_90/m/tiled.cubin", "wb") as file:
            file.write(cubin_of(**cubin))

    def code(self, code, told, *arguments, **settings):
        return self.expect(code, told, "code", "--build", "build", *arguments, **settings)

    def judge(self, code, told, target="sm_90", **settings):
        """The verdicts that a test leaves."""
        self.code(code, told, "--test", f"{target}.m.code", **settings)
        return json.loads(self.read(f"out/records/{target}.m.code.verdicts.json"))

    def test_kernels_of_a_library(self):
        """A launcher in a file of its own starts kernels of any other that the build compiled."""
        for sources, ends in (({"tiled": "src/tiled.cu", "adapter": "m.cu"}, 2), ({"tiled": "src/tiled.cu"}, 0)):
            self.build_for(**{"90": {"m": sources}})
            self.list_cases("m/tiled/1/b16", launcher="m_fast")
            self.code(ends, "adapter" if ends else "0 B    0 B")
        self.code(0, "", "--record")
        self.compile(spills=4)
        self.assertEqual(self.judge(1, "src/tiled.cu")["cases"][0]["at"], {"file": "src/tiled.cu"})

    def test_shows_and_records(self):
        shown = self.code(0, "sm_90  m/tiled, 2 cases")
        self.assertIn("128-bit global loads 1, FFMA 1", shown)
        self.assertRegex(shown, r"occupancy  limited by +code +instructions\n.* 100 %  threads and registers ")
        found = self.document(0, "code", "--build", "build", "--json", "m/tiled/1")
        self.assertEqual(found["toolkit"], "13.0.88")
        (launch,) = found["targets"]["sm_90"]["m/tiled/1/b16"]
        self.assertEqual((launch["kernel"], launch["registers"], launch["code_bytes"], launch["instructions"]),
                         (KERNEL, 32, 32, {"global_load_128": 1, "ffma": 1}))
        self.code(77, "baselines/sm_90.json is missing", "--ready")
        self.code(0, "baselines/sm_90.json: 2 cases, nvcc 13.0.88\n", "--record")
        self.code(0, "", "--ready")
        self.code(0, "2 cases, nvcc 13.0.88, as before", "--record")
        with mock.patch.dict(os.environ, KG_LOCK_DIR=self.folder), lock("baselines", "baseline merge"):
            self.code(2, "baselines: it is held by", "--record")
        self.compile(registers=40)
        self.code(0, "2 cases", "--record", KG_FILTER="m/tiled/1/*")
        cases = code_baseline.read("baselines", "90").cases
        self.assertEqual([len(cases), cases["m/tiled/1/b16"][0]["registers"]], [2, 40])

    def test_judges(self):
        self.assertEqual(self.judge(77, "baselines/sm_90.json is missing")["skipped_by"], "no-baseline")
        self.assertEqual(self.judge(2, "is missing", KG_STRICT="1")["exit_code"], 2)
        self.code(0, "", "--record")
        verdicts = self.judge(0, "")
        self.assertEqual([case["verdict"] for case in verdicts["cases"]], ["pass", "pass"])
        self.assertEqual(verdicts["target"], {"key": "sm_90", "compute_capability": "9.0", "compiler": "nvcc 13.0.88"})
        for change, code, verdict, told in (
                ({"spills": 64}, 1, "slower", "spill stores 0 B -> 64 B, spill loads 0 B -> 64 B"),
                ({"code": (LOAD_32,) * 4 + (FFMA,)}, 1, "slower", "128-bit global loads 1 -> 0, 32-bit global loads 0 -> 4, code 32 B -> 80 B"),
                ({"registers": 64}, 1, "slower", "occupancy 100 % -> 50.0 %, registers 32 -> 64"),
                ({"registers": 30}, 0, "pass", "registers 32 -> 30"), ({}, 0, "pass", "")):
            self.compile(**change)
            verdicts = self.judge(code, told)
            self.assertEqual([case["verdict"] for case in verdicts["cases"]], [verdict, verdict], change)
            self.assertEqual((verdicts["exit_code"], bool(verdicts["notes"])), (code, verdict == "pass" and bool(change)))
        self.assertEqual(len(self.judge(0, "", KG_FILTER="m/tiled/2/*")["cases"]), 1)
        self.assertEqual(self.judge(77, "", KG_FILTER="n/*")["skipped_by"], "filter")
        self.list_cases("m/tiled/2/b16", "m/tiled/3/b16")
        verdicts = self.judge(1, "baselines/sm_90.json lacks it")
        self.assertEqual(verdicts["vanished"], ["m/tiled/1/b16"])
        self.write_script("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 12.8, V12.8.93'\n")
        self.judge(77, "is of nvcc 13.0.88, and this is nvcc 12.8.93")
        self.code(77, "is of nvcc 13.0.88, and this is nvcc 12.8.93", "--ready")
        self.code(2, "record all cases, without KG_FILTER", "--record", KG_FILTER="m/tiled/2/*")

    def record_launches(self):
        launch = {"case": "m/tiled/9/b16", "launcher": "", "kernel": KERNEL, "grid": [7, 3, 1], "block": [32, 1, 1],
                  "dynamic_shared": 512}
        self.list_cases("m/tiled/1/b16", "m/tiled/2/b16", refused=[{"case": "m/tiled/9/b16", "why": "w", "gpu_only": True}])
        self.write("suites/m.launches.json", {"cases": [launch, *({**launch, "case": f"m/tiled/{size}/b16"} for size in (1, 10))]})
        return launch

    def test_recorded_launches(self):
        """What only a GPU runs is listed next to its suite; the CPU model knows its own cases better."""
        launch = self.record_launches()
        found = json.loads(self.code(0, "", "--json"))["targets"]["sm_90"]
        self.assertEqual([(case, kernel["blocks"], kernel["threads"], kernel["shared_bytes"]) for case, (kernel,) in found.items()],
                         [("m/tiled/1/b16", 1, 256, 0), ("m/tiled/2/b16", 1, 256, 0), ("m/tiled/9/b16", 21, 32, 512)])
        for broken in ({**launch, "block": [1]}, {**launch, "grid": []}, {**launch, "case": "n/tiled/9/b16"}, {"case": "m/tiled/9/b16"}):
            self.write("suites/m.launches.json", {"cases": [broken]})
            self.code(2, "suites/m.launches.json: a launch of it lacks its case, kernel, grid or block")

    def test_an_architecture_of_its_own(self):
        """sm_90a has what only a GPU runs, and sm_90 the rest."""
        self.record_launches()
        shutil.copytree("build/code/sm_90", "build/code/sm_90a")
        for end in ("cubin", "ptxas"):
            os.rename(f"build/code/sm_90a/m/tiled.{end}", f"build/code/sm_90a/m/own.{end}")
        self.build_for(**{"90": {"m": TILED}, "90a": {"m": {"own": "kernels/m/own.cu"}}})
        self.code(0, "baselines/sm_90.json: 2 cases, nvcc 13.0.88\nbaselines/sm_90a.json: 1 case, nvcc 13.0.88", "--record")
        for target, cases in (("sm_90", ["m/tiled/1/b16", "m/tiled/2/b16"]), ("sm_90a", ["m/tiled/9/b16"])):
            verdicts = self.judge(0, "", target)
            self.assertEqual((verdicts["target"]["compute_capability"], [case["case"] for case in verdicts["cases"]]), ("9.0", cases))
        self.list_cases("m/tiled/1/b16", "m/tiled/2/b16", refused=[{"case": f"m/{case}/b16", "why": "w", "gpu_only": True}
                                                                   for case in ("tiled/9", "library/9")])
        self.assertIn("1 GPU-only case without a launch in suites/m.launches.json, first m/library/9/b16", self.judge(0, "", "sm_90a")["notes"][0])
        os.unlink("suites/m.launches.json")
        self.assertEqual(self.judge(2, "", "sm_90a")["vanished"], ["m/tiled/9/b16"])
        self.assertEqual(self.judge(0, "")["notes"], [])
        self.link("build", registers=30)
        self.record_launches()
        self.assertEqual(self.slower(case="m/tiled/9/b16")[0]["explanation"], "registers 32 -> 30")

    def test_a_file_with_instructions_of_an_architecture_of_its_own(self):
        """It is that one's alone, though the model runs it."""
        self.test_an_architecture_of_its_own()
        self.list_cases("m/own/1/b16", launcher="m_own")
        found = json.loads(self.code(0, "", "--json"))["targets"]
        self.assertEqual({target: list(cases) for target, cases in found.items()}, {"sm_90": [], "sm_90a": ["m/own/1/b16"]})

    def test_what_cannot_be_read(self):
        self.code(0, "", "--record")
        for change, told in (({"log": ""}, f"ptxas does not say what {KERNEL} spills"),
                             ({"kernel": "_Z5otherPf", "log": PTXAS.format("_Z5otherPf", "", 0, 0)}, "is not among those compiled")):
            self.compile(**change)
            self.code(2, told)
            self.assertIn(told, self.judge(2, told)["errors"][0])
        os.unlink("build/code/sm_90/m/tiled.ptxas")
        self.code(2, "tiled.ptxas: cannot be read: No such file or directory: build the target kernel_code")

    def test_bad_calls(self):
        for arguments, told in ((("--arch", "80"), "compiles no sm_80 (it has sm_90): configure it with"),
                                (("--test", "sm_80.m.code"), "there is no test sm_80.m.code"),
                                (("n/tiled",), "the filter takes no case"), (("m/tilde/1",), "nearest is m/tiled/1/b16")):
            self.code(2, told, *arguments)
        os.unlink("build/kernelgate.code")
        self.code(77, "compiles no code, since no baseline names an architecture")

    def slower(self, case="m/tiled/1/b16", **settings):
        """A slower time in a run of the build, when it is explained."""
        entry = {"case": case, "target": "gpu", "verdict": "slower", "why": "w", "test": "gpu.m.time",
                 "metrics": {"time_ns": {"value": 2}}}
        document = {"cases": [entry], "targets": {"gpu": {"compute_capability": "9.0"}}, "provenance": {}, "notes": []}
        with mock.patch.dict(os.environ, {**settings, "KG_BASELINES": "baselines"}):
            add_causes(document, "build")
        return entry, document["notes"]

    def link(self, folder, **cubin):
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/m.gpu", "wb") as file:
            file.write(cubin_of(**cubin))

    def test_explains_a_slower_time_by_the_baseline(self):
        """The program's code, for that architecture, and the launch as the CPU model lists it."""
        self.code(0, "", "--record")
        for cubin, expected in (({}, None),
                                ({"registers": 30, "code": (FFMA, FFMA)}, "128-bit global loads 1 -> 0, registers 32 -> 30, FFMA 1 -> 2"),
                                ({"registers": 30, "architecture": 80}, None), ({"kernel": "_Z5otherPf"}, None)):
            self.link("build", **cubin)
            entry, notes = self.slower()
            self.assertEqual((entry.get("explanation"), entry.get("sass"), notes), (expected, None, []), cubin)
        self.link("build")
        self.list_cases("m/tiled/1/b16", grid=(2, 3, 1))
        self.assertEqual(self.slower()[0]["explanation"], "blocks 1 -> 6")
        self.write_script("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 12.8, V12.8.93'\n")
        self.assertNotIn("explanation", self.slower()[0], "of another nvcc")
        os.unlink("build/kernelgate.code")
        self.assertNotIn("explanation", self.slower()[0])

    def expect_no_lines(self, told, change):
        change()
        sass._disassemble.cache_clear()
        entry, (note,) = self.slower(KG_BASE="base")
        self.assertIn("no comparison of SASS lines: ", note["note"])
        self.assertIn(told, note["note"])
        self.assertEqual((entry["explanation"], entry.get("sass")), ("registers 32 -> 30", None))

    def test_explains_a_slower_time_by_the_base(self):
        """What the base's build runs, not what a baseline holds; and the lines of SASS where there is a disassembler."""
        self.link("base")
        self.link("build", registers=30)
        launches = [{"case": "m/tiled/1/b16", "file": "tiled", "kernel": KERNEL, "grid": [1, 1, 1], "block": [16, 16, 1]}]
        lines = {"base": "LDG.E.128 R4, desc[UR4][R2.64+0x10] ;\n /*0010*/ FFMA R0, R5.reuse, R6, R0 ;",
                 "build": "\n /*0010*/ ".join(f"@!P{i} LDG.E R{i}, desc[UR4][R2.64+{hex(i)}] ;" for i in range(1, 5))
                 + "\n /*0050*/ FFMA R9, R5, R6, R9 ;"}
        for folder, text in lines.items():
            self.write(f"{folder}.sass", f"\tFunction : {KERNEL}\n /*0000*/ {text}   /* 0x00 */\n")
        self.write_script("bin/cuobjdump", '#!/bin/sh\nfor last; do :; done\ncat "${last%/m.gpu}.sass"\n')
        with mock.patch.object(code_causes, "_list_launches", lambda program: launches):
            tools = {"cuobjdump": os.path.abspath("bin/cuobjdump")}
            with mock.patch.object(sass, "find_disassembler", lambda name="cuobjdump": tools.get(name)):
                entry, notes = self.slower(KG_BASE="base")
                self.assertEqual((entry["explanation"], notes), ("registers 32 -> 30", []))
                self.assertEqual(entry["sass"], {"came": ["4x @!P LDG.E R, desc[UR][R.64+…]"],
                                                 "went": ["LDG.E.128 R, desc[UR][R.64+…]"]})
                self.expect_no_lines("no cuobjdump: install the CUDA Toolkit's, or pip install", tools.clear)
                # PyPI's finds no nvdisasm unless that is told it, and disassembles nothing then.
                self.write_script("bin/cuobjdump", '#!/bin/sh\n[ -n "$NVDISASM_PATH" ] || { echo "fatal: no nvdisasm"; exit 1; }\n'
                                                   'for last; do :; done\ncat "${last%/m.gpu}.sass"\n')
                self.expect_no_lines("bin/cuobjdump base/m.gpu: fatal: no nvdisasm: install", lambda: tools.update(
                    cuobjdump=os.path.abspath("bin/cuobjdump")))
                tools["nvdisasm"] = "/where/nvdisasm"
                sass._disassemble.cache_clear()
                self.assertEqual(len(self.slower(KG_BASE="base")[0]["sass"]["came"]), 1)
                self.expect_no_lines(f"base/m.gpu: it has no line of {KERNEL}", lambda: self.write("base.sass", ""))
        self.assertNotIn("explanation", self.slower(KG_BASE="nowhere")[0])

    def test_lines_of_sass(self):
        for line, short in (("LDS R9, [R3+0x44]", "LDS R, [R+…]"), ("@!P0 BRA 0x830", "@!P BRA …"),
                            ("IMAD.WIDE.U32 R6, R5.reuse, 0x4, R2", "IMAD.WIDE.U32 R, R, 0x4, R"),
                            ("UIADD3.X UR5, URZ, UR5, URZ, UP0, !UPT", "UIADD3.X UR, URZ, UR, URZ, UP, !UPT"),
                            ("LDC R1, c[0x0][0x28]", "LDC R, c[0x0][0x28]"), ("BSSY B0, 0x4f0", "BSSY B, …"),
                            ("LDL R2, [R1+-0x8]", "LDL R, [R+…]")):
            self.assertEqual(sass.normalize(line), short)
        lines = sass.Counter({f"line {number}": number for number in range(1, 9)})
        self.assertEqual(sass.describe_lines(lines), [f"{number}x line {number}" for number in range(8, 2, -1)] + ["and 3 more"])
        self.assertEqual(sass.describe_lines(sass.Counter("a")), ["a"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
