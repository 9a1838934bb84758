# SPDX-License-Identifier: MIT
"""Adopting the results of gates: which results fit together, and which of their times may become sessions of a baseline."""

import math

from kernelgate.baseline.changes import moved_beyond
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import integer_of, list_of, member, number_of, object_of, text_of
from kernelgate.base.figures import show_figure
from kernelgate.code.kernel_code import code_changes, is_other_code, is_same_code
from kernelgate.baseline.noise import FAR_OFF, disagreement, is_far_off, value_of_sessions
from kernelgate.baseline.change_log import Refused
from kernelgate.baseline.fit import SENTINELS, TIMES, launch_costs, value_of
from kernelgate.base.run_facts import short_commit
from kernelgate.base.results import ERRORS, MODEL_KEY, is_dismissed, load_times, verdict_of

MATCHES_MINIMUM = 4  # this many matches with sessions of a baseline are no coincidence


class Gate:
    """The results of a gate, each a session of its target's baseline."""

    def __init__(self, path):
        self.path = path
        self.document = load_times(path)
        self.commit = short_commit(self.document["run"])
        self.timed = [entry for entry in self.document["cases"]
                      if "time" in list_of(entry, "parts") and text_of(entry, "target") != MODEL_KEY]
        self.checked = [entry for entry in self.document["cases"] if text_of(entry, "target") != MODEL_KEY
                        and not is_dismissed(verdict_of(entry)) and set(ERRORS) <= entry["metrics"].keys()]
        self.provenance = {}  # the target's conditions

    def sentinel(self, name):
        """The time of a sentinel; NaN if there is none."""
        return number_of(object_of(self.provenance, "sentinels_ns"), name)

    def sentinels(self):
        return [self.sentinel(name) for name in SENTINELS]

    def target(self, key):
        """The description of a target; None if there is none. A case's key may end in the memory size, which the
        description's key lacks."""
        targets = self.document["targets"]
        return targets.get(key) or next((targets[name] for name in targets if key.startswith(f"{name}-")), None)


def is_same_session(times, others):
    """Whether two lists of the sentinels' times are of one session: equal in all that either has, and in at least
    two."""
    known = [pair for pair in zip(times, others) if not all(map(math.isnan, pair))]
    return len(known) > 1 and all(0 < time == other for time, other in known)


class Gates:
    """The gates whose results are compatible."""

    def __init__(self, log, paths, any_commit):
        self._log = log
        self._any_commit = any_commit
        self._gates = []
        self._key = None  # the target of all results
        self.commit = ""  # the last known one
        fit = [self._read(path) for path in paths]  # complains about each that is not compatible
        if not all(fit):
            raise Refused
        self.target = self._gates[0].target(self._key)
        if self.target is None:
            self._refuse(self._gates[0], f"does not describe {self._key} in its targets: gate again")
            raise Refused
        for gate in self._gates:
            gate.provenance = object_of(gate.document["provenance"], text_of(self.target, "key"))

    def __iter__(self):
        return iter(self._gates)

    def __len__(self):
        return len(self._gates)

    def _refuse(self, gate, why):
        self._log.refuse(why, file=gate.path)

    def _read(self, path):
        """Reads results; False, with a complaint, if they are incompatible with those before them."""
        try:
            gate = Gate(path)
        except Failure as failure:
            self._log.refuse(str(failure))
            return False
        why = self._target_fault(gate) or self._commit_fault(gate) or self._repetition_fault(gate)
        if why is None:
            self._gates.append(gate)
        else:
            self._refuse(gate, why)
        return why is None

    def _target_fault(self, gate):
        if not gate.timed:
            return ("has no times of a GPU: leave it out (the CPU model counts the same everywhere: kernelgate rebaseline --target "
                    "model)")
        for entry in gate.timed:
            self._key = self._key or entry["target"]
            if entry["target"] != self._key:
                return f"has times of {entry['target']}, and {self._key} is being adopted: each target on its own"
        return None

    def _commit_fault(self, gate):
        """Times of another commit may differ."""
        if not self._any_commit and "-dirty" in gate.commit:
            return f"is of {gate.commit}, which is not a commit: gate a commit, or --any-commit"
        if not self._any_commit and gate.commit and self.commit and gate.commit != self.commit:
            return f"is of commit {gate.commit}, others are of {self.commit}: adopt those of one commit, or --any-commit"
        self.commit = gate.commit or self.commit
        return None

    def _repetition_fault(self, gate):
        """A repetition would count as a second session."""
        same = next((other for other in self._gates if other.document == gate.document), None)
        return same and f"holds the same as {same.path}: give one of them"

    def check_distinct(self):
        """Refuses two results of one gate, written twice: two gates never have equal times of all sentinels."""
        for number, gate in enumerate(self._gates):
            for other in self._gates[:number]:
                if is_same_session(gate.sentinels(), other.sentinels()):
                    self._refuse(gate, f"is of the same gate as {other.path}: give one of them")
                    raise Refused

    def check_tool(self, baseline):
        """Refuses results and a baseline that were measured by several tools: their times are not comparable."""
        tool = text_of(baseline.provenance, "measured_by")
        for number, gate in enumerate(self._gates):
            other, tool = tool, text_of(gate.provenance, "measured_by")
            # Versions do not count. A first baseline has no tool.
            if other.split(" ")[0] != tool.split(" ")[0] and (number > 0 or baseline.cases):
                self._refuse(gate, f"was measured by {_name_tool(tool)}, and {baseline.path} by {_name_tool(other)}: import to "
                                   "another --target")
                raise Refused


def _name_tool(tool):
    return tool or "comparisons' programs"


