/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for curand_kernel.h: the generators Philox4_32_10, XORWOW, MRG32k3a
 * and Sobol, bit for bit, and the distributions based on them, as exact as the plain
 * mathematical functions. MTGP32 and discrete distributions need cuRAND's host library. */
#pragma once

#include "cuda_runtime.h"
#include "curand.h"

#define KG__MODEL_CURAND static inline __attribute__((always_inline, unused))

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* used words of `output` */
    int boxmuller_flag; /* a normal number is left over */
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t, curandState;

/* Ten rounds over the counter. */
KG__MODEL_CURAND uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned int low[2] = { 0xd2511f53u * c.x, 0xcd9e8d57u * c.z };
        const unsigned int high[2] = { __umulhi(0xd2511f53u, c.x), __umulhi(0xcd9e8d57u, c.z) };

        c = make_uint4(high[1] ^ c.y ^ key.x, low[1], high[0] ^ c.w ^ key.y, low[0]);
        key = make_uint2(key.x + 0x9e3779b9u, key.y + 0xbb67ae85u);
    }
    return c;
}

/* Adds to the lower, or the upper, half of the counter. */
KG__MODEL_CURAND void kg__model_add(uint4 *c, unsigned long long n, bool to_upper)
{
    const unsigned long long low =
        (static_cast<unsigned long long>(c->y) << 32 | c->x) + (to_upper ? 0 : n);
    unsigned long long high = static_cast<unsigned long long>(c->w) << 32 | c->z;

    high += to_upper ? n : low < n;
    *c = make_uint4(static_cast<unsigned int>(low), static_cast<unsigned int>(low >> 32),
                    static_cast<unsigned int>(high), static_cast<unsigned int>(high >> 32));
}

KG__MODEL_CURAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned int used = state->STATE + static_cast<unsigned int>(n & 3);

    state->STATE = used & 3;
    kg__model_add(&state->ctr, n / 4 + used / 4, false);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

KG__MODEL_CURAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    kg__model_add(&state->ctr, n, true);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

KG__MODEL_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    curandStatePhilox4_32_10_t made = {};

    made.key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
    skipahead_sequence(subsequence, &made);
    skipahead(offset, &made);
    *state = made;
}

KG__MODEL_CURAND unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    const unsigned int used = state->STATE;
    const uint4 output = state->output;

    state->STATE = used + 1;
    if (used == 3) {
        kg__model_add(&state->ctr, 1, false);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return used == 0 ? output.x : used == 1 ? output.y : used == 2 ? output.z : output.w;
}

KG__MODEL_CURAND uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const uint4 old = state->output;

    kg__model_add(&state->ctr, 1, false);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    const uint4 next = state->output;

    switch (state->STATE) {
    case 1:
        return make_uint4(old.y, old.z, old.w, next.x);
    case 2:
        return make_uint4(old.z, old.w, next.x, next.y);
    case 3:
        return make_uint4(old.w, next.x, next.y, next.z);
    default:
        return old;
    }
}

/* A step of the words is 2^0, one of the sequences 2^67 of them; d is an ordinary sum. */
KG__MODEL_CURAND void kg__model_skip(curandStateXORWOW_t *state, unsigned long long n,
                                     bool by_sequences)
{
    unsigned int words[5] = { state->v[0], state->v[1], state->v[2], state->v[3], state->v[4] };

    kg__model_skip_xorwow(words, n, by_sequences);
    for (int i = 0; i < 5; i++)
        state->v[i] = words[i];
    if (!by_sequences)
        state->d += 362437u * static_cast<unsigned int>(n);
}

KG__MODEL_CURAND void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    kg__model_skip(state, n, false);
}

KG__MODEL_CURAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    kg__model_skip(state, n, true);
}

KG__MODEL_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStateXORWOW_t *state)
{
    const unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
    curandStateXORWOW_t made = { 6615241u + high + low,
                                 { 123456789u + low, 362436069u ^ low, 521288629u + high,
                                   88675123u ^ high, 5783321u + low },
                                 0,
                                 0,
                                 0.0f,
                                 0.0 };

    skipahead_sequence(subsequence, &made);
    skipahead(offset, &made);
    *state = made;
}

