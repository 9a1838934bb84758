/* SPDX-License-Identifier: MIT */
/* Mathematical functions of the device that the C library lacks, and jumps of random number
 * generators. Computed in long double, so that the result rounded to double is close. */
#include "model/include/kg_model_device.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L
#define ROOT_OF_PI 1.77245385090551602729816748334114518L

double kg__model_sine_of_pi(double x)
{
    double rest = x - 2.0 * rint(x / 2.0); /* exact, from -1 to 1 */

    if (fabs(rest) > 0.5)
        rest = copysign(1.0, rest) - rest;
    return rest == 0.0 ? copysign(0.0, x) : (double)sinl(PI * rest);
}

double kg__model_cosine_of_pi(double x)
{
    return (double)sinl(PI * (0.5L - (long double)fabs(x - 2.0 * rint(x / 2.0))));
}

double kg__model_scaled_erfc(double x)
{
    long double square = (long double)x * x;
    long double term = 1.0L;
    long double sum = 1.0L;

    if (!(x > 25.0))
        return (double)(expl(square) * erfcl(x));
    for (int i = 1; i < 10; i++) {
        term *= -(2 * i - 1) / (2.0L * square);
        sum += term;
    }
    return (double)(sum / (x * ROOT_OF_PI));
}

/* Returns erfc()'s inverse of y, from 0 to 1: Abramowitz and Stegun's 26.2.22, refined by
 * Halley's method. */
static long double invert_erfc(long double y)
{
    long double t = sqrtl(-2.0L * logl(y / 2.0L));
    long double x =
        (t - (2.30753L + t * 0.27061L) / (1.0L + t * (0.99229L + t * 0.04481L))) / sqrtl(2.0L);

    for (int i = 0; i < 4; i++) {
        long double step = (erfcl(x) - y) * ROOT_OF_PI / 2.0L * expl(x * x);

        x += step / (1.0L - x * step);
    }
    return x;
}

double kg__model_inverse_erfc(double x)
{
    if (!(x >= 0.0 && x <= 2.0))
        return NAN;
    if (x == 0.0 || x == 2.0)
        return x == 0.0 ? INFINITY : -INFINITY;
    if (x > 0.5 && x < 1.5)
        return kg__model_inverse_erf(1.0 - x);
    return (double)(x < 1.0 ? invert_erfc(x) : -invert_erfc(2.0L - x));
}

double kg__model_inverse_erf(double x)
{
    long double root = x * ROOT_OF_PI / 2.0L;

    if (!(x >= -1.0 && x <= 1.0))
        return NAN;
    if (fabs(x) == 1.0)
        return x * INFINITY;
    if (fabs(x) > 0.5)
        return (double)copysignl(invert_erfc(1.0L - fabsl(x)), x);
    for (int i = 0; i < 4 && x != 0.0; i++) {
        long double step = (erfl(root) - x) * ROOT_OF_PI / 2.0L * expl(root * root);

        root -= step / (1.0L + root * step);
    }
    return (double)root;
}

double kg__model_normal_cdf(double x)
{
    return (double)(erfcl(-x / sqrtl(2.0L)) / 2.0L);
}

double kg__model_inverse_normal_cdf(double x)
{
    if (!(x >= 0.0 && x <= 1.0))
        return NAN;
    if (x == 0.0 || x == 1.0)
        return x == 0.0 ? -INFINITY : INFINITY;
    if (x == 0.5)
        return 0.0;
    return (double)(sqrtl(2.0L) *
                    (x < 0.5 ? -invert_erfc(2.0L * x) : invert_erfc(2.0L - 2.0L * x)));
}

double kg__model_bessel(double x, int order)
{
    long double quarter = (long double)x * x / 4.0L;
    long double term = order == 0 ? 1.0L : x / 2.0L;
    long double sum = term;

    if (isinf(x))
        return order == 0 ? INFINITY : x;
    for (int i = 1; fabsl(term) > fabsl(sum) * LDBL_EPSILON && isfinite((double)sum); i++) {
        term *= quarter / ((long double)i * (i + order));
        sum += term;
    }
    return (double)sum;
}

double kg__model_norm_of(double x, double y, double z, double w)
{
    return hypot(hypot(x, y), hypot(z, w));
}

