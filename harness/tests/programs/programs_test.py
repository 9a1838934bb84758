# SPDX-License-Identifier: MIT
"""Tests of programs that `kernelgate nvcc` builds: what they find, and how they end."""

import json
import os
import re
from typing import NamedTuple

from command_fixture import COMMAND
from own_folder import read_text
from program_fixture import FOUND, ProgramTest

# A kernel and its launch, with a device array `x` of 256 ints that is filled with zeros.
PROGRAM = """\
#line 2 "NAME.cu"
namespace row_NAME {
VARIABLE
#line 3
__global__ void kernel(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    KERNEL
}
int run(int argc)
{
    int *x, result = -1;
    cudaMalloc(&x, 256 * sizeof(int));
    cudaMemset(x, 0, 256 * sizeof(int));
    LAUNCH
    cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("result %d\\n", result);
    FINISH
    return 0;
}
}
"""
# A program takes half a second to build, so those of a flavor are one, in which the argument chooses.
HEADERS = "".join(f"#include <{name}>\n" for name in (
    "cooperative_groups.h", "cstdint", "cstdio", "cstdlib", "cstring", "cuda/atomic", "cuda/barrier", "cuda_pipeline.h", "memory"))
LINE, LAUNCH_LINE = 6, 13  # of KERNEL and LAUNCH
RACE = "if (i < 32) x[0] = i;"
LAUNCH = "kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize() != cudaSuccess) std::exit(5);"


class Row(NamedTuple):
    name: str
    kernel: str
    found: tuple = ()  # the line and a pattern of each finding
    launch: str = LAUNCH
    finish: str = "return cudaFree(x) != cudaSuccess;"
    code: int = 0
    options: str = ""
    flavor: str = "checked"
    output: str = "result"
    variable: str = ""  # of the whole program


# Counts the lanes' turns as kernels did before __syncwarp(): a lane's write stands if it reads it again.
LOCKSTEP = ("__shared__ volatile unsigned part[1]; *part = 0; __syncthreads(); "
            "if (i < 32) for (int turn = 0; turn < 100; turn++) { unsigned own; "
            "do { own = i << 27 | ((*part & 0xffff) + 1); *part = own; } while (*part != own); } __syncthreads(); if (i == 0) x[0] = *part & 0xffff;")

# A thread copies 128 integers to shared memory, and stores one of them there.
BULK_COPY = ('__shared__ alignas(16) int part[128]; __shared__ unsigned long long word; '
             'const unsigned at = __cvta_generic_to_shared(&word), to = __cvta_generic_to_shared(part); part[threadIdx.x] = 3; '
             'if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async;" :: "r"(at) : "memory"); __syncthreads(); '
             'if (threadIdx.x == 0) asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], 512; '
             'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 512, [%0]; }" :: "r"(at), "r"(to), "l"(x + 128) : "memory"); '
             'asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0; @!done bra again; }" :: "r"(at) : "memory"); '
             'if (i < 128) x[i] = part[127 - threadIdx.x] + 131;')

# A kernel's parameter that is copied from what is not constant alone.
COPIED = """
struct copied {
    int x;
    copied(int x) : x(x) { }
    __host__ __device__ copied(copied &from) : x(from.x) { }
};
__global__ void other(int *x, copied from, const copied more) { x[threadIdx.x] = from.x + more.x; }
"""

# Functions of the host, the device and both that say with __CUDA_ARCH__ on which side they are.
SIDES = """
#ifdef __CUDA_ARCH__
#define ON_HOST 0
#else
#define ON_HOST 1
#endif
struct counted {
    int x = 0;
    __host__ __device__ counted()
    {
#ifndef __CUDA_ARCH__
        x = 7;
#endif
    }
};
template <typename T> __host__ __device__ constexpr T both(T x)
{
#ifdef __CUDA_ARCH__
    T side = 10;
#else
    T side = 20;
#endif
    auto sum = [=] { return side + x + ON_HOST; };
    return sum();
}
static_assert(both(1) == 22);
static int host() { return ON_HOST; }
__device__ int device() { return ON_HOST; }
"""
HOST_LAUNCH = """
#ifndef __CUDA_ARCH__
    kernel<<<2, 128>>>(x, 256);
#else
    return 3;
#endif
"""

# Inline PTX in a function of its own, which is nested in that of a template's kernel.
IN_LAMBDA = """__device__ inline void load(unsigned *to, const void *from) { asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(*to) : "r"((unsigned)__cvta_generic_to_shared(from))); }
template <int N> __global__ void in_lambda(int *x)
{
    extern __shared__ uint4 all[];
    unsigned own;
    auto get = [&](int i) { load(&own, all + threadIdx.x + i); };
    get(N);
    x[threadIdx.x] = own;
}
"""

# A parameter with a copy constructor that is not inlined, and which counts its copies in the host's memory.
COPIED_TYPES = """
struct Pointer { int *x; Pointer(int *given) : x(given) {} __host__ __device__ Pointer(const Pointer &from) : x(from.x) {} };
struct Copied { Pointer to; float more[6] = {}; std::shared_ptr<int> of_host = std::make_shared<int>(4); };
__global__ void copy(Copied given) { given.to.x[threadIdx.x] = 6; }
"""

