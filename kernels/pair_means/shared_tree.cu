// Means of every pair of vectors over the positions where neither is NaN, a block a pair: each
// thread adds up its own positions, then the block adds up its threads as a tree in shared memory,
// with a barrier a level. Blocks hold any power of two of threads.
#include <kernelgate/kernelgate.h>

static __global__ void shared_tree(const float *a, const float *b, float *mean_a, float *mean_b,
                                   int *pairs, int b_rows, int dim)
{
    KG_DYNAMIC_SHARED(float, sums_a);
    float *sums_b = sums_a + blockDim.x;
    int *counts = reinterpret_cast<int *>(sums_b + blockDim.x);
    const float *row_a = a + (size_t)(blockIdx.x / b_rows) * dim;
    const float *row_b = b + (size_t)(blockIdx.x % b_rows) * dim;
    int thread = threadIdx.x;
    float sum_a = 0.0f;
    float sum_b = 0.0f;
    int count = 0;

    for (int i = thread; i < dim; i += blockDim.x) {
        float value_a = row_a[i];
        float value_b = row_b[i];

        if (!isnan(value_a) && !isnan(value_b)) {
            sum_a += value_a;
            sum_b += value_b;
            count++;
        }
    }
    sums_a[thread] = sum_a;
    sums_b[thread] = sum_b;
    counts[thread] = count;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            sums_a[thread] += sums_a[thread + half];
            sums_b[thread] += sums_b[thread + half];
            counts[thread] += counts[thread + half];
        }
    }
    if (thread == 0) {
        // Without any position this is 0 / 0, the NaN that is due.
        mean_a[blockIdx.x] = sums_a[0] / (float)counts[0];
        mean_b[blockIdx.x] = sums_b[0] / (float)counts[0];
        pairs[blockIdx.x] = counts[0];
    }
}

KG_LAUNCHER(pair_means_shared_tree)
{
    int64_t a_rows = KG_EXTENT(call, 0), b_rows = KG_EXTENT(call, 1), dim = KG_EXTENT(call, 2);
    int threads = KG_AXIS(call, 0);

    return kg_start(call, shared_tree, kg_grid(a_rows * b_rows, 1), threads,
                    kg_shared(threads * (2 * sizeof(float) + sizeof(int))),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), KG_ARG(call, float, 3), KG_ARG(call, int, 4), b_rows,
                    dim);
}

// SPDX-License-Identifier: MIT
