# SPDX-License-Identifier: MIT
"""Records counts: those of the CPU model's programs, which two runs must reproduce; only changes are stored."""

import math
from dataclasses import dataclass, field
from typing import Optional

from kernelgate.baseline.file import Metric
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import list_of, member, text_of
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.base.programs import instrumented_program
from kernelgate.baseline.change_log import Refused
from kernelgate.baseline.recorder import errors_of, is_partial
from kernelgate.baseline.fit import counts_differ, counts_of, record_count, record_lines
from kernelgate.base.results import COUNTERS

RUNS = 2  # the second checks that counts repeat
ALWAYS_STORED = COUNTERS[0]  # for a case without accesses: every case has a metric
HEAD = f"{'case':<50} {'counter':<26} {'old':>16} {'new':>16} {'change':>9}"


def recording_differences(baseline, target, provenance):
    """Whether a baseline was recorded with another compiler, another version of the model or other flags."""
    compilers, models, flags = ([text_of(facts, name) for facts in both] for name, both in (
        ("compiler", (baseline.target, target)), ("model", (baseline.provenance, provenance)),
        ("flags", (baseline.provenance, provenance))))
    return any(all(both) and both[0] != both[1] for both in (compilers, models)) or flags[0] != flags[1]


@dataclass
class Counted:
    """The observations of a case."""

    checked: bool = False
    errors: Optional[list] = None  # the plain kernels' errors against the reference
    runs: dict = field(default_factory=dict)  # its record in each run that counted it

    @property
    def record(self):
        """The record of the first run; None for a case that is not counted."""
        return self.runs.get(0)


class Counting:
    """A recording of the CPU model's programs."""

    def __init__(self, recorder, programs, added):
        self._recorder = recorder
        self._log = recorder.log
        self._programs = programs
        self._added = added  # the tests of kg_add_program()
        self._run = 0
        self._cases = {}

    def _take(self, _program, record):
        event, case = text_of(record, "event"), text_of(record, "case")
        if event == "measured" and not member(record, "metrics"):
            self._recorder.refuse_case(case, "the observer recorded no counter of this case")
        if event == "measured":
            self._cases.setdefault(case, Counted()).runs[self._run] = record
        elif event == "checked":
            counted = self._cases.setdefault(case, Counted())
            counted.checked, counted.errors = True, counted.errors or errors_of(record)

    def _counted(self):
        """The record of each counted case, by name: the order in which programs finish is random."""
        return {case: counted.record for case, counted in sorted(self._cases.items()) if counted.record}

    def measure(self):
        """Checks, with the plain and with the instrumented kernels, then counts. Refused if the counts may not be
        stored."""
        try:
            watching = [(program, instrumented_program(program)) for program in self._programs]
        except Failure as failure:
            self._recorder.refuse(str(failure))
        self._log.say(f"checking {plural(len(self._programs) + len({test.program['name'] for test in self._added}), 'program')}")
        self._recorder.observe_all([*((program, program) for program in self._programs), *watching], "check", self._take)
        self._recorder.check_baseline()
        for self._run in range(RUNS):
            self._log.say(f"counting, run {self._run + 1} of {RUNS}")
            self._recorder.observe_all(watching, "count", self._take)
            self._recorder.run_added(self._added, self._take)
        if not any(found.record or found.errors or found.checked and self._added for found in self._cases.values()):
            self._recorder.refuse_filter("count", self._programs)
        self._check_repetition()

    def _check_repetition(self):
        for case, first in self._counted().items():
            second = self._cases[case].runs.get(1)
            why = ("was counted in one run and not in another: see its observers' complaints" if second is None
                   else counts_differ(first, second))
            if why is not None:
                self._log.refuse(f"{why}; nothing is recorded", case=case)
        if list_of(self._log.document, "refused"):
            raise Refused

    def _print_row(self, case, counter, old, value):
        change = show_percent(value / old - 1, True) if old > 0 else "new"
        self._log.say(f"{case:<50} {counter:<26} {show_figure(old):>16} {show_figure(value):>16} {change:>9}")

    def _store_counts(self, case, record):
        """Stores the counters of a case; whether any changed. A new case has a single line of output."""
        is_new = not case.metrics
        changes = []
        for counter, value in counts_of(record).items():
            old = record_count(case, counter, value)
            if old is not None:
                changes.append((counter, old, value))
        if not case.metrics:
            case.metrics[ALWAYS_STORED] = Metric(ALWAYS_STORED)
            changes += [(ALWAYS_STORED, 0.0, 0.0)] if is_new else []
        for counter, old, value in changes:
            self._log.change(case.id, counter, old if old > 0 else math.nan, value)
            if not is_new:
                self._print_row(case.id, counter, old, value)
        if is_new:
            self._log.say(f"{case.id:<50} {len(case.metrics)} counters, new")
        return bool(changes)

    def _store(self, case, record, commit):
        """Stores one case; whether its line changes."""
        changed = self._store_counts(case, record)
        if record_lines(case, member(record, "lines")):
            if not changed:
                self._log.say(f"{case.id:<50} lines of source moved, and no counter")
                self._log.note(case.id, "lines")
            changed = True
        if changed:
            case.commit = commit
        return changed

    def _list_checked(self, baseline):
        """Lists the cases that were only checked; returns how many entries changed."""
        counted = self._counted()
        gone = [case for case in sorted(baseline.checked, reverse=True) if case in counted or
                not is_partial() and self._recorder.knows(case) and case not in self._cases]
        for case in gone:
            if case not in counted:
                self._recorder.say_retired(case)
            baseline.checked.remove(case)
        new = [case for case, observed in sorted(self._cases.items())
               if observed.checked and case not in counted and case not in baseline.checked]
        for case in new:
            self._log.say(f"{case:<50} checked, new")
            self._log.note(case, "checked")
        baseline.checked += new
        return len(gone) + len(new)

    def save(self):
        """Stores the differences from the baseline."""
        recorder, counted = self._recorder, self._counted()
        baseline = recorder.load()
        commit = recorder.commit()
        self._log.say(HEAD)
        changed = sum(self._store(baseline.case(case), record, commit) for case, record in counted.items())
        changed += recorder.retire(baseline, counted)
        listed = self._list_checked(baseline)
        errors = recorder.store_accuracy(baseline, {case: found.errors for case, found in self._cases.items() if found.checked})
        self._log.set_counts(RUNS, len(counted), changed)
        # Equal counts with another compiler, model or flags are stored with the new provenance.
        if changed + listed + errors or not is_partial() and recording_differences(baseline, recorder.target, recorder.provenance):
            recorder.save(baseline)
        self._log.say(f"{baseline.path}: {changed} of {len(counted)} cases changed, counted twice with equal results; "
                      f"{len(baseline.checked)} more are listed as checked alone ({listed} changed)"
                      + (f"; the errors of {plural(errors, 'case')} changed" if errors else ""))
