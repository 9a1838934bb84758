/* SPDX-License-Identifier: MIT */
/* A 16-bit floating-point type and its pair, with CUDA's functions for them. Included once by
 * cuda_fp16.h and once by cuda_bf16.h, which define KG__H, KG__H2 and their raw forms KG__RAW
 * and KG__RAW2, KG__FORMAT, and KG__NAME(before, after), which puts the type's name in between. */

/* Returns the bits of a value, rounded once; every NaN becomes 0x7fff. */
KG__MODEL_INLINE unsigned short KG__NAME(kg__model_, _bits)(double value,
                                                            kg__model_rounding rounding)
{
    const unsigned int sign = __builtin_bit_cast(uint64_t, value) >> 48 & 0x8000;

    return static_cast<unsigned short>(value != value ? 0x7fff
                                                      : sign | KG__FORMAT::round(value, rounding));
}

/* Returns the value with these bits. */
KG__MODEL_INLINE float KG__NAME(kg__model_, _value)(unsigned int bits)
{
    const unsigned int magnitude = bits & 0x7fff;

    if (magnitude > KG__FORMAT::largest + 1)
        return __builtin_bit_cast(float, KG__NAN_OF(bits));
    if (magnitude > KG__FORMAT::largest)
        return __builtin_bit_cast(float, 0x7f800000u | (bits & 0x8000u) << 16);
    return KG__FORMAT::widen(bits);
}

struct __attribute__((aligned(2))) KG__H {
    unsigned short __x;

    KG__H() = default;
    constexpr KG__H(const KG__RAW &raw) : __x(raw.x)
    {
    }
    KG__MODEL_MEMBER explicit KG__H(KG__OTHER value);
#define KG__FROM(type, value)                                                                      \
    KG__MODEL_MEMBER KG__H(type a) : __x(KG__NAME(kg__model_, _bits)(value, KG__MODEL_NEAREST))    \
    {                                                                                              \
    }                                                                                              \
    KG__MODEL_MEMBER KG__H &operator=(type a)                                                      \
    {                                                                                              \
        __x = KG__NAME(kg__model_, _bits)(value, KG__MODEL_NEAREST);                               \
        return *this;                                                                              \
    }
#define KG__TO(type, value)                                                                        \
    KG__MODEL_MEMBER operator type() const                                                         \
    {                                                                                              \
        return value;                                                                              \
    }
#define KG__TO_INTEGER(type)                                                                       \
    KG__TO(type, kg__model_to_integer<type>(KG__NAME(kg__model_, _value)(__x), KG__MODEL_TO_ZERO))
#define KG__INTEGER(type)                                                                          \
    KG__FROM(type, kg__model_exact_integer(a))                                                     \
    KG__TO_INTEGER(type)
    KG__FROM(float, static_cast<double>(a))
    KG__FROM(double, a)
    KG__MODEL_NARROW_INTEGERS(KG__INTEGER, KG__TO_INTEGER)
    KG__TO(float, KG__NAME(kg__model_, _value)(__x))
    KG__TO(KG__RAW, KG__RAW{ __x })
#undef KG__INTEGER
#undef KG__TO_INTEGER
#undef KG__TO
#undef KG__FROM
    KG__MODEL_MEMBER operator KG__RAW() const volatile
    {
        return KG__RAW{ __x };
    }
    KG__MODEL_MEMBER KG__H &operator=(const KG__RAW &raw)
    {
        __x = raw.x;
        return *this;
    }
    KG__MODEL_MEMBER volatile KG__H &operator=(const KG__RAW &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    constexpr operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};

/* Copied as a whole by the compiler, so that loads and stores are single accesses. */
struct __attribute__((aligned(4))) KG__H2 {
    KG__H x;
    KG__H y;

