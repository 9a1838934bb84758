# SPDX-License-Identifier: MIT
"""Reads google-benchmark's output with --benchmark_format=json, or --benchmark_out."""

import math
import re

from kernelgate.base.samples import figures, sampled
from kernelgate.imports.cases import CaseName, Device, measured, unmeasured
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import LARGEST_FIGURE, integer_of, is_integer, list_of, member, number_of, text_of

NAME = "google-benchmark"
SCHEMA_VERSION = 1  # the supported version; earlier documents have none
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# Parts that the library adds to a benchmark's name about the run's settings, not about its work.
SETTING = re.compile(r"(iterations:|repeats:|min_time:|min_warmup_time:).*|process_time|real_time|manual_time", re.DOTALL)


def looks_like(document):
    """Whether a document has the members of this tool's."""
    return isinstance(member(document, "context"), dict) and isinstance(member(document, "benchmarks"), list)


def _name(run):
    """A benchmark's name, without that of an aggregate."""
    return text_of(run, "run_name") or text_of(run, "name")


def _time(where, run):
    """A run's real time in ns."""
    unit = text_of(run, "time_unit")
    value = number_of(run, "real_time")
    if unit not in NANOSECONDS:
        raise Failure(f'{where}: its time_unit is "{unit}", not ns, us, ms or s: run it with one of these')
    time = value * NANOSECONDS[unit]
    if 0 < time <= LARGEST_FIGURE:
        return time
    if math.isnan(value):
        raise Failure(f"{where}: has no real_time: run the benchmark again")
    if value > 0:
        raise Failure(f"{where}: its real_time of {value:g} {unit} is months: run the benchmark again")
    raise Failure(f"{where}: its real_time is {value:g}: a time is above 0 (is SetIterationTime() called?)")


def _record(where, name, runs):
    """The record of a benchmark's runs."""
    samples, median, failure, skipped = [], None, None, None
    for run in runs:
        if member(run, "error_occurred") is True:
            failure = text_of(run, "error_message") or "the benchmark failed"
        elif member(run, "skipped") is True:
            skipped = text_of(run, "skip_message") or "skipped"
        elif text_of(run, "run_type") == "iteration":
            samples.append(_time(where, run))
        elif text_of(run, "aggregate_name") == "median":
            median = _time(where, run)
    if failure:
        return unmeasured("failed", failure)
    if not samples and skipped:
        return unmeasured("refused", skipped)
    if not samples and median is None:
        raise Failure(f"{where}: has no repetition and no median: run it without --benchmark_report_aggregates_only")
    clock = "manual" if "/manual_time" in name else "host"
    return measured({"time_ns": sampled(samples, clock) if samples else figures(median, median, median, 1, clock, "median")})


def _split(text, separator):
    """The parts of a text between separators outside of angle brackets."""
    parts, depth = [""], 0
    for character in text:
        if character == separator and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
        depth += character == "<"
        depth -= character == ">" and depth > 0
    return parts


def _case_name(benchmark, threads):
    """The name of a benchmark "BM_copy<float, 16>/1024/block:64/repeats:6/threads:8"."""
    function, *arguments = _split(benchmark, "/")
    if len(function) > len("BM_") and function.startswith("BM_"):
        function = function[len("BM_"):]
    plain, bracket, template = function.partition("<")
    name = CaseName(plain)
    if bracket:
        for argument in _split(template[:-1] if template.endswith(">") else template, ","):
            name.add_text(argument.lstrip(" "))
    # Host threads come last; an argument may have that name too.
    of_host = bool(arguments) and arguments[-1] == f"threads:{threads}"
    for argument in arguments[:-1] if of_host else arguments:
        if not SETTING.fullmatch(argument):
            name.add_text(argument)
    if of_host and threads > 1:
        name.add("", f"threads{threads}")
    return name


def _check_form(path, document):
    version = member(member(document, "context"), "json_schema_version")
    if not looks_like(document):
        raise Failure(f'{path}: has no "context" and list of "benchmarks": give what --benchmark_out=FILE '
                      "--benchmark_out_format=json writes")
    if version is not None and not (is_integer(version) and version == SCHEMA_VERSION):
        raise Failure(f"{path}: its json_schema_version is not {SCHEMA_VERSION}: this kernelgate supports no other: write it "
                      f"with a version that has it")
    for index, run in enumerate(document["benchmarks"]):
        if not _name(run):
            raise Failure(f"{path}: benchmarks[{index}] is not an object with a name: run it again")
        if text_of(run, "run_type") not in ("iteration", "aggregate"):
            raise Failure(f'{path}: {_name(run)}: its run_type is "{text_of(run, "run_type")}", not iteration or aggregate: run '
                          "it with google-benchmark 1.5 or newer")


def convert(path, document):
    """The one device, unnamed, of a document that was read from `path`."""
    _check_form(path, document)
    families = {}
    for run in list_of(document, "benchmarks"):
        # These are only the library's fits over runs of several sizes.
        if text_of(run, "aggregate_name") not in ("BigO", "RMS"):
            families.setdefault(_name(run), []).append(run)
    date = text_of(document["context"], "date")
    device = Device({}, {"measured_by": NAME, **({"date": date} if date else {})})
    for name, runs in families.items():
        record = _record(f"{path}: {name}", name, runs)
        device.add(path, name, _case_name(name, integer_of(runs[-1], "threads")), record)
    return [device]
