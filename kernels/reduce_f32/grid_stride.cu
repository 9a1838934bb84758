// As many blocks as the GPU has room for, whose threads walk over the elements by float4 with
// several on their way: the sums of a block, and the second kernel, are paid once per block, not
// once per element of a thread.
#include "sum.cuh"

// At most 32 registers: 2048 threads fit on a multiprocessor.
static __global__ void __launch_bounds__(512, 4) grid_stride(const float *x, float *sums, int64_t n)
{
    float sum = sum_of_block(sum_of_share(x, n));

    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

KG_LAUNCHER(reduce_f32_grid_stride)
{
    return start_and_add_up(call, grid_stride, grid_of(call));
}

// SPDX-License-Identifier: MIT
