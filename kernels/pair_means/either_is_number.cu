// A defect, kept to show that the checks catch it: it counts a position where either vector holds a
// number, !isnan(a) || !isnan(b), as this kernel was once published. Both must, with &&: a NaN in
// one vector makes its mean NaN, and the position is counted. Otherwise this is the tree in shared
// memory, a block a pair.
#include <kernelgate/kernelgate.h>

static __global__ void either_is_number(const float *a, const float *b, float *mean_a,
                                        float *mean_b, int *pairs, int b_rows, int dim)
{
    KG_DYNAMIC_SHARED(float, sums_a);
    float *sums_b = sums_a + blockDim.x;
    int *counts = reinterpret_cast<int *>(sums_b + blockDim.x);
    const float *row_a = a + (size_t)(blockIdx.x / b_rows) * dim;
    const float *row_b = b + (size_t)(blockIdx.x % b_rows) * dim;
    int thread = threadIdx.x;

    sums_a[thread] = 0.0f;
    sums_b[thread] = 0.0f;
    counts[thread] = 0;
    for (int i = thread; i < dim; i += blockDim.x) {
        if (!isnan(row_a[i]) || !isnan(row_b[i])) {
            sums_a[thread] += row_a[i];
            sums_b[thread] += row_b[i];
            counts[thread]++;
        }
    }
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            sums_a[thread] += sums_a[thread + half];
            sums_b[thread] += sums_b[thread + half];
            counts[thread] += counts[thread + half];
        }
    }
    if (thread == 0) {
        mean_a[blockIdx.x] = sums_a[0] / (float)counts[0];
        mean_b[blockIdx.x] = sums_b[0] / (float)counts[0];
        pairs[blockIdx.x] = counts[0];
    }
}

KG_LAUNCHER(pair_means_either_is_number)
{
    int64_t a_rows = KG_EXTENT(call, 0), b_rows = KG_EXTENT(call, 1), dim = KG_EXTENT(call, 2);
    int threads = KG_AXIS(call, 0);

    return kg_start(call, either_is_number, kg_grid(a_rows * b_rows, 1), threads,
                    kg_shared(threads * (2 * sizeof(float) + sizeof(int))),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), KG_ARG(call, float, 3), KG_ARG(call, int, 4), b_rows,
                    dim);
}

// SPDX-License-Identifier: MIT
