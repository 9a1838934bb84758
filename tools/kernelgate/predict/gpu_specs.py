# SPDX-License-Identifier: MIT
"""Figures of GPUs, each with its source: from gpu_specs.json, and from files of the same form."""

import os
import re
from dataclasses import dataclass, field

from kernelgate.base.errors import Failure, nearest_name
from kernelgate.base.json_io import check_schema, is_number, read_json
from kernelgate.base.text import clean

SCHEMA = "kernelgate-gpus/1"
KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_specs.json")
REMEDY = 'fix the file: each figure is {"value": number, "source": text}'


@dataclass(frozen=True)
class Range:
    """The values of past and near-future GPUs: a figure outside has the wrong unit."""

    least: float
    most: float
    needed: bool = False
    whole: bool = False


# Rates are per multiprocessor; a multiply-add is two operations; "gb" is 10^9 bytes, "mib" 2^20. Blocks are the maximum
# over all multiprocessors, and the bus's rate is for one direction.
FIGURES = {
    "multiprocessors": Range(1, 2048, needed=True, whole=True),
    "clock_mhz": Range(100, 10000, needed=True),
    "float32_operations_per_clock": Range(8, 4096, needed=True, whole=True),
    "int32_operations_per_clock": Range(8, 4096, whole=True),
    "bfloat16_operations_per_clock": Range(8, 65536, whole=True),
    "dram_gb_per_s": Range(1, 100000, needed=True),
    "l2_gb_per_s": Range(10, 1000000),
    "l2_mib": Range(0.0625, 4096),
    "shared_bytes_per_clock": Range(16, 4096, whole=True),
    "blocks_per_us": Range(1, 1000000),
    "bus_gb_per_s": Range(0.1, 10000),
}


@dataclass
class Gpu:
    key: str
    name: str = ""
    figures: dict = field(default_factory=dict)
    sources: dict = field(default_factory=dict)


def _words(where, value):
    """A text that is printed unchanged, so a control character would control the terminal."""
    if not isinstance(value, str) or not value:
        raise Failure(f"{where}: is not a text, or an empty one: {REMEDY}")
    if clean(value) != value:
        raise Failure(f"{where}: holds a control character: write it without")
    return value


def _add_figure(where, gpu, name, found):
    allowed = FIGURES[name]
    if not isinstance(found, dict) or set(found) != {"value", "source"}:
        raise Failure(f'{where}: does not have "value" and "source" alone: {REMEDY}')
    value = found["value"]
    if not is_number(value) or not allowed.least <= value <= allowed.most or (allowed.whole and value % 1):
        raise Failure(f"{where}: is not a {'whole ' if allowed.whole else ''}number from {allowed.least:g} to {allowed.most:g}: "
                      "fix the value or its unit")
    gpu.sources[name] = _words(f"{where}.source", found["source"])
    gpu.figures[name] = float(value)


def _add_gpu(where, gpu, members):
    if not isinstance(members, dict):
        raise Failure(f"{where}: is not an object: {REMEDY}")
    for key, value in members.items():
        if key == "name":
            gpu.name = _words(f"{where}.name", value)
        elif key in FIGURES:
            _add_figure(f"{where}.{key}", gpu, key, value)
        else:
            nearest = nearest_name(key, FIGURES)
            raise Failure(f"{where}.{key}: is an unknown key" + (f'; did you mean "{nearest}"?' if nearest else f": {REMEDY}"))
    missing = [name for name, allowed in FIGURES.items() if allowed.needed and name not in gpu.figures]
    if not gpu.name or missing:
        raise Failure(f'{where}: has no "{missing[0] if gpu.name else "name"}": {REMEDY}')


def add_gpus(path, gpus):
    """Adds the GPUs of a file to others by key; an existing one keeps the figures that the file does not have."""
    document = read_json(path, REMEDY)
    check_schema(path, document, SCHEMA, "update kernelgate or the file")
    found = document.get("gpus")
    if not isinstance(found, dict) or not found or set(document) != {"schema", "gpus"}:
        raise Failure(f'{path}: does not have "schema" and, with a GPU in it, "gpus" alone: {REMEDY}')
    for key, members in found.items():
        if not re.fullmatch("[a-z0-9_-]{1,95}", key):
            raise Failure(f"{path}: gpus.{key}: is not a target's key: use a-z, 0-9, - and _, as in nvidia-h200")
        _add_gpu(f"{path}: gpus.{key}", gpus.setdefault(key, Gpu(key)), members)


def read_gpus(path=None):
    """The known GPUs by key, including those of a file."""
    gpus = {}
    add_gpus(KNOWN, gpus)
    if path is not None:
        add_gpus(path, gpus)
    return gpus


def find_gpu(gpus, key):
    """The GPU of a key. Failure, with the known keys, if there is none."""
    if key in gpus:
        return gpus[key]
    nearest = nearest_name(key, gpus)
    known = ", ".join(gpus)
    raise Failure(f'predict: no figures of a GPU "{key}"' + (f'; did you mean "{nearest}"? Known are {known}' if nearest else
                                                             f": add them with --gpus FILE; known are {known}"))
