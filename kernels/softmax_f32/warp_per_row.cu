// A warp per row, online: the lanes' parts are merged by shuffles alone, and no warp waits for
// another. For short rows; a long one keeps too few bytes in flight.
#include "exponentials.cuh"

static __global__ void warp_per_row(const float *x, float *y, int64_t rows, int columns)
{
    int lane = threadIdx.x % LANES;
    int64_t index = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    part row = part::none();

    if (index >= rows)
        return;
    x += index * columns;
    y += index * columns;
    for (int i = lane; i < columns; i += LANES)
        add(row, x[i]);
    row = merge_warp(row);
    for (int i = lane; i < columns; i += LANES)
        y[i] = expf(x[i] - row.max) * (1.0f / row.sum);
}

KG_LAUNCHER(softmax_f32_warp_per_row)
{
    int64_t rows = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, warp_per_row, kg_grid(rows, block / LANES), block,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), rows, KG_EXTENT(call, 1));
}

// SPDX-License-Identifier: MIT
