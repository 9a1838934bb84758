# SPDX-License-Identifier: MIT
"""The kernels in a program or a cubin, read from its machine code, which needs no GPU and no disassembler."""

import io
import mmap
import re
import struct
from collections import Counter

MAGIC = b"\x7fELF\x02\x01"
CUDA_MACHINE, EXECUTABLE = 190, 2
NEWER_ABI = 8  # from this version on another byte of the flags has the architecture
UNNAMED = "12_GLOBAL__N_1"  # g++'s name of an unnamed namespace, with its length
SYMBOL = struct.Struct("<IBBHQQ")
FUNCTION, KERNEL_MARK = 2, 0x10
# An item of .nv.info: a format, an attribute, and two bytes with the value, or the payload's size.
WITH_PAYLOAD, FRAME_SIZE, STACK_SIZE, REGISTER_COUNT = 0x04, 0x11, 0x12, 0x2F
UNKNOWN_STACK = 2**32 - 1  # of recursive functions
FIRST_WITH_RESERVED, RESERVED_SHARED = 90, 1024  # from this architecture on shared memory includes the system's reservation

# From sm_70 on an instruction has 128 bits. The lowest 9 are its opcode, except for the bits that give the operands'
# places; names as in nvdisasm 13, for nvcc 13.0's code for sm_75 to sm_120.
FIRST_WITH_OPCODES, FIRST_BLACKWELL = 70, 100
OPCODE_MASK = 0x1FF
ASYNC_COPY = 0x1AE  # LDGSTS
HFMA2_OR_IADD = 0x35  # HFMA2.MMA; sm_100 uses this opcode for an integer addition
ACCESSES = {  # in widths of 8 to 128 bits
    0x180: "global_load",  # LD
    0x181: "global_load",  # LDG
    0x185: "global_store",  # ST
    0x186: "global_store",  # STG
    0x184: "shared_load",  # LDS
    0x188: "shared_store",  # STS
    0x183: "local_load",  # LDL
    0x187: "local_store",  # STL
    ASYNC_COPY: "async_copy",
}
CLASSES = {
    0x03B: "matrix_load",  # LDSM
    0x18A: "atomic",  # ATOM
    0x1A2: "atomic",  # ATOM
    0x1A8: "atomic",  # ATOMG
    0x1A9: "atomic",  # ATOMG.CAS
    0x18E: "atomic",  # RED
    0x1A6: "atomic",  # REDG
    0x18C: "shared_atomic",  # ATOMS
    0x18D: "shared_atomic",  # ATOMS.CAS
    0x023: "ffma",
    0x02B: "dfma",
    0x031: "hfma2",
    HFMA2_OR_IADD: "hfma2",
    0x03C: "hmma",
    0x037: "imma",
    0x03F: "dmma",
    0x03D: "bmma",
    0x1F0: "wgmma",  # HGMMA
    0x1F1: "wgmma",  # IGMMA
    0x1F3: "wgmma",  # QGMMA
    0x11D: "barrier",  # BAR
}
ORDER = [f"{name}_{8 << width}" for name in dict.fromkeys(ACCESSES.values()) for width in range(5)] + list(dict.fromkeys(CLASSES.values()))


def _class_of(low, high, architecture):
    opcode = low & OPCODE_MASK
    if opcode not in ACCESSES:
        return None if opcode == HFMA2_OR_IADD and architecture >= FIRST_BLACKWELL else CLASSES.get(opcode)
    code = high >> 9 & 7
    if opcode == ASYNC_COPY and architecture >= FIRST_BLACKWELL:
        code = (high >> 10 & 3) + 4
    # 8 and 16 bits have a signed and an unsigned code; 7 is unknown.
    return f"{ACCESSES[opcode]}_{8 << (code // 2 if code < 4 else min(code - 2, 4))}"


