// C = A B modulo 2^32, 4 x 4 outputs per thread. A multiprocessor multiplies 64 integers per cycle,
// half as many as floats, so that this reads two vectors from shared memory for 32 cycles of
// multiplications: wider shares per thread, as floats need, would only leave fewer warps. The next
// tiles are loaded into registers while this step's are multiplied, and there are two of each in
// shared memory: one barrier per step.
#include <kernelgate/kernelgate.h>

enum { ROWS = 32, COLUMNS = 64, DEPTH = 16, SIDE = 4, ACROSS = COLUMNS / SIDE };
enum { THREADS = ROWS / SIDE * ACROSS };

template <int WIDTH>
struct piece;
template <>
struct piece<1> {
    typedef uint32_t type;
};
template <>
struct piece<2> {
    typedef uint2 type;
};
template <>
struct piece<4> {
    typedef uint4 type;
};

// A thread's pieces of the tiles of WIDTH_OF_TILE columns and HEIGHT rows of a matrix, in the order
// of threads along the rows. A piece may reach beyond the matrix's columns, into padding.
template <int HEIGHT, int WIDTH_OF_TILE, int WIDTH>
struct part {
    typedef typename piece<WIDTH>::type type;
    static constexpr int PIECES = WIDTH_OF_TILE / WIDTH, STEP = THREADS / PIECES;
    static constexpr int COUNT = HEIGHT / STEP;
    int x = threadIdx.x % PIECES * WIDTH, y = threadIdx.x / PIECES;
    __align__(16) uint32_t held[COUNT][WIDTH];

    __device__ void load(const uint32_t *matrix, int row, int column, int rows, int columns,
                         int stride)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int at = row + y + i * STEP;
            bool inside = at < rows && column + x < columns;
            const uint32_t *from = matrix + (int64_t)at * stride + column + x;

            *(type *)held[i] = inside ? *(const type *)from : type{};
        }
    }
};

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    register_tile(const uint32_t *a, const uint32_t *b, uint32_t *c, int m, int n, int k,
                  int stride)
{
    // A's tile is transposed, so that a thread's four rows are a vector, too.
    __shared__ __align__(16) uint32_t tile_a[2][DEPTH][ROWS + 4], tile_b[2][DEPTH][COLUMNS];
    int top = blockIdx.y * ROWS, start = blockIdx.x * COLUMNS;
    int row = threadIdx.x / ACROSS * SIDE, column = threadIdx.x % ACROSS * SIDE;
    part<ROWS, DEPTH, WIDTH> next_a;
    part<DEPTH, COLUMNS, WIDTH> next_b;
    __align__(16) uint32_t sum[SIDE][SIDE] = {};

    // What a piece of A has beyond k is multiplied by a zero of B.
    next_a.load(a, top, 0, m, k, stride);
    next_b.load(b, 0, start, k, n, stride);
    for (int first = 0, now = 0; first < k; first += DEPTH, now ^= 1) {
#pragma unroll
        for (int i = 0; i < next_a.COUNT; i++)
            for (int j = 0; j < WIDTH; j++)
                tile_a[now][next_a.x + j][next_a.y + i * next_a.STEP] = next_a.held[i][j];
#pragma unroll
        for (int i = 0; i < next_b.COUNT; i++)
            *(typename piece<WIDTH>::type *)&tile_b[now][next_b.y + i * next_b.STEP][next_b.x] =
                *(typename piece<WIDTH>::type *)next_b.held[i];
        __syncthreads();
        next_a.load(a, top, first + DEPTH, m, k, stride);
        next_b.load(b, first + DEPTH, start, k, n, stride);
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            uint4 left = *(const uint4 *)&tile_a[now][step][row];
            uint4 right = *(const uint4 *)&tile_b[now][step][column];
            uint32_t lefts[] = { left.x, left.y, left.z, left.w };
            uint32_t rights[] = { right.x, right.y, right.z, right.w };

            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += lefts[i] * rights[j];
        }
    }
    for (int i = 0; i < SIDE && top + row + i < m; i++) {
        uint32_t *to = c + (int64_t)(top + row + i) * stride + start + column;

        if (WIDTH == 4 && start + column + SIDE <= n)
            *(uint4 *)to = *(const uint4 *)sum[i];
        else
            for (int j = 0; j < SIDE && start + column + j < n; j++)
                to[j] = sum[i][j];
    }
}

KG_LAUNCHER(matmul_i32_register_tile)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), stride = KG_EXTENT(call, 3);

    return kg_start(call,
                    stride % 4 == 0   ? register_tile<4>
                    : stride % 2 == 0 ? register_tile<2>
                                      : register_tile<1>,
                    kg_grid(n, COLUMNS, m, ROWS), THREADS, KG_ARG(call, const uint32_t, 0),
                    KG_ARG(call, const uint32_t, 1), KG_ARG(call, uint32_t, 2), m, n,
                    KG_EXTENT(call, 2), stride);
}

// SPDX-License-Identifier: MIT
