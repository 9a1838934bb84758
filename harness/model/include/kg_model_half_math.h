/* SPDX-License-Identifier: MIT */
/* Arithmetic, comparisons and shuffles of the 16-bit type of kg_model_half.h, which includes this.
 *
 * Each operation rounds once: sums, products, quotients and roots of such numbers round correctly
 * when computed in double, which has more than twice their bits. */

/* Arithmetic. The parameters are numbers a, b and c; the expression is a double, rounded to the
 * nearest. */

/* Returns a value as a double. */
KG__MODEL_INLINE double kg__model_double(KG__H a)
{
    return static_cast<double>(KG__NAME(__, 2float)(a));
}

#define KG__UNARY(name, name2, expression)                                                         \
    KG__MODEL_INLINE KG__H name(KG__H of_a)                                                        \
    {                                                                                              \
        const double a = kg__model_double(of_a);                                                   \
                                                                                                   \
        return KG__NAME(__double2, )(expression);                                                  \
    }                                                                                              \
    KG__PAIR(name2, (KG__H2 a), name(a.x), name(a.y))
KG__UNARY(hceil, h2ceil, __builtin_ceil(a))
KG__UNARY(hfloor, h2floor, __builtin_floor(a))
KG__UNARY(hrint, h2rint, __builtin_rint(a))
KG__UNARY(htrunc, h2trunc, __builtin_trunc(a))
KG__UNARY(hsqrt, h2sqrt, __builtin_sqrt(a))
KG__UNARY(hrsqrt, h2rsqrt, 1 / __builtin_sqrt(a))
KG__UNARY(hrcp, h2rcp, 1 / a)
KG__UNARY(hexp, h2exp, ::exp(a))
KG__UNARY(hexp2, h2exp2, ::exp2(a))
KG__UNARY(hexp10, h2exp10, ::exp10(a))
KG__UNARY(hlog, h2log, ::log(a))
KG__UNARY(hlog2, h2log2, ::log2(a))
KG__UNARY(hlog10, h2log10, ::log10(a))
KG__UNARY(hsin, h2sin, ::sin(a))
KG__UNARY(hcos, h2cos, ::cos(a))
KG__UNARY(htanh, h2tanh, ::tanh(a))
KG__UNARY(htanh_approx, h2tanh_approx, ::tanh(a))
#undef KG__UNARY

#define KG__BINARY(name, name2, expression)                                                        \
    KG__MODEL_INLINE KG__H name(KG__H of_a, KG__H of_b)                                            \
    {                                                                                              \
        const double a = kg__model_double(of_a);                                                   \
        const double b = kg__model_double(of_b);                                                   \
                                                                                                   \
        return KG__NAME(__double2, )(expression);                                                  \
    }                                                                                              \
    KG__PAIR(name2, (KG__H2 a, KG__H2 b), name(a.x, b.x), name(a.y, b.y))
#define KG__TERNARY(name, name2, expression)                                                       \
    KG__MODEL_INLINE KG__H name(KG__H of_a, KG__H of_b, KG__H of_c)                                \
    {                                                                                              \
        const double sum = kg__model_exact_fma(kg__model_double(of_a), kg__model_double(of_b),     \
                                               kg__model_double(of_c));                            \
                                                                                                   \
        return KG__NAME(__double2, )(expression);                                                  \
    }                                                                                              \
    KG__PAIR(name2, (KG__H2 a, KG__H2 b, KG__H2 c), name(a.x, b.x, c.x), name(a.y, b.y, c.y))
KG__BINARY(__hadd, __hadd2, a + b)
KG__BINARY(__hsub, __hsub2, a - b)
KG__BINARY(__hmul, __hmul2, a *b)
KG__BINARY(__hdiv, __h2div, a / b)
KG__BINARY(__hadd_rn, __hadd2_rn, a + b)
KG__BINARY(__hsub_rn, __hsub2_rn, a - b)
KG__BINARY(__hmul_rn, __hmul2_rn, a *b)
KG__BINARY(__hadd_sat, __hadd2_sat, kg__model_saturate(a + b))
KG__BINARY(__hsub_sat, __hsub2_sat, kg__model_saturate(a - b))
KG__BINARY(__hmul_sat, __hmul2_sat, kg__model_saturate(a *b))
KG__TERNARY(__hfma, __hfma2, sum)
KG__TERNARY(__hfma_sat, __hfma2_sat, kg__model_saturate(sum))
KG__TERNARY(__hfma_relu, __hfma2_relu, sum < 0 ? 0 : sum)
#undef KG__TERNARY
#undef KG__BINARY

KG__MODEL_INLINE KG__H __hneg(KG__H a)
{
    return KG__NAME(__ushort_as_, )(__hisnan(a) ? 0x7fff : a.__x ^ 0x8000);
}

