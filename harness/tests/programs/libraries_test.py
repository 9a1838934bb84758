# SPDX-License-Identifier: MIT
"""Tests of the libraries that programs of `kernelgate nvcc` use."""

import os
import re
from typing import NamedTuple

from command_fixture import COMMAND
from kernelgate.programs.toolkit import word_absence
from program_fixture import FOUND, ProgramTest

SOURCES = f"{os.path.dirname(os.path.abspath(__file__))}/libraries"


class Row(NamedTuple):
    """What a program does with 64 ints in a device_vector `d`, and what is found at its line."""

    body: str
    found: str


HEADERS = """\
#include <cstdlib>
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/mismatch.h>
#include <thrust/sort.h>
__global__ void add(int *x) { x[threadIdx.x] += 1; }
int main(int, char **words)
{
    const int chosen = atoi(words[1]);
    thrust::device_vector<int> d(64, 3);
    int *x = thrust::raw_pointer_cast(d.data());
"""
FIRST = "thrust::counting_iterator<int>(0), thrust::counting_iterator<int>"
ROWS = (
    Row("add<<<1, 65>>>(x); cudaDeviceSynchronize();", r"invalid global (read|write) of 4 bytes, .* past the end of allocation 1"),
    Row(f"thrust::for_each({FIRST}(65), [=] __device__ (int i) {{ x[i] = i; }});", r"invalid global write of 4 bytes"),
    Row("int *raw; cudaMalloc(&raw, 256); thrust::device_ptr<int> p(raw); thrust::sort(p, p + 64); cudaFree(raw);",
        r"uninitialized global read: .*stable_sort"),
    Row("return x[3] == 5;", "host read of device memory"),
    Row("thrust::device_vector<int> e(62, 4); if (thrust::mismatch(d.begin(), d.end(), e.begin()).first != d.begin()) return 3;",
        r"invalid global read of 4 bytes, 4 bytes past the end of allocation 2 \(248 bytes\).*::find_if<<<1, 1>>>\]"),
    Row("cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0); thrust::stable_sort(d.begin(), d.end());", ""),
    Row("cublasHandle_t h; cublasCreate(&h); float one = 1, *f; cudaMalloc(&f, 60); cudaMemset(f, 0, 60); "
        "cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, f, 4, f, 4, &one, f, 4); cublasDestroy(h); cudaFree(f);",
        r"invalid global (read|write) of 4 bytes.*past the end of allocation 2.*\[cublasSgemm<<<1, 1>>>\]"),
    # A packed triangle of 6 rows is 84 bytes; the other triangle of a result is not read.
    Row("cublasHandle_t h; cublasCreate(&h); float one = 1, *f; cudaMalloc(&f, 60); cudaMemset(f, 0, 60); "
        "cublasSspr(h, CUBLAS_FILL_MODE_UPPER, 6, &one, f, 1, f); cublasDestroy(h); cudaFree(f);",
        r"invalid global (read|write) of 4 bytes.*past the end of allocation 2.*\[cublasSspr<<<1, 1>>>\]"),
    Row("cublasHandle_t h; cublasCreate(&h); float one = 1, *f; cudaMalloc(&f, 16); cudaMemset(f, 0, 8); cudaMemset(f + 3, 0, 4); "
        "cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &one, f, 2, &one, f, 2); cublasDestroy(h); cudaFree(f);", ""),
    Row("cublasHandle_t h; cublasCreate(&h); float one = 1; "
        "cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, nullptr, 3, nullptr, 4, &one, nullptr, 4); cublasDestroy(h); "
        "cudaGetLastError();",
        r"unchecked call: cublasSgemm\(\) failed with cudaErrorInvalidValue"),
)


