# SPDX-License-Identifier: MIT
"""kernelgate baseline lint: checks baseline files with kernelgate's reader, and for inconsistent figures and
impossible names."""

import os

from kernelgate.code import code_baseline
from kernelgate.baseline.file import default_folder, list_files, load
from kernelgate.base.case_id import LAUNCH, SIZE, TABLE_NAME, is_program_case, parts_of
from kernelgate.base.command_line import add_json, print_output
from kernelgate.base.errors import MESSAGE_SIZE, Failure
from kernelgate.base.json_io import json_text, text_of
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.baseline.noise import BAND_MINIMUM, SESSIONS_MINIMUM, Noise, is_gated
from kernelgate.baseline.fit import BUS, SENTINELS, is_moved, make_time
from kernelgate.baseline.sessions import BOARD_SESSIONS_MAXIMUM, StoredSessions
from kernelgate.base.text import clean, fit

SCHEMA = "kernelgate-lint/1"
BAND_STEP = 0.001 * (1 + 1e-6)  # bands are rounded up to this: noise has four digits, and may be just above a step
MANY_SESSIONS = 1000  # enough to know 3 sigma
AGAIN = "record it again with kernelgate rebaseline"


def check_id(case, imported):
    """The error in a case's id. For an imported case, whose name may lack a part, that part may be "-"."""
    if is_program_case(case):
        return
    comparison, variant, size, launch = parts_of(case)
    if not TABLE_NAME.fullmatch(comparison) or not (TABLE_NAME.fullmatch(variant) or imported and variant == "-"):
        yield "no table gives this name: comparisons and variants are named in a-z, 0-9 and _"
    if not (SIZE.fullmatch(size) or imported and size == "-"):
        yield "no table gives this size: it is numbers joined by x, as in 31x33x17"
    if not LAUNCH.fullmatch(launch):
        yield "no table gives this launch: it is names of axes, each with its value from 1 on, as in b256g1056, or -"


def check_band(case, metric, minimum):
    """Finds a band narrower than the noise, which trips by chance, and a band wider than its noise requires, which
    guards less than it seems to, unless it was set by hand."""
    if not metric.noise:
        yield f"does not say how noisy it is: {AGAIN}"
        return
    # A case's number of sessions is that of the metric with the fewest.
    most, least = (Noise(*metric.noise, case.boards, sessions).band(minimum) for sessions in (case.sessions, MANY_SESSIONS))
    if not least - BAND_STEP <= metric.band <= most + BAND_STEP:
        yield (f"its band is {show_percent(metric.band)}, and its noise, by {plural(case.sessions, 'session')}, asks for "
               f'{show_percent(most)}: {AGAIN}, or say "band_by": "hand"')
    elif metric.gated != is_gated(metric.band):
        state, remedy = ("gated", 'say "gated": false, or') if metric.gated else ("not gated", 'take "gated" away, or say')
        yield f'it is {state}, and its band is {show_percent(metric.band)}: {remedy} "band_by": "hand"'


def check_times(case, stored):
    """The errors in the times of a case, or a sentinel: band and gate follow from the noise, and all of them from
    the sessions, if the line is as old as the stored ones."""
    sentinel = case.id in SENTINELS
    if case.sessions < SESSIONS_MINIMUM:
        yield (f"{case.id}: rests on {plural(case.sessions, 'session')}, and {SESSIONS_MINIMUM} is the fewest that say enough of "
               f"the noise: {AGAIN}")
        return
    for metric in case.metrics.values():
        findings = [] if metric.by_hand else list(check_band(case, metric, 0 if sentinel else BAND_MINIMUM))
        if not findings and is_current(case, stored):
            now = make_time(metric, metric.name, stored.boards(case.id, metric.name), sentinel)
            if is_moved(metric, now):
                findings = [f"is {show_figure(metric.value, 'ns')} with a band of {show_percent(metric.band)}, and its sessions say "
                            f"{show_figure(now.value, 'ns')} and {show_percent(now.band)}: {AGAIN}"]
        yield from (f"{case.id}: {metric.name}: {finding}" for finding in findings)


def is_current(case, stored):
    """Whether a line is based on exactly its stored sessions."""
    lists = stored.cases.get(case.id, {}) if stored is not None else {}
    return (case.metrics.keys() <= lists.keys() and min(map(len, lists.values()), default=0) == case.boards
            and min((stored.count(case.id, name) for name in lists), default=0) == case.sessions
            and not any(len(values) == BOARD_SESSIONS_MAXIMUM for boards in lists.values() for values in boards.values()))


