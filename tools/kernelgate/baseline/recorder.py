# SPDX-License-Identifier: MIT
"""The common part of recording times and counts: observing programs, and the baseline file."""

import math
import os
from concurrent.futures import ThreadPoolExecutor

from kernelgate.base.added_programs import judge
from kernelgate.base.case_id import comparison_of_case
from kernelgate.baseline.change_log import Refused
from kernelgate.baseline.changes import moved_beyond
from kernelgate.baseline.file import Baseline, load, path_for, save
from kernelgate.base.errors import Failure, complain
from kernelgate.base.git import current_commit
from kernelgate.base.json_io import list_of, member, number_of, object_of, text_of
from kernelgate.base.figures import plural, show_error, show_percent
from kernelgate.baseline.noise import ERROR_BAND
from kernelgate.base.observers import Observation, run_side_by_side
from kernelgate.base.programs import filter_takes, glob_meant, query_program
from kernelgate.base.progress import Progress, Tally
from kernelgate.base.results import ERRORS
from kernelgate.baseline.sessions import StoredSessions, path_beside, save_both


def is_partial():
    """Whether KG_FILTER selects cases."""
    return bool(os.environ.get("KG_FILTER"))


def errors_of(record):
    """The errors of a "checked" record, [largest, mean]; None if it has none."""
    metrics = object_of(record, "metrics")
    return [number_of(metrics[name], "value") for name in ERRORS] if ERRORS[0] in metrics else None


def _is_moved(old, new, least):
    """Whether an error differs from a stored one by more than its band, or the band does."""
    bands = [(errors[2:] or [least])[0] for errors in (old, new)]
    return bands[1] > bands[0] or any(moved_beyond(before, now, bands[0], 0) for before, now in zip(old[:2], new[:2]))


def _change(before, now):
    return show_percent(now / before - 1, True) if before > 0 else "from 0"


def _list_cases(*arguments, filtered):
    """The cases that a program lists: all, or those that KG_FILTER selects. Failure if it fails."""
    return query_program(*arguments, lists="cases", filtered=filtered).stdout.decode("utf-8", "replace").splitlines()