# Of a program with streams: nothing waits for the libraries' calls. `s` does not wait for the default stream.
STREAM_HEADERS = """\
#include <cstdlib>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <curand_kernel.h>
int main(int, char **words)
{
    const int chosen = atoi(words[1]);
    float *f, *g, one = 1, result;
    char *t;
    size_t n = 256;
    cudaStream_t s, o;
    cublasHandle_t h;
    curandGenerator_t r;
    cudaMalloc(&f, 256), cudaMalloc(&g, 256), cudaMalloc(&t, n), cudaMemset(f, 0, 256), cudaMemset(g, 0, 256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreate(&o), cublasCreate(&h), cublasSetStream(h, s);
    curandCreateGenerator(&r, CURAND_RNG_PSEUDO_DEFAULT), curandSetStream(r, s), cudaDeviceSynchronize();
"""
SMALL = r"unchecked call: cub::Device\w+::\w+\(\) failed with cudaErrorInvalidValue"
STREAM_ROWS = (
    Row("cublasSaxpy(h, 64, &one, f, 1, g, 1); cudaMemcpy(&result, g, 4, cudaMemcpyDeviceToHost);", "copy reads what kernel .*cublasSaxpy"),
    Row("cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE); cublasSdot(h, 64, f, 1, f, 1, g); cudaMemset(g, 0, 4);",
        "fill writes what the copy at .* writes"),
    Row("curandGenerateUniform(r, f, 64); cudaMemset(f, 0, 4);", "fill writes what kernel curandGenerateUniform"),
    Row("cub::DeviceReduce::Sum(t, n, f, g, 64, s); cub::DeviceReduce::Sum(t, n, f, g + 1, 64, o);",
        r"data race on allocation 3 .*Sum writes what kernel .*Sum"),
    *(Row(f"cudaGraph_t a; cudaGraphExec_t b; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); {call}; cudaStreamEndCapture(s, &a); "
          "cudaGraphInstantiate(&b, a, 0); cudaGraphLaunch(b, s); cudaMemset(g, 0, 4);", f"fill writes what kernel .*{name}")
      for call, name in (("cub::DeviceReduce::Sum(t, n, f, g, 64, s)", "Sum"), ("cublasSaxpy(h, 64, &one, f, 1, g, 1)", "cublasSaxpy"))),
    Row("cublasSdot(h, 64, f, 1, f, 1, &result); cudaMemset(f, 0, 4); return static_cast<int>(result);", ""),
    # The codes of cuBLAS 13.0: a result may be the device's while the pointer mode is the host's.
    Row("return cublasSdot(h, 64, f, 1, f, 1, g) + cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, f, 2, 4, f, 2, 4, &one, g, "
        "2, 4, -1) + cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 2, &one, f, 2, g, 2) + "
        "cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, f, CUDA_R_16F, 2, f, CUDA_R_32F, 2, &one, g, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, "
        "CUBLAS_GEMM_DEFAULT) - 2 * CUBLAS_STATUS_INVALID_VALUE - CUBLAS_STATUS_NOT_SUPPORTED;", ""),
    # Temporary storage for fewer elements, for smaller ones, for another operation, and of fewer bytes than it asks for.
    Row("cub::DeviceScan::ExclusiveSum(nullptr, n, f, g, 32); cub::DeviceScan::ExclusiveSum(t, n, f, g, 65);", SMALL),
    Row("cub::DeviceScan::ExclusiveSum(nullptr, n, t, g, 64); cub::DeviceScan::ExclusiveSum(t, n, f, g, 64);", SMALL),
    Row("cub::DeviceScan::ExclusiveSum(nullptr, n, f, g, 5000); cub::DeviceReduce::Sum(t, n, f, g, 5000);", SMALL),
    Row("cub::DeviceRadixSort::SortKeys(nullptr, n, f, g, 64); cub::DeviceRadixSort::SortKeys(t, n, f, g, 64);",
        "invalid global write of 4 bytes, .* past the end of allocation 3"),
    Row("cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0); cub::DeviceRadixSort::SortKeys(nullptr, n, f, g, 64); cudaFree(t); "
        "cudaMalloc(&t, n); cub::DeviceRadixSort::SortKeys(t, n, f, g, 64);", ""),
    Row("cub::DeviceScan::ExclusiveSum(nullptr, n, f, g, 256); cub::DeviceSelect::Unique(t, n, f, g, g + 63, 60);", ""),
)


