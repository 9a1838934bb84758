# SPDX-License-Identifier: MIT
"""The PTX instructions that the CPU model supports, each as C++ calls of functions in kg_model_ptx.h
(rewrite_ptx.py)."""

import re

# Each type's name in C++, and its bits.
TYPES = {"b8": ("unsigned char", 8), "u8": ("unsigned char", 8), "s8": ("signed char", 8),
         "b16": ("unsigned short", 16), "u16": ("unsigned short", 16), "s16": ("short", 16),
         "b32": ("unsigned int", 32), "u32": ("unsigned int", 32), "s32": ("int", 32),
         "b64": ("unsigned long long", 64), "u64": ("unsigned long long", 64), "s64": ("long long", 64),
         "f16": ("__half", 16), "bf16": ("__nv_bfloat16", 16), "f16x2": ("__half2", 32), "bf16x2": ("__nv_bfloat162", 32),
         "f32": ("float", 32), "f64": ("double", 64), "tf32": ("float", 32)}
INTEGERS = "u16 s16 u32 s32 u64 s64"
BITS = "b16 b32 b64"
REALS = "f32 f64"
HALVES = "f16 bf16 f16x2 bf16x2"
SIGNED = "s16 s32 s64"

# The value of each special register.
SPECIAL = {"laneid": "kg__ptx::lane()", "warpid": "kg__ptx::thread() / 32", "nwarpid": "(kg__ptx::threads() + 31) / 32",
           "smid": "0u", "nsmid": "132u", "gridid": "1u", "clock": "kg__model_clock()", "clock64": "kg__model_clock()",
           "clock_hi": "kg__model_clock() >> 32", "globaltimer": "kg__model_clock()", "globaltimer_lo": "kg__model_clock()",
           "globaltimer_hi": "kg__model_clock() >> 32", "lanemask_eq": "1u << kg__ptx::lane()",
           "lanemask_lt": "(1u << kg__ptx::lane()) - 1", "lanemask_le": "(2u << kg__ptx::lane()) - 1",
           "lanemask_gt": "~((2u << kg__ptx::lane()) - 1)", "lanemask_ge": "~((1u << kg__ptx::lane()) - 1)",
           "is_explicit_cluster": "__clusterDimIsSpecified()", "cluster_ctarank": "__clusterRelativeBlockRank()",
           "cluster_nctarank": "__clusterSizeInBlocks()",
           **{f"{name}.{axis}": f"{variable}.{axis}" for axis in "xyz" for name, variable in (
               ("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"),
               ("clusterid", "__clusterIdx()"), ("nclusterid", "__clusterGridDimInClusters()"),
               ("cluster_ctaid", "__clusterRelativeBlockIdx()"), ("cluster_nctaid", "__clusterDim()"))}}

# Instructions that compute: their names, the types that may follow, and the types of the operands: T is the type, u a
# u32, W an integer of twice the bits. The function in C++ has the instruction's name, with _ for dots.
COMPUTING = (
    ("add sub", f"{INTEGERS} {REALS} {HALVES}", "TT"),
    ("mul", f"{REALS} {HALVES}", "TT"),
    ("mul.lo mul.hi mul.wide", INTEGERS, "TT"),
    ("mad fma", f"{REALS} {HALVES}", "TTT"),
    ("mad.lo mad.hi", INTEGERS, "TTT"),
    ("mad.wide", "u16 s16 u32 s32", "TTW"),
    ("mul24.lo", "u32 s32", "TT"),
    ("mad24.lo", "u32 s32", "TTT"),
    ("sad", INTEGERS, "TTT"),
    ("div", f"{INTEGERS} {REALS}", "TT"),
    ("rem", INTEGERS, "TT"),
    ("min max", f"{INTEGERS} {REALS} {HALVES}", "TT"),
    ("neg abs", f"{SIGNED} {REALS} {HALVES}", "T"),
    ("and or xor", BITS, "TT"),
    ("not cnot", BITS, "T"),
    ("shl", BITS, "Tu"),
    ("shr", f"{BITS} {INTEGERS}", "Tu"),
    ("popc clz brev", "b32 b64", "T"),
    ("bfind bfind.shiftamt", "u32 s32 u64 s64", "T"),
    ("bfe", "u32 s32 u64 s64", "Tuu"),
    ("bfi", "b32 b64", "TTuu"),
    ("lop3", "b32", "TTTu"),
    ("prmt", "b32", "TTu"),
    ("shf.l.wrap shf.l.clamp shf.r.wrap shf.r.clamp", "b32", "TTu"),
    ("copysign", REALS, "TT"),
    ("rcp sqrt rsqrt", REALS, "T"),
    ("ex2", "f32 f16 f16x2 bf16 bf16x2", "T"),
    ("tanh", "f32 f16 f16x2 bf16 bf16x2", "T"),
    ("lg2 sin cos", "f32", "T"),
)
COMPUTED = {(name, kind): arguments for names, kinds, arguments in COMPUTING
            for name in names.split() for kind in kinds.split()}
