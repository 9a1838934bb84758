// What the rungs share: tiles of A and B in shared memory, and a warp's instructions on them.
#ifndef MATMUL_BF16_TILE_CUH
#define MATMUL_BF16_TILE_CUH

#include <cuda_bf16.h>
#include <kernelgate/kernelgate.h>

typedef __nv_bfloat16 bf16;

// A step along k. 64 elements are 128 bytes, a row of all 32 banks.
#define DEPTH 64

// The bytes of the widest copy that the pitches of A (k) and B (n) keep aligned: rows of 530
// elements begin at multiples of 4 bytes, odd ones at multiples of 2.
static inline int copy_width(const kg_call *call)
{
    int64_t both = KG_EXTENT(call, 1) | KG_EXTENT(call, 2);

    return both % 8 == 0 ? 16 : both % 2 == 0 ? 4 : 2;
}

enum class layout { plain, swizzled };

// The index of an element in a tile of rows of PITCH. Swizzled, the 16-byte chunks of a row change
// places by the row: chunk i of 8 successive rows is in 8 different groups of 4 banks.
//
//     row 0: 0 1 2 3 4 5 6 7
//     row 1: 1 0 3 2 5 4 7 6
//     row 2: 2 3 0 1 6 7 4 5   ...
template <int PITCH, layout LAYOUT>
static __device__ __forceinline__ int place(int row, int column)
{
    return row * PITCH + (LAYOUT == layout::swizzled ? column ^ (row % 8 * 8) : column);
}

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Copies WIDTH bytes, or zeros. Asynchronous copies take at least 4 bytes, so that of 2 is plain.
template <int WIDTH, bool ASYNC>
static __device__ __forceinline__ void copy_piece(bf16 *to, const bf16 *from, bool inside)
{
    if constexpr (WIDTH == 2)
        *to = inside ? *from : __float2bfloat16(0.0f);
    else if constexpr (ASYNC && WIDTH == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside ? 4 : 0)
                     : "memory");
    else if constexpr (ASYNC)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside ? 16 : 0)
                     : "memory");
    else if constexpr (WIDTH == 4)
        *reinterpret_cast<unsigned *>(to) = inside ? *reinterpret_cast<const unsigned *>(from) : 0u;
    else
        *reinterpret_cast<uint4 *>(to) =
            inside ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
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

// Four 8 x 8 matrices, a row's address from each lane. What a lane gets is its part of A for
// mma.sync, and of B after a transposition.
static __device__ __forceinline__ void load_matrices(unsigned (&to)[4], const bf16 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ __forceinline__ void load_matrices_transposed(unsigned (&to)[4], const bf16 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// sum += a b, 16 x 8 x 16: a lane has rows lane / 4 and that + 8, columns 2 (lane % 4) and that
// + 1.
static __device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4],
                                                unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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
