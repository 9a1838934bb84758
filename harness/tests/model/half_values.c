/* SPDX-License-Identifier: MIT */
/* Every value of the small floating-point formats, and roundings to them, against a reference that
 * knows a format by its table of values alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/model/half_kernels.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef struct table {
    half_format format;
    const char *name;
    int fraction, bias;
    unsigned int largest; /* bits of the greatest finite value */
    unsigned int sign;
    bool has_infinity;
} table;

static const table tables[] = { { FLOAT16, "float16", 10, 15, 0x7bff, 0x8000, true },
                                { BFLOAT16, "bfloat16", 7, 127, 0x7f7f, 0x8000, true },
                                { E4M3, "e4m3", 3, 7, 0x7e, 0x80, false },
                                { E5M2, "e5m2", 2, 15, 0x7b, 0x80, true } };

/* By the definition of the format. */
static double defined_value(const table *t, unsigned int magnitude)
{
    const int exponent = (int)(magnitude >> t->fraction);
    const int fraction = (int)(magnitude & ((1u << t->fraction) - 1));

    return exponent == 0 ? ldexp(fraction, 1 - t->bias - t->fraction)
                         : ldexp(fraction + (1 << t->fraction), exponent - t->bias - t->fraction);
}

/* The same of a magnitude up to the one above the greatest, computed once. */
static double value_of(const table *t, unsigned int magnitude)
{
    static double values[LENGTH(tables)][0x8000];
    double *list = values[t - tables];

    for (unsigned int i = 1; list[t->largest + 1] == 0; i++)
        list[i] = defined_value(t, i);
    return list[magnitude];
}

