/* SPDX-License-Identifier: MIT */
/* The types of floating-point formats of up to 8 bits, based on a format's conversions. Part of
 * cuda_fp8.h, cuda_fp6.h and cuda_fp4.h. */
#pragma once

#include "cuda_bf16.h"

#ifdef __cplusplus

#define KG__SMALL inline __attribute__((always_inline))
#define KG__FROM(type, value)                                                                      \
    KG__SMALL explicit kg__model_small(type f)                                                     \
        : __x(static_cast<unsigned char>(Format::from(value)))                                     \
    {                                                                                              \
    }
#define KG__TO(type, value)                                                                        \
    KG__SMALL explicit operator type() const                                                       \
    {                                                                                              \
        return value;                                                                              \
    }
#define KG__TO_INTEGER(type)                                                                       \
    KG__TO(type, kg__model_to_integer<type>(static_cast<float>(*this), KG__MODEL_TO_ZERO))
#define KG__INTEGER(type)                                                                          \
    KG__FROM(type, kg__model_exact_integer(f))                                                     \
    KG__TO_INTEGER(type)

/* One value; `Format` has from(double), from(float) if NaN of the two differ, to(bits), and the
 * number of bits between the values of a pair. */
template <typename Format>
struct kg__model_small {
    unsigned char __x;

    kg__model_small() = default;
    KG__FROM(__half, __half2float(f))
    KG__FROM(__nv_bfloat16, __bfloat162float(f))
    KG__FROM(float, f)
    KG__FROM(double, f)
    KG__TO(float, Format::to(__x))
    KG__TO(double, static_cast<double>(Format::to(__x)))
    KG__TO(__half, __float2half(Format::to(__x)))
    KG__TO(__nv_bfloat16, __float2bfloat16(Format::to(__x)))
    KG__TO(bool, Format::to(__x) != 0)
    KG__MODEL_NARROW_INTEGERS(KG__INTEGER, KG__TO_INTEGER)
};

/* Two values, the first in the low bits. */
template <typename Format, typename Storage>
struct kg__model_small2 {
    Storage __x;

    kg__model_small2() = default;
    KG__SMALL explicit kg__model_small2(double2 f)
        : __x(static_cast<Storage>(Format::from(f.x) | Format::from(f.y) << Format::shift))
    {
    }
    KG__SMALL explicit kg__model_small2(float2 f)
        : __x(static_cast<Storage>(Format::from(f.x) | Format::from(f.y) << Format::shift))
    {
    }
    KG__SMALL explicit kg__model_small2(__half2 f) : kg__model_small2(__half22float2(f))
    {
    }
    KG__SMALL explicit kg__model_small2(__nv_bfloat162 f) : kg__model_small2(__bfloat1622float2(f))
    {
    }
    KG__SMALL explicit operator float2() const
    {
        const unsigned int mask = (1u << Format::shift) - 1;

        return make_float2(Format::to(__x & mask),
                           Format::to(static_cast<unsigned int>(__x) >> Format::shift));
    }
    KG__SMALL explicit operator __half2() const
    {
        return __float22half2_rn(static_cast<float2>(*this));
    }
    KG__SMALL explicit operator __nv_bfloat162() const
    {
        return __float22bfloat162_rn(static_cast<float2>(*this));
    }
};

/* Four values. */
template <typename Format, typename Pair, typename Storage>
struct kg__model_small4 {
    Storage __x;

    kg__model_small4() = default;
    KG__SMALL kg__model_small4(Pair low, Pair high)
        : __x(static_cast<Storage>(low.__x | static_cast<Storage>(high.__x) << 2 * Format::shift))
    {
    }
    KG__SMALL explicit kg__model_small4(__half2 low, __half2 high)
        : kg__model_small4(Pair(low), Pair(high))
    {
    }
    KG__SMALL explicit kg__model_small4(__nv_bfloat162 low, __nv_bfloat162 high)
        : kg__model_small4(Pair(low), Pair(high))
    {
    }
    KG__SMALL explicit kg__model_small4(float4 f)
        : kg__model_small4(Pair(make_float2(f.x, f.y)), Pair(make_float2(f.z, f.w)))
    {
    }
    template <typename Double4, typename = decltype(Double4{}.w + 0.0)>
    KG__SMALL explicit kg__model_small4(Double4 f)
        : kg__model_small4(Pair(make_double2(f.x, f.y)), Pair(make_double2(f.z, f.w)))
    {
    }
    KG__SMALL explicit operator float4() const
    {
        Pair low, high;

        low.__x = static_cast<decltype(low.__x)>(__x & ((1u << 2 * Format::shift) - 1));
        high.__x =
            static_cast<decltype(low.__x)>(static_cast<unsigned int>(__x) >> 2 * Format::shift);
        const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);
        return make_float4(a.x, a.y, b.x, b.y);
    }
};

#define KG__MODEL_SMALL_TYPES(one, two, four, format, storage2, storage4)                          \
    struct one : kg__model_small<format> {                                                         \
        using kg__model_small<format>::kg__model_small;                                            \
        one() = default;                                                                           \
    };                                                                                             \
    struct two : kg__model_small2<format, storage2> {                                              \
        using kg__model_small2<format, storage2>::kg__model_small2;                                \
        two() = default;                                                                           \
    };                                                                                             \
    struct four : kg__model_small4<format, two, storage4> {                                        \
        using kg__model_small4<format, two, storage4>::kg__model_small4;                           \
        four() = default;                                                                          \
    };

#undef KG__INTEGER
#undef KG__TO_INTEGER
#undef KG__TO
#undef KG__FROM
#undef KG__SMALL

#endif
