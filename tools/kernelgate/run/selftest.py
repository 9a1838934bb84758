# SPDX-License-Identifier: MIT
"""kernelgate selftest: proves the gate on kernels of known duration, unchanged and made slower."""

import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from kernelgate.base import run_lock
from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.command_line import add_json, print_output
from kernelgate.base.errors import Failure, Unavailable, complain, os_errors_as
from kernelgate.base.json_io import json_text, list_of, member, number_of, read_json, text_of
from kernelgate.base.own_command import own_command
from kernelgate.base.settings import results_folder
from kernelgate.run.run_files import make_folder

DRIFT = 0.05  # slowdown simulated for the whole machine, or for the kernels
OBSERVERS = 3  # processes required for a slowdown: the first, and two that confirm it
RUN_SECONDS = 240
METRICS = ("time_ns", "cold_time_ns")
REMEDY = "run the self-test again"


@dataclass(frozen=True)
class Trial:
    """A way to let the gate judge the kernels."""

    run: str  # the folder of its results
    name: str
    extra: float  # the work added, as a fraction
    baselines: str  # the folder of the baseline to judge by
    expected: str  # the verdict of every case
    judged: bool = True  # otherwise its verdicts are only counted: they may be either


TRIALS = (
    Trial("plus0", "+0 %", 0.0, "baselines", "pass"),
    Trial("plus1", "+1 %", 0.01, "baselines", "slower", judged=False),
    Trial("plus2", "+2 %", 0.02, "baselines", "slower", judged=False),
    Trial("plus3", "+3 %", 0.03, "baselines", "slower"),
    Trial("plus5", "+5 %", 0.05, "baselines", "slower"),
    Trial("drift", "machine +5 %", 0.0, "drifted", "environment"),
    Trial("no-drift", "kernels +5 %", 0.0, "drifted-kernels", "slower"),
)


def write(path, text):
    with os_errors_as(f"{path}: cannot be written", "set KG_OUT to a folder on a disk with free space"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def run_program(arguments, log, environment=None):
    """The exit code of a program of the gate, whose output goes to the file `log`."""
    write(log, "")
    try:
        with open(log, "wb") as file:
            return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False, timeout=RUN_SECONDS,
                                  env=environment).returncode
    except OSError as error:
        what = "no such program" if isinstance(error, FileNotFoundError) else f"cannot be run: {error.strerror}"
        raise Failure(f"{arguments[0]}: {what}: build the preset gpu and name its selftest.gpu") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{arguments[0]}: did not end within {RUN_SECONDS} s: see {log}") from None


