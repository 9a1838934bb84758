// A tile of 32 columns, and a border of one element around it, in shared memory: an element is read
// from global memory once per tile instead of five times.
#include "heat.cuh"

#define WIDTH (LANES + 2)

static __global__ void tiled(const float *x, float *y, int rows, int columns)
{
    KG_DYNAMIC_SHARED(float, tile);
    int left = blockIdx.x * LANES, top = blockIdx.y * blockDim.y;
    int column = left + threadIdx.x, row = top + threadIdx.y;
    int threads = LANES * blockDim.y, size = WIDTH * (blockDim.y + 2);
    const float *here = &tile[WIDTH * (threadIdx.y + 1) + threadIdx.x + 1];

    for (int i = LANES * threadIdx.y + threadIdx.x; i < size; i += threads)
        tile[i] = x[(int64_t)nearest(top + i / WIDTH - 1, rows) * columns +
                    nearest(left + i % WIDTH - 1, columns)];
    __syncthreads();
    if (row < rows && column < columns)
        y[(int64_t)row * columns + column] =
            is_inner(row, rows) && is_inner(column, columns)
                ? heat(here[0], here[-WIDTH], here[WIDTH], here[-1], here[1])
                : here[0];
}

KG_LAUNCHER(stencil_2d_tiled)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    int height = KG_AXIS(call, 0) / LANES;

    return kg_start(call, tiled, kg_grid(columns, LANES, rows, height), dim3(LANES, height),
                    kg_shared(WIDTH * (height + 2) * sizeof(float)), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, columns);
}

// SPDX-License-Identifier: MIT
