// Wrong: what a counter of a byte has counted is lost when it wraps. A warp counts all bytes.
#include "counts.cuh"

static __global__ void lost_carry(const uint8_t *x, int *counts, int64_t n)
{
    __shared__ __align__(16) uint8_t copies[BINS][LANES];
    int lane = threadIdx.x;

    zero(copies, sizeof copies);
    __syncthreads();
    for (int64_t i = lane; i < n; i += LANES)
        copies[x[i]][lane]++;
    __syncthreads();
    add_lanes(counts, [&](int bin) { return (int)copies[bin][lane]; });
}

KG_LAUNCHER(histogram_u8_lost_carry)
{
    return start_counting(call, lost_carry);
}

// SPDX-License-Identifier: MIT
