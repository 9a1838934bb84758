// A block per row, which reads it three times: for the maximum, for the sum of exponentials, and to
// write.
#include "exponentials.cuh"

static __device__ float max_of(float a, float b)
{
    return fmaxf(a, b);
}

static __device__ float sum_of(float a, float b)
{
    return a + b;
}

// Combines what the block's threads hold; all of them have the result.
template <float (*COMBINE)(float, float)>
static __device__ float reduce_block(float own)
{
    __shared__ float of_warp[MAX_WARPS];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;

    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own = COMBINE(own, __shfl_xor_sync(ALL_LANES, own, distance));
    if (lane == 0)
        of_warp[threadIdx.x / LANES] = own;
    __syncthreads();
    own = of_warp[0];
    for (int warp = 1; warp < warps; warp++)
        own = COMBINE(own, of_warp[warp]);
    return own;
}

static __global__ void three_pass(const float *x, float *y, int columns)
{
    float max = -FLT_MAX, sum = 0.0f;

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        max = fmaxf(max, x[i]);
    max = reduce_block<max_of>(max);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(x[i] - max);
    sum = reduce_block<sum_of>(sum);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = expf(x[i] - max) * (1.0f / sum);
}

KG_LAUNCHER(softmax_f32_three_pass)
{
    return kg_start(call, three_pass, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
