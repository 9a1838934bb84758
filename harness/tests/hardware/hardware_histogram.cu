// counts[v % 64] += 1 for every byte v.
#include <kernelgate/kernelgate.h>

#define BINS 64

static __global__ void global_atomics(const unsigned char *in, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[in[i] % BINS], 1);
}

// Four neighboring bytes per thread.
static __global__ void four_each(const unsigned char *in, int *counts, int n)
{
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    for (int i = first; i < first + 4 && i < n; i++)
        atomicAdd(&counts[in[i] % BINS], 1);
}

static __global__ void shared_atomics(const unsigned char *in, int *counts, int n)
{
    __shared__ int own[BINS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&own[in[i] % BINS], 1);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

static cudaError_t start(const kg_call *call, void (*kernel)(const unsigned char *, int *, int),
                         int each)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, kernel, kg_grid(n, each * block), block,
                    KG_ARG(call, const unsigned char, 0), KG_ARG(call, int, 1), n);
}

#define LAUNCHER(name, ...)                                                                        \
    KG_LAUNCHER(hardware_histogram_##name)                                                         \
    {                                                                                              \
        return start(call, __VA_ARGS__);                                                           \
    }
LAUNCHER(global_atomics, global_atomics, 1)
LAUNCHER(four_each, four_each, 4)
LAUNCHER(shared_atomics, shared_atomics, 1)

// SPDX-License-Identifier: MIT
