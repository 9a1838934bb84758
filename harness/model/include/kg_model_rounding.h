/* SPDX-License-Identifier: MIT */
/* Conversions between numbers and arithmetic with an explicit rounding: _rn to the nearest, ties
 * to even, _rz toward zero, _ru up, _rd down. Part of cuda_runtime.h, which includes it. */
#pragma once

#include <fenv.h>
#include <limits>

/* Keeps the compiler from moving computation across a change of the rounding mode. */
template <typename Value>
KG__MODEL_INLINE Value kg__model_pin(Value x)
{
    __asm__ volatile("" : "+m"(x) : : "memory");
    return x;
}

#define KG__MODEL_PARAMETERS_1(type) type x
#define KG__MODEL_PARAMETERS_2(type) type x, type y
#define KG__MODEL_PARAMETERS_3(type) type x, type y, type z

#define KG__MODEL_NEAREST(name, result, count, type, expression)                                   \
    KG__MODEL_INLINE result name(KG__MODEL_PARAMETERS_##count(type))                               \
    {                                                                                              \
        return static_cast<result>(expression);                                                    \
    }
#define KG__MODEL_DIRECTED(name, mode, result, count, type, expression)                            \
    KG__MODEL_INLINE result name(KG__MODEL_PARAMETERS_##count(type))                               \
    {                                                                                              \
        (void)fesetround(mode);                                                                    \
        x = kg__model_pin(x);                                                                      \
        const result rounded = kg__model_pin(static_cast<result>(expression));                     \
        (void)fesetround(FE_TONEAREST);                                                            \
        return rounded;                                                                            \
    }
#define KG__MODEL_ROUNDED(stem, result, count, type, expression)                                   \
    KG__MODEL_NEAREST(stem##_rn, result, count, type, expression)                                  \
    KG__MODEL_DIRECTED(stem##_rz, FE_TOWARDZERO, result, count, type, expression)                  \
    KG__MODEL_DIRECTED(stem##_ru, FE_UPWARD, result, count, type, expression)                      \
    KG__MODEL_DIRECTED(stem##_rd, FE_DOWNWARD, result, count, type, expression)

KG__MODEL_ROUNDED(__fadd, float, 2, float, x + y)
KG__MODEL_ROUNDED(__fsub, float, 2, float, x - y)
KG__MODEL_ROUNDED(__fmul, float, 2, float, x *y)
KG__MODEL_ROUNDED(__fdiv, float, 2, float, x / y)
KG__MODEL_ROUNDED(__frcp, float, 1, float, 1.0f / x)
KG__MODEL_ROUNDED(__fsqrt, float, 1, float, sqrtf(x))
KG__MODEL_ROUNDED(__fmaf, float, 3, float, fmaf(x, y, z))
KG__MODEL_ROUNDED(__fmaf_ieee, float, 3, float, fmaf(x, y, z))
KG__MODEL_ROUNDED(__dadd, double, 2, double, x + y)
KG__MODEL_ROUNDED(__dsub, double, 2, double, x - y)
KG__MODEL_ROUNDED(__dmul, double, 2, double, x *y)
KG__MODEL_ROUNDED(__ddiv, double, 2, double, x / y)
KG__MODEL_ROUNDED(__drcp, double, 1, double, 1.0 / x)
KG__MODEL_ROUNDED(__dsqrt, double, 1, double, sqrt(x))
KG__MODEL_ROUNDED(__fma, double, 3, double, fma(x, y, z))
KG__MODEL_NEAREST(__frsqrt_rn, float, 1, float, 1.0 / sqrt(static_cast<double>(x)))

KG__MODEL_ROUNDED(__double2float, float, 1, double, x)
KG__MODEL_ROUNDED(__int2float, float, 1, int, x)
KG__MODEL_ROUNDED(__uint2float, float, 1, unsigned int, x)
KG__MODEL_ROUNDED(__ll2float, float, 1, long long, x)
KG__MODEL_ROUNDED(__ull2float, float, 1, unsigned long long, x)
KG__MODEL_ROUNDED(__ll2double, double, 1, long long, x)
KG__MODEL_ROUNDED(__ull2double, double, 1, unsigned long long, x)
KG__MODEL_NEAREST(__int2double_rn, double, 1, int, x)
KG__MODEL_NEAREST(__uint2double_rn, double, 1, unsigned int, x)

/* Returns a whole number as an integer, clamped to its range; NaN becomes, as on hardware, 0, or
 * only the top bit if either type has 64 bits. */
template <typename Integer, typename Real>
KG__MODEL_INLINE Integer kg__model_whole(Real x)
{
    const Integer most = std::numeric_limits<Integer>::max();
    const Integer least = std::numeric_limits<Integer>::min();
    const bool is_wide = sizeof(Integer) == 8 || sizeof(Real) == 8;

    if (isnan(x))
        return is_wide ? static_cast<Integer>(1ull << (8 * sizeof(Integer) - 1)) : 0;
    if (x >= static_cast<Real>(most))
        return most;
    return x <= static_cast<Real>(least) ? least : static_cast<Integer>(x);
}

#define KG__MODEL_TO_INTEGER(name, integer, real, suffix)                                          \
    KG__MODEL_NEAREST(name##_rn, integer, 1, real, kg__model_whole<integer>(rint##suffix(x)))      \
    KG__MODEL_NEAREST(name##_rz, integer, 1, real, kg__model_whole<integer>(trunc##suffix(x)))     \
    KG__MODEL_NEAREST(name##_ru, integer, 1, real, kg__model_whole<integer>(ceil##suffix(x)))      \
    KG__MODEL_NEAREST(name##_rd, integer, 1, real, kg__model_whole<integer>(floor##suffix(x)))
KG__MODEL_TO_INTEGER(__float2int, int, float, f)
KG__MODEL_TO_INTEGER(__float2uint, unsigned int, float, f)
KG__MODEL_TO_INTEGER(__float2ll, long long, float, f)
KG__MODEL_TO_INTEGER(__float2ull, unsigned long long, float, f)
KG__MODEL_TO_INTEGER(__double2int, int, double, )
KG__MODEL_TO_INTEGER(__double2uint, unsigned int, double, )
KG__MODEL_TO_INTEGER(__double2ll, long long, double, )
KG__MODEL_TO_INTEGER(__double2ull, unsigned long long, double, )
#undef KG__MODEL_TO_INTEGER

#define KG__MODEL_REINTERPRET(name, to, from)                                                      \
    KG__MODEL_NEAREST(name, to, 1, from, kg__model_as<to>(x))
KG__MODEL_REINTERPRET(__float_as_int, int, float)
KG__MODEL_REINTERPRET(__float_as_uint, unsigned int, float)
KG__MODEL_REINTERPRET(__int_as_float, float, int)
KG__MODEL_REINTERPRET(__uint_as_float, float, unsigned int)
KG__MODEL_REINTERPRET(__double_as_longlong, long long, double)
KG__MODEL_REINTERPRET(__longlong_as_double, double, long long)
#undef KG__MODEL_REINTERPRET

KG__MODEL_NEAREST(__double2hiint, int, 1, double, __double_as_longlong(x) >> 32)
KG__MODEL_NEAREST(__double2loint, int, 1, double, __double_as_longlong(x))
KG__MODEL_NEAREST(__hiloint2double, double, 2, int,
                  __longlong_as_double(static_cast<long long>(
                      static_cast<uint64_t>(static_cast<unsigned int>(x)) << 32 |
                      static_cast<unsigned int>(y))))

#undef KG__MODEL_ROUNDED
#undef KG__MODEL_DIRECTED
