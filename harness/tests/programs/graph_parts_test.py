# SPDX-License-Identifier: MIT
"""Tests of graphs with memory and conditions, in programs that `kernelgate nvcc` builds."""

import re
from typing import NamedTuple

from program_fixture import FOUND, ProgramTest

BEGINNING = """\
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
const int N = 64, SIZE = N * sizeof(int);
__global__ void set(int *to, int value) { to[threadIdx.x] = value; }
__global__ void add(int *to, int value) { to[threadIdx.x] += value; }
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void choose(cudaGraphConditionalHandle handle, const int *x) { if (threadIdx.x == 0) cudaGraphSetConditional(handle, *x); }
__global__ void count_down(cudaGraphConditionalHandle handle, int *x) { if (threadIdx.x == 0 && --*x == 0) cudaGraphSetConditional(handle, 0); }
int *x, *y, *p;
cudaStream_t s;
cudaGraph_t g, body, other;
cudaGraphExec_t r;
cudaGraphNode_t n[9];
cudaGraphConditionalHandle handle;
cudaGraphNodeParams q = { cudaGraphNodeTypeConditional };
static void print(long long value) { std::printf("%lld\\n", value); }
static int get(const int *from) { int value = -1; cudaStreamSynchronize(s); cudaMemcpy(&value, from + 3, 4, cudaMemcpyDefault); return value; }
static int allocate(int *&to, int node, int after)
{
    cudaGraphNodeParams a = { cudaGraphNodeTypeMemAlloc };
    a.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    a.alloc.bytesize = SIZE;
    const int error = cudaGraphAddNode(&n[node], g, after >= 0 ? &n[after] : nullptr, after >= 0, &a);
    to = static_cast<int *>(a.alloc.dptr);
    return error;
}
template <typename... Parameters, typename... Values>
static int kernel(cudaGraph_t to, int node, int after, void (*called)(Parameters...), Values... given)
{
    cudaGraphNodeParams k = { cudaGraphNodeTypeKernel };
    void *pointers[] = { &given... };
    k.kernel.func = reinterpret_cast<void *>(called);
    k.kernel.gridDim = dim3(1);
    k.kernel.blockDim = dim3(N);
    k.kernel.kernelParams = pointers;
    return cudaGraphAddNode(&n[node], to, after >= 0 ? &n[after] : nullptr, nullptr, after >= 0, &k);
}
static int release(int node, int after, int *of) { return cudaGraphAddMemFreeNode(&n[node], g, &n[after], 1, of); }
static int condition(int node, int after, cudaGraphConditionalNodeType type, int size)
{
    q.conditional.handle = handle;
    q.conditional.type = type;
    q.conditional.size = size;
    const int error = cudaGraphAddNode(&n[node], g, after >= 0 ? &n[after] : nullptr, nullptr, after >= 0, &q);
    body = error == 0 ? q.conditional.phGraph_out[0] : nullptr;
    return error;
}
static int launch() { return cudaGraphLaunch(r, s); }
static long long used(int which) { unsigned long long bytes = 1; cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttributeType(which), &bytes); return bytes; }
"""
END = """\
int main(int, char **words)
{
    cudaMalloc(&x, SIZE), cudaMalloc(&y, SIZE), cudaMemset(x, 0, SIZE), cudaMemset(y, 0, SIZE), cudaDeviceSynchronize();
    cudaStreamCreate(&s), cudaGraphCreate(&g, 0);
    cases[std::atoi(words[1])]();
    return cudaDeviceSynchronize();
}
"""
MEMORY = "print(allocate(p, 0, -1)); print(kernel(g, 1, 0, set, p, 5)); print(kernel(g, 2, 1, copy, y, p)); "
MAKE = "print(cudaGraphInstantiate(&r, g)); "


class Row(NamedTuple):
    name: str
    body: str
    output: str
    found: str = ""


