/* SPDX-License-Identifier: MIT */
/* Mathematical functions beyond math.h, and makers of vectors. Part of cuda_runtime.h, which
 * includes it. */
#pragma once

#define KG__MODEL_EXTREMES(type, left, right)                                                      \
    KG__MODEL_INLINE constexpr type min(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }                                                                                              \
    KG__MODEL_INLINE constexpr type max(left a, right b)                                           \
    {                                                                                              \
        return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }
#define KG__MODEL_INTEGER_EXTREMES(type, unsigned_type)                                            \
    KG__MODEL_EXTREMES(type, type, type)                                                           \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, unsigned_type)                                \
    KG__MODEL_EXTREMES(unsigned_type, type, unsigned_type)                                         \
    KG__MODEL_EXTREMES(unsigned_type, unsigned_type, type)
KG__MODEL_INTEGER_EXTREMES(int, unsigned int)
KG__MODEL_INTEGER_EXTREMES(long, unsigned long)
KG__MODEL_INTEGER_EXTREMES(long long, unsigned long long)
#undef KG__MODEL_INTEGER_EXTREMES
#undef KG__MODEL_EXTREMES

/* With a number and a NaN these return the number, as fmin() and fmax() do. */
#define KG__MODEL_FLOAT_EXTREMES(type, left, right, smaller, larger)                               \
    KG__MODEL_INLINE type min(left a, right b)                                                     \
    {                                                                                              \
        return smaller(a, b);                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE type max(left a, right b)                                                     \
    {                                                                                              \
        return larger(a, b);                                                                       \
    }
KG__MODEL_FLOAT_EXTREMES(float, float, float, fminf, fmaxf)
KG__MODEL_FLOAT_EXTREMES(double, double, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, float, double, fmin, fmax)
KG__MODEL_FLOAT_EXTREMES(double, double, float, fmin, fmax)
#undef KG__MODEL_FLOAT_EXTREMES

/* The extremes with names that contain their type. */
#define KG__MODEL_NAMED_EXTREME(name, extreme, type)                                               \
    KG__MODEL_INLINE constexpr type name(type a, type b)                                           \
    {                                                                                              \
        return extreme(a, b);                                                                      \
    }
KG__MODEL_NAMED_EXTREME(umin, min, unsigned int)
KG__MODEL_NAMED_EXTREME(umax, max, unsigned int)
KG__MODEL_NAMED_EXTREME(llmin, min, long long)
KG__MODEL_NAMED_EXTREME(llmax, max, long long)
KG__MODEL_NAMED_EXTREME(ullmin, min, unsigned long long)
KG__MODEL_NAMED_EXTREME(ullmax, max, unsigned long long)
#undef KG__MODEL_NAMED_EXTREME

/* Names that the C library declares, or may declare, for its own purposes. */
#define rsqrtf kg__model_rsqrtf
#define rsqrt kg__model_rsqrt
#define sinpif kg__model_sinpif
#define sinpi kg__model_sinpi
#define cospif kg__model_cospif
#define cospi kg__model_cospi

/* Returns 1 over the square root, in single precision. */
KG__MODEL_INLINE float kg__model_rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

/* Returns 1 over the square root, in double precision. */
KG__MODEL_INLINE double kg__model_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

/* Defines a function in single and in double precision from the model's in double. */
#define KG__MODEL_FUNCTION(name, parameters, float_parameters, arguments, value)                   \
    KG__MODEL_INLINE double name parameters                                                        \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    KG__MODEL_INLINE float name##f float_parameters                                                \
    {                                                                                              \
        return static_cast<float>(name arguments);                                                 \
    }
#define KG__MODEL_FUNCTION_1(name, value)                                                          \
    KG__MODEL_FUNCTION(name, (double x), (float x), (x), value)
#define KG__MODEL_FUNCTION_2(name, value)                                                          \
    KG__MODEL_FUNCTION(name, (double x, double y), (float x, float y), (x, y), value)
#define KG__MODEL_FUNCTION_3(name, value)                                                          \
    KG__MODEL_FUNCTION(name, (double x, double y, double z), (float x, float y, float z),          \
                       (x, y, z), value)
#define KG__MODEL_FUNCTION_4(name, value)                                                          \
    KG__MODEL_FUNCTION(name, (double x, double y, double z, double w),                             \
                       (float x, float y, float z, float w), (x, y, z, w), value)
KG__MODEL_FUNCTION_1(kg__model_sinpi, kg__model_sine_of_pi(x))
KG__MODEL_FUNCTION_1(kg__model_cospi, kg__model_cosine_of_pi(x))
KG__MODEL_FUNCTION_1(rcbrt, 1.0 / cbrt(x))
KG__MODEL_FUNCTION_1(erfcx, kg__model_scaled_erfc(x))
KG__MODEL_FUNCTION_1(erfinv, kg__model_inverse_erf(x))
KG__MODEL_FUNCTION_1(erfcinv, kg__model_inverse_erfc(x))
KG__MODEL_FUNCTION_1(normcdf, kg__model_normal_cdf(x))
KG__MODEL_FUNCTION_1(normcdfinv, kg__model_inverse_normal_cdf(x))
KG__MODEL_FUNCTION_1(cyl_bessel_i0, kg__model_bessel(x, 0))
KG__MODEL_FUNCTION_1(cyl_bessel_i1, kg__model_bessel(x, 1))
KG__MODEL_FUNCTION_2(rhypot, 1.0 / hypot(x, y))
KG__MODEL_FUNCTION_3(norm3d, kg__model_norm_of(x, y, z, 0.0))
KG__MODEL_FUNCTION_3(rnorm3d, 1.0 / kg__model_norm_of(x, y, z, 0.0))
KG__MODEL_FUNCTION_4(norm4d, kg__model_norm_of(x, y, z, w))
KG__MODEL_FUNCTION_4(rnorm4d, 1.0 / kg__model_norm_of(x, y, z, w))
#undef KG__MODEL_FUNCTION_4
#undef KG__MODEL_FUNCTION_3
#undef KG__MODEL_FUNCTION_2
#undef KG__MODEL_FUNCTION_1
#undef KG__MODEL_FUNCTION

#define KG__MODEL_NORMS(type, suffix)                                                              \
    KG__MODEL_INLINE type norm##suffix(int dimensions, const type *p)                              \
    {                                                                                              \
        double length = 0.0;                                                                       \
                                                                                                   \
        for (int i = 0; i < dimensions; i++)                                                       \
            length = hypot(length, static_cast<double>(p[i]));                                     \
        return static_cast<type>(length);                                                          \
    }                                                                                              \
    KG__MODEL_INLINE type rnorm##suffix(int dimensions, const type *p)                             \
    {                                                                                              \
        return 1 / norm##suffix(dimensions, p);                                                    \
    }                                                                                              \
    KG__MODEL_INLINE void sincospi##suffix(type x, type *sine, type *cosine)                       \
    {                                                                                              \
        *sine = sinpi##suffix(x);                                                                  \
        *cosine = cospi##suffix(x);                                                                \
    }
KG__MODEL_NORMS(float, f)
KG__MODEL_NORMS(double, )
#undef KG__MODEL_NORMS

KG__MODEL_INLINE float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* The fast variants are as exact here as the plain ones. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __sincosf sincosf
#define __tanf tanf
#define __powf powf

/* A divisor above 2^126 gives 0, as on hardware, which takes its reciprocal for zero. */
KG__MODEL_INLINE float __fdividef(float x, float y)
{
    return fabsf(y) > 0x1p126f && fabsf(y) < INFINITY ? x * copysignf(0.0f, y) : x / y;
}

KG__MODEL_INLINE float fdividef(float x, float y)
{
    return x / y;
}

/* Makers of vectors. */

#define KG__MODEL_MAKERS(name, element)                                                            \
    KG__MODEL_INLINE constexpr name##1 make_##name##1(element x)                                   \
    {                                                                                              \
        return name##1 { x };                                                                      \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##2 make_##name##2(element x, element y)                        \
    {                                                                                              \
        return name##2 { x, y };                                                                   \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##3 make_##name##3(element x, element y, element z)             \
    {                                                                                              \
        return name##3 { x, y, z };                                                                \
    }                                                                                              \
    KG__MODEL_INLINE constexpr name##4 make_##name##4(element x, element y, element z, element w)  \
    {                                                                                              \
        return name##4 { x, y, z, w };                                                             \
    }
KG__MODEL_MAKERS(char, signed char)
KG__MODEL_MAKERS(uchar, unsigned char)
KG__MODEL_MAKERS(short, short)
KG__MODEL_MAKERS(ushort, unsigned short)
KG__MODEL_MAKERS(int, int)
KG__MODEL_MAKERS(uint, unsigned int)
KG__MODEL_MAKERS(long, long)
KG__MODEL_MAKERS(ulong, unsigned long)
KG__MODEL_MAKERS(longlong, long long)
KG__MODEL_MAKERS(ulonglong, unsigned long long)
KG__MODEL_MAKERS(float, float)
KG__MODEL_MAKERS(double, double)
#undef KG__MODEL_MAKERS
#define KG__MODEL_MAKER(name, element, alignment)                                                  \
    KG__MODEL_INLINE constexpr name##4_##alignment##a make_##name##4_##alignment##a(               \
        element x, element y, element z, element w)                                                \
    {                                                                                              \
        return name##4_##alignment##a{ x, y, z, w };                                               \
    }
KG__MODEL_ALIGNED_VECTORS(KG__MODEL_MAKER)
#undef KG__MODEL_MAKER
