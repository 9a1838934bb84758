# SPDX-License-Identifier: MIT
"""Merges the tests' verdicts, out/records/TEST.verdicts.json, into the results of the run: a case with several parts
becomes one, with the metrics of all and the worst verdict."""

import math
import os
import re

from kernelgate.base.case_id import variant_of_case
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.command_line import print_output
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import is_number, json_text, list_of, member, object_of, read_json, text_of
from kernelgate.base.figures import plural
from kernelgate.base.programs import glob_meant, globs_take
from kernelgate.base.results import RANKS, SCHEMA, VERDICTS, claim_fails, counts_as, digest
from kernelgate.run.causes import add_causes
from kernelgate.base.schema_form import check_form
from kernelgate.base.settings import is_strict, results_folder, setting

VERDICTS_SCHEMA = "kernelgate-verdicts/1"
VERDICTS_FILE = "verdicts.schema.json"
SUFFIX = ".verdicts.json"
UNTAKEN = ".untaken"  # a file in the build folder: lines of a source and options, separated by tabs
REMEDY = "run the test again"
# Of a tally, next to the verdicts.
COUNTS = ("vanished", "unlisted", "unrecorded", "checked", "excused", "failed_claims", "filtered_out", "unavailable", "broken")
IDLE = ("filter", "empty", "unchanged", "gpu-only")  # a test that skipped for one of these had nothing to do
PASS, FAIL, ERROR, NOTHING = 0, 1, 2, 77  # exit codes

# Members that describe a part's verdict; the worst part decides them for the case.
_OF_VERDICT = ("verdict", "why", "findings", "more_findings", "also", "failure", "at", "reason", "group", "moves", "explanation",
               "sass")
# Other members of a part: the first part that has one decides it.
_OF_FIRST = ("observers", "smallest", "absent", "lines", "lines_before", "sampled", "work", "kernel", "gpu_state", "changed", "base", "note",
             "imported", "same_code", "in_order")


def make_tally():
    return dict.fromkeys((*VERDICTS, *COUNTS), 0)


def judged_of(tally):
    """The judged cases: all but those without a baseline whose results were not checked either."""
    return tally["checked"] + sum(tally[verdict] for verdict in VERDICTS if verdict != "no-baseline")


def exit_code_of_tally(tally, strict):
    """The exit code of a test or a run: that of kg__exit_code() (harness/judge/judge.c), which the same examples test, but that
    unlisted cases are doubtful too, excused ones are not, what was checked and found right is judged without a baseline, and a
    target without any baseline is nothing to judge."""
    doubtful = sum(tally[name] for name in ("environment", "noisy", "no-baseline", "unlisted")) - tally["excused"]
    judged = judged_of(tally)
    excused = tally["no-baseline"] + tally["unavailable"] + tally["filtered_out"]
    if tally["error"] or tally["broken"]:
        return ERROR
    if tally["slower"] or tally["less-accurate"] or tally["wrong"] or tally["failed_claims"]:
        return FAIL
    if strict and tally["unavailable"] or not judged and (not excused or strict and tally["no-baseline"]):
        return ERROR
    if tally["vanished"]:
        return FAIL
    if not judged or tally["unrecorded"]:
        return NOTHING
    return FAIL if strict and doubtful > 0 else PASS


def tally_of(document):
    """The tally of a run's results, from what they list."""
    tally = make_tally()
    for entry in document["cases"]:
        tally[entry["verdict"]] += 1
        tally["excused"] += counts_as(entry) != entry["verdict"]
        tally["checked"] += entry["verdict"] == "no-baseline" and "check" in entry["parts"]
    for test in document["tests"]:
        if "skipped" in test:
            tally["filtered_out" if test["skipped_by"] in IDLE else "unavailable"] += 1
    tally.update({key: len(list_of(document, key)) for key in ("vanished", "unlisted", "unrecorded")})
    tally.update(failed_claims=sum(map(claim_fails, document["claims"])), broken=len(document["errors"]))
    return tally


def exit_code_of_run(document):
    """The exit code of a run, from what its results list."""
    tally = tally_of(document)
    code = exit_code_of_tally(tally, document["strict"])
    skips = {member(test, "skipped_by") for test in document["tests"]}
    # A run of only GPU-only cases is what the user requested.
    if code == NOTHING and "gpu-only" in skips and skips <= {"gpu-only", "empty", "filter"}:
        return PASS
    # A shard may have no test, or none with a case that the filter selects: `kernelgate merge` judges whether any had.
    is_idle = not any(count for name, count in tally.items() if name != "filtered_out")
    return PASS if is_idle and "shard" in object_of(document, "run") else code


def load_verdicts(path):
    """A test's verdicts. Failure if the file is malformed."""
    document = read_json(path, REMEDY)
    check_form(path, document, VERDICTS_SCHEMA, VERDICTS_FILE, REMEDY)
    return document


