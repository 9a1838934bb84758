// What the rungs share: tiles of A and B in shared memory, and a warp's instructions on them.
#ifndef MATMUL_BF16_TILE_CUH
#define MATMUL_BF16_TILE_CUH

#include "../mma.cuh"

// A step along k. 64 elements are 128 bytes, a row of all 32 banks.
#define DEPTH 64

// The bytes of the widest copy that the pitches of A (k) and B (n) keep aligned: rows of 530
// elements begin at multiples of 4 bytes, odd ones at multiples of 2.
static inline int copy_width(const kg_call *call)
{
    int64_t both = KG_EXTENT(call, 1) | KG_EXTENT(call, 2);

    return both % 8 == 0 ? 16 : both % 2 == 0 ? 4 : 2;
}

// Copies the tile of ROWS x COLUMNS at (row, column) of a matrix of rows x columns, with zeros
// beyond its edges. A thread keeps its column and steps down the rows.
template <int ROWS, int COLUMNS, int PITCH, int THREADS, int WIDTH, layout LAYOUT, bool ASYNC>
static __device__ __forceinline__ void fetch_tile(bf16 *tile, const bf16 *matrix, int row,
                                                  int column, int rows, int columns)
{
    constexpr int PIECE = WIDTH / 2, PIECES = PITCH / PIECE, STEP = THREADS / PIECES;
    static_assert(THREADS % PIECES == 0, "whole rows at a time");
    int x = threadIdx.x % PIECES * PIECE, y = threadIdx.x / PIECES;
    int below = column + x < columns ? rows - row - y : 0;
    const bf16 *from = matrix + (int64_t)(row + y) * columns + column + x;

    if (COLUMNS < PITCH && x >= COLUMNS)
        return;
#pragma unroll
    for (int i = 0; i < ROWS; i += STEP, from += (int64_t)STEP * columns)
        if (ROWS % STEP == 0 || y + i < ROWS)
            copy_piece<WIDTH, ASYNC>(tile + place<PITCH, LAYOUT>(y + i, x), from, i < below);
}

// Adds to a warp's tile of ROWS x COLUMNS, at (row, column) of the block's, its products over 16
// of the DEPTH of tiles of A and B.
template <int ROWS, int COLUMNS, int PITCH>
static __device__ __forceinline__ void multiply_tiles(float (&sums)[ROWS / 16][COLUMNS / 8][4],
                                                      const bf16 *tile_a, const bf16 *tile_b,
                                                      int row, int column, int depth)
{
    int y = threadIdx.x % 16, x = threadIdx.x % 32 / 16 * 8;
    unsigned a[ROWS / 16][4], b[COLUMNS / 16][4];

#pragma unroll
    for (int i = 0; i < ROWS / 16; i++)
        load_matrices(a[i], tile_a + place<DEPTH, layout::swizzled>(row + 16 * i + y, depth + x));
#pragma unroll
    for (int j = 0; j < COLUMNS / 16; j++)
        load_matrices_transposed(
            b[j], tile_b + place<PITCH, layout::swizzled>(depth + y, column + 16 * j + x));
#pragma unroll
    for (int i = 0; i < ROWS / 16; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++)
            multiply(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

// Stores a lane's two neighbors in a row of C, as one where n, even then, keeps them aligned.
template <int WIDTH>
static __device__ __forceinline__ void store_pair(bf16 *c, int row, int column, int m, int n,
                                                  float left, float right)
{
    bf16 *to = c + (int64_t)row * n + column;

    if (row >= m || column >= n)
        return;
    if constexpr (WIDTH > 2) {
        *reinterpret_cast<__nv_bfloat162 *>(to) = __floats2bfloat162_rn(left, right);
    } else {
        to[0] = __float2bfloat16(left);
        if (column + 1 < n)
            to[1] = __float2bfloat16(right);
    }
}

// The 16 x 8 sums of a warp at (row, column).
template <int WIDTH>
static __device__ __forceinline__ void store_sums(bf16 *c, int row, int column, int m, int n,
                                                  const float (&sum)[4])
{
    int lane = threadIdx.x % 32;

    row += lane / 4;
    column += lane % 4 * 2;
    store_pair<WIDTH>(c, row, column, m, n, sum[0], sum[1]);
    store_pair<WIDTH>(c, row + 8, column, m, n, sum[2], sum[3]);
}

// Tile `index` of C, as column and row: strips of 8 rows of tiles, column after column. Blocks that
// run at the same time share the rows of A and columns of B that the L2 cache holds.
static __device__ __forceinline__ int2 tile_at(int index, int rows, int columns)
{
    constexpr int STRIP = 8;
    int strip = index / (STRIP * columns), within = index % (STRIP * columns);
    int height = min(STRIP, rows - strip * STRIP);

    return make_int2(within / height, strip * STRIP + within % height);
}

#endif

// SPDX-License-Identifier: MIT
