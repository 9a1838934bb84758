/* The CPU model's cuda_fp8.h: __nv_fp8_e4m3 and __nv_fp8_e5m2, their vectors of two and four, and
 * their conversions. Storage alone, as in CUDA: arithmetic is done in a wider type. */
#ifndef KG__MODEL_CUDA_FP8_H
#define KG__MODEL_CUDA_FP8_H

#include "cuda_bf16.h"
#include "kg_model_small.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* Beyond the greatest finite value: infinity (NaN in e4m3), or that value. */
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

#define KG__PAIR(name, type, one, low, high)                                                       \
    KG__MODEL_INLINE __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturate,                 \
                                               __nv_fp8_interpretation_t format)                   \
    {                                                                                              \
        return static_cast<__nv_fp8x2_storage_t>(one(low, saturate, format) |                      \
                                                 one(high, saturate, format) << 8);                \
    }
KG__PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, x.x, x.y)
KG__PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, x.x, x.y)
KG__PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{ x.x },
         __half_raw{ x.y })
KG__PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
         __nv_bfloat16_raw{ x.x }, __nv_bfloat16_raw{ x.y })
#undef KG__PAIR

/* To half, which has every value of both formats. */

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

/* The types, by format. Their constructors saturate. */

#define KG__FROM(class, type, convert, value)                                                      \
    inline __attribute__((always_inline)) explicit class(type f)                                   \
        : __x(convert(value, __NV_SATFINITE, Format))                                              \
    {                                                                                              \
    }
#define KG__TO(type, value)                                                                        \
    inline __attribute__((always_inline)) explicit operator type() const                           \
    {                                                                                              \
        return value;                                                                              \
    }
#define KG__TO_INTEGER(type)                                                                       \
    KG__TO(type, kg__model_to_integer<type>(static_cast<float>(*this), KG__MODEL_TO_ZERO))
#define KG__INTEGER(type)                                                                          \
    KG__FROM(kg__model_fp8, type, __nv_cvt_double_to_fp8, kg__model_exact_integer(f))              \
    KG__TO_INTEGER(type)

template <__nv_fp8_interpretation_t Format>
struct kg__model_fp8 {
    __nv_fp8_storage_t __x;

    kg__model_fp8() = default;
    KG__FROM(kg__model_fp8, __half, __nv_cvt_halfraw_to_fp8, f)
    KG__FROM(kg__model_fp8, __nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8, f)
    KG__FROM(kg__model_fp8, float, __nv_cvt_float_to_fp8, f)
    KG__FROM(kg__model_fp8, double, __nv_cvt_double_to_fp8, f)
    KG__TO(__half, __half(__nv_cvt_fp8_to_halfraw(__x, Format)))
    KG__TO(float, __half2float(static_cast<__half>(*this)))
    KG__TO(double, static_cast<double>(static_cast<float>(*this)))
    KG__TO(__nv_bfloat16, __float2bfloat16(static_cast<float>(*this)))
    KG__TO(bool, (__x & 0x7f) != 0)
    KG__INTEGER(short)
    KG__INTEGER(unsigned short)
    KG__INTEGER(int)
    KG__INTEGER(unsigned int)
    KG__INTEGER(long)
    KG__INTEGER(unsigned long)
    KG__INTEGER(long long)
    KG__INTEGER(unsigned long long)
    KG__TO_INTEGER(char)
    KG__TO_INTEGER(signed char)
    KG__TO_INTEGER(unsigned char)
};

template <__nv_fp8_interpretation_t Format>
struct kg__model_fp8x2 {
    __nv_fp8x2_storage_t __x;

    kg__model_fp8x2() = default;
    KG__FROM(kg__model_fp8x2, __half2, __nv_cvt_halfraw2_to_fp8x2, f)
    KG__FROM(kg__model_fp8x2, __nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2, f)
    KG__FROM(kg__model_fp8x2, float2, __nv_cvt_float2_to_fp8x2, f)
    KG__FROM(kg__model_fp8x2, double2, __nv_cvt_double2_to_fp8x2, f)
    KG__TO(__half2, __half2(__nv_cvt_fp8x2_to_halfraw2(__x, Format)))
    KG__TO(float2, __half22float2(static_cast<__half2>(*this)))
};

#define KG__FROM_PAIRS(parameters, pair, low, high)                                                \
    inline __attribute__((always_inline)) explicit kg__model_fp8x4 parameters                      \
        : __x(kg__model_fp8x2<Format>(pair low).__x |                                              \
              static_cast<__nv_fp8x4_storage_t>(kg__model_fp8x2<Format>(pair high).__x) << 16)     \
    {                                                                                              \
    }

template <__nv_fp8_interpretation_t Format>
struct kg__model_fp8x4 {
    __nv_fp8x4_storage_t __x;

    kg__model_fp8x4() = default;
    KG__FROM_PAIRS((__half2 low, __half2 high), , low, high)
    KG__FROM_PAIRS((__nv_bfloat162 low, __nv_bfloat162 high), , low, high)
    KG__FROM_PAIRS((float4 f), make_float2, (f.x, f.y), (f.z, f.w))
    KG__FROM_PAIRS((double4 f), make_double2, (f.x, f.y), (f.z, f.w))
    inline __attribute__((always_inline)) explicit operator float4() const
    {
        kg__model_fp8x2<Format> part;

        part.__x = static_cast<__nv_fp8x2_storage_t>(__x);
        const float2 low = static_cast<float2>(part);
        part.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
        const float2 high = static_cast<float2>(part);
        return make_float4(low.x, low.y, high.x, high.y);
    }
};

#define KG__TYPE(name, base, format)                                                               \
    struct name : base<format> {                                                                   \
        using base<format>::base;                                                                  \
        name() = default;                                                                          \
    };
KG__TYPE(__nv_fp8_e4m3, kg__model_fp8, __NV_E4M3)
KG__TYPE(__nv_fp8_e5m2, kg__model_fp8, __NV_E5M2)
KG__TYPE(__nv_fp8x2_e4m3, kg__model_fp8x2, __NV_E4M3)
KG__TYPE(__nv_fp8x2_e5m2, kg__model_fp8x2, __NV_E5M2)
KG__TYPE(__nv_fp8x4_e4m3, kg__model_fp8x4, __NV_E4M3)
KG__TYPE(__nv_fp8x4_e5m2, kg__model_fp8x4, __NV_E5M2)

#undef KG__TYPE
#undef KG__FROM_PAIRS
#undef KG__INTEGER
#undef KG__TO_INTEGER
#undef KG__TO
#undef KG__FROM
/* Scaling factors: powers of two from 2^-127 to 2^127, and NaN. */

/* Rounded to zero or up, whatever the sign. What is finite does not round to zero as NaN. */
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

#define KG__PAIR(name, type, one, low, high)                                                       \
    KG__MODEL_INLINE __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturate,                 \
                                               cudaRoundMode rounding)                             \
    {                                                                                              \
        return static_cast<__nv_fp8x2_storage_t>(one(low, saturate, rounding) |                    \
                                                 one(high, saturate, rounding) << 8);              \
    }
KG__PAIR(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, x.x, x.y)
KG__PAIR(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, x.x, x.y)
KG__PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_e8m0,
         __nv_bfloat16_raw{ x.x }, __nv_bfloat16_raw{ x.y })
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
#endif
