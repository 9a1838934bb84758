// C = A B, 8 x 16 outputs per thread. A warp covers 64 x 64 outputs whose operands it reads without
// bank conflicts, and reads those of the next step while it multiplies (warp_share in tile.cuh).
#include "tile.cuh"

// A thread's share of a block's outputs, in warps of 8 x 4 lanes. Its rows come in quads that lie
// 32 apart, its columns in quads that lie 16 apart, so that the lanes of a warp read 8 neighboring
// quads of A and 4 of B at once: each of the 32 banks once, the rest by broadcast.
template <int COLUMNS_OF_BLOCK, int ROWS, int COLUMNS>
struct warp_share {
    static constexpr int ACROSS = COLUMNS_OF_BLOCK / (4 * COLUMNS);
    int row, column;
    __align__(16) float sum[ROWS][COLUMNS];
    __align__(16) float left[2][ROWS], right[2][COLUMNS];

    __device__ __forceinline__ warp_share()
        : row(threadIdx.x / 32 / ACROSS * 8 * ROWS + threadIdx.x % 32 / 4 * 4),
          column(threadIdx.x / 32 % ACROSS * 4 * COLUMNS + threadIdx.x % 4 * 4), sum{}
    {
    }

    // Reads a column of A's tile and a row of B's into one of two sets of registers: the next
    // step's operands arrive while this step's are multiplied.
    __device__ __forceinline__ void read(int set, const float *a, const float *b)
    {
#pragma unroll
        for (int i = 0; i < ROWS; i += 4)
            copy_piece<4>(&left[set][i], &a[row + i * 8]);
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4)
            copy_piece<4>(&right[set][j], &b[column + j * 4]);
    }

    __device__ __forceinline__ void multiply(int set)
    {
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] += left[set][i] * right[set][j];
    }

    __device__ __forceinline__ int row_of(int i) const
    {
        return row + i / 4 * 32 + i % 4;
    }
    __device__ __forceinline__ int column_of(int j) const
    {
        return column + j / 4 * 16 + j % 4;
    }

    template <int WIDTH>
    __device__ __forceinline__ void write(float *c, int top, int start, int m, int n) const
    {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int y = top + row_of(i);
#pragma unroll
            for (int j = 0; j < COLUMNS; j += WIDTH) {
                int x = start + column_of(j);
                if (y < m && x < n)
                    copy_piece<WIDTH>(&c[y * n + x], &sum[i][j]);
            }
        }
    }
};

enum { EDGE = 128, DEPTH = 16, THREADS = 128 };

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS, 2)
    warp_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[DEPTH][EDGE + 4];
    __shared__ __align__(16) float tile_b[DEPTH][EDGE];
    int top = blockIdx.y * EDGE, start = blockIdx.x * EDGE;
    tiles_of_a<EDGE, DEPTH, THREADS, WIDTH> next_a(a, top, m, k);
    tiles_of_b<EDGE, DEPTH, THREADS, WIDTH> next_b(b, start, n, k);
    warp_share<EDGE, 8, 16> mine;

    for (int first = 0; first < k; first += DEPTH) {
        next_a.fetch();
        next_a.store(tile_a);
        next_b.copy(tile_b);
        __syncthreads();
        mine.read(0, tile_a[0], tile_b[0]);
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step + 1 < DEPTH)
                mine.read((step + 1) % 2, tile_a[step + 1], tile_b[step + 1]);
            mine.multiply(step % 2);
        }
        __syncthreads();
    }
    mine.template write<WIDTH>(c, top, start, m, n);
}

KG_LAUNCHER(matmul_f32_warp_tile)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), k = KG_EXTENT(call, 2);
    int width = piece_width(n, k);

    return kg_start(call,
                    width == 4   ? warp_tile<4>
                    : width == 2 ? warp_tile<2>
                                 : warp_tile<1>,
                    kg_grid(n, EDGE, m, EDGE), THREADS, KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), m, n, k);
}

// SPDX-License-Identifier: MIT