def _is_silent(verdicts):
    """Whether a finished test judged nothing, and does not say why."""
    said = ("cases", "claims", "refused", "vanished", "errors")
    return verdicts["complete"] and "skipped" not in verdicts and not any(list_of(verdicts, key) for key in said)


def _tally_rest(verdicts, tally):
    """Counts a test's results outside of its cases."""
    tally["broken"] += (not verdicts["complete"]) + len(list_of(verdicts, "errors"))
    tally["failed_claims"] += sum(map(claim_fails, list_of(verdicts, "claims")))
    if "skipped" in verdicts:
        tally["filtered_out" if verdicts["skipped_by"] in IDLE else "unavailable"] += 1
    elif _is_silent(verdicts):
        tally["broken"] += 1


def exit_code_of_test(verdicts, strict):
    tally = make_tally()
    for entry in list_of(verdicts, "cases"):
        tally[counts_as(entry)] += 1
    tally["vanished"] = len(list_of(verdicts, "vanished"))
    _tally_rest(verdicts, tally)
    tally["pass"] += bool(list_of(verdicts, "claims"))
    return exit_code_of_tally(tally, strict)


def leave_verdicts(command, verdicts):
    """Leaves the verdicts of a test that Python runs in KG_OUT, as the programs' tests do, and prints what did not pass.
    The exit code."""
    code = verdicts["exit_code"] = exit_code_of_test(verdicts, is_strict())
    path = f"{results_folder(None)}/records/{verdicts['test']}{SUFFIX}"
    with os_errors_as(f"{path}: cannot be written", "make its folder writable, or set KG_OUT"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, json_text(verdicts))
    load_verdicts(path)
    said = [verdicts["skipped"]] if "skipped" in verdicts else list_of(verdicts, "errors")
    said = said + [f"{entry['verdict']}  {entry['case']}  {entry['why']}" for entry in list_of(verdicts, "cases") if entry["why"]]
    print_output(command, "".join(f"{re.sub('[^ -~]', '?', line)}\n" for line in said))
    return code


def _merge_metrics(merged, part):
    """Adds the metrics of a part; of two with one name the one with the worse verdict is kept."""
    pairs = object_of(part, "pairs")
    for name, metric in object_of(part, "metrics").items():
        known = merged["metrics"].get(name)
        rank = RANKS.get(text_of(metric, "verdict"), -1)
        if known is not None and rank <= RANKS.get(text_of(known, "verdict"), -1):
            continue
        merged["metrics"][name] = {key: value for key, value in metric.items() if value is not None}
        merged.setdefault("pairs", {}).pop(name, None)
        if name in pairs:
            merged["pairs"][name] = pairs[name]


def _take_verdict(merged, part, test):
    for key in _OF_VERDICT:
        merged.pop(key, None)
        if key in part:
            merged[key] = part[key]
    merged.setdefault("why", "")
    merged["test"] = test


def _add_part(merged, part):
    merged["parts"] += [part["part"]] if "part" in part else []
    merged["parts"] += [name for name in part.get("parts", ()) if name not in merged["parts"]]  # of a run that is merged
    seconds = member(part, "seconds")
    merged["seconds"] += seconds if is_number(seconds) and math.isfinite(seconds) else 0
    _merge_metrics(merged, part)
    for key in _OF_FIRST:
        if part.get(key) not in (None, [], {}):
            merged.setdefault(key, part[key])
    if member(part, "suspect"):
        merged["suspect"] = True


