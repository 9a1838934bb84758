// The mean and the squared deviations in one pass: the row is read twice instead of three times.
#include "moments.cuh"

static __global__ void welford(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
                               int columns)
{
    moments row = moments::none();

    x += (int64_t)blockIdx.x * columns;
    y += (int64_t)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        add(row, __bfloat162float(x[i]));
    row = merge_block(row);

    normalization normalized(row.mean, row.squares / columns);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = normalized(x[i], gamma[i], beta[i]);
}

KG_LAUNCHER(layernorm_bf16_welford)
{
    return kg_start(call, welford, kg_grid(KG_EXTENT(call, 0), 1), KG_AXIS(call, 0),
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1),
                    KG_ARG(call, const bf16, 2), KG_ARG(call, bf16, 3), KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
