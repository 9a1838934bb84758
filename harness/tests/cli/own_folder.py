# SPDX-License-Identifier: MIT
"""A test in a folder of its own, which is the current one, and files of it."""

import json
import os
import tempfile
import unittest

import command_run


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_json(path):
    return json.loads(read_text(path))


def read_json_lines(path):
    return [json.loads(line) for line in read_text(path).splitlines()]


def write_file(path, content):
    """Writes bytes, a text, or a JSON document, in a directory that it makes, and gives the path back."""
    if not isinstance(content, (str, bytes)):
        content = json.dumps(content)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


class OwnFolder(unittest.TestCase):
    read = staticmethod(read_text)
    write = staticmethod(write_file)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.folder = folder.name

    def valid(self, text, *changed):
        """A JSON document that is valid by its schema."""
        held = command_run.run([*command_run.VALIDATE, write_file("document", text), *changed], capture_output=True, text=True, check=False)
        self.assertEqual(held.returncode, 0, held.stdout + held.stderr)
        return json.loads(text)

    def write_script(self, path, text):
        self.write(path, text)
        os.chmod(path, 0o755)