# Directed roundings, by the letters in the names of CUDA's functions.
ROUNDINGS = {"rz": "rz", "rm": "rd", "rp": "ru"}
# Suffixes that do not change the model's result.
IGNORED = {"rn", "approx", "full", "noftz", "NaN"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
UNORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}
JOINED = {"and": "&&", "or": "||", "xor": "!="}
# Two 8-bit floats.
EIGHTS = {"e4m3x2": "__NV_E4M3", "e5m2x2": "__NV_E5M2"}
# Elements of matrices that have a type of their own.
# Of matrices: how many are in a register, and the model's name.
ELEMENTS = {"f16": (2, "FLOAT16"), "bf16": (2, "BFLOAT16"), "tf32": (1, "TF32"), "f32": (1, "FLOAT32"), "f64": (1, "FLOAT64"),
            "s8": (4, "INT8"), "u8": (4, "UINT8"), "s32": (1, "INT32"), "e4m3": (4, "FLOAT8_E4M3"), "e5m2": (4, "FLOAT8_E5M2")}
SPACES = ("global", "shared", "const", "local", "param")
WITHOUT_EFFECT = ("prefetch", "prefetchu", "discard", "applypriority", "nanosleep", "pmevent")
ATOMICS = {"add": "atomicAdd", "min": "atomicMin", "max": "atomicMax", "and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor",
           "exch": "atomicExch", "cas": "atomicCAS", "inc": "atomicInc", "dec": "atomicDec"}
# The operation of each video instruction on a lane; the half of an average is rounded away from 0, if it is not below.
VIDEO = {"vadd": "x + y", "vsub": "x - y", "vavrg": "(x + y + (x + y >= 0)) >> 1", "vabsdiff": "x < y ? y - x : x - y",
         "vmin": "x < y ? x : y", "vmax": "x > y ? x : y"}
# Types that CUDA's functions have no name for.
SAME_ATOMICS = {("add", "s64"): "u64", ("and", "b32"): "u32", ("exch", "s64"): "u64"}
HINT = re.compile(r"(L1|L2)::\S*|ca|cg|cs|lu|cv|nc|wb|wt|weak|aligned|cta|gpu|sys|cluster|mmio")


class Unsupported(Exception):
    """An unsupported instruction; the text follows `PTX` in a message."""


def refuse(instruction):
    return Unsupported(f"instruction '{instruction.name}'")


def expect(condition, instruction):
    if not condition:
        raise refuse(instruction)


def write_computing(instruction, _is_volatile):
    """An instruction that only reads and writes registers."""
    *parts, kind = instruction.parts
    name = ".".join(part for part in parts if part not in IGNORED and part not in ROUNDINGS and part not in ("ftz", "sat"))
    arguments = COMPUTED.get((name, kind))
    expect(arguments and len(instruction.operands) == len(arguments) + 1, instruction)
    wide = kind[0] + str(2 * TYPES[kind][1]) if "W" in arguments else kind
    read = [operand.read({"T": kind, "u": "u32", "W": wide}[argument])
            for argument, operand in zip(arguments, instruction.operands[1:])]
    if kind == "f32" and "ftz" in parts:
        read = [f"kg__ptx::flush({argument})" for argument in read]
    if any(isinstance(operand, list) for operand in instruction.operands):
        raise refuse(instruction)
    rounding = next((ROUNDINGS[part] for part in parts if part in ROUNDINGS), "")
    if rounding:
        expect(kind in ("f32", "f64"), instruction)
        function = {"mad": "fmaf" if kind == "f32" else "fma", "fma": "fmaf" if kind == "f32" else "fma"}.get(name)
        letter = "" if function == "fma" or function == "fmaf" else kind.replace("f32", "f").replace("f64", "d")
        value = f"__{letter}{function or name}_{rounding}({', '.join(read)})"
    else:
        # Predicates and bits are read in the same way.
        value = f"kg__ptx::{name.replace('.', '_')}_({', '.join(read)})"
    if kind == "f32" and "ftz" in parts:
        value = f"kg__ptx::flush({value})"
    if "sat" in parts:
        expect(kind == "f32" or (name in ("add", "sub") and kind == "s32"), instruction)
        value = f"__saturatef({value})" if kind == "f32" else \
            f"kg__ptx::saturated_({read[0]}, {'-1ll * ' if name == 'sub' else ''}{read[1]})"
    return instruction.operands[0].write(value)