    KG__H2() = default;
    constexpr KG__H2(const KG__H &low, const KG__H &high) : x(low), y(high)
    {
    }
    constexpr KG__H2(const KG__RAW2 &raw) : x(KG__RAW{ raw.x }), y(KG__RAW{ raw.y })
    {
    }
    KG__MODEL_MEMBER operator KG__RAW2() const
    {
        return KG__RAW2{ x.__x, y.__x };
    }
};

/* Bits. */

KG__MODEL_INLINE KG__H KG__NAME(__ushort_as_, )(unsigned short bits)
{
    return KG__H(KG__RAW{ bits });
}

KG__MODEL_INLINE KG__H KG__NAME(__short_as_, )(short bits)
{
    return KG__NAME(__ushort_as_, )(static_cast<unsigned short>(bits));
}

KG__MODEL_INLINE unsigned short KG__NAME(__, _as_ushort)(KG__H a)
{
    return a.__x;
}

KG__MODEL_INLINE short KG__NAME(__, _as_short)(KG__H a)
{
    return static_cast<short>(a.__x);
}

KG__MODEL_INLINE bool __hisnan(KG__H a)
{
    return (a.__x & 0x7fff) > KG__FORMAT::largest + 1;
}

/* Conversions with other floating-point types. */

KG__MODEL_INLINE float KG__NAME(__, 2float)(KG__H a)
{
    return KG__NAME(kg__model_, _value)(a.__x);
}

/* The functions of the four rounding modes. */
#define KG__ROUNDED_AS(name, type, value, rounding)                                                \
    KG__MODEL_INLINE KG__H name(type a)                                                            \
    {                                                                                              \
        return KG__H(KG__RAW{ KG__NAME(kg__model_, _bits)(value, rounding) });                     \
    }
#define KG__ROUNDED(name, type, value)                                                             \
    KG__ROUNDED_AS(KG__NAME(name, _rn), type, value, KG__MODEL_NEAREST)                            \
    KG__ROUNDED_AS(KG__NAME(name, _rz), type, value, KG__MODEL_TO_ZERO)                            \
    KG__ROUNDED_AS(KG__NAME(name, _rd), type, value, KG__MODEL_DOWN)                               \
    KG__ROUNDED_AS(KG__NAME(name, _ru), type, value, KG__MODEL_UP)
KG__ROUNDED(__float2, float, static_cast<double>(a))

KG__ROUNDED_AS(KG__NAME(__float2, ), float, static_cast<double>(a), KG__MODEL_NEAREST)
KG__ROUNDED_AS(KG__NAME(__double2, ), double, a, KG__MODEL_NEAREST)

/* Conversions with integers: saturated to an integer, rounded once from one. */

#define KG__INTEGER(name, type)                                                                    \
    KG__ROUNDED(__##name##2, type, kg__model_exact_integer(a))                                     \
    KG__TO_INTEGER(name, type, _rn, KG__MODEL_NEAREST)                                             \
    KG__TO_INTEGER(name, type, _rz, KG__MODEL_TO_ZERO)                                             \
    KG__TO_INTEGER(name, type, _rd, KG__MODEL_DOWN)                                                \
    KG__TO_INTEGER(name, type, _ru, KG__MODEL_UP)
#define KG__TO_INTEGER(name, type, suffix, rounding)                                               \
    KG__MODEL_INLINE type KG__NAME(__, 2##name##suffix)(KG__H a)                                   \
    {                                                                                              \
        return kg__model_to_integer<type>(KG__NAME(__, 2float)(a), rounding);                      \
    }
KG__INTEGER(short, short)
KG__INTEGER(ushort, unsigned short)
KG__INTEGER(int, int)
KG__INTEGER(uint, unsigned int)
KG__INTEGER(ll, long long)
KG__INTEGER(ull, unsigned long long)
KG__TO_INTEGER(char, signed char, _rz, KG__MODEL_TO_ZERO)
KG__TO_INTEGER(uchar, unsigned char, _rz, KG__MODEL_TO_ZERO)
#undef KG__TO_INTEGER
#undef KG__INTEGER
#undef KG__ROUNDED
#undef KG__ROUNDED_AS

/* Pairs. */

#define KG__PAIR(name, parameters, low, high)                                                      \
    KG__MODEL_INLINE KG__H2 name parameters                                                        \
    {                                                                                              \
        return KG__H2(low, high);                                                                  \
    }
KG__PAIR(KG__NAME(make_, 2), (KG__H low, KG__H high), low, high)
KG__PAIR(KG__NAME(__halves2, 2), (KG__H low, KG__H high), low, high)
KG__PAIR(KG__BOTH, (KG__H a), a, a)
KG__PAIR(KG__NAME(__low2, 2), (KG__H2 a), a.x, a.x)
KG__PAIR(KG__NAME(__high2, 2), (KG__H2 a), a.y, a.y)
KG__PAIR(KG__NAME(__lows2, 2), (KG__H2 a, KG__H2 b), a.x, b.x)
KG__PAIR(KG__NAME(__highs2, 2), (KG__H2 a, KG__H2 b), a.y, b.y)
KG__PAIR(__lowhigh2highlow, (KG__H2 a), a.y, a.x)
KG__PAIR(KG__NAME(__float2, 2_rn), (float a), KG__NAME(__float2, )(a), KG__NAME(__float2, )(a))
KG__PAIR(KG__NAME(__floats2, 2_rn), (float a, float b), KG__NAME(__float2, )(a),
         KG__NAME(__float2, )(b))
KG__PAIR(KG__NAME(__float22, 2_rn), (float2 a), KG__NAME(__float2, )(a.x),
         KG__NAME(__float2, )(a.y))

KG__MODEL_INLINE float2 KG__NAME(__, 22float2)(KG__H2 a)
{
    return make_float2(KG__NAME(__, 2float)(a.x), KG__NAME(__, 2float)(a.y));
}

KG__MODEL_INLINE float __low2float(KG__H2 a)
{
    return KG__NAME(__, 2float)(a.x);
}

KG__MODEL_INLINE float __high2float(KG__H2 a)
{
    return KG__NAME(__, 2float)(a.y);
}

KG__MODEL_INLINE KG__H KG__NAME(__low2, )(KG__H2 a)
{
    return a.x;
}

KG__MODEL_INLINE KG__H KG__NAME(__high2, )(KG__H2 a)
{
    return a.y;
}

#include "kg_model_half_math.h"

#undef KG__H
#undef KG__H2
#undef KG__RAW
#undef KG__RAW2
#undef KG__OTHER
#undef KG__FORMAT
#undef KG__NAN_OF
#undef KG__BOTH
#undef KG__NAME
