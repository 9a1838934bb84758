// What the transposes share: `x` has `rows` rows of `columns` elements, `y` the reverse. A block of
// 32 x 8 threads has one tile of `x`, at most 64 x 64.
#ifndef TRANSPOSE_F32_TILE_CUH
#define TRANSPOSE_F32_TILE_CUH

#include <kernelgate/kernelgate.h>

#define LANES 32

typedef void transpose(const float *x, float *y, int rows, int columns);

// Starts a block per tile of tile x tile elements, of 32 x (threads / 32) threads.
static inline cudaError_t start_tiles(const kg_call *call, transpose *kernel, int tile)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);

    return kg_start(call, kernel, kg_grid(columns, tile, rows, tile),
                    dim3(LANES, KG_AXIS(call, 0) / LANES), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, columns);
}

// The place of an element of a tile of 32 x 32 in shared memory: LAYOUT::place is a function of
// row and column.
template <int SIZE, typename LAYOUT>
static __global__ void through_shared(const float *x, float *y, int rows, int columns)
{
    __shared__ float tile[SIZE];
    int left = blockIdx.x * LANES, top = blockIdx.y * LANES;
    int lane = threadIdx.x;

    if (left + lane < columns)
#pragma unroll 4
        for (int i = threadIdx.y; i < LANES; i += blockDim.y)
            if (top + i < rows)
                tile[LAYOUT::place(i, lane)] = x[(int64_t)(top + i) * columns + left + lane];
    __syncthreads();
    if (top + lane < rows)
#pragma unroll 4
        for (int i = threadIdx.y; i < LANES; i += blockDim.y)
            if (left + i < columns)
                y[(int64_t)(left + i) * rows + top + lane] = tile[LAYOUT::place(lane, i)];
}

#endif

// SPDX-License-Identifier: MIT
