// Wrong on purpose: the tile of B is written as it is and read as swizzled.
#include "pipeline.cuh"

#define EDGE 64
#define WARPS 4

static __global__ void swizzled_once(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    __shared__ __align__(128) bf16 tile_a[EDGE * DEPTH], tile_b[DEPTH * EDGE];
    int warp = threadIdx.x / 32, row = blockIdx.y * EDGE, column = blockIdx.x * EDGE;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    float sums[2][4][4] = {};

    for (int step = 0; step < k; step += DEPTH) {
        fetch_tile<EDGE, DEPTH, DEPTH, 32 * WARPS, 4, layout::swizzled, true>(tile_a, a, row, step,
                                                                              m, k);
        fetch_tile<DEPTH, EDGE, EDGE, 32 * WARPS, 4, layout::plain, true>(tile_b, b, step, column,
                                                                          k, n);
        commit_copies();
        wait_for_copies<0>();
        __syncthreads();
        for (int depth = 0; depth < DEPTH; depth += 16)
            multiply_tiles<32, 32, EDGE>(sums, tile_a, tile_b, warp_row, warp_column, depth);
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        store_sums<4>(c, row + warp_row + i / 4 * 16, column + warp_column + i % 4 * 8, m, n,
                      sums[i / 4][i % 4]);
}

KG_LAUNCHER(matmul_bf16_swizzled_once)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);

    return kg_start(call, swizzled_once, kg_grid(n, EDGE, m, EDGE), 32 * WARPS,
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1), KG_ARG(call, bf16, 2),
                    m, n, k);
}

// SPDX-License-Identifier: MIT
