# SPDX-License-Identifier: MIT
"""Reads what pytest-benchmark writes with --benchmark-json."""

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import LARGEST_FIGURE, is_number, list_of, member, number_of, object_of, text_of
from kernelgate.base.samples import figures, sampled
from kernelgate.imports.cases import CaseName, Device, measured

NAME = "pytest-benchmark"
NS_PER_SECOND = 1e9


def looks_like(document):
    """Whether a document has the members of this tool's."""
    return isinstance(member(document, "machine_info"), dict) and isinstance(member(document, "benchmarks"), list)


def _ns(where, seconds):
    if not (is_number(seconds) and 0 < seconds * NS_PER_SECOND <= LARGEST_FIGURE):
        raise Failure(f"{where}: a time of its stats is missing, not above 0, or is months: run the benchmark again")
    return seconds * NS_PER_SECOND


def _record(where, benchmark):
    """The record of a benchmark: of all its rounds with --benchmark-save-data, else of their median."""
    stats = object_of(benchmark, "stats")
    rounds = [_ns(where, seconds) for seconds in list_of(stats, "data")]
    if rounds:
        time = sampled(rounds, "host")
    else:
        median = _ns(where, member(stats, "median"))
        count = number_of(stats, "rounds")
        time = figures(median, median, median, int(count) if 1 <= count <= LARGEST_FIGURE else 1, "host", "median")
    return measured({"time_ns": time})


def _case_name(benchmark):
    """The name of "bench/test_copy.py::test_copy[1024-256]", whose parameters are known by their names."""
    path, _, test = text_of(benchmark, "fullname").partition("::")
    name = CaseName(f"{path.rpartition('/')[2].removesuffix('.py')}/{test.partition('[')[0]}" if test else text_of(benchmark, "name"))
    for axis, value in object_of(benchmark, "params").items():
        name.add(axis, f"{float(value):.15g}" if is_number(value) else str(value))
    return name


def convert(path, document):
    """The one device, unnamed, of a document that was read from `path`."""
    if not looks_like(document):
        raise Failure(f'{path}: has no "machine_info" and list of "benchmarks": give what --benchmark-json=FILE writes')
    version, date = text_of(document, "version"), text_of(document, "datetime")
    device = Device({}, {"measured_by": f"{NAME} {version}".strip(), **({"date": date} if date else {})})
    for index, benchmark in enumerate(document["benchmarks"]):
        name = text_of(benchmark, "fullname") or text_of(benchmark, "name")
        if not name:
            raise Failure(f"{path}: benchmarks[{index}] is not an object with a name: run it again")
        device.add(path, name, _case_name(benchmark), _record(f"{path}: {name}", benchmark))
    return [device]