KG__MODEL_INLINE KG__H __habs(KG__H a)
{
    return KG__NAME(__ushort_as_, )(__hisnan(a) ? 0x7fff : a.__x & 0x7fff);
}

KG__PAIR(__hneg2, (KG__H2 a), __hneg(a.x), __hneg(a.y))
KG__PAIR(__habs2, (KG__H2 a), __habs(a.x), __habs(a.y))

/* Returns the complex product of a and b, plus c; real parts are low. */
KG__MODEL_INLINE KG__H2 __hcmadd(KG__H2 a, KG__H2 b, KG__H2 c)
{
    const KG__H real = __hfma(a.x, b.x, c.x);
    const KG__H imaginary = __hfma(a.x, b.y, c.y);

    return KG__H2(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));
}

/* Comparisons. Those with u also hold if an operand is NaN; those of pairs return 1 or 0, or a
 * mask. */

KG__MODEL_INLINE int __hisinf(KG__H a)
{
    if ((a.__x & 0x7fff) != KG__FORMAT::largest + 1)
        return 0;
    return (a.__x & 0x8000) != 0 ? -1 : 1;
}

/* Returns 1 or 0. */
KG__MODEL_INLINE KG__H KG__NAME(kg__model_truth_, )(bool value)
{
    return KG__NAME(__float2, )(value ? 1.0f : 0.0f);
}

KG__PAIR(__hisnan2, (KG__H2 a), KG__NAME(kg__model_truth_, )(__hisnan(a.x)),
         KG__NAME(kg__model_truth_, )(__hisnan(a.y)))

