# SPDX-License-Identifier: MIT
"""Makes the device code of an object file local to it, as nvcc does without -rdc, and reads its symbols.

The qualifiers of the model's cuda_runtime.h give only device code internal visibility. Such symbols become local, so
that another file's kernel, function or array of the same name is a different one. Other files can still call a
kernel's launch, or a function for host and device, through a weak symbol."""

import os
import struct
import subprocess
from collections import namedtuple

HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
SYMTAB, RELA = 2, 4
LOCAL, GLOBAL, WEAK = 0, 1, 2
OBJECT, FUNCTION = 1, 2
INTERNAL = 1
UNDEFINED, RESERVED = 0, 0xff00
# The alignment that __shared__ gives arrays in the model's cuda_runtime.h.
SHARED_ALIGNMENT = 65536


# A symbol of a relocatable object. section: its name, "" if the symbol is undefined, None if it has none; alignment: the section's;
# holds_device: whether it is a table of virtual functions, some of them device code. (typing.NamedTuple takes longer to import than
# the rest of this.)
Symbol = namedtuple("Symbol", "name bind kind visibility section alignment value size holds_device")


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode(errors="surrogateescape")


def read_symbols(path):
    """The symbols of a 64-bit little-endian object file; none for any other file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    header = HEADER.unpack_from(data)
    offset, count, names_at = header[5], header[11], header[12]
    first = SECTION.unpack_from(data, offset)
    # If there are too many sections, the first section's header counts them.
    count, names_at = count or first[5], first[6] if names_at == 0xffff else names_at
    sections = [SECTION.unpack_from(data, offset + i * SECTION.size) for i in range(count)]
    content = lambda section: data[section[4]:section[4] + section[5]]  # noqa: E731
    names = content(sections[names_at])
    symbols = []
    for table in (section for section in sections if section[1] == SYMTAB):
        strings = content(sections[table[6]])
        rows = list(SYMBOL.iter_unpack(content(table)))
        device = {section[7] for section in sections
                  if section[1] == RELA and b"_ZTV" in names[section[0]:names.index(b"\0", section[0])] and
                  any(rows[info >> 32][2] & 3 == INTERNAL for _, info, _ in RELOCATION.iter_unpack(content(section)))}
        for name, info, other, index, value, size in rows:
            is_placed = UNDEFINED < index < RESERVED
            where = text_at(names, sections[index][0]) if is_placed else "" if index == UNDEFINED else None
            symbols.append(Symbol(text_at(strings, name), info >> 4, info & 15, other & 3, where,
                                  sections[index][8] if is_placed else 0, value, size, index in device))
    return symbols


def is_of_device(symbol):
    """Whether a symbol is device code visible to other files, or a table of such functions. A class's table may be in one file alone."""
    return symbol.section and symbol.bind != LOCAL and (symbol.visibility == INTERNAL or symbol.holds_device)


def is_shared_in_file(symbol):
    """Whether a symbol is a __shared__ array outside of any function."""
    return symbol.kind == OBJECT and symbol.alignment == SHARED_ALIGNMENT and symbol.section.startswith(".bss.") and \
        not symbol.name.startswith("_ZZ")


def constant_bytes(symbols):
    """The bytes of an object's __constant__ variables."""
    return sum(symbol.size for symbol in symbols if symbol.section == "kg_constant")


def separate(command, path, symbols):
    """Makes the device code local in the object that a compiler's command has made, with these symbols; the exit code."""
    if not any(symbol.visibility == INTERNAL and is_of_device(symbol) or is_shared_in_file(symbol) for symbol in symbols):
        return 0
    compiler = command[:next((i for i, word in enumerate(command) if word.startswith("-")), len(command))]
    joined, options = f"{path}.joined", f"{path}.options"
    # The linker drops all but one file's sections of a group, whatever binding the symbols have.
    done = subprocess.run([*compiler, "-r", "-nostdlib", "-Wl,--force-group-allocation", path, "-o", joined], check=False)
    if done.returncode == 0:
        words = []
        for symbol in read_symbols(joined):
            if is_of_device(symbol):
                words.append(f"--localize-symbol={symbol.name}")
                if symbol.bind == GLOBAL and symbol.kind == FUNCTION:
                    words.append(f"--add-symbol={symbol.name}={symbol.section}:{symbol.value:#x},function,weak")
            if is_shared_in_file(symbol):
                words.append(f"--rename-section={symbol.section}=kg_shared")
        with open(options, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join(words))
        done = subprocess.run(["objcopy", f"@{options}", joined, path], check=False)
    for made in (joined, options):
        if os.path.exists(made):
            os.remove(made)
    return done.returncode
