# SPDX-License-Identifier: MIT
"""Tests of the order of programs' streams: what conflicts is found, and what is right is right in every order."""

import re
from typing import NamedTuple

from command_fixture import COMMAND
from program_fixture import FOUND, ProgramTest

# x, y and z are memory of the device, h is pinned and m managed; a and b wait for the legacy stream, c does not.
BEGINNING = """\
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#include <cuda.h>
#include <cuda_runtime.h>
const int N = 250, SIZE = N * sizeof(int), LESS = SIZE / 2;
__global__ void set(int *to, int value) { if (threadIdx.x < N) to[threadIdx.x] = value; }
__global__ void first_half(int *to, int value) { if (threadIdx.x < N / 2) to[threadIdx.x] = value; }
__global__ void copy(int *to, const int *from) { if (threadIdx.x < N) to[threadIdx.x] = from[threadIdx.x]; }
__global__ void count(int *to) { atomicAdd(to, 1); }
__global__ void flag(volatile int *to) { if (threadIdx.x == 0) *to = 7; }
__global__ void wrong(int *to) { to[threadIdx.x + (1 << 28)] = 1; }
int *x, *y, *z, *h, *m, global[N / 2];
cudaStream_t a, b, c;
cudaEvent_t e;
static void sync() { cudaDeviceSynchronize(); }
static void print(int value) { std::printf("%d\\n", value); }
static void read(void *to) { *static_cast<int *>(to) = h[3]; }
static int get(const int *from) { int value; sync(); cudaMemcpy(&value, from + 3, 4, cudaMemcpyDefault); return value; }
__constant__ int fixed[4];
__managed__ int own[N];
__global__ void pick(int *to) { to[threadIdx.x] = fixed[3]; }
__global__ void fetch(int *to, cudaTextureObject_t from) { if (threadIdx.x < N) to[threadIdx.x] = tex1Dfetch<int>(from, threadIdx.x); }
__device__ void copy_one(int *to, const int *from) { if (threadIdx.x < N) to[threadIdx.x] = from[threadIdx.x]; }
__global__ void waiting(int *to, const int *from)
{ cudaTriggerProgrammaticLaunchCompletion(); cudaGridDependencySynchronize(); if (threadIdx.x < N) to[threadIdx.x] = from[threadIdx.x]; }
__global__ void waiting_by_ptx(int *to, const int *from)
{ asm volatile("griddepcontrol.wait;" ::: "memory"); if (threadIdx.x < N) to[threadIdx.x] = from[threadIdx.x]; }
__global__ void hasty(int *to, const int *from)
{ const int early = from[threadIdx.x % N]; cudaGridDependencySynchronize(); if (threadIdx.x < N) to[threadIdx.x] = early; }
__global__ void some_wait(int *to, const int *from, unsigned warps, bool meets)
{ if (threadIdx.x / 32 < warps) cudaGridDependencySynchronize(); if (meets) __syncthreads(); copy_one(to, from); }
template <typename T> __global__ void fill(T *to) { to[threadIdx.x].d = to[threadIdx.x].n = to[threadIdx.x].c = 4; }
"""
END = """\
int main(int, char **arguments)
{
    cudaMalloc(&x, SIZE), cudaMalloc(&y, SIZE), cudaMalloc(&z, SIZE), cudaMallocHost(&h, SIZE), cudaMallocManaged(&m, SIZE);
    cudaStreamCreate(&a), cudaStreamCreate(&b), cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking), cudaEventCreate(&e);
    for (int i = 0; i < N; i++) h[i] = m[i] = 5;
    cudaMemset(x, 0, SIZE), cudaMemset(y, 0, SIZE), cudaMemset(z, 0, SIZE), sync();
    cases[std::atoi(arguments[1])]();
}
"""
# A launch that may begin before the one before it ends.
DEPENDENT = ("cudaLaunchAttribute q; q.id = cudaLaunchAttributeProgrammaticStreamSerialization; "
             "q.val.programmaticStreamSerializationAllowed = 1; cudaLaunchConfig_t l = { 1, 256, 0, a, &q, 1 };")
D2H, H2D, D2D = "cudaMemcpyDeviceToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToDevice"


class Row(NamedTuple):
    """A right program, or a wrong one with its findings: the mark of the line, the kind's words, and the other line's mark."""
    name: str
    body: str
    output: str = ""
    found: tuple = ()


def race(line, mine, theirs, other):
    return line, rf"data race on \S+ \d+ \(global\): (the )?{mine} \w+ what (the )?{theirs} at streams\.cu:{{{other}}} ", other


def early(line, access, theirs, other):
    return line, rf"missing wait: the host {access} .* before (the )?{theirs} at streams\.cu:{{{other}}}, which", other


