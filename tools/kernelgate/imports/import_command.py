# SPDX-License-Identifier: MIT
"""kernelgate import: converts and judges the measurements of another benchmark tool."""

import json
import re

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import read_json
from kernelgate.base.judging import records_of
from kernelgate.imports import bmf, google_benchmark, nvbench, pytest_benchmark
from kernelgate.run.judge import add_judging, judge_records

TOOLS = {tool.NAME: tool for tool in (nvbench, google_benchmark, pytest_benchmark, bmf)}
KEY_LENGTH = 95  # of a target's longest key


def check_target(key):
    if key is None:
        return
    if not re.fullmatch("[a-z0-9-]+", key) or len(key) > KEY_LENGTH:
        raise Failure(f"import: --target {key}: is not a target's key: use a-z, 0-9 and -, as in nvidia-h200")
    if key == "cpu-model":
        raise Failure(f"import: --target {key}: holds exact counters, and no times: name another")


def read_documents(tool, paths):
    """Each path with its document; refuses two equal ones, and documents of another tool."""
    texts = {}
    for path in paths:
        document = read_json(path, "give a file that the tool wrote")
        text = json.dumps(document, sort_keys=True)
        if text in texts:
            raise Failure(f"{path}: is equal to {texts[text]}: give files of several processes")
        texts[text] = path
        other = next((other for other in TOOLS.values() if other.looks_like(document)), tool)
        if not tool.looks_like(document) and other is not tool:
            raise Failure(f"{path}: looks like a document of {other.NAME}: --from {other.NAME}")
        yield path, document


def name_target(tool, path, gpu, asked):
    """The requested key, or else the GPU's with the tool's name: two tools' measurements of a kernel are not
    comparable."""
    if asked is None and not gpu:
        raise Failure(f"{path}: names no GPU: give --target KEY, the name of its baseline without .json")
    if asked is not None and asked == gpu:
        raise Failure(f"{path}: --target {asked}: is what this project's own programs call this GPU: name another, as "
                      f"{gpu}-{tool.NAME}")
    return asked or f"{gpu[:KEY_LENGTH - 1 - len(tool.NAME)]}-{tool.NAME}"


def is_same_benchmark(a, b):
    """Whether two names are of one benchmark. nvbench's contain the number of the board, which may differ between
    processes."""
    a, b = (re.sub("Device=[0-9]*", "Device=", name) for name in (a, b))
    return a == b


class Measured:
    """The input of kernelgate-judge: the cases of all files, by target. KG_FILTER may leave a case out, so an error
    in one case is passed to the judge, as "conflict"."""

    def __init__(self, tool, paths, asked):
        self._tool = tool
        self._asked = asked
        self._origin = {"files": paths, **({"target": asked} if asked is not None else {})}
        self.targets = {}

    def add_file(self, path, devices):
        devices = [device for device in devices if device.records]
        if not devices:
            raise Failure(f"{path}: holds no benchmark: see what the benchmark's filter leaves")
        if len(devices) > 1 and self._asked is not None:
            raise Failure(f"{path}: is of {len(devices)} devices, and --target names one: measure on one of them")
        seen = set()
        for device in devices:
            key = name_target(self._tool, path, device.target.get("key", ""), self._asked)
            target = self.targets.setdefault(
                key, {"target": {**device.target, "key": key}, "provenance": device.provenance, "cases": {}})
            for case, record in device.records.items():
                self._add(path, key, target["cases"], case, device.names[case], record, seen)

    def _add(self, path, key, cases, case, name, record, seen):
        entry = cases.setdefault(case, {"imported": {"from": self._tool.NAME, "name": name, **self._origin}, "records": []})
        first = entry["imported"]["name"]
        entry["records"].append(record)
        if (key, case) in seen:
            entry.setdefault("conflict", f"{path}: two devices of target {key} ran {case}: measure on one of them (--device)")
        elif not is_same_benchmark(first, name):
            entry.setdefault("conflict", f"{path}: {name} would be case {case}, as {first} of an earlier file is: name them so "
                                         "that a value tells them apart")
        seen.add((key, case))


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--from", dest="tool", required=True, choices=TOOLS, metavar="TOOL",
                        help="the tool that measured: nvbench, google-benchmark, pytest-benchmark or bmf (Bencher Metric Format)")
    parser.add_argument("--target", metavar="KEY", help="the target (default: the files' GPU with the tool, nvidia-h200-nvbench)")
    add_judging(parser)
    parser.epilog = """\
FILE is JSON, of `nvbench --json` or `--jsonbin`, of google-benchmark's
`--benchmark_out`, of `pytest --benchmark-json`, or in Bencher Metric Format. Its
benchmarks become cases, comparison/variant/size/launch, which are judged like a run of this project's own programs; results.json, junit.xml and
summary.md are written to the folder of the results, which is cleared first. Of several
files, one per process, each case's median decides. The results of five imports, each
adopted by `kernelgate baseline adopt`, make a baseline. KG_FILTER narrows what is
imported.

exit: 0 judged, and nothing worse; 1 slower (with --strict also noisy, no-baseline,
vanished); 2 an error, and nothing was judged where a file is bad; 77 no case has a
baseline
"""


def main(options):
    tool, paths = TOOLS[options.tool], options.files
    check_target(options.target)
    measured = Measured(tool, [path.encode("utf-8", "replace").decode() for path in paths], options.target)
    for path, document in read_documents(tool, paths):
        measured.add_file(path, tool.convert(path, document))
    return judge_records(options, records_of("measured", targets=measured.targets))
