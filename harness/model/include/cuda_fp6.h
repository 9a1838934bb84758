/* SPDX-License-Identifier: MIT */
/* The CPU model's cuda_fp6.h: formats without infinities and NaN, which conversions saturate. */
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

/* A format of `Width` bits with only finite values; NaN becomes the greatest. */
template <int Width, int Fraction, int Bias, int Shift>
struct kg__model_finite {
    typedef kg__model_format<Width, Fraction, Bias, (1u << (Width - 1)) - 1> format;
    static constexpr int shift = Shift;
    static inline __attribute__((always_inline)) unsigned int
    from(double x, cudaRoundMode rounding = cudaRoundNearest)
    {
        if (x != x)
            return format::largest;
        const unsigned int magnitude =
            format::round(x, rounding == cudaRoundZero ? KG__MODEL_TO_ZERO : KG__MODEL_NEAREST);

        return (magnitude < format::largest ? magnitude : format::largest) |
               (__builtin_signbit(x) ? format::sign : 0);
    }
    static inline __attribute__((always_inline)) float to(unsigned int bits)
    {
        return format::widen(bits & (2 * format::sign - 1));
    }
};
typedef kg__model_finite<6, 3, 1, 8> kg__model_e2m3;
typedef kg__model_finite<6, 2, 3, 8> kg__model_e3m2;
typedef kg__model_finite<4, 1, 1, 4> kg__model_e2m1;

/* The functions of formats of `n` bits; `from` and `to` select the format. */
#define KG__MODEL_FINITE(n, from, to, shift)                                                       \
    KG__MODEL_INLINE __nv_fp##n##_storage_t __nv_cvt_double_to_fp##n(                              \
        double x, __nv_fp##n##_interpretation_t format, cudaRoundMode rounding)                    \
    {                                                                                              \
        static_cast<void>(format);                                                                 \
        return static_cast<__nv_fp##n##_storage_t>(from);                                          \
    }                                                                                              \
    KG__MODEL_FINITE_FROM(n, float, x, shift)                                                      \
    KG__MODEL_FINITE_FROM(n, halfraw, __half2float(x), shift)                                      \
    KG__MODEL_FINITE_FROM(n, bfloat16raw, __bfloat162float(x), shift)                              \
    KG__MODEL_FINITE_PAIR(n, double2, double2, double, x.x, x.y, shift)                            \
    KG__MODEL_FINITE_PAIR(n, float2, float2, float, x.x, x.y, shift)                               \
    KG__MODEL_FINITE_PAIR(n, halfraw2, __half2_raw, halfraw, __half_raw{ x.x }, __half_raw{ x.y }, \
                          shift)                                                                   \
    KG__MODEL_FINITE_PAIR(n, bfloat16raw2, __nv_bfloat162_raw, bfloat16raw,                        \
                          __nv_bfloat16_raw{ x.x }, __nv_bfloat16_raw{ x.y }, shift)               \
    KG__MODEL_INLINE __half_raw __nv_cvt_fp##n##_to_halfraw(__nv_fp##n##_storage_t x,              \
                                                            __nv_fp##n##_interpretation_t format)  \
    {                                                                                              \
        static_cast<void>(format);                                                                 \
        return __float2half(to);                                                                   \
    }                                                                                              \
    KG__MODEL_INLINE __half2_raw __nv_cvt_fp##n##x2_to_halfraw2(                                   \
        __nv_fp##n##x2_storage_t x, __nv_fp##n##_interpretation_t format)                          \
    {                                                                                              \
        const __nv_fp##n##_storage_t low = static_cast<__nv_fp##n##_storage_t>(x);                 \
        const __nv_fp##n##_storage_t high = static_cast<__nv_fp##n##_storage_t>(x >> shift);       \
                                                                                                   \
        return __half2_raw{ __nv_cvt_fp##n##_to_halfraw(low, format).x,                            \
                            __nv_cvt_fp##n##_to_halfraw(high, format).x };                         \
    }
#define KG__MODEL_FINITE_TYPE_float float
#define KG__MODEL_FINITE_TYPE_halfraw __half_raw
#define KG__MODEL_FINITE_TYPE_bfloat16raw __nv_bfloat16_raw
#define KG__MODEL_FINITE_FROM(n, type, value, shift)                                               \
    KG__MODEL_INLINE __nv_fp##n##_storage_t __nv_cvt_##type##_to_fp##n(                            \
        KG__MODEL_FINITE_TYPE_##type x, __nv_fp##n##_interpretation_t format,                      \
        cudaRoundMode rounding)                                                                    \
    {                                                                                              \
        return __nv_cvt_double_to_fp##n(static_cast<double>(value), format, rounding);             \
    }
#define KG__MODEL_FINITE_PAIR(n, name, type, one, low, high, shift)                                \
    KG__MODEL_INLINE __nv_fp##n##x2_storage_t __nv_cvt_##name##_to_fp##n##x2(                      \
        type x, __nv_fp##n##_interpretation_t format, cudaRoundMode rounding)                      \
    {                                                                                              \
        return static_cast<__nv_fp##n##x2_storage_t>(                                              \
            __nv_cvt_##one##_to_fp##n(low, format, rounding) |                                     \
            __nv_cvt_##one##_to_fp##n(high, format, rounding) << shift);                           \
    }
KG__MODEL_FINITE(6,
                 format == __NV_E2M3 ? kg__model_e2m3::from(x, rounding)
                                     : kg__model_e3m2::from(x, rounding),
                 format == __NV_E2M3 ? kg__model_e2m3::to(x) : kg__model_e3m2::to(x), 8)
KG__MODEL_SMALL_TYPES(__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3, kg__model_e2m3,
                      __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)
KG__MODEL_SMALL_TYPES(__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2, kg__model_e3m2,
                      __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)
#undef KG__MODEL_INLINE

#endif