# A kernel whose parameters are references to what the device has.
BY_REFERENCE = """
struct Alone { int x; Alone(const Alone &) = delete; };
template <typename T> __global__ void refer(T &one, const int &more) { one.x = more + 4; }
"""

# Objects whose calls the compiler does not know.
VIRTUAL = ("struct Base { int own = 4; __host__ __device__ virtual int get() const { return 1; } }; "
           "struct Own : Base { __host__ __device__ int get() const override { return own; } }; "
           "__device__ Base *kept; __global__ void make(Own *to) { new (to) Own; }")

# A kernel's specialization by the types of its parameters.
SPECIALIZED = """
template <typename T> __global__ void set(T *x) { *x = 1; }
template <> __global__ void set(int *x) { *x = 5; }
"""

ROWS = (
    Row("clean", "if (i < n) x[i] = i + 1;", output="result 1"),
    Row("specialization", "x[i] = 1;", launch="set<<<1, 1>>>((float *)x); set<<<1, 1>>>(x);", variable=SPECIALIZED, output="result 5"),
    Row("header_before_the_source", "x[i] = before();", output="result 3"),
    Row("ptx", 'int lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); x[i] = lane + 3;', output="result 3"),
    Row("builtin_copy", "struct words { int of[16]; }; __shared__ words all[128]; words own = {}; own.of[3] = i; __builtin_memcpy(&all[threadIdx.x], &own, sizeof own); __syncthreads(); x[i] = all[127 - threadIdx.x].of[3];", output="result 127"),
    Row("builtin_copy_beyond", "struct { short of[3]; } own = {}; if (i == 255) __builtin_memcpy((short *)x + 2 * i + 1, &own, sizeof own);",
        found=((LINE, "invalid global write of 1 byte, 0 bytes past the end of"),), code=FOUND),
    Row("ended_function", "auto fill = [](int value) __attribute__((always_inline)) { int own[16]; for (int &one : own) one = value; const int *volatile end = own; return (const int *)end; }; const int *volatile one = fill(1); const int *volatile ten = fill(10); x[i] = one[7] + ten[7];", output="result 11"),
    Row("bulk_copy", BULK_COPY, output="result 131"),
    Row("bulk_copy_of_plain_kernels", BULK_COPY, output="result 131", flavor="plain"),
    Row("bulk_copy_not_awaited", BULK_COPY.replace("mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0", "setp.eq.u32 done, 0, 0"), found=((LINE, r"missing wait: part\[\d+\] is read"),), code=FOUND),
    Row("shared_address", '__shared__ int part[128]; asm("st.shared.s32 [%0], %1;" :: "l"(__cvta_generic_to_shared(part + threadIdx.x)), '
        '"r"(i + 5)); x[i] = part[threadIdx.x];', output="result 5"),
    Row("copied_parameters", "x[i] = n;", launch="Copied own{x}; copy<<<1, 32>>>(own); if (own.of_host.use_count() != 1) return 3;", variable=COPIED_TYPES, output="result 6"),
    Row("shift", "x[i] = (7 << n) + (-9 >> n) + int(5u >> n) + 20; x[i] <<= i + 1; x[i] >>= i;", output="result 38"),
    Row("own_code", "if (i < n) x[i] = 1;", finish="return 7;", code=7),
    Row("race", RACE, ((LINE, r"data race on .* \[row_race::kernel<<<2, 128>>>\]"),), code=FOUND),
    Row("bounds", "x[i + 100] = 1;", ((LINE, "invalid global write of 4 bytes, .* past the end of"),), code=FOUND),
    Row("behind_shared", "__shared__ char part[8]; const char *own = part; part[i] = 1; x[i] = own[n / 32];",
        ((LINE, "invalid shared read of 1 byte, 0 bytes past the end of part"),), "kernel<<<1, 8>>>(x, 256);", code=FOUND),
    Row("behind_constant", "const char *all = last; x[i] = all[n / 32];",
        ((LINE, "invalid constant read of 1 byte, 0 bytes past the end of last"),), variable="__constant__ char last[8];", code=FOUND),
    Row("of_thread", "__shared__ int *box; int mine = n; if (i == 0) box = &mine; __syncthreads(); x[i] = *box; __syncthreads();",
        ((LINE, "invalid local read of 4 bytes of another thread: .* 31 times"),), "kernel<<<1, 32>>>(x, 256);", code=FOUND),
    *(Row(f"of_host_{name}", "x[i] = n;", ((LINE, "invalid write of 4 bytes at .*, which is not device memory"),), launch, variable=variable,
          code=FOUND)
      for name, launch, variable in (
          ("global", "kernel<<<1, 4>>>(own, 256);", "int own[4];"), ("static", "kernel<<<1, 4>>>(own, 256);", "static int own[4];"),
          ("local", "static int own[4]; kernel<<<1, 4>>>(own, 256);", ""),
          ("untyped", "int *to = own; int n = 3; void *list[] = { &to, &n }; cudaLaunchKernel((void *)kernel, 1, 4, list, 0, 0);",
           "namespace { int own[4]; }"))),
    Row("shared_argument",
        "__shared__ int part[4]; part[i & 3] = n; if (n == 3) *(int **)x = part; else if (n == 4) part[1] = x == part;", (),
        "kernel<<<1, 1>>>(x, 3); int *to; cudaMemcpy(&to, x, sizeof to, cudaMemcpyDeviceToHost); kernel<<<1, 1>>>(to, 4);"),
    Row("shadow_argument", "x[i] = kept[1];", ((LAUNCH_LINE, r"the host's address of device variable kept: cudaGetSymbolAddress\(\) gives the device's"),),
        "kernel<<<1, 1>>>(x, 3); kernel<<<1, 1>>>(kept, 3);", variable="__device__ int kept[4];", code=FOUND),
    *(Row(f"shadow_copy{kind}", "x[i] = kept[1];", ((LAUNCH_LINE, r"unchecked call: cudaMemcpy\(\) failed with cudaErrorInvalidValue"),),
          "cudaMemcpy(kept, &result, 4, cudaMemcpyDefault); " + LAUNCH, variable=f"{kind} int kept[4];", code=FOUND)
      for kind in ("__device__", "__constant__")),
    *(Row(f"shadow_{name}", "x[i] = kept[1] + same[i % 2]; if (i == 0) kept[0] = 5;",
          ((LAUNCH_LINE + (name == "read") * 3, f"host {name} of device variable kept: copy it with cudaMemcpy{way}Symbol"),), launch,
          finish, variable="__device__ int kept[4], same[2];", code=FOUND)
      for name, way, launch, finish in (
          ("read", "From", LAUNCH, "int sum = 0; for (int k = 0; k < 4; k++) sum += kept[k]; return sum != 5 || same[argc] != 0;"),
          ("write", "To", LAUNCH + "for (int k = 1; k < 4; k++) kept[k] = 4; " + LAUNCH, "return 0;"))),
    *(Row(f"shadow_{name}_first", "x[i] = kept[1];", ((LAUNCH_LINE, "host write of device variable kept: copy it with cudaMemcpyToSymbol"),),
          f"{write}; " + LAUNCH, variable=f"{kind} int kept[4];", code=FOUND)
      for name, kind, write in (("write", "__device__", "kept[1] = argc"), ("copy", "__constant__", "memcpy(kept, &argc, 4)"))),
    *(Row(f"shadow_{name}", "x[i] = kept[1]; if (i == 0) kept[0] = 5;",
          ((LAUNCH_LINE, "host read of device variable kept: copy it with cudaMemcpyFromSymbol"),), LAUNCH + " if (kept[0] == 9) return 1;",
          variable=variable, code=FOUND)
      for name, variable in (("static", "static __device__ int kept[4];"), ("unnamed", "namespace { __device__ int kept[4]; }"))),
    *(Row(f"symbol_by_{name}", "x[i] = kept[1];", ((LAUNCH_LINE, "not a variable of the device: pass its own name"),),
          f"{before}cudaError_t error = cudaMemcpyToSymbol({symbol}, &result, 4); if (error != cudaErrorInvalidSymbol) return 3; {LAUNCH}",
          variable="__device__ int kept[4];", code=FOUND)
      for name, symbol, before in (("address", "&kept", ""), ("text", '"kept"', ""), ("local", "kept", "int kept[4]; "))),
    Row("symbol_as_address", "x[i] = kept[1];", launch="const void *symbol = kept; void *own; result = 6; "
        "if (cudaMemcpyToSymbol(symbol, &result, 4, 4) || cudaGetSymbolAddress(&own, symbol) || own != kept || "
        f"cudaMemcpyToSymbol(symbol, x, 4, 16) != cudaErrorInvalidValue) return 3; {LAUNCH}", variable="__device__ int kept[4];", output="result 6"),
    *(Row(f"allocates_{name}", "x[i] = n;", ((LAUNCH_LINE, f"host write of device {found}"),), launch + LAUNCH, variable="__device__ int *kept;",
          code=FOUND)
      for name, found, launch in (
          ("member", r"memory: copy it with cudaMemcpy\(\)", "int **all; cudaMalloc(&all, 64); cudaMalloc(all + 1, 64); "),
          ("variable", r"variable kept: copy it with cudaMemcpyToSymbol\(\)", "cudaMalloc(&kept, 64); "))),
    Row("allocates_managed", "x[i] = 1; if (i == 0) *both[n / 256] = n;",
        launch="cudaMallocManaged(&both, 64); cudaMalloc(both + 1, 64); " + LAUNCH, variable="__managed__ int **both;"),
    *(Row(f"virtual_of_{name}", f"x[i] = kept->{member};", found, launch=f"Own own, *to; cudaMalloc(&to, sizeof own); "
          f"cudaMemcpy(to, &own, sizeof own, cudaMemcpyHostToDevice); {launch} cudaMemcpyToSymbol(kept, &to, 8); {LAUNCH}", variable=VIRTUAL,
          output="result 4", code=code)
      for name, member, found, launch, code in (
          ("host", "get()", ((LINE, "a virtual function is called of an object that the host made, .*, 256 times"),), "", FOUND),
          ("kernel", "get()", (), "make<<<1, 1>>>(to);", 0),
          ("copy", "get()", (), "Own *other; cudaMalloc(&other, sizeof own); make<<<1, 1>>>(other); cudaMemcpy(to, other, sizeof own, cudaMemcpyDefault);", 0),
          ("nobody", "own", (), "", 0))),
    Row("surface_to_host", "if (i < 8) surf1Dwrite(i + n, kept, 4 * i); x[i] = 1;", launch="cudaArray_t all; int first[8]; "
        "const cudaChannelFormatDesc form = cudaCreateChannelDesc<int>(); cudaMallocArray(&all, &form, 8, 0, cudaArraySurfaceLoadStore); "
        "cudaResourceDesc of = {}; of.resType = cudaResourceTypeArray; of.res.array.array = all; cudaSurfaceObject_t own; "
        f"cudaCreateSurfaceObject(&own, &of); cudaMemcpyToSymbol(kept, &own, 8); {LAUNCH} "
        "cudaMemcpy2DFromArray(first, 32, all, 0, 0, 32, 1, cudaMemcpyDeviceToHost); if (first[1] != 257) return 3;",
        variable="__device__ cudaSurfaceObject_t kept;", output="result 1"),
    Row("shadows", "x[i] = n; if (n == 5) x[i] = both[1] + kept[1] + own[1];", (),
        "void *to, *from; cudaGetSymbolAddress(&to, kept); cudaGetSymbolAddress(&from, own); cudaMemcpy(to, from, 16, cudaMemcpyDefault); "
        "cudaHostRegister(hosts, 16, 0); both[1] = 4; kernel<<<1, 4>>>((int *)to, 256); kernel<<<1, 4>>>(hosts, 256); kernel<<<1, 4>>>(both, 256); "
        "kernel<<<1, 4>>>((int *)from, 256); kernel<<<2, 128>>>(x, 5);", variable="__device__ int kept[4]; static __device__ int own[4]; "
        "static int hosts[4]; __managed__ int both[4]; __managed__ char behind[2];", output="result 768"),
    Row("barrier_in_use", "__shared__ cuda::barrier<cuda::thread_scope_block> all; if (threadIdx.x == 0) init(&all, 128); "
        "all.arrive_and_wait(); x[i] = 1;", ((LINE, "data race on all"),), code=FOUND),
    Row("copied_late", "__shared__ int part[128]; __pipeline_memcpy_async(part + threadIdx.x, x + i, 4); part[threadIdx.x] = i; "
        "__pipeline_commit(); __pipeline_wait_prior(0); x[i] = part[threadIdx.x];",
        ((LINE, r"missing wait: part\[0\] is written before the asynchronous copy to it"),), code=FOUND),
    *(Row(f"copied_source{name}", f"__shared__ int part[128]; {copy} x[i] = i + 1; {wait}; x[i] = part[threadIdx.x];", (),
          finish="return 0;", code=FOUND,
          launch="kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize()) std::puts(\"result\");")
      for name, copy, wait in (
          ("", "__pipeline_memcpy_async(part + threadIdx.x, x + i, 4);", "__pipeline_commit(); __pipeline_wait_prior(0)"),
          ("_of_barrier", "__shared__ cuda::barrier<cuda::thread_scope_block> all; if (threadIdx.x == 0) init(&all, 128); "
           "__syncthreads(); cuda::memcpy_async(part + threadIdx.x, x + i, 4, all);", "all.arrive_and_wait()"))),
    Row("thread_scope", "cuda::atomic_ref<int, cuda::thread_scope_thread>(x[i]).fetch_add(1); "
        "if (i < 9) cuda::atomic_ref<int, cuda::thread_scope_thread>(x[9]).fetch_add(1);",
        ((LINE, r"data race on allocation 1 \(global\): thread \(\d,0,0\) writes"),), "kernel<<<1, 8>>>(x, 256);", code=FOUND),
    Row("in_lambda", "x[i] = 1;", ((3, r"uninitialized shared read: 16 bytes at dynamic shared memory \+ 16"),),
        "in_lambda<1><<<1, 32, 2048>>>(x);", variable=IN_LAMBDA, code=FOUND),
    Row("uninitialized", "__shared__ int part[128]; x[i] = part[threadIdx.x];", ((LINE, "uninitialized shared read: part"),), code=FOUND),
    Row("unchecked", "x[i] = 1;", ((LAUNCH_LINE, "unchecked launch: it failed with cudaErrorInvalidValue"),),
        "kernel<<<1, 4096>>>(x, 256);", code=FOUND),
    Row("asked", "x[i] = 1;", ((LAUNCH_LINE, "uninitialized memory copied to the host: 4 bytes of allocation 2"),), "int *y; cudaMalloc(&y, 64); "
        "kernel<<<1, 4096>>>(y, 256); if (!cudaGetLastError()) return 3; cudaMemcpy(&result, y + 3, 4, cudaMemcpyDeviceToHost); " + LAUNCH, code=FOUND),
    Row("lost_output", 'if (n == 3) printf("lost\\n"); x[i] = 1;', ((LINE, "lost output: the program ends without waiting"),),
        finish="kernel<<<1, 1>>>(x, 3); return 0;", code=FOUND, output="lost"),
    Row("output", 'if (n == 3) printf("kept\\n"); x[i] = 1;', launch="kernel<<<2, 128>>>(x, 3);", finish="kernel<<<1, 1>>>(x, 256); return 0;",
        output="kept"),
    Row("dropped", "x[i] = 1;", ((LAUNCH_LINE, r"unchecked call: cudaMemcpy\(\) failed with cudaErrorInvalidValue"),),
        "cudaMemcpy(x, &result, 4, cudaMemcpyDeviceToHost); kernel<<<2, 128>>>(x, 256);", code=FOUND),
    Row("dropped_and_asked", "x[i] = 1;", (),
        "cudaFree(x + 1); if (cudaGetLastError() == cudaSuccess || !cudaFree(x + 1)) std::exit(3); kernel<<<2, 128>>>(x, 256);"),
    Row("not_ready", "x[i] = 1;", ((LAUNCH_LINE, r"unchecked call: cudaEventElapsedTime\(\) failed with cudaErrorNotReady"),), "cudaEvent_t e[2]; "
        "cudaEventCreate(e), cudaEventCreate(e + 1); float ms; cudaEventRecord(e[0]); kernel<<<2, 128>>>(x, 256); cudaEventRecord(e[1]); "
        "cudaEventElapsedTime(&ms, e[0], e[1]);", code=FOUND),
    Row("checked_launch", "x[i] = 1;", (), "kernel<<<1, 4096>>>(x, 256); if (cudaGetLastError() == cudaSuccess) std::exit(3);"),
    Row("race", RACE, ((LINE, "data race"),), options="exitcode=9", code=9),
    Row("keeps_code", RACE, ((LINE, "data race"),), finish="return 4;", options="exitcode=0", code=4),
    Row("counted", RACE, flavor="counting"),
    Row("requests", "x[i % n] = x[(2 * i) % n] + 1;", launch=2 * LAUNCH + LAUNCH.replace("2, 128", "1, 128"), flavor="counting"),
    Row("plain", RACE, flavor="plain"),
    Row("lockstep", LOCKSTEP, flavor="counting", output="result 3200"),
    *(Row(f"sides_{flavor}", "x[i] = both(1) + counted().x + device();", launch=HOST_LAUNCH, variable=SIDES, flavor=flavor, output="result 11",
          finish="auto lambda = [] __host__ __device__ { return ON_HOST; }; return both(2) + counted().x + host() + lambda() - 32;")
      for flavor in ("checked", "plain")),
    *(Row(f"by_reference_{flavor}", "x[i] = 1;", launch="refer<<<1, 1>>>(*(Alone *)x, x[1]);", variable=BY_REFERENCE, flavor=flavor,
          output="result 4") for flavor in ("checked", "plain")),
    *(Row(f"copied_{flavor}", "x[i] = 1;", launch="copied from(6); other<<<1, 32>>>(x, from, 3);", variable=COPIED, flavor=flavor,
          output="result 9") for flavor in ("checked", "plain")),
    # What toolkits before CUDA 13 had.
    Row("texture", "x[i] = tex1Dfetch(earlier, i) + 4;", variable="texture<int> earlier;", output="result 4",
        launch="size_t at = 9; if (cudaBindTexture(&at, earlier, x, 512) || at || cudaBindTexture(&at, &earlier, x, &earlier.channelDesc, 1024)) "
               "return 2; kernel<<<2, 128>>>(x, 256); if (cudaThreadSynchronize() || cudaUnbindTexture(earlier)) return 3;"),
    Row("texture_2d", "x[i] = 255 * tex2D(earlier, i % 16, i / 16).y + 0.5f;", variable="texture<uchar4, 2, cudaReadModeNormalizedFloat> earlier;",
        launch=f"cudaMemset(x, 51, 1024); if (cudaBindTexture2D(nullptr, earlier, x, 16, 16, 64)) return 2; {LAUNCH}", output="result 51"),
    Row("texture_bounds", "x[i] = tex1Dfetch(earlier, i + 1);",
        ((LINE, "invalid global read of 4 bytes, 0 bytes past the end of allocation 2"),), variable="texture<int> earlier;",
        launch="int *y; cudaMalloc(&y, 1024); cudaMemset(y, 0, 1024); "
        f"if (cudaBindTexture(nullptr, earlier, y, 2048)) return 2; {LAUNCH}", code=FOUND),
    Row("fault", "x[i + (1 << 28)] = 1;", (), "kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize()) std::puts(\"result\");",
        flavor="plain", code=FOUND),
    Row("leak", "x[i] = 1;", ((11, r"leak: allocation 1, 1024 bytes of device memory"),), finish="return 0;", options="leaks=1", code=FOUND),
    Row("stream_made_late", "x[i] = n;", ((LAUNCH_LINE, r"data race on allocation \d+ \(global\): kernel \S+ writes what kernel \S+ at "),),
        "cudaStream_t late; kernel<<<2, 128>>>(x, 1); cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking); kernel<<<2, 128, 0, late>>>(x, 2); "
        "cudaDeviceSynchronize();", code=FOUND),
    Row("waits_for_later", "while (blockIdx.x == 0 && atomicAdd(x, 0) == 0) ; if (i == 255) atomicExch(x, 1);", ((LINE, "deadlock: 128 threads of the block wait at "),),
        "kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize()) std::puts(\"result\");", finish="return 0;", code=FOUND),
    Row("not_cooperative", "cooperative_groups::this_grid().sync(); x[i] = 1;", ((LINE, r"grid.sync\(\) in a launch that is not cooperative"),),
        "kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize()) std::puts(\"result\");", finish="return 0;", code=FOUND),
    Row("hang", "while (*(volatile int *)x == 0) { }", (), options="timeout=1", code=FOUND, output=""),
    *(Row(f"misaligned_{type}", f"if (i == 0) *({type} *)((char *)x + (n > 1) * {at}) = {{}};", ((LINE, f"misaligned global write of {size} bytes"),),
          "kernel<<<2, 128>>>(x, 256); if (cudaDeviceSynchronize() != cudaErrorMisalignedAddress) return 3;",
          'cudaDeviceReset(); cudaMalloc(&x, 1024); kernel<<<2, 128>>>(x, 1); if (cudaDeviceSynchronize() == cudaSuccess) std::puts("result"); return 0;',
          code=FOUND)
      for type, at, size in (("int", 2, 4), ("int4", 4, 16))),
    Row("host_fault", "x[i] = 1;", (), finish="std::fflush(stdout); *(volatile int *)8 = 1;", code=-11),
    Row("host_access", "x[i] = 1;", ((LAUNCH_LINE + 3, "the host reads|host|read"),), finish="return x[3] == 5;", code=FOUND),
    # Compiled as the host's functions are, and run by lanes.
    Row("lambda", "extern __shared__ int part[]; auto put = [](int *to, int k) __attribute__((noinline)) { *to = k; }; put(part, i); x[i] = 1;",
        ((LINE, "data race on dynamic shared memory"),), "kernel<<<1, 64, 256>>>(x, 64);", code=FOUND),
    # The host's memory between two allocations is the host's alone: its loops take longer there, not many times as long.
    Row("host_loops", "x[i] = 1;", finish="""
        int *high = (int *)malloc(4 << 20), *all = (int *)malloc(4 << 20), sum = 0;
        clock_t took[2];
        for (clock_t &of : took) {
            of = clock();
            for (int j = 0; j < 1 << 20; j++)
                sum += all[j];
            of = clock() - of;
            cudaHostRegister(high, 64, 0);
        }
        return x > all || all > high || sum != 0 || took[1] > 12 * took[0];"""),
    Row("host_behind", "x[i] = 1;", ((LAUNCH_LINE + 3, "invalid global write of 4 bytes, 0 bytes past the end of allocation 2"),),
        finish="cudaMallocHost(&x, 4 * argc); x[argc] = 5;", code=FOUND),
    Row("large", "x[i] = 1;", finish="char *large; return cudaMalloc(&large, 5ull << 30) != cudaSuccess;"),
    Row("host_index", "x[i] = 1;", ((LAUNCH_LINE + 3, r"index -1 out of bounds for type 'int \[4\]'"),),
        finish="int of[4] = {}; return of[-argc] == 5;", code=FOUND),
    Row("last_index", "struct { int n, last[4]; } own = {}; auto &at = own; at.last[n / 64] = i; x[i] = own.n + own.last[n % 4];",
        ((LINE, r"index 4 out of bounds for type 'int \[4\]'"),), code=FOUND),
    Row("last_of_more", "struct List { int n, more[1]; }; struct Tail { int n, more[0]; }; "
        "if (i < 100) ((List *)x)->more[i] = i; else if (i < 200) ((Tail *)x)->more[i] = i;", output="result 0"),
    Row("heap", "__shared__ int *own; if (threadIdx.x == 0) own = new int[128]; __syncthreads(); own[threadIdx.x] = i; x[i] = own[threadIdx.x]; "
        "__syncthreads(); if (threadIdx.x == 0) delete[] own;", output="result 0"),
    Row("heap_bounds", "int *own = (int *)malloc(40); x[i] = own[n / 25]; free(own);",
        ((LINE, "invalid global read of 4 bytes, 0 bytes past the end of allocation"),), code=FOUND),
    # Each access looks up one of 8192 allocations: a search through all of them takes half a minute.
    Row("heap_of_many", "for (int k = i; k < 8192; k += 256) (many[k] = (int *)malloc(4))[0] = 1; __syncthreads(); "
        "for (int k = 0; k < 4096; k++) atomicAdd(x, *many[(k + 32 * i) % 8192]);", launch="kernel<<<1, 256>>>(x, 256);",
        variable="__device__ int *many[8192];", output="result 1048576", options="timeout=10"),
    Row("heap_of_host", "if (i == 0) kept = (int *)malloc(40);", ((LAUNCH_LINE, r"unchecked call: cudaFree\(\) failed with cudaErrorInvalidValue"),),
        LAUNCH + "int *own; cudaMemcpyFromSymbol(&own, kept, sizeof own); if (!cudaMemcpy(x, own, 4, cudaMemcpyDefault)) return 3; cudaFree(own);",
        variable="__device__ int *kept;", code=FOUND),
    *(Row(f"heap_frees_other_by_{name}", f"x[i] = 1; {name}(x);", finish="return 0;", code=FOUND,
          launch="kernel<<<1, 32>>>(x, 256); if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) std::exit(5);") for name in ("free", "cudaFree")),
    *(Row(f"negative_{name}", f"int own[4]; {call}; x[i] = own[i % 4];", finish="return 0;", code=FOUND,
          launch="kernel<<<1, 32>>>(x, 256); if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) std::exit(5);")
      for name, call in (("memset", "memset(own, 0, -n)"), ("memcpy", "memcpy(own, x, -n)"))),
    Row("heap_is_limited", "int *first = new int[n << 10], *more = 0; x[1] = first != 0; for (int k = 0; k < 9; k++, cudaFree(more)) "
        "x[i] = !cudaMalloc(&more, n << 15); delete[] first;", output="result 0\nresult 1\n9437184", finish="std::printf(\"%zu\\n\", most);",
        launch="size_t most; kernel<<<1, 1>>>(x, 256); cudaMemcpy(&result, x, 4, cudaMemcpyDefault); std::printf(\"result %d\\n\", result); "
        "cudaDeviceSetLimit(cudaLimitMallocHeapSize, 9 << 20); cudaDeviceGetLimit(&most, cudaLimitMallocHeapSize); kernel<<<1, 1>>>(x, 256);"),
    Row("declared", "x[i] = n;", variable="__global__ void kernel(int *const __restrict__ x, const int); __global__ void kernel(int x[], int unused);", output="result 256"),
    Row("volatile_atomic", "volatile auto *sum = &total; sum->fetch_add(1); __syncthreads(); x[i] = *sum;",
        launch="kernel<<<1, 256>>>(x, 256);", variable="__device__ cuda::atomic<int> total;", output="result 256"),
    Row("volatile_flag", "if (threadIdx.x == 40) *(volatile int *)x = 5; else if (threadIdx.x == 3) x[i + 9] = *(volatile int *)x;"),
    Row("volatile_sum", "x[i] = i; __syncthreads(); volatile int *sum = x; if (i < 32) { sum[i] += sum[i + 32]; sum[i] += sum[i + 16]; "
        "sum[i] += sum[i + 8]; sum[i] += sum[i + 4]; sum[i] += sum[i + 2]; sum[i] += sum[i + 1]; }", output="result 2016"),
    Row("ends_in_loop", "for (unsigned int k = 0; k <= threadIdx.x / 64; k++) { __syncthreads(); x[i] = k; }"),
    Row("unset_sum", "__shared__ int sum; atomicAdd(&sum, 1); __syncthreads(); x[i] = sum;",
        ((LINE, "uninitialized shared read: sum"),), code=FOUND),
    # More than a lane's trace holds: no lane may pause in an update.
    Row("many_updates", "for (int k = 0; k < 3000; k++) { atomicInc((unsigned *)x + 1, 99); "
        "cuda::atomic_ref<int>(x[2]).fetch_max(k ^ i); int old = 0; do old = atomicCAS(x + 3, 0, 1); while (old); "
        "__threadfence(); x[4] += 1; __threadfence(); atomicExch(x + 3, 0); } __syncthreads(); if (threadIdx.x == 0) x[0] = x[1] == 32 * 3000 % 100 && x[4] == 32 * 3000;",
        launch="kernel<<<1, 32>>>(x, 256); cudaDeviceSynchronize();", output="result 1"),
    Row("wait_for_time", "const long long begin = clock64(); while (clock64() - begin < 2000000000000) { } const clock_t last = clock(); "
        "while (clock() - last < 20000000) { } x[i] = clock64() - begin > 1;", output="result 1", finish="return clock() > 600 * CLOCKS_PER_SEC;"),
    Row("bad_options", "x[i] = 1;", options="exitcode=x", code=2, output=""),
)
ROW_OF = {row.name: row for row in ROWS}


