# SPDX-License-Identifier: MIT
"""Reads the table that Nsight Compute prints with `--csv --page raw`, a kernel per row, a metric per column."""

import csv
import itertools
import math
import re

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import LARGEST_FIGURE

TROUBLE = "==ERROR=="

# Commas may part the thousands; three zeros after a point may be thousands of another language.
_COUNT = r"(\d{1,3}(?:,\d{3})+|\d+)(?:\.(?:00?|0{4,}))?"
_FIELD = re.compile(_COUNT + r"(?: \((.*))?", re.ASCII | re.DOTALL)
_INSTANCE = re.compile(r"([^:]*(?::[^ ][^:]*)*): " + _COUNT, re.ASCII)
_BLOCK_SIZE = re.compile(r"\( *(\d{1,4}), *(\d{1,4}), *(\d{1,4})", re.ASCII)


def _count(digits):
    """A count; None beyond what a double holds exactly."""
    count = float(digits.replace(",", ""))
    return count if count <= LARGEST_FIGURE else None


def _instances(text, opcodes):
    """The count of some opcodes in "BAR: 12; LDS.64: 1,234)", where what follows a point is a modifier; None where it is not such
    a list."""
    if not text.endswith(")"):
        return None
    total = 0.0
    for instance in text[:-1].split("; ") if text != ")" else ():
        match = _INSTANCE.fullmatch(instance)
        count = _count(match[2]) if match else None
        if count is None:
            return None
        if match[1].split(".")[0] in opcodes:
            total += count
    return total


class Table:
    """The table in a file: a kernel is a row by columns. What the profiler says around it is skipped, except for its errors."""

    def __init__(self, path):
        self.path = path
        lines = self._read()
        for line in lines:
            if line.startswith(TROUBLE):
                raise self._failure(f"the profiler failed:{line[len(TROUBLE):].rstrip()}: fix that and profile again")
        table = itertools.dropwhile(lambda line: not line.startswith(('"ID",', "ID,")), lines)
        try:
            rows = list(csv.DictReader((line for line in table if not line.startswith("==")), strict=True))
        except csv.Error as error:
            raise self._failure(f"{error}: the table is cut off or was edited; profile again") from None
        if not rows:
            raise self._failure("holds no table: no kernel was profiled, or it was not printed with ncu --csv --page raw")
        if any(None in row or None in row.values() for row in rows):
            raise self._failure("a row has more or fewer fields than the table has columns: it is cut off or was edited; profile again")
        self.kernels = [row for row in rows if row["ID"]]
        self._check_units(rows)

    def _failure(self, text):
        return Failure(f"{self.path}: {text}")

    def _read(self):
        with os_errors_as(f"{self.path}: cannot be read", "check the path and its permissions"), open_regular(self.path) as file:
            return file.read().decode("utf-8", "surrogateescape").splitlines(keepends=True)

    def _check_units(self, rows):
        """Units are scaled to Ksector, Minst and the like unless they were asked for as they are."""
        for column, unit in (pair for row in rows if not row["ID"] for pair in row.items()):
            if re.match("[KMGT][a-z]", unit):
                raise self._failure(f"{column} is in {unit}: print it with ncu --print-units base")

    def count(self, kernel, metric, opcodes=()):
        """The count in a column of a kernel's row, or that of some opcodes, as in "25 (LDS: 20; BAR: 5)"; None where this chip
        does not count it."""
        field = kernel.get(metric, "")
        if field in ("", "n/a"):
            return None
        match = _FIELD.fullmatch(field)
        count = _count(match[1]) if match else None
        if count is not None and opcodes:
            if match[2] is None:
                return None  # the sum does not give one opcode
            count = _instances(match[2], opcodes)
        if count is None:
            raise self._failure(f'{metric} is "{field[:60]}", which is not a count: print it with LC_ALL=C ncu')
        return count

    def warps(self, kernel):
        """The warps of each block of a kernel, by its block size."""
        field = kernel.get("Block Size", "")
        match = _BLOCK_SIZE.match(field)
        sizes = [int(size) for size in match.groups()] if match else [0]
        if not all(1 <= size <= 1024 for size in sizes):
            raise self._failure(f'"Block Size" is "{field[:60]}", not as in "(16, 16, 1)": print it with ncu --csv '
                                             "--page raw")
        return math.ceil(math.prod(sizes) / 32)
