# SPDX-License-Identifier: MIT
"""Figures of GPUs, each with its source: from gpu_specs.json, and from files of the same form."""

import os
from dataclasses import dataclass, field

from kernelgate.base.errors import Failure, nearest_name
from kernelgate.base.json_io import read_json
from kernelgate.base.schema_form import check_form

SCHEMA = "kernelgate-gpus/1"
FORM = "kernelgate-gpus.schema.json"
KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_specs.json")
REMEDY = 'fix the file: each figure is {"value": number, "source": text}'
NEEDED = ("multiprocessors", "clock_mhz", "float32_operations_per_clock", "dram_gb_per_s")


@dataclass
class Gpu:
    key: str
    name: str = ""
    figures: dict = field(default_factory=dict)
    sources: dict = field(default_factory=dict)


def add_gpus(path, gpus):
    """Adds the GPUs of a file to others by key; an existing one keeps the figures that the file does not have."""
    document = read_json(path, REMEDY)
    check_form(path, document, SCHEMA, FORM, REMEDY)
    for key, members in document["gpus"].items():
        gpu = gpus.setdefault(key, Gpu(key))
        gpu.name = members.pop("name", gpu.name)
        for name, figure in members.items():
            gpu.figures[name], gpu.sources[name] = float(figure["value"]), figure["source"]
        missing = [name for name in NEEDED if name not in gpu.figures]
        if not gpu.name or missing:
            raise Failure(f'{path}: gpus.{key}: has no "{missing[0] if gpu.name else "name"}": {REMEDY}')


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
