// What the kernels with vectors share: a row of floats is read in pieces of 4, 2 or 1, whichever
// its pitch allows (rows of 530 floats start at multiples of 8 bytes).
#ifndef MATMUL_F32_TILE_CUH
#define MATMUL_F32_TILE_CUH

#include <cuda_pipeline.h>
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
template <int ROWS, int DEPTH, int THREADS, int WIDTH, bool WHOLE = false>
struct tiles_of_a {
    static constexpr int ACROSS = DEPTH / WIDTH, STEP = THREADS / ACROSS, PIECES = ROWS / STEP;
    const float *from;
    int rest, x, y, offset[PIECES];
    __align__(16) float held[PIECES][WIDTH];

    __device__ __forceinline__ tiles_of_a(const float *a, int top, int m, int k, int first,
                                          int last)
        : from(a + first), rest(last - first), x(threadIdx.x % ACROSS * WIDTH),
          y(threadIdx.x / ACROSS)
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
            copy_inside<WIDTH>(held[i], from + offset[i], WHOLE || x < rest);
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

    // The same by asynchronous copies, of 4 bytes, since they transpose.
    template <int PITCH>
    __device__ __forceinline__ void copy_async(float (*tile)[PITCH])
    {
        static_assert(WIDTH == 1, "neighbors of a row lie in different rows of the tile");
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            __pipeline_memcpy_async(&tile[x][y + i * STEP], x < rest ? from + offset[i] : from - x,
                                    4, x < rest ? 0 : 4);
        from += DEPTH;
        rest -= DEPTH;
    }
};

// The same for tiles of COLUMNS columns of B, which stay as they are: tile[row][column].
template <int COLUMNS, int DEPTH, int THREADS, int WIDTH, bool WHOLE = false>
struct tiles_of_b {
    static constexpr int ACROSS = COLUMNS / WIDTH, STEP = THREADS / ACROSS, PIECES = DEPTH / STEP;
    const float *from;
    int rest, x, y;
    int64_t pitch;

    __device__ __forceinline__ tiles_of_b(const float *b, int start, int n, int first, int last)
        : rest(last - first), x(threadIdx.x % ACROSS * WIDTH), y(threadIdx.x / ACROSS), pitch(n)
    {
        from = b + (first + y) * pitch + min(start + x, n - WIDTH);
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

    __device__ __forceinline__ void copy_async(float (*tile)[COLUMNS])
    {
#pragma unroll
        for (int i = 0; i < PIECES; i++) {
            bool inside = WHOLE || y + i * STEP < rest;
            __pipeline_memcpy_async(&tile[y + i * STEP][x], inside ? from + i * STEP * pitch : from,
                                    4 * WIDTH, inside ? 0 : 4 * WIDTH);
        }
        from += DEPTH * pitch;
        rest -= DEPTH;
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
