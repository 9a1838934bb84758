# SPDX-License-Identifier: MIT
"""The PTX instructions of barriers, mbarrier objects and bulk copies, as C++ calls of functions in kg_model_ptx_bulk.h."""

from ptx_instructions import SAME_ATOMICS, TYPES, expect

SEMANTICS = {"acquire", "release", "relaxed", "cta", "cluster"}


def place(address, parts):
    """The pointer that an address is, in C++."""
    return address.read("shared" if any(part.startswith("shared") for part in parts) else "generic")


def write_arrival(instruction, parts, operands):
    """mbarrier.arrive and arrive_drop. expect_tx has the bytes in place of the count."""
    result, address, *count = operands
    expect(parts[1:] in ([], ["expect_tx"]) and len(count) <= 1, instruction)
    expects = len(parts) == 2
    arrivals = count[0].read("u32") if count and not expects else "1u"
    leaving = arrivals if parts[0] == "arrive_drop" else "0u"
    size = count[0].read("u32") if expects else "0"
    return result.write(f"kg__model_arrive_at_mbarrier({place(address, instruction.parts)}, {arrivals}, {leaving}, {size})")


def write_mbarrier(instruction, _is_volatile):
    """mbarrier, without noComplete and pending_count."""
    expect(instruction.parts[-1] == "b64", instruction)
    parts = [part for part in instruction.parts[1:-1] if part not in SEMANTICS and not part.startswith("shared")]
    operands = instruction.operands
    name = parts[0]
    if name in ("arrive", "arrive_drop"):
        return write_arrival(instruction, parts, operands)
    if name in ("test_wait", "try_wait"):
        expect(parts[1:] in ([], ["parity"]) and len(operands) in (3, 4), instruction)
        result, address, phase = operands[:3]
        kind = ("true", "u32") if parts[1:] else ("false", "u64")
        return result.write(f"kg__model_has_phase({place(address, instruction.parts)}, {phase.read(kind[1])}, {kind[0]})")
    expect(len(parts) == 1, instruction)
    address = place(operands[0], instruction.parts)
    if name == "inval":
        return f"kg__model_invalidate_mbarrier({address});"
    value = operands[1].read("u32")
    if name == "init":
        return f"kg__model_init_mbarrier({address}, {value});"
    expect(name in ("expect_tx", "complete_tx"), instruction)
    sign = "-" if name == "complete_tx" else ""
    return f"kg__model_arrive_at_mbarrier({address}, 0u, 0u, {sign}int64_t({value}));"


LOADS = (["shared::cluster", "global", "mbarrier::complete_tx::bytes"], ["shared::cta", "global", "mbarrier::complete_tx::bytes"])
MULTICAST = LOADS[0] + ["multicast::cluster"]
STORE = ["global", "shared::cta", "bulk_group"]
REDUCTIONS = {"add": "u32 s32 u64 s64 f16 f32 f64 bf16", "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64", "inc": "u32", "dec": "u32",
              "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64"}


def write_load(function, to, source, word, mask):
    """A bulk load; by a mask to the same place, counted by the barrier at the same place, of each of these blocks."""
    to, word = to.read("shared"), word.read("shared")
    if not mask:
        return f"{function}({to}, {source}, {word});"
    blocks = f"for (unsigned int kg__rank = 0, kg__mask = {mask[0].read('u16')}; kg__mask >> kg__rank != 0; kg__rank++)"
    there = [f"kg__model_map_shared({place}, kg__rank)" for place in (to, word)]
    return f"{blocks} if ((kg__mask >> kg__rank & 1) != 0) {function}({there[0]}, {source}, {there[1]});"


def operation_of(name):
    """The type that does a reduction in kg_model_reductions.h."""
    return f"kg__reduction::{name}{'_op' if name in ('and', 'or', 'xor') else ''}"


def write_tensor_copy(instruction, parts, operands):
    """cp.async.bulk.tensor, and of cp.reduce. parts: from the dimensions on."""
    dimensions, *parts = [part for part in parts if part != "tile"]
    reduces = instruction.parts[1] == "reduce"
    operation = parts.pop(2) if reduces and len(parts) > 2 else "add"
    expect(operation in REDUCTIONS and (parts == STORE or not reduces), instruction)
    loads = parts in LOADS or parts == MULTICAST
    expect(len(operands) == (2 if parts == STORE else 3 + (parts == MULTICAST)) and (loads or parts == STORE), instruction)
    tensor = operands[1] if loads else operands[0]
    expect(dimensions == f"{len(tensor.coordinates)}d", instruction)
    at = f"const int kg__at[] = {{ {', '.join(one.read('s32') for one in tensor.coordinates)} }};"
    box = f"{tensor.read('global')}, kg__at, {len(tensor.coordinates)}"
    if loads:
        return f"{at} {write_load('kg__model_tensor_load', operands[0], box, operands[2], operands[3:])}"
    source = operands[1].read("shared")
    return f"{at} kg__model_tensor_reduce({box}, {source}, kg__reduction::changes<{operation_of(operation)}>);" if reduces \
        else f"{at} kg__model_tensor_store({box}, {source});"