def check_baseline(baseline, stored):
    """The errors of a readable baseline, a line each: of the sentinels, which imported results lack, then of the
    cases."""
    imported = text_of(baseline.provenance, "measured_by") != ""
    for name in () if baseline.is_model or imported else SENTINELS:
        if name in baseline.sentinels:
            yield from check_times(baseline.sentinels[name], stored)
        elif name != BUS:
            yield f"{name}: this sentinel is missing, so drift of the machine would go unnoticed: record it with kernelgate rebaseline"
    for case in baseline.accuracy or ():
        if case not in baseline.cases:
            yield from (f"accuracy: {case}: {finding}" for finding in check_id(case, imported))
    for case in baseline.cases.values():
        yield from (f"{case.id}: {finding}" for finding in check_id(case.id, imported))
        if not case.commit:
            yield f"{case.id}: has no commit, so what was measured is unknown: {AGAIN}"
        if not baseline.is_model:
            yield from check_times(case, stored)


class File:
    """The findings in a file: its reader's error, or errors in its figures and names. Generated code is read strictly alone."""

    def __init__(self, path):
        self._path = path
        self._cases = 0
        self._rest = ""  # of a valid file's line, after the number of its cases
        self._older = None  # lines older than their sessions; None if those are not stored
        self.findings = []
        architecture = code_baseline.architecture_of(path)
        try:
            if architecture:
                self._cases, self._rest = len(code_baseline.load(path, architecture).cases), "generated code"
            else:
                self._check(path)
        except Failure as failure:
            self._find(str(failure))

    def _find(self, finding):
        self.findings.append(fit(finding, MESSAGE_SIZE))

    def _check(self, path):
        baseline, stored = load(path), None
        if baseline is None:
            raise Failure(f"{path}: there is no such file: name another")
        self._cases = len(baseline.cases)
        try:
            stored = StoredSessions.load(path, text_of(baseline.target, "key"))
        except Failure as failure:
            self._find(str(failure))
        for finding in check_baseline(baseline, stored):
            self._find(f"{path}: {finding}")
        if stored is not None and stored.exists:
            self._older = sum(not is_current(case, stored) for case in baseline.cases.values())
        self._rest = "counters of the CPU model" if baseline.is_model else f"{plural(len(baseline.sentinels), 'sentinel')}, {self._age()}"

    def _age(self):
        if self._older is None:
            return "its sessions are not stored"
        if self._older:
            return f"{plural(self._older, 'line')} rest{'s' * (self._older == 1)} on fewer sessions than are stored"
        return "as its sessions have it"

    def lines(self):
        return self.findings or [f"{clean(self._path)}: ok: {plural(self._cases, 'case')}, {self._rest}"]

    def entry(self):
        entry = {"file": self._path, "ok": not self.findings, "cases": self._cases, "findings": self.findings}
        return entry if self._older is None else {**entry, "older_lines": self._older}


def check_folder(folder):
    names = list_files(folder) + list_files(folder, code_baseline.architecture_of)
    return [File(f"{folder}/{name}") for name in names]


def list_findings():
    """The errors of all baselines, a line each."""
    folder = default_folder()
    files = check_folder(folder) if os.path.exists(folder) else []
    return [finding for file in files for finding in file.findings]


def add_arguments(parser):
    parser.add_argument("files", nargs="*", metavar="FILE")
    add_json(parser)
    parser.epilog = """\
Without a FILE all baselines are checked (KG_BASELINES, else baselines), as by a run that
knows its programs (kernelgate results --programs). Checks that times have at least five
sessions; that bands not set by hand equal the noise, and are gated exactly up to 5 %;
that both agree with the file of sessions, unless a line is older; that floors hide
little; that copy and fma are there; that sizes and launches are valid; and that every
case names its commit. Files of generated code (sm_90.json) are read strictly.
exit: 0 all are valid; 2 a file is invalid
"""


def main(options):
    folder = default_folder()
    files = list(map(File, options.files)) or check_folder(folder)
    if not files:
        raise Failure(f"{folder}: has no baseline: name a file, or set KG_BASELINES")
    code = 2 if any(file.findings for file in files) else 0
    print_output("baseline lint", json_text({"schema": SCHEMA, "files": [file.entry() for file in files], "exit_code": code})
                 if options.json else "".join(f"{line}\n" for file in files for line in file.lines()))
    return code
