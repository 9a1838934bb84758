// Scan every tile, scan the tiles' sums in one block, add to every tile what lies before it. No
// block waits for another, but n elements are read twice and written twice.
#include "tile.cuh"

template <int ROWS>
static __global__ void scan_each(const float *x, float *y, float *sums, int64_t n)
{
    int64_t tile = (int64_t)blockIdx.x * blockDim.x * 4 * ROWS;
    float4 part[ROWS];
    tile_sums own;

    load_tile<ROWS>(x, tile, n, part);
    own = scan_tile(part);
    store_tile<ROWS>(y, tile, n, part, own.before);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = own.all;
}

static __global__ void __launch_bounds__(1024) scan_sums(float *sums, int64_t tiles)
{
    scan_tiles<4>(sums, sums, 0, tiles, 0.0f);
}

// The first tile has nothing before it, and no block.
template <int ROWS>
static __global__ void add(float *y, const float *sums, int64_t n)
{
    int64_t tile = (blockIdx.x + 1LL) * blockDim.x * 4 * ROWS;
    float4 part[ROWS];

    load_tile<ROWS>(y, tile, n, part);
    store_tile<ROWS>(y, tile, n, part, sums[blockIdx.x]);
}

template <int ROWS>
static cudaError_t start(const kg_call *call)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);
    dim3 tiles = kg_grid(n, block * 4 * ROWS);
    float *y = KG_ARG(call, float, 1);
    float *sums = (float *)KG_ARG(call, char, 2);
    cudaError_t code =
        kg_start(call, scan_each<ROWS>, tiles, block, KG_ARG(call, const float, 0), y, sums, n);

    if (code != cudaSuccess || tiles.x == 1)
        return code;
    code = kg_start(call, scan_sums, 1, 1024, sums, (int64_t)tiles.x);
    if (code != cudaSuccess)
        return code;
    return kg_start(call, add<ROWS>, tiles.x - 1, block, y, sums, n);
}

KG_LAUNCHER(scan_f32_three_kernel)
{
    return KG_AXIS(call, 1) == 16 ? start<4>(call) : cudaErrorInvalidValue;
}

// SPDX-License-Identifier: MIT
