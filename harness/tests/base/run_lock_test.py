"""Who holds a folder of results, for the commands and the scripts. usage: run_lock_test.py TREE KERNELGATE"""

import os
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(sys.argv[1], "harness", "tests", "cli"))
# pylint: disable=wrong-import-position
from command_fixture import COMMAND, TREE, Folder  # noqa: E402

LOCK = "run.lock"


class RunLock(Folder):
    def script(self, code, told, command="echo taken"):
        """What a script prints that takes the folder as ci/gate does, then runs a command."""
        text = f". {TREE}/ci/common.sh; lock_folder \"$1\" 'set KG_OUT to another folder'; {command}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text, "gate", os.getcwd()], capture_output=True, text=True,
                              check=False, env=self.environment, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(told, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def take(self, process):
        """The folder is taken for a process."""
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            started = file.read().rpartition(")")[2].split()[19]
        self.write(LOCK, f"process {process}\nstarted {started}\nhost {socket.gethostname()}\nwhat somebody\nsince today\n")

    def take_for_stranger(self):
        """The same for a process that is no ancestor of what asks."""
        stranger = subprocess.Popen(["sleep", "100"])  # pylint: disable=consider-using-with
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        self.take(stranger.pid)
        return stranger

    def test_the_commands_leave_a_held_folder_alone(self):
        self.write("results.json", "of the other run")
        self.take_for_stranger()
        for command in ("begin", "results", "settle"):
            self.expect(2, "held by somebody, process ", command, KG_OUT=os.getcwd())
            self.assertEqual(self.read("results.json"), "of the other run")
            self.assertFalse(os.path.exists("records"), command)

    def test_the_scripts_keep_to_the_same_file(self):
        stranger = self.take_for_stranger()
        self.script(2, "held by somebody, process ")
        stranger.kill()
        stranger.wait()
        self.script(0, "taken")
        self.assertEqual(self.read(LOCK), "")
        self.script(3, "what ci/gate\nsince 2", 'cat "$1/run.lock"; exit 3')
        self.take(os.getpid())  # an ancestor of the script stays the holder
        self.script(0, "taken")
        self.assertIn("\nwhat somebody\n", self.read(LOCK))
        self.write(LOCK, "")
        self.script(-signal.SIGKILL, "", "kill -KILL $$")
        self.assertIn("what ci/gate", self.read(LOCK))
        self.expect(0, "", "begin", "--out", os.getcwd())  # a killed script holds nothing

    def test_what_a_script_starts_descends_from_it(self):
        """What the script holds, its programs may write to, and no other process."""
        begin = f'{COMMAND} begin --out "$1"'
        stray = (f"setsid -f bash -c '{COMMAND} begin --out '\"$1\"' && echo passed; touch over'; "
                 "until [[ -e over ]]; do sleep 0.05; done")
        said = self.script(0, "held by ci/gate, process ", f"{begin}; ({begin}); {stray}")
        self.assertNotIn("passed", said)

    def test_neither_takes_a_file_that_does_not_say_who(self):
        host = f"host {socket.gethostname()}\nwhat x\nsince y\n"
        for text in ("process 12\nhost a\n", f"process 99999999999999999999\nstarted 1\n{host}",
                     f"process 1\nstarted 99999999999999999999999\n{host}", f"process -1\nstarted 1\n{host}",
                     f"process 1\nstarted soon\n{host}"):
            self.write(LOCK, text)
            self.script(2, "run.lock: does not say who holds this folder")
            self.expect(2, "run.lock: does not say who holds this folder", "begin", "--out", os.getcwd())

    def test_what_the_scripts_cannot_understand(self):
        self.write(LOCK, "process 1\nstarted 1\nhost elsewhere.invalid\nwhat ctest\nsince today\n")
        self.script(2, "held by ctest, process 1 on elsewhere.invalid, since today: wait")
        os.remove(LOCK)
        os.mkdir(LOCK)
        self.script(2, "run.lock: is not a regular file: remove it, or set KG_OUT to another folder")
        os.rmdir(LOCK)
        os.symlink("other", LOCK)
        self.script(2, "run.lock: is not a regular file")
        self.assertFalse(os.path.exists("other"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
