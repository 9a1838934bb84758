# SPDX-License-Identifier: MIT
"""Tests of wgmma in programs of `kernelgate nvcc`: every shape and layout, and what is found."""

import json
import os
import re
import zlib
from typing import NamedTuple

from command_fixture import COMMAND
from program_fixture import FOUND, ProgramTest

HARDWARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "hardware", "hardware_wgmma.cu")
SUMS_OF_AN_H200 = 2097406099  # CRC-32 of what hardware_wgmma.cu prints there

# One warp group multiplies 64 x 16 by 16 x 16 of ones, in tiles with a swizzle of 128 bytes, and adds up its sums. `defect` is known
# when it runs, and the lines that the rows name are marked.
PROGRAM = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
static __device__ uint64_t describe(const void *tile)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | ((unsigned)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4;
}
#define MULTIPLY "{ .reg .pred p; setp.ne.b32 p, %6, 0; " \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
__global__ void multiply(float *out, int defect)
{
    __shared__ __align__(1024) __half a[64 * 64], b[8 * 64];
#ifndef __CUDA_ARCH_FEAT_SM90_ALL
    __trap();
#endif
    int t = threadIdx.x, first = defect == 1 ? 64 : 0;
    float s[4] = {};
    if (defect == 2) asm volatile("fence.proxy.async;" ::: "memory");
    for (int i = t + first; i < 64 * 64; i += blockDim.x)
        a[i] = __float2half(1); // STAGE
    for (int i = t; i < 8 * 64; i += blockDim.x)
        b[i] = __float2half(1);
    if (defect != 2 && defect != 13) asm volatile("fence.proxy.async;" ::: "memory");
    if (defect != 3) __syncthreads();
    if (defect == 13) { asm volatile("fence.proxy.async;" ::: "memory"); }
    if (defect == 4 && t >= 96 || defect == 14 && t == 7) return;
    if (defect != 5) asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // FENCE
    (void)describe((__half *)nullptr + 64 * t); // of an empty array, which a kernel's template may have for an operand that it does not use
    uint64_t of_a = describe(defect == 15 ? nullptr : a) + (defect == 6 ? 64 * 128 / 16 : defect == 7 && t == 5), of_b = describe(b);
    for (int i = 0; i < 2; i++) {
        asm volatile(MULTIPLY : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(of_a + 2 * i), "l"(of_b), "r"(i)); // WGMMA
        if (defect != 8 || i == 0) asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    if (defect == 9) a[t / 32 * 16 * 64 + t % 32] = 0; // OWN
    if (defect == 10) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    else asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (defect == 11) a[t / 32 * 16 * 64 + (t % 32 + 1) % 32] = 0; // the warp's own, which is right
    if (defect == 12 && t == 0) b[0] = 0; // OTHERS
    if (defect == 16) asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = t; defect == 16 && t < 128 && i < 64 * 64; i += 128) a[i] = 0;
    if (defect >= 16 && t < 128) b[t] = 0; // SECOND
    __syncthreads();
    if (defect == 8 && t % 32 < 16) a[t / 32 * 16 * 64 + 16 + t % 32] = 0; // LATE
    if (defect == 10) b[t] = 0; // AGAIN
    out[t] = s[0] + s[1] + s[2] + s[3];
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}
int main(int, char **words)
{
    float *out, sum = 0;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    return 6;
#endif
    cudaMallocManaged(&out, 256 * sizeof(float));
    multiply<<<1, atoi(words[1]) < 16 ? 128 : 256>>>(out, atoi(words[1])); // the second group has the same operands
    if (cudaDeviceSynchronize() != cudaSuccess) return 5;
    for (int i = 0; i < 128; i++) sum += out[i];
    std::printf("sum %g\n", sum);
    return cudaFree(out) != cudaSuccess;
}
"""


class Row(NamedTuple):
    defect: int
    found: tuple = ()  # the marked line and a pattern of each finding


ROWS = (
    Row(0),
    Row(1, (("WGMMA", r"uninitialized shared read: 16 bytes at a \+ 0"),)),
    Row(2, (("WGMMA", r"missing fence\.proxy\.async: thread \(0,0,0\) reads 16 bytes at a \+ 0, "
             r"which thread \(0,0,0\) wrote at wgmma\.cu:\d+, with no such fence between"),)),
    Row(3, (("WGMMA", r"data race on a \(shared\): thread \(0,0,0\) reads what thread \(1,0,0\) wrote"),
            ("STAGE", r"missing wait: a\[\d+\] is written before the asynchronous read of it at wgmma\.cu:\d+ has completed"),
            (None, "missing wait: b"))),
    Row(4, (("WGMMA", "deadlock: 96 threads wait in wgmma, one at .*; make all four warps of the warp group reach it"),)),
    Row(5, (("WGMMA", "missing wgmma.fence: "),)),
    Row(6, (("WGMMA", r"invalid shared read of 16 bytes, 0 bytes past the end of a \(8192 bytes\)"),)),
    Row(7, (("WGMMA", "wgmma: threads of the warp group have other descriptors or scale-d than others"),)),
    Row(8, (("LATE", r"missing wait: a\[\d+\] is written"), ("WGMMA", "missing wgmma.wait_group: the thread ends before"))),
    Row(9, (("OWN", r"missing wait: a\[\d+\] is written"),)),
    Row(10, (("AGAIN", r"missing wait: b\[\d+\] is written"), ("WGMMA", "missing wgmma.wait_group"))),
    Row(11),
    Row(12, (("OTHERS", r"data race on b \(shared\)"),)),
    Row(13),
    Row(14, (("FENCE", "deadlock: 0 wait at __syncthreads\\(\\) and 127 in warp operations|deadlock: 96 threads wait in wgmma"),)),
    Row(15, (("WGMMA", r"invalid shared read of 16 bytes, 0 bytes past the end of [ab]"),)),
    Row(16),
    Row(17, (("SECOND", r"data race on b \(shared\)"), ("WGMMA", r"missing fence\.proxy\.async"))),
)


class Wgmma(ProgramTest):
    def test_every_shape_and_layout(self):
        self.nvcc("-arch=sm_90a", HARDWARE, "-o", "shapes")
        done = self.run_in_folder("./shapes")
        self.assertRegex(done.stdout, r"\n0 of \d+ rows are wrong\n$")
        # The bits of all sums, as an H200 has them.
        self.assertEqual(zlib.crc32(done.stdout.encode()), SUMS_OF_AN_H200)
        self.assertRegex(done.stderr, r"^kernelgate: no findings in \d+ launches of \d+ kernels\n$")
        self.assertEqual(done.returncode, 0)

    def test_what_is_found(self):
        self.write("wgmma.cu", PROGRAM)
        self.nvcc("-arch=sm_90a", "wgmma.cu", "-o", "wgmma")
        lines = {match[1]: number for number, line in enumerate(PROGRAM.splitlines(), 1) if (match := re.search("// ([A-Z]+)$", line))}
        for row in ROWS:
            with self.subTest(defect=row.defect):
                done = self.run_in_folder("./wgmma", str(row.defect))
                errors = [line for line in done.stderr.splitlines() if ": error: " in line]
                self.assertEqual(done.returncode, FOUND if row.found else 0, done.stderr)
                self.assertEqual(len(errors), len(row.found), done.stderr)
                for mark, pattern in row.found:
                    place = f"^wgmma.cu:{lines[mark]}: error: " if mark else ""
                    self.assertTrue(any(re.search(place + pattern, error) for error in errors), done.stderr)
                if not row.found:
                    self.assertEqual(done.stdout, f"sum {64 * 8 * 32}\n")

    def test_counters(self):
        """Reads by wgmma are no requests of a warp."""
        self.write("counts.cu", PROGRAM)
        self.nvcc("-arch=sm_90a", "--kg-flavor=counting", "counts.cu", "-o", "counts")
        done = self.run_in_folder(COMMAND, "run", "--counters", "--json", "counts", "0")
        counters = json.loads(done.stdout)["kernels"][0]["counters"]
        self.assertEqual((counters["tensor_multiply_adds"], counters.get("shared_load_requests", 0)), (2 * 64 * 8 * 16, 0))

    def test_blocks_side_by_side(self):
        """Plain kernels have the same results."""
        self.write("plain.cu", PROGRAM.replace("<<<1, 128>>>", "<<<64, 128>>>"))
        self.nvcc("-arch=sm_90a", "--kg-flavor=plain", "plain.cu", "-o", "plain")
        done = self.run_in_folder("./plain", "0")
        self.assertEqual((done.returncode, done.stdout), (0, f"sum {64 * 8 * 32}\n"), done.stderr)
