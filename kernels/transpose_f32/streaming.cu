// Two tiles of 32 x 32, side by side in x, one below the other in y: each warp has 4 rows of both.
// Blocks that run at the same time are neighbors down the rows of x, so that they write whole rows
// of y. And the caches are told that each element is used once: loads pass by L1, and have L2 fetch
// the 256 bytes around them, most of which the next blocks load; stores are the first to leave L2.
#include "quads.cuh"

#define PARTS 2
#define THREADS 256

struct streaming {
    static __device__ float4 load(const float *at)
    {
        float4 value;

        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "l"(at));
        return value;
    }

    static __device__ void store(float *at, float4 value)
    {
        __stcs((float4 *)at, value);
    }
};

template <bool IS_ALIGNED_X, bool IS_ALIGNED_Y>
static __global__ void __launch_bounds__(THREADS)
    stream(const float *__restrict__ x, float *__restrict__ y, int rows, int columns)
{
    __shared__ __align__(16) float turned[PARTS][LANES * LANES];
    int top = blockIdx.x * LANES, left = blockIdx.y * PARTS * LANES;
    int down = threadIdx.y * 4 + threadIdx.x / 8, across = threadIdx.x % 8 * 4;
    float4 part[PARTS];

    x += (int64_t)(top + down) * columns + left + across;
    y += (int64_t)(left + down) * rows + top + across;
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        int there = top + down < rows ? columns - left - across - i * LANES : 0;

        part[i] = load<IS_ALIGNED_X, streaming>(x + i * LANES, there);
    }
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        *place<LANES>(turned[i], across, down) = part[i].x;
        *place<LANES>(turned[i], across + 1, down) = part[i].y;
        *place<LANES>(turned[i], across + 2, down) = part[i].z;
        *place<LANES>(turned[i], across + 3, down) = part[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
        int there = left + down + i * LANES < columns ? rows - top - across : 0;

        store<IS_ALIGNED_Y, streaming>(y + (int64_t)i * LANES * rows, there,
                                       *(const float4 *)place<LANES>(turned[i], down, across));
    }
}

KG_LAUNCHER(transpose_f32_streaming)
{
    int64_t rows = KG_EXTENT(call, 0), columns = KG_EXTENT(call, 1);
    transpose *kernel;

    if (KG_AXIS(call, 0) != THREADS)
        return cudaErrorInvalidValue;
    if (columns % 4 == 0)
        kernel = rows % 4 == 0 ? stream<true, true> : stream<true, false>;
    else
        kernel = rows % 4 == 0 ? stream<false, true> : stream<false, false>;
    return kg_start(call, kernel, kg_grid(rows, LANES, columns, PARTS * LANES),
                    dim3(LANES, THREADS / LANES), KG_ARG(call, const float, 0),
                    KG_ARG(call, float, 1), rows, columns);
}

// SPDX-License-Identifier: MIT
