// Wrong: the rows of the tile are permuted when they are written, but read by the next row's
// permutation.
#include "tile.cuh"

static __global__ void swizzled_once(const float *x, float *y, int rows, int columns)
{
    __shared__ float tile[LANES][LANES];
    int left = blockIdx.x * LANES, top = blockIdx.y * LANES;
    int lane = threadIdx.x;

    for (int i = threadIdx.y; i < LANES; i += blockDim.y)
        tile[i][lane ^ i] = top + i < rows && left + lane < columns
                                ? x[(int64_t)(top + i) * columns + left + lane]
                                : 0.0f;
    __syncthreads();
    for (int i = threadIdx.y; i < LANES; i += blockDim.y)
        if (left + i < columns && top + lane < rows)
            y[(int64_t)(left + i) * rows + top + lane] = tile[lane][i ^ (lane + 1) % LANES];
}

KG_LAUNCHER(transpose_f32_swizzled_once)
{
    return start_tiles(call, swizzled_once, LANES);
}

// SPDX-License-Identifier: MIT
