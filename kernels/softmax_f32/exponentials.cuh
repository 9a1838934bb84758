// What the rungs share: the maximum of a row with the sum of exp(x - maximum), which parts of a row
// have and two parts merge.
#ifndef SOFTMAX_F32_EXPONENTIALS_CUH
#define SOFTMAX_F32_EXPONENTIALS_CUH

#include "../row.cuh"

#include <float.h>
#include <math.h>

// Part of a row: its maximum, and the sum of exp(x - max). The maximum of nothing is the least
// finite number: from -infinity on, a row that begins with -infinity would be NaN.
struct part {
    float max;
    float sum;

    static __device__ part none()
    {
        return { -FLT_MAX, 0.0f };
    }
};

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

struct alignas(16) quad {
    float value[4];
};

// Replaces a thread's elements by exp(x - max), and returns this max with their sum. By expf(),
// rows of 32768 elements would take 1 % longer on an H100, 3 % on an H200.
template <int QUADS>
static inline __device__ part take_exponentials(quad (&own)[QUADS])
{
    part part = part::none();

#pragma unroll
    for (const quad &quad : own) {
#pragma unroll
        for (float x : quad.value)
            part.max = fmaxf(part.max, x);
    }
#pragma unroll
    for (quad &quad : own) {
#pragma unroll
        for (float &x : quad.value)
            x = __expf(x - part.max);
        part.sum += (quad.value[0] + quad.value[1]) + (quad.value[2] + quad.value[3]);
    }
    return part;
}

// Merges the parts of a warp's lanes; all of them have the result.
static inline __device__ part merge_warp(part own)
{
    part all = own;

#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        all.max = fmaxf(all.max, __shfl_xor_sync(ALL_LANES, all.max, distance));
    all.sum *= expf(own.max - all.max);
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        all.sum += __shfl_xor_sync(ALL_LANES, all.sum, distance);
    return all;
}

// Writes what a thread has of a row, exponentials of its `own` maximum: a factor makes them those
// of the maximum of `all`, so that one exchange suffices for the maximum and the sum.
template <int QUADS, typename ROW>
static inline __device__ void write_row(quad (&quads)[QUADS], part own, part all, float *y,
                                        const ROW &row, int thread, int threads)
{
    float factor = expf(own.max - all.max) * (1.0f / all.sum);

#pragma unroll
    for (int i = 0; i < QUADS; i++) {
#pragma unroll
        for (float &value : quads[i].value)
            value *= factor;
        store_packet(y, row, 4 * (i * threads + thread), quads[i]);
    }
}

// Computes a row in the registers of the threads that MERGE merges; this is `thread` of them.
template <part (*MERGE)(part), int QUADS, bool ALIGNED>
static inline __device__ void softmax_in_registers(const float *x, float *y,
                                                   const row<ALIGNED> &row, int thread, int threads)
{
    quad quads[QUADS];
    part own;

#pragma unroll
    for (int i = 0; i < QUADS; i++)
        quads[i] = load_packet<quad>(x, row, 4 * (i * threads + thread), -INFINITY);
    own = take_exponentials(quads);
    write_row(quads, own, MERGE(own), y, row, thread, threads);
}

#endif

// SPDX-License-Identifier: MIT
