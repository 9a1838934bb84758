# SPDX-License-Identifier: MIT
"""kernelgate bisect: the first commit that made a case wrong, or slower than at a commit where it was good.

On the CPU model a commit is bad where the case fails its check or one of its counters is worse than GOOD's, which are exact. On a
GPU it is bad where pairs of processes of its build and of GOOD's find it slower. Every commit is built with this tree's harness, in
a worktree of its own."""

import contextlib
import glob
import os
import re
import shutil
import time

from kernelgate.base import run_lock
from kernelgate.base.case_id import comparison_of_case, is_case_id
from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure
from kernelgate.base.figures import plural, show_figure, unit_of
from kernelgate.base.git import git
from kernelgate.base.json_io import integer_of, json_text, text_of
from kernelgate.base.observers import Records
from kernelgate.base.own_command import own_command
from kernelgate.base.results import is_dismissed, reason_of
from kernelgate.base.settings import setting
from kernelgate.base.steps import Console, elapsed, run_step, told_when_stopped
from kernelgate.report.compare import Comparison, Run
from kernelgate.run.base_build import CommitBuild
from kernelgate.run.build import OTHERWISE
from kernelgate.run.gate import OWN_SETTINGS
from kernelgate.run.gpu import need_gpu
from kernelgate.run.merge import merge
from kernelgate.run.project import Project, need_baselines
from kernelgate.run.run_files import make_folder

NAME = "kernelgate bisect"
PLACE = os.path.join("build", "bisect")
GOOD, BAD, SKIPPED = "good", "bad", "skipped"
FOUND, NOT_REPRODUCED = 0, 1
PARTS = {"model": ("check", "count"), "gpu": ("check", "time")}
SUFFIXES = {"model": "model|instrumented", "gpu": "gpu"}


def stub_in_records():
    """Where the kernel did not compile, so that a stub is in its place: observers report that of nothing else. None if it did."""
    for path in glob.glob(os.path.join(PLACE, "out", "records", "*.jsonl")):
        with contextlib.closing(Records(path)) as records:
            for record in records.read():
                if text_of(record, "event") == "failed" and "at" in record:
                    return f"{text_of(record['at'], 'file')}:{integer_of(record['at'], 'line')}"
    return None