def write_logic(instruction, _is_volatile):
    """and, or, xor and not of predicates."""
    kind, result, *operands = instruction.parts[-1], *instruction.operands
    expect(kind == "pred", instruction)
    values = [operand.read("pred") for operand in operands]
    operator = {"and": " && ", "or": " || ", "xor": " != "}.get(instruction.parts[0])
    return result.write(operator.join(values) if operator else f"!{values[0]}")


def write_comparison(instruction, _is_volatile):
    """setp."""
    _, comparison, *joined, kind = [part for part in instruction.parts if part != "ftz"]
    result, a, b, *given = instruction.operands
    expect(kind in TYPES and len(joined) == len(given), instruction)
    read = (a.read(kind), b.read(kind))
    if comparison in UNORDERED:
        value = f"(kg__ptx::unordered({read[0]}, {read[1]}) || {read[0]} {COMPARISONS[UNORDERED[comparison]]} {read[1]})"
    elif comparison in ("num", "nan"):
        value = f"{'!' if comparison == 'num' else ''}kg__ptx::unordered({read[0]}, {read[1]})"
    else:
        expect(comparison in COMPARISONS, instruction)
        value = f"kg__ptx::ordered({read[0]}, {read[1]}) && {read[0]} {COMPARISONS[comparison]} {read[1]}"
    first, second = result if isinstance(result, tuple) else (result, None)
    other = f"!({value})"
    if joined:
        expect(joined[0] in JOINED, instruction)
        value, other = (f"(({one}) {JOINED[joined[0]]} ({given[0].read('pred')}))" for one in (value, other))
    told = f"const bool kg__not = {other}; {second.write('kg__not')} " if second else ""
    return f"const bool kg__is = {value}; {told}{first.write('kg__is')}"


def write_selection(instruction, _is_volatile):
    """selp, and slct, which selects by a sign."""
    result, a, b, by = instruction.operands
    name, kind, *signed = instruction.parts
    chosen = f"{by.read(signed[0])} >= 0" if name == "slct" else by.read("pred")
    return result.write(f"{chosen} ? {a.read(kind)} : {b.read(kind)}")


def write_move(instruction, _is_volatile):
    """mov, which also packs and unpacks."""
    result, value = instruction.operands
    kind = instruction.parts[-1]
    if kind == "pred":
        return result.write(value.read("pred"))
    expect(kind in TYPES, instruction)
    bits = "u" + str(TYPES[kind][1])
    if isinstance(value, list):
        part = TYPES[bits][1] // len(value)
        return result.write(" | ".join(f"uint64_t({one.read(f'u{part}')}) << {i * part}" for i, one in enumerate(value)))
    if isinstance(result, list):
        part = TYPES[bits][1] // len(result)
        return f"const uint64_t kg__all = {value.read(bits)}; " + " ".join(
            one.write(f"uint{part}_t(kg__all >> {i * part})") for i, one in enumerate(result))
    return result.write(value.read(bits))


