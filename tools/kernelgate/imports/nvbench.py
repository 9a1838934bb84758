# SPDX-License-Identifier: MIT
"""Reads nvbench's output with --json, or with --jsonbin, which adds files of all samples."""

import contextlib
import math
import struct

from kernelgate.base.samples import figures, sampled
from kernelgate.imports.cases import CaseName, Device, is_number_text, measured, unmeasured
from kernelgate.base.case_id import target_key
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import LARGEST_FIGURE, integer_of, is_integer, is_number, list_of, member, number_of, text_of
from kernelgate.base.text import fit

NAME = "nvbench"
MAJOR_VERSION = 1  # of the supported documents
SAMPLES_MAXIMUM = 1 << 26  # a larger number (256 MiB) means a damaged file
NS_PER_SECOND = 1e9
MIB = 1 << 20
NORMAL_QUANTILE = 1.96  # half of the 95 % interval of a mean, in standard errors

# Half of the 95 % interval of a median of normally distributed samples, in interquartile ranges over the root of their number:
# 1.96 * 1.25 / 1.35. Source: R. McGill, J. W. Tukey and W. A. Larsen, Variations of Box Plots, The American Statistician 32
# (1978).
MEDIAN_QUANTILE = 1.815

NO_BATCH = "nvbench measured no batch of it: it was run with exec_tag::sync, no_batch or --run-once"
BATCH = "nv/batch/time/gpu/mean"
COLD = "nv/cold/time/gpu/"


def looks_like(document):
    """Whether a document has the members of this tool's."""
    return isinstance(member(document, "devices"), list) and isinstance(member(document, "benchmarks"), list)


def _named(items, key, wanted):
    return next((item for item in items if text_of(item, key) == wanted), None)


def _number(value):
    """A number, which nvbench writes as a string because JSON would truncate long integers; else NaN."""
    if isinstance(value, str):
        return float(value) if is_number_text(value) else math.nan
    return float(value) if is_number(value) else math.nan


def _half_width(quantile, spread, samples):
    """Half of an interval's width; 0 if the spread or the number of samples is unknown."""
    half = quantile * spread / math.sqrt(samples) if samples > 0 else 0
    return half if 0 < half < math.inf else 0


def _around(value, half, samples, statistic):
    count = int(samples) if 1 <= samples <= SAMPLES_MAXIMUM else 1
    return figures(value, max(value - half, 0.0), value + half, count, "events", statistic)


