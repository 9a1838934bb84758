"""What the compiler gave kernels: registers, shared and local memory, by architecture, as their cubins have it."""

import re
from dataclasses import dataclass

from kernelgate.code.cubin import read_kernels

UNNAMED = "12_GLOBAL__N_1"  # what g++ calls an unnamed namespace, with its length


@dataclass(frozen=True)
class Resources:
    registers: int  # of a thread
    static_shared: int  # bytes per block, without what the system reserves
    local_bytes: int  # bytes per thread: its stack, arrays and spills


class Ambiguous(Exception):
    """Several kernels of a name differ."""


def plain_name(mangled):
    """A mangled name as nvcc and g++ would agree on it: without the mark of what is static, and with one name for every unnamed
    namespace."""
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
        self._kernels = {}  # by architecture: (name, file, resources); a file is the source's name without folder and end

    def architectures(self):
        return list(self._kernels)

    def add(self, path, file=""):
        """Adds the kernels in a program or a cubin; `file` is their source."""
        for kernel in read_kernels(path):
            resources = Resources(kernel["registers"], kernel["static_shared"], kernel["local_bytes"])
            self._kernels.setdefault(kernel["architecture"], []).append((plain_name(kernel["name"]), file, resources))

    def find(self, architecture, kernel, file):
        """What a kernel was given, None where there is none; where several files have one of that name, `file` decides."""
        named = [entry for entry in self._kernels.get(architecture, []) if entry[0] == plain_name(kernel)]
        if len({resources for _, _, resources in named}) > 1:
            named = [entry for entry in named if entry[1] == file]
            if len({resources for _, _, resources in named}) != 1:
                raise Ambiguous
        return named[0][2] if named else None
