// What the rungs share: a row as float4, and its maximum with the sum of exp(x - maximum), which
// parts of a row have and two parts merge.
#ifndef SOFTMAX_F32_ROW_CUH
#define SOFTMAX_F32_ROW_CUH

#include <float.h>
#include <kernelgate/kernelgate.h>
#include <math.h>

#define LANES 32
#define MAX_WARPS 32
#define ALL_LANES 0xffffffffu

// A row of the array cut into aligned float4, its quads. If the number of columns is no multiple of
// 4, the first and the last quad are in part those of other rows:
//
//     start           start + 4                       start + 12
//     | .   .   x   x | x   x   x   x | x   x   x   x | x   .   .   . |      first 2, end 13
struct row {
    int64_t start; // a multiple of 4
    int first;     // the row is from start + first
    int end;       // to start + end - 1
};

static inline __device__ row row_at(int64_t index, int columns)
{
    int64_t at = index * columns;
    int first = (int)(at % 4);

    return { at - first, first, first + columns };
}

// The most quads of a row.
static inline int64_t quads_of(int64_t columns)
{
    return columns % 4 == 0 ? columns / 4 : (3 + columns + 3) / 4;
}

// Returns the quad at `i`, a multiple of 4; its elements outside of the row are -infinity, whose
// exponential is 0.
static inline __device__ float4 load_quad(const float *x, const row &row, int i)
{
    float value[4];

    x += row.start + i;
    if (i >= row.first && i + 4 <= row.end)
        return *(const float4 *)x;
#pragma unroll
    for (int j = 0; j < 4; j++)
        value[j] = i + j >= row.first && i + j < row.end ? x[j] : -INFINITY;
    return make_float4(value[0], value[1], value[2], value[3]);
}

static inline __device__ void store_quad(float *y, const row &row, int i, float4 quad)
{
    float value[4] = { quad.x, quad.y, quad.z, quad.w };

    y += row.start + i;
    if (i >= row.first && i + 4 <= row.end) {
        *(float4 *)y = quad;
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (i + j >= row.first && i + j < row.end)
            y[j] = value[j];
    }
}

// Part of a row: its maximum, and the sum of exp(x - max). The maximum of nothing is the least
// finite number: from -infinity on, a row that begins with -infinity would be NaN.
struct part {
    float max;
    float sum;
};

static inline __device__ part no_part()
{
    return { -FLT_MAX, 0.0f };
}

static inline __device__ part merge(part a, part b)
{
    float max = fmaxf(a.max, b.max);

    return { max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max) };
}

static inline __device__ void add(part &own, float x)
{
    if (x > own.max) {
        own.sum *= expf(own.max - x);
        own.max = x;
    }
    own.sum += expf(x - own.max);
}

// Replaces a thread's elements by exp(x - max), and returns this max with their sum.
template <int QUADS>
static inline __device__ part take_exponentials(float4 (&quad)[QUADS])
{
    part own = no_part();

#pragma unroll
    for (int i = 0; i < QUADS; i++)
        own.max = fmaxf(fmaxf(fmaxf(own.max, quad[i].x), fmaxf(quad[i].y, quad[i].z)), quad[i].w);
#pragma unroll
    for (int i = 0; i < QUADS; i++) {
        quad[i] = make_float4(expf(quad[i].x - own.max), expf(quad[i].y - own.max),
                              expf(quad[i].z - own.max), expf(quad[i].w - own.max));
        own.sum += (quad[i].x + quad[i].y) + (quad[i].z + quad[i].w);
    }
    return own;
}

// Merges the parts of a warp's lanes; all of them have the result.
static inline __device__ part merge_warp(part own)
{
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own = merge(own, { __shfl_xor_sync(ALL_LANES, own.max, distance),
                           __shfl_xor_sync(ALL_LANES, own.sum, distance) });
    return own;
}

// Merges the parts of a block's threads; all of them have the result. Once in a kernel.
static inline __device__ part merge_block(part own)
{
    __shared__ part of_warp[MAX_WARPS];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;

    own = merge_warp(own);
    if (lane == 0)
        of_warp[threadIdx.x / LANES] = own;
    __syncthreads();
    return merge_warp(lane < warps ? of_warp[lane] : no_part());
}

#endif

// SPDX-License-Identifier: MIT