class State:
    """A state of a benchmark: a combination of its axes' values on a device."""

    def __init__(self, path, benchmark, state):
        self._path = path
        self._state = state
        values = text_of(state, "name")
        self.name = fit(f"{benchmark} {values}" if values else benchmark, 256)
        self._summaries = list_of(state, "summaries")

    def failure(self, text):
        return Failure(f"{self._path}: {self.name}: {text}")

    def _summary(self, tag):
        return _named(self._summaries, "tag", tag)

    def _datum(self, tag, name="value"):
        return member(_named(list_of(self._summary(tag), "data"), "name", name), "value")

    def _value(self, tag):
        return _number(self._datum(tag))

    def _time(self, tag):
        """A summary's time in ns."""
        hint = text_of(self._summary(tag), "hint")
        if hint not in ("", "duration"):
            raise self.failure(f"{tag} is a {hint}, not a duration: this kernelgate supports no other: write it with nvbench 0.1.0")
        time = self._value(tag) * NS_PER_SECOND
        if not 0 < time <= LARGEST_FIGURE:
            raise self.failure(f"{tag} is not a time above 0, or is months: run the benchmark again")
        return time

    def _open_samples(self, name):
        """Opens a file of samples, whose path is relative to the document's folder, or to the folder where nvbench
        ran; else it is in <document>-bin next to the document."""
        places = [name]
        if not name.startswith("/") and "/" in self._path:
            places.insert(0, self._path[: self._path.rindex("/") + 1] + name)
        if "/" in name:
            places.append(f"{self._path}-bin{name[name.rindex('/'):]}")
        with os_errors_as(f"{self._path}: {self.name}: its samples' file {name} cannot be read",
                          "keep it next to the document, or measure with --json"):
            for place in places[:-1]:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    return open_regular(place)
            return open_regular(places[-1])

    def _read_samples(self, name, count):
        with self._open_samples(name) as file:
            data = file.read(4 * count + 1)
        whole = min(len(data) // 4, count)
        samples = [seconds * NS_PER_SECOND for seconds in struct.unpack(f"<{whole}f", data[: 4 * whole])]
        for index, sample in enumerate(samples, 1):
            if not 0 < sample <= LARGEST_FIGURE:
                raise self.failure(f"sample {index} of {name} is not a time above 0: measure again")
        if len(data) != 4 * count:
            raise self.failure(f"{name} does not hold the {count} samples that it is to hold: is it of another run?")
        return samples

    def _samples(self):
        """All samples of isolated launches; None if the document names no file of them."""
        tags = ("nv/json/bin:nv/cold/sample_times", "nv/json/bin:sample_times")
        tag = next((tag for tag in tags if self._summary(tag) is not None), None)
        if tag is None:
            return None
        name = self._datum(tag, "filename")
        count = _number(self._datum(tag, "size"))
        if not isinstance(name, str) or not (1 <= count <= SAMPLES_MAXIMUM and count.is_integer()):
            raise self.failure(f"{tag} does not say in which file how many samples are: measure again")
        return self._read_samples(name, int(count))

    def _cold_figures(self):
        """The figures of isolated launches: from all samples, else from their median, else from their mean."""
        samples = self._samples()
        if samples:
            return sampled(samples, "events")
        count = self._value("nv/cold/sample_size")
        if self._summary(COLD + "median") is not None:
            time = self._time(COLD + "median")
            spread = self._value(COLD + "q3") - self._value(COLD + "q1")
            return _around(time, _half_width(MEDIAN_QUANTILE, spread * NS_PER_SECOND, count), count, "median")
        time = self._time(COLD + "mean")
        spread = self._value(COLD + "stdev/absolute") * NS_PER_SECOND
        if math.isnan(spread):
            spread = self._value(COLD + "stdev/relative") * time
        return _around(time, _half_width(NORMAL_QUANTILE, spread, count), count, "mean")

    def _metrics(self):
        """The figures of isolated launches, "cold", and of batches, for which nvbench only has the mean."""
        metrics = {}
        isolated = any(self._summary(COLD + name) is not None for name in ("mean", "median"))
        batches = self._summary(BATCH) is not None
        if not isolated and not batches:
            raise self.failure(f"has no summary {COLD}mean: its times are not of a GPU: run it on one")
        if batches:
            metrics["time_ns"] = _around(self._time(BATCH), 0, self._value("nv/batch/sample_size"), "mean")
        if isolated:
            metrics["cold_time_ns"] = self._cold_figures()
        return metrics

    def record(self):
        if member(self._state, "is_skipped") is True:
            return unmeasured("refused", text_of(self._state, "skip_reason") or "nvbench skipped it")
        metrics = self._metrics()
        return measured(metrics, **({} if "time_ns" in metrics else {"absent": {"time_ns": NO_BATCH}}))

    def add_axes(self, case_name):
        """Adds the values of the state's axes to the name of its case."""
        for axis in list_of(self._state, "axis_values"):
            value = member(axis, "value")
            if is_number(value):
                value = f"{float(value):.15g}"
            elif not isinstance(value, str):
                raise self.failure(f"its axis {text_of(axis, 'name')} has no value: measure again")
            case_name.add(text_of(axis, "name"), value)


def _target(device):
    """Describes a device as a target."""
    name = text_of(device, "name")
    version = integer_of(device, "sm_version")  # 900 for 9.0, and 1210 for 12.1
    memory = number_of(device, "global_memory_size")
    target = {"key": target_key(name), "name": name, "multiprocessors": integer_of(device, "number_of_sms")}
    if version > 0:
        target["compute_capability"] = f"{version // 100}.{version // 10 % 10}"
    if MIB <= memory <= LARGEST_FIGURE:
        target["memory_mib"] = int(memory / MIB)
    return target


def _devices(path, document):
    version = text_of(member(member(member(document, "meta"), "version"), "nvbench"), "string")
    tool = fit(f"{NAME} {version}" if version else NAME, 64)
    devices = []
    for index, device in enumerate(document["devices"]):
        if not text_of(device, "name") or not is_integer(member(device, "id")):
            raise Failure(f"{path}: devices[{index}] has no id and name: measure again")
        devices.append(Device(_target(device), {"measured_by": tool}, device["id"]))
    return devices


def _check_form(path, document):
    version = member(member(member(document, "meta"), "version"), "json")
    major = member(version, "major")
    if not looks_like(document):
        raise Failure(f'{path}: has no lists of "devices" and "benchmarks": give what --json FILE writes')
    if version is None:
        raise Failure(f"{path}: does not say its version: measure with nvbench 0.1.0 or newer")
    if not (is_integer(major) and major == MAJOR_VERSION):
        raise Failure(f"{path}: is of version {text_of(version, 'string')}, and this kernelgate knows {MAJOR_VERSION}.x alone: "
                      "write it with a version that has it")


def convert(path, document):
    """The devices of a document that was read from `path`."""
    _check_form(path, document)
    devices = _devices(path, document)
    for benchmark in document["benchmarks"]:
        name = text_of(benchmark, "name")
        if not name:
            raise Failure(f"{path}: has a benchmark without a name: measure again")
        for json_state in list_of(benchmark, "states"):
            state = State(path, name, json_state)
            number = member(json_state, "device")
            device = next((device for device in devices if is_integer(number) and device.id == number), None)
            if device is None:
                raise state.failure("ran on a device that is not in the document: measure again")
            case_name = CaseName(name)
            state.add_axes(case_name)
            device.add(path, state.name, case_name, state.record())
    return devices
