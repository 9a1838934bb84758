"""What the compiler gave kernels: registers, shared and local memory, by architecture, from what the CUDA Toolkit's `cuobjdump
-res-usage` prints of a program, or ptxas -v while it compiles."""

import re
from dataclasses import dataclass

FIRST_WITH_RESERVED = 90  # from here on cuobjdump counts what the system reserves of a block's shared memory
RESERVED_SHARED = 1024
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


def _after(line, word):
    match = re.search(re.escape(word) + "([0-9]+)", line)
    return int(match[1]) if match else 0


def _before(line, word):
    match = re.search("([0-9]+)" + re.escape(word), line)
    return int(match[1]) if match else 0


class Usage:
    """The kernels of one comparison, by architecture."""

    def __init__(self):
        self._kernels = {}  # by architecture: (name, file, resources); a file is the source's name without folder and end

    def architectures(self):
        return list(self._kernels)

    def add(self, text, file=""):
        """Adds the kernels of a text; `file` is their source where the text names none."""
        architecture = source = kernel = None
        local = 0
        for line in text.splitlines():
            word, _, rest = line.strip().partition(" ")
            if word == "Fatbin":
                architecture, source = None, file
            elif line.strip().startswith("arch = "):
                architecture = _after(line, "sm_") or None
            elif line.strip().startswith("identifier = "):
                source = re.split("[. \t]", line.rpartition("/")[2].replace("identifier = ", "").strip())[0]
            elif word == "Function":
                kernel = re.split("[: \t]", rest)[0]
            elif word.startswith("REG:"):
                shared = _after(line, "SHARED:")
                if architecture and architecture >= FIRST_WITH_RESERVED and shared >= RESERVED_SHARED:
                    shared -= RESERVED_SHARED
                self._add(architecture, kernel, source,
                          Resources(_after(line, "REG:"), shared, _after(line, "STACK:") + _after(line, "LOCAL:")))
                kernel = None
            elif "Compiling entry function '" in line:
                kernel = line.split("'")[1]
                architecture, source, local = _after(line, "sm_") or None, file, 0
            elif " bytes stack frame" in line:
                local = _before(line, " bytes stack frame")
            elif ": Used " in line and " registers" in line:
                self._add(architecture, kernel, source,
                          Resources(_before(line, " registers"), _before(line, " bytes smem"), local))
                kernel = None

    def _add(self, architecture, kernel, source, resources):
        if architecture and kernel:
            self._kernels.setdefault(architecture, []).append((plain_name(kernel), source, resources))

    def find(self, architecture, kernel, file):
        """What a kernel was given, None where there is none; where several files have one of that name, `file` decides."""
        named = [entry for entry in self._kernels.get(architecture, []) if entry[0] == plain_name(kernel)]
        if len({resources for _, _, resources in named}) > 1:
            named = [entry for entry in named if entry[1] == file]
            if len({resources for _, _, resources in named}) != 1:
                raise Ambiguous
        return named[0][2] if named else None