/* The greatest magnitude of at most `value`; the formats' values ascend with their bits. */
static unsigned int floor_of(const table *t, long double value)
{
    unsigned int low = 0;
    unsigned int high = t->largest;

    while (low < high) {
        const unsigned int middle = (low + high + 1) / 2;

        if (value_of(t, middle) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The bits of `value`, by its neighbors in the table; mode as half_round() has it. */
static unsigned int reference(const table *t, long double value, int mode)
{
    const unsigned int sign = signbit(value) ? t->sign : 0;
    const long double size = fabsl(value);
    const unsigned int below = floor_of(t, size);
    /* One above the greatest stands where the next finite value would be. */
    const long double distance = size - value_of(t, below);
    const long double step = value_of(t, below + 1) - value_of(t, below);
    bool up = distance > 0;

    if (isinf(value))
        return sign | (t->largest + 1);
    if (mode == 0)
        up = distance > step / 2 || (distance == step / 2 && below % 2 == 1);
    else if (mode == 1)
        up = false;
    else
        up = up && (mode == 2) == (sign != 0);
    return sign | (below + (up ? 1 : 0));
}

static bool is_nan_of(const table *t, unsigned int bits)
{
    return (bits & (t->sign - 1)) > t->largest + (t->has_infinity ? 1 : 0);
}

Test(half_values, every_value_widens_and_returns)
{
    for (size_t k = 0; k < LENGTH(tables); k++) {
        const table *t = &tables[k];

        for (unsigned int bits = 0; bits < 2 * t->sign; bits++) {
            const unsigned int magnitude = bits & (t->sign - 1);
            const float value = half_widen(t->format, bits);

            if (is_nan_of(t, bits)) {
                cr_assert(isnan(value), "%s %#x", t->name, bits);
                cr_assert(is_nan_of(t, half_round(t->format, (double)value, 1)));
                continue;
            }
            cr_assert((signbit(value) != 0) == ((bits & t->sign) != 0), "%s %#x", t->name, bits);
            cr_assert(magnitude > t->largest ? isinf(value)
                                             : fabs((double)value) == value_of(t, magnitude),
                      "%s %#x is %g", t->name, bits, (double)value);
            cr_assert(half_round(t->format, (double)value, 1) == bits, "%s %#x", t->name, bits);
        }
    }
}

/* What lies around a value and around the tie above it. */
static int around(const table *t, unsigned int magnitude, double *values)
{
    const double value = value_of(t, magnitude);
    const double tie = (value + value_of(t, magnitude + 1)) / 2;
    const double list[] = { value,
                            nextafter(value, INFINITY),
                            nextafter(tie, 0),
                            tie,
                            nextafter(tie, INFINITY),
                            (double)nextafterf((float)tie, 0),
                            (double)nextafterf((float)tie, INFINITY) };

    memcpy(values, list, sizeof list);
    return (int)LENGTH(list);
}

static void expect_rounded(const table *t, double value, int mode)
{
    unsigned int expected = reference(t, value, t->sign == 0x80 ? 0 : mode);
    unsigned int got = half_round(t->format, value, mode);

    if (t->sign == 0x80 && mode != 1 && (expected & 0x7f) > t->largest)
        expected = (expected & 0x80) | t->largest;
    if (t->sign == 0x80 || mode == 0)
        cr_assert(got == expected, "%s %a in mode %d: %#x, not %#x", t->name, value, mode, got,
                  expected);
    if (t->sign == 0x80 || (double)(float)value != value)
        return;
    got = half_round_float(t->format, (float)value, mode);
    cr_assert(got == expected, "%s %a in mode %d: %#x, not %#x", t->name, value, mode, got,
              expected);
}

Test(half_values, all_modes_around_every_value_and_tie)
{
    for (size_t k = 0; k < LENGTH(tables) * 4; k++) {
        const table *t = &tables[k / 4];

        for (unsigned int magnitude = 0; magnitude <= t->largest; magnitude++) {
            double values[7];
            const int count = around(t, magnitude, values);

            for (int i = 0; i < count; i++) {
                expect_rounded(t, values[i], (int)k % 4);
                if (magnitude % 4 == k % 4)
                    expect_rounded(t, -values[i], (int)(k + magnitude / 4) % 4);
            }
        }
        expect_rounded(t, 1e300, (int)k % 4);
        expect_rounded(t, -1e-300, (int)k % 4);
        expect_rounded(t, 5e-324, (int)k % 4);
        expect_rounded(t, (double)INFINITY, (int)k % 4);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = (*state ^ (*state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);

    return mixed ^ (mixed >> 29);
}

/* Integers of each length, at ties of each format too; those of 64 bits are no doubles. */
Test(half_values, integers_round_once)
{
    uint64_t state = 1;

    for (int i = 0; i < 200000; i++) {
        const int shift = (int)(next_random(&state) % 64);
        uint64_t value = next_random(&state) >> shift;
        const table *t = &tables[i % 2];
        const int mode = i / 2 % 4;
        const int length = value == 0 ? 0 : 64 - __builtin_clzll(value);
        const int drop = length - t->fraction - 2;

        if (i % 3 == 0 && drop > 0) /* a tie, or next to one */
            value = ((value >> drop | 1) << drop) + (uint64_t)(i / 9 % 3) - 1;
        cr_assert(half_of_uint64(t->format, value, mode) == reference(t, (long double)value, mode),
                  "%s %llu %d", t->name, (unsigned long long)value, mode);
        if (value <= INT64_MAX)
            cr_assert(half_of_int64(t->format, -(int64_t)value, mode) ==
                          (value == 0 ? 0 : reference(t, -(long double)value, mode)),
                      "%s -%llu %d", t->name, (unsigned long long)value, mode);
    }
}

static double whole(double value, int mode)
{
    return mode == 0   ? nearbyint(value)
           : mode == 1 ? trunc(value)
           : mode == 2 ? floor(value)
                       : ceil(value);
}

Test(half_values, every_value_to_integers)
{
    for (size_t k = 0; k < 8; k++) {
        const table *t = &tables[k / 4];
        const int mode = (int)k % 4;

        for (unsigned int bits = 0; bits < 0x10000; bits++) {
            const double value = whole((double)half_widen(t->format, bits), mode);
            const bool nan = isnan(value);

            cr_assert(half_to_int64(t->format, bits, mode) == (nan || value < -0x1p63 ? INT64_MIN
                                                               : value >= 0x1p63      ? INT64_MAX
                                                                                 : (int64_t)value));
            cr_assert(half_to_uint64(t->format, bits, mode) == (nan         ? UINT64_C(1) << 63
                                                                : value < 0 ? 0
                                                                : value >= 0x1p64
                                                                    ? UINT64_MAX
                                                                    : (uint64_t)value));
            cr_assert(half_to_int(t->format, bits, mode) == (nan               ? 0
                                                             : value < -0x1p31 ? INT32_MIN
                                                             : value >= 0x1p31 ? INT32_MAX
                                                                               : (int)value));
            cr_assert(half_to_ushort(t->format, bits, mode) == (nan || value < 0 ? 0
                                                                : value > 65535
                                                                    ? 65535
                                                                    : (unsigned short)value));
        }
    }
}

/* x + c, moved toward what long double cannot hold of it, which can lie far below a tie. */
static long double sum_of(long double x, long double c)
{
    const long double sum = x + c;
    const long double from_c = sum - x;
    const long double lost = (x - (sum - from_c)) + (c - from_c);

    return lost == 0 || !isfinite(sum) ? sum : nextafterl(sum, lost > 0 ? INFINITY : -INFINITY);
}

static unsigned int exact_result(const table *t, char operation, double a, double b, double c)
{
    const long double x = a;
    const long double result = operation == '+'   ? sum_of(x, b)
                               : operation == '-' ? sum_of(x, -b)
                               : operation == '*' ? x * b
                               : operation == '/' ? x / b
                               : operation == 'r' ? sqrtl(x)
                                                  : sum_of(x * b, c);

    return isnan(result) ? 0x7fff : reference(t, result, 0);
}

/* Operands near each other, so that sums cancel, quotients are near 1, and ties occur. */
Test(half_values, arithmetic_rounds_once)
{
    static const char operations[] = "+-*/rf";
    uint64_t state = 7;

    for (int i = 0; i < 600000; i++) {
        const table *t = &tables[i % 2];
        const char operation = operations[i / 2 % 6];
        const uint64_t random = next_random(&state);
        const unsigned int a = (unsigned int)(random & 0xffff);
        const unsigned int b =
            (unsigned int)(i % 5 == 0 ? a ^ (random >> 16 & 0x80ff) : random >> 16) & 0xffff;
        const unsigned int c = (unsigned int)(random >> 32) & 0xffff;
        const unsigned int got = half_compute(t->format, operation, a, b, c);
        const double x = (double)half_widen(t->format, a);
        const double y = (double)half_widen(t->format, b);
        const double z = (double)half_widen(t->format, c);
        const unsigned int expected = exact_result(t, operation, x, y, z);

        cr_assert(got == expected, "%s %#x %c %#x (%#x): %#x, not %#x", t->name, a, operation, b, c,
                  got, expected);
    }
}

/* The product is 1 + 2^-10 + 2^-11 of float16: a tie, which the last term breaks either way, far
 * below double's last bit. */
Test(half_values, a_product_with_a_tiny_sum_rounds_once)
{
    const unsigned int a = 0x3c00 | 1 << 5; /* (1 + 2^-5) (1 + 2^-6): fractions 2^-5, -6, -11 */
    const unsigned int b = 0x3c00 | 1 << 4;
    const unsigned int least = 1; /* 2^-24 */
    const unsigned int even = half_compute(FLOAT16, 'f', a, b, 0);

    cr_assert(even == (0x3c00 | 1 << 5 | 1 << 4));
    cr_assert(half_compute(FLOAT16, 'f', a, b, least) == even + 1);
    cr_assert(half_compute(FLOAT16, 'f', a, b, 0x8000 | least) == even);
    /* Of bfloat16 2^-133 is added to (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8, which no double holds. */
    cr_assert(half_compute(BFLOAT16, 'f', 0x3f88, 0x3f88, 0) == 0x3f90);
    cr_assert(half_compute(BFLOAT16, 'f', 0x3f88, 0x3f88, 1) == 0x3f91);
    cr_assert(half_compute(BFLOAT16, 'f', 0x3f88, 0x3f88, 0x8001) == 0x3f90);
}

Test(half_values, types_names_and_operators)
{
    int line = 0;

    cr_assert(half_failures(&line) == 0, "half_functions.cpp:%d", line);
}

/* What nvcc's host code gives, for e2m1, e2m3, e3m2, e8m0, their functions, complex numbers, and
 * the generators MRG32k3a and Sobol's. */
Test(half_values, more_functions_are_those_of_cuda)
{
    static const uint64_t hashes[] = { 0xbf84ec52eb66c81a, 0xdb8d73a85253f50e, 0x56f12263a8c78c12,
                                       0xc3f92ab0d4d2a563, 0x2759b9398558b9ad, 0xda3853342bcbc860,
                                       0x178f493e1173a6a4, 0xd9e25f8e939c7b57 };

    for (int i = 0; i < (int)LENGTH(hashes); i++)
        cr_expect(hash_of_functions(i) == hashes[i], "%d: 0x%016llx", i,
                  (unsigned long long)hash_of_functions(i));
}
