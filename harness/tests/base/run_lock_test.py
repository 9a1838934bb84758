# SPDX-License-Identifier: MIT
"""Who holds a directory, for the commands."""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
from unittest import mock

from command_fixture import COMMAND, TREE, Folder
from kernelgate.base import run_lock
from kernelgate.base.errors import Failure

LOCK = run_lock.FILE
UNREADABLE = "run.lock: does not say who holds this folder: if no run is in progress here, remove it"
RIVALS = 20


class RunLock(Folder):
    def refused(self, why, act=run_lock.take, folder="."):
        with self.assertRaises(Failure) as caught:
            act(folder, *[os.getpid()] * (act is run_lock.take))
        self.assertIn(why, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def held(self, why):
        self.refused(why, run_lock.check)
        self.refused(why)

    def free(self):
        run_lock.check(".")
        self.assertTrue(run_lock.take(".", os.getpid()))
        run_lock.release(".", os.getpid())
        self.assertEqual(self.read(LOCK), "")

    def start_stranger(self):
        """A process that is no ancestor of what asks."""
        stranger = subprocess.Popen(["sleep", "100"])  # pylint: disable=consider-using-with
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        return stranger

    def take_for_stranger(self):
        stranger = self.start_stranger()
        run_lock.take(".", stranger.pid, "somebody")
        return stranger

    def test_the_commands_leave_a_held_folder_alone(self):
        self.write("results.json", "of the other run")
        self.take_for_stranger()
        for command in ("begin", "results", "settle"):
            self.expect(2, "held by somebody, process ", command, KG_OUT=os.getcwd())
            self.assertEqual(self.read("results.json"), "of the other run")
            self.assertFalse(os.path.exists("records"), command)

    def test_what_a_holder_starts_descends_from_it(self):
        """What the gate holds, its programs may write to, and no other process."""
        begin = f"{COMMAND} begin --out {os.getcwd()}"
        with run_lock.held(".", "ci/gate"):
            self.expect_program(0, "", "bash", "-c", f"{begin} && ({begin})")
            stray = f"setsid -f bash -c '{begin} >said 2>&1; touch over'; until [[ -e over ]]; do sleep 0.05; done"
            self.expect_program(0, "", "bash", "-c", stray)
        self.assertIn("held by ci/gate, process ", self.read("said"))

    def test_a_folder_that_is_not_held(self):
        run_lock.check("missing")
        run_lock.check(".")
        self.assertFalse(os.path.exists(LOCK), "looking leaves nothing")
        self.free()
        self.refused("missing/run.lock: cannot be opened: No such file", folder="missing")
        run_lock.take(".", os.getpid())
        first, _, host, what, since = self.read(LOCK).splitlines()
        self.assertEqual((first, host), (f"process {os.getpid()}", f"host {socket.gethostname()}"))
        self.assertRegex(f"{what} {since}", "what python.* since 2.* UTC")

    def test_a_holder_that_ends(self):
        """One that is not waited for is dead though its number is not free; a number may be another process's now."""
        stranger = self.take_for_stranger()
        self.held(f"held by somebody, process {stranger.pid}, since 2")
        self.held("wait until it finishes, or set KG_OUT to another folder")
        run_lock.release(".", os.getpid())
        self.held("held by somebody")
        text = self.read(LOCK)
        stranger.kill()
        os.waitid(os.P_PID, stranger.pid, os.WEXITED | os.WNOWAIT)
        self.free()
        stranger.wait()
        with self.assertRaisesRegex(Failure, "/proc has nothing about it"):
            run_lock.take(".", stranger.pid)
        other = self.start_stranger()
        self.write(LOCK, text.replace(f"process {stranger.pid}", f"process {other.pid}").replace("started ", "started 1"))
        self.free()

    def test_a_holder_that_may_be_hidden(self):
        self.take_for_stranger()
        with mock.patch.object(run_lock, "look", lambda process: None), mock.patch("os.kill", side_effect=PermissionError):
            self.assertTrue(run_lock.Holder(1, 1, socket.gethostname(), "", "").liveness() == run_lock.ALIVE)

    def test_an_ancestor_stays_the_holder(self):
        run_lock.take(".", os.getppid(), "ctest")
        with run_lock.held("."):
            self.assertIn(f"process {os.getppid()}\n", self.read(LOCK))
        run_lock.release(".", os.getpid())
        self.assertIn("what ctest\n", self.read(LOCK))
        run_lock.release(".", os.getppid())
        self.assertEqual(self.read(LOCK), "")
        with run_lock.held(".", "ci/gate"):
            self.assertIn("what ci/gate\n", self.read(LOCK))
        self.assertEqual(self.read(LOCK), "")

    def test_files_that_do_not_say_who(self):
        """harness/tests/base/run_lock.c tries the reader of the programs by the same lines."""
        with open(os.path.join(TREE, "harness", "tests", "base", "run_locks.txt"), encoding="utf-8") as file:
            texts = [line.rstrip("\n").replace(";", "\n") for line in file]
        for text in texts:
            self.write(LOCK, text)
            self.held(UNREADABLE)
        self.expect(2, UNREADABLE, "begin", "--out", os.getcwd())

    def test_a_holder_elsewhere(self):
        self.write(LOCK, "process 1\nstarted 1\nhost elsewhere.invalid\nwhat ctest\nsince today\n")
        self.held("held by ctest, process 1 on elsewhere.invalid, since today: wait")
        self.held("if it is gone, remove ./run.lock")

    def test_what_is_not_a_file(self):
        for make, why in ((os.mkdir, "run.lock: is not a regular file: remove it, or set KG_OUT to another folder"),
                          (os.mkfifo, "run.lock: is not a regular file"),
                          (lambda path: os.symlink("other", path), "run.lock: cannot be opened: Too many levels")):
            make(LOCK)
            self.held(why)
            os.rmdir(LOCK) if os.path.isdir(LOCK) else os.unlink(LOCK)  # pylint: disable=expression-not-assigned
        self.assertFalse(os.path.exists("other"))

    def test_a_file_that_stays_locked(self):
        """A process that is stopped before it finished keeps nothing waiting forever."""
        self.write(LOCK, "")
        with open(LOCK, encoding="utf-8") as file, mock.patch.object(run_lock, "SECONDS_TO_WAIT", 0.05):
            fcntl.flock(file, fcntl.LOCK_EX)
            self.held("a process has kept it open for 0.05 s")

    def test_a_full_disk(self):
        with mock.patch("os.pwrite", return_value=3):
            self.refused("run.lock: cannot be written: No space left on device: free some disk space, or set KG_OUT")
        self.assertEqual(self.read(LOCK), "")

    def test_of_many_at_once_one_wins(self):
        """The first time it is not held, then by a process that died."""
        for _ in range(5):
            start, go = os.pipe()
            results, through = os.pipe()
            rivals = []
            for _ in range(RIVALS):
                rivals.append(os.fork())
                if rivals[-1] == 0:
                    os.close(go)
                    os.read(start, 1)  # until the other end is closed for all of them
                    taken = False
                    with contextlib.suppress(Failure):
                        taken = run_lock.take(".", os.getpid())
                    os.write(through, b"1" if taken else b"0")
                    signal.pause()  # a winner that ended would make room for the next
            os.close(go)
            won = sum(os.read(results, 1) == b"1" for _ in rivals)
            for rival in rivals:
                os.kill(rival, signal.SIGKILL)
                os.waitpid(rival, 0)
            for end in (start, results, through):
                os.close(end)
            self.assertEqual(won, 1)
