# SPDX-License-Identifier: MIT
"""The resources of compiled kernels: registers, shared and local memory, by architecture, from their cubins."""

import re
from dataclasses import dataclass

from kernelgate.code.cubin import read_kernels

UNNAMED = "12_GLOBAL__N_1"  # g++'s name of an unnamed namespace, with its length


@dataclass(frozen=True)
class Resources:
    registers: int  # per thread
    static_shared: int  # bytes per block, without the system's reservation
    local_bytes: int  # bytes per thread: its stack, arrays and spills


class Ambiguous(Exception):
    """Several kernels of one name differ."""


def plain_name(mangled):
    """A mangled name in a form common to nvcc and g++: without the mark of static functions, and with one name for
    every unnamed namespace."""
    name = ""
    at = 0
    while at < len(mangled):
        number = re.match("[0-9]+", mangled[at:])
        end = at + (len(number[0]) if number else 1)
        if number and mangled.startswith("_GLOBAL__N_", end) and int(number[0]) <= len(mangled) - end:
            name += UNNAMED
            end += int(number[0])
        elif not re.match("L[0-9]", mangled[at:]):
            name += mangled[at:end]
        at = end
    return name


class Usage:
    """The kernels of one comparison, by architecture."""

    def __init__(self):
        self._kernels = {}  # by architecture: (name, file, resources); a file is the source's name without folder and extension

    def architectures(self):
        return list(self._kernels)

    def add(self, path, file=""):
        """Adds the kernels in a program or a cubin; `file` is their source."""
        for kernel in read_kernels(path):
            resources = Resources(kernel["registers"], kernel["static_shared"], kernel["local_bytes"])
            self._kernels.setdefault(kernel["architecture"], []).append((plain_name(kernel["name"]), file, resources))

    def find(self, architecture, kernel, file):
        """The resources of a kernel, None if there is none; if several files have one of that name, `file` decides."""
        named = [entry for entry in self._kernels.get(architecture, []) if entry[0] == plain_name(kernel)]
        if len({resources for _, _, resources in named}) > 1:
            named = [entry for entry in named if entry[1] == file]
            if len({resources for _, _, resources in named}) != 1:
                raise Ambiguous
        return named[0][2] if named else None