ROWS = (
    Row("event", f"cudaMemcpyAsync(x, h, SIZE, {H2D}, a); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e);\n"
        "copy<<<1, 256, 0, b>>>(y, x); print(get(y));", "5"),
    Row("no_event", f"/*1*/ cudaMemcpyAsync(x, h, SIZE, {H2D}, a);\n/*2*/ copy<<<1, 256, 0, b>>>(y, x);\nprint(get(y));",
        found=(race(2, "kernel copy", "copy", 1),)),
    Row("event_too_early", "cudaEventRecord(e, a);\n/*1*/ set<<<1, 256, 0, a>>>(x, 4);\ncudaStreamWaitEvent(b, e);\n"
        "/*2*/ copy<<<1, 256, 0, b>>>(y, x);\nprint(get(y));", found=(race(2, "kernel copy", "kernel set", 1),)),
    Row("event_by_way_of_another", "set<<<1, 256, 0, c>>>(x, 4); cudaEventRecord(e, c); cudaStreamWaitEvent(a, e); cudaEventRecord(e, a);\n"
        "cudaStreamWaitEvent(b, e); copy<<<1, 256, 0, b>>>(y, x); print(get(y));", "4"),
    Row("host_waits", f"set<<<1, 256, 0, a>>>(x, 4); cudaMemcpyAsync(h, x, SIZE, {D2H}, a); cudaStreamSynchronize(a); print(h[3]);", "4"),
    Row("host_waits_elsewhere", f"set<<<1, 256, 0, a>>>(x, 4);\n/*1*/ cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\ncudaStreamSynchronize(b);\n"
        "/*2*/ print(h[3]);", found=(early(2, "reads", "copy", 1),)),
    Row("host_queries", f"set<<<1, 256, 0, a>>>(x, 4); cudaMemcpyAsync(h, x, SIZE, {D2H}, a); cudaEventRecord(e, a);\n"
        "while (cudaEventQuery(e) == cudaErrorNotReady) { }\nprint(h[3]);", "4"),
    Row("host_compares", f"int own[N] = {{}};\n/*1*/ cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\n/*2*/ print(memcmp(own, h, SIZE));",
        found=(early(2, "reads", "copy", 1),)),
    Row("host_copies", f"/*1*/ cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\n/*2*/ print(std::vector<int>(h, h + N)[3]);\nsync();",
        found=(early(2, "reads", "copy", 1),)),
    Row("host_writes_file", f"/*1*/ cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\n/*2*/ std::fwrite(h, SIZE, 1, std::fopen(\"/dev/null\", \"w\"));\nsync();",
        found=(early(2, "reads", "copy", 1),)),
    Row("host_reuses", f"/*1*/ cudaMemcpyAsync(x, h, SIZE, {H2D}, a);\n/*2*/ h[3] = 6;\nprint(get(x));",
        found=(early(2, "writes", "copy", 1),)),
    Row("host_reads_what_is_read", f"cudaMemcpyAsync(x, h, SIZE, {H2D}, a); print(h[3]);", "5"),
    Row("managed", "set<<<1, 256>>>(m, 4); sync(); print(m[3]);", "4"),
    Row("managed_too_early", "/*1*/ set<<<1, 256>>>(m, 4);\n/*2*/ print(m[3]);\nsync();", found=(early(2, "reads", "kernel set", 1),)),
    Row("managed_elsewhere", "first_half<<<1, 256>>>(m, 4);\nm[N - 1] = 8; sync(); print(m[3] + m[N - 1]);", "12"),
    Row("managed_variable", "own[0] = 4; set<<<1, 250>>>(own, 5); sync(); print(own[0]);", "5"),
    Row("managed_variable_too_early", "/*1*/ set<<<1, 250>>>(own, 4);\n/*2*/ print(own[3]);\nsync();",
        found=((2, r"missing wait: the host reads own\[3\] before kernel set at streams\.cu:{1}, which", 1),)),
    Row("counted_too_early", "/*1*/ count<<<1, 256, 0, a>>>(h + 3);\n/*2*/ print(h[3]);\nsync();", found=(early(2, "reads", "kernel count", 1),)),
    Row("handshake", "set<<<1, 256>>>(m, 4); flag<<<1, 32>>>(h); while (*(volatile int *)h != 7) { }\nprint(m[3] + h[0]);", "11"),
    Row("pageable", f"int local[N] = {{ 1, 2, 3, 4 }}; cudaMemcpyAsync(x, local, SIZE, {H2D}, a); local[3] = 9;\n"
        f"cudaMemcpyAsync(local, x, SIZE, {D2H}, a); print(local[3]);", "4"),
    Row("legacy_waits", f"set<<<1, 256, 0, a>>>(x, 4); copy<<<1, 256>>>(y, x); copy<<<1, 256, 0, b>>>(z, y);\n"
        f"cudaMemcpyAsync(h, z, SIZE, {D2H}, b); cudaStreamSynchronize(b); print(h[3]);", "4"),
    Row("legacy_does_not_wait", f"int local[N];\n/*1*/ set<<<1, 256, 0, c>>>(x, 4);\n/*2*/ cudaMemcpy(local, x, SIZE, {D2H});\nprint(local[3]);",
        found=(race(2, "copy", "kernel set", 1),)),
    Row("does_not_wait_for_legacy", "/*1*/ cudaMemset(x, 4, SIZE);\n/*2*/ copy<<<1, 256, 0, c>>>(y, x);\nprint(get(y));",
        found=(race(2, "kernel copy", "fill", 1),)),
    Row("memcpy_is_waited_for", f"cudaMemcpy(x, h, SIZE, {H2D}); copy<<<1, 256, 0, c>>>(y, x); print(get(y));", "5"),
    Row("constant", f"/*1*/ cudaMemcpyToSymbolAsync(fixed, h, 16, 0, {H2D}, a);\n/*2*/ pick<<<1, 32, 0, b>>>(x);\nsync();",
        found=((2, r"data race on fixed \(constant\): (the )?kernel pick reads what (the )?copy at streams\.cu:{1} writes", 1),)),
    Row("texture", "cudaTextureObject_t t; cudaResourceDesc from = {}; from.resType = cudaResourceTypeLinear; from.res.linear.devPtr = y; "
        "from.res.linear.sizeInBytes = SIZE;\nfrom.res.linear.desc = cudaCreateChannelDesc<int>(); cudaTextureDesc how = {}; "
        "cudaCreateTextureObject(&t, &from, &how, nullptr);\n/*1*/ set<<<1, 256, 0, a>>>(y, 4);\n/*2*/ fetch<<<1, 256, 0, b>>>(x, t);\nsync();",
        found=(race(2, "kernel fetch", "kernel set", 1),)),
    Row("halves", "first_half<<<1, 256, 0, a>>>(x, 4); first_half<<<1, 256, 0, b>>>(x + N / 2, 3); print(get(x) + get(x + N / 2));", "7"),
    Row("halves_overlap", "/*1*/ first_half<<<1, 256, 0, a>>>(x, 4);\n/*2*/ first_half<<<1, 256, 0, b>>>(x + N / 2 - 1, 3);",
        found=(race(2, "kernel first_half", "kernel first_half", 1),)),
    Row("atomics", "count<<<1, 256, 0, a>>>(x + 3); count<<<1, 256, 0, b>>>(x + 3); print(get(x));", "512"),
    Row("atomics_and_fill", "/*1*/ count<<<1, 256, 0, a>>>(x + 3);\n/*2*/ cudaMemsetAsync(x + 2, 0, 8, b);\nsync();",
        found=(race(2, "fill", "kernel count", 1),)),
    Row("atomics_and_copy", "/*1*/ copy<<<1, 256, 0, a>>>(y, x);\n/*2*/ count<<<1, 256, 0, b>>>(x + 3);\nsync();",
        found=((2, r"data race on allocation 1 \(global\): (the )?kernel count writes what (the )?kernel copy at streams\.cu:{1} reads", 1),)),
    Row("read_together", "copy<<<1, 256, 0, a>>>(x, z); copy<<<1, 256, 0, b>>>(y, z); print(get(y));", "0"),
    Row("pool", "int *w; cudaMallocAsync(&w, SIZE, a); set<<<1, 256, 0, a>>>(w, 4); copy<<<1, 256, 0, a>>>(x, w); cudaFreeAsync(w, a);\n"
        "print(get(x));", "4"),
    Row("pool_frees_too_early", "int *w; "
        "cudaMallocAsync(&w, SIZE, a);\n/*1*/ set<<<1, 256, 0, a>>>(w, 4);\n/*2*/ cudaFreeAsync(w, b);\nsync();",
        found=(race(2, "free", "kernel set", 1),)),
    Row("pool_gives_too_early", "int *w;\n/*1*/ cudaMallocAsync(&w, SIZE, c);\n/*2*/ set<<<1, 256, 0, b>>>(w, 4);\nsync();",
        found=(race(2, "kernel set", "allocation", 1),)),
    Row("pool_free_too_early", "int *w;\ncudaMallocAsync(&w, SIZE, a);\n/*1*/ set<<<1, 256, 0, a>>>(w, 4);\n/*2*/ cudaFree(w);\nsync();",
        found=(race(2, "free", "kernel set", 1),)),
    Row("pool_after_a_wait", "int *w; cudaMallocAsync(&w, SIZE, a); set<<<1, 256, 0, a>>>(w, 4); cudaStreamSynchronize(a); cudaFree(w);\n"
        "print(get(x));", "0"),
    Row("free_waits", "int *w; cudaMalloc(&w, SIZE); set<<<1, 256, 0, c>>>(w, 4); copy<<<1, 256, 0, c>>>(x, w); cudaFree(w); "
        "print(get(x));", "4"),
    Row("host_function", f"static int seen; cudaMemcpyAsync(h, x, SIZE, {D2H}, a); cudaLaunchHostFunc(a, read, &seen);\n"
        "set<<<1, 256, 0, a>>>(x, 4); cudaStreamSynchronize(a); print(seen);", "0"),
    Row("host_function_too_early", f"static int seen;\n/*1*/ cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\ncudaLaunchHostFunc(b, read, &seen);\nsync();",
        found=((20, "missing wait: the host reads", 1),)),
    Row("callback", "static int seen; "
        "cudaStreamAddCallback(a, [](cudaStream_t, cudaError_t error, void *to) { *(int *)to = 3 + error; }, &seen, 0);\n"
        "cudaStreamSynchronize(a); print(seen);", "3"),
    Row("callback_tells", f"static bool told = false; cudaMemcpyAsync(h, x, SIZE, {D2H}, a);\n"
        "cudaLaunchHostFunc(a, [](void *) { told = true; }, nullptr);\n"
        "while (!*(volatile bool *)&told) { }\nprint(h[3]);", "0"),
    Row("callback_calls", "static cudaError_t got; cudaLaunchHostFunc(a, [](void *) { got = cudaStreamSynchronize(b); }, nullptr); "
        "sync(); print(got);",
        str(800)),
    Row("arguments", "int value = 4; void *list[] = { &x, &value }; cudaLaunchKernel((const void *)set, 1, 256, list, 0, a);\n"
        "value = 9; list[0] = nullptr; print(get(x));", "4"),
    Row("destroyed_with_work", "set<<<1, 256, 0, a>>>(x, 4); cudaStreamDestroy(a); print(get(x));", "4"),
    Row("fault", "wrong<<<1, 32, 0, a>>>(x); print(cudaStreamSynchronize(a) == cudaErrorIllegalAddress);", "1",
        found=((13, "invalid write of 4 bytes at 0x", None),)),
    Row("priority", "cudaStream_t s; int least, most, got; cudaDeviceGetStreamPriorityRange(&least, &most);\n"
        "cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, most - 3); cudaStreamGetPriority(s, &got); print(got - most);", "0"),
    Row("dependent_waits", f"set<<<1, 256, 0, a>>>(x, 4); {DEPENDENT} cudaLaunchKernelEx(&l, waiting, y, x); print(get(y));", "4"),
    Row("dependent_waits_by_ptx", f"set<<<1, 256, 0, a>>>(x, 4); {DEPENDENT} cudaLaunchKernelEx(&l, waiting_by_ptx, y, x); print(get(y));", "4"),
    Row("dependent_waits_too_late", f"/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n{DEPENDENT}\n/*2*/ cudaLaunchKernelEx(&l, hasty, y, (const int *)x);\n"
        "sync();", found=(race(2, "kernel hasty", "kernel set", 1),)),
    Row("dependent_begins", f"set<<<1, 256, 0, a>>>(z, 4); set<<<1, 256, 0, a>>>(y, 3); {DEPENDENT}\n"
        "cudaLaunchKernelEx(&l, hasty, y, (const int *)z); print(get(y));", "4"),
    Row("dependent_does_not_wait", f"/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n{DEPENDENT}\n/*2*/ cudaLaunchKernelEx(&l, copy, y, (const int *)x);\n"
        "sync();", found=(race(2, "kernel copy", "kernel set", 1),)),
    Row("dependent_in_chain", f"/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n{DEPENDENT} cudaLaunchKernelEx(&l, set, z, 3);\n"
        "/*2*/ cudaLaunchKernelEx(&l, copy, y, (const int *)x);\nsync();", found=(race(2, "kernel copy", "kernel set", 1),)),
    Row("last_of_chain_waits", f"set<<<1, 256, 0, a>>>(x, 4); {DEPENDENT} cudaLaunchKernelEx(&l, set, z, 3);\n"
        "cudaLaunchKernelEx(&l, waiting, y, (const int *)x); print(get(y));", "4"),
    Row("dependent_s_warp_waits", f"/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n{DEPENDENT}\n"
        "/*2*/ cudaLaunchKernelEx(&l, some_wait, y, (const int *)x, 1u, false);\nsync();", found=(race(2, "kernel some_wait", "kernel set", 1),)),
    Row("dependent_s_warp_waits_for_all", f"set<<<1, 256, 0, a>>>(x, 4); {DEPENDENT}\n"
        "cudaLaunchKernelEx(&l, some_wait, y, (const int *)x, 1u, true); print(get(y));", "4"),
    Row("dependent_after_another", f"set<<<1, 256, 0, a>>>(x, 4); set<<<1, 256, 0, a>>>(z, 3); {DEPENDENT}\n"
        "cudaLaunchKernelEx(&l, copy, y, (const int *)x); print(get(y));", "4"),
    Row("dependent_after_copy", f"cudaMemcpyAsync(x, h, SIZE, {H2D}, a); {DEPENDENT} cudaLaunchKernelEx(&l, copy, y, (const int *)x);\n"
        "print(get(y));", "5"),
    Row("elapsed_too_early", "cudaEvent_t f; float time; cudaEventCreate(&f); cudaEventRecord(e); set<<<1, 256>>>(x, 4); cudaEventRecord(f);\n"
        "print(cudaEventElapsedTime(&time, e, f)); while (cudaEventElapsedTime(&time, e, f) == cudaErrorNotReady) { } set<<<1, 256>>>(x, 4);\n"
        "cudaEventRecord(f); cudaMemcpy(m, x, SIZE, cudaMemcpyDefault); print(cudaEventElapsedTime(&time, e, f)); set<<<1, 256>>>(x, 4); cudaEventRecord(f); sync();\n"
        "print(cudaEventElapsedTime(&time, e, f));", "600\n0\n0"),
    Row("elapsed", "cudaEvent_t f; float time = -1; cudaEventCreate(&f); cudaEventRecord(e, a); set<<<1, 256, 0, a>>>(x, 4);\n"
        "print(cudaEventElapsedTime(&time, e, f)); cudaEventRecord(f, a); cudaEventSynchronize(f); "
        "print(cudaEventElapsedTime(&time, e, f));\n"
        "print(time > 0);", "400\n0\n1"),
    Row("registered", "std::vector<int> own(N); cudaHostRegister(own.data(), SIZE, 0); set<<<1, 256, 0, a>>>(own.data(), 4);\n"
        "cudaStreamSynchronize(a); print(own[3]); print(cudaHostRegister(own.data() + 1, 4, 0)); print(cudaHostUnregister(own.data()));\n"
        "print(cudaHostUnregister(own.data()));", "4\n712\n0\n713"),
    Row("registered_too_early", "static int own[N]; "
        "cudaHostRegister(own, SIZE, 0);\n/*1*/ set<<<1, 256, 0, a>>>(own, 4);\n/*2*/ print(own[3]);",
        found=(early(2, "reads", "kernel set", 1),)),
    Row("copies_overlap", f"/*1*/ cudaMemcpy(x + 1, x, SIZE - 4, {D2D});\n/*2*/ cudaMemcpy2DAsync(y + 8, 64, y, 64, 36, 9, {D2D}, a);\nsync();",
        found=tuple((line, rf"overlapping copy: its source and its destination meet at allocation {at}, and CUDA", None)
                    for line, at in ((1, r"1 \+ 4"), (2, r"2 \+ 32")))),
    Row("copies_beside_each_other", f"cudaMemcpy(x + N / 2, x, LESS, {D2D}); cudaMemcpy2D(y + 8, 64, y, 64, 32, 9, {D2D});\n"
        f"cudaMemcpy(h + 1, h, 4, cudaMemcpyHostToHost); print(cudaMemcpy(z, z, SIZE, {D2D}));", "0"),
    Row("host_function_calls", "/*1*/ cudaLaunchHostFunc(a, [](void *to) { cudaMemset(to, 0, SIZE); }, x);\nsync(); print(cudaGetLastError());",
        found=((1, r"unchecked call: cudaMemset\(\) failed with cudaErrorNotPermitted", None),)),
    Row("freed_twice", "cudaFree(x);\n/*1*/ cudaFree(x);", found=((1, r"double free: allocation 1 \(1000 bytes\)", None),)),
    Row("freed_pinned_twice", "cudaFreeHost(h);\n/*1*/ cudaFreeHost(h);", found=((1, r"double free: allocation 4", None),)),
    Row("stream_destroyed", "cudaStreamDestroy(a);\n/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n(void)cudaGetLastError();",
        found=((1, "use of a destroyed stream", None),)),
    Row("event_destroyed", "cudaEventDestroy(e);\n/*1*/ cudaEventRecord(e, a);", found=((1, "use of a destroyed event", None),)),
    Row("copy_named_wrong", f"set<<<1, 256>>>(x, 4);\n/*1*/ cudaMemcpy(y, x, SIZE, {H2D});\n/*2*/ cudaMemcpyAsync(x, y, SIZE, {D2H}); print(get(x));", "4",
        found=((1, "undefined copy: its kind calls its source the host's, and it is device memory", None),
               (2, "undefined copy: its kind calls its destination the host's, and it is device memory", None))),
    Row("unwritten_to_host", f"int *v, *w; cudaMalloc(&v, SIZE); cudaMalloc(&w, SIZE); first_half<<<1, 256>>>(v, 4);\n"
        f"/*1*/ cudaMemcpy(h, v, SIZE, {D2H});\nchar bytes[9]; cudaMemcpy(w, v, SIZE, {D2D}); cudaMemset(w, 4, 7);\n"
        f"/*2*/ cudaMemcpy2D(bytes, 3, (char *)w + 498, 1, 1, 3, {D2H});\nprint(bytes[0]);\n"
        f"cudaMemset(w, 4, SIZE - 4);\n/*3*/ cudaMemcpy(h, w, SIZE, {D2H});", "0",
        found=((1, r"uninitialized memory copied to the host: 500 bytes of allocation 6 \(1000 bytes\), the first at byte 500$", None),
               (2, r"uninitialized memory copied to the host: 1 byte of allocation 7 \(1000 bytes\), the first at byte 500$", None),
               (3, r"uninitialized memory copied to the host: 4 bytes of allocation 7 \(1000 bytes\), the first at byte 996$", None))),
    Row("written_to_host", f"int *w; cudaMalloc(&w, SIZE); first_half<<<1, 256>>>(w, 4); cudaMemset((char *)w + LESS, 0, LESS); "
        f"cudaMemcpy(h, w, SIZE, {D2H}); "
        f"print(h[3]); struct S {{ double d; int n; char c; }} *s, own[9]; cudaMalloc(&s, sizeof own);\n"
        f"fill<<<1, 9>>>(s); cudaMemcpy(own, s, sizeof own, {D2H}); cudaMemcpy(own, s, sizeof *s, {D2H});\n"
        f"int *v; cudaMallocHost(&v, SIZE); cudaMemcpy(h, v, SIZE, {D2H}); cudaMemcpy(x, v, SIZE, {H2D}); cudaMemcpy(h, x, SIZE, {D2H});", "4"),
    Row("copy_overruns", f"/*1*/ cudaMemcpy(x, m, SIZE + 8, {H2D});", found=((1, "invalid global write of 1008 bytes, the last 8 past the end of allocation 1", None),)),
    Row("copy_overruns_source", f"/*1*/ cudaMemcpy(h + 9, x + 1, SIZE - 36, {D2H});\n/*2*/ cudaMemcpyAsync(m, x + 1, SIZE, {D2H}, a);",
        found=((2, "invalid global read of 1000 bytes, the last 4 past the end of allocation 1", None),)),
    Row("copy_overruns_host", f"/*1*/ cudaMemcpy(global, x, SIZE, {D2H});",
        found=((1, "invalid write of 1000 bytes, the last 500 past the end of the host's variable", None),)),
    Row("copy_fits_host", f"cudaMemcpy(global, x, LESS, {D2H}); print(global[3]);", "0"),
    Row("copy_after_free", f"cudaFree(x);\n/*1*/ cudaMemcpy(m, x, SIZE, {D2H});",
        found=((1, r"invalid global read of 1000 bytes, 0 bytes into allocation 1 \(1000 bytes\), which was freed", None),)),
    Row("fill_overruns", "/*1*/ cudaMemset2D(x, 512, 0, 400, 3);", found=((1, "invalid global write of 400 bytes, 24 bytes past the end", None),)),
    Row("captured", "cudaGraph_t g; cudaGraphExec_t r; int value = 1; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);\n"
        f"cudaMemcpyAsync(x, h, SIZE, {H2D}, a); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e); copy<<<1, 256, 0, b>>>(y, x);\n"
        "cudaEventRecord(e, b); set<<<1, 256, 0, a>>>(z, value); cudaStreamWaitEvent(a, e); value = 2; cudaStreamEndCapture(a, &g);\n"
        "cudaGraphInstantiate(&r, g, nullptr, nullptr, 0); cudaGraphDestroy(g); print(get(y)); for (int i = 0; i < 2; i++) {\n"
        "cudaGraphLaunch(r, c); cudaStreamSynchronize(c); print(get(y)); print(get(z)); h[3] = 8; }\ncudaGraphExecDestroy(r);", "0\n5\n1\n8\n1"),
    Row("captured_without_event", "cudaGraph_t g; cudaGraphExec_t r; cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);\n"
        "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e);\n/*1*/ set<<<1, 256, 0, a>>>(x, 4);\n/*2*/ copy<<<1, 256, 0, b>>>(y, x);\n"
        "cudaEventRecord(e, b); cudaStreamWaitEvent(a, e); cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&r, g); "
        "cudaGraphLaunch(r, c);\n"
        "print(get(y));", found=(race(2, "kernel copy", "kernel set", 1),)),
    Row("capture_forbids", "cudaGraph_t g; int *w; for (int i = 0; i < 4; i++) { cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;\n"
        "cudaStreamBeginCapture(a, i == 3 ? mode : cudaStreamCaptureModeGlobal); set<<<1, 1, 0, a>>>(x, 1);\n"
        "if (i == 2) cudaThreadExchangeStreamCaptureMode(&mode); print(i == 0 ? cudaFree(z) : cudaMalloc(&w, SIZE));\n"
        "if (i == 2) cudaThreadExchangeStreamCaptureMode(&mode); print(cudaStreamEndCapture(a, &g)); }\n"
        "print(cudaFree(z) + cudaThreadExchangeStreamCaptureMode(nullptr));", "900\n901\n900\n901\n0\n0\n0\n0\n1"),
    Row("captures_refused", "cudaGraph_t g; print(cudaStreamEndCapture(a, &g)); "
        "print(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));\n"
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); print(cudaStreamSynchronize(a)); print(cudaStreamEndCapture(a, &g));\n"
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e); "
        "set<<<1, 1, 0, b>>>(x, 1);\n"
        "print(cudaStreamEndCapture(b, &g)); print(cudaStreamEndCapture(a, &g)); cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);\n"
        "set<<<1, 1>>>(x, 1); print(cudaGetLastError()); print(cudaStreamEndCapture(a, &g)); print(g == nullptr);",
        "401\n900\n900\n901\n903\n904\n906\n901\n1"),
    Row("capture_waits", "cudaGraph_t g; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); set<<<1, 256, 0, a>>>(x, 4);\n"
        "/*1*/ cudaStreamSynchronize(a);\ncudaStreamEndCapture(a, &g);",
        found=((1, r"unchecked call: cudaStreamSynchronize\(\) failed with cudaErrorStreamCaptureUnsupported", None),)),
    Row("capture_info", "cudaGraph_t g; cudaStreamCaptureStatus status; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); "
        "size_t count;\n"
        "const cudaGraphNode_t *nodes; set<<<1, 256, 0, a>>>(x, 4); "
        "cudaStreamGetCaptureInfo(a, &status, nullptr, nullptr, &nodes, nullptr, &count);\n"
        "cudaGraphNodeType type; cudaGraphNodeGetType(nodes[0], &type); print(status); print(count); print(type);\n"
        "cudaStreamEndCapture(a, &g); cudaStreamIsCapturing(a, &status); print(status); print(get(x));", "1\n1\n0\n0\n0"),
    Row("built", "cudaGraph_t g, inner; cudaGraphExec_t r; cudaGraphNode_t n[7]; int value = 4; static int seen; "
        "cudaGraphCreate(&g, 0); cudaGraphCreate(&inner, 0);\n"
        "void *list[] = { &x, &value }, *other[] = { &y, &x }; cudaKernelNodeParams p = { (void *)set, 1, 256, 0, list, nullptr };\n"
        "cudaKernelNodeParams q = { (void *)copy, 1, 256, 0, other, nullptr }; "
        "cudaMemsetParams s = { z, 0, 0x01020304, 4, (size_t)N, 1 };\n"
        "cudaHostNodeParams f = { read, &seen }; cudaGraphAddKernelNode(&n[1], inner, nullptr, 0, &q); "
        "cudaGraphAddKernelNode(&n[0], g, nullptr, 0, &p);\n"
        "cudaGraphAddChildGraphNode(&n[1], g, &n[0], 1, inner); cudaGraphAddMemsetNode(&n[2], g, nullptr, 0, &s);\n"
        f"cudaGraphAddMemcpyNode1D(&n[3], g, &n[1], 1, h, y, SIZE, {D2H}); cudaGraphAddEmptyNode(&n[4], g, &n[2], 2); "
        f"cudaGraphAddHostNode(&n[5], g, nullptr, 0, &f);\n"
        "cudaGraphAddDependencies(g, &n[4], &n[5], nullptr, 1); size_t count = 9; cudaGraphGetRootNodes(g, nullptr, &count); "
        "print(count);\n"
        "cudaGraphInstantiate(&r, g, 0); value = 6; cudaGraphLaunch(r, a); print(get(y)); print(get(z)); print(seen);\n"
        "print(cudaGraphExecKernelNodeSetParams(r, n[0], &p)); cudaGraphLaunch(r, a); print(get(y)); print(seen); "
        "print(cudaGraphExecUpdate(r, g, nullptr));\n"
        "cudaGraphLaunch(r, a); print(get(y)); print(cudaGraphExecUpdate(r, inner, nullptr)); "
        "print(cudaGraphAddDependencies(g, &n[5], &n[0], nullptr, 1));\n"
        "print(cudaGraphInstantiate(&r, g, 0));", f"2\n4\n{0x01020304}\n4\n0\n6\n6\n0\n4\n910\n0\n1"),
    Row("built_without_edge", f"cudaGraph_t g; cudaGraphExec_t r; cudaGraphNode_t n; cudaGraphCreate(&g, 0); "
        f"cudaMemsetParams s = {{ x, 0, 4, 1, SIZE, 1 }};\n"
        f"/*1*/ cudaGraphAddMemsetNode(&n, g, nullptr, 0, &s);\n/*2*/ cudaGraphAddMemcpyNode1D(&n, g, nullptr, 0, y, x, SIZE, {D2D});\n"
        "cudaGraphInstantiate(&r, g, 0); cudaGraphLaunch(r, a); print(get(y));", found=(race(2, "copy", "fill", 1),)),
    Row("graph_changes", "cudaGraph_t g, k; cudaGraphExec_t r; cudaGraphNode_t n[3]; static int seen; cudaGraphCreate(&g, 0); "
        "cudaMemsetParams s = { x, 0, 4, 1, SIZE, 1 };\n"
        "cudaMemcpy3DParms q = {}; q.srcPtr = make_cudaPitchedPtr(x, SIZE, SIZE, 1); q.dstPtr = make_cudaPitchedPtr(y, SIZE, SIZE, 1);\n"
        "q.extent = make_cudaExtent(SIZE, 1, 1); q.kind = cudaMemcpyDefault; cudaHostNodeParams f = { read, &seen };\n"
        "cudaGraphAddMemsetNode(&n[0], g, nullptr, 0, &s); cudaGraphAddMemcpyNode(&n[1], g, &n[0], 1, &q); "
        "cudaGraphAddHostNode(&n[2], g, &n[1], 1, &f);\n"
        "cudaGraphClone(&k, g); cudaGraphDestroy(k); cudaGraphInstantiate(&r, g); s.dst = z; "
        "print(cudaGraphExecMemsetNodeSetParams(r, n[0], &s));\n"
        f"print(cudaGraphExecMemcpyNodeSetParams1D(r, n[1], h, z, SIZE, {D2H})); f.userData = m; "
        f"print(cudaGraphExecHostNodeSetParams(r, n[2], &f));\n"
        "cudaGraphLaunch(r, a); cudaStreamSynchronize(a); print(seen); print(m[0]); print(get(x));", f"0\n0\n0\n0\n{0x04040404}\n0"),
    Row("graph_errors", "cudaGraph_t g, k; cudaGraphExec_t r; cudaGraphNode_t n, o; cudaGraphNodeType type; size_t count; "
        "cudaHostNodeParams f = { read, m };\n"
        "print(cudaGraphCreate(nullptr, 0)); print(cudaGraphCreate(&g, 1)); print(cudaGraphDestroy(nullptr)); cudaGraphCreate(&g, 0); "
        "cudaGraphCreate(&k, 0);\n"
        "print(cudaGraphAddEmptyNode(&n, nullptr, nullptr, 0)); print(cudaGraphAddKernelNode(&n, g, nullptr, 0, nullptr)); "
        "print(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));\n"
        "cudaGraphAddHostNode(&n, g, nullptr, 0, &f); cudaGraphAddEmptyNode(&o, k, nullptr, 0); "
        "print(cudaGraphAddEmptyNode(&n, g, &o, 1));\n"
        "print(cudaGraphAddDependencies(g, &n, &o, nullptr, 1)); print(cudaGraphAddDependencies(g, nullptr, &n, nullptr, 1)); "
        "print(cudaGraphAddChildGraphNode(&n, g, nullptr, 0, nullptr));\n"
        "print(cudaGraphGetNodes(nullptr, &n, &count)); print(cudaGraphNodeGetType(nullptr, &type)); "
        "print(cudaGraphInstantiateWithFlags(&r, g, 4)); print(cudaGraphInstantiate(nullptr, g));\n"
        "print(cudaGraphLaunch(nullptr, a)); print(cudaGraphExecDestroy(nullptr)); print(cudaGraphClone(nullptr, g)); "
        "print(cudaGraphExecUpdate(nullptr, g, nullptr));\n"
        "cudaGraphInstantiate(&r, g); print(cudaGraphExecHostNodeSetParams(r, o, &f)); print(cudaGraphHostNodeSetParams(n, &f)); "
        "cudaGraphExecUpdateResult result;\n"
        "print(cudaGraphExecUpdate(r, k, nullptr, &result)); print(result); "
        "cudaKernelNodeParams p; print(cudaGraphKernelNodeGetParams(n, &p));",
        "1\n" * 12 + "801\n" + "1\n" * 6 + "0\n910\n2\n801"),
    Row("capture_errors", "cudaGraph_t g, k; cudaGraphExec_t r; cudaEvent_t f; cudaEventCreate(&f); cudaGraphCreate(&g, 0); "
        "cudaGraphInstantiate(&r, g); cudaEventRecord(f, c);\n"
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); print(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal)); "
        "print(cudaGraphLaunch(r, a)); print(cudaStreamEndCapture(a, &g));\n"
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); cudaStreamBeginCapture(c, cudaStreamCaptureModeGlobal); "
        "cudaEventRecord(e, a); print(cudaStreamWaitEvent(c, e));\n"
        "print(cudaEventSynchronize(e)); print(cudaEventQuery(e)); print(cudaStreamEndCapture(a, &g)); "
        "print(cudaStreamEndCapture(c, &k)); print(cudaStreamWaitEvent(b, e));\n"
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); print(cudaStreamWaitEvent(a, f)); print(cudaStreamQuery(a)); "
        "print(cudaStreamEndCapture(a, &g));\n"
        "print(cudaStreamBeginCapture(a, (cudaStreamCaptureMode)7)); print(cudaStreamEndCapture(a, nullptr));",
        "401\n801\n901\n902\n907\n907\n901\n901\n907\n905\n900\n901\n1\n1"),
    Row("captured_pool", "int *w; cudaGraph_t g; cudaGraphExec_t r; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); "
        "cudaMallocAsync(&w, SIZE, a); set<<<1, 256, 0, a>>>(w, 4);\n"
        "copy<<<1, 256, 0, a>>>(x, w); cudaFreeAsync(w, a); cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&r, g); "
        "cudaGraphLaunch(r, a); cudaGraphLaunch(r, a); print(get(x));", "4"),
    Row("driver", "CUdevice d; CUcontext t; CUdeviceptr p; CUfunction f; CUstream s; CUevent v; char name[5]; int major, minor, most; "
        "cuInit(0);\n"
        "cuDeviceGet(&d, 0); cuDeviceGetName(name, sizeof name, d); cuDeviceComputeCapability(&major, &minor, d); "
        "cuCtxCreate(&t, nullptr, 0, d);\n"
        "cuCtxCreate(&t, 0, d); cuMemAlloc(&p, SIZE); cuStreamCreate(&s, CU_STREAM_NON_BLOCKING); "
        "cuEventCreate(&v, CU_EVENT_DISABLE_TIMING);\n"
        "cuMemsetD32Async(p, 70000, N, s); cuMemsetD16Async(p, 700, 2, s); cudaGetFuncBySymbol(&f, copy); void *list[] = { &y, &p };\n"
        "print(cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, s, list, nullptr)); cuEventRecord(v, s); cuStreamWaitEvent(a, v, 0);\n"
        "cuMemcpyDtoHAsync(h, (CUdeviceptr)y, SIZE, a); print(cuCtxSynchronize()); print(h[0]); print(h[3]); "
        "print(10 * major + minor); std::puts(name);\n"
        "cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f); print(most); print(cuMemFree(p)); "
        "print(cuDeviceGet(&d, 1));\n"
        "print(cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, s, nullptr, list)); cuStreamDestroy(s); cuEventDestroy(v); cuCtxDestroy(t);",
        f"0\n0\n{700 + (700 << 16)}\n70000\n90\nCPU \n1024\n0\n101\n801"),
    Row("three_dimensions", "cudaPitchedPtr p; cudaExtent size = make_cudaExtent(SIZE, 2, 3); cudaMemcpy3DParms q = {}; "
        "std::vector<int> got(6 * N);\n"
        "cudaMalloc3D(&p, size); cudaMemset3DAsync(p, 1, size, a); cudaMemset3D(p, 0, make_cudaExtent(8, 1, 3)); q.srcPtr = p; "
        "q.extent = size;\n"
        "q.dstPtr = make_cudaPitchedPtr(got.data(), SIZE, SIZE, 2); q.kind = cudaMemcpyDeviceToHost; print(cudaMemcpy3DAsync(&q, a));\n"
        "print(got[N]); print(got[2 * N + 1]); print(got[5 * N]); cudaFree(p.ptr);", f"0\n{0x01010101}\n0\n{0x01010101}"),
    # The codes of an H200 with CUDA 13.0.
    Row("errors_of_hints", "__attribute__((unused)) static __managed__ int both[8]; int *host = new int[8]; cudaMemLocation far = "
        "{cudaMemLocationTypeDevice, 99};\n"
        "print(cudaMemPrefetchAsync(m, SIZE, 0)); print(cudaMemPrefetchAsync(both, 32, cudaCpuDeviceId)); print(cudaMemPrefetchAsync(m + 1, SIZE, 0));\n"
        "print(cudaMemPrefetchAsync(m, 0, 0)); print(cudaMemPrefetchAsync(x, SIZE, 0)); print(cudaMemPrefetchAsync(host, 32, 0)); "
        "print(cudaMemPrefetchAsync(m, SIZE, far, 0));\n"
        "print(cudaMemAdvise(x, SIZE, cudaMemAdviseSetReadMostly, 0)); print(cudaMemAdvise(m, SIZE, cudaMemoryAdvise(77), 0)); "
        "print(cudaStreamAttachMemAsync(a, m)); print(cudaStreamAttachMemAsync(a, x));\n"
        "print(cudaDeviceEnablePeerAccess(0, 0)); print(cudaDeviceDisablePeerAccess(0)); print(cudaDeviceEnablePeerAccess(9, 0)); print(cudaGetLastError());\n"
        "print(cudaDeviceSetLimit(cudaLimit(99), 1)); delete[] host;",
        "0\n0\n1\n1\n1\n1\n101\n1\n1\n0\n1\n217\n705\n101\n101\n1"),
    Row("errors_of_launches", "cudaGraph_t g; size_t pitch; int blocks; set<<<0, 1>>>(x, 1); print(cudaGetLastError()); set<<<1, 1025>>>(x, 1); "
        "print(cudaGetLastError());\n"
        "void *list[] = {&x, &y}; print(cudaLaunchCooperativeKernel((void *)copy, 1, 1, list, 50000, a)); cudaGetLastError(); "
        "cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);\n"
        "set<<<1, 2048, 0, a>>>(x, 1); print(cudaGetLastError()); print(cudaStreamEndCapture(a, &g)); print(g == nullptr);\n"
        "print(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy, 2048, 0)); print(blocks); "
        "print(cudaMallocPitch(&z, &pitch, 0, 5)); print(z == nullptr);", "1\n1\n720\n1\n901\n1\n0\n0\n0\n1"),
    Row("queries", "cudaDeviceProp p; int value; unsigned int flags; cudaMemPool_t pool; unsigned long long used; "
        "cudaGetDeviceProperties(&p, 0); print(p.concurrentKernels);\n"
        "cudaDeviceGetAttribute(&value, cudaDevAttrGlobalMemoryBusWidth, 0); print(value); cudaStreamGetFlags(c, &flags); "
        "print(flags); cudaHostGetFlags(&flags, h);\n"
        "print(flags == cudaHostAllocMapped); cudaMemPrefetchAsync(m, SIZE, 0); "
        "cudaMemAdvise(m, SIZE, cudaMemAdviseSetReadMostly, cudaCpuDeviceId);\n"
        "cudaDeviceGetDefaultMemPool(&pool, 0); cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used); print(used); "
        "print(cudaThreadSynchronize());\n"
        "print(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &used)); cudaChooseDevice(&value, &p); print(value);\n"
        "CUmemGenericAllocationHandle handle; CUmemAllocationProp prop = {}; prop.location.type = CUmemLocationType(CU_MEM_LOCATION_TYPE_DEVICE);\n"
        "cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0); print(value); "
        "cudaGetLastError(); print(cuMemCreate(&handle, SIZE, &prop, 0)); print(cudaGetLastError());",
        "1\n6144\n1\n1\n4000\n0\n801\n0\n0\n801\n0"),
)


