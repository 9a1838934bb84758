/* SPDX-License-Identifier: MIT */
/* cuRAND's generators MRG32k3a and Sobol, and the distributions in twos and fours. Part of
 * curand_kernel.h. */
#pragma once

#include "curand_kernel.h"

/* MRG32k3a. */

typedef struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateMRG32k3a_t;

KG__MODEL_CURAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    kg__model_skip_mrg(state->s1, state->s2, n, 0);
}

KG__MODEL_CURAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    kg__model_skip_mrg(state->s1, state->s2, n, 76);
}

KG__MODEL_CURAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    kg__model_skip_mrg(state->s1, state->s2, n, 127);
}

KG__MODEL_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStateMRG32k3a_t *state)
{
    const unsigned long long low = (seed ^ 0x55555555u) & 0xffffffffu;
    const unsigned long long high = seed >> 32 ^ 0xaaaaaaaau;
    curandStateMRG32k3a_t made = {};

    for (int i = 0; i < 3; i++) {
        const unsigned long long first = seed == 0 ? 1 : i % 2 == 0 ? low : high;
        const unsigned long long second = seed == 0 ? 1 : i % 2 == 0 ? high : low;

        made.s1[i] = static_cast<unsigned int>(first * 12345 % 4294967087u);
        made.s2[i] = static_cast<unsigned int>(second * 12345 % 4294944443u);
    }
    skipahead_subsequence(subsequence, &made);
    skipahead(offset, &made);
    *state = made;
}

/* From 1 to 2^32 - 209. */
KG__MODEL_CURAND double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    const unsigned long long m1 = 4294967087u, m2 = 4294944443u;
    const unsigned long long first =
        (1403580ull * state->s1[1] + 810728ull * (m1 - state->s1[0])) % m1;
    const unsigned long long second =
        (527612ull * state->s2[2] + 1370589ull * (m2 - state->s2[0])) % m2;

    for (int i = 0; i < 2; i++) {
        state->s1[i] = state->s1[i + 1];
        state->s2[i] = state->s2[i + 1];
    }
    state->s1[2] = static_cast<unsigned int>(first);
    state->s2[2] = static_cast<unsigned int>(second);
    return static_cast<double>(first <= second ? first + m1 - second : first - second);
}

KG__MODEL_CURAND unsigned int curand(curandStateMRG32k3a_t *state)
{
    return static_cast<unsigned int>(curand_MRG32k3a(state) * 1.000000048662);
}

KG__MODEL_CURAND double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}

KG__MODEL_CURAND float curand_uniform(curandStateMRG32k3a_t *state)
{
    return static_cast<float>(curand_uniform_double(state));
}

KG__MODEL_CURAND float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    const float length = sqrtf(-2.0f * logf(curand_uniform(state)));
    const float angle = curand_uniform(state) * 6.2831855f;

    return make_float2(sinf(angle) * length, cosf(angle) * length);
}

KG__MODEL_CURAND double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    const double length = sqrt(-2.0 * log(curand_uniform_double(state)));
    const double half_turns = curand_uniform_double(state) * 2.0;

    return make_double2(sinpi(half_turns) * length, cospi(half_turns) * length);
}