#define KG__COMPARE_AS(relation, suffix, expression)                                               \
    KG__MODEL_INLINE bool __h##relation##suffix(KG__H of_a, KG__H of_b)                            \
    {                                                                                              \
        const float a = KG__NAME(__, 2float)(of_a);                                                \
        const float b = KG__NAME(__, 2float)(of_b);                                                \
                                                                                                   \
        return expression;                                                                         \
    }                                                                                              \
    KG__MODEL_INLINE bool __hb##relation##suffix##2(KG__H2 a, KG__H2 b)                            \
    {                                                                                              \
        return __h##relation##suffix(a.x, b.x) && __h##relation##suffix(a.y, b.y);                 \
    }                                                                                              \
    KG__PAIR(__h##relation##suffix##2, (KG__H2 a, KG__H2 b),                                       \
             KG__NAME(kg__model_truth_, )(__h##relation##suffix(a.x, b.x)),                        \
             KG__NAME(kg__model_truth_, )(__h##relation##suffix(a.y, b.y)))                        \
    KG__MODEL_INLINE unsigned int __h##relation##suffix##2_mask(KG__H2 a, KG__H2 b)                \
    {                                                                                              \
        return (__h##relation##suffix(a.x, b.x) ? 0xffffu : 0) |                                   \
               (__h##relation##suffix(a.y, b.y) ? 0xffff0000u : 0);                                \
    }
#define KG__COMPARE(relation, operation)                                                           \
    KG__COMPARE_AS(relation, , !__builtin_isunordered(a, b) && a operation b)                      \
    KG__COMPARE_AS(relation, u, __builtin_isunordered(a, b) || a operation b)
KG__COMPARE(eq, ==)
KG__COMPARE(ne, !=)
KG__COMPARE(lt, <)
KG__COMPARE(le, <=)
KG__COMPARE(gt, >)
KG__COMPARE(ge, >=)
#undef KG__COMPARE
#undef KG__COMPARE_AS

/* With a number and a NaN the result is the number, or NaN; -0 is less than +0. */
#define KG__EXTREME(name, relation, sign_of_equal)                                                 \
    KG__MODEL_INLINE KG__H name(KG__H a, KG__H b)                                                  \
    {                                                                                              \
        if (__hisnan(a))                                                                           \
            return __hisnan(b) ? KG__NAME(__ushort_as_, )(0x7fff) : b;                             \
        if (__hisnan(b))                                                                           \
            return a;                                                                              \
        if (__heq(a, b))                                                                           \
            return KG__NAME(__ushort_as_, )(                                                       \
                static_cast<unsigned short>(a.__x sign_of_equal b.__x));                           \
        return relation(a, b) ? a : b;                                                             \
    }                                                                                              \
    KG__MODEL_INLINE KG__H name##_nan(KG__H a, KG__H b)                                            \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) ? KG__NAME(__ushort_as_, )(0x7fff) : name(a, b);         \
    }                                                                                              \
    KG__PAIR(name##2, (KG__H2 a, KG__H2 b), name(a.x, b.x), name(a.y, b.y))                        \
    KG__PAIR(name##2_nan, (KG__H2 a, KG__H2 b), name##_nan(a.x, b.x), name##_nan(a.y, b.y))
KG__EXTREME(__hmax, __hgt, &)
KG__EXTREME(__hmin, __hlt, |)
#undef KG__EXTREME

/* Operators. */

#define KG__OPERATORS(type, one, add, sub, mul, div, neg)                                          \
    KG__OPERATOR(type, +, add)                                                                     \
    KG__OPERATOR(type, -, sub)                                                                     \
    KG__OPERATOR(type, *, mul)                                                                     \
    KG__OPERATOR(type, /, div)                                                                     \
    KG__STEP(type, ++, add(a, one))                                                                \
    KG__STEP(type, --, sub(a, one))                                                                \
    KG__MODEL_INLINE type operator+(const type &a)                                                 \
    {                                                                                              \
        return a;                                                                                  \
    }                                                                                              \
    KG__MODEL_INLINE type operator-(const type &a)                                                 \
    {                                                                                              \
        return neg(a);                                                                             \
    }
#define KG__OPERATOR(type, sign, function)                                                         \
    KG__MODEL_INLINE type operator sign(const type &a, const type &b)                              \
    {                                                                                              \
        return function(a, b);                                                                     \
    }                                                                                              \
    KG__MODEL_INLINE type &operator sign##=(type &a, const type &b)                                \
    {                                                                                              \
        a = function(a, b);                                                                        \
        return a;                                                                                  \
    }
#define KG__STEP(type, sign, value)                                                                \
    KG__MODEL_INLINE type &operator sign(type &a)                                                  \
    {                                                                                              \
        a = value;                                                                                 \
        return a;                                                                                  \
    }                                                                                              \
    KG__MODEL_INLINE type operator sign(type &a, int)                                              \
    {                                                                                              \
        const type before = a;                                                                     \
                                                                                                   \
        a = value;                                                                                 \
        return before;                                                                             \
    }
KG__OPERATORS(KG__H, KG__NAME(__float2, )(1.0f), __hadd, __hsub, __hmul, __hdiv, __hneg)
KG__OPERATORS(KG__H2, KG__NAME(__float2, 2_rn)(1.0f), __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
#undef KG__STEP
#undef KG__OPERATOR
#undef KG__OPERATORS

#define KG__COMPARISON(type, sign, function)                                                       \
    KG__MODEL_INLINE bool operator sign(const type &a, const type &b)                              \
    {                                                                                              \
        return function(a, b);                                                                     \
    }
KG__COMPARISON(KG__H, ==, __heq)
KG__COMPARISON(KG__H, !=, __hneu)
KG__COMPARISON(KG__H, <, __hlt)
KG__COMPARISON(KG__H, <=, __hle)
KG__COMPARISON(KG__H, >, __hgt)
KG__COMPARISON(KG__H, >=, __hge)
KG__COMPARISON(KG__H2, ==, __hbeq2)
KG__COMPARISON(KG__H2, !=, __hbneu2)
KG__COMPARISON(KG__H2, <, __hblt2)
KG__COMPARISON(KG__H2, <=, __hble2)
KG__COMPARISON(KG__H2, >, __hbgt2)
KG__COMPARISON(KG__H2, >=, __hbge2)
#undef KG__COMPARISON
#undef KG__PAIR

/* Shuffles of the bits as an integer, and atomic sums, each one access of the value's size. */

#define KG__SHUFFLE(type, bits, name, parameter)                                                   \
    KG__MODEL_INLINE type name(unsigned int mask, type value, parameter lane, int width = 32)      \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            type,                                                                                  \
            static_cast<bits>(name(                                                                \
                mask, static_cast<unsigned int>(__builtin_bit_cast(bits, value)), lane, width)));  \
    }
#define KG__EXCHANGES(type, bits)                                                                  \
    KG__SHUFFLE(type, bits, __shfl_sync, int)                                                      \
    KG__SHUFFLE(type, bits, __shfl_up_sync, unsigned int)                                          \
    KG__SHUFFLE(type, bits, __shfl_down_sync, unsigned int)                                        \
    KG__SHUFFLE(type, bits, __shfl_xor_sync, int)                                                  \
    KG__MODEL_INLINE type atomicAdd(type *address, type value)                                     \
    {                                                                                              \
        type old;                                                                                  \
        type now;                                                                                  \
                                                                                                   \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                            \
        do                                                                                         \
            now = old + value;                                                                     \
        while (!KG__MODEL_UPDATED(address, old, now));                                             \
        return old;                                                                                \
    }
KG__EXCHANGES(KG__H, unsigned short)
KG__EXCHANGES(KG__H2, unsigned int)
#undef KG__EXCHANGES
#undef KG__SHUFFLE
