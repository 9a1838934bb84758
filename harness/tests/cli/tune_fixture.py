# SPDX-License-Identifier: MIT
"""Programs that follow scripts, and the records that they append, for the tests of `kernelgate tune`."""

import os
import sys

from own_folder import write_file

# A comparison's program that follows a script, PROGRAM.json: "exit", or what --candidates prints, and the records that
# observers append: those of cases that were asked for, and those of none. A record's "part" restricts it to that part,
# "pause" is a time before it, "end" is "crash", "hang" or "torn": how the process ends there. Part check finds every case
# right that no record is of. Each observer adds a line to PROGRAM.log.
PROGRAM = f"#!{sys.executable} -SEB\n" + '''
import json, os, signal, sys, time
script = json.load(open(sys.argv[0] + ".json"))
candidates = script.get("candidates", {})
if sys.argv[1] == "--candidates":
    print(json.dumps(candidates))
    sys.exit(script.get("exit", 0))
if sys.argv[1] == "--cases":
    print("\\n".join(candidates["cases"]))
    sys.exit()
cases = open(sys.argv[2]).read().split()
part = sys.argv[4]
with open(sys.argv[0] + ".pid", "w") as file:
    print(os.getpid(), file=file)
with open(sys.argv[0] + ".log", "a") as log:
    inherited = "arena" if "BXFI_MAP" in os.environ else "-"
    parent = os.environ["KG__PARENT"] == str(os.getppid())
    print(part, len(cases), inherited, parent, file=log)
def append(record):
    with open(sys.argv[6], "ab", buffering=0) as file:
        file.write(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\\n")
def tell(*_):
    append({"event": "hung", "where": "at a.cu:14"})
    sys.exit(1)
signal.signal(signal.SIGTERM, tell)
if script.get("unavailable"):
    append({"event": "unavailable", "why": "the GPU is gone"})
    sys.exit(77)
append({"event": "target", "target": candidates["target"], "provenance": {"driver": "1.2.3"}})
for record in script.get("records", []):
    if record.get("case", cases[0]) not in cases or record.pop("part", part) != part:
        continue
    time.sleep(record.pop("pause", 0))
    end = record.pop("end", None)
    if end:
        append({"event": "start", "case": record["case"]})
    if end == "crash":
        os._exit(9)
    if end == "torn":
        append(b"nonsense\\n" + b'{"event": "measured"')
        os.kill(os.getpid(), signal.SIGKILL)
    if end == "hang":
        time.sleep(60)
    append(record)
if part == "check":
    for case in cases:
        append({"event": "checked", "case": case, "right": True})
append({"event": "done"})
'''

TARGET = {"key": "nvidia-fake", "name": "NVIDIA Fake", "multiprocessors": 132}


def measured(case, value, occupancy=0.5, **more):
    return {"event": "measured", "case": case, "kernel": {"registers": 16, "occupancy": occupancy},
            "metrics": {"time_ns": {"value": value, "low": value - 1, "high": value + 1, "samples": 20, "clock": "graph"}},
            "work": {"operations": 1000, "bytes": 8000}, **more}


def finalist(case, samples):
    return measured(case, 100, final={"value": samples[0], "low": samples[0], "high": samples[0], "samples_ns": samples})


def counted(case, value):
    return {"event": "measured", "case": case, "part": "count", "metrics": {"global_load_sectors": {"value": value}}}


def script_of(cases, records=(), target=None, **more):
    return {"candidates": {"target": target or TARGET, "cases": list(cases), **more}, "records": list(records)}


def make_program(path, script):
    """A program, and its script."""
    write_file(f"{path}.json", script)
    os.chmod(write_file(path, PROGRAM), 0o755)
