# SPDX-License-Identifier: MIT
"""The device that the parts run on: the board that CTest hands a test, and a GPU that is not there, does not work, is lost or
does not answer."""

import json
import signal
import time

from part_fixture import GPU, MODEL, OTHER, SLOW, PartRuns, fake_baseline, passing

FIRST_BOARD = "GPU-00000000-1111-2222-3333-444444444444"
OTHER_BOARD = "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
FIRST, SECOND = (board.lower().replace("-", "_") for board in (FIRST_BOARD, OTHER_BOARD))

# Filters whose variants are checked in one process, and in two: a variant that is wrong shares no process with the next.
ONE_PROCESS = "fake/plain/*,fake/quick/*"
TWO_PROCESSES = "fake/wrong/*,fake/nan/*"
BROKEN = "the driver does not work"
UNRUN = "no observer could be run for this case"


class Boards(PartRuns):
    def set_boards(self, other="NVIDIA Fake", groups=1):
        """A machine with two boards, the other one of another model or not."""
        self.set(FAKE_BOARDS=f"{FIRST_BOARD}=NVIDIA Fake,{OTHER_BOARD}={other}", CTEST_RESOURCE_GROUP_COUNT=groups)

    def give(self, gpus):
        self.set(CTEST_RESOURCE_GROUP_0_GPUS=gpus)

    def test_ctest_chooses_the_board(self):
        """Without a resource spec it is the first."""
        for groups, board, place in ((0, FIRST_BOARD, ""), (1, OTHER_BOARD, " (0000:19:00.0)\n")):
            self.set_boards(groups=groups)
            self.give(f"id:{SECOND},slots:8" if groups else None)
            verdicts = self.check(0, f"board        nvidia-fake  gpu.fake.check                    runs on {board}{place}", GPU)
            self.assertEqual((verdicts["board"], verdicts["target"]["key"]), (board, "nvidia-fake"))

    def test_a_board_that_cannot_be_had_is_an_error(self):
        """What CTest hands out is there, and is used; a confirmation on another board confirms nothing."""
        self.set_boards()
        self.give("id:3,slots:1")
        self.check(2, "id:3,slots:1: names no board", GPU)
        self.time(2, "names no board")
        self.give("id:gpu_bbbbbbbb_bbbb_cccc_dddd_eeeeeeeeeeee,slots:8")
        self.time(2, "CUDA does not show the board that CTest gave this test, GPU-bbbbbbbb-bbbb-cccc-dddd-eeeeeeeeeeee")
        self.set_boards(groups=0)
        self.give(None)
        self.plan("")
        self.set(FAKE_DEVICE="moves", KG_FILTER=TWO_PROCESSES)
        self.check(2, f"an observer ran on {OTHER_BOARD}, the one before it on {FIRST_BOARD}", GPU)

    def test_a_program_lists_the_boards(self):
        """As CTest wants to be told."""
        def list_boards(*boards):
            printed = self.expect_program(0, "", GPU, "--resource-spec")
            self.assertEqual(json.loads(printed), {"version": {"major": 1, "minor": 0},
                                                   "local": [{"gpus": [{"id": board, "slots": 8} for board in boards]}]})

        self.set(FAKE_BOARDS="MIG-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee=NVIDIA H200 MIG 1g.18gb")
        self.expect_program(77, "is a MIG instance", GPU, "--resource-spec")
        self.set_boards("NVIDIA Other")
        list_boards(FIRST, SECOND)
        self.set(CUDA_VISIBLE_DEVICES=OTHER_BOARD)
        list_boards(SECOND)
        self.set(CUDA_VISIBLE_DEVICES="-1")
        self.expect_program(77, "no resource spec: no GPU", GPU, "--resource-spec")
        self.expect_program(2, "the CPU model has no boards", MODEL, "--resource-spec")
        self.expect_program(2, "--resource-spec takes no value", GPU, "--resource-spec", "now")

    def test_each_model_has_its_own_baseline(self):
        """Judged is the board that timed, whatever board checked; where its model has no baseline, it is said, and strictness
        makes it fail."""
        self.store(fake_baseline())
        self.set_boards("NVIDIA Other")
        self.set(KG_FILTER="fake/plain/64/*")
        self.give(f"id:{SECOND},slots:8")
        self.check(0, f"gpu.fake.check                    runs on {OTHER_BOARD}", GPU)
        self.give(f"id:{FIRST},slots:8")
        self.time(0, f"pass         nvidia-fake  {SLOW}")
        self.set(KG_STRICT=1)
        boards = self.merge(0)["boards"]
        self.assertEqual({board: facts["target"] for board, facts in boards.items()},
                         {FIRST_BOARD: "nvidia-fake", OTHER_BOARD: "nvidia-other"})
        self.give(f"id:{SECOND},slots:8")
        for strict, code, told in ((0, 77, "nvidia-other.json is not there: restore it"),
                                   (1, 2, f"no-baseline  nvidia-other  {SLOW}")):
            self.set(KG_STRICT=strict)
            self.time(code, told)
        self.merge(2)