def count_instructions(code, architecture):
    """The number of instructions of each class in machine code; none before sm_70, whose encoding differs."""
    if architecture < FIRST_WITH_OPCODES:
        return {}
    counts = Counter(_class_of(low, high, architecture) for low, high in struct.iter_unpack("<QQ", code[: len(code) // 16 * 16]))
    return {name: counts[name] for name in ORDER if counts[name]}


def _info(data):
    """The figures in .nv.info, by attribute and symbol."""
    found, at = {}, 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at + 2:at + 4], "little") if data[at] == WITH_PAYLOAD else 0
        if size > len(data) - at - 4:
            break
        if size >= 8:
            symbol, figure = struct.unpack_from("<II", data, at + 4)
            found.setdefault((data[at + 1], symbol), figure)
        at += 4 + size
    return found


def _kernels_of(elf, architecture):
    """The kernels of one linked cubin."""
    sections = list(elf.iter_sections())
    symbols = next((section for section in sections if section["sh_type"] == "SHT_SYMTAB"), None)
    info = elf.get_section_by_name(".nv.info")
    if symbols is None:
        return
    shared = {section["sh_info"]: section["sh_size"] for section in sections if section.name.startswith(".nv.shared.")}
    figures = _info(info.data() if info is not None else b"")
    names = sections[symbols["sh_link"]]
    for number, entry in enumerate(SYMBOL.iter_unpack(symbols.data())):
        name, kind, other, place, _, _ = entry
        if (kind & 0xF != FUNCTION or not other & KERNEL_MARK or not 0 < place < len(sections)
                or sections[place]["sh_type"] != "SHT_PROGBITS"):
            continue
        stack = figures.get((STACK_SIZE, number), 0)
        if stack == UNKNOWN_STACK:
            stack = figures.get((FRAME_SIZE, number), 0)
        static = shared.get(place, 0)
        if architecture >= FIRST_WITH_RESERVED and static >= RESERVED_SHARED:
            static -= RESERVED_SHARED
        code = sections[place].data()
        yield {"name": names.get_string(name), "architecture": architecture, "static_shared": static, "local_bytes": stack,
               "registers": figures.get((REGISTER_COUNT, number), 0) & 0x7FFF, "code_bytes": len(code),
               "instructions": count_instructions(code, architecture)}


def _cubins(data):
    """The offsets of the linked cubins in a file's bytes."""
    at = data.find(MAGIC)
    while at >= 0:
        if data[at + 16:at + 20] == struct.pack("<HH", EXECUTABLE, CUDA_MACHINE):
            yield at
        at = data.find(MAGIC, at + len(MAGIC))


def _read_cubin(data):
    """The kernels of the linked cubin that these bytes begin with; none if it is damaged."""
    # Imported here: it takes 0.05 s, which most commands do not need.
    # pylint: disable=import-outside-toplevel
    from elftools.common.exceptions import ELFError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(io.BytesIO(data))
        return list(_kernels_of(elf, elf.header["e_flags"] >> (8 if data[8] >= NEWER_ABI else 0) & 0xFF))
    except (ELFError, ConstructError, ValueError, LookupError, struct.error, OverflowError, TypeError, AttributeError):
        return []


def read_kernels(path):
    """The kernels in a program or a cubin: {"name" as mangled by nvcc, "architecture" (90 for sm_90 and sm_90a),
    "registers" and "local_bytes" (stack, arrays and spills) per thread, "static_shared" per block without the
    system's reservation, "code_bytes", "instructions": {CLASS: COUNT}, without those of linked functions}. No
    kernels for cubins that nvcc compressed (--compress-mode=size), damaged ones, or an unreadable file."""
    kernels = []
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for at in _cubins(data):
                kernels += _read_cubin(data[at:])
    except (OSError, ValueError):
        pass
    return kernels


def plain_name(mangled):
    """A mangled name in a form common to nvcc and g++: without the mark of static functions, and with one name for
    every unnamed namespace."""
    name = ""
    at = 0
    while at < len(mangled):
        number = re.match("[0-9]+", mangled[at:])
        end = at + (len(number[0]) if number else 1)
        if number and mangled.startswith("_GLOBAL__N_", end) and int(number[0]) <= len(mangled) - end:
            name += UNNAMED
            end += int(number[0])
        elif not re.match("L[0-9]", mangled[at:]):
            name += mangled[at:end]
        at = end
    return name
