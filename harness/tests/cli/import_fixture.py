# SPDX-License-Identifier: MIT
"""Documents of nvbench and google-benchmark, and a folder to import them in."""

import copy
import json
import struct
from unittest import mock

import command_fixture

from kernelgate import commands
from kernelgate.base import command_line
from kernelgate.imports import import_command as importer

COPY = "copy/strided/1048576/b256"
SCAN = "scan/i32/65536/-"
FAKE = "nvidia-fake-nvbench"


def summary(tag, hint, value):
    """A summary of nvbench, whose numbers are texts."""
    return {"tag": tag, "hint": hint, "data": [{"name": "value", "type": "float64", "value": repr(value)}]}


def state(name, axes, cold, batch, device=0):
    """A state that took `cold` and `batch` seconds."""
    return {"name": name, "device": device, "is_skipped": False,
            "axis_values": [{"name": axis, "type": "int64", "value": value} for axis, value in axes.items()],
            "summaries": [summary("nv/cold/sample_size", "sample_size", 400), summary("nv/cold/time/gpu/mean", "duration", cold),
                          summary("nv/cold/time/gpu/stdev/relative", "percentage", 0.01),
                          summary("nv/batch/sample_size", "sample_size", 5000),
                          summary("nv/batch/time/gpu/mean", "duration", batch)]}


def nvbench(factor=1.0):
    """Two benchmarks on a GPU, each time `factor` of what it is."""
    return {"meta": {"version": {"json": {"major": 1, "string": "1.0.0"}, "nvbench": {"string": "0.1.0"}}},
            "devices": [{"id": 0, "name": "NVIDIA Fake", "sm_version": 900, "number_of_sms": 132,
                         "global_memory_size": 81920 << 20}],
            "benchmarks": [
                {"name": "copy/strided",
                 "states": [state("Size=2^20 BlockSize=256", {"Size": "1048576", "BlockSize": "256"}, 30e-6 * factor, 20e-6 * factor)]},
                {"name": "scan",
                 "states": [state("T=I32 Elements=2^16", {"T": "I32", "Elements": "65536"}, 60e-6 * factor, 50e-6 * factor)]}]}


def run_of(name, time, unit, **more):
    """A run of google-benchmark."""
    return {"name": name, "run_name": name, "run_type": "iteration", "threads": 1, "real_time": time, "cpu_time": time,
            "time_unit": unit, **more}


def google(factor=1.0):
    """A benchmark that was repeated six times, and one that was not."""
    runs = [run_of("BM_copy<float>/1024/block:64/repeats:6/manual_time", 5.0 * factor * spread, "us")
            for spread in (1.001, 0.999, 1.0, 1.002, 0.998, 1.0)]
    return {"context": {"date": "2026-11-21T08:48:53+00:00", "json_schema_version": 1},
            "benchmarks": [*runs, run_of("BM_scan/up/31x33", 0.25 * factor, "ms")]}


def state_of(document, benchmark):
    return document["benchmarks"][benchmark]["states"][0]


def with_samples(file, count):
    """A document that names a file of `count` samples."""
    document = nvbench()
    data = [{"name": "filename", "type": "string", "value": file}, {"name": "size", "type": "int64", "value": count}]
    state_of(document, 0)["summaries"].append({"tag": "nv/json/bin:nv/cold/sample_times", "hint": "file/sample_times", "data": data})
    return document


def changed(document, path, value=None):
    """The document with another value at `path`, or without it."""
    document = copy.deepcopy(document)
    *inner, last = path
    parent = document
    for key in inner:
        parent = parent[key]
    if value is None:
        del parent[last]
    else:
        parent[last] = value
    return document


class Folder(command_fixture.Folder):
    def setUp(self):
        super().setUp()
        self.environment.update(KG_OUT="out", KG_BASELINES="baselines")

    def write_samples(self, name, *samples):
        self.write(name, struct.pack(f"<{len(samples)}f", *samples))

    def converted(self, tool, *documents, target=None):
        """What the judge is handed of documents, by target."""
        paths = [self.write(f"{index}.json", document) for index, document in enumerate(documents)]
        with mock.patch.object(importer, "judge_records") as judge:
            commands.main(["import", f"--from={tool}", *([f"--target={target}"] if target else []), *paths])
        return json.loads(judge.call_args.args[1])["targets"]

    def refuses(self, fragment, tool, *documents, target=None):
        with self.assertRaises(command_line.Failure) as caught:
            self.converted(tool, *documents, target=target)
        self.assertIn(fragment, str(caught.exception))

    def metrics(self, tool, document, case, target=None):
        (measured,) = self.converted(tool, document, target=target).values()
        (record,) = measured["cases"][case]["records"]
        return record["metrics"]

    def figures(self, expected, *document):
        time = self.metrics("nvbench", *document, COPY)["cold_time_ns"]
        for name, value in zip(("value", "low", "high"), expected):
            self.assertAlmostEqual(time[name], value, delta=0.05)
