// What the kernels share that read vectors: a row of floats is read in pieces of 4, 2 or 1,
// whichever its pitch allows (rows of 530 floats start at multiples of 8 bytes).
#ifndef MATMUL_F32_TILE_CUH
#define MATMUL_F32_TILE_CUH

#include <kernelgate/kernelgate.h>

template <int WIDTH>
struct piece;
template <>
struct piece<1> {
    typedef float type;
};
template <>
struct piece<2> {
    typedef float2 type;
};
template <>
struct piece<4> {
    typedef float4 type;
};

// The widest pieces that the pitches of both inputs allow.
static inline int piece_width(int64_t n, int64_t k)
{
    return n % 4 == 0 && k % 4 == 0 ? 4 : n % 2 == 0 && k % 2 == 0 ? 2 : 1;
}

template <int WIDTH>
static __device__ __forceinline__ void copy_piece(float *to, const float *from)
{
    typedef typename piece<WIDTH>::type type;
    *reinterpret_cast<type *>(to) = *reinterpret_cast<const type *>(from);
}

// The same, or zeros where the piece lies beyond the matrix.
template <int WIDTH>
static __device__ __forceinline__ void copy_inside(float *to, const float *from, bool inside)
{
    typedef typename piece<WIDTH>::type type;
    *reinterpret_cast<type *>(to) = inside ? *reinterpret_cast<const type *>(from) : type{};
}

// The threads of a block take the tiles of ROWS rows of A one after the other along k, and store
// them transposed: tile[column][row]. Rows beyond the matrix repeat its last one: their outputs are
// not written. Columns beyond k hold zeros;
// WHOLE: k is known to be a multiple of DEPTH.
template <int ROWS, int DEPTH, int THREADS, int WIDTH>
struct tiles_of_a {
    static constexpr int ACROSS = DEPTH / WIDTH, STEP = THREADS / ACROSS, PIECES = ROWS / STEP;
    const float *from;
    int rest, x, y, offset[PIECES];
    __align__(16) float held[PIECES][WIDTH];

    __device__ __forceinline__ tiles_of_a(const float *a, int top, int m, int k)
        : from(a), rest(k), x(threadIdx.x % ACROSS * WIDTH), y(threadIdx.x / ACROSS)
    {
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            offset[i] = min(top + y + i * STEP, m - 1) * k + x;
    }

    // Reads the next tile into registers.
    __device__ __forceinline__ void fetch()
    {
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            copy_inside<WIDTH>(held[i], from + offset[i], x < rest);
        from += DEPTH;
        rest -= DEPTH;
    }

    template <int PITCH>
    __device__ __forceinline__ void store(float (*tile)[PITCH]) const
    {
#pragma unroll
        for (int i = 0; i < PIECES; i++)
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                tile[x + j][y + i * STEP] = held[i][j];
    }
};

// The same for tiles of COLUMNS columns of B, which stay as they are: tile[row][column].
template <int COLUMNS, int DEPTH, int THREADS, int WIDTH>
struct tiles_of_b {
    static constexpr int ACROSS = COLUMNS / WIDTH, STEP = THREADS / ACROSS, PIECES = DEPTH / STEP;
    const float *from;
    int rest, x, y;
    int64_t pitch;

    __device__ __forceinline__ tiles_of_b(const float *b, int start, int n, int k)
        : rest(k), x(threadIdx.x % ACROSS * WIDTH), y(threadIdx.x / ACROSS), pitch(n)
    {
        from = b + y * pitch + min(start + x, n - WIDTH);
    }

    __device__ __forceinline__ void copy(float (*tile)[COLUMNS])
    {
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            copy_inside<WIDTH>(&tile[y + i * STEP][x], from + i * STEP * pitch,
                               y + i * STEP < rest);
        from += DEPTH * pitch;
        rest -= DEPTH;
    }
};

#endif

// SPDX-License-Identifier: MIT
