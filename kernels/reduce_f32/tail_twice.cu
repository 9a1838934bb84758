// Wrong: each block adds what is left behind the last float4, instead of one.
#include "sum.cuh"

static __global__ void tail_twice(const float *x, float *sums, int64_t n)
{
    int64_t threads = (int64_t)gridDim.x * blockDim.x;
    int64_t tail = n / 4 * 4 + threadIdx.x;
    float sum = tail < n ? x[tail] : 0.0f;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += threads)
        sum += sum_of_four(((const float4 *)x)[i]);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

KG_LAUNCHER(reduce_f32_tail_twice)
{
    return start_and_add_up(call, tail_twice, KG_AXIS(call, 1));
}

// SPDX-License-Identifier: MIT
