// counts[v % 64] += 1 for every byte v.
#include <kernelgate/kernelgate.h>

#define BINS 64

static __global__ void global_atomics(const unsigned char *in, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[in[i] % BINS], 1);
}

// Four neighbouring bytes a thread.
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
    int n = (int)kg_extent(call->size, 0);
    unsigned block = (unsigned)call->launch.block;
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((n + each * block - 1) / (each * block));
    config.blockDim = dim3(block);
    config.stream = call->stream;
    return cudaLaunchKernelEx(&config, kernel, (const unsigned char *)call->argument[0],
                              (int *)call->argument[1], n);
}

KG_LAUNCHER(hardware_histogram_global_atomics)
{
    return start(call, global_atomics, 1);
}

KG_LAUNCHER(hardware_histogram_four_each)
{
    return start(call, four_each, 4);
}

KG_LAUNCHER(hardware_histogram_shared_atomics)
{
    return start(call, shared_atomics, 1);
}
