# SPDX-License-Identifier: MIT
"""Runs of the command in a folder of their own: for tests whose arguments begin with TREE KERNELGATE."""

import json
import os
import subprocess
import sys

import command_run
from command_run import VALIDATE
from own_folder import OwnFolder

TREE, COMMAND = sys.argv[1:3]
sys.path.insert(0, os.path.join(TREE, "tools"))
# What would steer a program besides the settings of its test.
STEERING = ("KG_", "BXFI_", "FAKE_", "CTEST_", "GITHUB_", "CUDA", "CC", "CXX", "CI", "NO_COLOR", "CLICOLOR_FORCE")


class Folder(OwnFolder):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}
        self.environment.update(KG_LOCK_DIR=self.folder, GIT_CEILING_DIRECTORIES=os.path.dirname(self.folder))

    def write(self, path, content):
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def write_script(self, path, text):
        self.write(path, text)
        os.chmod(path, 0o755)

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

    def expect(self, code, told, *arguments, **settings):
        """The standard output, where the command ends so; a refusal is in lines of the standard error alone."""
        done = self.run_command(*arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(told, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout

    def refuse(self, told, *arguments, **settings):
        self.assertEqual(self.expect(2, told, *arguments, **settings), "")

    def document(self, code, *arguments, **settings):
        """The document that is all of the output, valid by its schema."""
        return self._document(code, arguments, settings, [])

    def small_document(self, code, *arguments, **settings):
        """The same of a small document, of whose schema it is tried that it takes no others."""
        document = self._document(code, arguments, settings, ["changed"])
        copies = json.loads(self.read("changed"))
        self.assertGreater(sum(not valid for valid, _ in copies), len(copies) * 3 / 5)
        return document

    def _document(self, code, arguments, settings, changed):
        done = self.run_command(*arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.write("document", done.stdout)
        held = command_run.run([*VALIDATE, "document", *changed], capture_output=True, text=True, check=False)
        self.assertEqual(held.returncode, 0, held.stderr)
        return json.loads(done.stdout)
