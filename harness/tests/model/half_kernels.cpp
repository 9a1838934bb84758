/* Kernels on values of 16 and 8 bits, one warp each unless the test says otherwise. */
#include "tests/model/half_kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "tests/model/watch_start.h"

static inline __device__ half *halves(float *memory)
{
    return reinterpret_cast<half *>(memory);
}

static inline __device__ half2 *pairs(float *memory)
{
    return reinterpret_cast<half2 *>(memory);
}

EACH_DOES(add_halves, halves(d.b)[i] = halves(d.a)[i] + halves(d.b)[i])
EACH_DOES(add_half_pairs,
          pairs(d.b)[i] = __hfma2(pairs(d.a)[i], pairs(d.b)[i], make_half2(1.0f, 2.0f)))

// 16 bytes at once, of which each thread works on eight halves.
EACH(scale_eight_halves)
{
    float4 word = reinterpret_cast<const float4 *>(d.a)[i];
    half2 *part = reinterpret_cast<half2 *>(&word);

    for (int j = 0; j < 4; j++)
        part[j] *= __float2half2_rn(0.5f);
    reinterpret_cast<float4 *>(d.b)[i] = word;
}

THREAD(sum_halves_in_shared)
{
    __shared__ half tile[64];

    tile[2 * i] = halves(d.a)[2 * i];
    tile[2 * i + 1] = halves(d.a)[2 * i + 1];
    __syncthreads();
    d.b[i] = __half2float(tile[i]) + __half2float(tile[63 - i]);
}

EACH(add_bfloat_pairs)
{
    nv_bfloat162 *a = reinterpret_cast<nv_bfloat162 *>(d.a);
    nv_bfloat162 *b = reinterpret_cast<nv_bfloat162 *>(d.b);

    b[i] = __hadd2(a[i], b[i]);
}

EACH_DOES(load_halves_with_hints,
          __stcs(&pairs(d.b)[i],
                 __halves2half2(__ldg(&halves(d.a)[i]), __ldcg(&halves(d.a)[i + 32]))))

EACH(double_quads_of_e4m3)
{
    const float4 quad = static_cast<float4>(reinterpret_cast<const __nv_fp8x4_e4m3 *>(d.a)[i]);

    reinterpret_cast<__nv_fp8x4_e4m3 *>(d.b)[i] =
        __nv_fp8x4_e4m3(make_float4(2 * quad.x, 2 * quad.y, 2 * quad.z, 2 * quad.w));
}

EACH_DOES(widen_e5m2, d.b[i] = static_cast<float>(reinterpret_cast<const __nv_fp8_e5m2 *>(d.a)[i]))

EACH(reduce_halves_in_warp)
{
    half sum = __int2half_rn(i);

    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    d.b[i] = sum;
}

EACH(shuffle_pairs)
{
    const half2 own = __floats2half2_rn((float)i, (float)-i);
    const half2 next = __shfl_down_sync(0xffffffffu, own, 1);
    const __nv_bfloat16 first = __shfl_sync(0xffffffffu, __int2bfloat16_rn(i + 5), 0);
    const __nv_bfloat162 before =
        __shfl_up_sync(0xffffffffu, __floats2bfloat162_rn((float)i, 1.0f), 1);

    d.b[i] = i == 31 || i == 0 ? 0.0f
                               : __low2float(next) + __high2float(next) * 2.0f +
                                     __bfloat162float(first) + __low2float(before);
}

// All lanes add to one half, and to one pair.
EACH(count_in_halves)
{
    atomicAdd(halves(d.b), __float2half(1.0f));
    atomicAdd(&pairs(d.b)[1], __floats2half2_rn(1.0f, (float)(i % 2)));
}

EACH(count_in_bfloat_pairs)
{
    atomicAdd(reinterpret_cast<nv_bfloat16 *>(d.b), __float2bfloat16(2.0f));
    atomicAdd(reinterpret_cast<nv_bfloat162 *>(d.b) + 1,
              __floats2bfloat162_rn((float)(i % 2), 1.0f));
}

// Two stores of two bytes each.
EACH(write_pairs_by_element)
{
    pairs(d.b)[i].x = __float2half(1.0f);
    pairs(d.b)[i].y = __float2half(2.0f);
}

// Defective: no barrier between the writes and the reads.
THREAD(sum_halves_unordered)
{
    __shared__ half tile[64];

    tile[i] = halves(d.a)[i];
    d.b[i] = __half2float(tile[63 - i]);
}

// Defective: plain sums.
KERNEL_DOES(count_without_atomics, halves(d.b)[0] += __float2half(1.0f))

// SPDX-License-Identifier: MIT