def write_conversion(instruction, _is_volatile):
    """cvt."""
    *parts, to, of = instruction.parts[1:]
    result, *values = instruction.operands
    roundings = [part for part in parts if re.fullmatch(r"r[nzmp]i?|rna", part)]
    # The letter, uppercase when rounding to a whole number.
    rounding = "".join(roundings)[1:2] or "n"
    rounding = rounding.upper() if "".join(roundings).endswith("i") else rounding
    expect(not set(parts) - set(roundings) - {"ftz", "sat", "satfinite"} and len(values) in (1, 2), instruction)
    if to in EIGHTS and (of, len(values)) in (("f32", 2), ("f16x2", 1)):
        pair = values[0].read(of)
        pair = f"__high2float({pair}), __low2float({pair})" if of == "f16x2" else f"{pair}, {values[1].read(of)}"
        return result.write(f"kg__ptx::to_eights({pair}, {EIGHTS[to]})")
    if of in EIGHTS and to == "f16x2":
        return result.write(f"__half2(__nv_cvt_fp8x2_to_halfraw2({values[0].read('u16')}, {EIGHTS[of]}))")
    if to in ("f16x2", "bf16x2") and of == "f32" and len(values) == 2 and rounding in "nz":
        half = to[:-2]
        high, low = (f"uint32_t(kg__ptx::bits(kg__ptx::convert<{TYPES[half][0]}, '{rounding}'>({value.read(of)})))"
                     for value in values)
        return result.write(f"{high} << 16 | {low}")
    expect(len(values) == 1 and to in TYPES and of in TYPES and "x2" not in to + of and of != "tf32", instruction)
    if to == "tf32":
        return result.write(f"kg__ptx::to_tf32({values[0].read('f32')})")
    value = values[0].read(of)
    if "ftz" in parts and of == "f32":
        value = f"kg__ptx::flush({value})"
    value = f"kg__ptx::convert<{TYPES[to][0]}, '{rounding}'{', true' if 'sat' in parts else ''}>({value})"
    return result.write(value)


class Access:
    """The parts of the name of an instruction that accesses memory."""

    def __init__(self, instruction):
        parts = [part.split("::")[0] if part.startswith(SPACES) else part for part in instruction.parts]
        self.space = next((part for part in parts if part in SPACES), "generic")
        self.order = next((part for part in parts if part in ("volatile", "relaxed", "acquire", "release", "acq_rel")), "")
        self.scope = "_block" if "cta" in parts else ""
        self.kind = parts[-1]
        self.lanes = next((int(part[1:]) for part in parts if re.fullmatch(r"v[248]", part)), 1)
        self.rest = [part for part in parts[1:-1] if part not in SPACES and part != self.order and not HINT.fullmatch(part) and
                     not re.fullmatch(r"v[248]", part)]
        expect(self.kind in TYPES and self.space != "param" and self.lanes * TYPES[self.kind][1] <= 128, instruction)

    def bits(self):
        """The type as moved."""
        return TYPES[self.kind][0] if self.kind[0] in "us" else f"uint{TYPES[self.kind][1]}_t"

    def release(self):
        return f" kg__model_fence{self.scope}();" if self.order in ("release", "acq_rel") else ""

    def acquire(self):
        return " kg__model_acquire();" if self.order in ("acquire", "acq_rel") else ""


def write_load(instruction, is_volatile):
    """ld, ldu."""
    access = Access(instruction)
    result, address = instruction.operands[:2]
    results = result if isinstance(result, list) else [result]
    expect(not access.rest and len(results) == access.lanes, instruction)
    how = f"{'acquire' if access.order == 'acquire' else 'volatile'}_load" if access.order else "load" if is_volatile else "any_load"
    loaded = f"kg__ptx::{how}<{access.bits()}, {access.lanes}>({address.read(access.space)})"
    return f"const auto kg__loaded = {loaded}; " + " ".join(
        one.write(f"kg__loaded.value[{i}]") for i, one in enumerate(results)) + access.acquire()


def write_store(instruction, _is_volatile):
    """st."""
    access = Access(instruction)
    address, value = instruction.operands[:2]
    values = value if isinstance(value, list) else [value]
    expect(not access.rest and len(values) == access.lanes, instruction)
    unsigned = f"u{TYPES[access.kind][1]}"
    read = ", ".join(one.read(unsigned) for one in values)
    how = "volatile_store" if access.order else "store"
    return f"{access.release()} kg__ptx::{how}<{TYPES[unsigned][0]}, {access.lanes}>({address.read(access.space)}, " \
        f"{{ {{ {read} }} }});"


