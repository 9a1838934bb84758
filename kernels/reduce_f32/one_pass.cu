// The grid-stride loop without the second kernel: a block that is done with its elements writes its
// sum and counts itself, and the last one adds up all sums. A block cannot know which is the last
// one before it counts, so any of them may be.
#include "sum.cuh"

// How many blocks are done. It is 0 between launches, with no memset before each; so launches must
// not overlap.
static __device__ unsigned done;

// At most 32 registers: 2048 threads fit on a multiprocessor.
static __global__ void __launch_bounds__(512, 4)
    one_pass(const float *x, float *y, float *sums, int64_t n)
{
    __shared__ bool is_last;
    float sum = sum_of_block(sum_of_share(x, n));

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        // The sum is visible to all other blocks before the count is.
        __threadfence();
        // The last block's increment wraps to 0, for the next launch.
        is_last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    sum = 0.0f;
    for (int i = threadIdx.x; i < (int)gridDim.x; i += (int)blockDim.x)
        sum += __ldcg(sums + i);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        *y = sum;
}

KG_LAUNCHER(reduce_f32_one_pass)
{
    return kg_start(call, one_pass, grid_of(call), KG_AXIS(call, 0), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), KG_ARG(call, float, 2), KG_EXTENT(call, 0));
}

// SPDX-License-Identifier: MIT
