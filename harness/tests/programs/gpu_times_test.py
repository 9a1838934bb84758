# SPDX-License-Identifier: MIT
"""Tests of programs on a GPU: what CUPTI says of their kernels' times, and how they are judged. CUPTI, the driver and nvidia-smi
are stand-ins."""

import json
import os
import shutil
import subprocess
import unittest

from command_fixture import BUILD, COMMAND, TREE
from own_folder import read_json
from program_fixture import ProgramTest

from kernelgate.base import added_programs

HEADER = next(filter(os.path.exists, ("/usr/local/cuda/include/cupti_activity.h", "/usr/include/cupti_activity.h")), None)
# The driver's part: it loads the library when a program first calls it.
PROGRAM = """\
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    void *library = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    int (*begin)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : 0;
    if (begin == 0 || begin() != 1) { puts(dlerror()); return 9; }
    puts(getenv("CUDA_VISIBLE_DEVICES") ? getenv("CUDA_VISIBLE_DEVICES") : "any");
    return getenv("FAKE_CODE") ? atoi(getenv("FAKE_CODE")) : 0;
}
"""
LAYOUT = """\
#include <stddef.h>
#include <stdint.h>
#include <cupti_activity.h>
#include "programs/cupti.h"
#define SAME(ours, theirs) _Static_assert(offsetof(kg__cupti_kernel, ours) == offsetof(CUpti_ActivityKernel4, theirs) && \\
    offsetof(kg__cupti_kernel, ours) == offsetof(CUpti_ActivityKernel9, theirs), #ours)
SAME(kind, kind); SAME(start, start); SAME(end, end); SAME(device, deviceId); SAME(grid, gridX); SAME(block, blockX); SAME(name, name);
_Static_assert(KG__CUPTI_KERNEL == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "the kind");
"""
SUM, TWICE = "prog/main/sum/b64g4gy2", "prog/main/ns.twice-float-256/b64g4gy2"


