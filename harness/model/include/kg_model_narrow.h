/* SPDX-License-Identifier: MIT */
/* Floating-point formats of 8 and 16 bits: conversion of their bits to float and, correctly
 * rounded, back. Part of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h, which include it. */
#pragma once

#include "cuda_runtime.h"

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

typedef enum kg__model_rounding {
    KG__MODEL_NEAREST,
    KG__MODEL_TO_ZERO,
    KG__MODEL_DOWN,
    KG__MODEL_UP
} kg__model_rounding;

/* Applies `both` to each integer type that a format converts from and to, and `to` to the
 * others. */
#define KG__MODEL_NARROW_INTEGERS(both, to)                                                        \
    both(short) both(unsigned short) both(int) both(unsigned int) both(long) both(unsigned long)   \
        both(long long) both(unsigned long long) to(char) to(signed char) to(unsigned char)

/* A format of `Width` bits, `Fraction` of them after the implicit one, whose greatest finite
 * value has the bits `Largest`. The next value is infinity, or NaN in a format without infinity. */
template <int Width, int Fraction, int Bias, unsigned int Largest>
struct kg__model_format {
    static constexpr unsigned int largest = Largest;
    static constexpr unsigned int sign = 1u << (Width - 1);

    /* Returns the value of `bits`, which are neither infinite nor NaN. Subnormal numbers use a
     * product, so that no subnormal float occurs, which some processor modes read as 0. */
    static inline __attribute__((always_inline)) constexpr float widen(unsigned int bits)
    {
        const unsigned int magnitude = bits & (sign - 1);
        const bool is_subnormal = magnitude >> Fraction == 0;
        float value = 0;

        if constexpr (Bias == 127)
            value = __builtin_bit_cast(float, magnitude << (23 - Fraction));
        else if (is_subnormal)
            value = static_cast<float>(magnitude) *
                    __builtin_bit_cast(float, (128u - Bias - Fraction) << 23);
        else
            value =
                __builtin_bit_cast(float, (magnitude << (23 - Fraction)) + ((127u - Bias) << 23));
        return (bits & sign) != 0 ? -value : value;
    }

    /* Returns the bits of `value`, which is not NaN, without its sign. */
    static inline __attribute__((always_inline)) constexpr unsigned int
    round(double value, kg__model_rounding rounding)
    {
        const uint64_t all = __builtin_bit_cast(uint64_t, value);
        const bool negative = all >> 63 != 0;
        const int raised = static_cast<int>(all >> 52 & 0x7ff) - 1023;
        const int exponent = raised < 1 - Bias ? 1 - Bias : raised;
        const uint64_t significand =
            (all & 0xfffffffffffff) | (raised > -1023 ? UINT64_C(1) << 52 : 0);
        const int cut = 52 - Fraction + exponent - raised;
        const int drop = cut < 63 ? cut : 63;
        const uint64_t rest = significand & ((UINT64_C(1) << drop) - 1);
        const uint64_t tie = UINT64_C(1) << (drop - 1);
        const uint64_t kept = significand >> drop;
        const bool away = rounding == KG__MODEL_NEAREST ? rest > tie || (rest == tie && (kept & 1))
                          : rounding == KG__MODEL_DOWN  ? rest != 0 && negative
                          : rounding == KG__MODEL_UP    ? rest != 0 && !negative
                                                        : false;
        /* A carry out of the fraction correctly increments the exponent. */
        const uint64_t bits =
            (static_cast<uint64_t>(exponent + Bias - 1) << Fraction) + kept + (away ? 1 : 0);
        const bool finite_beyond = rounding == KG__MODEL_TO_ZERO ||
                                   (rounding == KG__MODEL_DOWN && !negative) ||
                                   (rounding == KG__MODEL_UP && negative);

        if (bits <= Largest)
            return static_cast<unsigned int>(bits);
        return finite_beyond && raised < 1024 ? Largest : Largest + 1;
    }
};

/* Returns `value`, an exact sum or product of two terms except for `error`, as a number that
 * later rounding to fewer bits treats like the exact one: if bits are lost, the last one is odd. */
KG__MODEL_INLINE double kg__model_round_to_odd(double value, double error)
{
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    const bool outward = (error < 0) == (value < 0);

    if (error == 0 || !(__builtin_fabs(value) < __builtin_inf()) || (bits & 1))
        return value;
    return __builtin_bit_cast(double, outward ? bits + 1 : bits - 1);
}

/* Returns a * b + c of numbers whose products are exact in double, ready for one rounding to at
 * most 51 bits. */
KG__MODEL_INLINE double kg__model_exact_fma(double a, double b, double c)
{
    const double product = a * b;
    const double sum = product + c;
    const double from_c = sum - product;

    return kg__model_round_to_odd(sum, (product - (sum - from_c)) + (c - from_c));
}

/* Returns an integer as a double that later rounding to fewer bits treats like the integer. */
template <typename Integer>
KG__MODEL_INLINE double kg__model_exact_integer(Integer value)
{
    const bool negative = value < Integer{};
    const unsigned long long bits = static_cast<unsigned long long>(value);
    const unsigned long long magnitude = negative ? 0 - bits : bits;
    /* An integer that does not fit keeps 52 bits; the last is set if any lost bit was. */
    const unsigned long long kept =
        magnitude >> 53 == 0 ? magnitude
                             : (magnitude & ~0xfffULL) | (magnitude & 0xfff ? 0x1000 : 0);

    return negative ? -static_cast<double>(kept) : static_cast<double>(kept);
}

/* Returns a value as an integer of `bits` bits, saturated; NaN is 0, or 2^63 as bits if the integer
 * has 64. */
KG__MODEL_INLINE unsigned long long kg__model_saturated(float value, kg__model_rounding rounding,
                                                        int bits, bool is_signed)
{
    const float whole = rounding == KG__MODEL_NEAREST ? __builtin_rintf(value)
                        : rounding == KG__MODEL_DOWN  ? __builtin_floorf(value)
                        : rounding == KG__MODEL_UP    ? __builtin_ceilf(value)
                                                      : __builtin_truncf(value);
    /* Both bounds are powers of two: the second is the first value that does not fit. */
    const float least = is_signed ? -__builtin_ldexpf(1, bits - 1) : 0.0f;
    const float beyond = __builtin_ldexpf(1, bits - (is_signed ? 1 : 0));
    const unsigned long long most = ~0ULL >> (64 - bits);

    if (value != value)
        return bits == 64 ? 1ULL << 63 : 0;
    if (whole < least)
        return is_signed ? 1ULL << (bits - 1) : 0;
    if (whole >= beyond)
        return is_signed ? most >> 1 : most;
    return whole < 0 ? static_cast<unsigned long long>(static_cast<long long>(whole))
                     : static_cast<unsigned long long>(whole);
}

/* The same as one of a type. */
template <typename Integer>
KG__MODEL_INLINE Integer kg__model_to_integer(float value, kg__model_rounding rounding)
{
    return static_cast<Integer>(
        kg__model_saturated(value, rounding, 8 * sizeof(Integer), std::is_signed<Integer>::value));
}

#undef KG__MODEL_INLINE
