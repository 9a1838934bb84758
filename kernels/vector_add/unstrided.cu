// y += x, one thread an element: the grid is as large as the vectors.
#include <kernelgate/kernelgate.h>

static __global__ void unstrided(const float *x, float *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += x[i];
}

KG_LAUNCHER(vector_add_unstrided)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, unstrided, kg_grid(n, block), block, KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), n);
}

// SPDX-License-Identifier: MIT
