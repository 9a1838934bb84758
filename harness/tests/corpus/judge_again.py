#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the runs of the corpus again and compares what comes out, field by field, with expected.json.

usage: judge_again.py --programs DIR --command KERNELGATE [--write] [RUN ...]

A run goes in and comes out by files alone: the records of its observers, which replay.c plays to the program's own tests,
its baseline, and results.json. --write rewrites what expected.json has of the runs (README.md says when).

exit: 0 all as expected, 1 a difference, 2 an error
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected.json")
LIMIT = 120  # seconds for one program

# The causes, by what today's results say of each. Where results have such a field of their own, it is taken as it is: whoever
# adds it gives it these names, or expected.json new ones.
CAUSES = [
    ("throttled", r"the GPU throttled"),
    ("other_processes", r"other process(es)? computed on the GPU"),
    ("sentinel_copy", r"the copy sentinel moved"),
    ("sentinel_fma", r"the fma sentinel moved"),
    ("sentinel_bus", r"the bus sentinel moved"),
    ("same_code", r"its launch and machine code are unchanged"),
    ("against_base", r"(slower|faster) than \w+ by|as fast as"),
    ("hung", r"\bhung\b"),
    ("crashed", r"crashed"),
    ("stuck", r"deadlock"),
    ("trapped", r"the kernel called __trap\(\)"),
    ("divided_by_zero", r"an integer is divided by zero"),
    ("illegal_address", r"cudaErrorIllegalAddress"),
    ("not_measured", r"is in the baseline and was not measured"),
    ("unusable_value", r"^(\w+ )?the value |recorded no figure"),
    ("guard_zone", r"guard zone"),
    ("wrong_elements", r"elements wrong"),
    ("not_gated", r"not gated"),
    ("noisy", r"too noisy|too few samples"),
    ("no_baseline", r"no baseline"),
]


def causes_in(text):
    return [name for name, pattern in CAUSES if re.search(pattern, text)][:1]


def findings_of(case):
    """What the model found: kind, file, line."""
    return [{key: found.get(key) for key in ("kind", "file", "line")} for found in case.get("findings", [])]


def lines_of(case):
    """The lines of source that a reason names: where a counter moved, or where a launch failed."""
    return re.findall(r"[\w./-]+\.(?:cu|cpp):\d+", case.get("why", ""))


def number(value):
    return float(f"{value:.9g}") if isinstance(value, float) else value


def figures_of(metric):
    keys = ("value", "baseline", "limit", "gated", "verdict")
    fields = {key: number(metric[key]) for key in keys if key in metric}
    cause = metric.get("cause") or causes_in(metric.get("why", ""))
    if cause:
        fields["cause"] = cause if isinstance(cause, str) else cause[0]
    return fields


def fields_of_case(case):
    fields = {"verdict": case["verdict"]}
    cause = case.get("cause") or causes_in(case.get("why", ""))
    if case["verdict"] != "pass" and cause:
        fields["cause"] = cause if isinstance(cause, str) else cause[0]
    if "observers" in case:
        fields["observers"] = case["observers"]
    if case["metrics"]:
        # Counters of 0 without a baseline say nothing.
        fields["metrics"] = {name: figures_of(metric) for name, metric in sorted(case["metrics"].items())
                             if metric.get("value") != 0 or metric.get("baseline")}
    elif findings_of(case):
        fields["findings"] = findings_of(case)
    if case["verdict"] != "pass" and "findings" not in fields and lines_of(case):
        fields["lines"] = lines_of(case)
    return fields


def fields_of(results):
    fields = {"exit_code": results.get("exit_code"), "errors": len(results["errors"])}
    fields["cases"] = {case["case"]: fields_of_case(case) for case in results["cases"]}
    for test in results["tests"]:
        if test.get("skipped_by"):
            fields.setdefault("skipped", {})[test["name"]] = test["skipped_by"]
    if results["vanished"]:
        fields["vanished"] = sorted(entry["case"] for entry in results["vanished"])
    return fields


