/* SPDX-License-Identifier: MIT */
/* A tensor core's result for one element of a product: c plus the sum of a[i] * b[i]. One call is
 * one instruction's k: `terms` is 16 for m16n8k16, 4 for m16n8k4.
 *
 * Products are exact. For floating-point values of at most 11 significant bits, products and c
 * are truncated 25 binary places below the largest exponent among them, added exactly, and the
 * sum is truncated to a float, as measured on Hopper (Fasi et al., "Numerical behavior of NVIDIA
 * tensor cores", 2021; Li et al., "FTTN", 2024). The error is below (terms + 5) / 2 times 2^-24
 * of the terms' magnitude, which kg_sum_tolerance(KG_FLOAT32, ...) allows from 5 terms on. A
 * 16-bit accumulator is that float rounded to the nearest.
 *
 * wgmma of 8-bit floats truncates 13 places below, denormal numbers having their format's least
 * exponent, and a float that it adds to to 14 significant bits, as measured on an H200
 * (hardware_wgmma.cu); the first is in DeepSeek-V3's report (arXiv 2412.19437, 3.5.2), too. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define KG__MODEL_INLINE static inline __attribute__((always_inline, unused))

typedef union kg__model_float_bits {
    float value;
    uint32_t bits;
} kg__model_float_bits;

/* How sums of floats are truncated. */
typedef struct kg__model_cut {
    int places;    /* below the largest exponent */
    uint32_t kept; /* of a float's bits, in a result */
    int least[2];  /* exponents of a and of b */
} kg__model_cut;

#define KG__MODEL_CUT                                                                              \
    {                                                                                              \
        25, UINT32_MAX,                                                                            \
        {                                                                                          \
            -126, -126                                                                             \
        }                                                                                          \
    }

/* Returns the bits of a float. */
KG__MODEL_INLINE uint32_t kg__model_bits_of(float value)
{
    kg__model_float_bits both;

    both.value = value;
    return both.bits;
}

/* Returns the float with these bits. */
KG__MODEL_INLINE float kg__model_float_of(uint32_t bits)
{
    kg__model_float_bits both;

    both.bits = bits;
    return both.value;
}

/* Returns a float as tensor cores read it for tf32: without its last 13 bits. */
KG__MODEL_INLINE float kg__model_cut_to_tf32(float value)
{
    return kg__model_float_of(kg__model_bits_of(value) & ~0x1fffu);
}

/* Returns the exponent of a float, at least -126; 128 for infinity and NaN. */
KG__MODEL_INLINE int kg__model_exponent(float value)
{
    const int biased = (int)(kg__model_bits_of(value) >> 23 & 0xff);

    return biased > 0 ? biased - 127 : -126;
}

/* Returns a double as a float, rounded toward zero; infinite from 2^128 on. */
KG__MODEL_INLINE float kg__model_cut_to_float(double value)
{
    const float nearest = (float)value;

    if (fabs((double)nearest) <= fabs(value) || fabs(value) >= 0x1p128)
        return nearest;
    return kg__model_float_of(kg__model_bits_of(nearest) - 1);
}

/* Returns the exponent of a number of a format whose least is `least`. */
KG__MODEL_INLINE int kg__model_exponent_from(float value, int least)
{
    const int exponent = kg__model_exponent(value);

    return exponent > least ? exponent : least;
}

/* For floats with at most 11 significant bits, truncated as above; infinite or NaN if a term is. */
KG__MODEL_INLINE float kg__model_dot_of_floats(const float *a, const float *b, unsigned int terms,
                                               float c, const kg__model_cut *cut)
{
    int largest = kg__model_exponent(c);
    bool finite = largest < 128;
    double plain = (double)c;
    double scale;
    int64_t sum;

    for (unsigned int i = 0; i < terms; i++) {
        const int of_a = kg__model_exponent_from(a[i], cut->least[0]);
        const int of_b = kg__model_exponent_from(b[i], cut->least[1]);
        const double product = (double)a[i] * (double)b[i];

        finite = finite && of_a < 128 && of_b < 128;
        largest = product != 0 && of_a + of_b > largest ? of_a + of_b : largest;
        plain += product;
    }
    if (!finite)
        return (float)plain;
    scale = ldexp(1.0, cut->places - largest);
    sum = (int64_t)((double)c * scale);
    for (unsigned int i = 0; i < terms; i++)
        sum += (int64_t)((double)a[i] * (double)b[i] * scale);
    return kg__model_float_of(kg__model_bits_of(kg__model_cut_to_float((double)sum / scale)) &
                              cut->kept);
}

/* For doubles: one fma after the other. */
KG__MODEL_INLINE double kg__model_dot_of_doubles(const double *a, const double *b,
                                                 unsigned int terms, double c)
{
    for (unsigned int i = 0; i < terms; i++)
        c = fma(a[i], b[i], c);
    return c;
}

/* Returns c plus a sum of products of integers: saturated, or wrapped to 32 bits. */
KG__MODEL_INLINE int32_t kg__model_add_integers(int32_t c, int64_t products, bool saturated)
{
    int64_t sum = c + products;

    if (saturated)
        sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return (int32_t)(uint32_t)sum;
}

#undef KG__MODEL_INLINE
