# SPDX-License-Identifier: MIT
"""The cases of imported benchmarks: their ids, records and figures."""

import re
from dataclasses import dataclass, field

from kernelgate.base.case_id import LONGEST_ID, SIZE, parts_of
from kernelgate.base.errors import Failure, failures_of

LEAST_NS = 1.0  # no kernel takes less, and a baseline has no digits for it
TOO_SHORT = "it takes less than 1 ns: there is nothing to gate"

BLOCK_AXES = {"b", "block", "blocksize", "blockdim", "threads", "blockthreads", "threadsperblock", "tpb"}
GRID_AXES = {"g", "grid", "gridsize", "griddim", "blocks", "numblocks", "blockspergrid", "gridblocks"}

_WORD = re.compile("[A-Za-z0-9_]+")
_COUNT = re.compile("[1-9][0-9]{0,21}")
_NUMBER = re.compile(r"\s*[-+]?(inf|infinity|nan|([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?)", re.ASCII | re.IGNORECASE)


def is_number_text(text):
    """Whether a text is a number in strtod()'s form."""
    return _NUMBER.fullmatch(text) is not None


def _words(text):
    """The text in the form of ids: lower case, and one underscore for each run of other characters."""
    return "_".join(_WORD.findall(text)).lower()


class CaseName:
    """An id under construction, comparison/variant/size/launch."""

    def __init__(self, benchmark):
        comparison, *variant = parts_of(benchmark)
        self._comparison = _words(comparison)
        self._variant = [_words(word) for word in variant]
        self._size = []
        self._block = ""
        self._grid = ""

    def add(self, axis, value):
        """Adds the value of an axis or argument, whose name may be empty."""
        plain = re.sub("[^A-Za-z0-9]", "", axis).lower()
        if plain in BLOCK_AXES and not self._block and _COUNT.fullmatch(value):
            self._block = value
        elif plain in GRID_AXES and not self._grid and _COUNT.fullmatch(value):
            self._grid = value
        elif SIZE.fullmatch(value):
            self._size.append(value)
        else:
            # Without the word, -5 would become the case of 5, and 1e-06 that of 1e+06.
            self._variant.append(_words(value.replace("-", "minus") if is_number_text(value) else value))

    def add_text(self, text):
        """Adds a value, such as "block:256" with its argument's name."""
        axis, colon, value = text.partition(":")
        if colon and axis and not value.startswith(":"):  # two colons are a C++ scope
            self.add(axis, value)
        else:
            self.add("", text)

    def id(self):
        """The case's id; an empty part is "-". Failure if it is too long."""
        # A launch begins with its block; a grid without a block is an ordinary number.
        size = self._size if self._block or not self._grid else [*self._size, self._grid]
        launch = f"b{self._block}" + (f"g{self._grid}" if self._grid else "") if self._block else ""
        parts = (self._comparison, "_".join(filter(None, self._variant)), "x".join(size), launch)
        made = "/".join(part or "-" for part in parts)
        if len(made) > LONGEST_ID:
            raise Failure(f"its case would be longer than the {LONGEST_ID} characters that an id has: shorten its name")
        return made


@dataclass
class Device:
    """The records of one device, by case: {"event": "measured", "metrics"}, or {"event": "refused" or "failed",
    "why"}; `names` has the tool's name of each case."""

    target: dict
    provenance: dict
    id: int = 0
    records: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)

    def add(self, path, name, case_name, record):
        """Adds the record of the benchmark `name`, from the file at `path`."""
        with failures_of(f"{path}: {name}"):
            case = case_name.id()
        if case in self.records:
            raise Failure(f"{path}: {self.names[case]} and {name} would both be case {case}: name them so that a value tells "
                          "them apart")
        self.records[case] = record
        self.names[case] = name


def unmeasured(event, why):
    return {"event": event, "why": why}


def measured(metrics, **more):
    """The record of a benchmark's times; it is refused if one is too short."""
    if any(time["value"] < LEAST_NS for time in metrics.values()):
        return unmeasured("refused", TOO_SHORT)
    return {"event": "measured", "metrics": metrics, **more}
