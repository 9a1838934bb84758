# SPDX-License-Identifier: MIT
"""Reads Bencher Metric Format, {"benchmark": {"latency": {"value": 5, "lower_value": 4, "upper_value": 6}}}, which many tools'
adapters write."""

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import LARGEST_FIGURE, member, number_of, object_of
from kernelgate.base.samples import figures
from kernelgate.imports.cases import CaseName, Device, measured

NAME = "bmf"
LATENCY = "latency"  # in ns; other measures do not say whether more is better


def looks_like(document):
    """Whether a document has the form of this format."""
    measures = list(document.values()) if isinstance(document, dict) else []
    return bool(measures) and all(isinstance(measure, dict) and measure and all("value" in object_of(measure, name) for name in measure)
                                  for measure in measures)


def _record(where, measures):
    if LATENCY not in measures:
        raise Failure(f"{where}: has no measure {LATENCY}, in ns: times alone are judged")
    metric = measures[LATENCY]
    value = number_of(metric, "value")
    if not 0 < value <= LARGEST_FIGURE:
        raise Failure(f"{where}: its {LATENCY} is not a time above 0, or is months: run the benchmark again")
    low, high = (value if member(metric, bound) is None else number_of(metric, bound) for bound in ("lower_value", "upper_value"))
    if not (0 <= low <= value <= high <= LARGEST_FIGURE):
        raise Failure(f"{where}: its {LATENCY} is outside of its own lower_value and upper_value: run the benchmark again")
    return measured({"time_ns": figures(value, low, high, 1, "", "value")})


def convert(path, document):
    """The one device, unnamed, of a document that was read from `path`."""
    if not looks_like(document):
        raise Failure(f"{path}: is not an object of benchmarks, each with measures that have a value: give Bencher Metric Format")
    device = Device({}, {"measured_by": NAME})
    for name, measures in document.items():
        if not name:
            raise Failure(f"{path}: has a benchmark without a name: run it again")
        parts = name.split("/")
        case_name = CaseName(parts[0])
        for part in parts[1:]:
            case_name.add_text(part)
        device.add(path, name, case_name, _record(f"{path}: {name}", measures))
    return [device]
