# SPDX-License-Identifier: MIT
"""Records times: in several sessions, each of new processes, which are added to those of the baseline."""

import contextlib
import math
import os

from kernelgate.base.json_io import integer_of, member, number_of, text_of
from kernelgate.base.figures import plural
from kernelgate.code.kernel_code import FINGERPRINT, code_changes, code_of, is_other_code, is_same_code
from kernelgate.baseline.change_log import Refused
from kernelgate.baseline.recorder import errors_of
from kernelgate.baseline.fit import HEAD, SENTINELS, TIMES, Sessions, errors_of_sessions, launch_costs
from kernelgate.baseline.sessions import board_of

# Seconds of sampling per case and session, half of a gate's: for a case that needs longer, sessions differ by more than
# its interval anyway.
SESSION_CASE_SECONDS = "0.25"
THROTTLED = "the GPU was throttled while it was timed"
TRIES_AGAIN = 3  # of cases that were throttled, in each session: a new process starts on a cooler GPU


def fault_of(record, provenance):
    """Why a time cannot be stored; None if it can."""
    state = member(record, "gpu_state")
    foreign = integer_of(state, "foreign_processes")
    if member(record, "throttled") is True:
        return f"{THROTTLED}: let it cool down, check its power limit"
    if foreign > 0:
        return (f"{plural(foreign, 'other process', 'es')} computed on the GPU while it was timed: end "
                f"{'it' if foreign == 1 else 'them'}, or wait")
    costs = launch_costs(state, provenance)
    return costs and (f"the launch overhead was {costs[0]:.0f} ns while it was timed and {costs[1]:.0f} ns before: start nothing "
                      "on the host's other GPUs, and record again")


@contextlib.contextmanager
def selecting(cases):
    """Has KG_FILTER, by which programs and recorder choose, select these cases alone."""
    before = os.environ.get("KG_FILTER")
    os.environ["KG_FILTER"] = ",".join(sorted(cases))
    try:
        yield
    finally:
        del os.environ["KG_FILTER"]
        if before is not None:
            os.environ["KG_FILTER"] = before


def _code_notes(before, now):
    """The changes of a case's code, for readers."""
    if before is None:
        return ["recorded"]
    notes = code_changes(before, now)
    if is_other_code(before, now):
        notes.append("other machine code, or another launch")
    elif FINGERPRINT in now and not is_same_code(before, now):
        notes.append("its machine code is known now")
    elif FINGERPRINT in before and FINGERPRINT not in now:
        notes.append("its machine code is no longer known")
    return notes or ["recorded again"]


