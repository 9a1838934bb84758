// A block per row, which reads it three times: for the mean, for the squared deviations from it,
// and to write.
#include "moments.cuh"

struct sum {
    float value;

    static __device__ sum none()
    {
        return { 0.0f };
    }
};

static __device__ sum merge_warp(sum own)
{
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own.value += __shfl_xor_sync(ALL_LANES, own.value, distance);
    return own;
}

static __global__ void three_pass(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                                  int columns)
{
    sum all = sum::none(), squares = sum::none();
    float mean;

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        all.value += __bfloat162float(x[i]);
    mean = merge_block(all).value / columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        float deviation = __bfloat162float(x[i]) - mean;

        squares.value += deviation * deviation;
    }
    __syncthreads(); // all have read the first sum

    normalization normalized(mean, merge_block(squares).value / columns);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = normalized(x[i], gamma[i], beta[i]);
}

KG_LAUNCHER(layernorm_bf16_three_pass)
{
    return kg_start(call, three_pass, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1),
                    KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
