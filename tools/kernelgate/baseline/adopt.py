# SPDX-License-Identifier: MIT
"""kernelgate baseline adopt: adds the times of finished gates to a baseline, one session per gate."""

import math

from kernelgate.baseline.gates import Gates, Judgment, may_be_other_code, metric_of
from kernelgate.baseline.change_log import Refused, change_baselines
from kernelgate.base.command_line import add_json
from kernelgate.base.json_io import number_of
from kernelgate.base.figures import plural
from kernelgate.baseline.noise import SESSIONS_MINIMUM
from kernelgate.base.programs import filter_takes
from kernelgate.baseline.recorder import Recorder
from kernelgate.baseline.fit import HEAD, SENTINELS, TIMES, Sessions, errors_of_sessions
from kernelgate.base.results import ERRORS
from kernelgate.baseline.sessions import board_of


def make_provenance(baseline, gate):
    """The provenance of the baseline: its own if it has one, else that of the gate without nested objects."""
    if baseline.provenance is not None:
        return baseline.provenance
    kept = {key: value for key, value in gate.provenance.items() if not isinstance(value, dict)}
    launch = gate.sentinel("empty")
    return {**kept, "launch_ns": math.floor(launch + 0.5)} if launch > 0 else kept


class Adoption:
    """A run of the command."""

    def __init__(self, log, options):
        self._log = log
        self._options = options
        self._sessions = Sessions(log)
        self._taken = False  # anything so far
        self._gates = Gates(log, options.results, options.any_commit)
        self._recorder = Recorder(log, options.baselines, options.commit, None)
        self._recorder.target = self._gates.target
        self._baseline = self._recorder.load()
        self._stored = self._recorder.load_sessions(self._baseline, False)
        self._gates.check_distinct()
        self._gates.check_tool(self._baseline)

    def _take_case(self, judgment, gate, entry, adopted):
        """Takes the times of one case; whether there were any. From results `adopted` before, only takes metrics
        that the baseline lacks."""
        case, taken = entry["case"], False
        before = self._baseline.cases.get(case)
        if may_be_other_code(before, entry):
            self._log.say(f"{gate.path}: {case}: beyond its limit, and its machine code is unknown: taken anyway")
        for name in TIMES:
            figures = entry["metrics"].get(name)
            if figures is None or adopted and metric_of(before, name) is not None:
                continue
            if judgment.may_join(gate, case, name, number_of(figures, "value")):
                self._sessions.case(case).take(name, figures, board_of(gate.provenance))
                taken = True
        return taken

    def _take_gate(self, judgment, gate):
        adopted = judgment.was_adopted(gate)
        if adopted:
            self._log.omit("was adopted before: its times do not count again", gate.path)
        elif not judgment.sentinels_may_join(gate):
            self._log.omit("its sentinel is not credible: all its times are left out", gate.path)
            return
        taken = False
        for entry in filter(lambda entry: filter_takes(entry["case"]), gate.timed):
            fault = judgment.fault(entry)
            if fault is not None:
                self._log.omit(f"{fault}: left out", gate.path, entry["case"])
            else:
                taken = self._take_case(judgment, gate, entry, adopted) or taken
        # If a gate added no time, storing its sentinels would mark it as adopted.
        for name in SENTINELS if taken and not adopted else ():
            self._sessions.sentinels[name].add(TIMES[0], gate.sentinel(name), board_of(gate.provenance))

    def _omit_thin(self, recorded):
        """Leaves out metrics with too few sessions."""
        for name, values in recorded.values.items():
            kept = self._stored.count(recorded.id, name)
            if values and kept + len(values) < SESSIONS_MINIMUM:
                self._log.omit(f"the baseline has {kept} sessions of it and the results {len(values)}, of {SESSIONS_MINIMUM} that "
                               "it takes: left out", case=recorded.id, metric=name)
                recorded.clear(name)

    def _check_sessions(self):
        for recorded in (*self._sessions.cases.values(), *self._sessions.sentinels.values()):
            self._omit_thin(recorded)
        if not self._sessions.are_of_one_state():
            raise Refused

    def _store(self):
        """Stores the sessions; how many cases and sentinels changed."""
        commit = self._options.commit or self._gates.commit
        if commit:
            self._log.document["commit"] = commit
        changed = 0
        for recorded in (*self._sessions.cases.values(), *self._sessions.sentinels.values()):
            if not any(recorded.values.values()):
                continue
            sentinel = recorded.id in SENTINELS
            case = self._baseline.sentinel(recorded.id) if sentinel else self._baseline.case(recorded.id)
            if not case.metrics:
                self._stored.drop(case.id)
            self._taken = True
            if self._sessions.store(case, recorded, self._stored):
                changed += 1
                if not sentinel:
                    case.commit = commit or case.commit or "unknown"
        return changed

    def _new_errors(self):
        """The errors of the cases without errors in the baseline."""
        known, found = self._baseline.accuracy or {}, {}
        for gate in self._gates:
            for entry in gate.checked:
                if entry["case"] not in known and filter_takes(entry["case"]):
                    found.setdefault(entry["case"], []).append([number_of(entry["metrics"][name], "value") for name in ERRORS])
        return errors_of_sessions(found)

    def merge(self):
        """Adds the times to the baseline; the exit code."""
        path, count = self._baseline.path, len(self._gates)
        if not self._baseline.cases and count < SESSIONS_MINIMUM:
            self._recorder.refuse(f"has no case, and a first baseline takes the results of {SESSIONS_MINIMUM} gates at least: "
                                  "nothing is recorded", path)
        self._recorder.provenance = make_provenance(self._baseline, next(iter(self._gates)))
        judgment = Judgment(self._log, self._gates, self._baseline, self._stored, self._recorder.provenance,
                              self._options.yes)
        for gate in self._gates:
            self._take_gate(judgment, gate)
        self._check_sessions()
        self._log.say(HEAD)
        stored = self._store()
        errors = self._recorder.store_accuracy(self._baseline, self._new_errors())
        total = len(self._sessions.cases) + len(SENTINELS)
        if self._taken or errors:
            self._recorder.save(self._baseline, stored + errors > 0, self._stored)
        self._log.set_counts(count, total, stored)
        self._log.say(f"{path}: {stored} of {total} cases and sentinels changed, by the results of {plural(count, 'gate')}")
        return 0


