// The limit: each element is read once and written once, but stays where it is. A thread has four
// float4 on their way.
#include "tile.cuh"

#define AHEAD 4

static __global__ void copy(const float4 *x, float4 *y, int64_t vectors, int tail)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x * AHEAD + threadIdx.x;
    float4 part[AHEAD];

#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (first + i * (int)blockDim.x < vectors)
            part[i] = x[first + i * (int)blockDim.x];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (first + i * (int)blockDim.x < vectors)
            y[first + i * (int)blockDim.x] = part[i];
    if (blockIdx.x == 0 && (int)threadIdx.x < tail)
        ((float *)(y + vectors))[threadIdx.x] = ((const float *)(x + vectors))[threadIdx.x];
}

KG_LAUNCHER(transpose_f32_copy)
{
    int64_t n = KG_EXTENT(call, 0) * KG_EXTENT(call, 1);
    int block = KG_AXIS(call, 0);

    return kg_start(call, copy, kg_grid(n, 4 * AHEAD * block), block,
                    (const float4 *)KG_ARG(call, const float, 0), (float4 *)KG_ARG(call, float, 1),
                    n / 4, (int)(n % 4));
}

// SPDX-License-Identifier: MIT
