// A defect, kept to show that the checks catch it: the kernel is written for 16 threads, its shared
// arrays hold 16 elements, and it is launched with 32 x 32, as it was once published. Threads from
// 16 on reach past their array, into its neighbor's sums, and the 32 threads of each column add to
// the same elements, unordered. On an NVIDIA H200 what was published returned 1168 pairs for 100.
#include <kernelgate/kernelgate.h>

#define THREADS 16

static __global__ void oversized_launch(const float *a, const float *b, float *mean_a,
                                        float *mean_b, int *pairs, int b_rows, int dim)
{
    __shared__ float sums_a[THREADS];
    __shared__ float sums_b[THREADS];
    __shared__ int counts[THREADS];
    const float *row_a = a + (size_t)(blockIdx.x / b_rows) * dim;
    const float *row_b = b + (size_t)(blockIdx.x % b_rows) * dim;
    int thread = threadIdx.x;

    sums_a[thread] = 0.0f;
    sums_b[thread] = 0.0f;
    counts[thread] = 0;
    for (int i = thread; i < dim; i += THREADS) {
        if (!isnan(row_a[i]) && !isnan(row_b[i])) {
            sums_a[thread] += row_a[i];
            sums_b[thread] += row_b[i];
            counts[thread]++;
        }
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
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

KG_LAUNCHER(pair_means_oversized_launch)
{
    int64_t a_rows = KG_EXTENT(call, 0), b_rows = KG_EXTENT(call, 1), dim = KG_EXTENT(call, 2);

    return kg_start(call, oversized_launch, kg_grid(a_rows * b_rows, 1), dim3(32, 32),
                    KG_ARG(call, const float, 0), KG_ARG(call, const float, 1),
                    KG_ARG(call, float, 2), KG_ARG(call, float, 3), KG_ARG(call, int, 4), b_rows,
                    dim);
}

// SPDX-License-Identifier: MIT
