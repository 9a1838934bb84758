// y += x, four elements a thread by float4. The one to three elements after the last whole float4
// go to the next threads, one each.
#include <kernelgate/kernelgate.h>

static __global__ void vectorized(const float *x, float *y, size_t n)
{
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t vectors = n / 4;

    if (thread < vectors) {
        float4 more = reinterpret_cast<const float4 *>(x)[thread];
        float4 sum = reinterpret_cast<float4 *>(y)[thread];

        sum.x += more.x;
        sum.y += more.y;
        sum.z += more.z;
        sum.w += more.w;
        reinterpret_cast<float4 *>(y)[thread] = sum;
    } else if (thread - vectors < n % 4) {
        size_t i = 4 * vectors + thread - vectors;

        y[i] += x[i];
    }
}

KG_LAUNCHER(vector_add_vectorized)
{
    int64_t n = KG_EXTENT(call, 0);
    int block = KG_AXIS(call, 0);

    return kg_start(call, vectorized, kg_grid(n / 4 + n % 4, block), block,
                    KG_ARG(call, const float, 0), KG_ARG(call, float, 1), n);
}

// SPDX-License-Identifier: MIT
