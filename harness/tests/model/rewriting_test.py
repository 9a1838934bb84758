# SPDX-License-Identifier: MIT
"""How kernels' sources are rewritten for g++. usage: rewriting_test.py ROOT CXX INCLUDE, of the model's headers"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT, CXX, INCLUDE = sys.argv[1:4]
REWRITE = f"{ROOT}/harness/model/rewrite"
sys.path.insert(0, REWRITE)
import block_heads  # noqa: E402 pylint: disable=wrong-import-position
import compile_kernel  # noqa: E402 pylint: disable=wrong-import-position
import grammar  # noqa: E402 pylint: disable=wrong-import-position
import rewrite_kernel  # noqa: E402 pylint: disable=wrong-import-position

# Launches, and what is launched. Templates that have been defined before are told by their arguments.
LAUNCHES = (
    ("kernel<<<1, 2>>>(a);", "kg__model_starter(kg__model_configure(1, 2), kernel)(a);"),
    ("ns::kernel<<<g, b, 3, s>>>();", "kg__model_starter(kg__model_configure(g, b, 3, s), ns :: kernel)();"),
    ("kernel<float, (N > 4)><<<g, b>>>(a);", "kg__model_starter(kg__model_configure(g, b), kernel < float , ( N > 4 ) >)(a);"),
    ("a::b<c<d>, 1>::kernel<<<g, b>>>(a);", "kg__model_starter(kg__model_configure(g, b), a :: b < c < d > , 1 > :: kernel)(a);"),
    ("if (x) kernels[i]<<<n >> 8, (f(1, 2))>>>(a);",
     "if (x) kg__model_starter(kg__model_configure(n >> 8, (f(1, 2))), kernels [ i ])(a);"),
    ("if (x) { (*p->kernel)<<<g, b>>>(a); }", "if (x) { kg__model_starter(kg__model_configure(g, b), ( * p -> kernel ))(a); }"),
    ("return kernel<<<g, b>>>(a), 0;", "return kg__model_starter(kg__model_configure(g, b), kernel)(a), 0;"),
    ("kernel <<<dim3(1,\n2), b>>>\n(a,\nb);", "kg__model_starter(kg__model_configure(dim3(1,\n2), b), kernel)\n(a,\nb);"),
    ("f([&] { kernel<<<1, 2>>>(a); }, x << 3 < y);",
     "f([&] { kg__model_starter(kg__model_configure(1, 2), kernel)(a); }, x << 3 < y);"),
    # Quotes in strings.
    ("f(\"'\", \"'\"); f(\"\"); kernel<<<1, 2>>>(a); f(\"\");",
     "f(\"'\", \"'\"); f(\"\"); kg__model_starter(kg__model_configure(1, 2), kernel)(a); f(\"\");"),
)
# What stays as it is.
KEPT = (
    'f("kernel<<<1, 2>>>(a)");', 'f(R"x(kernel<<<1, 2>>>("a"))x");', "f('<', \"<<<\");", "a = 1'000'000 << 2;",
    'asm volatile("" ::: "memory");', 'asm("");', 'int f() __asm__("other");', '__asm__ volatile("// nothing");',
    'asm volatile("rdtsc" : "=a"(low), "=d"(high));',
)
# Functions in assembly, and which of their hooks at the heads of blocks stay.
HEAD = "\tcall\t*__sanitizer_cov_trace_pc@GOTPCREL(%rip)\n"
READ = "\tcall\t*__tsan_read4@GOTPCREL(%rip)\n"
HEADS = (
    # A loop whose access stands for its head; the hook before a return stays.
    (HEAD + "\ttestl\t%edi, %edi\n\tjle\t.L1\n.L2:\n" + HEAD + READ + "\tjne\t.L2\n.L1:\n" + HEAD + "\tret\n", [False, False, True]),
    # A loop without an access, and one whose accesses may be to the stack.
    (".L2:\n" + HEAD + "\taddl\t$1, %eax\n\tjne\t.L2\n" + READ, [True]),
    ("\tleaq\t8(%rsp), %rdi\n.L2:\n" + HEAD + READ + "\tjne\t.L2\n" + HEAD + READ + "\tret\n", [True, True]),
    # A jump forward to a jump back; handlers of findings are no events.
    (".L4:\n" + READ + HEAD + "\tje\t.L5\n" + HEAD + "\tje\t.L3\n\tcall\t*__ubsan_handle_shift@GOTPCREL(%rip)\n.L3:\n" + READ +
     ".L5:\n\tjmp\t.L4\n", [True, False]),
    # Calls of functions, jumps through tables, into other functions and over the end.
    (HEAD + "\tcall\tf\n" + READ, [True]), (HEAD + "\tjmp\t*%rax\n", [True]), (HEAD + "\tjmp\tf\n", [True]), (HEAD, [True]),
)
KERNEL = """#include <cuda_runtime.h>
#define LOAD(x, p)                        \\
    asm volatile("ld.global.f32 %%0, [%%1];" \\
                 : "=f"(x)                \\
                 : "l"(p))
