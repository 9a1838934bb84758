// A warp adds up its elements by shuffles, without shared memory or a barrier; only the warps' sums
// go through shared memory. A second kernel adds up the blocks' sums.
#include "sum.cuh"

static __global__ void shuffles(const float *x, float *sums, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = sum_of_block(i < n ? x[i] : 0.0f);

    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

KG_LAUNCHER(reduce_f32_shuffles)
{
    return start_and_add_up(call, shuffles, kg_grid(KG_EXTENT(call, 0), KG_AXIS(call, 0)));
}

// SPDX-License-Identifier: MIT
