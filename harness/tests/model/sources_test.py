# SPDX-License-Identifier: MIT
"""Sources of kernels that the CPU model does not take. usage: sources_test.py CXX INCLUDE, of the model's headers"""

import pathlib
import subprocess
import sys
import unittest

CXX, INCLUDE = sys.argv[1:3]
# What headers may define and ask for, and do not use, though the system's may use it.
HEADERS = """\
#include <cuda_runtime.h>
#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), no_sanitize_thread))
#define HAS(attribute) __has_attribute(attribute)
#if !HAS(no_sanitize) || !HAS(no_sanitize_thread) || !__has_attribute(no_sanitize) || !__has_attribute(__no_sanitize_thread__)
#error
#endif
__attribute__((__no_sanitize__("thread"), __no_sanitize_coverage__)) void f() {}
[[gnu::__no_sanitize_thread__, __gnu__::__no_sanitize_undefined__]] void g() {}
[[gnu::no_sanitize("thread"), gnu::no_sanitize_undefined]] HIDDEN void h() { [=]() __attribute__((no_sanitize("thread"))) {}(); }
"""

# What kernels include besides, and what people's own helpers define.
OTHERS = """\
#if __CUDA_ARCH__ != 900 || !defined(__CUDACC__)
#error
#endif
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__CUDA_RUNTIME_H__)
#error
#endif
#include <math.h>
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float mix(float a, float b, float t) { return a + t * (b - a); }
inline __host__ __device__ int clamp(int f, int a, int b) { return max(a, min(f, b)); }
inline __host__ __device__ float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), a.y, a.z); }
#ifndef __CUDACC__
inline int max(int a, int b) { return a > b ? a : b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif
__global__ void __launch_bounds__(64) kernel(float3 *out, curandState *state, const CUtensorMap *)
{
    nvtxRangePushA("kernel");
    nvtxRangePop();
    if (mix(CUDART_PI_F, CUDART_INF_F, 0.5f) > 1.0f)
        out[0] = out[1] + fminf(out[2], make_float3(clamp(1, 2, 3), 0, curand_uniform(state)));
}
"""


class Sources(unittest.TestCase):
    def compile(self, text, *flags, language="c++"):
        """Compiles a kernel's source: the exit code, and what the compiler says."""
        done = subprocess.run([CXX, "-O1", "-D__CUDACC__", f"-I{INCLUDE}", "-S", "-o", "/dev/null", *flags, "-x", language, "-"], input=text,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refuse(self, told, before="", statement=""):
        code, said = self.compile(f"#include <cuda_runtime.h>\n{before} __global__ void kernel(unsigned int *out)\n"
                                  f"{{ out[0] = out[1]; {statement} }}\n")
        self.assertNotEqual(code, 0, before + statement)
        self.assertIn(told, said)
        self.assertIn("docs/model.md", said)

    def test_what_is_not_supported_is_a_compile_error(self):
        """It names what it is, and where to read on."""
        # Nothing has rewritten it here.
        self.refuse("the CPU model does not support inline PTX", statement='asm volatile("mov.u32 %0, %laneid;" : "=r"(out[0]));')
        self.refuse("the CPU model does not support cuModuleLoad()", "#include <cuda.h>\n", "CUmodule m; cuModuleLoad(&m, 0);")
        self.refuse("the CPU model does not support completion functions", "#include <cuda/barrier>\n",
                    "__shared__ cuda::barrier<cuda::thread_scope_block, int> bar; (void)bar;")
        self.refuse("the CPU model's atomics take", "#include <cuda/atomic>\n",
                    "struct { int a[3]; } x = {}; (void)cuda::atomic_ref<decltype(x)>(x).load();")
        self.refuse("the CPU model does not support curand_discrete()", "#include <curand_kernel.h>\n",
                    "curandState s; out[0] = curand_discrete(&s, nullptr);")
        self.refuse("the CPU model's wmma has no elements of less than 8 bits",
                    "#include <mma.h>\nusing namespace nvcuda::wmma;\n",
                    "fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> operand;")

    def test_what_hides_accesses_may_be_in_headers(self):
        self.assertEqual(self.compile(HEADERS, "-std=c++17"), (0, ""))

    def test_headers_of_cuda(self):
        """Each is there, before cuda_runtime.h and after it, in any order, and none clashes with people's helpers."""
        unsupported = ("cooperative_groups", "cuda_bf16", "cuda_fp16", "cuda_fp8", "cuda_pipeline",
                       "kg_", "thrust/")
        folder = pathlib.Path(INCLUDE)
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))
        names = [name for name in names if not name.startswith(unsupported)]
        self.assertGreater(len(names), 35)
        names += sorted(str(path.relative_to(folder)) for part in ("cub", "cuda") for path in (folder / part).rglob("*")
                        if path.is_file() and "\n#error" not in path.read_text())
        self.assertGreater(len(names), 80)
        both = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        for order, standard in ((names, "-std=c++17"), (names[::-1], "-std=c++20")):
            includes = "".join(f"#include <{name}>\n" for name in order)
            self.assertEqual(self.compile(includes + OTHERS, standard, *both), (0, ""))
        # Those that C sources may include.
        plain = [name for name in names if name in ("cuda.h", "cuda_profiler_api.h", "cuda_runtime_api.h", "driver_types.h",
                                                    "nvToolsExt.h", "vector_types.h", "cuComplex.h", "library_types.h")]
        self.assertEqual(self.compile("".join(f"#include <{name}>\n" for name in plain), *both, language="c"), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