def source():
    """The program of all rows, and for each row the lines of its marks."""
    lines = BEGINNING.splitlines()
    marks = []
    for row in ROWS:
        lines.append(f"static void case_{row.name}()")
        lines.append("{")
        marks.append({13: 13, 20: 19})
        for line in row.body.splitlines():
            lines.append(line)
            if mark := re.match(r"/\*(\d)\*/", line):
                marks[-1][int(mark[1])] = len(lines)
        lines.append("}")
    lines.append(f"static void (*cases[])() = {{ {', '.join(f'case_{row.name}' for row in ROWS)} }};")
    return "\n".join(lines) + "\n" + END, marks


class Streams(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text, cls.marks = source()
        cls.write("streams.cu", text)
        cls.nvcc("streams.cu", "-o", "streams")

    def expect_findings(self, row, marks, done):
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        self.assertEqual(len(errors), len(row.found), done.stderr)
        for mark, pattern, other in row.found:
            pattern = pattern.replace(f"{{{other}}}", str(marks.get(other)))
            self.assertRegex("\n".join(errors), rf"(?m)^streams\.cu:{marks[mark]}: error: {pattern}")

    def test_rows(self):
        """As issued, a wrong row has its findings; in reverse it has findings or another output. A right row is right."""
        for number, row in enumerate(ROWS):
            outputs = []
            for order in ("issued", "reversed"):
                with self.subTest(row.name, order=order):
                    done = self.run_in_folder("./streams", str(number), KERNELGATE_OPTIONS=f"order={order}:timeout=60")
                    outputs.append(done.stdout)
                    if row.output:
                        self.assertEqual(done.stdout, row.output + "\n", done.stderr)
                    if order == "issued" or not row.found:
                        self.assertEqual(done.returncode, FOUND if row.found else 0, done.stderr)
                        self.expect_findings(row, self.marks[number], done)
                    else:
                        self.assertTrue(done.returncode == FOUND or outputs[0] != outputs[1], done.stderr)

    def test_reversed_without_checks(self):
        """What is missing a wait is right as issued, and reads old data in reverse."""
        self.nvcc("--kg-flavor=plain", "streams.cu", "-o", "plain")
        for name, right, old in (("no_event", "5", "0"), ("host_waits_elsewhere", "4", "5"), ("managed_too_early", "4", "5"),
                                 ("does_not_wait_for_legacy", str(0x04040404), "0"), ("event", "5", "5"), ("captured_without_event", "4", "0")):
            number = str([row.name for row in ROWS].index(name))
            for order, output in (("issued", right), ("reversed", old)):
                done = self.run_in_folder("./plain", number, KERNELGATE_OPTIONS=f"order={order}")
                self.assertEqual(done.stdout, output + "\n", (name, order, done.stderr))

    def test_options(self):
        done = self.run_in_folder("./streams", "0", KERNELGATE_OPTIONS="order=backwards")
        self.assertEqual(done.returncode, 2)
        self.assertIn("KERNELGATE_OPTIONS: order needs issued or reversed", done.stderr)

    def test_default_stream_per_thread(self):
        """Each thread's default stream is its own, with nvcc's option alone."""
        with open(f"{self.folder}/threads.cu", "w", encoding="utf-8") as file:
            file.write(BEGINNING + "int main()\n{\n    cudaMalloc(&x, SIZE), cudaMalloc(&y, SIZE), cudaStreamCreate(&a), sync();\n"
                       "    std::thread([] { set<<<1, 256>>>(x, 4); }).join();\n    copy<<<1, 256>>>(y, x);\n    return get(y) - 4;\n}\n")
        for words, code in (([], 0), (["--default-stream", "legacy"], 0), (["-default-stream=per-thread"], FOUND)):
            self.nvcc("threads.cu", "-o", "threads", *words)
            done = self.run_in_folder("./threads")
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"data race on allocation 1 \(global\): kernel copy reads what kernel set at threads\.cu:\d+ writes")

    def test_modules_are_refused(self):
        """Nothing here runs PTX. The driver's header is C too."""
        for name, code in (("module.cu", "CUfunction f; return cuModuleGetFunction(&f, 0, \"f\");"), ("module.c", "return cuInit(0);")):
            self.write(name, f"#include <cuda.h>\nint main(void)\n{{\n    {code}\n}}\n")
        self.nvcc("module.c", "-o", "module", "-lcuda", "-Xcompiler", "-Wall,-Wextra,-Werror")
        done = self.run_in_folder(COMMAND, "nvcc", "-c", "module.cu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the CPU model does not support cuModuleGetFunction(): it runs no PTX", done.stderr)
