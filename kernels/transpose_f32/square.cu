// Wrong: the rows of the result are taken to be as far apart as those of x.
#include "tile.cuh"

static __global__ void square(const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * LANES + threadIdx.x;

    for (int i = threadIdx.y; i < LANES; i += blockDim.y) {
        int row = blockIdx.y * LANES + i;

        if (row < rows && column < columns)
            y[(int64_t)column * columns + row] = x[(int64_t)row * columns + column];
    }
}

KG_LAUNCHER(transpose_f32_square)
{
    return start_tiles(call, square, LANES);
}

// SPDX-License-Identifier: MIT