class Merge:
    """The results of a run under construction."""

    def __init__(self, out, strict):
        self.strict = strict
        self.document = {"schema": SCHEMA, "run": {}, "out": out, "strict": strict, "targets": {}, "provenance": {}, "boards": {},
                         "cases": [], "tests": [], "claims": [], "refused": [], "vanished": [], "unlisted": [], "errors": [],
                         "notes": []}
        self._cases = {}  # by target and id
        self._listed = set()  # the listed refused and vanished cases

    def add_error(self, test, why):
        """Adds an error of a test or (None) of the run as a whole."""
        self.document["errors"].append({"test": test, "why": why} if test is not None else {"why": why})

    def _merge_target(self, verdicts, key):
        provenance = object_of(verdicts, "provenance")
        if "target" in verdicts:
            self.document["targets"].setdefault(key, verdicts["target"])
        if "provenance" in verdicts:
            known = self.document["provenance"].setdefault(key, {})
            known.update({name: fact for name, fact in provenance.items() if name not in known})
        if "board" in verdicts:
            board = self.document["boards"].setdefault(verdicts["board"], {})
            board["target"] = key
            if "provenance" in verdicts:
                board["provenance"] = {**provenance, **object_of(board, "provenance")}

    def _merge_case(self, part, test):
        key = part["target"], part["case"]
        merged = self._cases.get(key)
        if merged is None:
            merged = {"case": part["case"], "target": part["target"], "parts": [], "seconds": 0, "metrics": {}}
            self._cases[key] = merged
            self.document["cases"].append(merged)
        _add_part(merged, part)
        # The worst part gives the verdict; of equals the one with a reason. A kernel may be both less accurate and
        # slower: neither hides the other.
        rank = RANKS[part["verdict"]] - RANKS.get(text_of(merged, "verdict"), -1)
        takes = rank > 0 or rank == 0 and not merged["why"]
        other = {name: merged.get(name) for name in ("verdict", "why")} if takes else part
        if takes:
            _take_verdict(merged, part, test)
        if {other["verdict"], merged["verdict"]} == {"less-accurate", "slower"}:
            merged["also"] = other["why"]

    def _list_once(self, key, target, entry):
        if (key, target, entry["case"]) not in self._listed:
            self._listed.add((key, target, entry["case"]))
            self.document[key].append(entry)

    def _merge_lists(self, verdicts, target):
        test = verdicts["test"]
        self.document["notes"] += ({"note": note, "target": target, "test": test} for note in list_of(verdicts, "notes"))
        for why in list_of(verdicts, "errors"):
            self.document["errors"].append({"test": test, "why": why})
        for case in list_of(verdicts, "vanished"):
            self._list_once("vanished", target, {"case": case, "target": target, "test": test})
        for entry in list_of(verdicts, "refused"):
            refused = {"case": entry["case"], "target": target, "test": test, "why": text_of(entry, "why")}
            if member(entry, "gpu_only") is True:
                refused["gpu_only"] = True
            self._list_once("refused", target, refused)
        for claim in list_of(verdicts, "claims"):
            self.document["claims"].append({**claim, "target": target, "test": test, "why": text_of(claim, "why")})

    def _note_suspects(self, verdicts, target):
        """Suspects that were not settled count as first observed."""
        suspects = sum(member(entry, "suspect") is True for entry in list_of(verdicts, "cases"))
        if suspects:
            note = (f"{verdicts['test']}: {plural(suspects, 'suspect')} not settled against a base: judged by one observation "
                    "(see kernelgate settle)")
            self.document["notes"].append({"note": note, "target": target, "test": verdicts["test"]})

    def _note_orders(self, verdicts, target):
        """Notes, at its first case, a passing variant that relies on the order of blocks."""
        said = {}
        for entry in list_of(verdicts, "cases"):
            if member(entry, "in_order") is True and entry["verdict"] == "pass":
                said.setdefault(variant_of_case(entry["case"]), text_of(entry, "why"))
        self.document["notes"] += ({"note": f"{variant}: {why}", "target": target, "test": verdicts["test"]}
                                   for variant, why in said.items())

    def note_untaken(self, build):
        """Notes the options of nvcc that the CPU model's kernels were compiled without, as listed by
        cmake/KgFlags.cmake."""
        for test in [test for test in self.document["tests"] if test["name"].startswith("model.") and test["name"].endswith(".check")]:
            try:
                with open(os.path.join(build, test["name"].split(".")[1] + UNTAKEN), encoding="utf-8", errors="replace") as file:
                    rows = [line.rstrip("\n").split("\t") for line in file]
            except OSError:
                continue
            if rows:
                options = dict.fromkeys(option for _, *options in rows for option in options)
                more = f" and {plural(len(rows) - 1, 'other file')}" if len(rows) > 1 else ""
                note = (f"{rows[0][0]}{more}: compiled for the CPU model without {', '.join(options)}, which the GPU build "
                        f"has: check their effect on a GPU")
                self.document["notes"].append({"note": note, "target": test["target"], "test": test["name"],
                                               "untaken": [{"source": source, "options": options} for source, *options in rows]})

    def _check_end(self, verdicts):
        """The error in how a test ended."""
        test = verdicts["test"]
        why = None
        if not verdicts["complete"]:
            why = ("ended before it was finished (killed, crashed or timed out); what it judged until then is kept: run it "
                   "again")
        elif test.startswith(("gpu.", "model.")) and member(verdicts, "exit_code") is None:
            why = "its program ended before it could report how the test ended (killed or crashed): run it again"
        elif _is_silent(verdicts):
            why = "judged nothing, and gave no reason: run it again"
        if why:
            self.document["errors"].append({"test": test, "why": why})

    def _merge_test(self, verdicts):
        test = verdicts["test"]
        # For a test that found no target, the first part of its name: "gpu" or "model".
        target = text_of(object_of(verdicts, "target"), "key") or test.partition(".")[0]
        self._merge_target(verdicts, target)
        for part in list_of(verdicts, "cases"):
            self._merge_case(part, test)
        self._merge_lists(verdicts, target)
        self._note_suspects(verdicts, target)
        self._note_orders(verdicts, target)
        self._check_end(verdicts)
        entry = {"name": test, "target": target, "seconds": verdicts.get("seconds", 0), "complete": verdicts["complete"],
                 "exit_code": exit_code_of_test(verdicts, self.strict)}
        if "exit_code" in verdicts:
            entry["program_exit_code"] = verdicts["exit_code"]
        entry.update((key, verdicts[key]) for key in ("board", "kept", "skipped", "skipped_by") if key in verdicts)
        self.document["tests"].append(entry)

    def merge_file(self, folder, name):
        """Merges a file of verdicts, or turns it into an error."""
        try:
            verdicts = load_verdicts(os.path.join(folder, name))
        except Failure as failure:
            self.add_error(name[:-len(SUFFIX)], str(failure))
        else:
            self._merge_test(verdicts)

    def _add_filter_error(self, subject, globs, list_tests):
        listed = dict.fromkeys(case for cases in list_tests().values() for case in cases)
        self.add_error(None, filter_error(subject, glob_meant(globs, list(listed))))

    def check_filter(self, globs, list_tests=dict):
        """Checks the filter, None without one: if it leaves a suite without cases, its tests skip; if it leaves the whole run without
        cases, it is a mistake, and so is a glob that matches no case: the intended cases are not judged. If tests
        could not list their cases, nothing is known. `list_tests` gives the tests with the cases that it may have meant."""
        tests, tally = len(self.document["tests"]), tally_of(self.document)
        if globs is None:
            return
        if 0 < tally["filtered_out"] >= tests and not self.document["refused"]:
            self._add_filter_error(f"KG_FILTER={globs}", globs, list_tests)
        elif tests and not tally["broken"] and not tally["unavailable"]:
            cases = [entry["case"] for key in ("cases", "refused", "vanished") for entry in self.document[key]]
            for glob in filter(None, globs.split(",")):
                if not any(globs_take(glob, case) for case in cases):
                    self._add_filter_error(f'KG_FILTER: "{glob}"', glob, list_tests)

    def sort_cases(self):
        """Sorts the cases by target, within a target in the order of their first appearance."""
        self.document["cases"].sort(key=lambda entry: entry["target"].encode("utf-8", "surrogateescape"))
        for entry in self.document["cases"]:
            if not entry.get("pairs"):
                entry.pop("pairs", None)
        self._find_unrecorded()

    def explain(self, build):
        add_causes(self.document, build)
        for entry in self.document["cases"]:
            entry.pop("moves", None)
            if "group" in entry:
                entry["group"] = digest(entry["group"])

    def _find_unrecorded(self):
        """The targets without any entry in a baseline: their measurements were compared with nothing."""
        judged = {entry["target"] for entry in self.document["cases"]
                  if {"time", "count"} & set(entry["parts"]) and entry["verdict"] != "no-baseline"}
        unjudged = {test["target"] for test in self.document["tests"] if member(test, "skipped_by") == "no-baseline"}
        self.document["unrecorded"] = sorted(unjudged - judged)