template <typename T, int N = 2, typename... More>
static __global__ void scale(const T *in, T *out, int n,
                             More... more)
{
    T x, y;
    LOAD(x, in);
    asm volatile("{ .reg .f32 t;\\n"
                 "  add.f32 t, %%1, %%1; // twice\\n"
                 "  mov.f32 %%0, t; }"
                 : "=f"(y)
                 : "f"(x));
    out[n] = ((y * N) + ... + static_cast<T>(more));
    %s
}
void start(float *a, cudaStream_t s)
{
    scale<<<dim3(1),
            32, 0, s>>>(a,
                        a, 3);
    scale<float, 4><<<1, 32>>>(a, a, 3, 4.0f);
    %s
}
"""
# A line that is wrong, and what the compiler says of line 18 or line 25.
WRONG = (
    ("int z = undeclared;", "", ":18:", "'undeclared' was not declared"),
    ('asm("mov.f32 %0, %1;" : "=f"(y) : "f"(undeclared));', "", ":18:", "'undeclared' was not declared"),
    ("", "cudaMalocc((void **)&a, 4);", ":26:", "the CPU model does not support cudaMalocc (docs/model.md): "),
    ("", "int z = undeclared;", ":26:", "'undeclared' was not declared"),
    ("", "scale<float><<<1, undeclared>>>(a, a, 3);", ":26:", "'undeclared' was not declared"),
    ("", "scale<float><<<1, 32>>>(a);", ":26:", "no matching function for call"),
)
# What is no device code, or is not for the model: of a source the line, and what the compiler says.
REFUSED = (
    ("static float twice(float x) { return 2 * x; }\n__global__ void k(float *x) { if (x)\n    *x = twice(*x); }\n", 4,
     'calling a __host__ function ("twice") from a __global__ function ("k") is not allowed'),
    ("template <typename T> static T twice(T x) { return 2 * x; }\nstatic __device__ float f(float x)\n{ return twice<float>(x); }\n"
     "__global__ void k(float *x) { *x = f(*x); }\n", 4,
     'calling a __host__ function ("twice") from a __device__ function ("f") is not allowed'),
    ("__global__ void k(cudaEvent_t x)\n{ cudaStreamWaitEvent(cudaStreamFireAndForget,\nx, 0); k<<<1, 1>>>(x); }\n", 3,
     "the CPU model does not support cudaStreamWaitEvent() in kernels (docs/model.md): name the file in GPU_ONLY to gate it on GPUs alone"),
    ("__global__ void k()\n{ k<<<1, 1>>>();\ncudaDeviceSynchronize(); }\n", 4,
     'calling a __host__ function ("cudaDeviceSynchronize") from a __global__ function ("k") is not allowed'),
    ("#include <cstdlib>\n__global__ void k(int *x)\n{ *x = rand(); }\n", 4,
     'calling a __host__ function ("rand") from a __global__ function ("k") is not allowed'),
    ("#include <cstdlib>\n__device__ void f(int *x)\n{ *x = std::atoi(\"3\"); }\n__global__ void k(int *x) { f(x); }\n", 4,
     'calling a __host__ function ("std::atoi") from a __device__ function ("f") is not allowed'),
    ("#include <iostream>\n__global__ void k(int *x)\n{ std::cout << *x; }\n", 4, '"std::cout" is undefined in device code'),
    ("__device__ int f(int x) { return x; }\nint h() {\nreturn f(3); }\n__global__ void k(int *x) { k<<<1, 1>>>(x); }\n", 4,
     'calling a __device__ function ("f") from a __host__ function ("h") is not allowed'),
    ("__global__ void k(int *x) { try {\n*x = 1; } catch (...) { } }\n", 2, "device code does not support exception handling"),
    ("__global__ void k(int *x) { if (*x)\nthrow 3; }\n", 3, "device code does not support exception handling"),
    ("__global__ int k(int *x)\n{ return *x; }\n__global__ void m(int *x) { m<<<1, 1>>>(x); }\n", 2, "a __global__ function must have a void return type"),
    ("#include <cuComplex_none.h>\n__global__ void k(float *x) { *x = from_toolkit(); }\n", 2,
     "the CPU model does not support cuComplex_none.h (docs/model.md): name the file in GPU_ONLY to gate it on GPUs alone"),
    ("__device__ float far(float);\n__global__ void k(float *x) { *x = far(*x); }\n", 2,
     "'float far(float)' has no body in this file, which takes -rdc=true (-dc), in CMake CUDA_SEPARABLE_COMPILATION"),
    ("__global__ void k(float *x) {\nasm volatile(\"movss %1, %0\" : \"=m\"(*x) : \"x\"(1.0f)); }\n", 3, "the CPU model does not support the PTX "),
    ("#include <thrust/none.h>\n", 2, "the CPU model does not support thrust/none.h (docs/model.md)"),
)
# What looks like that, and is not.
TAKEN = (
    "template <typename T> __device__ int f(T x, T *y) { return x.get<2>() + y->get<3>(1) + x.template get<4>() + (x.size < 3); }\n"
    "struct S { int size; template <int n> __device__ int get(int a = 0) { return n + a; } };\n"
    "template <typename T> struct C { template <int n> static __device__ T twice(T x) { return n * x; } };\n"
    "template <typename T> __device__ T four(T x) { return C<T>::twice<2>(x) + ::C<T>::twice<2>(0) + C<T>::template twice<2>(0); }\n"
    "__global__ void m(int *x) { *x = four(*x) + C<int>::twice<3>(1); }\n"
    "__global__ void k(int *x) { S s = {1}; *x = f(s, &s); if (!x) k<<<1, 1>>>(x); }\n",
    "#include <algorithm>\n#include <cstdlib>\nstruct S { __device__ int rand() { return 3; } __device__ int get() { return rand(); } };\n"
    "template <typename T> __host__ __device__ T both(T x) { return x > 9 ? std::rand() : x; }\n"
    "template <typename T> __device__ int f(T time) { return time(3); }\n__device__ int twice(int x) { return 2 * x; }\n"
    "static int (*host)(int) = nullptr;\nint h(int (*twice)(int)) { return twice(3) + host(std::max(3, 4)); }\n"
    "__global__ void k(int *x) { S s; *x = s.get() + both(*x) + f([](int x) { return x; }) + twice(std::max(3, 4)); k<<<1, 1>>>(x); }\n",
    "__device__ int f(int x) { return x; }\ntemplate <typename F> __global__ void m(int *x, F g) { *x = g(*x); }\n"
    "void h(int *x) { m<<<1, 1>>>(x, [=] __device__ (int y) { return f(y); }); }\n"
    "struct S { __device__ int g(int x); };\ninline int S::g(int x) { return f(x); }\n",
    "__device__ void cudaMemset(float *x) { *x = 0; }\n__global__ void k(float *x) { cudaMemset(x); }\n",
    "template <int n> __global__ void child(float *x) { if (n > *x)\nchild<n><<<1, 1>>>(x + 1); }\n"
    "__global__ void k(float *x)\n{ child<2><<<1,\n32>>>(x); k<<<1, 1>>>(x); }\n",
    "__global__ void k(int *x);\n__global__ void k(int *x, float y) { k<<<1, 1>>>(x, y); }\n"
    "template <typename T> __global__ void k(T *x, T y, int z) { k<<<1, 1>>>(x, y, z); }\n"
    "__global__ void m(int *x) { k<<<1, 1>>>(x, 1, 2); k<<<1, 1>>>(x, 1.0f); }\n",
    "__global__ void k(int *x, int y) { *x = y; }\nvoid k(int *x, int y, int threads) { k<<<1, threads>>>(x, y); }\n"
    "template <typename T> __global__ void m(T *x) { *x = 0; }\n"
    "template <typename T> void m(T *x, int threads) { m<<<1, threads>>>(x); m<T><<<1, threads>>>(x); }\ntemplate void m(int *, int);\n",
    "constexpr float two() { return 2; }\n__global__ void k(float *x) { *x = two(); }\n",
    "inline __host__ __device__ float two() { return 2; }\n__global__ void k(float *x) { *x = two(); }\n",
    "inline float two() { return 2; }\n__global__ void k(float *x) { auto two = [] { return 3; }; *x = two(); }\n",
    "inline float two() { return 2; }\n__global__ void k(float *x) { *x = sizeof(two()); }\n",
    "inline float two() { return 2; }\ninline __host__ __device__ float f() { return two(); }\n",
    "inline float two() { return 2; }\nstatic inline __device__ float never() { return two(); }\n",
    "#ifdef SOMETHING_ELSE\n#include <cuComplex_none.h>\n#endif\n#include \"own_helper.h\"\n",
)
# Sources whose host side does not compile, or cannot be preprocessed, and the warnings about it.
SIDES = (
    ("__host__ __device__ int f()\n{\n#ifdef __CUDA_ARCH__\n    return 1;\n#else\n    return host_only();\n#endif\n}\n",
     r"kernel\.cpp:1:1: warning: __CUDA_ARCH__ is defined in functions of the host, .*: \S*kernel\.cpp:7:\d+: error: 'host_only' was not declared"),
    ("#ifndef __CUDA_ARCH__\n#error none\n#endif\nstatic int f() { return __CUDA_ARCH__; }\nint g() { return f(); }\n", "^$"),
)
BROKEN = ("#ifndef __CUDA_ARCH__\n#else\ntemplate <class T> struct S { __device__ static int f(T x);\n};\n"
          "template <class T> __device__ int S<T>::f(T x) { return x + no_such_name; }\n#endif\n__device__ int other() { return 3; }\n")
# What nvcc takes and g++ alone does not, and what is still an error.
ACCEPTED = (
    ("#define UNROLL #pragma unroll\n#define FEW #pragma unroll 1\n__global__ void k(int *x)\n"
     "{ UNROLL\n    for (int i = 0; i < 4; i++) FEW while (x[i]) x[i]--; }\n", ""),
    ("#define NO_CHECK #pragma nv_exec_check_disable\nNO_CHECK\ntemplate <class F> __host__ __device__ int f(F g) { return g(); }\n", ""),
    ("template <int n> __global__ void k(int *x)\n{\n    #pragma unroll n / 2\n    for (int i = 0; i < n; i++) x[i]++;\n}\n"
     "void f(int *x) { k<4><<<1, 1>>>(x); }\n", ""),
    ("template <class T> struct Array {};\ntemplate <class T> struct Buffer { Array<T> first; using Array = Array<T>; Array second; };\n"
     "Buffer<int> buffer;\n", ""),
    ("template <class T> struct Array {};\nstruct Buffer { Array<int> first; using Array = Array<int>; };\nint *p = 1;\n",
     "kernel.cpp:4:10: error: invalid conversion"),
    # One that is compiled again, since its host's side alone does not compile.
    ("template <class T> struct Array {};\nstruct Buffer { Array<int> first; using Array = Array<int>; };\n"
     "__host__ __device__ int f()\n{\n#ifdef __CUDA_ARCH__\n    return 1;\n#else\n    return host_only;\n#endif\n}\nint *p = 1;\n",
     "kernel.cpp:12:10: error: invalid conversion"),
    # One that compiles neither so nor as all device code, where the assertion fails too.
    ("__host__ __device__ constexpr int side()\n{\n#ifdef __CUDA_ARCH__\n    return 1;\n#else\n    return 2;\n#endif\n}\n"
     "static_assert(side() == 2, \"\");\nint *p = 1;\n", "kernel.cpp:11:10: error: invalid conversion"),
    ("#include <cuda/std/version>\n#include <cuda/stream_ref>\n#include <nv/target>\nbool f(cudaStream_t s) { cuda::stream_ref r(s); r.wait(); return r.ready() && r.get() == s; }\n"
     "__host__ __device__ constexpr int side() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }\n"
     "__device__ int at() { NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_PROVIDES_SM_80, (return 80;), NV_ANY_TARGET, (return 0;)) }\n"
     "__global__ void k(int *x) { x[0] = side() + at(); NV_IF_TARGET(NV_IS_HOST, (x[1] = no_such_name;)) }\n"
     "static_assert(side() == 2);\n", ""),
    ("#include <cub/cub.cuh>\n__global__ void k(int *x) { x[0] = int(cuda::memory_order_relaxed); }\n__device__ nv_bfloat162 two;\n", ""),
    ("#include <cuda/barrier>\n#include <cuda/std/cstddef>\n__device__ cuda::std::atomic<cuda::std::uintptr_t> *both;\n", ""),
    ("__global__ void k(unsigned *x, unsigned n = unsigned(4)) { x[0] = n; }\nvoid f(unsigned *x) { k<<<1, 1>>>(x); }\n", ""),
    ("__device__ void f(unsigned *x, bool b, int n) { x[0] |= (unsigned(b) << (n * 8 + 1)); }\n", ""),
    ("#include <mma.h>\n#include <cudaTypedefs.h>\ntemplate <class... T> void encode(T... given)\n{ void *found; "
     "cudaGetDriverEntryPointByVersion(\"f\", &found, 12000, cudaEnableDefault, nullptr);\n"
     "    reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found)(given...); }\n"
     "template <class A> __device__ void multiply(A &a)\n"
     "{ nvcuda::wmma::bmma_sync(a, a, a, a, nvcuda::wmma::experimental::bmmaBitOpXOR); }\n", ""),
    ("__global__ void k(unsigned *x, unsigned y)\n{\n    asm volatile(\"{ .reg.pred %top; setp.ne.u32 %top, %0, 0;\" :: \"r\"(y));\n"
     "    for (int i = 0; i < 4; i++)\n        asm volatile(\"@%top mov.b32 %0, %1;\" : \"+r\"(x[i]) \"=r\"(y));\n    asm volatile(\"}\");\n}\n", ""),
    ("template <int N> struct M { static const int n = N; struct W { __device__ static int f(int m, int n = n) { return m + n; } }; };\n"
     "__global__ void k(int *x) { x[0] = M<4>::W::f(3); }\nvoid f(int *x) { k<<<1, 1>>>(x); }\n", ""),
    ("struct S { using T = int; };\ntemplate <class T> __device__ int size() { return sizeof(T); }\n"
     "template <class R> __global__ void k(int *x)\n{\n    x[0] = sizeof(R::T) / size<R::T>() / sizeof(typename R::T);\n}\nvoid f(int *x) { k<S><<<1, 1>>>(x); }\n", ""),
    ("template <int n> __global__ std::enable_if_t<(n > 0)> k(int *x) { x[0] = n; }\n"
     "template <int n> __global__ std::enable_if_t<n <= 0> k(int *x) { x[0] = -n; }\n"
     "void f(int *x) { k<4><<<1, 1>>>(x); k<0><<<1, 1>>>(x); }\n", ""),
    # What the host's side alone declares.
    ("#ifndef __CUDA_ARCH__\n#include <mutex>\nstatic std::mutex lock;\nstatic int twice(int x) { return 2 * x; }\n#endif\nstruct S\n{\n    int n;\n"
     "#ifndef __CUDA_ARCH__\n    int get() { std::lock_guard<std::mutex> held(lock); return n; }\n#endif\n};\n"
     "__host__ __device__ int f(int x)\n{\n#ifdef __CUDA_ARCH__\n    return x;\n#else\n    return S{twice(x)}.get();\n#endif\n}\n"
     "int g() { return f(1) + S{twice(2)}.get(); }\n", ""),
    # A template that the host's side does not see, and its use.
    (BROKEN + "__global__ void k(int *x) { *x = other(); }\n", ""),
    (BROKEN + "__global__ void k(int *x) { *x = S<int>::f(0) + other(); }\n", "error: 'no_such_name' was not declared in this scope"),
    ("#ifdef __CUDA_ARCH__\n#endif\ntemplate <class T> __device__ int f(T x) { return x + no_such_name; }\n",
     "error: 'no_such_name' was not declared in this scope"),
    ("#define IN_CLUSTERS __cluster_dims__(M * 2, 1, 1)\ntemplate <int M> __global__ void IN_CLUSTERS k() { asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" :: \"n\"(M)); }\n"
     "void f() { k<32><<<64, 1>>>(); }\n", ""),
)
# What the model has not, and how it is named.
UNSUPPORTED = (
    ("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %0, %0, %0}, %0, %0, %0, 0, 1, 1, 1, 0, 0;",
     "instruction 'wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16'"),
    ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %0, %0, %0}, %0, %0, 1, 1, 1;",
     "instruction 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16'"),
    ("setmaxnreg.dec.sync.aligned.u32 42;",
     "instruction 'setmaxnreg.dec.sync.aligned.u32' of other counts than multiples of 8 from 24 to 256"),
    ("mbarrier.arrive.noComplete.shared.b64 _, [%0], 1;", "instruction 'mbarrier.arrive.noComplete.shared.b64'"),
    ("mbarrier.pending_count.b64 %0, %0;", "instruction 'mbarrier.pending_count.b64'"),
    ("cp.async.mbarrier.arrive.relaxed.shared.b64 [%0];", "instruction 'cp.async.mbarrier.arrive.relaxed.shared.b64'"),
    ("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%0, %0, %0}], [%0], {%0};",
     "instruction 'cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes'"),
    ("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%0}], [%0];",
     "instruction 'cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster'"),
    ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%0}], [%0];",
     "instruction 'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group'"),
    ("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%0], 16, [%0];",
     "instruction 'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes'"),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 [%1], [%0], 16;",
     "instruction 'cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16'"),
    ("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%0], 16, [%0];",
     "instruction 'cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32'"),
    ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc2.bulk_group [%1, {%0, %0}], [%0];",
     "instruction 'cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc2.bulk_group'"),
    ("mapa.shared::cta.u32 %0, %0, 1;", "instruction 'mapa.shared::cta.u32'"),
    ("tcgen05.wait::ld.sync.aligned;", "instruction 'tcgen05.wait::ld.sync.aligned'"),
    ("bar.red.popc.u32 %0, 1, %0;", "instruction 'bar.red.popc.u32'"),
    ("add.cc.u16 %0, %0, %0;", "instruction 'add.cc.u16'"),
    ("mad.wide.cc.u32 %0, %0, %0, %0;", "instruction 'mad.wide.cc.u32'"),
    ("add.u32 %0, %0;", "instruction 'add.u32'"),
    ("vadd4.u32.u32.u32 %0.b3210, %0, %0, %0;", "instruction 'vadd4.u32.u32.u32'"),
    ("vadd.u32.u32.u32.sub %0, %0, %0, %0;", "instruction 'vadd.u32.u32.u32.sub'"),
    ("ld.global.v4.u64 {%0, %0, %0, %0}, [%1];", "instruction 'ld.global.v4.u64'"),
    ("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0, %0}, {%0}, {%0}, {%0, %0};",
     "instruction 'mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32'"),
    ("mov.u32 %0, %dynamic_smem_size;", "register '%dynamic_smem_size'"),
    ("mov.u32 %0, nothing;", "register '%nothing'"),
    (".shared .b32 x;", "directive '.shared'"),
    ("mov.u32 %0, %5;", "operand %5, which the statement does not have"),
    ("{ mov.u32 %0, 1;", "code that has no '}'"),
)


def rewrite(text):
    """The author's text, rewritten."""
    return rewrite_marked(f'# 1 "kernel.cu"\n{text}')[len('# 1 "kernel.cu"\n'):]


