# SPDX-License-Identifier: MIT
"""A test in a folder of its own, which is the current one."""

import os
import tempfile
import unittest


class OwnFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.folder = folder.name
