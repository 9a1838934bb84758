# SPDX-License-Identifier: MIT
"""Additions, subtractions and products of PTX with a carry (rewrite_ptx.py)."""

from ptx_instructions import expect


def write_carrying(instruction, _is_volatile):
    """add, sub and mad with a carry: addc reads the flag, .cc writes it."""
    name, *halves, kind = [part for part in instruction.parts if part != "cc"]
    result, *operands = instruction.operands
    operation = name[:3]
    expect(operation in ("add", "sub", "mad") and kind in ("u32", "s32", "u64", "s64"), instruction)
    read = [operand.read(kind) for operand in operands]
    if operation == "mad":
        expect(halves in (["lo"], ["hi"]), instruction)
        read[:2] = [f"kg__ptx::mul_{halves.pop()}_({read[0]}, {read[1]})"]
    expect(not halves and len(read) == 2, instruction)
    flags = (operation == "sub", name != operation, "cc" in instruction.parts)
    return result.write(f"kg__ptx::carry_<{', '.join(str(flag).lower() for flag in flags)}>({', '.join(read)})")


WRITERS = dict.fromkeys(("addc", "subc", "madc"), write_carrying)
