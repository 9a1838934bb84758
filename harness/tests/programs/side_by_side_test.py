# SPDX-License-Identifier: MIT
"""Tests of kernels whose blocks run side by side, of large launches that are sampled, and of how far a launch is."""

import json
import os
import pty
import subprocess

from command_fixture import COMMAND
from own_folder import read_json
from program_fixture import FOUND, ProgramTest

PROGRAM = r"""
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <curand_kernel.h>
#include <thread>

#define CHECK(condition) do { if (!(condition)) { std::printf("wrong: %s\n", #condition); return; } } while (0)
const int BLOCKS = 3000, THREADS = 64, ALL = BLOCKS * THREADS;
extern __shared__ int of_file[];
__device__ int highest;
__device__ unsigned ticket;

__global__ void add(int *a)
{
    cuda::atomic_ref<int, cuda::thread_scope_device>(a[0]).fetch_add(1);
    atomicAdd(&a[1], 2);
    atomicAdd((float *)&a[2], 1.0f);
    atomicMax(&highest, (int)(blockIdx.x * blockDim.x + threadIdx.x));
}
void test_add(int *a)
{
    int most;
    add<<<BLOCKS, THREADS>>>(a);
    cudaMemcpyFromSymbol(&most, highest, sizeof most);
    CHECK(a[0] == ALL && a[1] == 2 * ALL && ((float *)a)[2] == ALL && most == ALL - 1);
}

/* Static, dynamic and named shared memory of a block are its own; the last block sees all sums. */
template <int N> __global__ void reduce(int *sums)
{
    __shared__ int part[N];
    extern __shared__ int own[];
    part[threadIdx.x] = own[threadIdx.x] = blockIdx.x;
    of_file[N + threadIdx.x] = blockIdx.x;
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
            own[threadIdx.x] += own[threadIdx.x + half];
            of_file[N + threadIdx.x] += of_file[N + threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&sums[0], part[0] == own[0] && own[0] == of_file[N] ? __shfl_sync(1, part[0], 0) : -1);
        __threadfence();
        if (atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1)
            sums[1] = atomicAdd(&sums[0], 0);
    }
}
void test_reduce(int *a)
{
    for (int run = 0; run < 5; run++) {
        a[0] = a[1] = 0;
        reduce<THREADS><<<BLOCKS, THREADS, 2 * THREADS * sizeof(int)>>>(a);
        CHECK(cudaDeviceSynchronize() == cudaSuccess && a[0] == BLOCKS * (BLOCKS - 1) / 2 * THREADS && a[1] == a[0]);
    }
}

__global__ void chain(unsigned *done)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && atomicCAS(&done[blockIdx.x - 1], 1u, 1u) == 0) { }
        atomicExch(&done[blockIdx.x], 1u);
    }
    __syncthreads();
}
void test_chain(int *a)
{
    chain<<<BLOCKS, THREADS>>>((unsigned *)a);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && a[BLOCKS - 1] == 1);
}

__global__ void locked(int *lock, volatile int *count)
{
    for (int i = 0; threadIdx.x == 0 && i < 20; i++) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
void test_locked(int *a)
{
    locked<<<BLOCKS, THREADS>>>(a, a + 1);
    CHECK(a[1] == 20 * BLOCKS);
}

__device__ int &of_function()
{
    __shared__ int mine;
    return mine;
}
__global__ void together(int *a)
{
    __shared__ int own;
    if (threadIdx.x == 0)
        own = of_function() = blockIdx.x;
    __syncthreads();
    a[blockIdx.x] = own;
    cooperative_groups::this_grid().sync();
    a[gridDim.x + blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x] + (own == of_function() ? own : -1);
}
void test_together(int *a)
{
    void *arguments[] = { &a };
    cudaLaunchCooperativeKernel((void *)together, dim3(8), dim3(THREADS), arguments, 0, 0);
    for (int i = 0; i < 8; i++)
        CHECK(a[8 + i] == (i + 1) % 8 + i);
}

__global__ __cluster_dims__(2) void cluster(int *a)
{
    __shared__ int own;
    cooperative_groups::cluster_group all = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        own = blockIdx.x;
    all.sync();
    a[blockIdx.x] = *all.map_shared_rank(&own, 1 - all.block_rank());
    all.sync();
}
void test_cluster(int *a)
{
    cluster<<<8, THREADS>>>(a);
    for (int i = 0; i < 8; i++)
        CHECK(a[i] == (i ^ 1));
}

/* Shapes of three dimensions; the first thread that waits is not the block's first. */
__global__ void shapes(int *a)
{
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (thread < 5 || thread % 7 == 3)
        return;
    if (block % 2)
        __syncthreads();
    a[block * blockDim.x * blockDim.y * blockDim.z + thread] = block + thread;
}
void test_shapes(int *a)
{
    shapes<<<dim3(3, 5, 4), dim3(5, 3, 6)>>>(a);
    for (int i = 0; i < 60 * 90; i++)
        CHECK(a[i] == (i % 90 < 5 || i % 90 % 7 == 3 ? 0 : i / 90 + i % 90));
}

__global__ void kinds(int *a)
{
    __shared__ int own;
    own = 1;
    atomicAdd(&a[0], __isShared(&own) + 2 * __isGlobal(a) + 4 * __isShared(of_file));
}
void test_kinds(int *a)
{
    kinds<<<BLOCKS, THREADS, 64>>>(a);
    CHECK(a[0] == 7 * ALL);
}

__global__ void random(float *a)
{
    curandState state;
    curand_init(1, blockIdx.x, 0, &state);
    a[blockIdx.x] = curand_uniform(&state);
}
void test_random(int *a)
{
    float *b = (float *)a;
    random<<<BLOCKS, 1>>>(b);
    random<<<1, 1>>>(b + BLOCKS);
    CHECK(b[0] == b[BLOCKS] && b[1] != b[0] && b[BLOCKS - 1] != 0);
}

/* Threads of the host that launch, and each of which has shared arrays of its own. */
void test_threads(int *)
{
    std::thread host[3];
    for (auto &one : host)
        one = std::thread([] {
            int *a;
            cudaMallocManaged(&a, 2 * sizeof(int));
            test_reduce(a);
        });
    for (auto &one : host)
        one.join();
}

__global__ void print() { if (threadIdx.x == 0) printf("block %u: a line that stays whole\n", blockIdx.x); }
void test_print(int *) { print<<<400, 256>>>(); }

/* 64 GiB below the array: an address as far above it can be noncanonical, and those the processor does not report. */
__global__ void outside(int *a) { a[blockIdx.x == 37 && threadIdx.x == 5 ? -(1L << 34) : 0] = 1; }
void test_outside(int *a) { outside<<<BLOCKS, THREADS>>>(a); }
__global__ void zero(int *a) { if (blockIdx.x == 20 && threadIdx.x == 3) a[0] = 5 / a[1]; }
void test_zero(int *a) { zero<<<BLOCKS, THREADS>>>(a); }
/* A block fails for which others wait. */
__global__ void abandoned(volatile int *a) { if (blockIdx.x == 1) a[-(1L << 34)] = 1; while (blockIdx.x != 1 && *a == 0) { } }
void test_abandoned(int *a) { abandoned<<<ALL, 1>>>(a); }
__global__ void endless(volatile int *a) { while (*a == 0) { } }
void test_endless(int *a) { endless<<<ALL, 1>>>(a); }
/* All wait for a lock that nobody has. */
__global__ void waits(int *lock) { while (atomicCAS(lock, 0, 1) != 0) { } }
void test_waits(int *a) { a[0] = 2; waits<<<ALL, 1>>>(a); }

int main(int, char **argv)
{
    int *a;
    cudaMallocManaged(&a, ALL * sizeof(int));
    std::memset(a, 0, ALL * sizeof(int));
#define TEST(name) if (std::strcmp(argv[1], #name) == 0) test_##name(a)
    TEST(add); TEST(reduce); TEST(chain); TEST(locked); TEST(together); TEST(cluster); TEST(shapes); TEST(kinds); TEST(random);
    TEST(threads); TEST(print); TEST(outside); TEST(zero); TEST(abandoned); TEST(endless); TEST(waits);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
RIGHT = ("add", "reduce", "chain", "locked", "together", "cluster", "shapes", "kinds", "random", "threads")
# The end of a launch: what the report says.
FAILED = (
    ("outside", r"kernel outside, block \(37, 0, 0\), thread \(5, 0, 0\): an access"),
    ("zero", r"kernel zero, block \(20, 0, 0\), thread \(3, 0, 0\): an integer is divided by zero, .* at a\.cu:\d+"),
    ("abandoned", r"kernel abandoned, block \(1, 0, 0\), thread \(0, 0, 0\): an access"),
    ("endless", r"kernel endless, block .*: its time ran out at a\.cu:\d+"),
    ("waits", r"kernel waits, block .*: .*deadlock"),
)
# Checked kernels that take long enough for processes. The last blocks of some need the program's own.
CHECKED = r"""
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
const int BLOCKS = 300, THREADS = 64, ALL = BLOCKS * THREADS;
__device__ int total;
__device__ signed char small[ALL];
template <typename Last> __device__ void run(const int *in, int *out, Last last)
{
    __shared__ int part[THREADS];
    const int place = blockIdx.x * THREADS + threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += in[(i + place) % THREADS];
    part[threadIdx.x] = sum;
    __syncthreads();
    out[place] = part[THREADS - 1 - threadIdx.x] + place;
    if (place % 3)
        small[place] = (signed char)place;
    if (blockIdx.x == BLOCKS - 1 && threadIdx.x == 0)
        last();
}
#define KERNEL(name, last) __global__ void name(const int *in, int *out) { run(in, out, [&]() { last; }); }
KERNEL(own, (void)0)
KERNEL(writes, out[ALL / 2] = 1)
KERNEL(reads, out[ALL - 1] = out[ALL / 3])
KERNEL(adds, atomicAdd(&total, 1))
KERNEL(prints, printf("the last\n"))
KERNEL(takes, out[ALL - 1] += malloc(8) != nullptr)
KERNEL(traps, __trap())
KERNEL(hangs, while (in[0] >= 0) total = 1)
int main(int, char **argv)
{
    int *in, *out, first, sum = 0, host[ALL];
    signed char bytes[ALL];
    rusage used;
    cudaMalloc(&in, THREADS * sizeof(int));
    cudaMemset(in, 1, THREADS * sizeof(int));
    cudaMalloc(&out, ALL * sizeof(int));
#define TEST(name) if (std::strcmp(argv[1], #name) == 0) name<<<BLOCKS, THREADS>>>(in, out)
    TEST(own); TEST(writes); TEST(reads); TEST(adds); TEST(prints); TEST(takes); TEST(traps); TEST(hangs);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    cudaMemcpyFromSymbol(bytes, small, sizeof bytes);
    cudaMemcpyFromSymbol(&first, total, sizeof first);
    for (int i = 0; i < ALL; i++)
        sum = sum * 31 + host[i] + bytes[i];
    getrusage(RUSAGE_CHILDREN, &used);
    std::printf("%d %d\n", sum, first);
    return argv[2] != nullptr && used.ru_utime.tv_sec + used.ru_utime.tv_usec == 0;
}
"""
# What the report of each says.
LAST = (
    ("own", "no findings"),
    ("writes", r"write"),
    ("reads", r"read"),
    ("adds", "no findings"),
    ("prints", "no findings"),
    ("takes", "finding"),
    ("traps", r"kernel traps, block \(299, 0, 0\), thread \(0, 0, 0\): "),
    ("hangs", r"kernel hangs, block \(299, 0, 0\), thread \(0, 0, 0\): its time ran out at checked\.cu:\d+"),
)
SAMPLED = """
#include <cstdio>
__global__ void kernel(int *x, int times) { for (int i = 0; i < times; i++) x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main(int count, char **) { int *x; cudaMalloc(&x, 4 << 22); kernel<<<1 << 14, 256>>>(x, count > 1 ? 50 : 1); return cudaFree(x); }
"""


class SideBySide(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text, flavor in (("a", PROGRAM, "plain"), ("checked", CHECKED, "checked"), ("sampled", SAMPLED, "checked")):
            cls.write(f"{name}.cu", text)
            subprocess.run([COMMAND, "nvcc", "-std=c++17", f"--kg-flavor={flavor}", f"{name}.cu", "-o", name], cwd=cls.folder, check=True)

    def run_program(self, *command, options):
        return subprocess.run(command, cwd=self.folder, env={**os.environ, "KERNELGATE_OPTIONS": options}, capture_output=True,
                              text=True, check=False, timeout=120)

    def test_results(self):
        for name in RIGHT:
            for threads in (1, 3):
                with self.subTest(name, threads=threads):
                    done = self.run_program("./a", name, options=f"threads={threads}")
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_failures(self):
        for name, wanted in FAILED:
            for threads in (1, 3) if name != "abandoned" else (3,):
                with self.subTest(name, threads=threads):
                    done = self.run_program("./a", name, options=f"threads={threads}:timeout={2 if name == 'endless' else 100}")
                    self.assertEqual(done.returncode, FOUND, done.stderr)
                    self.assertRegex(done.stderr, wanted)
                    self.assertEqual(done.stderr.count("kernelgate: kernel "), 1, done.stderr)

    def test_processes(self):
        """Results, findings and counters of checked kernels are those of one process."""
        for name, wanted in LAST:
            done = []
            for threads in (3,) if name == "hangs" else (1, 3):
                ended = self.run_program("./checked", name, *(["processes"] if name == "own" and threads > 1 else []),
                                         options=f"threads={threads}:counters=counters:timeout={4 if name == 'hangs' else 100}")
                done.append((ended.returncode, ended.stdout, ended.stderr, read_json(os.path.join(self.folder, "counters"))))
            with self.subTest(name):
                self.assertRegex(done[-1][2], wanted)
                self.assertEqual(done[0], done[-1])

    def test_lines_stay_whole(self):
        done = self.run_program("./a", "print", options="threads=3")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(f"block {i}: a line that stays whole" for i in range(400)))

    def test_options(self):
        for option in ("threads=0", "threads=256", "threads=two", "sample=0", "progress=0"):
            done = self.run_program("./a", "add", options=option)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"KERNELGATE_OPTIONS: {option.partition('=')[0]} needs ", done.stderr)

    def test_sampling(self):
        whole = "no findings in 1 launch of 1 kernel"
        for options, wanted in (("", f"{whole}\n"), ("sample=255", f"{whole}\n"),
                                ("sample=1", f"{whole}; sampled: \\d+ of 16384 blocks ran, and the program's results are not valid\n")):
            done = self.run_program("./sampled", options=options)
            self.assertRegex(done.stderr, f"^kernelgate: {wanted}$")
        done = self.run_program(COMMAND, "run", "--counters", "--json", "--sample", "1", "./sampled", options="summary=1")
        kernel, = json.loads(done.stdout)["kernels"]
        self.assertEqual((kernel["counters"]["blocks"], kernel["counters"]["global_store_requests"], kernel["accesses"]),
                         (1 << 14, 1 << 17, 1 << 22))
        self.assertIn("results are not valid", done.stderr)

    def test_progress(self):
        terminal, error = pty.openpty()
        subprocess.run(["./sampled", "long"], cwd=self.folder, env={**os.environ, "KERNELGATE_OPTIONS": "progress=0.1"}, stderr=error,
                       check=True, timeout=120)
        self.assertRegex(os.read(terminal, 65536), rb"^kernelgate: kernel: \d+ of 16384 blocks, \d{1,3} s left\x1b\[K\r")
        self.assertNotIn("left", self.run_program("./sampled", "long", options="progress=0.1").stderr)
