# SPDX-License-Identifier: MIT
"""Tests of kernels that launch kernels, in programs that `kernelgate nvcc` builds."""

import re
from typing import NamedTuple

from program_fixture import FOUND, ProgramTest


class Row(NamedTuple):
    """A kernel of 64 ints `x`, which its threads 0 and those below share, what x[n] is at the end, and what is found."""

    name: str
    body: str
    result: int = 0
    found: str = ""
    at: int = 0
    launch: str = "<<<1, 64>>>"
    before: str = ""  # by the host
    ended: str = ""  # a part of why the kernel failed


ONCE = "if (threadIdx.x == 0) "
STREAMS = "cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking); "
RACE = r"data race on allocation 1 \(global\): kernel add\w* \w+ what kernel add\w* at children\.cu:\d+ writes in another stream"
HEADERS = """\
#include <cstdio>
#include <cstdlib>
__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
template <typename T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }
__global__ void set(int *x, int value) { x[threadIdx.x] = value; }
__global__ void bump(int *x) { atomicAdd(x, 1); }
__global__ void put(int **x, int value) { (*x)[threadIdx.x] = value; }
__global__ void take(int *to, int **x) { *to = **x; cudaFree(*x); }
__device__ int *kept;
template <int most> __global__ void nest(int *x, int level)
{
    if (threadIdx.x == 0 && (x[0] = level) < most)
        nest<most><<<1, 32>>>(x, level + 1);
}
"""
ROWS = (
    Row("in order", ONCE + "{ add<<<1, 64>>>(x, 1); scale<<<1, 64>>>(x, 2); }", 2),
    Row("after its parent", "if (threadIdx.x == 31) add<<<1, 64>>>(x, 1); __syncthreads(); x[threadIdx.x] = 5;", 6),
    Row("tail", ONCE + "{ scale<<<1, 64, 0, cudaStreamTailLaunch>>>(x, 2); add<<<1, 64>>>(x, 5); }", 10),
    Row("tails in order", ONCE + "{ add<<<1, 64, 0, cudaStreamTailLaunch>>>(x, 2); scale<<<1, 64, 0, cudaStreamTailLaunch>>>(x, 3); }", 6),
    Row("nested", ONCE + "nest<9><<<1, 32>>>(x, 0);", 9),
    Row("before the tail of its parent", ONCE + "{ add<<<1, 64, 0, cudaStreamTailLaunch>>>(x, 1); nest<7><<<1, 32>>>(x, 0); }", 8),
    Row("by every thread", "add<<<1, 64>>>(x, 1);", 64, at=63),
    Row("of blocks", ONCE + "add<<<1, 32>>>(x + 32 * blockIdx.x, 1 + blockIdx.x);", 2, at=32, launch="<<<2, 64>>>"),
    Row("between blocks", ONCE + "add<<<1, 64>>>(x, 1);", 2, RACE, launch="<<<2, 64>>>"),
    Row("one stream", ONCE + "{ " + STREAMS + "add<<<1, 64, 0, s>>>(x, 1); add<<<1, 64, 0, s>>>(x, 1); cudaStreamDestroy(s); }", 2),
    Row("two streams", ONCE + "{ " + STREAMS + "add<<<1, 64, 0, s>>>(x, 1); add<<<1, 64, 0, t>>>(x, 1); }", 2, RACE),
    Row("fire and forget", ONCE + "for (int i = 0; i < 2; i++) add<<<1, 64, 0, cudaStreamFireAndForget>>>(x, 1);", 2, RACE),
    Row("of children", ONCE + "{ " + STREAMS + "nest<3><<<1, 32, 0, s>>>(x, 2); add<<<1, 1, 0, t>>>(x, 0); }", 3,
        r"data race .*: kernel (add reads what kernel nest<3> at \S+ writes|nest<3> writes what kernel add at \S+ reads) in another stream"),
    Row("between streams of the host", ONCE + "add<<<1, 64>>>(x, 1);", 2, r"data race .*: kernel (k\d+ reads what kernel add|add reads what kernel k\d+) .* in another stream",
        launch="<<<1, 64, 0, s>>>", before=STREAMS + "add<<<1, 64, 0, t>>>(x, 1);"),
    Row("of many blocks", "int sum = 0; for (int k = 0; k < 2000; k++) sum += x[(threadIdx.x + k) & 63]; if (threadIdx.x == 0 && sum == 0) bump<<<1, 1>>>(x + 5);",
        800, at=5, launch="<<<800, 64>>>"),
    Row("fault", ONCE + "set<<<1, 65>>>(x, 1);", 1, r"invalid global write of 4 bytes, 0 bytes past the end .*\[set<<<1, 65>>>\]"),
    Row("too many threads", ONCE + "add<<<1, 2048>>>(x, 1);",
        ended="its launch of a kernel failed with cudaErrorInvalidValue: a block of 2048 x 1 x 1 threads"),
    Row("too deep", ONCE + "nest<99><<<1, 32>>>(x, 0);", ended="its launch of a kernel failed with cudaErrorLaunchMaxDepthExceeded"),
    Row("a stream of the host", ONCE + "add<<<1, 64, 0, (cudaStream_t)x>>>(x, 1);",
        ended="its launch of a kernel failed with cudaErrorInvalidResourceHandle"),
    Row("of local memory", ONCE + "{ int own[64]; add<<<1, 64>>>(own, 1); }", ended="it launches a kernel with the address of its own local or shared memory"),
    Row("of shared memory", "__shared__ int part[64]; " + ONCE + "add<<<1, 64>>>(part, 1);",
        ended="it launches a kernel with the address of its own local or shared memory"),
    Row("memory", ONCE + "{ cudaMalloc(&kept, 256); put<<<1, 64>>>(&kept, 7); take<<<1, 1, 0, cudaStreamTailLaunch>>>(x, &kept); }", 7),
    Row("copies", ONCE + "{ cudaMemsetAsync(x, 1, 128); cudaMemcpyAsync(x + 32, x, 128, cudaMemcpyDeviceToDevice); add<<<1, 64>>>(x, 1); }",
        0x01010102, at=40),
    Row("refused calls", ONCE + "{ int *far; x[0] = cudaMemcpyAsync(x, &far, 4, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue && "
        "cudaGetLastError() == cudaErrorInvalidValue && cudaPeekAtLastError() == cudaSuccess && "
        "cudaStreamCreateWithFlags((cudaStream_t *)&far, cudaStreamDefault) == cudaErrorInvalidValue; }", 1),
)