class Times(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("build", "cuda/bin", "cuda/lib64", "toolkit/lib64", "bin"):
            os.makedirs(f"{cls.folder}/{name}")
        cls.write("program.c", PROGRAM)
        cls.compile("program.c", "-o", "program", "-ldl")
        fake = f"{TREE}/harness/tests/fakes/fake_cupti.c"
        for path in ("cuda/lib64/libcupti.so", "cuda/lib64/libcuda.so.1"):
            cls.compile("-shared", "-fPIC", f"-I{TREE}/harness", fake, "-o", path)
        os.symlink(f"{BUILD}/toolkit/lib64/{added_programs.TIMES}", f"{cls.folder}/toolkit/lib64/{added_programs.TIMES}")
        for path, text in (("cuda/bin/nvcc", "exit 0"), ("bin/nvidia-smi", "echo NVIDIA Fake")):
            cls.write(path, f"#!/bin/sh\n{text}\n")
            os.chmod(f"{cls.folder}/{path}", 0o755)
        cls.write("build/kernelgate.added", {"programs": [{
            "name": "prog", "gpu": f"{cls.folder}/program", "toolkit": f"{cls.folder}/toolkit", "args": [], "files": [], "pass_regex": [],
            "timeout": 20, "source": "src/prog.cu"}]})

    @classmethod
    def compile(cls, *words):
        subprocess.run(["gcc", "-std=gnu11", *words], cwd=cls.folder, check=True)

    def baseline(self, value, **more):
        times = {name: {"time_ns": {"value": value, "band": 0.02, **more}, "commit": "x"} for name in (SUM, TWICE)}
        self.write("baselines/nvidia-fake.json", json.dumps({"schema": "kernelgate-baseline/2", "target": {
            "key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0", "memory_mib": 81920, "multiprocessors": 132}, "cases": times}))

    def call(self, *words, **settings):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "CUDA"))}
        return subprocess.run([COMMAND, *words], cwd=self.folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", timeout=100, env={
                                  **kept, "CUDACXX": f"{self.folder}/cuda/bin/nvcc", "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                                  "LD_LIBRARY_PATH": f"{self.folder}/cuda/lib64", "FAKE_TIMES": "10000 20000 " * 8, **settings})

    def run_test(self, **settings):
        """The exit code, the verdicts, and the verdict of each case."""
        done = self.call("run", "--build", "build", "--test", "gpu.prog.main", **settings)
        path = f"{self.folder}/out/records/gpu.prog.main.verdicts.json"
        self.assertTrue(os.path.exists(path), done.stdout)
        verdicts = read_json(path)
        return done.returncode, verdicts, {entry["case"]: entry["verdict"] for entry in verdicts.get("cases", ())}

    def setUp(self):
        shutil.rmtree(f"{self.folder}/baselines", ignore_errors=True)

    def test_without_a_baseline(self):
        code, verdicts, cases = self.run_test()
        self.assertEqual((code, cases), (0, {"prog/main/-/-": "pass", SUM: "no-baseline", TWICE: "no-baseline"}))
        self.assertEqual(verdicts["target"], {"key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0", "memory_mib": 81920,
                                              "multiprocessors": 132})
        self.assertEqual(verdicts["provenance"], {"uuid": "GPU-abababab-abab-abab-abab-abababababab"})
        entry = next(entry for entry in verdicts["cases"] if entry["case"] == TWICE)
        self.assertEqual((entry["part"], entry["metrics"]["time_ns"]["value"], entry["observers"]), ("time", 20000, 3))

    def test_judging(self):
        for value, more, code, verdict in ((10000, {}, 0, "pass"), (9000, {}, 1, "slower"), (11000, {}, 0, "faster"),
                                           (9000, {"gated": False}, 0, "pass")):
            with self.subTest(value=value, **more):
                self.baseline(value, **more)
                got, _, cases = self.run_test(FAKE_TIMES="10000 10000 " * 8)
                self.assertEqual((got, cases[SUM], cases[TWICE]), (code, verdict, verdict))

    def test_a_kernel_that_vanished(self):
        self.baseline(10000)
        code, verdicts, cases = self.run_test(FAKE_TIMES="10000")
        self.assertEqual((code, verdicts["vanished"], cases[SUM]), (1, [TWICE], "pass"))

    def test_failures(self):
        code, verdicts, cases = self.run_test(FAKE_CODE="3")
        self.assertEqual((code, cases), (1, {"prog/main/-/-": "wrong"}))
        self.assertRegex(verdicts["cases"][0]["why"], "^it ended with exit code 3: any$")

    def test_without_times(self):
        self.baseline(10000)
        for settings in ({"FAKE_REFUSED": "1"}, ):
            code, verdicts, cases = self.run_test(**settings)
            self.assertEqual((code, cases, len(verdicts["notes"])), (0, {"prog/main/-/-": "pass"}, 1))

    def test_recording(self):
        """The results of five runs make a baseline, whose band is what they differ by."""
        self.write("build/kernelgate.programs", "")
        for number in range(5):
            self.call("begin", "--build", "build", KG__CALLER=str(os.getpid()))
            self.run_test(FAKE_TIMES=f"{10000 + number} {20000 + 1000 * number} " * 8)
            done = self.call("results", "--build", "build", "--programs", "build/kernelgate.programs", KG__CALLER=str(os.getpid()))
            shutil.copy(f"{self.folder}/out/results.json", f"{self.folder}/{number}.json")
        os.makedirs(f"{self.folder}/baselines")
        done = self.call("baseline", "adopt", "--baselines", "baselines", "--commit", "x", "--any-commit", *(f"{number}.json" for number in range(5)))
        self.assertEqual(done.returncode, 0, done.stdout)
        times = {case: entry["time_ns"] for case, entry in read_json(f"{self.folder}/baselines/nvidia-fake.json")["cases"].items()}
        self.assertEqual({case: (time["value"], time["band"] == 0.02, time.get("gated", True)) for case, time in times.items()},
                         {SUM: (10002, True, True), TWICE: (22000, False, False)})

    def test_without_a_gpu(self):
        code, verdicts, _ = self.run_test(CUDA_VISIBLE_DEVICES="")
        self.assertEqual((code, verdicts["skipped_by"]), (77, "unavailable"))
        self.assertEqual(self.run_test(CUDA_VISIBLE_DEVICES="", KG_STRICT="1")[0], 2)

    def test_the_board_that_ctest_assigned(self):
        _, verdicts, _ = self.run_test(FAKE_CODE="3", CTEST_RESOURCE_GROUP_0_GPUS="id:gpu_7fc4aa32_0000_1111_2222_333344445555,slots:8")
        self.assertIn("GPU-7fc4aa32-0000-1111-2222-333344445555", verdicts["cases"][0]["why"])

    @unittest.skipUnless(HEADER, "there is no cupti_activity.h (the CUDA Toolkit)")
    def test_the_layout_of_records(self):
        self.write("layout.c", LAYOUT)
        self.compile("-c", f"-I{TREE}/harness", f"-I{os.path.dirname(HEADER or '')}", "layout.c", "-o", "layout.o")