/* XORWOW's five words as 160 bits: a step is linear in them. */
#define WORDS 5
#define BITS (32 * WORDS)

typedef struct steps {
    unsigned int of_bit[BITS][WORDS]; /* the image of each bit */
} steps;

static void step_once(unsigned int words[WORDS])
{
    unsigned int mixed = words[0] ^ words[0] >> 2;

    memmove(words, words + 1, (WORDS - 1) * sizeof *words);
    words[WORDS - 1] ^= words[WORDS - 1] << 4 ^ mixed ^ mixed << 1;
}

static void apply(const steps *matrix, unsigned int words[WORDS])
{
    unsigned int result[WORDS] = { 0 };

    for (int bit = 0; bit < BITS; bit++) {
        /* A branch on a random bit takes four times as long. */
        const unsigned int mask = -(words[bit / 32] >> bit % 32 & 1);

        for (int i = 0; i < WORDS; i++)
            result[i] ^= matrix->of_bit[bit][i] & mask;
    }
    memcpy(words, result, sizeof result);
}

/* Blocks that run side by side share the tables of powers, which are made as needed. */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

/* Returns 2^power steps. */
static const steps *power_of_two(int power)
{
    static steps known[64 + 67];
    static int count;

    pthread_mutex_lock(&tables);
    for (; count <= power; count++) {
        for (int bit = 0; bit < BITS; bit++) {
            unsigned int *words = known[count].of_bit[bit];

            words[bit / 32] = 1u << bit % 32;
            if (count == 0) {
                step_once(words);
                continue;
            }
            apply(&known[count - 1], words);
            apply(&known[count - 1], words);
        }
    }
    pthread_mutex_unlock(&tables);
    return &known[power];
}

void kg__model_skip_xorwow(unsigned int words[5], unsigned long long count, int by_sequences)
{
    for (int bit = 0; count >> bit != 0; bit++) {
        if ((count >> bit & 1) != 0)
            apply(power_of_two(bit + (by_sequences ? 67 : 0)), words);
        if (bit == 63)
            break;
    }
}

/* One or more steps of one component of MRG32k3a, modulo its modulus. */
typedef struct mrg_steps {
    uint32_t row[3][3];
} mrg_steps;

static const uint32_t mrg_moduli[2] = { 4294967087u, 4294944443u };

static void mrg_apply(const mrg_steps *matrix, uint32_t modulus, const uint32_t vector[3],
                      uint32_t result[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;

        for (int j = 0; j < 3; j++)
            sum = (sum + (uint64_t)matrix->row[i][j] * vector[j] % modulus) % modulus;
        result[i] = (uint32_t)sum;
    }
}

/* Returns 2^power steps of a component. */
static const mrg_steps *mrg_power_of_two(int part, int power)
{
    static mrg_steps known[2][64 + 127] = {
        { { { { 0, 1, 0 }, { 0, 0, 1 }, { 4294967087u - 810728, 1403580, 0 } } } },
        { { { { 0, 1, 0 }, { 0, 0, 1 }, { 4294944443u - 1370589, 0, 527612 } } } }
    };
    static int count[2] = { 1, 1 };

    pthread_mutex_lock(&tables);
    for (; count[part] <= power; count[part]++) {
        const mrg_steps *half = &known[part][count[part] - 1];

        for (int column = 0; column < 3; column++) {
            const uint32_t of_half[3] = { half->row[0][column], half->row[1][column],
                                          half->row[2][column] };
            uint32_t whole[3];

            mrg_apply(half, mrg_moduli[part], of_half, whole);
            for (int i = 0; i < 3; i++)
                known[part][count[part]].row[i][column] = whole[i];
        }
    }
    pthread_mutex_unlock(&tables);
    return &known[part][power];
}

void kg__model_skip_mrg(unsigned int s1[3], unsigned int s2[3], unsigned long long steps, int power)
{
    unsigned int *parts[2] = { s1, s2 };

    for (int bit = 0; bit < 64; bit++) {
        for (int part = 0; part < 2 && (steps >> bit & 1) != 0; part++) {
            uint32_t result[3];

            mrg_apply(mrg_power_of_two(part, bit + power), mrg_moduli[part], parts[part], result);
            memcpy(parts[part], result, sizeof result);
        }
    }
}
