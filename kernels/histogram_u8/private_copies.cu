// Each lane has a histogram of its own, interleaved so that all its counters are in its own bank:
//
//     bank        0         1       ...      31
//     bin 0    lane 0    lane 1     ...   lane 31
//     bin 1    lane 0    lane 1     ...   lane 31
//
// Whatever the bytes are, the 32 updates of a request go to 32 banks. The warps share the copies.
#include "counts.cuh"

static __global__ void private_copies(const uint8_t *x, int *counts, int64_t n)
{
    __shared__ __align__(16) int copies[BINS][LANES];
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    int lane = threadIdx.x % LANES;

    zero(copies, sizeof copies);
    __syncthreads();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&copies[x[i]][lane], 1);
    __syncthreads();
    add_lanes(counts, [&](int bin) { return copies[bin][lane]; });
}

KG_LAUNCHER(histogram_u8_private_copies)
{
    return start_counting(call, private_copies);
}

// SPDX-License-Identifier: MIT
