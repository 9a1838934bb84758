# SPDX-License-Identifier: MIT
"""Runs of the command in a folder of their own: for tests whose arguments are TREE KERNELGATE FAKES BUILD CMAKE,
the folders of the fake programs and of the build."""

import json
import os
import subprocess
import sys

import command_run
from own_folder import OwnFolder

TREE, COMMAND, FAKES, BUILD, CMAKE = sys.argv[1:6]
MODEL, GPU, SOUND_GPU = (os.path.join(FAKES, name) for name in ("fake.model", "fake.gpu", "fake_sound.gpu"))
# What would steer a program besides the settings of its test.
STEERING = ("KG_", "BXFI_", "FAKE_", "CTEST_", "GITHUB_", "CUDA", "CC", "CXX", "CI", "NO_COLOR", "CLICOLOR_FORCE")


class Folder(OwnFolder):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}
        self.environment.update(KG_LOCK_DIR=self.folder, GIT_CEILING_DIRECTORIES=os.path.dirname(self.folder))

    def run_program(self, *command, **settings):
        """A program to its end: its exit code, as a shell has it, and its standard output and error together."""
        done = command_run.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                               errors="surrogateescape", check=False, env={**self.environment, **settings})
        return done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stdout

    def expect_program(self, code, told, *command, **settings):
        """What a program prints, where it ends so, and `told` (a text, or several) is in it."""
        ended, printed = self.run_program(*command, **settings)
        self.assertEqual(ended, code, printed)
        for text in (told,) if isinstance(told, str) else told:
            self.assertIn(text, printed)
        return printed

    def run_command(self, *arguments, **settings):
        return command_run.run([COMMAND, *arguments], capture_output=True, encoding="utf-8", errors="surrogateescape", check=False,
                               env={**self.environment, **settings})

    def finish(self, code, told, *arguments, **settings):
        """The run of the command, where it ends so, and `told` (a text, or several) is in its output."""
        done = self.run_command(*arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for text in (told,) if isinstance(told, str) else told:
            self.assertIn(text, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def expect(self, code, told, *arguments, **settings):
        """The standard output of such a run; a refusal is in lines of the standard error alone."""
        return self.finish(code, told, *arguments, **settings).stdout

    def refuse(self, told, *arguments, **settings):
        self.assertEqual(self.expect(2, told, *arguments, **settings), "")

    def lose_output(self, told, *arguments, **settings):
        """The standard error, where the standard output cannot be written."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = command_run.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                   env={**self.environment, **settings})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(told, done.stderr)
        return done.stderr

    def document(self, code, *arguments, **settings):
        """The document that is all of the output, valid by its schema."""
        return self.valid(self.finish(code, (), *arguments, **settings).stdout)

    def small_document(self, code, *arguments, **settings):
        """The same of a small document."""
        return self.valid_alone(self.finish(code, (), *arguments, **settings).stdout)

    def valid_alone(self, text):
        """A small document that is valid by its schema. Most documents with one change must not be."""
        document = self.valid(text, "changed")
        copies = json.loads(self.read("changed"))
        self.assertGreater(sum(not valid for valid, _ in copies), len(copies) * 3 / 5)
        return document
