// Means of every pair of vectors over the positions where neither is NaN, a block a pair: each
// thread adds up its own positions, then each warp adds up its lanes by shuffles, from register to
// register, and the first warp those of all warps. A block of one warp, or a part of one, needs no
// barrier.
#include "tally.cuh"

static __global__ void warp_shuffle(const float *a, const float *b, float *mean_a, float *mean_b,
                                    int *pairs, int b_rows, int dim)
{
    __shared__ struct tally of_warp[LANES];
    const float *row_a = a + (size_t)(blockIdx.x / b_rows) * dim;
    const float *row_b = b + (size_t)(blockIdx.x % b_rows) * dim;
    int threads = blockDim.x;
    int thread = threadIdx.x;
    int warps = threads / LANES;
    struct tally own = { 0.0f, 0.0f, 0 };

    for (int i = thread; i < dim; i += threads) {
        float value_a = row_a[i];
        float value_b = row_b[i];

        if (!isnan(value_a) && !isnan(value_b)) {
            own.sum_a += value_a;
            own.sum_b += value_b;
            own.count++;
        }
    }
    own = add_lanes(own, threads < LANES ? threads : LANES);
    if (warps > 1) {
        if (thread % LANES == 0)
            of_warp[thread / LANES] = own;
        __syncthreads();
        if (thread < warps)
            own = add_lanes(of_warp[thread], warps);
    }
    if (thread == 0) {
        // Without any position this is 0 / 0, the NaN that is due.
        mean_a[blockIdx.x] = own.sum_a / (float)own.count;
        mean_b[blockIdx.x] = own.sum_b / (float)own.count;
        pairs[blockIdx.x] = own.count;
    }
}

KG_LAUNCHER(pair_means_warp_shuffle)
{
    int64_t a_rows = KG_EXTENT(call, 0), b_rows = KG_EXTENT(call, 1), dim = KG_EXTENT(call, 2);
    int threads = KG_AXIS(call, 0);

    return kg_start(call, warp_shuffle, kg_grid(a_rows * b_rows, 1), threads,
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), KG_ARG(call, float, 3), KG_ARG(call, int, 4), b_rows,
                    dim);
}

// SPDX-License-Identifier: MIT
