// Wrong: the variance is the mean of squares less the square of the mean, which cancel where the
// mean is large.
#include "moments.cuh"

static __global__ void cancelling(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                                  int columns)
{
    float sum = 0.0f, squares = 0.0f, mean;

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += LANES) {
        float value = __bfloat162float(x[i]);

        sum += value;
        squares += value * value;
    }
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
        squares += __shfl_xor_sync(ALL_LANES, squares, distance);
    }
    mean = sum / columns;

    normalization normalized(mean, fmaxf(squares / columns - mean * mean, 0.0f));
    for (int i = threadIdx.x; i < columns; i += LANES)
        y[i] = normalized(x[i], gamma[i], beta[i]);
}

KG_LAUNCHER(layernorm_bf16_cancelling)
{
    return kg_start(call, cancelling, kg_grid(KG_EXTENT(call, 0), 1), LANES,
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1),
                    KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
