// Means of every pair of vectors over the positions where neither is NaN, 2 x 4 pairs a block: each
// value counts in two or four pairs, so that three eighths as many are loaded, and those by float4.
// Rows that are no multiple of four elements begin anywhere, and are loaded one by one.
#include "tally.cuh"

enum { ROWS_A = 2, ROWS_B = 4, PAIRS = ROWS_A * ROWS_B };

// Four elements of a row from `i` on. Beyond its end there are NaN, which do not count.
template <bool IS_ALIGNED>
static __device__ void load(float (&to)[4], const float *row, int i, int dim)
{
    if (IS_ALIGNED) {
        float4 quad = *(const float4 *)(row + i);

        to[0] = quad.x;
        to[1] = quad.y;
        to[2] = quad.z;
        to[3] = quad.w;
    } else {
#pragma unroll
        for (int j = 0; j < 4; j++)
            to[j] = i + j < dim ? row[i + j] : NAN;
    }
}

template <bool IS_ALIGNED>
static __global__ void register_tile(const float *a, const float *b, float *mean_a, float *mean_b,
                                     int *pairs, int a_rows, int b_rows, int dim)
{
    __shared__ struct tally of_warp[PAIRS][LANES];
    int across = (b_rows + ROWS_B - 1) / ROWS_B, warps = blockDim.x / LANES;
    int first_a = blockIdx.x / across * ROWS_A, first_b = blockIdx.x % across * ROWS_B;
    const float *row_a[ROWS_A], *row_b[ROWS_B];
    struct tally own[PAIRS] = {};

    // Beyond the last row it repeats; these pairs are not written.
    for (int i = 0; i < ROWS_A; i++)
        row_a[i] = a + (size_t)min(first_a + i, a_rows - 1) * dim;
    for (int i = 0; i < ROWS_B; i++)
        row_b[i] = b + (size_t)min(first_b + i, b_rows - 1) * dim;
#pragma unroll 1
    for (int i = 4 * threadIdx.x; i < dim; i += 4 * blockDim.x) {
        float value_a[ROWS_A][4], value_b[ROWS_B][4];

        for (int j = 0; j < ROWS_B; j++)
            load<IS_ALIGNED>(value_b[j], row_b[j], i, dim);
        for (int j = 0; j < ROWS_A; j++)
            load<IS_ALIGNED>(value_a[j], row_a[j], i, dim);
#pragma unroll
        for (int j = 0; j < 4 * PAIRS; j++) {
            float of_a = value_a[j / 4 / ROWS_B][j % 4], of_b = value_b[j / 4 % ROWS_B][j % 4];
            struct tally &pair = own[j / 4];

            if (!isnan(of_a) && !isnan(of_b)) {
                pair.sum_a += of_a;
                pair.sum_b += of_b;
                pair.count++;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        struct tally sum = add_lanes(own[i], LANES);

        if (threadIdx.x % LANES == 0)
            of_warp[i][threadIdx.x / LANES] = sum;
    }
    __syncthreads();
    if (threadIdx.x < PAIRS) {
        int pair_a = first_a + threadIdx.x / ROWS_B, pair_b = first_b + threadIdx.x % ROWS_B;
        int64_t pair = (int64_t)pair_a * b_rows + pair_b;
        struct tally sum = {};

        for (int i = 0; i < warps; i++) {
            sum.sum_a += of_warp[threadIdx.x][i].sum_a;
            sum.sum_b += of_warp[threadIdx.x][i].sum_b;
            sum.count += of_warp[threadIdx.x][i].count;
        }
        if (pair_a < a_rows && pair_b < b_rows) {
            mean_a[pair] = sum.sum_a / (float)sum.count;
            mean_b[pair] = sum.sum_b / (float)sum.count;
            pairs[pair] = sum.count;
        }
    }
}

KG_LAUNCHER(pair_means_register_tile)
{
    int64_t a_rows = KG_EXTENT(call, 0), b_rows = KG_EXTENT(call, 1), dim = KG_EXTENT(call, 2);
    int64_t tiles = kg_grid(a_rows, ROWS_A).x * (int64_t)kg_grid(b_rows, ROWS_B).x;

    if (KG_AXIS(call, 0) % LANES != 0)
        return cudaErrorInvalidValue;
    return kg_start(call, dim % 4 == 0 ? register_tile<true> : register_tile<false>,
                    kg_grid(tiles, 1), KG_AXIS(call, 0), KG_ARG(call, const float, 0),
                    KG_ARG(call, const float, 1), KG_ARG(call, float, 2), KG_ARG(call, float, 3),
                    KG_ARG(call, int, 4), a_rows, b_rows, dim);
}

// SPDX-License-Identifier: MIT
