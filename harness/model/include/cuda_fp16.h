/* SPDX-License-Identifier: MIT */
/* The CPU model's cuda_fp16.h: __half and __half2, for kernels and for the host. */
#pragma once

#ifdef __cplusplus
#include "kg_model_narrow.h"
#endif

/* Only the bits, for C. */
typedef struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
} __half_raw;

typedef struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x;
    unsigned short y;
} __half2_raw;

#ifdef __cplusplus

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))
#define KG__MODEL_MEMBER inline __attribute__((always_inline))

struct __nv_bfloat16;

typedef kg__model_format<16, 10, 15, 0x7bff> kg__model_half_format;

/* Returns a value clamped to [0, 1]; NaN becomes 0. */
KG__MODEL_INLINE double kg__model_saturate(double value)
{
    return value > 0 ? (value < 1 ? value : 1) : 0;
}

#define KG__H __half
#define KG__H2 __half2
#define KG__RAW __half_raw
#define KG__RAW2 __half2_raw
#define KG__OTHER __nv_bfloat16
#define KG__FORMAT kg__model_half_format
#define KG__NAN_OF(bits) 0x7fffffffu
#define KG__BOTH __half2half2
#define KG__NAME(before, after) before##half##after
#include "kg_model_half.h"

#undef KG__MODEL_MEMBER
#undef KG__MODEL_INLINE

typedef __half half;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half2 half2;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#endif