class Recorder:
    """A recording. `folder` has the baseline files, `scratch` the observers' records; `commit` None: git's."""

    def __init__(self, log, folder, commit, scratch):
        self.log = log
        self.target = {}  # the device's description, after the first observer
        self.provenance = {}
        self._folder = folder
        self._commit = commit
        self._scratch = scratch
        self._comparisons = set()  # with an observed case
        self._key = None  # of the baseline
        self._refused = False

    def refuse_case(self, case, why):
        """Refuses to record anything because of a case, at the end of its observer."""
        self.log.refuse(f"{why}: nothing is recorded", case=case)
        self._refused = True

    def refuse(self, why, file=None):
        """Refuses to record anything."""
        self.log.refuse(why, file=file)
        raise Refused

    def refuse_filter(self, part, programs):
        """Refuses because KG_FILTER matches no case of a part in the programs."""
        cases = []
        for program in programs:
            try:
                cases += _list_cases(program, "--cases", part, filtered=False)
            except Failure:
                continue
        meant = glob_meant(os.environ.get("KG_FILTER", ""), cases)
        hint = f' Did you mean "{meant}"?' if meant else ""
        self.refuse(f"no case to record: is KG_FILTER too narrow?{hint} `kernelgate list` has the cases")

    def observe_all(self, jobs, part, take, settings=None, at_a_time=None):
        """Observes all cases of a part that each program lists (filtered by KG_FILTER) in new processes: a job is a
        program and its observer. Runs as many at a time as there are processors, or `at_a_time`. `take` gets the
        program, and the record of every case that was measured or checked as correct, and of the sentinels. Refused
        if nothing could be observed, or a case is wrong or failed. `settings` are added to the environment."""
        listed = [(*job, self._list_part(job[0], part)) for job in jobs]
        progress = Tally(Progress("baseline record"), sum(len(cases) for *_, cases in listed))
        observations = []
        for number, (program, observer, cases) in enumerate(listed):
            scratch = os.path.join(self._scratch, f"{part}.{number}")
            os.makedirs(scratch, exist_ok=True)
            observations.append(self._steps(program, observer, part, cases, take, {**progress.settings(), **(settings or {})},
                                            progress, scratch))
        run_side_by_side(observations, at_a_time or len(os.sched_getaffinity(0)))
        progress.clear()
        if self._refused:
            raise Refused

    def run_added(self, tests, take):
        """Runs the tests of programs that kg_add_program() gates, of which KG_FILTER may take a case, side by side. `take` gets the
        records of those that it takes, as from observe_all(). Refused if a run is not right."""
        taken = [test for test in tests if test.may_be_taken_by(os.environ.get("KG_FILTER", ""))]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            try:
                runs = list(pool.map(lambda test: test.run(), taken))
            except Failure as failure:
                self.refuse(str(failure))
        for test, document in zip(taken, runs):
            self._comparisons.add(comparison_of_case(test.case))
            self.target, self.provenance = document["target"], object_of(document, "provenance")
            outcome = next((entry for entry in list_of(judge(document), "cases") if entry["case"] == test.case), None)
            if outcome is not None and outcome["verdict"] != "pass":
                self.refuse_case(test.case, outcome["why"])
                continue
            if "skipped" in document:
                self.log.say(f"{test.case:<50} not recorded: {document['skipped']}")
                continue
            records = {test.case: [{"event": "checked", "case": test.case, "right": True}], **document["records"]}
            for case, (record,) in records.items():
                if filter_takes(case):
                    take(test.name, record)
        if self._refused:
            raise Refused

    def _list_part(self, program, part):
        # For times also the cases timed in the same process and not recorded.
        listing = ["--timed-with"] if part == "time" else ["--cases", part]
        try:
            cases = _list_cases(program, *listing, filtered=True)
        except Failure as failure:
            self.refuse(str(failure), program)
        self._comparisons.update(map(comparison_of_case, cases))
        return cases

    def _steps(self, program, observer, part, cases, take, settings, progress, scratch):
        """The steps of one observation."""

        def take_record(record):
            event, case = text_of(record, "event"), text_of(record, "case")
            if event == "waiting":
                progress.clear()
                complain(text_of(record, "why"))
            if case and event in ("checked", "measured", "failed"):
                progress.count(case)
            if case and not filter_takes(case):
                return
            if event == "target" and not self.target:
                self.target, self.provenance = object_of(record, "target"), object_of(record, "provenance")
            elif event == "failed" or event == "checked" and member(record, "right") is not True:
                progress.clear()
                self.refuse_case(case, text_of(record, "why"))
            elif event in ("measured", "checked", "sentinels"):
                take(program, record)

        try:
            yield from Observation(observer, part, cases, take_record, settings).steps(scratch)
        except Failure as failure:
            progress.clear()
            self.refuse(str(failure), observer)

    def check_baseline(self):
        """Refuses before measuring what load() would refuse."""
        if self.target:
            self.load()

    def load(self):
        """The baseline of the observed device, empty if there is none. Refused if the file is invalid, or if
        KG_FILTER leaves out cases compiled with other flags: the provenance has only one set of flags."""
        if not text_of(self.target, "key"):
            self.refuse("no observer says what it measured on: build the programs again")
        key, path = path_for(self._folder, self.target)
        self.log.document.update(file=path, target={"key": key, "name": text_of(self.target, "name")})
        try:
            baseline = load(path) or Baseline(path)
        except Failure as failure:
            self.refuse(f"{failure}: fix or move that file first; nothing is recorded")
        then, now = (text_of(provenance, "flags") for provenance in (baseline.provenance, self.provenance))
        if is_partial() and baseline.cases and then != now:
            self.refuse(f'{path}: its other cases were recorded with CXXFLAGS "{then}", these with "{now}": build with the same '
                        "flags, or record all cases, without KG_FILTER; nothing is recorded")
        self._key = key
        return baseline

    def load_sessions(self, baseline, replace):
        """The stored sessions of a baseline. Refused if they are invalid, or missing although cases are based on
        some, which would be lost. With `replace` such sessions are forgotten."""
        try:
            stored = StoredSessions.load(baseline.path, self._key)
        except Failure as failure:
            if is_partial() or not replace:
                self.refuse(f"{failure}; nothing is recorded")
            self.log.say(f"{failure}: replaced")
            return StoredSessions(path_beside(baseline.path), self._key)
        if not stored.exists and baseline.cases and not replace:
            self.refuse(f"{stored.path}: is missing, and the lines of {baseline.path} rest on it: restore it (git checkout), or "
                        "record with --replace; nothing is recorded")
        return stored

    def commit(self):
        """The commit at which the cases are recorded."""
        commit = self._commit if self._commit is not None else current_commit() or "unknown"
        self.log.document["commit"] = commit
        return commit

    def knows(self, case):
        """Whether a case is of a comparison that was observed."""
        return comparison_of_case(case) in self._comparisons

    def store_accuracy(self, baseline, found):
        """Stores the errors of checked cases, [largest, mean] and a band that differs from the target's, or None;
        returns how many changed. On a GPU an error within its band is unchanged. Cases without errors now are
        removed."""
        known, changed, new = dict(baseline.accuracy or {}), 0, 0
        found, observed = {case: errors for case, errors in found.items() if errors}, found
        gone = [case for case in known
                if case not in found and (case in observed or not is_partial() and self.knows(case))]
        for case in gone:
            del known[case]
            self.log.retire(case, ERRORS[0])
        for case, errors in sorted(found.items()):
            old = known.get(case)
            if old is not None and not _is_moved(old, errors, 0.0 if baseline.is_model else ERROR_BAND):
                continue
            known[case] = errors
            changed, new = changed + 1, new + (old is None)
            for name, before, now in zip(ERRORS, old or (math.nan, math.nan), errors):
                if before == now:
                    continue
                self.log.change(case, name, before or math.nan, now)
                if old is not None:
                    self.log.say(f"{case:<50} {name:<26} {show_error(before):>16} {show_error(now):>16} {_change(before, now):>9}")
        if new:
            self.log.say(f"{plural(new, 'case')} with a new error against the reference")
        if found or gone:
            baseline.accuracy = known
        return changed + len(gone)

    def say_retired(self, case):
        self.log.say(f"{case:<50} retired: no longer in the table")
        self.log.retire(case)

    def retire(self, baseline, recorded):
        """Removes cases of the observed comparisons that are no longer in a table, with a line each. Returns how
        many."""
        retired = [] if is_partial() else [case for case in sorted(baseline.cases, reverse=True)
                                           if case not in recorded and self.knows(case)]
        for case in retired:
            self.say_retired(case)
            del baseline.cases[case]
        return len(retired)

    def save(self, baseline, changed=True, stored=None):
        """Writes the sessions, and if `changed` the baseline with this run's target and provenance. Refused on
        failure."""
        # A filtered recording keeps the provenance of the other cases.
        if changed and (not is_partial() or baseline.provenance is None):
            baseline.target, baseline.provenance = {**self.target, "key": self._key}, self.provenance
        try:
            if stored is None:
                save(baseline)
            else:
                for case in stored.cases.keys() - baseline.cases.keys() - baseline.sentinels.keys():
                    stored.drop(case)
                save_both(baseline if changed else None, stored)
        except Failure as failure:
            self.refuse(str(failure))
        self.log.document["written"] = changed
