"""kernelgate baseline lint: checks baseline files, by the reader of kernelgate and for figures that do not follow from each
other and names that no table gives."""

import os
import re

from baseline_changes import BAND_STEP
from baseline_file import Baseline, default_folder, list_files, read_strictly
from common import JSON_OPTION, MESSAGE_SIZE, Command, Failure, fit, json_text, print_output, run, text_of
from figures import plural, show_figure, show_percent
from noise import GATED_LIMIT, SESSIONS_MINIMUM, band_of_sessions, noise, noise_bound, value_of_sessions
from recording import BUS, SENTINELS
from text import clean

SCHEMA = "kernelgate-lint/1"
SAME = 1e-9  # figures that a decimal form brought apart, relative to each other
NAME = re.compile("[a-z0-9_]+")
SIZE = re.compile("[0-9]+(x[0-9]+)*")  # extents may be 0
LAUNCH = re.compile("-|b[1-9][0-9]*(g[1-9][0-9]*)?")
AGAIN = "record it again with ci/rebaseline"


def check_id(case, imported):
    """What is wrong with the id of a case. Of an imported one, whose name may not say what it is, a part may be "-"."""
    comparison, variant, size, launch = case.split("/")
    if not NAME.fullmatch(comparison) or not (NAME.fullmatch(variant) or imported and variant == "-"):
        yield "no table gives this name: comparisons and variants are named in a-z, 0-9 and _"
    if not (SIZE.fullmatch(size) or imported and size == "-"):
        yield "no table gives this size: it is numbers joined by x, as in 31x33x17"
    if not LAUNCH.fullmatch(launch):
        yield "no table gives this launch: it is b<threads or tile edge>, then g<blocks> where those are free, or -"


def check_value(metric):
    median = value_of_sessions(metric.sessions)
    if abs(metric.value - median) > SAME * median:
        yield (f"its value is {show_figure(metric.value, 'ns')}, and the median of its sessions {show_figure(median, 'ns')}: "
               f"{AGAIN}")


def check_band(metric):
    """A band that is narrower than the noise trips by chance, and what is held more loosely than its noise asks for guards
    less than it seems to: both unless a hand wanted it so."""
    band, bound = band_of_sessions(metric.sessions), noise_bound(metric.sessions)
    if abs(metric.band - band) > BAND_STEP:
        only = "only " if metric.band > band else ""
        yield (f"its band is {show_percent(metric.band)}, and its noise (3 sigma) {only}{show_percent(noise(metric.sessions))}: "
               f'{AGAIN}, or say "band_by": "hand"')
    if metric.gated == (bound > GATED_LIMIT):
        state, only, remedy = (("gated", "", 'say "gated": false, or') if metric.gated else
                               ("not gated", "only ", 'take "gated" away, or say'))
        yield (f"it is {state}, and its noise (3 sigma, by 80 % confidence) is {only}up to {show_percent(bound)}: {remedy} "
               '"band_by": "hand"')


def check_metric(metric):
    """What is wrong with a time. Its value, band and gate follow from its sessions."""
    count = len(metric.sessions)
    if count < SESSIONS_MINIMUM:
        yield f"rests on {plural(count, 'session')}, and {SESSIONS_MINIMUM} is the fewest that say enough of the noise: {AGAIN}"
    if count > 0:
        yield from check_value(metric)
    if count >= SESSIONS_MINIMUM and not metric.by_hand:
        yield from check_band(metric)


def check_times(case):
    return (f"{case.id}: {metric.name}: {finding}" for metric in case.metrics.values() for finding in check_metric(metric))


def check_baseline(baseline):
    """What is wrong with a baseline that can be read, a line each: of the sentinels, which another tool than kernelgate has
    none of, then of the cases."""
    imported = text_of(baseline.provenance, "measured_by") != ""
    for name in () if baseline.is_model or imported else SENTINELS:
        if name in baseline.sentinels:
            yield from check_times(baseline.sentinels[name])
        elif name != BUS:
            yield f"{name}: this sentinel is missing, so that no drift of the machine is seen: record it with ci/rebaseline"
    for case in baseline.cases.values():
        yield from (f"{case.id}: {finding}" for finding in check_id(case.id, imported))
        if not case.commit:
            yield f"{case.id}: has no commit, so what was measured is unknown: {AGAIN}"
        if not baseline.is_model:
            yield from check_times(case)


class File:
    """What is found in a file: the error of its reader, or what is wrong with the figures and names in it."""

    def __init__(self, path, answer):
        self._path = path
        self._baseline = Baseline(path, answer)
        self._cases = answer.get("cases", len(self._baseline.cases))  # that are right, where one is not
        if not answer:
            self.findings = [f"{path}: there is no such file: name another"]
        elif "error" in answer:
            self.findings = [answer["error"]]
        else:
            self.findings = [fit(f"{path}: {finding}", MESSAGE_SIZE) for finding in check_baseline(self._baseline)]

    def lines(self):
        return self.findings or [f"{clean(self._path)}: ok: {plural(self._cases, 'case')}, {self._rest()}"]

    def _rest(self):
        return ("counters of the CPU model" if self._baseline.is_model
                else plural(len(self._baseline.sentinels), "sentinel"))

    def entry(self):
        return {"file": self._path, "ok": not self.findings, "cases": self._cases, "findings": self.findings}


def check_files(paths):
    return [File(path, answer) for path, answer in zip(paths, read_strictly(paths))] if paths else []


def check_folder(folder):
    return check_files([f"{folder}/{name}" for name in list_files(folder)])


def list_findings():
    """What is wrong with all baselines, each a line."""
    folder = default_folder()
    files = check_folder(folder) if os.path.exists(folder) else []
    return [finding for file in files for finding in file.findings]


COMMAND = Command(
    "baseline lint",
    options=(
        JSON_OPTION,
    ),
    details="""\
Without a FILE all baselines are checked (KG_BASELINES, else baselines), as a run that
knows its programs does (kernelgate results --programs). Also checked: values are the
medians of their sessions, of which there are five at least; bands not set by hand are
as wide as the noise and no wider; floors hide little; unless set by hand, a time is
gated exactly if its noise is known to be 5 % or less; copy and fma are there; sizes
and launches are valid; every case names its commit.
exit: 0 all are valid; 2 a file is invalid
""",
    takes_operands=True,
)


def main(arguments):
    options = COMMAND.parse(arguments)
    folder = default_folder()
    files = check_files(options["operands"]) or check_folder(folder)
    if not files:
        raise Failure(f"{folder}: holds no baseline: name a file, or set KG_BASELINES")
    code = 2 if any(file.findings for file in files) else 0
    print_output("baseline lint", json_text({"schema": SCHEMA, "files": [file.entry() for file in files], "exit_code": code})
                 if options["json"] else "".join(f"{line}\n" for file in files for line in file.lines()))
    return code


if __name__ == "__main__":
    run(main)
