// A block counts in shared memory, and adds 256 counts to the result at its end. Lanes with equal
// bytes wait for each other, and so do those whose counters are in one bank.
#include "counts.cuh"

static __global__ void shared_atomics(const uint8_t *x, int *counts, int64_t n)
{
    __shared__ __align__(16) int of_block[BINS];
    int64_t stride = (int64_t)gridDim.x * blockDim.x;

    zero(of_block, sizeof of_block);
    __syncthreads();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&of_block[x[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        if (of_block[bin] != 0)
            atomicAdd(&counts[bin], of_block[bin]);
}

KG_LAUNCHER(histogram_u8_shared_atomics)
{
    return start_counting(call, shared_atomics);
}

// SPDX-License-Identifier: MIT