def filter_error(subject, meant):
    """The error text of a filter, or of one of its globs, that matches no case."""
    if meant:
        return f'{subject} matches no case of any test; did you mean "{meant}"? `kernelgate list` has the cases'
    return (f"{subject} matches no case of any test: `kernelgate list` has the cases, and COMPARISON/* is a filter for those of "
            "one comparison")


def merge(out, strict, nothing_is_an_error=True, build=None, is_whole=True, list_tests=dict):
    """Merges every file of verdicts in OUT/records; an unreadable one becomes an error of the results. Failure if
    the folder cannot be read. No file at all is an error too, unless the caller knows which tests should leave one.
    `build` is the folder of the programs that ran, if known. The filter of a run that is not whole, a shard, may match
    the cases of others alone. `list_tests` gives the tests with their cases, whatever the filter."""
    records = f"{out}/records"
    with os_errors_as(f"{records}: the folder cannot be read", "run ctest, or `kernelgate begin`, first"):
        names = sorted(name for name in os.listdir(records) if name.endswith(SUFFIX) and not name.startswith("."))
    run = Merge(out, strict)
    for name in names:
        run.merge_file(records, name)
    if build is not None:
        run.note_untaken(build)
    if not names and nothing_is_an_error:
        run.add_error(None, f"{records}: holds no verdicts, so no test of a comparison ran to its end: run ctest, and see its "
                      "output")
    if is_whole:
        run.check_filter(setting("KG_FILTER"), list_tests)
    run.sort_cases()
    run.explain(build)
    return run
