# SPDX-License-Identifier: MIT
"""Reads the table that Nsight Compute prints with `--csv --page raw`, a kernel per row, a metric per column."""

import csv
import io
import math
import re
from dataclasses import dataclass

from kernelgate.base.errors import Failure
from kernelgate.base.files import open_regular
from kernelgate.base.json_io import LARGEST_FIGURE

LARGEST_FILE = 512 << 20  # a comparison launches hundreds of kernels
TROUBLE = "==ERROR=="

# Commas may part the thousands; three zeros after a point may be thousands of another language.
_COUNT = r"(\d{1,3}(?:,\d{3})+|\d+)(?:\.(?:00?|0{4,}))?"
_FIELD = re.compile(_COUNT + r"(?: \((.*))?", re.ASCII | re.DOTALL)
_INSTANCE = re.compile(r"([^:]*(?::[^ ][^:]*)*): " + _COUNT, re.ASCII)
_BLOCK_SIZE = re.compile(r"\( *(\d{1,4}), *(\d{1,4}), *(\d{1,4})", re.ASCII)


@dataclass
class Row:
    """One row of the table."""

    line: int  # of the file, counted from 1
    fields: list


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
    """The table in a file. What the profiler says around it is skipped, except for its errors."""

    def __init__(self, path):
        self.path = path
        self._lines = self._read().split("\n")
        rows = self._rows(self._find_header())
        self._columns = next(rows).fields
        self.kernels = []
        for row in rows:
            if len(row.fields) != len(self._columns):
                raise self._failure(row.line, f"{len(row.fields)} fields, where the table has {len(self._columns)} columns: it "
                                              "is cut off or was edited; profile again")
            if row.fields[0]:
                self.kernels.append(row)
            else:
                self._check_units(row)

    def _failure(self, line, text):
        return Failure(f"{self.path}:{line}: {text}")

    def _read(self):
        try:
            with open_regular(self.path) as file:
                data = file.read(LARGEST_FILE)
        except OSError as error:
            raise Failure(f"{self.path}: cannot be read: {error.strerror}: check the path and its permissions") from None
        if len(data) == LARGEST_FILE:
            raise Failure(f"{self.path}: cannot be read whole: is it a profiler's table?")
        if b"\0" in data:
            raise Failure(f"{self.path}: holds bytes that are not text: print it with ncu --csv")
        return data.decode("utf-8", "surrogateescape")

    def _check_line(self, number):
        """Passes on an error of the profiler's."""
        line = self._lines[number - 1]
        if line.startswith(TROUBLE):
            raise self._failure(number, f"the profiler failed:{line[len(TROUBLE):]}: fix that and profile again")

    def _find_header(self):
        for number, line in enumerate(self._lines, 1):
            if line.startswith(('"ID",', "ID,")):
                return number
            self._check_line(number)
        raise Failure(f"{self.path}: holds no table: no kernel was profiled, or it was not printed with ncu --csv --page raw")

    def _rows(self, header):
        """The rows from the header's line on."""
        text = "\n".join(line.rstrip("\r") for line in self._lines[header - 1:])
        csv.field_size_limit(len(text) + 1)
        reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
        while True:
            line = header + reader.line_num
            try:
                fields = next(reader, None)
            except csv.Error:
                raise self._failure(line, "quotes that do not close: the table is cut off or was edited; profile again") from None
            if fields is None:
                return
            if fields and not fields[0].startswith("=="):
                yield Row(line, fields)
            else:
                self._check_line(line)

    def _check_units(self, units):
        """Units are scaled to Ksector, Minst and the like unless they were asked for as they are."""
        for column, unit in zip(self._columns, units.fields):
            if re.match("[KMGT][a-z]", unit):
                raise self._failure(units.line, f"{column} is in {unit}: print it with ncu --print-units base")

    def _field(self, kernel, column):
        return kernel.fields[self._columns.index(column)] if column in self._columns else ""

    def count(self, kernel, metric, opcodes=()):
        """The count in a column of a kernel's row, or that of some opcodes, as in "25 (LDS: 20; BAR: 5)"; None where this chip
        does not count it."""
        field = self._field(kernel, metric)
        if field in ("", "n/a"):
            return None
        match = _FIELD.fullmatch(field)
        count = _count(match[1]) if match else None
        if count is not None and opcodes:
            if match[2] is None:
                return None  # the sum does not give one opcode
            count = _instances(match[2], opcodes)
        if count is None:
            raise self._failure(kernel.line, f'{metric} is "{field[:60]}", which is not a count: print it with LC_ALL=C ncu')
        return count

    def warps(self, kernel):
        """The warps of each block of a kernel, by its block size."""
        field = self._field(kernel, "Block Size")
        match = _BLOCK_SIZE.match(field)
        sizes = [int(size) for size in match.groups()] if match else [0]
        if not all(1 <= size <= 1024 for size in sizes):
            raise self._failure(kernel.line, f'"Block Size" is "{field[:60]}", not as in "(16, 16, 1)": print it with ncu --csv '
                                             "--page raw")
        return math.ceil(math.prod(sizes) / 32)
