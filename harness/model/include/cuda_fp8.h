/* SPDX-License-Identifier: MIT */
/* The CPU model's cuda_fp8.h: __nv_fp8_e4m3 and __nv_fp8_e5m2, their vectors of two and four,
 * and their conversions. Only storage, as in CUDA: arithmetic uses a wider type. */
#pragma once

#include "cuda_bf16.h"
#include "kg_model_small.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* Values beyond the greatest finite one become infinity (NaN in e4m3), or that value. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;

typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

typedef kg__model_format<8, 3, 7, 0x7e> kg__model_e4m3_format;
typedef kg__model_format<8, 2, 15, 0x7b> kg__model_e5m2_format;

/* From wider types, rounded to the nearest. */

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t format)
{
    const uint64_t bits = __builtin_bit_cast(uint64_t, x);
    const unsigned int sign = bits >> 56 & 0x80;
    const bool is_e4m3 = format == __NV_E4M3;
    const unsigned int largest =
        is_e4m3 ? kg__model_e4m3_format::largest : kg__model_e5m2_format::largest;
    unsigned int magnitude;

    if (x != x)
        magnitude = is_e4m3 ? 0x7f : 0x7e | (bits >> 50 & 1);
    else if (is_e4m3)
        magnitude = kg__model_e4m3_format::round(x, KG__MODEL_NEAREST);
    else
        magnitude = kg__model_e5m2_format::round(x, KG__MODEL_NEAREST);
    if (x == x && magnitude > largest && saturate == __NV_SATFINITE)
        magnitude = largest;
    return static_cast<__nv_fp8_storage_t>(sign | magnitude);
}

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t format)
{
    if (x != x)
        return 0x7f;
    return __nv_cvt_double_to_fp8(static_cast<double>(x), saturate, format);
}

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                            __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t format)
{
    return __nv_cvt_float_to_fp8(__half2float(x), saturate, format);
}

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                                __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t format)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(x), saturate, format);
}

#define KG__PAIR(name, type, how, one, low, high)                                                  \
    KG__MODEL_INLINE __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturate, how third)      \
    {                                                                                              \
        return static_cast<__nv_fp8x2_storage_t>(one(low, saturate, third) |                       \
                                                 one(high, saturate, third) << 8);                 \
    }
KG__PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_fp8_interpretation_t, __nv_cvt_double_to_fp8, x.x,
         x.y)
KG__PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_fp8_interpretation_t, __nv_cvt_float_to_fp8, x.x,
         x.y)
KG__PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_fp8_interpretation_t,
         __nv_cvt_halfraw_to_fp8, __half_raw{ x.x }, __half_raw{ x.y })
KG__PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_fp8_interpretation_t,
         __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{ x.x }, __nv_bfloat16_raw{ x.y })

/* To half, which represents every value of both formats. */

KG__MODEL_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                    __nv_fp8_interpretation_t format)
{
    const unsigned int magnitude = x & 0x7fu;

    if (magnitude > (format == __NV_E4M3 ? 0x7eu : 0x7cu))
        return __half_raw{ 0x7fff };
    if (format == __NV_E5M2)
        return __half_raw{ static_cast<unsigned short>(x << 8) };
    return __float2half(kg__model_e4m3_format::widen(x));
}

KG__MODEL_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                        __nv_fp8_interpretation_t format)
{
    return __half2_raw{
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), format).x,
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x
    };
}

/* Constructors saturate. */
template <__nv_fp8_interpretation_t Interpretation>
struct kg__model_fp8 {
    static constexpr int shift = 8;
    static inline __attribute__((always_inline)) unsigned int from(double x)
    {
        return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, Interpretation);
    }
    static inline __attribute__((always_inline)) unsigned int from(float x)
    {
        return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, Interpretation);
    }
    static inline __attribute__((always_inline)) float to(unsigned int x)
    {
        return __half2float(
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), Interpretation));
    }
};
KG__MODEL_SMALL_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, kg__model_fp8<__NV_E4M3>,
                      __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)
KG__MODEL_SMALL_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, kg__model_fp8<__NV_E5M2>,
                      __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)

/* Scaling factors: powers of two from 2^-127 to 2^127, and NaN. */

/* Rounded toward zero or up, regardless of the sign. Finite values never become NaN when rounded
 * toward zero. */
KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                            cudaRoundMode rounding)
{
    const double magnitude = __builtin_fabs(x);
    const uint64_t bits = __builtin_bit_cast(uint64_t, magnitude);
    int exponent = static_cast<int>(bits >> 52) - 1023 + 127;

    if (x != x)
        return 0xff;
    if (magnitude <= 0x1p-127)
        return 0;
    if (exponent > 254 && magnitude < __builtin_inf() && rounding == cudaRoundZero)
        exponent = 254;
    if (rounding == cudaRoundPosInf && (bits & 0xfffffffffffff) != 0)
        exponent++;
    if (exponent > 254)
        exponent = saturate == __NV_SATFINITE ? 254 : 255;
    return static_cast<__nv_fp8_storage_t>(exponent > 0 ? exponent : 0);
}

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                           cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0(static_cast<double>(x), saturate, rounding);
}

KG__MODEL_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                                 __nv_saturation_t saturate,
                                                                 cudaRoundMode rounding)
{
    return __nv_cvt_float_to_e8m0(__bfloat162float(x), saturate, rounding);
}

KG__PAIR(__nv_cvt_double2_to_e8m0x2, double2, cudaRoundMode, __nv_cvt_double_to_e8m0, x.x, x.y)
KG__PAIR(__nv_cvt_float2_to_e8m0x2, float2, cudaRoundMode, __nv_cvt_float_to_e8m0, x.x, x.y)
KG__PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, cudaRoundMode,
         __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{ x.x }, __nv_bfloat16_raw{ x.y })
#undef KG__PAIR

KG__MODEL_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    return __nv_bfloat16_raw{ static_cast<unsigned short>(x == 0xff ? 0x7fff
                                                          : x == 0  ? 0x40
                                                                    : x << 7) };
}

KG__MODEL_INLINE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return __nv_bfloat162_raw{
        __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x,
        __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x >> 8)).x
    };
}

/* Constructors round up. */
struct kg__model_e8m0 {
    static constexpr int shift = 8;
    static inline __attribute__((always_inline)) unsigned int from(double x)
    {
        return __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
    }
    static inline __attribute__((always_inline)) float to(unsigned int x)
    {
        return __bfloat162float(__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)));
    }
};
KG__MODEL_SMALL_TYPES(__nv_fp8_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_e8m0, kg__model_e8m0,
                      __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)

#undef KG__MODEL_INLINE

#endif