/* Sobol, with the caller's direction vectors. */

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define KG__MODEL_SOBOL(name, word, bits)                                                          \
    typedef struct name {                                                                          \
        word i, x, c;                                                                              \
        word direction_vectors[bits];                                                              \
    } name##_t;                                                                                    \
    KG__MODEL_CURAND void skipahead(word n, name##_t *state)                                       \
    {                                                                                              \
        state->x = state->c;                                                                       \
        state->i += n;                                                                             \
        for (int k = 0; k < bits; k++) {                                                           \
            if (((state->i ^ state->i >> 1) >> k & 1) != 0)                                        \
                state->x ^= state->direction_vectors[k];                                           \
        }                                                                                          \
    }                                                                                              \
    KG__MODEL_CURAND word curand(name##_t *state)                                                  \
    {                                                                                              \
        const word value = state->x;                                                               \
        const int zero = ~state->i == 0 ? bits - 1 : __builtin_ctzll(~state->i);                   \
                                                                                                   \
        state->x ^= state->direction_vectors[zero];                                                \
        state->i++;                                                                                \
        return value;                                                                              \
    }                                                                                              \
    KG__MODEL_CURAND float curand_uniform(name##_t *state)                                         \
    {                                                                                              \
        return _curand_uniform(static_cast<unsigned int>(curand(state) >> (bits - 32)));           \
    }                                                                                              \
    KG__MODEL_CURAND double curand_uniform_double(name##_t *state)                                 \
    {                                                                                              \
        return kg__model_uniform(curand(state), false);                                            \
    }                                                                                              \
    KG__MODEL_CURAND float curand_normal(name##_t *state)                                          \
    {                                                                                              \
        return kg__model_normal_of(static_cast<unsigned int>(curand(state) >> (bits - 32)));       \
    }                                                                                              \
    KG__MODEL_CURAND double curand_normal_double(name##_t *state)                                  \
    {                                                                                              \
        return kg__model_normal_double_of(curand(state));                                          \
    }                                                                                              \
    KG__MODEL_CURAND unsigned int curand_poisson(name##_t *state, double lambda)                   \
    {                                                                                              \
        const word x = curand(state);                                                              \
                                                                                                   \
        if (lambda >= 1000)                                                                        \
            return static_cast<unsigned int>(                                                      \
                floor(sqrt(lambda) * kg__model_normal_double_of(x) + lambda + 0.5));               \
        return kg__model_inverse_poisson(kg__model_uniform(x, true), lambda);                      \
    }
#define KG__MODEL_SOBOL_INIT(name, word, vectors, scrambled, by)                                   \
    KG__MODEL_CURAND void curand_init(vectors direction_vectors, scrambled word offset,            \
                                      name##_t *state)                                             \
    {                                                                                              \
        state->i = 0;                                                                              \
        state->c = by;                                                                             \
        for (size_t k = 0; k < sizeof(vectors) / sizeof(word); k++)                                \
            state->direction_vectors[k] = direction_vectors[k];                                    \
        skipahead(offset, state);                                                                  \
    }

/* In (0, 1], or in (0, 1). */
KG__MODEL_CURAND double kg__model_uniform(unsigned int x, bool excludes_one)
{
    return x * 0x1p-32 + (excludes_one ? 0x1p-33 : 0x1p-32);
}
KG__MODEL_CURAND double kg__model_uniform(unsigned long long x, bool excludes_one)
{
    return static_cast<double>(x >> 11) * 0x1p-53 + (excludes_one ? 0x1p-55 : 0x1p-54);
}

/* Normal, by the inverse of the distribution, from the nearer end. */
KG__MODEL_CURAND float kg__model_normal_of(unsigned int x)
{
    const bool above = x > 0x80000000u;
    const float p = _curand_uniform(above ? ~x : x);

    return (above ? 1.4142135f : -1.4142135f) * -erfcinvf(2.0f * p);
}
/* The same in double. */
KG__MODEL_CURAND double kg__model_normal_double_of(unsigned int x)
{
    const bool above = x > 0x80000000u;
    const double p = (above ? ~x : x) * 0x1p-32 + 0x1p-33;

    return (above ? 1.4142135623730951 : -1.4142135623730951) * -erfcinv(2.0 * p);
}
/* The same from 53 of 64 bits. */
KG__MODEL_CURAND double kg__model_normal_double_of(unsigned long long x)
{
    const unsigned long long bits = x >> 11;
    const bool above = bits > 0x10000000000000ull;
    const double p =
        static_cast<double>(above ? 0x1fffffffffffffull - bits : bits) * 0x1p-53 + 0x1p-54;

    return (above ? 1.4142135623730951 : -1.4142135623730951) * -erfcinv(2.0 * p);
}

/* Returns the least k for which P(X <= k) >= u, with u below 1. e^-lambda is multiplied in parts
 * that do not underflow. */
KG__MODEL_CURAND unsigned int kg__model_inverse_poisson(double u, double lambda)
{
    double p = 1, sum = 1, done = 0;
    unsigned int k = 0;

    do {
        const double part = exp(lambda > done + 500 ? -500.0 : done - lambda);

        p *= part;
        sum *= part;
        while (u > sum) {
            k++;
            p *= lambda / k;
            sum += p;
        }
        done += 500;
    } while (done < lambda);
    return k;
}

#define KG__MODEL_NONE
#define KG__MODEL_SCRAMBLED_32 unsigned int scramble,
#define KG__MODEL_SCRAMBLED_64 unsigned long long scramble,
KG__MODEL_SOBOL(curandStateSobol32, unsigned int, 32)
KG__MODEL_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
KG__MODEL_SOBOL(curandStateSobol64, unsigned long long, 64)
KG__MODEL_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
KG__MODEL_SOBOL_INIT(curandStateSobol32, unsigned int, curandDirectionVectors32_t, KG__MODEL_NONE,
                     0)
KG__MODEL_SOBOL_INIT(curandStateScrambledSobol32, unsigned int, curandDirectionVectors32_t,
                     KG__MODEL_SCRAMBLED_32, scramble)
KG__MODEL_SOBOL_INIT(curandStateSobol64, unsigned long long, curandDirectionVectors64_t,
                     KG__MODEL_NONE, 0)
KG__MODEL_SOBOL_INIT(curandStateScrambledSobol64, unsigned long long, curandDirectionVectors64_t,
                     KG__MODEL_SCRAMBLED_64, scramble)
#undef KG__MODEL_SOBOL
#undef KG__MODEL_SOBOL_INIT
#undef KG__MODEL_NONE
#undef KG__MODEL_SCRAMBLED_32
#undef KG__MODEL_SCRAMBLED_64

/* Distributions. */

template <typename State>
KG__MODEL_CURAND float2 curand_log_normal2(State *state, float mean, float deviation)
{
    const float2 x = curand_normal2(state);

    return make_float2(expf(mean + deviation * x.x), expf(mean + deviation * x.y));
}

template <typename State>
KG__MODEL_CURAND double2 curand_log_normal2_double(State *state, double mean, double deviation)
{
    const double2 x = curand_normal2_double(state);

    return make_double2(exp(mean + deviation * x.x), exp(mean + deviation * x.y));
}

KG__MODEL_CURAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
                                           float deviation)
{
    const float4 x = curand_normal4(state);

    return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y),
                       expf(mean + deviation * x.z), expf(mean + deviation * x.w));
}

KG__MODEL_CURAND double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 low = curand_uniform2_double(state), high = curand_uniform2_double(state);

    return make_double4(low.x, low.y, high.x, high.y);
}

KG__MODEL_CURAND double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 low = curand_normal2_double(state), high = curand_normal2_double(state);

    return make_double4(low.x, low.y, high.x, high.y);
}

/* Between 64 and 4000 by inversion, where cuRAND uses rejection: other numbers of the same
 * distribution. */
template <typename State>
KG__MODEL_CURAND unsigned int curand_poisson(State *state, double lambda)
{
    if (lambda > 4000)
        return static_cast<unsigned int>(
            floor(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5));
    if (lambda >= 64)
        return kg__model_inverse_poisson(
            static_cast<double>(curand_uniform(state)) * (1.0 - 0x1p-33), lambda);
    unsigned int k = 0;

    for (float p = expf(static_cast<float>(lambda)); p > 1.0f || k == 0; k++)
        p *= curand_uniform(state);
    return k - 1;
}

KG__MODEL_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    if (lambda > 4000) {
        const float4 x = curand_normal4(state);
        const double by = sqrt(lambda), more = lambda + 0.5;

        return make_uint4(
            static_cast<unsigned int>(by * x.x + more), static_cast<unsigned int>(by * x.y + more),
            static_cast<unsigned int>(by * x.z + more), static_cast<unsigned int>(by * x.w + more));
    }
    const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
    const unsigned int z = curand_poisson(state, lambda);

    return make_uint4(x, y, z, curand_poisson(state, lambda));
}

/* The host library makes its tables. */
typedef struct curandStateMtgp32 curandStateMtgp32_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;
#define KG__MODEL_REFUSED(name, first)                                                             \
    template <typename... Others>                                                                  \
    __attribute__((error("the CPU model does not support " #name                                   \
                         "() of tables that cuRAND's host library makes (docs/model.md): give "    \
                         "the variant GPU_ONLY"))) unsigned int                                    \
    name(first, Others...);
KG__MODEL_REFUSED(curand, curandStateMtgp32_t *)
KG__MODEL_REFUSED(curand_uniform, curandStateMtgp32_t *)
KG__MODEL_REFUSED(curand_normal, curandStateMtgp32_t *)
#undef KG__MODEL_REFUSED
template <typename State>
__attribute__((error("the CPU model does not support curand_discrete() of tables that cuRAND's "
                     "host library makes (docs/model.md): give the variant GPU_ONLY"))) unsigned int
curand_discrete(State *, curandDiscreteDistribution_t);
