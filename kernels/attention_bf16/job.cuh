// What the rungs share: out = softmax(Q K^T / sqrt(128)) V of one head after the other, each of
// `sequence` rows of 128 elements. With `causal` query i sees the keys up to i alone.
#ifndef ATTENTION_BF16_JOB_CUH
#define ATTENTION_BF16_JOB_CUH

#include "../mma.cuh"

#define DEPTH 128
#define LANES 32
#define ALL_LANES 0xffffffffu

// log2(e) / sqrt(128): exp(x / sqrt(128)) = 2^(x * SCALE), and hardware has powers of 2.
#define SCALE 0.1275174306f

struct job {
    const bf16 *q, *k, *v;
    bf16 *out;
    int sequence;
    int causal; // not bool: uninitialized padding would change the launch's fingerprint

    // The part of a head.
    __device__ job of_head(int head) const
    {
        int64_t start = (int64_t)head * sequence * DEPTH;

        return { q + start, k + start, v + start, out + start, sequence, causal };
    }

    // How many keys the query `row` sees, or those before it.
    __device__ int keys(int row) const
    {
        return causal ? min(row + 1, sequence) : sequence;
    }
};

static inline job job_of(const kg_call *call)
{
    return { KG_ARG(call, const bf16, 0), KG_ARG(call, const bf16, 1), KG_ARG(call, const bf16, 2),
             KG_ARG(call, bf16, 3),       (int)KG_EXTENT(call, 1),     (int)KG_EXTENT(call, 2) };
}

static __device__ __forceinline__ float power_of_2(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ float max_of_warp(float x)
{
    for (int i = LANES / 2; i > 0; i /= 2)
        x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, i));
    return x;
}

static __device__ __forceinline__ float sum_of_warp(float x)
{
    for (int i = LANES / 2; i > 0; i /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, i);
    return x;
}

// Four elements, 8 bytes, as floats and back.
static __device__ __forceinline__ float4 load_4(const bf16 *from)
{
    uint2 words = *reinterpret_cast<const uint2 *>(from);
    float2 left = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162 *>(&words.x));
    float2 right = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162 *>(&words.y));

    return make_float4(left.x, left.y, right.x, right.y);
}

static __device__ __forceinline__ unsigned pack(float left, float right)
{
    __nv_bfloat162 both = __floats2bfloat162_rn(left, right);

    return *reinterpret_cast<unsigned *>(&both);
}

static __device__ __forceinline__ void store_4(bf16 *to, float4 x, float factor)
{
    *reinterpret_cast<uint2 *>(to) =
        make_uint2(pack(x.x * factor, x.y * factor), pack(x.z * factor, x.w * factor));
}

static __device__ __forceinline__ float dot_4(float4 a, float4 b, float sum)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

static __device__ __forceinline__ void add_4(float4 &sum, float factor, float4 x)
{
    sum = make_float4(fmaf(factor, x.x, sum.x), fmaf(factor, x.y, sum.y), fmaf(factor, x.z, sum.z),
                      fmaf(factor, x.w, sum.w));
}

#endif

// SPDX-License-Identifier: MIT