class Devices(PartRuns):
    def setUp(self):
        super().setUp()
        self.store(fake_baseline())

    def test_no_device(self):
        self.set(FAKE_DEVICE="absent")
        verdicts = self.time(77, "skipped      gpu          gpu.fake.time                     no GPU: this one is a fake")
        self.expect_skip(verdicts, "unavailable", "no GPU")
        self.check(77, "no GPU", GPU)
        self.set(KG_STRICT=1)
        self.time(2, "no GPU")
        self.expect_program(2, "no GPU", GPU)

    def test_a_broken_device(self):
        self.set(FAKE_DEVICE="broken")
        self.expect_case(self.time(2, f"gpu.fake.time: {BROKEN}: this one is a fake"), SLOW, "error", UNRUN)
        self.check(2, BROKEN, GPU)

    def test_right_variants_share_a_process(self):
        """Whoever is not right has touched it last; another process does for the rest what it would have done anyway. The third
        is for what is left of a lost context."""
        for globs, code, told, right, verdict, number, processes in (
                (ONE_PROCESS, 0, OTHER, 8, "wrong", 0, 1),
                (f"{ONE_PROCESS},{TWO_PROCESSES}", 1, "kernels/fake/nan.cu: to[3]: expected", 14, "wrong", 2, 2),
                ("fake/strays/*,fake/cannot/*,fake/plain/*", 2, "kernels/fake/cannot.cu: launching", 10, "error", 2, 3)):
            self.plan("")
            self.set(KG_FILTER=globs)
            verdicts = self.check(code, told, GPU)
            self.assertEqual((passing(verdicts), passing(verdicts, verdict), self.observers()), (right, number, processes), globs)

    def test_what_was_checked_outlives_the_runner(self):
        """Whoever ends a check that hangs finds the variants before it judged."""
        self.set(KG_FILTER="fake/plain/*,fake/hangs/*", KG_CASE_TIMEOUT=60)
        self.expect_program(128 + signal.SIGKILL, "pass         nvidia-fake  fake/plain/64/b64", "/usr/bin/timeout", "-s", "KILL",
                            "2", GPU, "--filter=fake/check")
        verdicts = self.verdicts("gpu.fake.check")
        self.assertEqual(passing(verdicts), 4)
        self.expect_case(verdicts, "fake/hangs/64/b32", "error", "the test ended before")

    def test_a_device_that_goes_away(self):
        """In the midst of a run it leaves errors, not skipped cases."""
        self.set(FAKE_DEVICE="first", KG_FILTER=TWO_PROCESSES)
        verdicts = self.check(2, "gpu.fake.check: no GPU: this one is", GPU)
        self.assertEqual((passing(verdicts), passing(verdicts, "wrong")), (3, 1))
        self.expect_case(verdicts, "fake/nan/1/b32", "error", "no observer could be run")
        self.set(KG_FILTER=ONE_PROCESS)
        self.plan(f"* {SLOW} hot 11000\n")
        verdicts = self.time(2, "no GPU: this one is")
        self.expect_case(verdicts, SLOW, "error", "no observer could be run")
        self.assertEqual(passing(verdicts), 3)

    def test_a_device_that_is_lost(self):
        """While it times, what was judged stands and the rest says why; while it confirms, the suspect alone is open."""
        for plan, device, why, processes in ((f"1 {SLOW} quit\n", "lost 2-99", "the context is gone", 2),
                                             (f"* {SLOW} hot 11000\n", "lost 3-99", UNRUN + ": the", 3)):
            self.plan(plan)
            self.set(FAKE_DEVICE=device)
            verdicts = self.time(2, f"gpu.fake.time: {BROKEN}")
            self.expect_case(verdicts, SLOW, "error", why)
            errors = passing(verdicts, "error")
            self.assertEqual((passing(verdicts) + errors, self.observers()), (4, processes))
            if processes == 2:
                self.assertGreater(errors, 1)
                self.expect_case(verdicts, OTHER, "error", f"{UNRUN}: {BROKEN}")
            else:
                self.assertEqual(errors, 1)

    def test_a_device_that_comes_back(self):
        """What is lost for one part may be back for the next, whose verdicts count; the run fails."""
        self.set(FAKE_DEVICE="lost 2-2", KG_FILTER=TWO_PROCESSES)
        verdicts = self.check(2, f"gpu.fake.check: {BROKEN}", GPU)
        self.assertEqual(passing(verdicts), 3)
        self.expect_case(verdicts, "fake/nan/64/b64", "error", BROKEN)
        self.set(KG_FILTER=ONE_PROCESS)
        self.assertEqual(passing(self.time(0, f"pass         nvidia-fake  {OTHER}")), 4)
        self.merge(2, f"{BROKEN}: this one is a fake")

    def test_a_device_that_does_not_answer(self):
        """A driver that does not even say no is given up like a case that hangs."""
        began, told = time.monotonic(), "hung: no record for 1 s"
        self.set(KG_CASE_TIMEOUT=1, FAKE_DEVICE="stuck 1-99")
        verdicts = self.time(2, told + " (KG_CASE_TIMEOUT sets the limit); it was ended before")
        self.assertEqual((passing(verdicts), self.observers()), (0, 1))
        self.check(2, told, GPU)
        self.assertEqual(self.observers(), 2)
        self.plan(f"1 {SLOW} quit\n")
        self.set(FAKE_DEVICE="stuck 2-99")
        self.expect_case(self.time(2, told), SLOW, "error", "the context is gone")
        self.assertEqual(self.observers(), 2)
        self.assertLess(time.monotonic() - began, 15)