KG__MODEL_CURAND unsigned int curand(curandStateXORWOW_t *state)
{
    const unsigned int mixed = state->v[0] ^ state->v[0] >> 2;
    const unsigned int last = state->v[4];

    for (int i = 0; i < 4; i++)
        state->v[i] = state->v[i + 1];
    state->v[4] = last ^ last << 4 ^ mixed ^ mixed << 1;
    state->d += 362437u;
    return state->v[4] + state->d;
}

/* In (0, 1]. */
KG__MODEL_CURAND float _curand_uniform(unsigned int x)
{
    return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}

KG__MODEL_CURAND double _curand_uniform_double_hq(unsigned int x, unsigned int y)
{
    const unsigned long long bits = x ^ static_cast<unsigned long long>(y) << 21;

    return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

KG__MODEL_CURAND float2 _curand_box_muller(unsigned int x, unsigned int y)
{
    const float turn = 2.3283064e-10f * 6.2831855f;
    const float angle = static_cast<float>(y) * turn + turn / 2.0f;
    const float length = sqrtf(-2.0f * logf(_curand_uniform(x)));

    return make_float2(sinf(angle) * length, cosf(angle) * length);
}

KG__MODEL_CURAND double2 _curand_box_muller_double(uint4 x)
{
    const double u = _curand_uniform_double_hq(x.x, x.y);
    const double half_turns = 2.0 * _curand_uniform_double_hq(x.z, x.w);
    const double length = sqrt(-2.0 * log(u));

    return make_double2(sinpi(half_turns) * length, cospi(half_turns) * length);
}

/* Four words, from either generator. */
KG__MODEL_CURAND uint4 curand4(curandStateXORWOW_t *state)
{
    const unsigned int x = curand(state);
    const unsigned int y = curand(state);
    const unsigned int z = curand(state);

    return make_uint4(x, y, z, curand(state));
}

KG__MODEL_CURAND double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned int x = curand(state);

    return _curand_uniform_double_hq(x, curand(state));
}

KG__MODEL_CURAND double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return curand(state) * 0x1p-32 + 0x1p-32;
}

KG__MODEL_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);

    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z),
                       _curand_uniform(x.w));
}

KG__MODEL_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);

    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}

KG__MODEL_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    const float2 first = _curand_box_muller(x.x, x.y);
    const float2 second = _curand_box_muller(x.z, x.w);

    return make_float4(first.x, first.y, second.x, second.y);
}

template <typename State>
KG__MODEL_CURAND float curand_uniform(State *state)
{
    return _curand_uniform(curand(state));
}

template <typename State>
KG__MODEL_CURAND float2 curand_normal2(State *state)
{
    const unsigned int x = curand(state);

    return _curand_box_muller(x, curand(state));
}

template <typename State>
KG__MODEL_CURAND double2 curand_normal2_double(State *state)
{
    return _curand_box_muller_double(curand4(state));
}

/* Normal numbers are computed in pairs; the second is kept for the next call. */
#define KG__MODEL_NORMAL(name, type, pair, suffix)                                                 \
    template <typename State>                                                                      \
    KG__MODEL_CURAND type name(State *state)                                                       \
    {                                                                                              \
        if (state->boxmuller_flag##suffix != 0) {                                                  \
            state->boxmuller_flag##suffix = 0;                                                     \
            return state->boxmuller_extra##suffix;                                                 \
        }                                                                                          \
        const auto both = pair(state);                                                             \
                                                                                                   \
        state->boxmuller_extra##suffix = both.y;                                                   \
        state->boxmuller_flag##suffix = 1;                                                         \
        return both.x;                                                                             \
    }
KG__MODEL_NORMAL(curand_normal, float, curand_normal2, )
KG__MODEL_NORMAL(curand_normal_double, double, curand_normal2_double, _double)
#undef KG__MODEL_NORMAL

template <typename State>
KG__MODEL_CURAND float curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}

template <typename State>
KG__MODEL_CURAND double curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}

#include "kg_model_curand_more.h"

#undef KG__MODEL_CURAND
