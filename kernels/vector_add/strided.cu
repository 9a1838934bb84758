// y += x, a grid-stride loop: the grid is as large as the launch says, and its threads walk the
// vectors in steps of the whole grid.
#include <kernelgate/kernelgate.h>

static __global__ void strided(const float *x, float *y, size_t n)
{
    size_t stride = gridDim.x * (size_t)blockDim.x;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] += x[i];
}

KG_LAUNCHER(vector_add_strided)
{
    return kg_start(call, strided, KG_AXIS(call, 1), KG_AXIS(call, 0), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), KG_EXTENT(call, 0));
}

// SPDX-License-Identifier: MIT
