// A thread per element, five loads each. The neighbors come from L1 and L2, but every load costs a
// request.
#include "heat.cuh"

static __global__ void naive(const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int64_t at = (int64_t)row * columns + column;
    float here;

    if (row >= rows || column >= columns)
        return;
    here = x[at];
    y[at] = is_inner(row, rows) && is_inner(column, columns)
                ? heat(here, x[at - columns], x[at + columns], x[at - 1], x[at + 1])
                : here;
}

KG_LAUNCHER(stencil_2d_naive)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    int height = KG_AXIS(call, 0) / LANES;

    return kg_start(call, naive, kg_grid(columns, LANES, rows, height), dim3(LANES, height),
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), rows, columns);
}

// SPDX-License-Identifier: MIT
