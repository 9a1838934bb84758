# SPDX-License-Identifier: MIT
"""The kernels that are read from cubins, and the classes of their instructions."""

import random
import tempfile
import unittest

from fake_cubin import FFMA, KERNEL, LOAD_128, cubin_of
from kernelgate.code.cubin import count_instructions, read_kernels
import struct

# As nvdisasm 13.2 shows and names what nvcc 13.0 generated: both words, the architecture, the class.
INSTRUCTIONS = (
    (0x0000000402007986, 0x001fe2000c101d04, 100, "global_store_128"),
    (0x0000000402027981, 0x002ea2000c1e1b00, 100, "global_load_64"),
    (0x00000404020b7981, 0x004ea8000c1e1900, 100, "global_load_32"),
    (0x0000000b02007986, 0x004fe8000c101904, 100, "global_store_32"),
    (0x00000004060c7981, 0x004ee8000c1e1d00, 100, "global_load_128"),
    (0x00000000ff0d7431, 0x000fe400000001ff, 100, "hfma2"),
    (0x40400000080f7823, 0x008fc8000000000f, 100, "ffma"),
    (0x0000000a0c1b7981, 0x000f28000c1e1500, 100, "global_load_16"),
    (0x0000000a10197981, 0x000f22000c1e1100, 100, "global_load_8"),
    (0x000000081c007388, 0x0003e80000000c00, 100, "shared_store_128"),
    (0x000000161d007388, 0x004fe20000000a00, 100, "shared_store_64"),
    (0x0000001a09007388, 0x0083e40000000800, 100, "shared_store_32"),
    (0x0000001b08007388, 0x010fe80000000400, 100, "shared_store_16"),
    (0x000000190a007388, 0x0005e20000000000, 100, "shared_store_8"),
    (0x0000000000007b1d, 0x000fec0000010000, 100, "barrier"),
    (0x3ff800001a08782b, 0x008fc40000000008, 100, "dfma"),
    (0x000000081c007986, 0x0003e2000c101b0a, 100, "global_store_64"),
    (0x0000fc0005057984, 0x000fe80000000800, 100, "shared_load_32"),
    (0x0003f00008087984, 0x000e680000000c00, 100, "shared_load_128"),
    (0x00007e001d1d7984, 0x000fe20000000400, 100, "shared_load_16"),
    (0x0001f8001c147984, 0x000ea80000000a00, 100, "shared_load_64"),
    (0x00003f00181b7984, 0x0000e40000000000, 100, "shared_load_8"),
    (0x0000001d0c007986, 0x000fe8000c10150a, 100, "global_store_16"),
    (0x0000001b10007986, 0x0087e8000c10110a, 100, "global_store_8"),
    (0x00000013060079a6, 0x0001e8000c12f30a, 100, "atomic"),
    (0x80000011081179a8, 0x000ea200081ef10a, 100, "atomic"),
    (0x0000000302ff038c, 0x000fe80000000000, 100, "shared_atomic"),
    (0x8000000702ff79a2, 0x0043e2000c10e10a, 100, "atomic"),
    (0x0000000a02007980, 0x000ea4000c101900, 100, "global_load_32"),
    (0x0000000702007985, 0x0001e4000c10190a, 100, "global_store_32"),
    (0x000000040e027980, 0x004ea8000c101b00, 100, "global_load_64"),
    (0x000000060208723f, 0x00462400000000ff, 100, "dmma"),
    (0x0000000802007985, 0x001fe2000c101d04, 100, "global_store_128"),
    (0x0000000608047237, 0x000fe200004054ff, 100, "imma"),
    (0x000000100414723c, 0x041ff000000018ff, 100, "hmma"),
    (0x0000001001007387, 0x0043e80000100c00, 100, "local_store_128"),
    (0x000000000c057983, 0x000ea20000100800, 100, "local_load_32"),
    (0x000000050c007387, 0x0001e80000100800, 100, "local_store_32"),
    (0x0000000001047983, 0x00fea80000100c00, 100, "local_load_128"),
    (0x0000780c01007387, 0x010fe80000100a00, 100, "local_store_64"),
    (0x0001900001087983, 0x001f680000300a00, 100, "local_load_64"),
    (0x00000010ff037435, 0x000fe200000001ff, 80, "hfma2"),
    (0x0000000d1400798e, 0x000fe8000c10e786, 80, "atomic"),
    (0x000000000808783b, 0x000e240000000200, 100, "matrix_load"),
    (0x00000000020d7fae, 0x0083e4000b981804, 100, "async_copy_128"),
    (0x00000000080f7fae, 0x0005e4000b9a1404, 100, "async_copy_64"),
    (0x000000000a137fae, 0x0007e2000b9a1004, 100, "async_copy_32"),
    (0x00000004040c723d, 0x000ff600000154ff, 80, "bmma"),
    (0x00000000020f7fae, 0x0003e2000b901c44, 80, "async_copy_128"),
    (0x0040000008157fae, 0x0005e6000b921a44, 80, "async_copy_64"),
    (0x006000000a177fae, 0x000fe8000b921844, 80, "async_copy_32"),
    (0x00000000041c79f0, 0x000fe2000c0018ff, 90, "wgmma"),
    (0x00000000041879f1, 0x000fe6000c0410ff, 90, "wgmma"),
    (0x00000000042079f3, 0x000fe2000c0008ff, 90, "wgmma"),
    (0x0000000402027981, 0x002ea2000c1e1b00, 61, None),
    (0x0000000000000000, 0x0000000000000000, 90, None),
)


class Cubins(unittest.TestCase):
    def read(self, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            return read_kernels(file.name)

    def test_classes_are_as_the_disassembler_names_them(self):
        for low, high, architecture, name in INSTRUCTIONS:
            counts = count_instructions(struct.pack("<QQ", low, high), architecture)
            self.assertEqual(counts, {name: 1} if name else {}, hex(low))
        code = struct.pack("<QQQQQ", *FFMA, *FFMA, LOAD_128[0])
        self.assertEqual(count_instructions(code, 90), {"ffma": 2}, "half an instruction is none")

    def test_kernels_of_a_program(self):
        """Of what is linked; its figures, without the shared memory that the system reserves."""
        later = bytearray(cubin_of())
        later[16] = 1  # to be linked yet
        kernels = self.read(b"not yet \x7fELF\2\1".ljust(64, b"\0") + cubin_of(shared=1536, stack=16) + later
                            + cubin_of(80, "other", 255, shared=1536, stack=2**32 - 1, frame=48))
        self.assertEqual([(*kernel.values(),) for kernel in kernels], [
            (KERNEL, 90, 512, 16, 32, 32, {"global_load_128": 1, "ffma": 1}),
            ("other", 80, 1536, 48, 255, 32, {"global_load_128": 1, "ffma": 1})])

    def test_damaged_files(self):
        """They may have kernels or not, and stop nothing."""
        chance = random.Random(1)
        for number in range(800):
            damaged = bytearray(cubin_of(shared=1536) * 2)
            for _ in range(chance.randrange(1, 9)):
                damaged[8 + chance.randrange(chance.choice((400, len(damaged) - 8)))] = chance.choice((255, chance.randrange(256)))
            self.assertLessEqual(len(self.read(damaged if number % 2 else damaged[:chance.randrange(len(damaged))])), 16)
        self.assertEqual((self.read(b""), read_kernels("none"), read_kernels(".")), ([], [], []))
