# SPDX-License-Identifier: MIT
"""PTX's instructions of a warp group, each as C++ calls of functions in kg_model_ptx_wgmma.h."""

import re

from ptx_instructions import Unsupported, expect

# Elements of operands: their names in C++, the k of an instruction, and the types of sums.
ELEMENTS = {"f16": ("FLOAT16", 16, ("f16", "f32")), "bf16": ("BFLOAT16", 16, ("f32",)), "tf32": ("TF32", 8, ("f32",)),
            "s8": ("INT8", 32, ("s32",)), "u8": ("UINT8", 32, ("s32",)),
            "e4m3": ("FLOAT8_E4M3", 32, ("f16", "f32")), "e5m2": ("FLOAT8_E5M2", 32, ("f16", "f32"))}
SUMS = {"f16": "FLOAT16", "f32": "FLOAT32", "s32": "INT32"}


def write_wgmma(instruction, _is_volatile):
    """wgmma.mma_async, fence, commit_group and wait_group."""
    parts = instruction.parts
    expect(parts[2:4] == ["sync", "aligned"], instruction)
    if parts[1] == "wait_group":
        return f"kg__ptx::wgmma_wait_group({instruction.operands[0].read('u32')});"
    if parts[1:] in (["fence", "sync", "aligned"], ["commit_group", "sync", "aligned"]):
        return f"kg__ptx::wgmma_{parts[1]}();"
    expect(parts[1] == "mma_async", instruction)
    return write_product(instruction, [part for part in parts[4:] if part != "satfinite"])


def number_of(operand):
    """Its value as a whole number; None where only C++ knows it."""
    return getattr(operand, "number", lambda: None)()


def write_product(instruction, parts):
    """wgmma.mma_async: a from registers or by a descriptor, b by a descriptor."""
    shape, to, *kinds = parts
    match = re.fullmatch(r"m64n(\d+)k(\d+)", shape)
    expect(match and len(kinds) == 2 and all(kind in ELEMENTS for kind in kinds), instruction)
    columns, depth = int(match[1]), int(match[2])
    bytes_each = 32 // depth
    expect(columns in range(8, 257, 8) and all(ELEMENTS[kind][1] == depth and to in ELEMENTS[kind][2] for kind in kinds) and
           (kinds[0] == kinds[1] or bytes_each == 1), instruction)
    sums, a, b, adds, *rest = instruction.operands
    by_registers = isinstance(a, list)
    # Integers are not negated, and only elements of two bytes are transposed.
    expected = 0 if to == "s32" else 2 if bytes_each != 2 else 3 if by_registers else 4
    expect(len(sums) == columns // (4 if to == "f16" else 2) and (not by_registers or len(a) == 4) and len(rest) == expected, instruction)
    immediates = [one.read("s32") for one in rest]
    scales, turns = (immediates[:2] or ["1", "1"]), immediates[2:]
    turns = ["0"] * (2 - len(turns)) + turns
    given = number_of(adds)
    fields = [f"KG__MODEL_{ELEMENTS[kinds[0]][0]}", f"KG__MODEL_{ELEMENTS[kinds[1]][0]}", f"KG__MODEL_{SUMS[to]}", str(columns),
              str("satfinite" in instruction.parts).lower(), f"{adds.read('pred')} != 0" if given is None else str(given != 0).lower(),
              f"{{ {', '.join(scales)} }}", f"{{ {turns[0]} != 0, {turns[1]} != 0 }}"]
    registers = f"const uint32_t kg__a[4] = {{ {', '.join(one.read('b32') for one in a)} }}; " if by_registers else ""
    descriptors = ["0" if by_registers else a.read("u64"), b.read("u64")]
    read = ", ".join(one.read("b32") for one in sums)
    # The last members are the model's own.
    return f"kg__ptx::values<uint32_t, {len(sums)}> kg__sums = {{ {{ {read} }} }}; {registers}" \
        f"kg__ptx::wgmma({{ {', '.join(fields)}, {'kg__a' if by_registers else 'nullptr'}, " \
        f"{{ {', '.join(descriptors)} }}, kg__sums.value, nullptr, 0, {{}} }}); " + \
        " ".join(one.write(f"kg__sums.value[{i}]") for i, one in enumerate(sums))


def write_register_count(instruction, _is_volatile):
    """setmaxnreg, which has no effect."""
    count = number_of(instruction.operands[0])
    expect(instruction.parts[1] in ("inc", "dec") and instruction.parts[2:] == ["sync", "aligned", "u32"], instruction)
    # A template's parameter is not known here: ptxas looks at it.
    if count is not None and count not in range(24, 257, 8):
        raise Unsupported(f"instruction '{instruction.name}' of other counts than multiples of 8 from 24 to 256")
    return "kg__ptx::join_warp();"


WRITERS = {"wgmma": write_wgmma, "setmaxnreg": write_register_count}
