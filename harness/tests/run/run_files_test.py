# SPDX-License-Identifier: MIT
"""The directory of a run's results as a run begins in it: made, cleared."""

import os

from own_folder import OwnFolder

from kernelgate.base.errors import Failure
from kernelgate.run import run_files

OURS = ("results.json", "junit.xml", "summary.md", "kernelgate.sarif", ".results.json.new-42", "report/index.html",
        "records/gpu.a.time.verdicts.json",
        "records/.gpu.a.time.verdicts.json.new-7", "records/gpu.a.time.1.jsonl", "records/gpu.a.time.1.cases")
OTHERS = ("notes.txt", "results.json.bak", "my.results.json", ".junit.xml.swp", ".new-1", "..new-1", "records/.new-1",
          "report/style.css", "records/readme", "records/results.json", "records/.jsonl")


class Begin(OwnFolder):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "a", "b", "out")

    def begin(self):
        run_files.begin(self.out, os.getpid())

    def path(self, name):
        return os.path.join(self.out, name)

    def test_begin_removes_what_a_run_left_and_nothing_else(self):
        self.begin()
        os.mkdir(self.path("report"))
        for name in OURS + OTHERS:
            self.write(self.path(name), "")
        self.begin()
        for name in OURS + OTHERS:
            self.assertEqual(os.path.exists(self.path(name)), name in OTHERS, name)

    def test_begin_names_what_is_in_its_way(self):
        for name, kind, why in (("", "file", "out: is not a folder"),
                                ("records", "file", "out/records: the folder cannot be read"),
                                ("results.json", "folder", "out/results.json: left by an earlier run"),
                                ("report", "file", "out/report: the folder cannot be read"),
                                ("records", "link", "out/records: is a symbolic link")):
            with self.subTest(why):
                self.setUp()
                path = self.path(name).rstrip("/")
                os.makedirs(os.path.dirname(path))
                {"file": lambda path: self.write(path, ""), "folder": os.mkdir, "link": lambda path: os.symlink(".", path)}[kind](path)
                with self.assertRaisesRegex(Failure, why):
                    self.begin()
