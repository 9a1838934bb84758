# SPDX-License-Identifier: MIT
"""How many blocks of a kernel fit a multiprocessor, by their threads, registers and shared memory: the rules of the
CUDA Toolkit's occupancy calculator (cuda_occupancy.h) for a kernel that may use all of the shared memory and one
barrier."""

from dataclasses import dataclass

KIB = 1024
WARP = 32
THREADS_PER_BLOCK = 1024
REGISTERS = 65536  # per multiprocessor
REGISTERS_PER_THREAD = 255
REGISTER_UNIT = 256  # a warp gets whole units
LARGEST_SHARED = 2**30 - 1  # bytes; more than any kernel uses


@dataclass(frozen=True)
class Multiprocessor:
    threads: int  # maximum per multiprocessor
    blocks: int  # maximum per multiprocessor
    shared: int  # KiB per multiprocessor
    shared_per_block: int  # KiB, maximum per block
    reserved: int = KIB  # bytes of each block's shared memory, reserved for the system
    shared_unit: int = 128  # bytes; a block gets whole units
    parts: int = 4  # that share the registers
    registers_per_block: int = REGISTERS


def _older(threads, blocks, shared, shared_per_block, **more):
    """An architecture before compute capability 8.0."""
    return Multiprocessor(threads, blocks, shared, shared_per_block, reserved=0, shared_unit=256, **more)


# Source: the CUDA Programming Guide, "Compute Capabilities", its tables of technical specifications and of shared memory capacities; up to
# 7.2, which it no longer has, the CUDA C++ Programming Guide 12.9, "Technical Specifications per Compute Capability".
MULTIPROCESSORS = {
    50: _older(2048, 32, 64, 48), 52: _older(2048, 32, 96, 48), 53: _older(2048, 32, 64, 48, registers_per_block=REGISTERS // 2),
    60: _older(2048, 32, 64, 48, parts=2), 61: _older(2048, 32, 96, 48),
    62: _older(2048, 32, 64, 48, registers_per_block=REGISTERS // 2),
    70: _older(2048, 32, 96, 96), 72: _older(2048, 32, 96, 96), 75: _older(1024, 16, 64, 64),
    80: Multiprocessor(2048, 32, 164, 163), 86: Multiprocessor(1536, 16, 100, 99), 87: Multiprocessor(1536, 16, 164, 163),
    89: Multiprocessor(1536, 24, 100, 99), 90: Multiprocessor(2048, 32, 228, 227),
    100: Multiprocessor(2048, 32, 228, 227), 103: Multiprocessor(2048, 32, 228, 227), 110: Multiprocessor(1536, 24, 228, 227),
    120: Multiprocessor(1536, 24, 100, 99), 121: Multiprocessor(1536, 24, 100, 99),
}


def _round_up(amount, unit):
    return -(-amount // unit) * unit


def _by_registers(sm, registers, warps):
    """Blocks that fit by registers. A launch is refused if it would not fit with equally many warps in every part of
    the multiprocessor."""
    of_a_warp = _round_up(registers * WARP, REGISTER_UNIT)
    if of_a_warp * _round_up(warps, 4) > sm.registers_per_block:
        return 0
    return REGISTERS // sm.parts // of_a_warp * sm.parts // warps if of_a_warp else None


def _by_shared_memory(sm, shared):
    of_a_block = _round_up(shared + sm.reserved, sm.shared_unit)
    if of_a_block > sm.shared_per_block * KIB + sm.reserved:
        return 0
    return sm.shared * KIB // of_a_block if of_a_block else None


def _calculate(architecture, registers, static_shared, dynamic_shared, threads):
    sm = MULTIPROCESSORS.get(architecture)
    if sm is None:
        known = ", ".join(map(str, MULTIPROCESSORS))
        return {"why": f"the multiprocessors of architecture {architecture} are not known: use one of {known}"}
    if not (1 <= threads <= THREADS_PER_BLOCK and 0 <= registers <= REGISTERS_PER_THREAD
            and 0 <= static_shared <= LARGEST_SHARED and 0 <= dynamic_shared <= LARGEST_SHARED):
        return {"why": f"{threads} threads per block, {registers} registers, {static_shared} and {dynamic_shared} bytes of shared memory: "
                       "no kernel can be launched like this: use less"}
    warps = -(-threads // WARP)
    limits = {"threads": sm.threads // WARP // warps, "registers": _by_registers(sm, registers, warps),
              "shared memory": _by_shared_memory(sm, static_shared + dynamic_shared), "blocks": sm.blocks}
    blocks = min(limit for limit in limits.values() if limit is not None)
    return {"blocks": blocks, "warps": blocks * warps, "occupancy": WARP * blocks * warps / sm.threads,
            "limited_by": [name for name, limit in limits.items() if limit == blocks]}


def calculate(needs):
    """The limits for each (architecture, registers, static and dynamic shared memory, threads): "blocks", "warps",
    "occupancy" and "limited_by", or "why" it cannot be launched."""
    return [_calculate(*need) for need in needs]