def write_atomic(instruction, _is_volatile):
    """atom and red."""
    instruction.parts.sort(key=lambda part: part in TYPES)  # before the operation, or behind it
    access = Access(instruction)
    rest = [part for part in access.rest if part != "noftz"]
    expect(len(rest) == 1 and rest[0] in ATOMICS, instruction)
    operation = rest[0]
    kind = SAME_ATOMICS.get((operation, access.kind), access.kind)
    is_bits = operation in ("and", "or", "xor", "exch", "cas")
    kind = "u" + kind[1:] if is_bits and kind[0] == "b" else kind
    has_result = instruction.parts[0] == "atom"
    operands = instruction.operands[has_result:]
    expect(len(operands) >= (3 if operation == "cas" else 2), instruction)
    is_vector = access.lanes > 1
    expect(not is_vector or (operation, kind, has_result, len(operands[1])) == ("add", "f32", False, access.lanes), instruction)
    values = ", ".join(operand.read(kind) for operand in (operands[1] if is_vector else operands[1:3 if operation == "cas" else 2]))
    name = TYPES[kind][0] + (str(access.lanes) if is_vector else "")
    scope = access.scope if access.kind[1:] in ("32", "64") else ""
    call = f"{ATOMICS[operation]}{scope}(static_cast<{name} *>({operands[0].read(access.space)}), " \
        f"{f'{name}{{ {values} }}' if is_vector else values})"
    done = instruction.operands[0].write(f"kg__ptx::bits({call})") if has_result else f"static_cast<void>({call});"
    return f"{access.release()} {done}{access.acquire()}"


def write_address(instruction, _is_volatile):
    """cvta and isspacep."""
    result, value = instruction.operands
    parts = [part.split("::")[0] for part in instruction.parts]
    if parts[0] == "isspacep":
        expect(parts[1] in ("global", "shared", "const", "local"), instruction)
        name = {"const": "Constant"}.get(parts[1], parts[1].capitalize())
        return result.write(f"__is{name}({pointer_of(value)}) != 0")
    space = next((part for part in parts if part in SPACES), "")
    if space == "shared" and parts[1] == "to":
        return result.write(f"__cvta_generic_to_shared({pointer_of(value)})")
    if space == "shared":
        return result.write(f"reinterpret_cast<uint64_t>(kg__ptx::shared_at({value.read('u64')}, 0))")
    return result.write(value.read("u64"))


def pointer_of(value):
    return f"kg__ptx::at({value.read('u64')}, 0)"


def write_fence(instruction, _is_volatile):
    """membar, fence."""
    if {"proxy", "mbarrier_init"} & set(instruction.parts):
        spaces = 2 if "global" in instruction.parts else 1 if any(part.startswith("shared") for part in instruction.parts) else 3
        return f"kg__model_fence_proxy({spaces});" if "async" in instruction.parts else ""
    return f"kg__model_fence{'_block' if 'cta' in instruction.parts else ''}();"


def write_shuffle(instruction, _is_volatile):
    """shfl.sync."""
    _, sync, mode, kind = (instruction.parts + ["", "", ""])[:4]
    modes = {"idx": "", "up": "_UP", "down": "_DOWN", "bfly": "_XOR"}
    expect(sync == "sync" and mode in modes and kind == "b32" and len(instruction.operands) == 5, instruction)
    result, value, lane, clamp, mask = instruction.operands
    first, second = result if isinstance(result, tuple) else (result, None)
    operands = ", ".join(operand.read("u32") for operand in (value, lane, clamp, mask))
    told = f" {second.write('kg__shuffled.inside')}" if second else ""
    return f"const auto kg__shuffled = kg__ptx::shuffle(KG__MODEL_SHUFFLE{modes[mode]}, {operands}); " \
        f"{first.write('kg__shuffled.value')}{told}"


def write_vote(instruction, _is_volatile):
    """vote.sync, match.sync, redux.sync, activemask, elect.sync."""
    name = instruction.parts[0]
    operands = instruction.operands
    result = operands[0]
    if name == "activemask":
        return result.write("__activemask()")
    expect("sync" in instruction.parts, instruction)
    parts = [part for part in instruction.parts if part != "sync"]
    mask = operands[-1].read("u32")
    if name == "elect":
        first, second = result
        return f"{first.write(f'__builtin_ctz({mask})')} __syncwarp({mask}); " \
            f"{second.write(f'kg__ptx::lane() == unsigned(__builtin_ctz({mask}))')}"
    kind = instruction.parts[-1]
    if name == "vote":
        function = {"ballot": "__ballot_sync", "all": "__all_sync", "any": "__any_sync",
                    "uni": "kg__ptx::uniform"}.get(parts[1])
        expect(function, instruction)
        call = f"{function}({mask}, {operands[1].read('pred')})"
        return result.write(call if parts[1] == "ballot" else f"{call} != 0")
    if name == "match":
        if parts[1] == "any":
            return result.write(f"__match_any_sync({mask}, {operands[1].read(kind)})")
        first, second = result if isinstance(result, tuple) else (result, None)
        told = f" {second.write('kg__all != 0')}" if second else ""
        return f"int kg__all = 0; {first.write(f'__match_all_sync({mask}, {operands[1].read(kind)}, &kg__all)')}{told}"
    operation = parts[1]
    expect(operation in ("add", "min", "max", "and", "or", "xor") and kind in ("u32", "s32", "b32"), instruction)
    return result.write(f"__reduce_{operation}_sync({mask}, {operands[1].read(kind)})")


