// C = A B on the tensor cores by wmma: a block of 4 warps stages tiles of A and B in shared memory
// as they are, each warp multiplies 32 x 32 of its 64 x 64 outputs. Rows of 128 bytes begin in the
// same bank, so that the eight rows that a load touches at once come one after the other.
#include <mma.h>

#include "tile.cuh"

using namespace nvcuda;

#define EDGE 64
#define WARPS 4

typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums_16x16;

// By way of shared memory, since only wmma knows which lane has which element.
template <int WIDTH>
static __device__ void store_16x16(bf16 *c, int row, int column, int m, int n, float *staged,
                                   const sums_16x16 &sums)
{
    int lane = threadIdx.x % 32;

    wmma::store_matrix_sync(staged, sums, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 16 * 8; i += 32)
        store_pair<WIDTH>(c, row + i / 8, column + i % 8 * 2, m, n, staged[2 * i],
                          staged[2 * i + 1]);
    __syncwarp();
}

template <int WIDTH>
static __global__ void wmma_tiles(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    __shared__ __align__(128) bf16 tile_a[EDGE * DEPTH], tile_b[DEPTH * EDGE];
    __shared__ __align__(128) float staged[WARPS][16 * 16];
    int warp = threadIdx.x / 32, row = blockIdx.y * EDGE, column = blockIdx.x * EDGE;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    sums_16x16 sums[2][2];

    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (int step = 0; step < k; step += DEPTH) {
        fetch_tile<EDGE, DEPTH, DEPTH, 32 * WARPS, WIDTH, layout::plain, false>(tile_a, a, row,
                                                                                step, m, k);
        fetch_tile<DEPTH, EDGE, EDGE, 32 * WARPS, WIDTH, layout::plain, false>(tile_b, b, step,
                                                                               column, k, n);
        __syncthreads();
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> of_a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> of_b[2];

            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(of_a[i], tile_a + (warp_row + 16 * i) * DEPTH + depth,
                                       DEPTH);
                wmma::load_matrix_sync(of_b[i], tile_b + depth * EDGE + warp_column + 16 * i, EDGE);
            }
            for (int i = 0; i < 4; i++)
                wmma::mma_sync(sums[i / 2][i % 2], of_a[i / 2], of_b[i % 2], sums[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        store_16x16<WIDTH>(c, row + warp_row + i / 2 * 16, column + warp_column + i % 2 * 16, m, n,
                           staged[warp], sums[i / 2][i % 2]);
}

KG_LAUNCHER(matmul_bf16_wmma)
{
    int64_t m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = copy_width(call);
    auto kernel = width == 16 ? wmma_tiles<16> : width == 4 ? wmma_tiles<4> : wmma_tiles<2>;

    return kg_start(call, kernel, kg_grid(n, EDGE, m, EDGE), 32 * WARPS,
                    KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1), KG_ARG(call, bf16, 2),
                    m, n, k);
}

// SPDX-License-Identifier: MIT
