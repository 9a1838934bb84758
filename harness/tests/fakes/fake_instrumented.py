#!/usr/bin/env -S python3 -SEB
# SPDX-License-Identifier: MIT
"""What is next to fake.model as its program with instrumented kernels: an observer that finds and counts what it is told to, so
that the parent's side can be driven from end to end.

FAKE_COUNT_LOG: a file that gets one line per process; the number of lines is the process's number.
FAKE_COUNT_PLAN: a file of lines "PROCESS PATTERN ACTION...", of which every one that fits a process (a number, or *) and a case's
id (a glob) is followed, in order:
  COUNTER N          the counter's value; "-" for N leaves it out of the record
  line KEY COUNTER N the counter's value at that line of source
  sampled            the launch was, so that unique bytes are absent and few blocks checked
  finding, wrong     the case's record is that
  nowhere, damaged   a finding whose file is not known, or that is none
  failed, forget, crash, hang
FAKE_COMPILER, FAKE_FLAGS: what it was compiled with.
FAKE_BLIND: its kernels are not instrumented after all.
"""

import fnmatch
import importlib
import json
import os
import signal
import sys

FILE = "kernels/fake/plain.cu"
LINES = {f"{FILE}:14": {"global_load_requests": 200, "global_load_sectors": 400}, f"{FILE}:15": {"barriers": 8},
         f"{FILE}:16": {"global_store_requests": 100, "global_store_sectors": 400}}
UNIQUE = {"unique_bytes_read": 256, "unique_bytes_written": 256}
EVENTS = ("finding", "wrong", "nowhere", "damaged", "failed", "forget", "crash", "hang")
FINDING = {"kind": "out_of_bounds", "bytes": 4, "space": "global", "symbol": "from", "size": 256, "count": 3, "access": "read",
           "offset": 256}
FOUND = "error: invalid global read of 4 bytes, 0 bytes past the end of from (256 bytes), 3 times"


def counters():
    tools = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 3, "tools")
    sys.path.insert(0, tools)
    return importlib.import_module("kernelgate.base.results").COUNTERS


def usual_metrics():
    """What every case counts without a plan."""
    values = {**dict.fromkeys(counters(), 0), **UNIQUE}
    for line in LINES.values():
        values.update(line)
    return {name: {"value": value} for name, value in values.items()}


def setting(name):
    """The lines of the file that the environment names; none where there is no such file."""
    try:
        with open(os.environ.get(name, ""), encoding="utf-8") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def process_number():
    if "FAKE_COUNT_LOG" not in os.environ:
        return 1
    with open(os.environ["FAKE_COUNT_LOG"], "a", encoding="utf-8") as log:
        log.write("started\n")
    return len(setting("FAKE_COUNT_LOG"))


def fate_of(plan, number, case, record):
    """What is to happen to a case: an event, or None; and its record, as it is planned."""
    event = None
    for line in filter(str.strip, plan):
        process, pattern, *words = line.split()
        if process not in ("*", str(number)) or not fnmatch.fnmatchcase(case, pattern):
            continue
        rest = iter(words)
        for word in rest:
            if word in EVENTS:
                event = word
            elif word == "sampled":
                record["sampled"] = {"blocks": 120, "of": 16384}
                record["absent"] = dict.fromkeys(UNIQUE, "the launch was sampled")
                for name in UNIQUE:
                    record["metrics"].pop(name, None)
            elif word == "line":
                key, counter, value = next(rest), next(rest), int(next(rest))
                at = record["lines"].setdefault(key, {})
                at[counter] = value
                record["lines"][key] = {name: count for name, count in at.items() if count != 0}
                if not record["lines"][key]:
                    del record["lines"][key]
            else:
                value = next(rest)
                record["metrics"].pop(word, None)
                if value != "-":
                    record["metrics"][word] = {"value": int(value)}
    return event


def finding_of(event):
    found = dict(FINDING) if event == "nowhere" else {**FINDING, "file": "kernels/fake/other.cu", "line": 14}
    if event == "damaged":
        found["kind"] = "nonsense"
    return {"right": False, "why": FOUND if event == "nowhere" else f"kernels/fake/other.cu:14: {FOUND}", "findings": [found]}


def main(cases, part, path):
    number, plan = process_number(), setting("FAKE_COUNT_PLAN")
    records = os.open(path, os.O_WRONLY | os.O_APPEND)

    def report(event, **members):
        os.write(records, json.dumps({"event": event, **members}).encode() + b"\n")

    compiler = os.environ.get("FAKE_COMPILER", "gcc 12.2.0")
    flags = {"flags": os.environ["FAKE_FLAGS"]} if "FAKE_FLAGS" in os.environ else {}
    report("target", target={"key": "cpu-model", "name": "CPU model", "compiler": compiler},
           provenance={"compiler": compiler, "model": "4", **flags}, watches="FAKE_BLIND" not in os.environ)
    with open(cases, encoding="utf-8") as file:
        ids = file.read().splitlines()
    for case in ids:
        if case.startswith("fake/") and "/7/" in case:
            report("refused", case=case, why="7 is an unlucky size")
            continue
        record = {"metrics": usual_metrics() if part == "count" else {}, "lines": {key: dict(line) for key, line in LINES.items()}}
        event = fate_of(plan, number, case, record)
        report("start", case=case)
        if event == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        while event == "hang":
            signal.pause()
        if event == "failed":
            report("failed", case=case, why="running the kernel: cudaErrorLaunchFailure")
        elif event == "wrong":
            report("checked", case=case, right=False, why="to[17]: expected 1, got 2; inputs random")
        elif event in ("finding", "nowhere", "damaged"):
            report("checked", case=case, **finding_of(event))
        elif event is None and part == "count":
            report("measured", case=case, **record)
        elif event is None:
            report("checked", case=case, right=True, why="memory checks on 120 of 16384 blocks" if "sampled" in record else "")
    report("done")


if sys.argv[1:7:2] != ["--observe", "--part", "--records"] or len(sys.argv) != 7 or "BXFI_MAP" in os.environ:
    sys.exit(8)
main(*sys.argv[2:7:2])
