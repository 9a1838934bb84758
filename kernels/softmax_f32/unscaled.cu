// Wrong: where a greater element comes, what has been added up keeps its scale.
#include "exponentials.cuh"

static __global__ void unscaled(const float *x, float *y, int columns)
{
    part row = part::none();

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        row.max = fmaxf(row.max, x[i]);
        row.sum += expf(x[i] - row.max);
    }
    row = merge_block(row);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = expf(x[i] - row.max) * (1.0f / row.sum);
}

KG_LAUNCHER(softmax_f32_unscaled)
{
    return kg_start(call, unscaled, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
