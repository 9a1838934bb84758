# SPDX-License-Identifier: MIT
"""PROGRAM --work: what the cases of a comparison ask for, of its programs for the CPU model and for a GPU."""

import json
import os

from command_fixture import BUILD, FAKES, GPU, MODEL, Folder

SIZES = ("bytes_read", "bytes_written", "bytes_to_device", "bytes_to_host", "kernels", "blocks")


class Work(Folder):
    def ask(self, program, **settings):
        """What a program answers, and its cases by their ids."""
        document = json.loads(self.expect_program(0, (), program, "--work", **settings))
        return document, {entry["case"]: entry for entry in document["cases"]}

    def ask_comparison(self, name):
        program = os.path.join(BUILD, f"{name}.model")
        if not os.path.exists(program):
            self.skipTest(f"{name} is not in CMakeLists.txt")
        return self.ask(program)

    def expect_sizes(self, entry, *expected):
        self.assertEqual([entry.get(name) for name in SIZES[:len(expected)]], list(expected), entry)

    def test_of_a_kernel(self):
        """5 rows and 5 of 100 floats, 25 means of each and as many counts: a block a pair."""
        document, cases = self.ask_comparison("pair_means")
        self.assertEqual(document["comparison"], "pair_means")
        self.expect_sizes(cases["pair_means/warp_shuffle/64x64x1000/b128"], 512000, 49152, 0, 0, 1, 4096)
        entry = cases["pair_means/shared_tree/5x5x100/b16"]
        self.expect_sizes(entry, 4000, 300, 0, 0, 1, 25)
        self.assertEqual((entry["work"], entry["type"], len(entry["purposes"])), ({"operations": 10050, "bytes": 4300}, "float32", 3))
        self.assertEqual(len(cases["pair_means/shared_tree/1x1x1/b16"]["purposes"]), 1)

    def test_of_copies(self):
        """They start no kernel, and are for no counting; the type is the first output's."""
        _, cases = self.ask_comparison("transfers")
        copy = cases["transfers/h2d_pinned/8x8/-"]
        self.expect_sizes(copy, 256, 256, 256, 0)
        self.expect_sizes(cases["transfers/d2h_pageable/8x8/-"], 256, 256, 0, 256)
        self.expect_sizes(cases["transfers/global_to_shared/768x768/-"], 2359296, 2359296, 0, 0, 1, 576)
        self.assertEqual((copy.get("kernels"), copy["type"]), (None, "int32"))
        self.assertEqual(len(cases["transfers/h2d_pinned/530x530/-"]["purposes"]), 1, "it is not counted")

    def test_of_launchers_that_break(self):
        """Launchers that touch their arguments, and one that never ends, cost their own figure alone."""
        _, cases = self.ask(MODEL, KG_FILTER="fake/*/64/b32,fake/plain/*")
        for case in ("fake/hangs/64/b32", "fake/crashes/64/b32"):
            self.expect_sizes(cases[case], 256, 256, 0, 0)
            self.assertNotIn("blocks", cases[case])
        self.assertNotIn("fake/plain/7/b32", cases, "a refused case asks for nothing")

    def test_of_a_program_for_a_gpu(self):
        entry = self.ask(GPU)[1]["fake/plain/64/b32"]
        self.expect_sizes(entry, 256, 256, 0, 0)
        self.assertNotIn("blocks", entry)

    def test_takes_the_filter_and_nothing_else(self):
        self.assertEqual(len(self.ask(MODEL, KG_FILTER="fake/plain/64/b*")[1]), 2)
        self.expect_program(2, "more: --work takes no value", MODEL, "--work", "more")
        self.expect_program(2, "twice", os.path.join(FAKES, "fake_bad_table.model"), "--work")

    def test_an_output_that_takes_no_more(self):
        self.expect_program(2, "the work: cannot be written", "/bin/sh", "-c", 'exec "$0" --work >/dev/full', MODEL)