class Bisection:
    """The commits after GOOD up to BAD, along BAD's first parents, and what is known of each."""

    def __init__(self, options):
        if not is_case_id(options.case):
            raise Failure(f"bisect: {options.case} is not a case, comparison/variant/size/launch: `kernelgate list` has them")
        self.case, self.target, self._metric = options.case, options.target, options.metric
        self._comparison = comparison_of_case(options.case)
        self.console = Console(options.json)
        for name in OWN_SETTINGS:
            os.environ.pop(name, None)
        if setting("KG_BASELINES") is not None:
            os.environ["KG_BASELINES"] = need_baselines()  # programs run in the project's folder
        self._project = Project()
        os.chdir(self._project.root)
        if self.target == "gpu":
            need_gpu(": --target model bisects by exact counters")
        self._preset = "gpu" if self.target == "gpu" else "cpu"
        self.good, self.bad = (self._commit(reference, name) for reference, name in ((options.good, "GOOD"), (options.bad, "BAD")))
        self.commits = self._list("--first-parent", "--reverse", f"{self.good.commit}..{self.bad.commit}")
        if git(".", "merge-base", "--is-ancestor", self.good.commit, self.bad.commit).returncode or not self.commits:
            raise Failure(f"bisect: {options.good} is not a commit before {options.bad}: name GOOD first")
        self.steps = []
        self._reference, self._good_harness = None, None  # what GOOD measured, and with which harness
        self._harness = None  # which harness the last commit was built with: "this" tree's, or its "own"
        self._log = os.path.join(PLACE, "log")

    def _commit(self, reference, option):
        programs = re.compile(rf"^({re.escape(self._comparison)}\.(?:{SUFFIXES[self.target]})): ")
        folder = "good" if option == "GOOD" and self.target == "gpu" else "step"
        return CommitBuild(self._project, reference, f"bisect: {option}", os.path.join("bisect", folder), self._preset, programs)

    def _list(self, *words):
        done = git(".", "rev-list", *words, "--")
        if done.returncode:
            raise Failure(f"bisect: git rev-list {' '.join(words)}: {os.fsdecode(done.stderr).strip()}: run it in a full clone")
        return done.stdout.decode().split()

    def _build(self, commit):
        """Builds a commit's programs; why it cannot be measured, or None. One folder serves all commits, so that the harness is compiled
        once. A commit that needs a harness of its own leaves none of it: copies of this tree's have older times, and would count as
        compiled."""
        if self._project.is_own and self._harness != "this":
            shutil.rmtree(commit.folder, ignore_errors=True)
        with open(self._log, "a", encoding="utf-8") as log:
            self._harness = commit.make(log)
        if self._harness is None:
            return "it does not build"
        if self._reference is not None and self._harness != self._good_harness:
            return "it does not build with the harness that GOOD was measured with"
        return None

    def _observe(self, commit):
        """The results of the case at a commit that is built."""
        out = os.path.abspath(os.path.join(PLACE, "out"))
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(os.path.join(out, "records"))
        settings = {"KG_OUT": out, "KG_FILTER": self.case, "KG_FILTER_GIVEN": self.case, "KG_STRICT": "0"}
        if self.target == "model":
            settings["KG_BASELINES"] = os.path.abspath(os.path.join(PLACE, "baselines"))  # none: GOOD is what is compared with
            make_folder(settings["KG_BASELINES"])
        elif commit is not self.good:
            settings.update(KG_BASE=self.good.folder, KG_BASE_REF=self.good.reference, KG_BASE_COMMIT=self.good.commit[:10], KG_PAIRED="1")
        environment = {**os.environ, **settings}
        program = os.path.join(commit.folder, f"{self._comparison}.{self.target}")
        with open(self._log, "a", encoding="utf-8") as log:
            for part in PARTS[self.target]:
                run_step([program, f"--filter={self._comparison}/{part}"], stdout=log, stderr=log, env=environment)
            if "KG_BASE" in settings:
                run_step([own_command(), "settle", "--base", self.good.folder, "--head", commit.folder, "--paired", "--out", out],
                         stdout=log, stderr=log, env=environment)
        return {**merge(out, False).document, "run": {"commit": commit.commit}}

    def _judge(self, document):
        """The state of a commit by what it measured, and why."""
        entry = next((entry for entry in document["cases"] if entry["case"] == self.case), None)
        stub = stub_in_records()
        if stub is not None:
            return SKIPPED, f"it does not compile: {stub}"
        if entry is None:
            errors = [error["why"] for error in document["errors"]]
            return SKIPPED, errors[0] if errors else "it has no such case"
        if is_dismissed(entry["verdict"]):
            return BAD, reason_of(entry)
        if self._reference is None:
            return GOOD, ""
        if self.target == "gpu":
            return (BAD, reason_of(entry)) if entry["verdict"] == "slower" else (GOOD, entry["verdict"])
        runs = (Run(name, name, {**found, "boards": {}}) for name, found in (("GOOD", self._reference), ("this commit", document)))
        rows = [row for row in Comparison(*runs, self.case, False).rows if row.verdict == "slower" and self._metric in (None, row.metric)]
        return (BAD if rows else GOOD), ", ".join(f"{row.metric} {show_figure(row.b.value, unit_of(row.metric))}, was "
                                                  f"{show_figure(row.a.value, unit_of(row.metric))}" for row in rows)

    def measure(self, commit):
        """Builds and measures a commit; its state."""
        begun = time.monotonic()
        fault = self._build(commit)
        document = None if fault else self._observe(commit)
        state, why = (SKIPPED, fault) if fault else self._judge(document)
        if commit is self.good and state == GOOD:
            self._reference, self._good_harness = document, self._harness
        self.steps.append({"commit": commit.commit, "state": state, "why": why})
        subject = os.fsdecode(git(".", "log", "-1", "--format=%s", commit.commit).stdout).strip()
        self.console.say(f"{commit.commit[:10]} {state}{': ' if why else ''}{why} ({subject}), {elapsed(begun)}")
        return state

    def ends(self):
        """Measures both ends. Whether the case is good at one and bad at the other."""
        for commit, name, wanted in ((self.good, "GOOD", GOOD), (self.bad, "BAD", BAD)):
            state = self.measure(commit)
            if state == SKIPPED:
                raise Failure(f"bisect: {name} {commit.reference} cannot be measured: {self.steps[-1]['why']}: see {self._log}, and name "
                              "another")
            if state != wanted:
                self.console.say(f"not reproducible: {name} {commit.reference} is {state} here")
                return False
        return True

    def search(self):
        """The first bad commit; several where those before the last could not be measured; none where it is good the second time."""
        low, high, skipped = -1, len(self.commits) - 1, set()
        while True:
            left = [number for number in range(low + 1, high) if number not in skipped]
            if not left:
                break
            middle = min(left, key=lambda number: abs(2 * number - low - high))
            self.console.say(f"{plural(len(left), 'commit')} left, about {plural(len(left).bit_length(), 'step')}")
            state = self.measure(self._commit(self.commits[middle], "a commit"))
            if state == SKIPPED:
                skipped.add(middle)
            elif state == BAD:
                high = middle
            else:
                low = middle
        found = self.commits[low + 1:high + 1]
        # Counters repeat exactly; of times an alarm may have been false.
        if self.target == "gpu" and self.measure(self._commit(found[-1], "a commit")) != BAD:
            self.console.say(f"not reproducible: {found[-1][:10]} is not bad the second time")
            return []
        return found

    def tell(self, found):
        if len(found) > 1:
            skipped = plural(len(found) - 1, "commit")
            self.console.say(f"the first bad commit is one of {len(found)}, since {skipped} could not be measured:")
        for commit in found:
            said = os.fsdecode(git(".", "log", "-1", "--format=%h %an, %ad: %s", "--date=short", commit).stdout).strip()
            self.console.say(f"first bad commit: {said}" if len(found) == 1 else f"  {said}")
        parents = self._list("--parents", "-1", found[0])[2:] if len(found) == 1 else ()
        if parents:
            self.console.say(f"it is a merge: kernelgate bisect {self.case} {found[0][:10]}^1 {parents[0][:10]} looks into it")


