# SPDX-License-Identifier: MIT
"""What a gate takes from the results of the last run: which cases failed, for --last-failed, and how long each test took, for the
estimate of its progress."""

import os
import re
import time

from kernelgate.base.case_id import comparison_of_case, is_case_id, variant_of_case
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import number_of, text_of
from kernelgate.base.progress import show_duration
from kernelgate.base.results import Run, load

LONGEST_FILTER = 100000  # bytes; the system takes 131071 for one variable of the environment
KNOWN_SHARE = 0.1  # of the expected seconds, after which an estimate is worth showing


def load_last(out):
    """The last run that left its results in a folder; None if it has none. Failure if they are damaged."""
    path = os.path.join(out, "results.json")
    return Run(load(path)) if os.path.lexists(path) else None


def _glob_of_test(test):
    """The cases of the comparison or the program that a test is of, "gpu.matmul_f32.time"; None if it is of none."""
    name = re.fullmatch(r"(?:gpu|model|sm_\w+)\.([A-Za-z0-9_-]+)(?:\..*)?", test)
    return f"{name[1]}/*" if name else None


def _globs_of(group, known):
    """The globs that take a group's cases; None stands for all cases."""
    if group.sizes:
        return [case if is_case_id(case) else None for case in group.cases]
    if group.verdict == "vanished":
        named = map(comparison_of_case, group.cases)
        return [f"{comparison}/*" if comparison in known else None for comparison in named]
    return [_glob_of_test(name) for name in group.cases]


def filter_of_failures(run):
    """The filter that takes what failed in a run; "" if nothing did, None if only a whole run could show it again."""
    known = {comparison_of_case(text_of(entry, "case")) for entry in run.list("cases")}
    globs = dict.fromkeys(glob for group in groups_of(run) if group.fails for glob in _globs_of(group, known))
    if None in globs:
        return None
    for shorter in (lambda glob: glob, lambda glob: f"{variant_of_case(glob)}/*" if is_case_id(glob) else glob,
                    lambda glob: f"{comparison_of_case(glob)}/*"):
        text = ",".join(dict.fromkeys(map(shorter, globs)))
        if len(text) <= LONGEST_FILTER:
            return text
    return None


class Estimate:
    """How long the rest of the tests will take, by the seconds that they took in the last run (None: there is none) and the
    speed of this one."""

    def __init__(self, last):
        # The tests of a run that a filter narrowed took less.
        whole = last is not None and "filter" not in last.object("coverage")
        seconds = {text_of(test, "name"): number_of(test, "seconds") for test in last.list("tests")} if whole else {}
        self._expected = {name: of_test for name, of_test in seconds.items() if 0 <= of_test < 1e9}  # of those that have not ended
        self._began = time.monotonic()
        self._running = {}  # when each began
        self._done = 0.0  # expected seconds of those that have ended

    def start(self, name):
        self._running[name] = time.monotonic()

    def count(self, ended, count, name):
        """Counts a test as ended, the `ended`th of `count`; what to add to the count: ", about 40 s left"."""
        now = time.monotonic()
        self._done += self._expected.pop(name, 0.0)
        self._running.pop(name, None)
        # The longest tests begin first: without those that run, the rest would be overestimated until the end.
        credit = sum(min(now - began, self._expected.get(other, 0.0)) for other, began in self._running.items())
        waiting = [seconds for other, seconds in self._expected.items() if other not in self._running]
        left = sum(self._expected.get(other, 0.0) for other in self._running) - credit
        # The last run may have had other tests: --target, --filter.
        left += sum(waiting) * min(1.0, max(0, count - ended - len(self._running)) / len(waiting)) if waiting else 0.0
        done = self._done + credit
        if done <= KNOWN_SHARE * (done + left) or left <= 0:
            return ""
        return f", about {show_duration((now - self._began) * left / done)} left"
