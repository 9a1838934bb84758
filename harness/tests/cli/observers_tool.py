# SPDX-License-Identifier: MIT
"""Tests of observations that run at the same time."""

import unittest

import command_fixture  # noqa: F401 # pylint: disable=unused-import

from kernelgate.base.errors import Failure
from kernelgate.base.observers import run_side_by_side


class SideBySide(unittest.TestCase):
    """Observations that run at the same time."""

    def steps(self, name, count, error=None):
        """So many steps, which log their beginning, and their end however it comes."""
        self.log.append(f"{name} begins")
        try:
            for _ in range(count):
                yield
            if error is not None:
                raise error
        finally:
            self.log.append(f"{name} ends")

    def test_so_many_at_a_time(self):
        for at_a_time, log in ((1, ["a begins", "a ends", "b begins", "b ends"]), (2, ["a begins", "b begins", "b ends", "a ends"])):
            self.log = []
            run_side_by_side([self.steps("a", 3), self.steps("b", 1)], at_a_time)
            self.assertEqual(self.log, log)

    def test_what_one_raises_ends_all(self):
        self.log = []
        with self.assertRaises(Failure):
            run_side_by_side([self.steps("a", 10**6), self.steps("b", 2, Failure("lost")), self.steps("c", 1)], 2)
        self.assertEqual(self.log, ["a begins", "b begins", "b ends", "a ends"])
