# SPDX-License-Identifier: MIT
"""A folder of its own for the programs of a test."""

import os
import subprocess
import tempfile
import unittest


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def run_in_folder(cls, *command, **environment):
        """Runs a command without the caller's options of compilers and programs."""
        inherited = {name: value for name, value in os.environ.items() if name not in ("KERNELGATE_OPTIONS", "CUDACXX", "CUDAFLAGS")}
        return subprocess.run(command, cwd=cls.folder, env={**inherited, **environment}, capture_output=True, text=True, check=False,
                              timeout=200)
