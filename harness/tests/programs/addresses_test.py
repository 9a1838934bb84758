# SPDX-License-Identifier: MIT
"""Tests of addresses that a kernel has and cannot use: the host's of device functions, and those of shared memory of former blocks."""

import re

from program_fixture import FOUND, ProgramTest

PROGRAM = """\
#include <cstdio>
#include <cstdlib>
typedef int (*operation)(int);
__device__ int increment(int x) { return x + 1; }
struct pair { int first; };
__device__ pair operator+(pair x, int y) { return pair{x.first + y}; }
template <typename T> __host__ __device__ T twice(T x) { return 2 * x; }
__device__ operation on_device = increment;
static operation on_host[] = { increment, twice<int> };
constexpr operation on_both = increment;
__device__ int *kept;
__global__ void call(int *x, operation chosen) { *x = (pair{chosen(*x)} + 0).first; }
template <operation CHOSEN> __global__ void call_known(int *x) { *x = CHOSEN(*x); }
template <typename Function> __global__ void call_lambda(int *x, Function function) { *x = function(*x); }
__global__ void keep() { __shared__ int own; own = 3; kept = &own; }
__global__ void use(int *x) { *x = *kept; }
__device__ int *unwritten() { __shared__ int never[2]; return never; }
__global__ void read(int *x) { *x = *unwritten(); }
int main(int, char **words)
{
    const int row = std::atoi(words[1]);
    int *x, result = -1;
    operation chosen = row == 1 ? on_host[1] : increment;
    cudaMalloc(&x, sizeof *x), cudaMemset(x, 0, sizeof *x);
    if (row == 0)
        cudaMemcpyFromSymbol(&chosen, on_device, sizeof chosen);
    if (row < 3)
        call<<<1, 1>>>(x, chosen);
    call_known<increment><<<1, 1>>>(x), call_known<on_both><<<1, 1>>>(x);
    call_lambda<<<1, 1>>>(x, [] __device__ (int value) { operation own = increment; return own(value); });
    if (row == 3)
        keep<<<1, 1>>>(), use<<<1, 1>>>(x);
    if (row == 4)
        read<<<1, 1>>>(x);
    if (cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess)
        std::printf("%d %d %d\\n", result, on_host[1](4), on_host[0] == increment);
}
"""
CALLED = r"calls the host's address of the __device__ function {}: .* called at addresses\.cu:12$"
# The exit code, the output or None for any, and a pattern of the report.
ROWS = (
    (0, "4 8 1\n", "no findings"),
    (FOUND, "", CALLED.format("twice<int>")),
    (FOUND, "", CALLED.format("increment")),
    (FOUND, None, r"^addresses\.cu:16: error: invalid shared read of 4 bytes, 0 bytes into own \(4 bytes\), whose block has ended"),
    (FOUND, None, r"^addresses\.cu:18: error: uninitialized shared read: never\[0\]"),
)


class Addresses(ProgramTest):
    def test_addresses(self):
        self.write("addresses.cu", PROGRAM)
        self.nvcc("--extended-lambda", "addresses.cu", "-o", "addresses")
        for number, (code, output, told) in enumerate(ROWS):
            with self.subTest(number):
                done = self.run_in_folder("./addresses", str(number))
                self.assertEqual(done.returncode, code, done.stderr)
                if output is not None:
                    self.assertEqual(done.stdout, output)
                self.assertTrue(re.search(told, done.stderr, re.MULTILINE), done.stderr)
