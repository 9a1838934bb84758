// C = A B modulo 2^32 on the tensor cores, which multiply bytes. An element is four bytes, a = a0 +
// 2^8 a1 + 2^16 a2 + 2^24 a3, so that a product is 16 products of bytes, and modulo 2^32 those 10
// with i + j < 4:
//
//     a b = a0 b0 + 2^8 (a0 b1 + a1 b0) + 2^16 (a0 b2 + a1 b1 + a2 b0) + 2^24 (a0 b3 + ... + a3 b0)
//
// Sums of each power of two are apart until the end. They wrap modulo 2^32, too, so that the result
// is exact. In shared memory a quad of four neighbors along k is four words, one of their bytes i
// for each i: a lane's operands of mma.sync of all four planes are one access of 16 bytes.
#include <kernelgate/kernelgate.h>

enum { EDGE = 64, DEPTH = 32, QUADS = DEPTH / 4, WARPS = 4, THREADS = 32 * WARPS, PLANES = 4 };
enum { PITCH = QUADS + 4 }; // two rows of four quads, which 8 lanes access, are all 32 banks
enum { SHARE = EDGE * QUADS / THREADS, STEP = EDGE / 2 };

// Four elements as words of their lowest bytes, of the next ones, and so on.
static __device__ __forceinline__ uint4 planes_of(const uint32_t (&x)[4])
{
    uint32_t low = __byte_perm(x[0], x[1], 0x5140), high = __byte_perm(x[0], x[1], 0x7362);
    uint32_t low_23 = __byte_perm(x[2], x[3], 0x5140), high_23 = __byte_perm(x[2], x[3], 0x7362);

    return make_uint4(__byte_perm(low, low_23, 0x5410), __byte_perm(low, low_23, 0x7632),
                      __byte_perm(high, high_23, 0x5410), __byte_perm(high, high_23, 0x7632));
}

static __device__ __forceinline__ void multiply(int (&sum)[4], const uint32_t (&a)[4],
                                                const uint32_t (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A lane's operand registers of each plane: quads of rows (columns of B) `row` and, of A, row + 8,
// with those 4 quads on.
template <int REGISTERS>
static __device__ __forceinline__ void read(uint32_t (&to)[PLANES][REGISTERS],
                                            const uint4 (*tile)[PITCH], int row, int quad)
{
#pragma unroll
    for (int i = 0; i < REGISTERS; i++) {
        uint4 planes =
            REGISTERS == 4 ? tile[row + i % 2 * 8][quad + i / 2 * 4] : tile[row][quad + i * 4];

        to[0][i] = planes.x;
        to[1][i] = planes.y;
        to[2][i] = planes.z;
        to[3][i] = planes.w;
    }
}

// Loads a thread's four elements of a row of A and of a column of B for the next tiles. `left`
// elements remain before k; B is zero beyond it, so that what A has there does not matter.
template <bool IS_ALIGNED>
static __device__ __forceinline__ void load(uint32_t (&next_a)[4], uint32_t (&next_b)[4],
                                            const uint32_t *from_a, const uint32_t *from_b,
                                            bool has_row, bool has_column, int left, int stride)
{
    if (IS_ALIGNED) {
        uint4 four = has_row && left > 0 ? *(const uint4 *)from_a : make_uint4(0, 0, 0, 0);
        uint32_t held[] = { four.x, four.y, four.z, four.w };

        for (int j = 0; j < 4; j++)
            next_a[j] = held[j];
    } else {
        for (int j = 0; j < 4; j++)
            next_a[j] = has_row && j < left ? from_a[j] : 0;
    }
    for (int j = 0; j < 4; j++)
        next_b[j] = has_column && j < left ? from_b[(int64_t)j * stride] : 0;
}

// Adds one step's products to a warp's 32 x 32 sums, which are apart by byte weight.
static __device__ __forceinline__ void accumulate(int (&sums)[PLANES][2][4][4],
                                                  const uint4 (*tile_a)[PITCH],
                                                  const uint4 (*tile_b)[PITCH], int row, int column,
                                                  int quad)
{
    uint32_t of_b[4][PLANES][2];

#pragma unroll
    for (int j = 0; j < 4; j++)
        read(of_b[j], tile_b, column + j * 8, quad);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint32_t of_a[PLANES][4];

        read(of_a, tile_a, row + i * 16, quad);
#pragma unroll
        for (int p = 0; p < PLANES * PLANES; p++)
            if (p / PLANES + p % PLANES < PLANES)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(sums[p / PLANES + p % PLANES][i][j], of_a[p / PLANES],
                             of_b[j][p % PLANES]);
    }
}

template <bool IS_ALIGNED>
static __global__ void __launch_bounds__(THREADS)
    byte_planes(const uint32_t *a, const uint32_t *b, uint32_t *c, int m, int n, int k, int stride)
{
    __shared__ uint4 tile_a[EDGE][PITCH], tile_b[EDGE][PITCH];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, top = blockIdx.y * EDGE;
    int start = blockIdx.x * EDGE, of_lane = lane / 4, quad = lane % 4;
    int row = warp / 2 * 32, column = warp % 2 * 32;
    uint32_t next_a[SHARE][4], next_b[SHARE][4];
    int sums[PLANES][2][4][4] = {};

    // A warp loads from 8 rows of A and 8 columns of B, which fills whole sectors.
    auto load_from = [&](int first) {
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            int y = i / 2 * STEP + warp * 8 + of_lane, x = first + (i % 2 * 4 + quad) * 4;

            load<IS_ALIGNED>(next_a[i], next_b[i], a + (int64_t)(top + y) * stride + x,
                             b + (int64_t)x * stride + start + y, top + y < m, start + y < n, k - x,
                             stride);
        }
    };

    load_from(0);
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            int y = i / 2 * STEP + warp * 8 + of_lane, x = i % 2 * 4 + quad;

            tile_a[y][x] = planes_of(next_a[i]);
            tile_b[y][x] = planes_of(next_b[i]);
        }
        __syncthreads();
        load_from(first + DEPTH);
        accumulate(sums, tile_a, tile_b, row + of_lane, column + of_lane, quad);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2 * 4 * 4; i++) {
        int at = i / 4 % 4, y = top + row + i / 16 * 16 + of_lane + i % 4 / 2 * 8;
        int x = start + column + at * 8 + quad * 2 + i % 2;
        uint32_t sum = 0;

        for (int p = 0; p < PLANES; p++)
            sum += (uint32_t)sums[p][i / 16][at][i % 4] << 8 * p;
        if (y < m && x < n)
            c[(int64_t)y * stride + x] = sum;
    }
}

KG_LAUNCHER(matmul_i32_byte_planes)
{
    int m = KG_EXTENT(call, 0), n = KG_EXTENT(call, 1), stride = KG_EXTENT(call, 3);

    return kg_start(call, stride % 4 == 0 ? byte_planes<true> : byte_planes<false>,
                    kg_grid(n, EDGE, m, EDGE), THREADS, KG_ARG(call, const uint32_t, 0),
                    KG_ARG(call, const uint32_t, 1), KG_ARG(call, uint32_t, 2), m, n,
                    KG_EXTENT(call, 2), stride);
}

// SPDX-License-Identifier: MIT
