// Wrong: the maximum starts from -infinity, so that a row whose first elements are masked becomes
// NaN, the exponential of -infinity less -infinity.
#include "exponentials.cuh"

static __global__ void from_infinity(const float *x, float *y, int columns)
{
    part row = { -INFINITY, 0.0f };

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        add(row, x[i]);
    row = merge_block(row);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = expf(x[i] - row.max) * (1.0f / row.sum);
}

KG_LAUNCHER(softmax_f32_from_infinity)
{
    return kg_start(call, from_infinity, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