def _is_other_code(before, kernel):
    """Whether a case is known to have run other code than the baseline's."""
    return before is not None and (bool(code_changes(before.code, kernel)) or is_other_code(before.code, kernel))


def may_be_other_code(before, entry):
    """Whether a time is beyond its limit and the kernel is not known to be the recorded one: the change may be real."""
    for name in TIMES:
        stored, value = metric_of(before, name), value_of(entry, name)
        if (stored is not None and stored.gated and 0 < value < math.inf
                and moved_beyond(stored.value, value, stored.band, stored.floor)):
            return not is_same_code(before.code, member(entry, "kernel"))
    return False


def metric_of(case, name):
    return case.metrics.get(name) if case is not None else None


class Judgment:
    """Decides which times of gates may become sessions of a baseline, as it was before."""

    def __init__(self, log, gates, baseline, stored, provenance, any_code):
        self._log = log
        self._gates = gates
        self._baseline = baseline
        self._stored = stored  # its sessions
        self._provenance = provenance  # the baseline's new provenance
        self._any_code = any_code

    def fault(self, entry):
        """Why a case's times are not a session; None if they are."""
        before, state = self._baseline.cases.get(entry["case"]), member(entry, "gpu_state")
        costs = launch_costs(state, self._provenance)
        if verdict_of(entry) in ("wrong", "error"):
            return verdict_of(entry)
        if member(state, "throttled") is True:
            return "the GPU was throttled while it was timed"
        if integer_of(state, "foreign_processes") > 0:
            return "other processes computed on the GPU while it was timed"
        if costs is not None:
            return (f"the launch overhead was {'lower' if costs[0] < costs[1] else 'higher'} than when the baseline was "
                    "recorded")
        if _is_other_code(before, member(entry, "kernel")):
            return "its code is not the baseline's"
        if not self._any_code and may_be_other_code(before, entry):
            return "beyond its limit, and its machine code is not known to be the baseline's (--yes takes such times)"
        return None

    def was_adopted(self, gate):
        """Whether results were adopted before: one session of the baseline has all their sentinels' times or, for
        imported results, which have no sentinels, all their times are among the sessions."""
        times = gate.sentinels()
        stored = [self._stored.boards(name, TIMES[0]) for name in SENTINELS]
        for board in {board for boards in stored for board in boards}:
            known = [(boards[board], value_of_sessions([time])) for boards, time in zip(stored, times) if board in boards and time >= 0]
            # A sentinel that was added later has fewer sessions, so its session i is of another gate.
            most = max((len(sessions) for sessions, _ in known), default=0)
            known = [pair for pair in known if len(pair[0]) == most]
            if len(known) > 1 and tuple(value for _, value in known) in zip(*(sessions for sessions, _ in known)):
                return True
        return self._was_import_adopted(gate)

    def _was_import_adopted(self, gate):
        matches = 0
        for entry in gate.document["cases"]:
            if "imported" not in entry:
                return False
            for name in entry["metrics"].keys() & set(TIMES):
                boards, value = self._stored.boards(entry["case"], name), value_of(entry, name)
                if math.isnan(value) or not any(value_of_sessions([value]) in values for values in boards.values()):
                    return False
                matches += 1
        return matches >= MATCHES_MINIMUM

    def _time_of(self, gate, case, name):
        """A valid time of a case; NaN if there is none."""
        found = next((entry for entry in gate.timed if entry["case"] == case and self.fault(entry) is None), None)
        return value_of(found, name)

    def _others_agree(self, values):
        """Whether several gates, each with a value, agree as sessions must."""
        times = [value for gate, value in values if value > 0 and not self.was_adopted(gate)]
        return len(times) > 1 and disagreement(times) is None

    def _sentinel_is_credible(self, name, value):
        stored = metric_of(self._baseline.sentinels.get(name), TIMES[0])
        return value > 0 and (stored is None or not is_far_off(stored, value)
                              or self._others_agree((gate, gate.sentinel(name)) for gate in self._gates))

    def _is_credible(self, case, stored, name, value):
        # Cases of results whose sentinels are not credible do not count.
        return value > 0 and (stored is None or not is_far_off(stored, value) or self._others_agree(
            (gate, self._time_of(gate, case, name)) for gate in self._gates if self._sentinels_are_credible(gate)))

    def _sentinels_are_credible(self, gate):
        """Imported results have none."""
        return all(math.isnan(value) or self._sentinel_is_credible(name, value)
                   for name, value in zip(SENTINELS, gate.sentinels()))

    def _omit(self, gate, case, name, value, stored):
        now = show_figure(value, "ns")
        why = (f"{now} is off the baseline's {show_figure(stored.value, 'ns')} by a factor of {FAR_OFF:g} or more, and no other "
               "results agree on it: left out (if it takes that now, give the results of two gates more together, or "
               "kernelgate rebaseline)") if value > 0 else f"{now} is not a time: left out"
        self._log.omit(why, gate.path, case, name)

    def may_join(self, gate, case, name, value):
        """Whether a time may be added to a case; logs it if not."""
        stored = metric_of(self._baseline.cases.get(case), name)
        credible = self._is_credible(case, stored, name, value)
        if not credible:
            self._omit(gate, case, name, value, stored)
        return credible

    def sentinels_may_join(self, gate):
        """Whether a gate's sentinel times are credible; logs those that are not. They are taken together or not at all, since
        session i of each belongs to the same gate."""
        doubtful = [(name, value) for name, value in zip(SENTINELS, gate.sentinels())
                    if not math.isnan(value) and not self._sentinel_is_credible(name, value)]
        for name, value in doubtful:
            self._omit(gate, name, TIMES[0], value, metric_of(self._baseline.sentinels.get(name), TIMES[0]))
        return not doubtful
