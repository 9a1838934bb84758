// Wrong: every block counts the bytes after the last whole vector, not the first block alone.
#include "counts.cuh"

static __global__ void tail_by_all(const uint8_t *x, int *counts, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / VECTOR)
        for (int byte = 0; byte < VECTOR; byte++)
            atomicAdd(&counts[x[VECTOR * i + byte]], 1);
    if (threadIdx.x < n % VECTOR)
        atomicAdd(&counts[x[n / VECTOR * VECTOR + threadIdx.x]], 1);
}

KG_LAUNCHER(histogram_u8_tail_by_all)
{
    return start_counting(call, tail_by_all);
}

// SPDX-License-Identifier: MIT
