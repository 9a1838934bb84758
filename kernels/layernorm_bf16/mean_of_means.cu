// Wrong: merges the lanes' moments as if all had equally many elements, which the last ones of a
// row whose length is no multiple of 32 have not.
#include "moments.cuh"

static __global__ void mean_of_means(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                                     int columns)
{
    moments row = moments::none();

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += LANES)
        add(row, __bfloat162float(x[i]));
    row.count = (float)columns / LANES;
    row = merge_warp(row);

    normalization normalized(row.mean, row.squares / columns);
    for (int i = threadIdx.x; i < columns; i += LANES)
        y[i] = normalized(x[i], gamma[i], beta[i]);
}

KG_LAUNCHER(layernorm_bf16_mean_of_means)
{
    return kg_start(call, mean_of_means, kg_grid(KG_EXTENT(call, 0), 1), LANES,
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1),
                    KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
