// Distances of pairs of points in the plane, one thread a pair; each point is loaded whole.
#include <kernelgate/kernelgate.h>

static __global__ void unstrided(const float2 *p, const float2 *q, float *d, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float2 a = p[i];
        float2 b = q[i];
        float dx = a.x - b.x;
        float dy = a.y - b.y;

        d[i] = sqrtf(dx * dx + dy * dy);
    }
}

KG_LAUNCHER(distance_unstrided)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, unstrided, kg_grid(n, block), block, KG_ARG(call, const float2, 0),
                    KG_ARG(call, const float2, 1), KG_ARG(call, float, 2), n);
}

// SPDX-License-Identifier: MIT