def write_copy(instruction, _is_volatile):
    """cp.async without bulk."""
    parts = instruction.parts
    if parts[2] == "commit_group":
        return "kg__model_commit_copies();"
    if parts[2] == "wait_all":
        return "kg__model_commit_copies(); kg__model_wait_for_copies(0);"
    if parts[2] == "wait_group":
        return f"kg__model_wait_for_copies({instruction.operands[0].read('u32')});"
    expect(parts[2] in ("ca", "cg") and len(instruction.operands) >= 3, instruction)
    to, source, size, *rest = instruction.operands
    # A cache hint is the last operand.
    read = rest[0].read("u32") if len(rest) > any("cache_hint" in part for part in parts) else size.read("u32")
    return f"kg__ptx::copy({to.read('shared')}, {source.read('global')}, {size.read('u32')}, {read});"


def write_matrix_move(instruction, _is_volatile):
    """ldmatrix, stmatrix."""
    name = instruction.parts[0]
    count = next((int(part[1]) for part in instruction.parts if re.fullmatch(r"x[124]", part)), 0)
    expect(count and "m8n8" in instruction.parts and instruction.parts[-1] == "b16", instruction)
    trans = "true" if "trans" in instruction.parts else "false"
    words, address = instruction.operands if name == "ldmatrix" else instruction.operands[::-1]
    words = words if isinstance(words, list) else [words]
    expect(len(words) == count, instruction)
    where = address.read("shared" if any(part.startswith("shared") for part in instruction.parts) else "generic")
    if name == "ldmatrix":
        return f"const auto kg__loaded = kg__ptx::load_matrices<{count}, {trans}>({where}); " + " ".join(
            word.write(f"kg__loaded.value[{i}]") for i, word in enumerate(words))
    return f"kg__ptx::store_matrices<{count}, {trans}>({where}, {{ {{ {', '.join(word.read('b32') for word in words)} }} }});"


