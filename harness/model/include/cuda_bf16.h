/* SPDX-License-Identifier: MIT */
/* The CPU model's cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162, for kernels and for the host. */
#pragma once

#include "cuda_fp16.h"

/* Only the bits, for C. */
typedef struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
} __nv_bfloat16_raw;

typedef struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x;
    unsigned short y;
} __nv_bfloat162_raw;

#ifdef __cplusplus

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))
#define KG__MODEL_MEMBER inline __attribute__((always_inline))

typedef kg__model_format<16, 7, 127, 0x7f7f> kg__model_bfloat16_format;

#define KG__H __nv_bfloat16
#define KG__H2 __nv_bfloat162
#define KG__RAW __nv_bfloat16_raw
#define KG__RAW2 __nv_bfloat162_raw
#define KG__OTHER __half
#define KG__FORMAT kg__model_bfloat16_format
#define KG__NAN_OF(bits) static_cast<unsigned int>(bits) << 16
#define KG__BOTH __bfloat162bfloat162
#define KG__NAME(before, after) before##bfloat16##after
#include "kg_model_half.h"

inline __nv_bfloat16::__nv_bfloat16(__half value) : __x(__float2bfloat16(__half2float(value)).__x)
{
}

inline __half::__half(__nv_bfloat16 value) : __x(__float2half(__bfloat162float(value)).__x)
{
}

#undef KG__MODEL_MEMBER
#undef KG__MODEL_INLINE

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#endif
