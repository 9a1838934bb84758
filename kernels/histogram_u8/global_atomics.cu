// A thread per byte adds one to its count in global memory. All of them meet at 256 words, one L2
// cache line for every 32 of them.
#include "counts.cuh"

static __global__ void global_atomics(const uint8_t *x, int *counts, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[x[i]], 1);
}

KG_LAUNCHER(histogram_u8_global_atomics)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    int *counts = KG_ARG(call, int, 1);
    cudaError_t code = cudaMemsetAsync(counts, 0, BINS * sizeof *counts, call->stream);

    if (code != cudaSuccess)
        return code;
    return kg_start(call, global_atomics, kg_grid(n, block), block, KG_ARG(call, const uint8_t, 0),
                    counts, n);
}

// SPDX-License-Identifier: MIT