def write_product(instruction, _is_volatile):
    """mma.sync of m16n8, and of m8n8 for integers: k follows from the types and from the 32-bit registers of a and b."""
    parts = [part for part in instruction.parts if part not in ("satfinite", "sync", "aligned")]
    expect(len(parts) == 8 and parts[2:4] == ["row", "col"] and len(instruction.operands) == 4, instruction)
    _, shape, _, _, to, a, b, c = parts
    match = re.fullmatch(r"m(16|8)n8k(\d+)", shape)
    expect(match and all(kind in ELEMENTS for kind in (to, a, b, c)) and to == c and a not in ("f32", "s32"), instruction)
    (size, _), rows, depth = ELEMENTS[a], int(match[1]), int(match[2])
    registers = depth / (4 * size)
    sums = "f64" if a == "f64" else "s32" if a in ("s8", "u8") else "f32"
    expect(size == ELEMENTS[b][0] and (a == b or size == 4 and (a[0] == "e") == (b[0] == "e")) and
           (to == sums or to == a == "f16"), instruction)
    expect((rows, depth) == (8, 4) if a == "f64" else rows == 8 and depth == 16 and sums == "s32" or
           rows == 16 and registers in ((2,) if a[0] == "e" else (1, 2)), instruction)
    registers = int(registers)
    of_sums = rows // (8 if to == "f16" else 4)
    expect([len(operand) for operand in instruction.operands] == [of_sums, registers * rows // 8, registers, of_sums], instruction)
    lists = ", ".join(f"{{ {{ {', '.join(one.read('b64' if a == 'f64' else 'b32') for one in operand)} }} }}"
                      for operand in instruction.operands[1:])
    words = [*(f"KG__MODEL_{ELEMENTS[kind][1]}" for kind in (a, b, to)), size, registers,
             str("satfinite" in instruction.parts).lower(), rows, *(["uint64_t"] if a == "f64" else [])]
    return f"const auto kg__product = kg__ptx::multiply<{', '.join(map(str, words))}>({lists}); " + " ".join(
        one.write(f"kg__product.value[{i}]") for i, one in enumerate(instruction.operands[0]))


def write_transposition(instruction, _is_volatile):
    """movmatrix."""
    result, word = instruction.operands
    return result.write(f"kg__ptx::transpose({word.read('b32')})")


def write_dot(instruction, _is_volatile):
    """dp4a."""
    _, a, b = instruction.parts
    expect(a == b, instruction)
    result, *operands = instruction.operands
    return result.write(f"__dp4a({', '.join(operand.read(a) for operand in operands)})")


def write_video(instruction, _is_volatile):
    """SIMD video instructions and the scalar ones of their names: all lanes of a and b, without masks. The
    secondary operation adds up the lanes' results and c, or compares the one result with c; without it c has no effect."""
    name, *parts = instruction.parts
    operation, lanes = (name[:-1], name[-1]) if name[-1] in "24" else (name, "1")
    expect(len(parts) >= 3 and all(part in ("u32", "s32") for part in parts[:3 - (operation == "vset")]), instruction)
    kinds = parts[:2] if operation == "vset" else parts[1:3]
    rest = [part for part in parts[3:] if part != "sat"]
    seconds = ("add",) if lanes != "1" else ("add", "min", "max")
    expect(not rest or len(rest) == 1 and rest[0] in seconds, instruction)
    result, a, b, *c = instruction.operands
    expect(len(c) == (1 if rest or lanes != "1" else 0), instruction)
    signs = [str(kind == "s32").lower() for kind in kinds]
    sign = str(operation != "vset" and parts[0] == "s32").lower()
    if operation == "vset":
        expect(parts[2] in COMPARISONS and "sat" not in parts, instruction)
        value = f"x {COMPARISONS[parts[2]]} y"
    else:
        value = VIDEO[operation]
    called = f"kg__ptx::video<{lanes}, {signs[0]}, {signs[1]}, {sign}, {str('sat' in parts).lower()}>"
    function = f"[](int64_t x, int64_t y) {{ return int64_t({value}); }}"
    second = f"kg__ptx::{rest[0]}_second" if rest else "kg__ptx::no_second"
    return result.write(f"{called}({function}, {second}, {', '.join(one.read(kind) for one, kind in zip((a, b, *c), (*kinds, 'u32')))})")


WRITERS = {"setp": write_comparison, "selp": write_selection, "slct": write_selection, "mov": write_move, "cvt": write_conversion, "ld": write_load,
           "ldu": write_load, "st": write_store, "atom": write_atomic, "red": write_atomic, "cvta": write_address,
           "isspacep": write_address, "membar": write_fence, "fence": write_fence, "shfl": write_shuffle,
           **dict.fromkeys(("vote", "match", "redux", "activemask", "elect"), write_vote), "mma": write_product, "dp4a": write_dot,
           "ldmatrix": write_matrix_move, "stmatrix": write_matrix_move, "movmatrix": write_transposition,
           **{name + lanes: write_video for name in (*VIDEO, "vset") for lanes in ("", "2", "4") if name + lanes != "vavrg"},
           "createpolicy": lambda instruction, _: instruction.operands[0].write("0u"),
           "griddepcontrol": lambda instruction, _: GRIDS[instruction.parts[1]],
           "trap": lambda *_: "__trap();", "brkpt": lambda *_: "__brkpt();"}
GRIDS = {"wait": "cudaGridDependencySynchronize();", "launch_dependents": "cudaTriggerProgrammaticLaunchCompletion();"}
LOGIC = ("and", "or", "xor", "not")


def find_writer(instruction):
    name = instruction.parts[0]
    if name in LOGIC and instruction.parts[-1] == "pred":
        return write_logic
    if name == "cp" and not {"bulk", "mbarrier"} & set(instruction.parts):
        expect(instruction.parts[1] == "async", instruction)
        return write_copy
    return WRITERS.get("addc" if "cc" in instruction.parts else name, write_computing)


def write(instruction, is_volatile):
    """The statements of an instruction in C++; raises Unsupported."""
    if instruction.parts[0] in WITHOUT_EFFECT:
        return ""
    try:
        return find_writer(instruction)(instruction, is_volatile)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # The number or kind of operands is wrong.
        raise refuse(instruction) from error