class Programs(ProgramTest):
    def run_row(self, row, **settings):
        if not os.path.exists(f"{self.folder}/{row.flavor}"):
            texts, chosen = [HEADERS], []
            for other in (other for other in ROW_OF.values() if other.flavor == row.flavor):
                text = PROGRAM.replace("KERNEL", other.kernel).replace("LAUNCH", other.launch).replace("FINISH", other.finish)
                texts.append(text.replace("VARIABLE", other.variable).replace("NAME", other.name))
                chosen.append(f'if (std::strcmp(argv[1], "{other.name}") == 0) return row_{other.name}::run(argc - 1);\n')
            self.write(f"{row.flavor}.cu", "".join([*texts, "int main(int argc, char **argv)\n{\n", *chosen, "return 1;\n}\n"]))
            self.write("before.h", "inline __device__ int before() { return 3; }\n")
            self.nvcc(f"--kg-flavor={row.flavor}", "-extended-lambda", "-include", "before.h", f"{row.flavor}.cu", "-o", row.flavor)
        return self.run_in_folder(f"./{row.flavor}", row.name, **settings)

    def test_what_is_found(self):
        for row in ROWS:
            with self.subTest(row.name):
                done = self.run_row(row, KERNELGATE_OPTIONS=row.options)
                self.assertEqual(done.returncode, row.code, done.stderr)
                self.assertIn(row.output, done.stdout)
                errors = [line for line in done.stderr.splitlines() if re.match(r"(\S+: )?error: ", line)]
                self.assertEqual(len(errors), len(row.found), done.stderr)
                for line, pattern in row.found:
                    place = f"^{row.name}.cu:{line}: error: " if line else "^error: "
                    self.assertTrue(any(re.search(f"{place}.*{pattern}", error) for error in errors), done.stderr)

    def test_ends_that_name_the_kernel(self):
        """A fault and a hang say which kernel, block and thread; a hang its line too."""
        for name, wanted in (("fault", r"kernel row_fault::kernel, block \(0, 0, 0\), thread \(0, 0, 0\): an access to .* at fault\.cu:6"),
                             ("host_fault", r"the host's code was ended by signal 11 \(.*\) at host_fault\.cu:16"),
                             ("hang", r"kernel row_hang::kernel, block .*its time ran out at hang\.cu:6")):
            done = self.run_row(ROW_OF[name], KERNELGATE_OPTIONS=ROW_OF[name].options)
            self.assertRegex(done.stderr, wanted)
            self.assertRegex(done.stderr, "(?m)^kernelgate: no findings.*; (a kernel failed|the host's code was ended)")

    def test_atomics_of_the_host(self):
        """Those of the C++ library in a .cu file, whose hooks are ThreadSanitizer's."""
        self.write("atomics.cu", "#include <atomic>\n#include <memory>\n#include <thread>\n#include <cstdio>\n"
                   "__global__ void kernel(int *x) { x[threadIdx.x] = 1; }\nstd::atomic<int> total{0};\nstd::atomic<bool> once{false};\n"
                   "int main()\n{\n    int *x;\n    cudaMalloc(&x, 128);\n    auto shared = std::make_shared<int>(2);\n"
                   "    auto add = [=] { for (int i = 0; i < 200000; i++) { auto copy = shared; total += *copy; } once.exchange(true); };\n"
                   "    std::thread one(add), other(add);\n    kernel<<<1, 32>>>(x);\n    one.join();\n    other.join();\n"
                   "    std::printf(\"%d %d\\n\", total.fetch_add(1), once.load());\n    return cudaFree(x);\n}\n")
        self.nvcc("atomics.cu", "-o", "atomics")
        done = self.run_in_folder("./atomics")
        self.assertEqual((done.returncode, done.stdout), (0, "800000 1\n"), done.stderr)

    def test_log(self):
        race = ROW_OF["race"]
        self.assertIn("\nrace.cu:11: note: allocation 1 is allocated here\n", self.run_row(race).stderr)
        self.assertRegex(self.run_row(ROW_OF["asked"]).stderr, r"^asked.cu:13: note: a launch failed: a block of 4096 .*\nasked.cu:13: error: ")
        done = self.run_row(race, KERNELGATE_OPTIONS="log=found.txt")
        self.assertEqual((done.returncode, done.stderr), (FOUND, ""))
        self.assertRegex(read_text(f"{self.folder}/found.txt"), r"(?s)^race.cu:6: error: .*kernelgate: 1 finding in 1 launch of 1 kernel\n$")
        done = self.run_row(race, KERNELGATE_OPTIONS="log=no/such/folder")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no/such/folder: the report cannot be written", done.stderr)

    def test_counters(self):
        self.run_row(ROW_OF["requests"])
        done = self.run_in_folder(COMMAND, "run", "--counters", "--json", "counting", "requests")
        kernel, other = json.loads(done.stdout)["kernels"]
        self.assertIn("result 3\n", done.stderr)
        self.assertEqual((other["name"], other["grid"], other["counters"]["launches"]), ("row_requests::kernel", [1, 1, 1], 1))
        self.assertEqual((kernel["name"], kernel["grid"], kernel["block"], kernel["accesses"]), ("row_requests::kernel", [2, 1, 1], [128, 1, 1], 1024))
        self.assertEqual({name: kernel["counters"][name] for name in (
            "launches", "blocks", "threads", "global_load_requests", "global_load_sectors", "global_store_sectors")},
            {"launches": 2, "blocks": 4, "threads": 512, "global_load_requests": 16, "global_load_sectors": 128,
             "global_store_sectors": 64})
        done = self.run_in_folder(COMMAND, "run", "--counters", "counting", "requests")
        self.assertRegex(done.stdout, r"\nkernel +grid +block +launches +blocks +requests .*\nrow_requests::kernel +2 +128 +2 +4 +32 +8\.00 +4\.00 +– +32\.00\n"
                         r"row_requests::kernel +1 +128 +1 +1 +8 +8\.00 +4\.00 +– +32\.00\n$")
        self.run_row(ROW_OF["plain"])
        done = self.run_in_folder(COMMAND, "run", "--counters", "plain", "plain")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no kernel was counted", done.stderr)
        self.assertIn("run: absent: no such file", self.run_in_folder(COMMAND, "run", "absent").stderr)

    def test_dependent_launches_in_the_default_stream(self):
        """Of a program without streams, pinned or managed memory, which nothing else would have tracked."""
        self.write("dependent.cu", "__global__ void set(int *x, int n) { x[threadIdx.x] = n; }\nint main()\n{\n"
                   "    int *x;\n    cudaMalloc(&x, 512);\n"
                   "    cudaLaunchAttribute one; one.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
                   "    one.val.programmaticStreamSerializationAllowed = 1;\n    cudaLaunchConfig_t launch = { 1, 128, 0, 0, &one, 1 };\n"
                   "    for (int k = 0; k < 3; k++) cudaLaunchKernelEx(&launch, set, x, k);\n"
                   "    cudaDeviceSynchronize();\n    return cudaFree(x);\n}\n")
        self.nvcc("dependent.cu", "-o", "dependent")
        done = self.run_in_folder("./dependent")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertRegex(done.stderr, r"^dependent\.cu:9: error: data race on .*: kernel set writes what kernel set .*cudaGridDependencySynchronize")