def add_arguments(parser):
    parser.add_argument("case", metavar="CASE", help="comparison/variant/size/launch")
    parser.add_argument("good", metavar="GOOD", help="a commit where it is right and fast")
    parser.add_argument("bad", metavar="BAD", help="a later commit where it is not")
    parser.add_argument("--target", choices=tuple(PARTS), default="model", metavar="TARGET",
                        help="model, by exact counters (the default), or gpu, by pairs of processes against GOOD")
    parser.add_argument("--metric", metavar="NAME", help="on the model, only this counter makes a commit bad")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    parser.epilog = """\
Builds the comparison at each commit in build/bisect, with this tree's harness (or this
installation's), and halves the commits along BAD's first parents. A commit that does not
build, or lacks the case, is skipped; then several may remain. build/bisect/log has what
the compilers and the tests printed.

exit: 0 found, or among the commits that it names; 1 not reproducible: GOOD is bad, BAD is
good, or a slowdown is gone the second time; 2 an error
"""


def main(options):
    with told_when_stopped(), contextlib.ExitStack() as held:
        bisection = Bisection(options)
        make_folder(PLACE)
        held.enter_context(run_lock.held(PLACE, NAME, OTHERWISE))
        open(os.path.join(PLACE, "log"), "w", encoding="utf-8").close()
        found = bisection.search() if bisection.ends() else []
        if found:
            bisection.tell(found)
        code = FOUND if found else NOT_REPRODUCED
        if options.json:
            print_output("bisect", json_text({
                "schema": "kernelgate-bisection/1", "case": bisection.case, "target": bisection.target, "good": bisection.good.commit,
                "bad": bisection.bad.commit, "steps": bisection.steps, "candidates": found, "exit_code": code}))
    return code
