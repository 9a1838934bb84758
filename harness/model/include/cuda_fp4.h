/* SPDX-License-Identifier: MIT */
/* The CPU model's cuda_fp4.h: __nv_fp4_e2m1, its vectors of two and four, and their conversions. */
#pragma once

#include "cuda_fp6.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))
KG__MODEL_FINITE(4, kg__model_e2m1::from(x, rounding), kg__model_e2m1::to(x), 4)
KG__MODEL_SMALL_TYPES(__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1, kg__model_e2m1,
                      __nv_fp4x2_storage_t, __nv_fp4x4_storage_t)
#undef KG__MODEL_INLINE

#endif
