# SPDX-License-Identifier: MIT
"""Baselines of generated code, baselines/sm_90.json: one line per kernel, one line per case."""

import os
import re

from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import parse_json, read_json
from kernelgate.code.cuda_tools import ARCHITECTURE
from kernelgate.code.generated_code import OF_KERNEL, json_line, key_of
from kernelgate.base.schema_form import check_form
from kernelgate.base.schemas import CODE

SCHEMA = "kernelgate-code/1"
RECORD = "record it with kernelgate rebaseline --target sm"
_OF_LAUNCH = ("kernel", "blocks", "threads", "shared_bytes", "occupancy")


def path_of(folder, architecture):
    return f"{folder}/{key_of(architecture)}.json"


def _kernel_key(case, figures):
    return f"{comparison_of_case(case)}/{figures['file']} {figures['kernel']}"


def architecture_of(path):
    """The architecture of a code baseline, from its file's name; None for a baseline of times or counters."""
    name = re.fullmatch(rf"sm_({ARCHITECTURE})\.json", os.path.basename(path))
    return name and name[1]


class CodeBaseline:
    """The figures of an architecture's cases, as in generated_code, by one toolkit."""

    def __init__(self, architecture, toolkit, cases):
        self.architecture = architecture
        self.toolkit = toolkit
        self.cases = cases

    def ids(self):
        return list(self.cases)

    def remove(self, removed):
        """Removes cases by their ids."""
        self.cases = {name: case for name, case in self.cases.items() if name not in removed}

    def text(self):
        kernels, cases = {}, {}
        for case, launches in self.cases.items():  # for each kernel the last one counts, as the latest recording
            for figures in launches:
                kernels[_kernel_key(case, figures)] = {key: figures[key] for key in OF_KERNEL}
            cases[case] = [{**{key: figures[key] for key in _OF_LAUNCH if key in figures}, "kernel": _kernel_key(case, figures)}
                           for figures in launches]
        parts = ",\n".join(f' "{name}": {{\n' + ",\n".join(f"  {json_line(key)}: {json_line(value)}"
                                                         for key, value in sorted(members.items())) + "\n }"
                           for name, members in (("kernels", kernels), ("cases", cases)))
        return (f'{{"schema": "{SCHEMA}",\n "target": "{key_of(self.architecture)}", "toolkit": {json_line(self.toolkit)},\n'
                f"{parts}\n}}\n")

    def write(self, folder):
        """Writes the file; whether it changed."""
        path, text = path_of(folder, self.architecture), self.text()
        with os_errors_as(f"{path}: cannot be written", "make its folder writable"):
            os.makedirs(folder, exist_ok=True)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    if file.read() == text:
                        return False
            replace_file(path, text)
        return True


def read(folder, architecture):
    """The baseline of an architecture; None if there is none."""
    path = path_of(folder, architecture)
    return load(path, architecture) if os.path.exists(path) else None


def load(path, architecture):
    """The baseline in a file, which must be of this architecture."""
    return _made(path, read_json(path, RECORD), architecture)


def parse(label, data, architecture):
    """The baseline in the content of a file, called `label` in errors."""
    try:
        return _made(label, parse_json(data), architecture)
    except ValueError as error:
        raise Failure(f"{label}: is not JSON: {error}: {RECORD}") from None


def _made(path, document, architecture):
    check_form(path, document, SCHEMA, CODE, RECORD)
    if document["target"] != key_of(architecture):
        raise Failure(f'{path}: its target is "{document["target"]}": {RECORD}')
    cases = {}
    for case, launches in document["cases"].items():
        for launch in launches:
            place, _, kernel = launch["kernel"].partition(" ")
            if launch["kernel"] not in document["kernels"]:
                raise Failure(f"{path}: {case}: its kernel {launch['kernel']} is not among the kernels: {RECORD}")
            cases.setdefault(case, []).append({**document["kernels"][launch["kernel"]], **launch, "kernel": kernel,
                                               "file": place.partition("/")[2]})
    return CodeBaseline(architecture, document["toolkit"], cases)


def why_not_comparable(baseline, folder, architecture, toolkit):
    """Why nothing can be compared with a baseline, in one line; None if it can."""
    path = path_of(folder, architecture)
    if baseline is None:
        return f"{path} is missing, so that the code of {key_of(architecture)} is not judged: {RECORD}"
    if baseline.toolkit != toolkit:
        return (f"{path} is of nvcc {baseline.toolkit}, and this is nvcc {toolkit}, whose code may differ: "
                f"use that version, or {RECORD}")
    return None
