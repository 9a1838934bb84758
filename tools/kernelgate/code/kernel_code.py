# SPDX-License-Identifier: MIT
"""The compiled code of a case, as in baselines: {"registers", "local_bytes", "shared_bytes", "occupancy",
"fingerprint"}, any of which may be unknown. The fingerprint identifies the machine code and the launch."""

import re

from kernelgate.base.json_io import is_integer, is_number, member, text_of
from kernelgate.base.figures import show_figure, show_percent
from kernelgate.base.schemas import CODE, load_schema

FINGERPRINT = "fingerprint"
LARGEST_FIGURE = 1e9  # beyond any register file or memory of a block
FIGURES = load_schema(CODE)["x-figures"]  # their words and units
STORED = ("registers", "local_bytes", "shared_bytes", "occupancy")


def _is_figure(key, value):
    if key == "occupancy":
        return is_number(value) and 0 <= value <= 1
    return is_integer(value) and 0 <= value <= LARGEST_FIGURE


def code_of(record):
    """The code of a "measured" record's kernel, with its members in order; None if there is none."""
    kernel = member(record, "kernel")
    code = {key: member(kernel, key) for key in STORED if _is_figure(key, member(kernel, key))}
    if re.fullmatch("(elf-)?[0-9a-f]{16}", text_of(kernel, FINGERPRINT)):
        code[FINGERPRINT] = kernel[FINGERPRINT]
    return whole_code(code) or None


def whole_code(code):
    """Stored code with the memory figures that are omitted if 0, provided that the registers are known."""
    if not isinstance(code, dict) or "registers" not in code:
        return code
    whole = {"registers": code["registers"], "local_bytes": 0, "shared_bytes": 0}
    return {**whole, **code}


def short_code(code):
    """The reverse of whole_code()."""
    return {key: value for key, value in code.items() if value != 0 or key not in ("local_bytes", "shared_bytes")
            or "registers" not in code}


def is_same_code(before, now):
    """Whether both machine codes are known and equal."""
    return text_of(before, FINGERPRINT) != "" and text_of(before, FINGERPRINT) == text_of(now, FINGERPRINT)


def is_other_code(before, now):
    """Whether both machine codes are known in comparable form and differ."""
    fingerprint, other = text_of(before, FINGERPRINT), text_of(now, FINGERPRINT)
    return fingerprint != "" and len(fingerprint) == len(other) and fingerprint != other


def show_move(words, unit, before, now):
    """ "registers 32 -> 40"."""
    first, last = (show_percent(value) if unit == "%" else show_figure(value, unit) for value in (before, now))
    return f"{words} {first} -> {last}"


def code_changes(before, now):
    """A text for each figure that both have and that differs: "registers 32 -> 40"."""
    figures = ((FIGURES[key], member(before, key), member(now, key)) for key in STORED)
    return [show_move(figure["words"], figure["unit"], first, last) for figure, first, last in figures
            if is_number(first) and is_number(last) and first != last]