def program():
    kernels = "".join(f"__global__ void k{i}(int *x)\n{{\n    {row.body}\n}}\n" for i, row in enumerate(ROWS))
    cases = "".join(f"    case {i}: {{ {row.before} k{i}{row.launch}(x); at = {row.at}; break; }}\n" for i, row in enumerate(ROWS))
    return f"""{HEADERS}{kernels}int main(int, char **words)
{{
    int *x, result = -1, at = 0;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    cudaDeviceSynchronize();
    switch (atoi(words[1])) {{
{cases}    }}
    if (cudaDeviceSynchronize() == cudaSuccess)
        cudaMemcpy(&result, x + at, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", result);
    return 0;
}}
"""


class Children(ProgramTest):
    def build(self, flavor):
        self.write("children.cu", program())
        self.nvcc("-rdc=true", f"--kg-flavor={flavor}", "children.cu", "-o", flavor)

    def check(self, flavor, **environment):
        for number, row in enumerate(ROWS):
            with self.subTest(row.name, **environment):
                done = self.run_in_folder(f"./{flavor}", str(number), **environment)
                found = row.found if flavor == "checked" else ""
                self.assertEqual(done.returncode, FOUND if found or row.ended else 0, done.stderr)
                errors = [line for line in done.stderr.splitlines() if " error: " in line]
                self.assertEqual(len(errors), 1 if found else 0, done.stderr)
                self.assertRegex(done.stderr, found or ".*")
                self.assertIn(row.ended, done.stderr)
                if not row.ended:
                    self.assertEqual(done.stdout, f"{row.result}\n", done.stderr)

    def test_checked(self):
        self.build("checked")
        self.check("checked")
        self.check("checked", KERNELGATE_OPTIONS="order=reversed")

    def test_side_by_side(self):
        self.build("plain")
        self.check("plain", KERNELGATE_OPTIONS="threads=4")

    def test_place_of_a_launch(self):
        """A finding between siblings is at the lines that launch them."""
        self.build("checked")
        number = next(i for i, row in enumerate(ROWS) if row.name == "two streams")
        line = HEADERS.count("\n") + 4 * number + 3
        error = next(line for line in self.run_in_folder("./checked", str(number)).stderr.splitlines() if "error" in line)
        self.assertTrue(error.startswith(f"children.cu:{line}: error: ") and re.search(f"at children.cu:{line} ", error), error)
