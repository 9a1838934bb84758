// C = A B by mma.sync, its operands from ldmatrix: the 16-byte chunks of a tile's row change places
// by the row, so that the eight rows of a matrix come from eight different groups of banks, in one
// pass. Blocks, warps and steps are those of wmma.cu.
#include "tile.cuh"

#define EDGE 64
#define WARPS 4

template <int WIDTH>
static __global__ void mma_swizzle(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    __shared__ __align__(128) bf16 tile_a[EDGE * DEPTH], tile_b[DEPTH * EDGE];
    int warp = threadIdx.x / 32, row = blockIdx.y * EDGE, column = blockIdx.x * EDGE;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    float sums[2][4][4] = {};

    for (int step = 0; step < k; step += DEPTH) {
        fetch_tile<EDGE, DEPTH, DEPTH, 32 * WARPS, WIDTH, layout::swizzled, false>(tile_a, a, row,
                                                                                   step, m, k);
        fetch_tile<DEPTH, EDGE, EDGE, 32 * WARPS, WIDTH, layout::swizzled, false>(tile_b, b, step,
                                                                                  column, k, n);
        __syncthreads();
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth += 16)
            multiply_tiles<32, 32, EDGE>(sums, tile_a, tile_b, warp_row, warp_column, depth);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            store_sums<WIDTH>(c, row + warp_row + 16 * i, column + warp_column + 8 * j, m, n,
                              sums[i][j]);
    }
}

KG_LAUNCHER(matmul_bf16_mma_swizzle)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = copy_width(call);
    auto kernel = width == 16 ? mma_swizzle<16> : width == 4 ? mma_swizzle<4> : mma_swizzle<2>;

    return kg_start(call, kernel, kg_grid(n, EDGE, m, EDGE), 32 * WARPS,
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1), KG_ARG(call, bf16, 2),
                    m, n, k);
}

// SPDX-License-Identifier: MIT
