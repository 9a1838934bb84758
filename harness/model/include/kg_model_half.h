/* A 16-bit floating-point type and its pair, with what CUDA offers for them. Included once by
 * cuda_fp16.h and once by cuda_bf16.h, which define KG__H, KG__H2 and their raw forms KG__RAW and
 * KG__RAW2, KG__FORMAT, and KG__NAME(before, after), which puts the type's name in between. */

struct __attribute__((aligned(2))) KG__H {
    unsigned short __x;

    KG__H() = default;
    constexpr KG__H(const KG__RAW &raw) : __x(raw.x)
    {
    }
    KG__MODEL_MEMBER KG__H(float value);
    KG__MODEL_MEMBER KG__H(double value);
#define KG__FROM(type)                                                                             \
    KG__MODEL_MEMBER KG__H(type value);                                                            \
    KG__MODEL_MEMBER KG__H &operator=(type value);                                                 \
    KG__MODEL_MEMBER operator type() const;
    KG__FROM(short)
    KG__FROM(unsigned short)
    KG__FROM(int)
    KG__FROM(unsigned int)
    KG__FROM(long)
    KG__FROM(unsigned long)
    KG__FROM(long long)
    KG__FROM(unsigned long long)
#undef KG__FROM
    KG__MODEL_MEMBER explicit KG__H(KG__OTHER value);
    KG__MODEL_MEMBER KG__H &operator=(const KG__RAW &raw);
    KG__MODEL_MEMBER volatile KG__H &operator=(const KG__RAW &raw) volatile;
    KG__MODEL_MEMBER KG__H &operator=(float value);
    KG__MODEL_MEMBER KG__H &operator=(double value);
    KG__MODEL_MEMBER operator KG__RAW() const;
    KG__MODEL_MEMBER operator KG__RAW() const volatile;
    KG__MODEL_MEMBER operator float() const;
    KG__MODEL_MEMBER operator char() const;
    KG__MODEL_MEMBER operator signed char() const;
    KG__MODEL_MEMBER operator unsigned char() const;
    constexpr operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};

/* Loaded and stored whole: its copies are the compiler's own. */
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

/* Of and to other floating-point types. */

/* Rounds once; every NaN becomes 0x7fff. */
KG__MODEL_INLINE KG__H KG__NAME(kg__model_round_to_, )(double value, kg__model_rounding rounding)
{
    const unsigned int sign = __builtin_bit_cast(uint64_t, value) >> 48 & 0x8000;

    if (value != value)
        return KG__NAME(__ushort_as_, )(0x7fff);
    return KG__NAME(__ushort_as_, )(
        static_cast<unsigned short>(sign | KG__FORMAT::round(value, rounding)));
}

KG__MODEL_INLINE float KG__NAME(__, 2float)(KG__H a)
{
    const unsigned int magnitude = a.__x & 0x7fff;

    if (magnitude > KG__FORMAT::largest)
        return __builtin_bit_cast(float, magnitude > KG__FORMAT::largest + 1
                                             ? KG__NAN_OF(a.__x)
                                             : 0x7f800000u | (a.__x & 0x8000u) << 16);
    return KG__FORMAT::widen(a.__x);
}

#define KG__ROUNDED(name, type, value)                                                             \
    KG__MODEL_INLINE KG__H KG__NAME(name, _rn)(type a)                                             \
    {                                                                                              \
        return KG__NAME(kg__model_round_to_, )(value, KG__MODEL_NEAREST);                          \
    }                                                                                              \
    KG__MODEL_INLINE KG__H KG__NAME(name, _rz)(type a)                                             \
    {                                                                                              \
        return KG__NAME(kg__model_round_to_, )(value, KG__MODEL_TO_ZERO);                          \
    }                                                                                              \
    KG__MODEL_INLINE KG__H KG__NAME(name, _rd)(type a)                                             \
    {                                                                                              \
        return KG__NAME(kg__model_round_to_, )(value, KG__MODEL_DOWN);                             \
    }                                                                                              \
    KG__MODEL_INLINE KG__H KG__NAME(name, _ru)(type a)                                             \
    {                                                                                              \
        return KG__NAME(kg__model_round_to_, )(value, KG__MODEL_UP);                               \
    }
KG__ROUNDED(__float2, float, static_cast<double>(a))

KG__MODEL_INLINE KG__H KG__NAME(__float2, )(float a)
{
    return KG__NAME(__float2, _rn)(a);
}

KG__MODEL_INLINE KG__H KG__NAME(__double2, )(double a)
{
    return KG__NAME(kg__model_round_to_, )(a, KG__MODEL_NEAREST);
}

/* Of and to integers: to them saturated, of them rounded once. */

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

/* Members. */

inline KG__H::KG__H(float value) : __x(KG__NAME(__float2, )(value).__x)
{
}
inline KG__H::KG__H(double value) : __x(KG__NAME(__double2, )(value).__x)
{
}
#define KG__FROM(type, from, to)                                                                   \
    inline KG__H::KG__H(type value) : __x(from(value).__x)                                         \
    {                                                                                              \
    }                                                                                              \
    inline KG__H &KG__H::operator=(type value)                                                     \
    {                                                                                              \
        __x = from(value).__x;                                                                     \
        return *this;                                                                              \
    }                                                                                              \
    inline KG__H::operator type() const                                                            \
    {                                                                                              \
        return to(*this);                                                                          \
    }
KG__FROM(short, KG__NAME(__short2, _rn), KG__NAME(__, 2short_rz))
KG__FROM(unsigned short, KG__NAME(__ushort2, _rn), KG__NAME(__, 2ushort_rz))
KG__FROM(int, KG__NAME(__int2, _rn), KG__NAME(__, 2int_rz))
KG__FROM(unsigned int, KG__NAME(__uint2, _rn), KG__NAME(__, 2uint_rz))
KG__FROM(long, KG__NAME(__ll2, _rn), KG__NAME(__, 2ll_rz))
KG__FROM(unsigned long, KG__NAME(__ull2, _rn), KG__NAME(__, 2ull_rz))
KG__FROM(long long, KG__NAME(__ll2, _rn), KG__NAME(__, 2ll_rz))
KG__FROM(unsigned long long, KG__NAME(__ull2, _rn), KG__NAME(__, 2ull_rz))
#undef KG__FROM
inline KG__H &KG__H::operator=(const KG__RAW &raw)
{
    __x = raw.x;
    return *this;
}
inline volatile KG__H &KG__H::operator=(const KG__RAW &raw) volatile
{
    __x = raw.x;
    return *this;
}
inline KG__H &KG__H::operator=(float value)
{
    __x = KG__NAME(__float2, )(value).__x;
    return *this;
}
inline KG__H &KG__H::operator=(double value)
{
    __x = KG__NAME(__double2, )(value).__x;
    return *this;
}
inline KG__H::operator KG__RAW() const
{
    return KG__RAW{ __x };
}
inline KG__H::operator KG__RAW() const volatile
{
    return KG__RAW{ __x };
}
inline KG__H::operator float() const
{
    return KG__NAME(__, 2float)(*this);
}
inline KG__H::operator signed char() const
{
    return KG__NAME(__, 2char_rz)(*this);
}
inline KG__H::operator unsigned char() const
{
    return KG__NAME(__, 2uchar_rz)(*this);
}
inline KG__H::operator char() const
{
    return static_cast<char>(KG__NAME(__, 2char_rz)(*this));
}

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