class Libraries(ProgramTest):
    def build(self, source, name, *words):
        self.nvcc("--extended-lambda", *words, source, "-o", name)

    def check_program(self, name, *words):
        """A program of SOURCES verifies itself, and nothing is found."""
        self.build(f"{SOURCES}/{name}.cu", name, *words)
        done = self.run_in_folder(f"./{name}")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, r"^kernelgate: no findings in \d+ launches of \d+ kernels\n$")

    def test_thrust(self):
        self.check_program("thrust")

    def test_cublas(self):
        self.check_program("cublas", "-lcublas", "-lcublasLt")

    def test_cublas_of_stored_matrices(self):
        self.check_program("cublas_stored", "-lcublas")

    def test_cublas_of_rotations(self):
        self.check_program("cublas_rotations", "-lcublas")

    def test_curand(self):
        self.check_program("curand", "-lcurand")

    def test_cub(self):
        self.check_program("cub")

    def test_absent(self):
        """A header of a library that is not there is one line, on machines with a CUDA Toolkit too."""
        for header, wanted in (("cufft.h", "cufft.h is of cuFFT, which the CPU model does not have: leave out"),
                               ("cusparse_v2.h", "cusparse_v2.h is of cuSPARSE,"), ("cusolverDn.h", "cusolverDn.h is of cuSOLVER,"),
                               ("cudnn.h", "cudnn.h is of cuDNN,"), ("nccl.h", "nccl.h is of NCCL,"), ("nvrtc.h", "nvrtc.h is of NVRTC,"),
                               ("cuda_egl_interop.h", "cuda_egl_interop.h is of EGL,"),
                               ("thrust/none.h", "thrust/none.h is Thrust's: install the package libthrust-dev")):
            self.write("absent.cu", f"#include <cstdio>\n#include <{header}>\n")
            done = self.run_in_folder(COMMAND, "nvcc", "-c", "absent.cu")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Aabsent\.cu:2:\d+: fatal error: {re.escape(wanted)}.*\n\Z")

    def test_thrust_of_a_toolkit(self):
        said = "a.cu:2:1: fatal error: the CPU model does not support /cuda/include/thrust/sort.h (docs/model.md): leave it out\n"
        wanted = "a.cu:2:1: fatal error: thrust/sort.h is Thrust's: install the package libthrust-dev, as ci/setup does\n"
        self.assertEqual(word_absence(said, "", "/nowhere"), wanted)

    def check_rows(self, headers, rows):
        cases = (f"    if (chosen == {number}) {{ {row.body} }}" for number, row in enumerate(rows))
        self.write("found.cu", "\n".join([headers, *cases, "}\n"]))
        self.build("found.cu", "found", "-lcublas", "-lcurand")
        for number, row in enumerate(rows):
            with self.subTest(row.body):
                line = headers.count("\n") + 2 + number
                found = {line, 8} if "add<<<" in row.body else {line}
                done = self.run_in_folder("./found", str(number))
                self.assertEqual(done.returncode, FOUND if row.found else 0, done.stderr)
                if not row.found:
                    continue
                errors = re.findall(r"^found\.cu:(\d+): error: (.*)$", done.stderr, re.MULTILINE)
                self.assertTrue(errors and all(int(at) in found and re.search(row.found, text) for at, text in errors), done.stderr)

    def test_findings(self):
        self.check_rows(HEADERS, ROWS)

    def test_findings_of_streams(self):
        self.check_rows(STREAM_HEADERS, STREAM_ROWS)

    def test_sort_in_place(self):
        """CUB leaves undefined what a radix sort does then, but for a DoubleBuffer."""
        self.write("sort.cu", "#include <cstdlib>\n#include <cub/cub.cuh>\nint main(int, char **words)\n{\n    int *x;\n    char *t;\n"
                   "    size_t n = 512;\n    cudaMalloc(&x, 512), cudaMalloc(&t, n), cudaMemset(x, 0, 512);\n"
                   "    cub::DeviceRadixSort::SortKeys(t, n, x, x + std::atoi(words[1]), 64);\n}\n")
        self.build("sort.cu", "sort")
        for at, code in ((0, FOUND), (63, FOUND), (64, 0)):
            done = self.run_in_folder("./sort", str(at))
            told = re.search(rf"sort\.cu:9: error: overlapping sort: .* meet at allocation 1 \+ {4 * at}, .*SortKeys", done.stderr) is not None
            self.assertEqual((done.returncode, told), (code, code == FOUND), done.stderr)