class Timing:
    """A recording of GPU programs."""

    def __init__(self, recorder, programs, sessions, replace):
        self._recorder = recorder
        self._log = recorder.log
        self._programs = programs
        self._count = sessions
        self._replace = replace
        self._sessions = Sessions(recorder.log)
        self._sums = []  # the sentinels of each program in this session
        self._errors = {}  # by checked case: those of each session
        self._throttled = set()  # cases whose newest timing was throttled
        self._left_out = set()  # cases that stayed throttled in a session

    def _take(self, _program, record):
        event = text_of(record, "event")
        if event == "measured":
            self._take_measured(record)
        elif event == "sentinels":
            values = {name: number_of(member(record, name), "value") for name in (*SENTINELS, "empty")}
            self._sums.append([values[name] if values[name] > 0 else 0.0 for name in SENTINELS])
            self._recorder.provenance["launch_ns"] = float(math.floor(max(0.0, values["empty"]) + 0.5))

    def _take_checked(self, _program, record):
        errors = errors_of(record)
        self._errors.setdefault(text_of(record, "case"), []).extend([errors] if errors else [])

    def _take_measured(self, record):
        case = text_of(record, "case")
        if member(record, "throttled") is True:
            self._throttled.add(case)
            return
        self._throttled.discard(case)
        fault = fault_of(record, self._recorder.provenance)
        if fault is not None:
            self._recorder.refuse_case(case, fault)
            return
        recorded = self._sessions.case(case)
        for name in TIMES:
            figures = member(member(record, "metrics"), name)
            if figures is not None:
                recorded.take(name, figures)
        if recorded.code is None:  # all sessions run the same code
            recorded.code = code_of(record)

    def _jobs(self):
        return [(program, program) for program in self._programs]

    def _observe_session(self, checked):
        """Runs one session: new processes of each program; the processes of the first session check results before
        and after. Cases that were throttled are timed again. The sentinels of all programs are averaged."""
        self._sums = []
        self._throttled = set()
        settings = {"KG__FINGERPRINTS": "1", **({"KG__CHECKED": "1"} if checked else {})}
        if not os.environ.get("KG_CASE_SECONDS"):
            settings["KG_CASE_SECONDS"] = SESSION_CASE_SECONDS
        self._recorder.observe_all(self._jobs(), "time", self._take, settings, at_a_time=1)
        for _ in range(TRIES_AGAIN):
            again = self._throttled - self._left_out
            if again:
                self._log.say(f"timing {plural(len(again), 'case')} again: {THROTTLED}")
                with selecting(again):
                    self._recorder.observe_all(self._jobs(), "time", self._take, settings, at_a_time=1)
        self._left_out |= self._throttled
        for name, values in zip(SENTINELS, zip(*self._sums)):
            self._sessions.sentinels[name].add(TIMES[0], sum(values) / len(values))

    def measure(self):
        """Checks, then times. Refused if the measurements may not be stored."""
        self._log.say(f"checking {plural(len(self._programs), 'program')}")
        self._recorder.observe_all(self._jobs(), "check", self._take_checked)
        if self._recorder.target:
            self._recorder.load_sessions(self._recorder.load(), self._replace)
        for session in range(self._count):
            self._log.say(f"session {session + 1} of {self._count}")
            self._observe_session(session > 0)
        self._leave_out()
        if not self._sessions.cases:
            self._recorder.refuse_filter("time", self._programs)
        self._check_sessions()
        if any(self._errors.values()):
            self._log.say(f"checking {plural(self._count - 1, 'time')} more, for errors that vary")
            for _ in range(self._count - 1):
                self._recorder.observe_all(self._jobs(), "check", self._take_checked)

    def _leave_out(self):
        """Leaves out the cases that stayed throttled in a session. Refused if they are all, or more than one and than one in ten: then
        the board is at its limit, and not they."""
        cases = len(self._left_out | self._sessions.cases.keys())
        for case in sorted(self._left_out):
            self._log.omit(f"{THROTTLED}, and {TRIES_AGAIN} times again: left out; let the GPU cool down, check its power limit, or choose "
                           "a smaller size", case=case)
            self._sessions.cases.pop(case, None)
        if len(self._left_out) > max(1, cases // 10) or self._left_out and not self._sessions.cases:
            self._recorder.refuse(f"{len(self._left_out)} of {cases} cases were throttled: nothing is recorded; let the GPU cool down, "
                                  "check its power limit")

    def _check_sessions(self):
        incomplete = [(recorded.id, name, len(values)) for recorded in self._sessions.cases.values()
                      for name, values in recorded.values.items()
                      if len(values) != self._count and (values or name == TIMES[0])]
        for case, name, count in incomplete:
            self._log.refuse(f"{count} values of {self._count} sessions: nothing is recorded; record again", case=case,
                             metric=name)
        if not self._sessions.are_of_one_state() or incomplete:
            raise Refused

    def _store_code(self, case, code, moved):
        """Stores a case's code; whether that changes its line. `moved`: its values changed. If not, the stored
        fingerprint stays if there is no new one and the rest of the code is equal."""
        before = case.code
        if code is None or before == code:
            return False
        if not moved and before and before == {FINGERPRINT: before.get(FINGERPRINT), **code}:
            return False
        notes = _code_notes(before, code)
        self._log.say(f"{case.id:<50} code: {', '.join(notes)}")
        self._log.note(case.id, "code", notes)
        case.code = code
        return True

    def _store(self, case, recorded, stored, commit):
        """Stores one case or sentinel; whether its line changes."""
        if self._replace or not case.metrics:  # a new or retired case has no valid sessions
            stored.drop(case.id)
        gone = [name for name in TIMES if not recorded.values[name] and name in case.metrics]
        for name in gone:
            del case.metrics[name]
            stored.cases.get(case.id, {}).pop(name, None)
            self._log.say(f"{case.id:<50} {name:<13} retired: it can no longer be measured")
            self._log.retire(case.id, name)
        changed = self._sessions.store(case, recorded, stored, board_of(self._recorder.provenance)) or bool(gone)
        if changed and commit is not None:
            case.commit = commit
        return self._store_code(case, recorded.code, changed) or changed

    def save(self):
        """Stores the differences from the baseline."""
        recorded = self._sessions
        baseline = self._recorder.load()
        commit = self._recorder.commit()
        self._log.say(HEAD)
        stored = self._recorder.load_sessions(baseline, self._replace)
        changed = sum(self._store(baseline.case(case.id), case, stored, commit) for case in recorded.cases.values())
        changed += sum(self._store(baseline.sentinel(case.id), case, stored, None) for case in recorded.sentinels.values())
        changed += self._recorder.retire(baseline, recorded.cases.keys() | self._left_out)
        errors = self._recorder.store_accuracy(baseline, errors_of_sessions(self._errors))
        looked_at = len(recorded.cases) + len(SENTINELS)
        self._log.set_counts(self._count, looked_at, changed)
        self._recorder.save(baseline, changed + errors > 0, stored)
        self._log.say(f"{baseline.path}: {changed} of {looked_at} cases and sentinels changed, {self._count} sessions"
                      + (f"; the errors of {plural(errors, 'case')} changed" if errors else ""))
