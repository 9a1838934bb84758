// Distances of pairs of points in the plane, two pairs a thread: a float4 is two points. Four pairs
// would let a thread store a float4 too, but its loads would lie 32 bytes apart, so that a request
// of 32 lanes touched 32 sectors and used half of each. An odd last pair goes to the next thread.
#include <kernelgate/kernelgate.h>

static __device__ float length(float dx, float dy)
{
    return sqrtf(dx * dx + dy * dy);
}

static __global__ void vectorized(const float2 *p, const float2 *q, float *d, int64_t n)
{
    int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t vectors = n / 2;

    if (thread < vectors) {
        float4 a = reinterpret_cast<const float4 *>(p)[thread];
        float4 b = reinterpret_cast<const float4 *>(q)[thread];

        reinterpret_cast<float2 *>(d)[thread] =
            make_float2(length(a.x - b.x, a.y - b.y), length(a.z - b.z, a.w - b.w));
    } else if (thread == vectors && n % 2 == 1) {
        d[n - 1] = length(p[n - 1].x - q[n - 1].x, p[n - 1].y - q[n - 1].y);
    }
}

KG_LAUNCHER(distance_vectorized)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, vectorized, kg_grid(n / 2 + n % 2, block), block,
                    KG_ARG(call, const float2, 0), KG_ARG(call, const float2, 1),
                    KG_ARG(call, float, 2), n);
}

// SPDX-License-Identifier: MIT