class Proof:
    """A self-test of the gate with the kernels of one program, in a folder."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.baseline = {}
        self.runs = []
        self.failures = []
        self.rows = []

    def look_for_gpu(self):
        """Starts an observer without cases to look for a GPU."""
        cases, records, log = (os.path.join(self.folder, "device", name)
                               for name in ("none.cases", "records.jsonl", "output.txt"))
        write(cases, "")
        code = run_program([self.program, "--observe", cases, "--part", "check", "--records", records], log)
        why = f"see {log}"
        if os.path.exists(records):
            with open(records, encoding="utf-8") as file:
                events = [json.loads(line) for line in file if line.endswith("\n")]
            why = next((event["why"] for event in events if event["event"] in ("unavailable", "broken")), why)
        if code == 77:
            raise Unavailable(f"{why}: nothing is proven")
        if code != 0:
            raise Failure(f"{self.program}: its observer ended with exit code {code} ({why}): see kernelgate doctor")

    def record(self):
        """Records a baseline of the unchanged kernels, and two as if the machine, or only the kernels, had been 5 %
        faster. The latter two have no
        fingerprints, since the gate attributes moves of unchanged code to the machine."""
        command = [own_command(), "baseline", "record", "--json", "--sessions", "5", "--replace", "--baselines",
                   os.path.join(self.folder, "baselines"), "--commit", "selftest", "--", self.program]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env={**os.environ, "KG_STUDY_EXTRA": "0"})
        if done.returncode != 0:
            raise Failure("selftest: there is no baseline to judge by: see above")
        path = json.loads(done.stdout)["file"]
        self.baseline = read_json(path, REMEDY)
        drifted = json.loads(json.dumps(self.baseline))
        for case in drifted["cases"].values():
            case.pop("code", None)
        for folder, entries in (("drifted-kernels", drifted["cases"]), ("drifted", drifted["sentinels"])):
            for entry in entries.values():
                for metric in METRICS:
                    if metric in entry:
                        entry[metric]["value"] /= 1 + DRIFT
            write(os.path.join(self.folder, folder, os.path.basename(path)), json.dumps(drifted))

    def gate(self, trial):
        """Runs the gate's own test of the kernels, as CTest would: its exit code, and its entry of each case by id."""
        comparison = comparison_of_case(next(iter(self.baseline["cases"])))
        folder = os.path.join(self.folder, trial.run)
        environment = {**os.environ, "KG_STUDY_EXTRA": str(trial.extra), "KG_OUT": folder,
                       "KG_BASELINES": os.path.join(self.folder, trial.baselines)}
        os.makedirs(os.path.join(folder, "records"))
        log = os.path.join(folder, "output.txt")
        code = run_program([self.program, f"--filter={comparison}/time"], log, environment)
        try:
            verdicts = read_json(os.path.join(folder, "records", f"gpu.{comparison}.time.verdicts.json"), REMEDY)
            entries = {text_of(entry, "case"): entry for entry in list_of(verdicts, "cases")}
            if not member(verdicts, "complete"):
                raise Failure("it did not come to its end")
            for error in list_of(verdicts, "errors"):
                raise Failure(error)
            if member(verdicts, "skipped"):
                raise Failure(f"it judged nothing: {text_of(verdicts, 'skipped')}")
            for case in self.baseline["cases"]:
                if case not in entries:
                    raise Failure(f"it has no verdict of {case}")
            if code not in (0, 1):
                raise Failure("neither 0 nor 1")
        except Failure as failure:
            raise Failure(f"selftest: {trial.name}: the test ended with exit code {code}: {failure}: see {log}") from None
        return code, [entries[case] for case in self.baseline["cases"]]

    def refute(self, trial, what, why):
        """Reports a wrong result."""
        self.failures.append({"run": trial.run, "what": what, "expected": trial.expected, **({"why": why} if why else {})})
        complain(f"selftest: {trial.name}: {what}; expected {trial.expected}{': ' if why else ''}{why}")

    def judge(self, trial):
        """Compares a run's verdicts and its exit code with the expected ones."""
        code, entries = self.gate(trial)
        agreed = 0
        for entry in entries:
            self.add_row(trial, entry)
            verdict, observers = text_of(entry, "verdict"), member(entry, "observers") or 0
            # A slowdown counts only with every confirmation.
            if verdict == trial.expected and (verdict != "slower" or observers == OBSERVERS):
                agreed += 1
            elif trial.judged:
                self.refute(trial, f"{entry['case']} is {verdict}, by {observers} observers", text_of(entry, "why"))
        if trial.judged and agreed == len(entries) and code != (trial.expected == "slower"):
            self.refute(trial, f"the test ended with exit code {code}", "its verdicts are right")
        self.runs.append({
            "run": trial.run, "made_slower": trial.name, "extra": trial.extra, "baselines": trial.baselines,
            "expected": trial.expected, "judged": trial.judged, "exit_code": code, "agreed": agreed,
            "cases": [case_of(entry) for entry in entries]})

    def add_row(self, trial, entry):
        cells = [f"{entry['case']:<20}", f"{trial.name:<12}"]
        for metric in METRICS:
            figures = member(member(entry, "metrics"), metric)
            cells += [f"{percent(figures, 'change', '+'):>9}", f"{percent(figures, 'limit'):>6}"]
        cells += [f"{text_of(entry, 'verdict'):<11}", f"{trial.expected if trial.judged else '':<11}"]
        self.rows.append(f"| {' | '.join(cells)} |\n")

    def report(self):
        """Prints the table, and how many cases of each run have the expected verdict."""
        key = self.baseline["target"]["key"]
        agreed = "".join(
            f"- {run['made_slower']}: {run['agreed']} of {len(run['cases'])} {run['expected']}"
            f"{'' if run['judged'] else ' (reported, whatever it is)'}\n" for run in self.runs)
        end = "PASS: the gate gave every expected verdict"
        if self.failures:
            end = f"FAIL: the gate did otherwise than it must {len(self.failures)} times"
        return (f"# The gate on kernels of known duration\n\nOn {key}, against a baseline of five sessions.\n\n"
                f"| {'case':<20} | made slower  | {'hot':>9} | {'limit':>6} | {'cold':>9} | {'limit':>6} | "
                "verdict     | expected    |\n"
                f"| {'-' * 20} | ------------ | --------: | -----: | --------: | -----: | ----------- | ----------- |\n"
                f"{''.join(self.rows)}\n{agreed}\nselftest: {end}\n")

    def document(self, code, table):
        return {"schema": "kernelgate-selftest/1", "program": self.program, "target": self.baseline["target"]["key"],
                "runs": self.runs, "failures": self.failures, "exit_code": code, **({"table": table} if table else {})}


