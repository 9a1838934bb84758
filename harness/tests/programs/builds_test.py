# SPDX-License-Identifier: MIT
"""Tests of builds with `kernelgate nvcc`: by make and CMake, of several files and flavors, and what is refused."""

import os
import re

from command_fixture import CMAKE, COMMAND
from command_run import TREE
from own_folder import read_text
from program_fixture import FOUND, ProgramTest

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(part STATIC part.cu)
set_target_properties(part PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_library(both SHARED both.cu)
add_executable(demo main.cu host.cpp)
set_target_properties(demo PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(demo PRIVATE part both CUDA::cudart)
"""
SOURCES = {
    "part.cu": "__device__ int twice(int x) { return 2 * x; }\n",
    "both.cu": "__global__ void add(int *add) { add[threadIdx.x] += threadIdx.x; }\n"
               "int run_add(int *x) { add<<<1, 32>>>(x); return cudaDeviceSynchronize(); }\n",
    "main.cu": "#include <cstdio>\nextern __device__ int twice(int);\nint run_add(int *);\nint sum_of(const int *);\n"
               "__global__ void fill(int *x) { x[threadIdx.x] = twice(__ldg(x + threadIdx.x) * 0 + threadIdx.x); }\n"
               "int main()\n{\n    int *x, host[32];\n    cudaMalloc(&x, sizeof host);\n    cudaMemset(x, 0, sizeof host);\n    fill<<<1, 32>>>(x);\n"
               "    if (cudaGetLastError() || run_add(x))\n        return 1;\n"
               "    cudaMemcpy(host, x, sizeof host, cudaMemcpyDefault);\n    std::printf(\"sum %d\\n\", sum_of(host));\n}\n",
    "host.cpp": "#include <cuda_runtime.h>\n#if defined __CUDACC__ || (defined BY_NVCC && (!defined __NVCC__ || __CUDACC_VER_MAJOR__ < 13))\n#error no kernels here\n#endif\n"
                "int sum_of(const int *x) { int sum = 0; for (int i = 0; i < 32; i++) sum += x[i]; return sum; }\n",
    "CMakeLists.txt": CMAKE_PROJECT,
    "Makefile": "NVCC = nvcc\ndemo: main.o part.o both.o host.o\n\t$(NVCC) -o $@ $^ -lcudart\n"
                "%.o: %.cu\n\t$(NVCC) -rdc=true -O3 -arch=sm_80 -MD -c $< -o $@\n%.o: %.cpp\n\t$(NVCC) -DBY_NVCC -c $< -o $@\n",
}


class Builds(ProgramTest):
    def test_what_readme_shows(self):
        shown = re.search(r"```\n(examples/reduce\.cu:.*\n.*\n)```", read_text(f"{TREE}/README.md"))[1]
        self.nvcc(f"{TREE}/examples/reduce.cu", "-o", "reduce")
        done = self.run_in_folder("./reduce")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        for line, told in zip(shown.split("\n"), done.stderr.replace(f"{TREE}/", "").split("\n"), strict=True):
            self.assertTrue(told.startswith(line.removesuffix(" …")), told)

    def test_make(self):
        for name, text in SOURCES.items():
            self.write(name, text)
        done = self.run_in_folder("make", f"NVCC={COMMAND} nvcc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(read_text(f"{self.folder}/main.d"), r"^main\.o: main\.cu")
        done = self.run_in_folder("./demo")
        self.assertEqual((done.returncode, done.stdout), (0, f"sum {3 * 31 * 16}\n"), done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith((".ii", ".joined", ".options"))])
        done = self.run_in_folder("make", "-B", f"NVCC={COMMAND} nvcc", NVCC_APPEND_FLAGS="--kg-flavor=none")
        self.assertIn('--kg-flavor: unknown flavor "none"', done.stderr)

    def test_library_that_is_closed(self):
        """Its kernels and sources have their names until the report."""
        self.write("closed.cu", "__global__ void kernel(int *x) { x[threadIdx.x] = 1; }\nextern \"C\" int go()\n{\n    int *x;\n"
                   "    cudaMalloc(&x, 64);\n    kernel<<<1, 32>>>(x);\n    return cudaDeviceSynchronize();\n}\n")
        self.write("closes.cu", "#include <dlfcn.h>\n__global__ void nothing() { }\nint main()\n{\n    nothing<<<1, 1>>>();\n"
                   "    void *library = dlopen(\"./libclosed.so\", RTLD_NOW);\n    ((int (*)())dlsym(library, \"go\"))();\n    dlclose(library);\n}\n")
        self.nvcc("-shared", "-Xcompiler", "-fPIC", "closed.cu", "-o", "libclosed.so")
        self.nvcc("closes.cu", "-o", "closes", "-ldl")
        done = self.run_in_folder("./closes")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertRegex(done.stderr, "^closed.cu:1: error: invalid global write")

    def test_dropped_without_marks(self):
        """A file whose launches are calls alone."""
        self.write("calls.cu", "__global__ void kernel(int *x) { x[threadIdx.x] = 1; }\nint main()\n{\n    int *x; void *list[] = { &x };\n"
                   "    cudaMalloc(&x, 128);\n    cudaLaunchKernel((void *)kernel, 1, 4096, list, 0, 0);\n    return cudaGetLastError() == cudaSuccess;\n}\n")
        self.nvcc("calls.cu", "-o", "calls")
        done = self.run_in_folder("./calls")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.write("calls.cu", read_text(f"{self.folder}/calls.cu").replace("cudaGetLastError() == cudaSuccess", "0"))
        self.nvcc("calls.cu", "-o", "calls")
        self.assertRegex(self.run_in_folder("./calls").stderr, r"^calls\.cu:6: error: unchecked call: cudaLaunchKernel\(\) failed with cudaErrorInvalidValue")

    def test_bounds_of_a_shared_template(self):
        """Both files have its kernel in one group of sections, and bounds of others besides."""
        self.write("shared.cuh", "template <int N> __launch_bounds__(N) static __global__ void set(int *x) { x[threadIdx.x] = N; }\n"
                   "template <int N> int launch(int *x) { set<N><<<1, 2 * N>>>(x); return cudaGetLastError(); }\n")
        for name, text in (("first", "int other(int *x);\nint main() { int *x; return cudaMalloc(&x, 256) + launch<32>(x) + other(x) - "
                                     "3 * cudaErrorInvalidValue; }\n"),
                           ("second", "__launch_bounds__(64) static __global__ void own(int *) { }\n"
                                      "int other(int *x) { own<<<1, 65>>>(x); return cudaGetLastError() + launch<32>(x); }\n")):
            self.write(f"{name}.cu", '#include "shared.cuh"\n' + text)
        for flavor in ("checked", "plain"):
            self.nvcc(f"--kg-flavor={flavor}", "first.cu", "second.cu", "-o", "bounds_of_both")
            done = self.run_in_folder("./bounds_of_both")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_flavors_of_one_program(self):
        self.write("part.cu", SOURCES["both.cu"])
        self.write("whole.cu", "int run_add(int *);\n__global__ void one(int *x) { *x = 1; }\nint main() { return 0; }\n")
        for part, whole in (("plain", "checked"), ("checked", "counting"), ("counting", "plain"), ("plain", "plain")):
            self.nvcc("-c", f"--kg-flavor={part}", "part.cu")
            self.nvcc("-c", f"--kg-flavor={whole}", "whole.cu")
            self.nvcc("whole.o", "part.o", "-o", "flavors")
            done = self.run_in_folder("./flavors")
            self.assertEqual(done.returncode, 0 if part == whole else 2, done.stderr)
            self.assertRegex(done.stderr, "^$|^kernelgate: no findings" if part == whole else
                             f"^kernelgate: part.cu was compiled with --kg-flavor={part}, and whole.cu with --kg-flavor={whole}: compile all of ")

    def test_cmake(self):
        for name, text in SOURCES.items():
            self.write(name, text)
        done = self.run_in_folder(CMAKE, "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={COMMAND}-nvcc")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.run_in_folder(CMAKE, "--build", "build")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        done = self.run_in_folder("build/demo")
        self.assertEqual((done.returncode, done.stdout), (0, f"sum {3 * 31 * 16}\n"), done.stderr)
        self.assertIn("no findings in 2 launches of 2 kernels", done.stderr)

    def test_refusals(self):
        self.write("a.cu", "__global__ void kernel() { }\nint main() { }\n")
        self.write("a.txt", "")
        self.write("launch.cu", "__global__ void kernel() { }\nint main() { kernel<<<1, 1>>>(); }\n")
        for name, count in (("most", 16384), ("more", 16385)):
            self.write(f"{name}.cu", f"__constant__ int a[1]; namespace own {{ static __constant__ const int a[{count - 1}] = {{}}; }}\n")
        self.write("max.cu", "#include <algorithm>\n#include <vector>\n#ifndef MAX\n#define MAX std::max\n#endif\nconstexpr int own(int a, int b) { return a + b; }\n"
                   "#ifdef HAS_VECTOR\n#line 7\n__device__ void f(int *x) { std::vector<int> v(3); *x = v[1]; }\n#endif\n#line 9\n"
                   "__global__ void k(int *x) { *x = MAX(*x, 3); }\nint main() { int *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }\n")
        self.write("lambda.cu", "template <typename F> __global__ void k(F f) { auto own = [] __device__ (int i) { return i; }; f(own(3)); }\n"
                   "int main(int n, char **)\n{\n"
                   "    int a[1] = {};\n    k<<<1, 1>>>([=, b = a[0]] LAMBDA (int i) mutable -> int { b += i; return b; });\n"
                   "    auto unused = [] __device__ { return 1; };\n    return n - 1 + sizeof unused - 1 + cudaDeviceSynchronize();\n}\n")
        self.write("ptx.cu", "__device__ int odd(int x) { int y; asm(\"frob.u32 %0, %1;\" : \"=r\"(y) : \"r\"(x)); return y; }\n"
                   "__global__ void k(int *x) { x[0] = odd(x[1]); x[2] = odd(x[3]); }\n__global__ void l(int *x) { *x = odd(3); }\n")
        self.nvcc("-c", "most.cu")
        for words, code, wanted in (
                (["-Wall", "a.cu"], 2, 'kernelgate: nvcc: unknown option "-Wall"'),
                (["none.cu"], 2, "kernelgate: nvcc: none.cu: no such file"),
                (["a.txt"], 2, 'kernelgate: nvcc: do not know what to do with "a.txt"'),
                ([], 2, "kernelgate: nvcc: no input files"),
                (["a.cu", "-lcufft"], 2, "kernelgate: nvcc: -lcufft: the CPU model has no cufft"),
                (["-c", "max.cu"], 1, 'max.cu:9:.*: calling a constexpr __host__ function ."std::max". from a __global__ function ."k". is not allowed '
                 "without --expt-relaxed-constexpr"),
                (["-c", "max.cu", "-DMAX=own"], 1, 'max.cu:9:.*: calling a constexpr __host__ function ."own". from a __global__ function ."k". is not'),
                (["-c", "max.cu", "-DMAX=own", "-DHAS_VECTOR", "-expt-relaxed-constexpr"], 0, "^$"),
                (["-c", "max.cu", "-DMAX=max", "-DHAS_VECTOR"], 1, 'max.cu:7:.*: "std::vector<int>" has no constructor in device code'),
                (["-c", "lambda.cu", "-DLAMBDA=__host__ __device__"], 1, "(?s)(?=.*lambda.cu:1:)(?=.*lambda.cu:5:).*: __host__ or __device__ "
                 "annotation on lambda requires --extended-lambda nvcc flag"),
                (["-c", "lambda.cu", "-DLAMBDA=__device__", "-extended-lambda"], 0, "^$"),
                (["-c", "ptx.cu"], 1, "(?s)^(?:(?!the PTX).)*ptx.cu:1:.*the PTX instruction 'frob.u32'(?:(?!the PTX).)*$"),
                (["-c", "more.cu"], 1, "more.cu:1:1: error: File uses too much global constant data .0x10004 bytes, 0x10000 max."),
                (["-c", "launch.cu", "-o", "none/a.o"], 2, r"nvcc: none/a\.o\S*: No such file or directory: check the output's directory"),
                (["-c", "a.cu", "-ccbin", "no-such-g++"], 2, "no-such-g++: cannot be run|no-such-g\\+\\+")):
            done = self.run_in_folder(COMMAND, "nvcc", *words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, wanted)
        self.write("wrong.cu", "__global__ void kernel() { no_such_function(); }\n")
        done = self.run_in_folder(COMMAND, "nvcc", "-c", "wrong.cu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong.cu:1:", done.stderr)
