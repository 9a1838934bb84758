# SPDX-License-Identifier: MIT
"""A cubin of one kernel, as nvcc lays them out, for the tests of what reads them."""

import struct

KERNEL = "_Z5tiledPf"
LOAD_128, LOAD_32, FFMA = (0x04060C7981, 0x4EE8000C1E1D00), (0x0404020B7981, 0x4EA8000C1E1900), (0x0F0F7823, 0x8FC80000000000)
REGISTERS, STACK, FRAME = 0x2F, 0x12, 0x11  # of .nv.info


def cubin_of(architecture=90, kernel=KERNEL, registers=32, code=(LOAD_128, FFMA), shared=0, stack=0, frame=0):
    """A cubin of one kernel."""
    names = b"\0.text.k\0.nv.info\0.nv.shared.k\0" + kernel.encode() + b"\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", names.index(kernel.encode()), 0x12, 0x10, 4, 0, 0)
    info = b"".join(struct.pack("<BBHII", 4, attribute, 8, 1, figure)
                    for attribute, figure in ((REGISTERS, registers), (STACK, stack), (FRAME, frame)))
    text = b"".join(struct.pack("<QQ", *words) for words in code)
    parts = [(0, 3, names, 0, 0, 0), (0, 2, symbols, 1, 0, 24), (names.index(b".nv.info"), 0x70000000, info, 2, 0, 0),
             (names.index(b".text"), 1, text, 2, 1, 0), (names.index(b".nv.shared"), 8, b"", 0, 4, 0)]
    headers, data = bytes(64), b""
    for name, kind, part, link, about, size in parts:
        headers += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, 64 + 6 * 64 + len(data), shared if kind == 8 else len(part), link,
                               about, 4, size)
        data += part + bytes(-len(part) % 16)
    about = struct.pack("<4sBBBBB7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0x41, 8, 2, 190, 1, 0, 0, 64, architecture << 8, 64, 0,
                        0, 64, 6, 1)
    return about + headers + data
