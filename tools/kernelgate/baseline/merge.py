# SPDX-License-Identifier: MIT
"""kernelgate baseline merge: adds the sessions of other baselines of a GPU model, as recorded on other hosts, to a baseline."""

from kernelgate.baseline.file import load
from kernelgate.baseline.change_log import change_baselines
from kernelgate.base.command_line import add_json
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import text_of
from kernelgate.base.figures import plural
from kernelgate.code.kernel_code import is_other_code
from kernelgate.baseline.recorder import Recorder
from kernelgate.baseline.fit import HEAD, SENTINELS, TIMES, Sessions, launch_costs
from kernelgate.baseline.sessions import StoredSessions


class Other:
    """A baseline whose sessions are added, with the sessions."""

    def __init__(self, path):
        self.path = path
        self.baseline = load(path)
        if self.baseline is None:
            raise Failure(f"{path}: is not there: name the baseline file of another checkout")
        self.stored = StoredSessions.load(path, text_of(self.baseline.target, "key"))
        if not self.stored.exists:
            raise Failure(f"{path}: has no sessions in {self.stored.path}: it has no times, or its sessions were not kept")

    def fault(self, target, provenance):
        """Why its times are incompatible with a baseline; None if they are not."""
        key = text_of(target, "key")
        if self.stored.key != key:
            return f"is of {self.stored.key}, and {key} is being merged: each target on its own"
        if text_of(self.baseline.provenance, "cuda") != text_of(provenance, "cuda"):
            return (f"was recorded with CUDA {text_of(self.baseline.provenance, 'cuda')}, the baseline with "
                    f"{text_of(provenance, 'cuda')}: record with one toolkit")
        costs = launch_costs(self.baseline.provenance, provenance)
        return costs and f"its launch overhead is {costs[0]:.0f} ns, that of the baseline {costs[1]:.0f} ns: record again"


def _new_values(values, known):
    """The values that are not among the known ones; each known one cancels one value."""
    known = list(known)
    return [value for value in values if not (value in known and known.remove(value) is None)]


class Merge:
    """A run of the command."""

    def __init__(self, log, folder, paths):
        self._log = log
        others = [Other(path) for path in paths]
        self._recorder = Recorder(log, folder, None, None)
        self._recorder.target = others[0].baseline.target
        self._baseline = self._recorder.load()
        self._recorder.provenance = self._baseline.provenance or others[0].baseline.provenance
        self._stored = self._recorder.load_sessions(self._baseline, False)
        self._others = others

    def _take(self, other, theirs, mine):
        """Adds the new sessions of a case or a sentinel; whether its line changes."""
        if is_other_code(mine.code, theirs.code):
            self._log.omit("its machine code, or its launch, is another: left out", other.path, theirs.id)
            return False
        recorded = Sessions(self._log).case(theirs.id)
        for name in TIMES:
            known = self._stored.boards(theirs.id, name)
            for board, values in other.stored.boards(theirs.id, name).items():
                for value in _new_values(values, known.get(board, ())):
                    recorded.add(name, value, board)
        if not any(recorded.values.values()):
            return False
        if mine.code is None:
            mine.code, mine.commit = theirs.code, theirs.commit
        for name, metric in theirs.metrics.items():
            if metric.by_hand and name not in mine.metrics:
                mine.metrics[name] = metric
        return Sessions(self._log).store(mine, recorded, self._stored)

    def _take_accuracy(self, other):
        """Adds the errors of the cases that the baseline lacks; how many."""
        known, others = self._baseline.accuracy or {}, other.baseline.accuracy or {}
        return self._recorder.store_accuracy(self._baseline, {**others, **known})

    def run(self):
        """Merges, and saves the changes; the exit code."""
        for other in self._others:
            why = other.fault(self._recorder.target, self._recorder.provenance)
            if why is not None:
                self._recorder.refuse(why, other.path)
        self._log.say(HEAD)
        changed, before = 0, self._stored.text()
        for other in self._others:
            changed += sum(self._take(other, case, self._baseline.case(case.id)) for case in other.baseline.cases.values())
            changed += sum(self._take(other, case, self._baseline.sentinel(case.id)) for case in other.baseline.sentinels.values())
        errors = sum(map(self._take_accuracy, self._others))
        total = len(self._baseline.cases) + len(SENTINELS)
        self._log.set_counts(len(self._others), total, changed)
        if errors or self._stored.text() != before:
            self._recorder.save(self._baseline, changed + errors > 0, self._stored)
        self._log.say(f"{self._baseline.path}: {changed} of {total} cases and sentinels changed, by the sessions of "
                      f"{plural(len(self._others), 'baseline')}")
        return 0


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--baselines", metavar="DIR", required=True, help="the folder of the baseline files")
    add_json(parser)
    parser.epilog = """\
FILE is a baseline of times from another checkout, with its sessions in sessions/ beside
it: recorded on another host's boards of the same GPU model. The sessions that DIR's
baseline lacks are added to it, and lines are rewritten as by `baseline record`. Left out,
and named: cases of other machine code. Refuses files of another target, toolkit or launch
overhead.
exit: 0 merged (or nothing was new); 2 refused, and no file is touched
"""


def main(options):
    return change_baselines("baseline merge", options, lambda log: Merge(log, options.baselines, options.files).run())
