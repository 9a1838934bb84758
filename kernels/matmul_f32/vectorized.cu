// C = A B, 8 x 8 outputs per thread and up to 16 bytes per access. A's tile is stored transposed,
// so that a thread's operands of one step lie side by side in both tiles: 4 reads for 64
// multiplications.
#include "tile.cuh"

enum { EDGE = 128, DEPTH = 8, SIDE = 8, ACROSS = EDGE / SIDE, THREADS = ACROSS * ACROSS };

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    vectorized(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[DEPTH][EDGE + 4];
    __shared__ __align__(16) float tile_b[DEPTH][EDGE];
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    int row = threadIdx.x / ACROSS * SIDE, column = threadIdx.x % ACROSS * SIDE;
    tiles_of_a<EDGE, DEPTH, THREADS, WIDTH> next_a(a, top, m, k);
    tiles_of_b<EDGE, DEPTH, THREADS, WIDTH> next_b(b, start, n, k);
    __align__(16) float sum[SIDE][SIDE] = {};

    for (int first = 0; first < k; first += DEPTH) {
        next_a.fetch();
        next_a.store(tile_a);
        next_b.copy(tile_b);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            __align__(16) float left[SIDE], right[SIDE];
            for (int i = 0; i < SIDE; i += 4) {
                copy_piece<4>(&left[i], &tile_a[step][row + i]);
                copy_piece<4>(&right[i], &tile_b[step][column + i]);
            }
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j += WIDTH)
            if (top + row + i < m && start + column + j < n)
                copy_piece<WIDTH>(&c[(top + row + i) * n + start + column + j], &sum[i][j]);
}

KG_LAUNCHER(matmul_f32_vectorized)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);

    return kg_start(call,
                    width == 4   ? vectorized<4>
                    : width == 2 ? vectorized<2>
                                 : vectorized<1>,
                    kg_grid(n, EDGE, m, EDGE), THREADS, KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}

// SPDX-License-Identifier: MIT