def add_arguments(parser):
    parser.add_argument("results", nargs="+", metavar="RESULTS")
    parser.add_argument("--baselines", metavar="DIR", required=True, help="the folder of the baseline files")
    parser.add_argument("--commit", metavar="NAME",
                        help="the commit that the cases are stamped with (default: that of the results, the last of several)")
    parser.add_argument("--any-commit", action="store_true", help="take results of several commits, and of uncommitted changes")
    parser.add_argument("--yes", action="store_true",
                        help="take times beyond their limit too where it is not known whether the kernel is the one that was "
                             "recorded")
    add_json(parser)
    parser.epilog = """\
RESULTS is the results.json of a gate on a GPU; each is one session of the baseline of
its target, added to the existing ones as by `baseline record`. Left out, and named:
cases that were wrong or failed, that ran other code than the baseline's, or that were
timed on a throttled or shared GPU, or while the launch overhead differed from the
baseline's; cases with a time beyond its limit whose machine code is not known to be the
baseline's, unless --yes takes them; times with fewer than five sessions, times of 0 or
below, and times of a gated metric that differ from the baseline's by a factor of two or
more, unless several results agree on them as sessions must; results whose sentinel
differs so; results that were adopted before. Refuses results of several targets or
commits, sessions that disagree, and while another process changes baselines in DIR.
Bands edited by hand ("band_by": "hand") and known code stay. KG_FILTER selects the
cases to adopt; the others of a gate cannot be adopted later, since the gate then counts
as adopted.
exit: 0 adopted (or nothing was left to adopt); 2 refused, and no file is touched,
unless the message says that it was written and only the output lost
"""


def main(options):
    return change_baselines("baseline adopt", options, lambda log: Adoption(log, options).merge())
