# SPDX-License-Identifier: MIT
"""Programs that die or whose disk fails at each of the calls by which they change files: what is stored is the old or the new,
and nothing that was lost passes for a success."""

import ctypes
import glob
import os
import re
import shutil
import signal
import sys
import unittest

from command_fixture import FAKES
from own_folder import read_text, write_file
from run_fixture import COMMAND, MODULES, SLOW, SOUND_GPU, Runs

STORED = "baselines/nvidia-fake.json"
FOLDER = "baselines/sessions"
SESSIONS = f"{FOLDER}/nvidia-fake.json"
OTHER_VERDICTS = "out/records/gpu.other.time.verdicts.json"
MOST_CALLS = 400  # more than any program here makes
ERRORS = (("ENOSPC", "No space left on device"), ("EIO", "Input/output error"), ("EROFS", "Read-only file system"))
KILLED = 128 + signal.SIGKILL
with open(SOUND_GPU, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()
# A sanitizer's build runs no other code, only more slowly: it looks at some of the calls.
KILL_STRIDE, FAULT_STRIDE = (5, 7) if SANITIZED else (1, 3)
HOT = "* * hot 10000\n"
HOT_AND_COLD = "* * hot 20000 cold 30000\n"

# What another version, or an accident, may leave where a file of ours is read.
ODDITIES = (*(f'{{"schema": "kernelgate-{form}/3", "cases": {cases}}}'.encode()
              for form, cases in (("baseline", "{}"), ("results", "[]"), ("verdicts", "[]"))),
            b'{"schema": "kernelgate-results/2", "cases": [{"case": "a/b', b"", b"\x7fELF\x02\x01\x01", b"[" * (1 << 20),
            None)  # a folder


def put(path, content):
    remove(path)
    if content is None:
        os.mkdir(path)
        return
    write_file(path, content)


def remove(path):
    if os.path.isdir(path):
        os.rmdir(path)
    elif os.path.exists(path):
        os.remove(path)


def stored():
    """The stored baseline without the moment when it was recorded, and without how many sessions it rests on, since those of a
    recording that was cut off stay; None where there is none."""
    if not os.path.exists(STORED):
        return None
    return re.sub('"date": "[^"]*"|"sessions": [0-9]+', "", read_text(STORED))


def remove_temporary():
    """Whether a temporary file is in the folder of the baselines; none is then."""
    found = [path for folder in ("baselines", FOLDER) for path in glob.glob(f"{folder}/*") + glob.glob(f"{folder}/.*")
             if path not in (STORED, SESSIONS, FOLDER)]
    for path in found:
        os.remove(path)
    return bool(found)


class Faults(Runs):
    def setUp(self):
        super().setUp()
        self.set(KG_FILTER=SLOW)

    def inject(self, name, first, fault):
        """From here on the programs' calls under `name` fail from call `first` on."""
        put("count", bytes(8))
        # Under AddressSanitizer its library wants to be the first; it need not be.
        self.set(LD_PRELOAD=os.path.join(FAKES, "libfailing_calls.so"), FAULT_FOLDER=self.at(name), FAULT_AT=first,
                 ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", FAULT_WITH=fault, FAULT_COUNT=self.at("count"))

    def inject_nothing(self):
        self.set(LD_PRELOAD=None, FAULT_AT=None)

    def calls(self):
        """How many there were since inject()."""
        with open("count", "rb") as file:
            return int.from_bytes(file.read(), sys.byteorder)

    def record(self):
        remove("log")
        return self.run_program(COMMAND, "baseline", "record", "--baselines", self.at("baselines"), "--commit", "abcdef0123", SOUND_GPU)

    def expect_recorded(self):
        self.inject_nothing()
        code, printed = self.record()
        self.assertEqual(code, 0, printed)
        self.assertIn("changed, 5 sessions", printed)

    # Recordings.

    def texts(self, old_plan, new_plan):
        """What is stored before an update, that without its date, and what the update stores; old_plan may be None: nothing is."""
        before = None
        if old_plan is not None:
            self.write("plan", old_plan)
            self.expect_recorded()
            before = self.read(STORED), self.read(SESSIONS)
        old = stored()
        self.write("plan", new_plan)
        self.expect_recorded()
        self.assertNotEqual(stored(), old)
        return before, old, stored()

    def restore(self, before):
        remove(STORED)
        remove(SESSIONS)
        if before is not None:
            self.write(STORED, before[0])
            self.write(SESSIONS, before[1])

    def test_recordings_that_are_killed(self):
        """At each of their calls; then another one must go through."""
        for plans in ((None, HOT), (HOT, HOT_AND_COLD)):
            before, old, new = self.texts(*plans)
            left = is_new = ended = False
            for first in range(1, MOST_CALLS, KILL_STRIDE):
                self.restore(before)
                self.inject("baselines", first, "kill")
                code, printed = self.record()
                ended = self.calls() < first
                self.assertEqual(code, 0 if ended else KILLED, f"call {first}: {printed}")
                if ended:
                    break
                is_new = stored() == new
                self.assertIn(stored(), (old, new), f"call {first}")
                left = remove_temporary() or left
                if not is_new:
                    self.expect_recorded()
                    self.assertEqual(stored(), new, f"call {first}")
                    self.assertFalse(remove_temporary(), f"call {first}")
            self.assertTrue(ended and first > 4, f"{first} calls")
            self.assertTrue(SANITIZED or left, "a killed recording leaves its temporary file")
            self.assertTrue(SANITIZED or is_new, "the last calls come when the new file is there")
            self.restore(None)

    def test_an_update_on_a_disk_that_fails(self):
        before, old, new = self.texts(HOT, HOT_AND_COLD)
        for start, (fault, told) in enumerate(ERRORS, 1):
            refusals = 0
            for first in range(start, MOST_CALLS, FAULT_STRIDE):
                self.restore(before)
                self.inject("baselines", first, fault)
                code, printed = self.record()
                ended = self.calls() < first
                if ended:
                    self.assertEqual(code, 0, printed)
                    break
                # Once the new file is in place, that its folder cannot be flushed is no error.
                if code != 0:
                    refusals += 1
                    self.assertEqual(code, 2, printed)
                    self.assertIn(told, printed)
                    self.assertIn(self.at("baselines"), printed)
                self.assertEqual(stored(), new if code == 0 else old, f"{fault}, call {first}")
                self.assertFalse(remove_temporary() and code != 0 and fault == "ENOSPC")
            self.assertTrue(ended and first > 4 and refusals > 0, f"{first} calls, {refusals} refused")

    # Runs, as CTest runs them.

    def step(self, *command):
        """The exit code of a part of a run; what fails says so, and nothing crashes."""
        code, printed = self.run_program(*command)
        self.assertNotIn(code, (128 + signal.SIGSEGV, 128 + signal.SIGABRT, 128 + signal.SIGBUS), printed)
        self.assertTrue(code in (0, KILLED) or re.search("kernelgate: |error  |: error: ", printed), f"{command}: {code}: {printed}")
        return code

    def time(self):
        return self.step(SOUND_GPU, "--filter=fake/time")

    def gate(self):
        """The exit codes of the beginning of a run, of its test and of its results."""
        begin = self.step(COMMAND, "begin")
        # CTest starts no test when that fails, and sums up all the same.
        remove("log")
        return begin, self.time() if begin == 0 else 0, self.step(COMMAND, "results")

    def prepare_runs(self):
        self.write("plan", HOT)
        self.expect_recorded()

    def expect_left(self, codes):
        """A test that passed has left its verdicts, since the run could not tell that they are missing; a run that passed, all of
        its results."""
        if codes[:2] == (0, 0):
            self.assertIs(self.load("out/records/gpu.fake.time.verdicts.json")["complete"], True)
        if any(codes):
            return
        results = self.load("out/results.json")
        self.assertEqual([results["exit_code"]] + [(case["case"], case["verdict"]) for case in results["cases"]], [0, (SLOW, "pass")])
        self.assertTrue(os.path.exists("out/junit.xml") and os.path.exists("out/summary.md"))

    def test_runs_that_are_killed_or_whose_disk_fails(self):
        self.prepare_runs()
        for fault, start, stride in (("kill", 1, KILL_STRIDE), ("ENOSPC", 2, FAULT_STRIDE), ("EIO", 3, FAULT_STRIDE)):
            failed = 0
            shutil.rmtree("out", ignore_errors=True)
            for tried, first in enumerate(range(start, MOST_CALLS, stride)):
                with self.subTest(fault=fault, call=first):
                    self.inject("out", first, fault)
                    codes = self.gate()
                    self.expect_left(codes)
                    failed += any(codes)
                    self.inject_nothing()
                    ended = self.calls() < first
                    # What is left is the same after calls of the same kind, of which several are in turn.
                    if fault == "kill" and tried % 3 == 0 and not ended:
                        self.assertEqual(self.gate(), (0, 0, 0))
                if ended:
                    break
            self.assertTrue(ended and first > 20 and failed > tried / 2, f"{fault}: {first} calls, {failed} of {tried} failed")

    def test_a_run_in_a_folder_that_cannot_be_written(self):
        self.prepare_runs()
        self.inject("out", 1, "EROFS")
        self.expect_program(2, "/out: the folder cannot be made: Read-only file system", COMMAND, "begin")
        self.inject_nothing()
        self.assertEqual(self.step(COMMAND, "begin"), 0)
        self.inject("out", 1, "EROFS")
        self.expect_program(2, "/out: the folder cannot be made: Read-only file system", SOUND_GPU, "--filter=fake/time")

    # Processes that cannot be started, or lose their parents.

    def test_a_runner_that_can_start_nothing(self):
        """It ends. Criterion's library would end every process of the user, or crash, or wait forever."""
        refused = "kernelgate: fake"
        for what, fault, call, told in (
                ("the runner's thread", "EAGAIN", 1, refused), ("a thread of nanomsg", "EAGAIN", 2, ""),
                ("the process of the test", "EAGAIN", 3, refused), ("a thread for that process", "EAGAIN", 4, ""),
                ("another one", "EAGAIN", 5, ""), ("another one, which never runs", "lost", 5, refused), ("none", "EAGAIN", 99, None)):
            with self.subTest(what):
                self.inject("out", call, fault)
                code, printed = self.run_program(SOUND_GPU, "--filter=fake/check")
                self.assertEqual(code == 0, told is None, printed)
                if told:
                    self.assertEqual(code, 2, printed)
                    self.assertIn(told, printed)

    @unittest.skipIf(SANITIZED, "AddressSanitizer reserves terabytes")
    def test_a_runner_with_little_address_space(self):
        for kib, code in ((30000, 2), (40000, 2), (60000, 2), (100000, 2), (196607, 2), (196608, 0), ("unlimited", 0)):
            self.expect_program(code, "ulimit -v" if code else "", "/bin/sh", "-c",
                                f"ulimit -v {kib} && exec {SOUND_GPU} --filter=fake/check")

    def test_a_process_whose_parent_died_first(self):
        """ctest, the runner or its worker dies after it started a process, and before that one asked for the signal: no observer
        may be left to open the device."""
        self.prepare_runs()
        self.write("CTestTestfile.cmake", f'set(program "{SOUND_GPU}")\nset(prefix gpu.)\nset(properties TIMEOUT 60)\nset(labels gpu)\n'
                                          f'set(board_slots 0)\ninclude("{MODULES}/KgDiscoverTests.cmake")\n')
        set_child_subreaper = 36
        self.assertEqual(ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0), 0, "orphans become children of this process")
        # The first is of the runner that lists its tests, the third of Criterion's library.
        for parent, call in (("none", 99), ("ctest", 2), ("runner", 4), ("worker", 5)):
            with self.subTest(parent):
                lives = parent == "none"
                remove("log")
                self.inject("out", call, "orphan")
                code, printed = self.run_program("ctest", "--test-dir", ".", "-V", "-R", "time")
                while True:
                    try:
                        os.wait()
                    except ChildProcessError:
                        break
                self.assertEqual((code == 0, self.observers() > 0), (lives, lives), printed)
                self.assertTrue(lives or self.calls() >= call)

    # Files that are none of ours.

    def test_baselines_that_are_none_of_ours(self):
        path = self.at(STORED)
        for content in ODDITIES:
            put(path, content)
            self.expect_program(2, path, COMMAND, "baseline", "lint", path)
            code, printed = self.record()
            self.assertEqual(code, 2, printed)
            self.assertIn(path, printed)
            self.assertNotIn("session 1", printed, "nothing is measured")
            self.assertEqual(self.time(), 2)

    def test_verdicts_that_are_none_of_ours(self):
        """One test's verdicts make the run an error, and the others' count all the same."""
        self.prepare_runs()
        for content in ODDITIES:
            self.assertEqual((self.step(COMMAND, "begin"), self.time()), (0, 0))
            put(OTHER_VERDICTS, content)
            self.assertEqual(self.step(COMMAND, "results"), 2)
            results = self.load("out/results.json")
            self.assertEqual((len(results["errors"]), len(results["cases"])), (1, 1))
            remove(OTHER_VERDICTS)
