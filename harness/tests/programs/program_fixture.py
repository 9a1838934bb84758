# SPDX-License-Identifier: MIT
"""A folder of its own for the programs of a test."""

import os
import subprocess
import tempfile
import unittest

from command_fixture import COMMAND
from own_folder import write_file

FOUND = 66  # the exit code of a program in which something was found


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    @classmethod
    def write(cls, name, content):
        write_file(os.path.join(cls.folder, name), content)

    @classmethod
    def run_in_folder(cls, *command, **environment):
        """Runs a command without the caller's options of compilers and programs."""
        inherited = {name: value for name, value in os.environ.items() if name not in ("KERNELGATE_OPTIONS", "CUDACXX", "CUDAFLAGS")}
        return subprocess.run(command, cwd=cls.folder, env={**inherited, **environment}, capture_output=True, text=True, check=False,
                              timeout=200)

    @classmethod
    def nvcc(cls, *words):
        """Compiles without a word of the compiler's."""
        done = cls.run_in_folder(COMMAND, "nvcc", *words)
        if done.returncode != 0 or done.stderr:
            raise AssertionError(f"{words}: {done.stderr}")
