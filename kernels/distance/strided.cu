// Distances of pairs of points in the plane by a grid-stride loop: a grid of any size serves any
// number of pairs, and each point is loaded whole.
#include <kernelgate/kernelgate.h>

static __global__ void strided(const float2 *p, const float2 *q, float *d, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = first; i < n; i += stride) {
        float2 a = p[i];
        float2 b = q[i];
        float dx = a.x - b.x;
        float dy = a.y - b.y;

        d[i] = sqrtf(dx * dx + dy * dy);
    }
}

KG_LAUNCHER(distance_strided)
{
    return kg_start(call, strided, KG_AXIS(call, 1), KG_AXIS(call, 0),
                    KG_ARG(call, const float2, 0), KG_ARG(call, const float2, 1),
                    KG_ARG(call, float, 2), KG_EXTENT(call, 0));
}

// SPDX-License-Identifier: MIT
