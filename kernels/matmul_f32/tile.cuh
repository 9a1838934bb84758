// What the kernels with vectors share: a row of floats is read in pieces of 4, 2 or 1, whichever
// its pitch allows (rows of 530 floats start at multiples of 8 bytes).
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

// A tile of ROWS rows of A, from registers to shared memory, transposed: tile[column][row].
// WHOLE: the tile is known to lie inside of the matrix.
template <int ROWS, int DEPTH, int THREADS, int WIDTH, bool WHOLE>
struct transposed_tile {
    static constexpr int ACROSS = DEPTH / WIDTH, STEP = THREADS / ACROSS, PIECES = ROWS / STEP;
    __align__(16) float held[PIECES][WIDTH];

    // `first` is the tile's first column in A. Beyond the matrix's edges the tile holds zeros.
    __device__ __forceinline__ void fetch(const float *a, int row, int first, int m, int k)
    {
        int x = first + threadIdx.x % ACROSS * WIDTH;
#pragma unroll
        for (int i = 0; i < PIECES; i++) {
            int y = row + threadIdx.x / ACROSS + i * STEP;
            copy_inside<WIDTH>(held[i], &a[y * k + x], WHOLE || (y < m && x < k));
        }
    }

    template <int PITCH>
    __device__ __forceinline__ void store(float (*tile)[PITCH]) const
    {
        int x = threadIdx.x % ACROSS * WIDTH;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                tile[x + j][threadIdx.x / ACROSS + i * STEP] = held[i][j];
    }
};

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

#endif