def write_bulk_reduction(instruction, parts, operands):
    """cp.reduce.async.bulk to global memory."""
    expect(parts[:3] == STORE and len(parts) == 5 and len(operands) == 3 and parts[4] in REDUCTIONS.get(parts[3], "").split(), instruction)
    kind = SAME_ATOMICS.get((parts[3], parts[4]), parts[4]).replace("b64", "u64").replace("b32", "u32")
    to, source, size = operands
    change = f"kg__reduction::change_of<{operation_of(parts[3])}, {TYPES[kind][0]}>(), {TYPES[kind][1] // 8}"
    return f"kg__model_bulk_reduce({to.read('global')}, {source.read('shared')}, {size.read('u32')}, {change});"


def write_bulk_copy(instruction, _is_volatile):
    """cp.async.bulk from global memory to shared memory of the cluster, and from the block's own to global memory, also cp.reduce."""
    if "mbarrier" in instruction.parts:
        return write_bound_copies(instruction)
    reduces = instruction.parts[1] == "reduce"
    expect(instruction.parts[1 + reduces:3 + reduces] == ["async", "bulk"], instruction)
    parts = [part for part in instruction.parts[3 + reduces:] if part not in ("L2::cache_hint", "noftz")]
    operands = instruction.operands[:-1] if "L2::cache_hint" in instruction.parts else instruction.operands
    if parts == ["commit_group"]:
        return "kg__model_commit_bulk();"
    if parts in (["wait_group"], ["wait_group", "read"]):
        return f"kg__model_wait_for_bulk({operands[0].read('u32')});"
    if parts[0] == "prefetch":
        return ""
    if parts[0] == "tensor":
        return write_tensor_copy(instruction, parts[1:], operands)
    if reduces:
        return write_bulk_reduction(instruction, parts, operands)
    expect(len(operands) == (3 if parts == STORE else 4 + (parts == MULTICAST)) and parts in (*LOADS, MULTICAST, STORE), instruction)
    to, source, size = operands[:3]
    if parts == STORE:
        return f"kg__model_bulk_store({to.read('global')}, {source.read('shared')}, {size.read('u32')});"
    return write_load("kg__model_bulk_load", to, f"{source.read('global')}, {size.read('u32')}", operands[3], operands[4:])


def write_map(instruction, _is_volatile):
    """mapa, of generic addresses and of those in shared memory."""
    is_shared = instruction.parts[1:-1] == ["shared::cluster"]
    expect(is_shared or len(instruction.parts) == 2, instruction)
    result, address, rank = instruction.operands
    mapped = f"kg__model_map_shared(kg__ptx::{'shared_at' if is_shared else 'at'}({address.read('u64')}, 0), {rank.read('u32')})"
    return result.write(f"__cvta_generic_to_shared({mapped})" if is_shared else f"reinterpret_cast<uint64_t>({mapped})")


def write_rank(instruction, _is_volatile):
    """getctarank, of such addresses."""
    is_shared = instruction.parts[1:-1] == ["shared::cluster"]
    expect(is_shared or len(instruction.parts) == 2, instruction)
    result, address = instruction.operands
    return result.write(f"kg__model_shared_rank(kg__ptx::{'shared_at' if is_shared else 'at'}({address.read('u64')}, 0))")


def write_bound_copies(instruction):
    """cp.async.mbarrier.arrive: with noinc it counts as an arrival."""
    parts = [part for part in instruction.parts[3:-1] if not part.startswith("shared")]
    expect(instruction.parts[1:3] == ["async", "mbarrier"] and parts in (["arrive"], ["arrive", "noinc"]), instruction)
    address = place(instruction.operands[0], instruction.parts)
    counts = f" (void)kg__model_arrive_at_mbarrier({address}, 1u, 0u, 0);" if "noinc" in parts else ""
    return f"kg__model_bind_copies(kg__model_mbarrier_at({address}));{counts}"


def write_barrier(instruction, _is_volatile):
    """bar, barrier."""
    parts = [part for part in instruction.parts if part not in ("cta", "aligned")]
    if parts[:2] == ["bar", "warp"]:
        return f"__syncwarp({instruction.operands[0].read('u32')});"
    if parts[1] == "cluster":
        return f"__cluster_barrier_{parts[2]}();"
    expect(parts[1:] in (["sync"], ["arrive"]), instruction)
    number, *count = instruction.operands
    arrives = "_arrive" if parts[1] == "arrive" else ""
    return f"kg__ptx::barrier{arrives}({number.read('u32')}, {count[0].read('u32') if count else '0u'});"


WRITERS = {"bar": write_barrier, "barrier": write_barrier, "mbarrier": write_mbarrier, "cp": write_bulk_copy, "mapa": write_map,
           "getctarank": write_rank}