def percent(figures, name, sign=""):
    """With two decimals, because these kernels' times are known that well."""
    value = number_of(figures, name)
    return f"{value * 100:{sign}.2f} %" if not math.isnan(value) else "-"


def case_of(entry):
    """A case of a run, in the form of --json."""
    metrics = {}
    for name in METRICS:
        figures = member(member(entry, "metrics"), name)
        if figures is not None:
            metrics[name] = {key: figures[key] for key in ("change", "limit") if not math.isnan(number_of(figures, key))}
    observers = member(entry, "observers")
    return {"case": entry["case"], "verdict": text_of(entry, "verdict"), "metrics": metrics,
            **({} if observers is None else {"observers": observers})}


def set_surroundings():
    """Sets all variables that control a run: a filter, strictness or base build from the environment would prove
    another gate."""
    for name in ("KG_FILTER", "KG_STRICT", "KG_BASE", "KG_PAIRED", "KG_WRAPPER"):
        os.environ.pop(name, None)
    os.environ.setdefault("KG_CASE_SECONDS", "0.2")  # short, because these kernels repeat well


def prove(proof, as_json):
    """Runs every trial, stores and prints the results. Returns the exit code."""
    narration = sys.stderr if as_json else sys.stdout
    proof.look_for_gpu()
    proof.record()
    table, code = os.path.join(proof.folder, "selftest.md"), 0
    try:
        for trial in TRIALS:
            print(f"judging {trial.name}", file=narration, flush=True)
            proof.judge(trial)
        write(table, proof.report())
        print(f"\n{proof.report()}", end="", file=narration, flush=True)
        code = 1 if proof.failures else 0
    except Failure as failure:
        complain(str(failure))
        table, code = None, 2
    if as_json:
        print_output("selftest", json_text(proof.document(code, table)))
    return code


def add_arguments(parser):
    parser.add_argument("program", metavar="PROGRAM")
    add_json(parser)
    parser.epilog = """\
Records a baseline of the program's kernels, then lets the gate's own test judge them
unchanged, with 1, 2, 3 and 5 % more work, and against baselines as of a machine, or of
kernels, 5 % faster. The build's selftest/selftest.gpu is such a program:
KG_STUDY_EXTRA, a fraction, makes its kernels slower. Writes selftest.md, the table, and
the runs' results to selftest/ of KG_OUT (else of out).
exit: 0 unchanged kernels pass, 3 and 5 % are slower, a drift is environment; 1 one of
these is not so; 2 the gate could not be run; 77 there is no GPU
"""


def main(options):
    program = options.program
    if not program.endswith(".gpu"):
        raise Failure(f"selftest: {program}: is not a program for a GPU: those end in .gpu")
    out = results_folder(None)
    folder = os.path.join(out, "selftest")
    set_surroundings()
    make_folder(out)
    with run_lock.held(out, "kernelgate selftest"):  # two self-tests would judge by each other's baselines
        if os.path.lexists(folder):  # no earlier self-test's file may pass for this one's
            shutil.rmtree(folder)
        return prove(Proof(program if "/" in program else f"./{program}", folder), options.json)
