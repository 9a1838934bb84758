// A thread walks down a column with three rows of it in registers, so that each row is loaded once
// instead of three times; only the neighbors to the left and right are loaded again.
#include "heat.cuh"

static __global__ void sliding(const float *__restrict__ x, float *__restrict__ y, int rows,
                               int columns, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * height, end = min(first + height, rows);
    int west = nearest(column - 1, columns), east = nearest(column + 1, columns);
    float north, here;

    if (column >= columns)
        return;
    north = x[(int64_t)nearest(first - 1, rows) * columns + column];
    here = x[(int64_t)first * columns + column];
#pragma unroll 4
    for (int row = first; row < end; row++) {
        const float *at = x + (int64_t)row * columns;
        float south = x[(int64_t)nearest(row + 1, rows) * columns + column];
        float next = heat(here, north, south, at[west], at[east]);

        y[(int64_t)row * columns + column] =
            is_inner(row, rows) && is_inner(column, columns) ? next : here;
        north = here;
        here = south;
    }
}

KG_LAUNCHER(stencil_2d_sliding)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0), height = KG_AXIS(call, 1);

    return kg_start(call, sliding, kg_grid(columns, block, rows, height), block,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), rows, columns, height);
}

// SPDX-License-Identifier: MIT