class Runner:
    def __init__(self, options, run, folder):
        self.options = options
        self.last = "nothing"
        self.folder = folder
        self.source = os.path.join(HERE, "runs", run)
        own = os.path.join(self.source, "baselines")
        self.baselines = os.path.join(folder, "baselines")
        shutil.copytree(own if os.path.isdir(own) else os.path.join(HERE, "baselines"), self.baselines)
        with open(os.path.join(self.source, "run.json"), encoding="utf-8") as file:
            self.plan = json.load(file)
        records = os.path.join(folder, "records")
        os.mkdir(records)
        for name in os.listdir(self.source):
            if name.endswith(".jsonl"):
                shutil.copy(os.path.join(self.source, name), records)
        for name, other in self.plan.get("borrowed", {}).items():
            shutil.copy(os.path.join(HERE, "runs", f"{other}.jsonl"), os.path.join(records, f"{name}.jsonl"))
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("KG_")}
        self.environment.update(KG_OUT=os.path.join(folder, "out"), KG_BASELINES=self.baselines, KG_LOCK_DIR=folder,
                                CORPUS_RECORDS=records, LC_ALL="C")
        self.environment.update(self.plan.get("environment", {}))

    def call(self, *command):
        """The exit code of a program, and what it printed."""
        done = subprocess.run(command, cwd=self.folder, env=self.environment, timeout=LIMIT, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        self.last = " ".join(command) + "\n" + done.stdout + done.stderr
        return done.returncode, done.stdout

    def kernelgate(self, *arguments):
        return self.call(self.options.command, *arguments)

    def judge(self):
        """Has the program's tests judge the records, and what is left of suspects settled."""
        program = os.path.join(self.options.programs, self.plan["program"])
        listed = os.path.join(self.folder, "programs")
        codes = {}
        with open(listed, "w", encoding="utf-8") as file:
            file.write(program + "\n")
        if self.plan.get("settle"):
            base = os.path.join(self.folder, "base")
            os.mkdir(base)
            os.symlink(program, os.path.join(base, self.plan["program"]))
            self.environment.update(KG_BASE=base, KG_BASE_REF="main")
        codes["program"], _ = self.call(program)
        if self.plan.get("settle"):
            codes["settle"], _ = self.kernelgate("settle", "--base", base, "--head", self.options.programs)
        codes["results"], _ = self.kernelgate("results", "--programs", listed)
        with open(os.path.join(self.folder, "out", "results.json"), encoding="utf-8") as file:
            return {"exits": codes, **fields_of(json.load(file))}

    def weigh(self):
        """Compares two stored results, and adopts both into the baseline."""
        baseline = os.path.join(self.baselines, "nvidia-h200.json")
        files = [os.path.join(self.source, name) for name in self.plan["results"]]
        compared, text = self.kernelgate("compare", *files, "--json")
        document = json.loads(text)
        adopted, _ = self.kernelgate("baseline", "adopt", "--any-commit", "--baselines", self.baselines, *files)
        linted, _ = self.kernelgate("baseline", "lint", baseline)
        with open(baseline, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        ratios = {}
        for metric in document["metrics"]:
            fields = figures_of({**metric, "value": metric["ratio"]["value"]})
            ratios.setdefault(metric["case"], {})[metric["metric"]] = fields
        return {
            "exits": {"compare": compared, "adopt": adopted, "lint": linted},
            "ratios": ratios,
            "only_in_a": sorted(entry["case"] for entry in document["only_in_a"]),
            "only_in_b": sorted(entry["case"] for entry in document["only_in_b"]),
            "adopted": {case: {name: {"value": metric["value"], "band": metric["band"],
                                      "gated": metric.get("gated", True), "sessions": metrics["sessions"]}
                               for name, metric in sorted(metrics.items()) if name.endswith("_ns")}
                        for case, metrics in cases.items()},
        }

    def run(self):
        return self.weigh() if "results" in self.plan else self.judge()


def shown(value):
    return "nothing" if value is None else json.dumps(value)


def differences(expected, got, path):
    """Lines that say where the two differ, and how."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            yield from differences(expected.get(key), got.get(key), path + [key])
    elif expected != got:
        yield f"{': '.join(path)}: expected {shown(expected)}, got {shown(got)}"


def laid_out(value, depth, indent=""):
    """JSON with one line per case."""
    if depth == 0 or not isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    inner = indent + " "
    members = [f"{inner}{json.dumps(key)}: {laid_out(value[key], depth - 1, inner)}" for key in sorted(value)]
    return "{\n" + ",\n".join(members) + f"\n{indent}}}" if members else "{}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("runs", nargs="*")
    options = parser.parse_args()
    runs = options.runs or sorted(os.listdir(os.path.join(HERE, "runs")))
    expected = {}
    if os.path.exists(EXPECTED):
        with open(EXPECTED, encoding="utf-8") as file:
            expected = json.load(file)
    lost = [] if options.runs else sorted(expected.keys() - set(runs))
    for run in lost:
        print(f"{run}: expected, and runs/ has no such folder")
    failures = len(lost)
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(options, run, folder)
            try:
                got = runner.run()
            except (OSError, ValueError, subprocess.TimeoutExpired) as error:
                print(f"{run}: cannot be judged: {error}; the last program said:\n{runner.last}", file=sys.stderr)
                return 2
        if options.write:
            expected[run] = got
            continue
        found = list(differences(expected.get(run), got, [run]))
        failures += len(found)
        print(*found, sep="\n", end="\n" if found else "")
    if options.write:
        with open(EXPECTED, "w", encoding="utf-8") as file:
            file.write(laid_out({run: expected[run] for run in expected if run not in lost}, 3) + "\n")
        return 0
    print(f"{len(runs)} runs judged again, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
