# SPDX-License-Identifier: MIT
"""Reads the table that Nsight Compute prints with `--csv --page raw --print-units base`, a kernel per row, a metric per column."""

import csv
import itertools
import math
import re

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular

TROUBLE = "==ERROR=="

_BLOCK_SIZE = re.compile(r"\( *(\d+), *(\d+), *(\d+)", re.ASCII)


def _number(text):
    return float(text.replace(",", ""))


def _instances(text):
    """The opcodes with their counts in "BAR.SYNC: 12; LDS: 1,234"; what follows a point is a modifier."""
    for instance in text.split("; ") if text else ():
        opcode, _, count = instance.rpartition(": ")
        yield opcode.split(".")[0], _number(count)


class Table:
    """The table in a file: a kernel is a row by columns. What the profiler says around it is skipped, except for its errors."""

    def __init__(self, path):
        self.path = path
        lines = self._read()
        for line in lines:
            if line.startswith(TROUBLE):
                raise self._failure(f"the profiler failed:{line[len(TROUBLE):].rstrip()}: fix that and profile again")
        table = itertools.dropwhile(lambda line: not line.startswith(('"ID",', "ID,")), lines)
        rows = list(csv.DictReader(line for line in table if not line.startswith("==")))
        if not rows:
            raise self._failure("holds no table: no kernel was profiled, or it was not printed with ncu --csv --page raw")
        if any(None in row or None in row.values() for row in rows):
            raise self._failure("a row has more or fewer fields than the table has columns: it is cut off or was edited; profile again")
        self.kernels = [row for row in rows if row["ID"]]  # the row of the units has none

    def _failure(self, text):
        return Failure(f"{self.path}: {text}")

    def _read(self):
        with os_errors_as(f"{self.path}: cannot be read", "check the path and its permissions"), open_regular(self.path) as file:
            return file.read().decode("utf-8", "surrogateescape").splitlines(keepends=True)

    def count(self, kernel, metric, opcodes=()):
        """The count in a column of a kernel's row, or that of some opcodes, as in "25 (LDS: 20; BAR: 5)"; None where this chip
        does not count it, or gives no more than the sum of all opcodes."""
        field = kernel.get(metric, "")
        total, has_instances, instances = field.removesuffix(")").partition(" (")
        if total in ("", "n/a") or (opcodes and not has_instances):
            return None
        try:
            if opcodes:
                return sum((count for opcode, count in _instances(instances) if opcode in opcodes), 0.0)
            return _number(total)
        except ValueError:
            raise self._failure(f'{metric} is "{field[:60]}", which is not a count: print it with LC_ALL=C ncu') from None

    def warps(self, kernel):
        """The warps of each block of a kernel, by its block size."""
        field = kernel.get("Block Size", "")
        match = _BLOCK_SIZE.match(field)
        if not match:
            raise self._failure(f'"Block Size" is "{field[:60]}", not as in "(16, 16, 1)": print it with ncu --csv '
                                             "--page raw")
        return math.ceil(math.prod(map(int, match.groups())) / 32)