def rewrite_marked(text):
    source = rewrite_kernel.Source(grammar.make_parser(ROOT), text.encode(), b"/the/model/")
    return source.rewrite().decode()


class Rewriting(unittest.TestCase):
    def test_heads_of_blocks(self):
        for function, kept in HEADS:
            with self.subTest(function), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "a.s")
                path.write_text(f"f:\n\t.cfi_startproc\n{function}\t.cfi_endproc\n")
                block_heads.thin(str(path))
                left = [*re.findall("^(?:(.*trace_pc.*)|)$", path.read_text().replace("\n\t.cfi_endproc\n", "\n\t.cfi_endproc"), re.MULTILINE)]
                self.assertEqual([line != "" for line in left], kept)

    def test_which_functions_compare_addresses(self):
        """Those of the host alone; an access of 16 bytes may be misaligned, which the hook finds."""
        for mark, hook, compares in (("", READ, True), ("", READ.replace("read4", "read16"), False), ("\t.internal\tf\n", READ, False),
                                     ("\t.protected\tf\n", READ, False), ("\t.internal\tg\n", READ, True)):
            with self.subTest(mark + hook), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "a.s")
                path.write_text(f"{mark}f:\n.LFB1:\n\t.cfi_startproc\n{hook}\tret\n\t.cfi_endproc\n")
                block_heads.thin(str(path))
                self.assertEqual("kg__model_looked_at" in path.read_text(), compares)
                self.assertIn(hook, path.read_text())

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def words(self, text, *flags):
        """The command line that compiles a kernel's source."""
        source = self.folder / "kernel.cpp"
        source.write_text(text, encoding="utf-8")
        return [CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}", *flags, "-c", str(source),
                "-o", f"{self.folder}/kernel.o"]

    def compile(self, text, *flags):
        """Compiles a kernel's source: the exit code, and what the compiler says."""
        with mock.patch.dict(os.environ, {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, clear=True):
            return compile_kernel.compile_source(self.words(text, *flags))

    def test_launches(self):
        for text, expected in LAUNCHES:
            self.assertEqual(rewrite(text), expected)

    def test_what_stays(self):
        for text in KEPT:
            self.assertEqual(rewrite(text), text)

    def test_headers_stay(self):
        """Those of the system and of the model; but what the author uses of them is the author's."""
        launch = "kernel<<<1, 2>>>(0);\n"
        text = (f'# 1 "kernel.cu"\n# 1 "/usr/include/a.h" 1 3 4\n{launch}# 2 "kernel.cu" 2\n'
                f'# 1 "/the/model/a.h" 1\n{launch}# 3 "kernel.cu" 2\n'
                'kernel<<<1,\n# 3 "kernel.cu" 3 4\n2\n# 3 "kernel.cu"\n>>>(a);\n')
        done = rewrite_marked(text)
        self.assertEqual(done.count(launch), 2)
        self.assertIn('kg__model_configure(1,\n# 3 "kernel.cu" 3 4\n2\n# 3 "kernel.cu"\n), kernel)(a);', done)

    def test_lines(self):
        """What is wrong is said of the line where it is."""
        self.assertEqual(self.compile(KERNEL % ("", "")), (0, ""))
        for in_kernel, in_launcher, line, said in WRONG:
            code, text = self.compile(KERNEL % (in_kernel, in_launcher))
            first = next((one for one in text.splitlines() if "error: " in one), text)
            self.assertNotEqual(code, 0)
            self.assertIn(f"kernel.cpp{line}", first)
            self.assertIn(said, first)
            self.assertNotIn("kg__", text)

    def test_sides(self):
        for text, told in SIDES:
            code, said = self.compile("#include <cuda_runtime.h>\n" + text, "-D__CUDACC__")
            self.assertEqual(code, 0, said)
            self.assertRegex(said, told)

    def test_what_nvcc_takes(self):
        for text, refused in ACCEPTED:
            code, said = self.compile("#include <cuda_runtime.h>\n" + text, "-D__CUDACC__", "-Wno-error")
            self.assertEqual(code != 0, refused != "", said)
            self.assertIn(refused, said)
            self.assertNotRegex(said, "changes meaning|static assertion")

    def test_lines_of_code(self):
        """Those of the debugging information, which findings have."""
        self.compile(KERNEL % ("", ""), "-g")
        done = subprocess.run(["objdump", "--dwarf=decodedline", f"{self.folder}/kernel.o"], capture_output=True, text=True,
                              check=False)
        # The end of a sequence of code has "-" in the place of a line.
        lines = {int(line) for line in re.findall(r"^kernel\.cpp +(\d+) ", done.stdout, re.MULTILINE)}
        self.assertLessEqual({11, 17}, lines)
        self.assertLess(max(lines), 30)

    def test_refused(self):
        """A header of a CUDA Toolkit that is on the path, and what nvcc refuses or the model cannot have, are said in a line."""
        toolkit = self.folder / "toolkit"
        (toolkit / "thrust").mkdir(parents=True)
        for name, text in (("cuda_runtime_api.h", ""), ("thrust/version.h", ""), ("own_helper.h", "static int helper;\n"),
                           ("cuComplex_none.h", "/* Copyright NVIDIA Corporation */\n#include <limits>\nfloat from_toolkit();\n"),
                           ("thrust/none.h", "#error\n")):
            (toolkit / name).write_text(text, encoding="utf-8")
        for text, line, said in REFUSED:
            code, told = self.compile("#include <cuda_runtime.h>\n" + text, f"-I{toolkit}", "-Wno-unused-variable")
            self.assertNotEqual(code, 0, text)
            self.assertRegex(told, rf"kernel\.cpp:{line}:\d+: (fatal )?error: {re.escape(said)}")
            self.assertNotIn("kg__", told)
        for text in TAKEN:
            self.assertEqual(self.compile("#include <cuda_runtime.h>\n" + text, f"-I{toolkit}", "-Wno-unused-variable"), (0, ""), text)

    def test_device_code_is_shared_by_files_that_nvcc_links(self):
        """With -rdc; without it a function can still be called on the host of another file."""
        text = "#include <cuda_runtime.h>\n__device__ float table[2];\n__host__ __device__ float scale(float x) { return 2 * x; }\n" \
            "struct host { virtual int f(); };\nint host::f() { return 1; }\n" \
            "struct both { __host__ __device__ virtual int f(); };\n__host__ __device__ int both::f() { return 1; }\n"
        for flags, kinds in (((), {"table": "b", "_Z5scalef": "tW", "_ZTV4host": "V", "_ZTV4both": "d"}),
                             (("-D__CUDACC_RDC__",), {"table": "B", "_Z5scalef": "T", "_ZTV4host": "V", "_ZTV4both": "V"})):
            self.assertEqual(self.compile(text, *flags), (0, ""))
            done = subprocess.run(["nm", f"{self.folder}/kernel.o"], capture_output=True, text=True, check=True)
            rows = [row.split() for row in done.stdout.splitlines()]
            self.assertEqual({name: "".join(sorted((row[1] for row in rows if row[-1] == name), key=str.isupper)) for name in kinds},
                             kinds)

    def test_nothing_is_paid_where_nothing_is_rewritten(self):
        """Neither the preprocessor nor the grammar is called for most sources, nor are their objects looked into twice."""
        text = "#include <cuda_runtime.h>\nstatic int twice(int x) { return 2 * x; }\nint f() { return twice(1); }\n" \
               "static __global__ void k(float *x) { __shared__ float s[4]; *x = s[1]; }\nvoid *g() { return (void *)k; }\n"
        self.assertEqual(self.compile(text, "-save-temps=obj"), (0, ""))
        self.assertFalse((self.folder / "kernel.o.ii").exists() or (self.folder / "kernel.o.joined").exists())

    def test_unsupported_instructions(self):
        kernel = '__global__ void kernel_%d(unsigned *p)\n{\n    asm volatile("%s"\n        : "+r"(p[0]) : "l"(p));\n}\n'
        code, said = self.compile("#include <cuda_runtime.h>\n" + "".join(
            kernel % (i, text) for i, (text, _) in enumerate(UNSUPPORTED)))
        self.assertNotEqual(code, 0)
        self.assertEqual(said.count("error: "), len(UNSUPPORTED))
        for i, (_, name) in enumerate(UNSUPPORTED):
            self.assertRegex(said, rf"kernel\.cpp:{5 * i + 4}:\d+: error: the CPU model does not support the PTX "
                             rf"{re.escape(name)} "
                             r"\(docs/model\.md\): name the file in GPU_ONLY to gate it on GPUs alone\n")

    def test_what_is_not_called_may_be_unsupported(self):
        kernel = '#include <cuda_runtime.h>\nstatic inline __device__ void f() { asm volatile("exit;"); }\n'
        self.assertEqual(self.compile(kernel), (0, ""))

    def test_sources_without_are_compiled_as_they_are(self):
        other = self.folder / "other.h"
        for text, rewritten, *flags in (("// none\n", False), ("// kernel<<<1, 2>>>()\n", True), ('#include "other.h"\n', True),
                                        ('#define OTHER "other.h"\n#include OTHER\n', True), ("", True, "-include", str(other))):
            other.write_text('inline void f() { __asm__ volatile("" ::: "memory"); }\n', encoding="utf-8")
            (self.folder / "kernel.o.ii").unlink(missing_ok=True)
            self.assertEqual(self.compile("#include <cuda_runtime.h>\n" + text, *flags), (0, ""))
            self.assertEqual((self.folder / "kernel.o.ii").exists(), rewritten)

    def test_without_the_grammar_it_says_what_installs_it(self):
        """A project has the command of an installed kernelgate, or the script of the sources."""
        for root, script in ((ROOT, f"{ROOT}/ci/setup"), (str(self.folder), "kernelgate-setup")):
            with mock.patch.multiple(grammar, ROOT=root, make_parser=lambda home: None):
                text, told = compile_kernel.rewrite(b"", None, "a.cu", "/the/model", True, False, None)
            self.assertEqual((text, told.endswith(f": run {script}\n")), (None, True), told)

    def test_an_installed_kernelgate_has_the_grammar_for_all_projects(self):
        packages = self.folder / f"share/kernelgate/build/tools/python/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        packages.mkdir(parents=True)
        (self.folder / "lib").mkdir()
        with mock.patch.object(grammar, "ROOT", str(self.folder / "lib")):
            self.assertTrue(packages.samefile(list(grammar.find_packages(None))[-1]))

    def test_dependencies(self):
        """As a build starts it."""
        words = self.words(KERNEL % ("", ""), "-MD", "-MT", "kernel.o", "-MF", f"{self.folder}/kernel.d")
        done = subprocess.run(["python3", "-B", f"{REWRITE}/compile_kernel.py", *words], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertIn("kg_model_ptx_memory.h", (self.folder / "kernel.d").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
