// The lanes of a warp read neighbors in a row, and write them to 32 rows: a request stores to 32
// sectors, and fills an eighth of each.
#include "tile.cuh"

static __global__ void naive(const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * LANES + threadIdx.x;

    if (column >= columns)
        return;
#pragma unroll 4
    for (int i = threadIdx.y; i < LANES; i += blockDim.y) {
        int row = blockIdx.y * LANES + i;

        if (row < rows)
            y[(int64_t)column * rows + row] = x[(int64_t)row * columns + column];
    }
}

KG_LAUNCHER(transpose_f32_naive)
{
    return start_tiles(call, naive, LANES);
}

// SPDX-License-Identifier: MIT
