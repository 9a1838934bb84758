# SPDX-License-Identifier: MIT
"""Variants whose source the CPU model does not have: one for GPUs alone is listed as such, one that does not compile is an error
of its own, and both leave the others alone."""

import json
import os
import shutil

from command_fixture import FAKES
from own_folder import write_file
from part_fixture import COMMAND, PartRuns, passing
from run_fixture import INSTRUMENTED

STUBS = os.path.join(FAKES, "fake_stubs.model")
ALONE = ["fake/alone/1/b32", "fake/alone/2/b32", "fake/calls_alone/1/b32", "fake/calls_alone/2/b32"]
BROKEN = "src/broken.cu: does not compile"


class PartStubs(PartRuns):
    def setUp(self):
        super().setUp()
        self.set(KG_FILTER=None)

    def test_each_costs_its_own_variant(self):
        """A launcher that is a stub, and one that calls one."""
        verdicts = self.check(2, ("gpu-only     cpu-model    fake/alone/1/b32                  for GPUs alone", BROKEN), STUBS)
        self.assertEqual((passing(verdicts), passing(verdicts, "error"), verdicts["errors"]), (2, 4, []))
        for case in ("fake/broken/1/b32", "fake/calls_broken/2/b32"):
            self.assertEqual(self.expect_case(verdicts, case, "error", BROKEN)["at"], {"file": "src/broken.cu", "line": 12})
        self.assertEqual([entry["case"] for entry in verdicts["refused"]], ALONE)
        self.assertTrue(all(entry["gpu_only"] is True for entry in verdicts["refused"]))

    def test_what_is_for_gpus_alone_fails_nothing(self):
        program = os.path.join(self.own_build(), "fake_stubs.model")
        for strict in (0, 1):
            self.set(KG_FILTER="fake/alone/*", KG_STRICT=strict)
            self.expect_skip(self.check(77, program=program), "gpu-only", "every case is GPU-only")
            results = self.merge(0, "gpu-only")
            self.assertEqual(([entry["case"] for entry in results["refused"]], results["exit_code"]), (ALONE[:2], 0))

    def test_a_run_with_others_passes(self):
        self.set(KG_FILTER="fake/whole/*,fake/*alone/*")
        self.check(0, program=STUBS)
        results = self.merge(0, ("2 checked       4 gpu-only", "PASS  2 cases on cpu-model"))
        self.assertEqual([(entry["case"], entry["gpu_only"]) for entry in results["refused"]], [(case, True) for case in ALONE])
        self.assertIn("for GPUs alone", self.read("out/junit.xml"))

    def test_a_defect_may_be_for_gpus_alone(self):
        self.expect_skip(self.run_test(STUBS, "defects", 77), "gpu-only", "every case is GPU-only")

    def test_listings_name_what_is_for_gpus_alone(self):
        self.expect_program(0, "fake/alone/1/b32         gpu-only", COMMAND, "list", "--build", self.own_build())
        listing = json.loads(self.expect_program(0, "", STUBS, "--launches"))
        self.assertEqual(([(entry["case"].split("/")[1], entry["gpu_only"]) for entry in listing["refused"]], listing["failed"]),
                         ([("alone", True), ("broken", False), ("calls_alone", True), ("calls_broken", False)], []))

    def test_stubs_alone_have_nothing_to_instrument(self):
        """What is reported is that the kernel does not compile, not that it is not instrumented."""
        os.mkdir("programs")
        for name in ("model", "instrumented"):
            shutil.copy(os.path.join(FAKES, "fake_only_stubs.model"), f"programs/fake_only_stubs.{name}")
        verdicts = self.check(2, BROKEN, self.at("programs/fake_only_stubs.model"))
        self.assertEqual((verdicts["errors"], passing(verdicts, "error"), len(verdicts["refused"])), ([], 2, 2))
        write_file("cases", "fake/broken/1/b32\n")
        printed = self.expect_program(0, "", self.at("programs/fake_only_stubs.instrumented"), "--observe", "cases", "--part", "count",
                                      "--records", "counted")
        self.assertEqual(printed, "")
        self.assertIn('"why":"does not compile"', self.read("counted"))

    def own_build(self):
        """A folder with the program, and one with instrumented kernels next to it."""
        os.mkdir("programs")
        shutil.copy(STUBS, "programs")
        os.symlink(INSTRUMENTED, "programs/fake_stubs.instrumented")
        return self.at("programs")
