/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuComplex.h: each operation has the same steps as CUDA's, so that
 * it rounds the same way. */
#pragma once

#include "vector_types.h"

#include <math.h>

#define KG__MODEL_COMPLEX static inline __attribute__((always_inline, unused))

/* The functions of a precision: `s` ends their names, `m` those of mathematical functions. */
#define KG__MODEL_COMPLEX_OF(real, complex, make, s, m, largest)                                   \
    KG__MODEL_COMPLEX complex make(real r, real i)                                                 \
    {                                                                                              \
        complex made;                                                                              \
                                                                                                   \
        made.x = r;                                                                                \
        made.y = i;                                                                                \
        return made;                                                                               \
    }                                                                                              \
    KG__MODEL_COMPLEX real cuCreal##s(complex a)                                                   \
    {                                                                                              \
        return a.x;                                                                                \
    }                                                                                              \
    KG__MODEL_COMPLEX real cuCimag##s(complex a)                                                   \
    {                                                                                              \
        return a.y;                                                                                \
    }                                                                                              \
    KG__MODEL_COMPLEX complex cuConj##s(complex a)                                                 \
    {                                                                                              \
        return make(a.x, -a.y);                                                                    \
    }                                                                                              \
    KG__MODEL_COMPLEX complex cuCadd##s(complex a, complex b)                                      \
    {                                                                                              \
        return make(a.x + b.x, a.y + b.y);                                                         \
    }                                                                                              \
    KG__MODEL_COMPLEX complex cuCsub##s(complex a, complex b)                                      \
    {                                                                                              \
        return make(a.x - b.x, a.y - b.y);                                                         \
    }                                                                                              \
    KG__MODEL_COMPLEX complex cuCmul##s(complex a, complex b)                                      \
    {                                                                                              \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    /* By the divisor's size, so that no step overflows. */                                        \
    KG__MODEL_COMPLEX complex cuCdiv##s(complex a, complex b)                                      \
    {                                                                                              \
        const real by = 1 / (fabs##m(b.x) + fabs##m(b.y));                                         \
        const complex p = make(a.x * by, a.y * by);                                                \
        const complex q = make(b.x * by, b.y * by);                                                \
        const real by_square = 1 / (q.x * q.x + q.y * q.y);                                        \
                                                                                                   \
        return make((p.x * q.x + p.y * q.y) * by_square, (p.y * q.x - p.x * q.y) * by_square);     \
    }                                                                                              \
    KG__MODEL_COMPLEX real cuCabs##s(complex a)                                                    \
    {                                                                                              \
        const real x = fabs##m(a.x);                                                               \
        const real y = fabs##m(a.y);                                                               \
        const real more = x > y ? x : y;                                                           \
        const real less = x > y ? y : x;                                                           \
        const real ratio = less / more;                                                            \
                                                                                                   \
        if (more == 0 || more > (largest) || less > (largest))                                     \
            return more + less;                                                                    \
        return more * sqrt##m(1 + ratio * ratio);                                                  \
    }                                                                                              \
    KG__MODEL_COMPLEX complex cuCfma##s(complex a, complex b, complex c)                           \
    {                                                                                              \
        return make(-(a.y * b.y) + (a.x * b.x + c.x), a.y * b.x + (a.x * b.y + c.y));              \
    }

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
KG__MODEL_COMPLEX_OF(float, cuFloatComplex, make_cuFloatComplex, f, f, 3.402823466e38f)
KG__MODEL_COMPLEX_OF(double, cuDoubleComplex, make_cuDoubleComplex, , , 1.79769313486231570e+308)
#undef KG__MODEL_COMPLEX_OF

KG__MODEL_COMPLEX cuComplex make_cuComplex(float r, float i)
{
    return make_cuFloatComplex(r, i);
}

KG__MODEL_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_cuDoubleComplex(a.x, a.y);
}

KG__MODEL_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_cuFloatComplex((float)a.x, (float)a.y);
}

#undef KG__MODEL_COMPLEX