ROWS = (
    Row("memory", MEMORY + "print(release(3, 2, p)); " + MAKE + "launch(); print(get(y)); cudaMemset(y, 0, SIZE); launch(); print(get(y)); print(used(0));",
        "0 0 0 0 0 5 5 0"),
    Row("contents_do_not_stay", "allocate(p, 0, -1); kernel(g, 1, 0, add, p, 5); kernel(g, 2, 1, set, p, 1); release(3, 2, p); " + MAKE +
        "launch(); launch();", "0", r"uninitialized global read: allocation 3\[0\].*\[add<<<1, 64>>>\]"),
    Row("read_after_free", MEMORY + "release(3, 2, p); " + MAKE + "launch(); copy<<<1, N, 0, s>>>(y, p);", "0 0 0 0",
        r"uninitialized global read: allocation 3\[0\].*\[copy<<<1, 64>>>\]"),
    Row("no_order_to_memory", "allocate(p, 0, -1); kernel(g, 1, -1, set, p, 5); " + MAKE + "launch();", "0",
        r"data race on allocation 3 \(global\): kernel set writes what the allocation"),
    Row("used_twice", MEMORY + MAKE + "print(launch()); print(launch()); print(get(p)); print(cudaFree(p)); print(cudaFree(p)); print(launch()); print(get(p));",
        "0 0 0 0 0 1 5 0 1 0 5"),
    Row("freed_by_the_next_launch", MEMORY + "print(cudaGraphInstantiate(&r, g, cudaGraphInstantiateFlagAutoFreeOnLaunch)); "
        "print(launch()); print(launch()); print(get(p)); print(used(0)); print(used(2) >= SIZE);", "0 0 0 0 0 0 5 256 1"),
    Row("outlives_its_graph", MEMORY + MAKE + "launch(); print(get(y)); cudaGraphExecDestroy(r); cudaGraphDestroy(g); print(get(p)); print(cudaFreeAsync(p, s)); "
        "print(used(0)); print(used(1)); print(used(2));", "0 0 0 0 5 5 0 0 256 0"),
    Row("freed_by_another_graph", MEMORY + MAKE + "launch(); cudaGraphCreate(&g, 0); print(cudaGraphAddMemFreeNode(&n[0], g, nullptr, 0, p)); "
        "cudaGraphExec_t first = r; " + MAKE + "print(launch()); r = first; print(launch());", "0 0 0 0 0 0 0 0"),
    Row("captured", "int *t; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); print(cudaMallocAsync(&t, SIZE, s)); set<<<1, N, 0, s>>>(t, 7); "
        "copy<<<1, N, 0, s>>>(y, t); print(cudaFreeAsync(t, s)); print(cudaFreeAsync(x, s)); cudaStreamEndCapture(s, &g); " + MAKE +
        "launch(); launch(); print(get(y)); print(used(0));", "0 0 1 0 7 0"),
    Row("attributes", "unsigned long long none = 0; print(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none)); "
        "print(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &none)); print(cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &none)); "
        "print(cudaDeviceGraphMemTrim(0)); print(cudaGraphAddMemAllocNode(n, g, nullptr, 0, nullptr));", "0 1 101 0 1"),
    Row("if", "cudaGraphConditionalHandleCreate(&handle, g); kernel(g, 0, -1, choose, handle, x); print(condition(1, 0, cudaGraphCondTypeIf, 1)); "
        "kernel(body, 2, -1, add, y, 3); " + MAKE + "launch(); print(get(y)); set<<<1, N, 0, s>>>(x, 2); launch(); print(get(y));", "0 0 0 3"),
    Row("if_else", "cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); print(condition(1, -1, cudaGraphCondTypeIf, 2)); "
        "kernel(body, 2, -1, add, y, 3); kernel(q.conditional.phGraph_out[1], 3, -1, add, y, 50); " + MAKE + "launch(); print(get(y));", "0 0 3"),
    Row("while", "set<<<1, N, 0, s>>>(x, 4); cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); "
        "print(condition(0, -1, cudaGraphCondTypeWhile, 1)); kernel(body, 1, -1, add, y, 10); kernel(body, 2, 1, count_down, handle, x); kernel(g, 3, 0, add, y, 1); " +
        MAKE + "launch(); print(get(y)); set<<<1, N, 0, s>>>(x, 2); launch(); print(get(y));", "0 0 41 62"),
    Row("switch", "cudaGraphConditionalHandleCreate(&handle, g); kernel(g, 0, -1, choose, handle, x); print(condition(1, 0, cudaGraphCondTypeSwitch, 3)); "
        "for (int i = 0; i < 3; i++) kernel(q.conditional.phGraph_out[i], 2, -1, add, y, 1 << 4 * i); " + MAKE +
        "for (int i = 0; i < 4; i++) { set<<<1, N, 0, s>>>(x, i); launch(); } print(get(y));", f"0 0 {0x111}"),
    Row("nested", "cudaGraphConditionalHandle outer; cudaGraphConditionalHandleCreate(&outer, g, 1, cudaGraphCondAssignDefault); handle = outer; "
        "condition(0, -1, cudaGraphCondTypeIf, 1); cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); std::swap(g, body); "
        "print(condition(1, -1, cudaGraphCondTypeWhile, 1)); kernel(body, 2, -1, add, y, 2); kernel(body, 3, 2, count_down, handle, x); "
        "g = nullptr;", "0"),
    Row("captured_to", "cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); condition(0, -1, cudaGraphCondTypeIf, 1); "
        "print(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal)); add<<<1, N, 0, s>>>(y, 6); add<<<1, N, 0, s>>>(y, 1); "
        "print(cudaStreamEndCapture(s, nullptr)); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); print(cudaStreamEndCapture(s, nullptr)); "
        "cudaStreamEndCapture(s, &other); " + MAKE + "launch(); print(get(y));", "0 0 1 0 7"),
    Row("dependencies", "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); set<<<1, N, 0, s>>>(y, 6); const cudaGraphNode_t *tips; size_t count; "
        "cudaStreamCaptureStatus status; cudaStreamGetCaptureInfo(s, &status, nullptr, &g, &tips, nullptr, &count); n[0] = tips[0]; kernel(g, 1, 0, add, y, 1); "
        "print(cudaStreamUpdateCaptureDependencies(s, &n[1], nullptr, 1, cudaStreamSetCaptureDependencies)); add<<<1, N, 0, s>>>(y, 20); "
        "print(cudaStreamUpdateCaptureDependencies(s, n, nullptr, 1, 7)); cudaStreamEndCapture(s, &g); " + MAKE + "launch(); print(get(y));", "0 1 0 27"),
    Row("before_cuda_13", "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); set<<<1, N, 0, s>>>(y, 6); const cudaGraphNode_t *tips; size_t count; "
        "cudaStreamCaptureStatus status; print(cudaStreamGetCaptureInfo_v2(s, &status, nullptr, &g, &tips, &count)); kernel(g, 0, -1, add, y, 1); "
        "print(cudaGraphAddDependencies(g, tips, n, 1)); print(cudaStreamUpdateCaptureDependencies(s, n, 1, 1)); add<<<1, N, 0, s>>>(y, 20); "
        "cudaStreamEndCapture(s, &g); " + MAKE + "launch(); print(get(y));", "0 0 0 0 27"),
    Row("no_order_to_body", "cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); condition(0, -1, cudaGraphCondTypeIf, 1); "
        "kernel(body, 1, -1, set, y, 3); kernel(g, 2, -1, set, y, 4); " + MAKE + "launch();", "0",
        r"data race on allocation 2 \(global\): (the conditional node|kernel set) writes what (the conditional node|kernel set)"),
    Row("copies_of_graphs", "cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault); condition(0, -1, cudaGraphCondTypeIf, 1); "
        "kernel(body, 1, -1, add, y, 3); cudaGraphClone(&other, g); cudaGraphDestroy(g); g = other; " + MAKE + "launch(); print(get(y));", "0 3"),
    Row("errors", "cudaGraphConditionalHandleCreate(&handle, g); print(condition(0, -1, cudaGraphCondTypeIf, 3)); print(condition(0, -1, cudaGraphCondTypeWhile, 2)); "
        "print(condition(0, -1, cudaGraphCondTypeIf, 0)); handle = 99; print(condition(0, -1, cudaGraphCondTypeIf, 1)); "
        "print(cudaGraphConditionalHandleCreate(nullptr, g)); print(cudaGraphConditionalHandleCreate(&handle, nullptr)); "
        "print(cudaGraphAddNode(n, g, nullptr, nullptr, 0, nullptr)); q.type = cudaGraphNodeTypeEventRecord; print(cudaGraphAddNode(n, g, nullptr, nullptr, 0, &q)); "
        "print(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal)); "
        "print(cudaStreamUpdateCaptureDependencies(s, n, nullptr, 1, 1));", "1 1 1 1 1 1 1 801 1 401"),
)


class GraphParts(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cases = "".join(f"static void case_{row.name}()\n{{\n    {row.body}\n}}\n" for row in ROWS)
        table = f"static void (*cases[])() = {{ {', '.join(f'case_{row.name}' for row in ROWS)} }};\n"
        cls.write("graphs.cu", BEGINNING + cases + table + END)

    def check(self, flavor, **environment):
        self.nvcc(f"--kg-flavor={flavor}", "graphs.cu", "-o", flavor)
        for number, row in enumerate(ROWS):
            with self.subTest(row.name, flavor=flavor):
                done = self.run_in_folder(f"./{flavor}", str(number), **environment)
                found = row.found if flavor == "checked" else ""
                self.assertEqual(done.returncode, FOUND if found else 0, done.stderr)
                errors = [line for line in done.stderr.splitlines() if re.search("error: ", line)]
                self.assertEqual(len(errors), 1 if found else 0, done.stderr)
                self.assertRegex(done.stderr, found or ".*")
                self.assertEqual(done.stdout.split(), row.output.split(), done.stderr)

    def test_checked(self):
        self.check("checked")

    def test_deferred(self):
        self.check("plain", KERNELGATE_OPTIONS="order=reversed")
