/* SPDX-License-Identifier: MIT */
/* The rows of element types: conversion, random numbers, comparison, printing. */
#include "suite/element_type.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#define MAX_INT64 9223372036854775807.0 /* as a double: 2^63 */

/* What a type makes of numbers: of its greatest one, of what lies above, and around a tie. */
static const struct {
    kg_type type;
    const char *name;
    size_t size;
    double roundoff;
    double largest, above; /* above: 1e300 is stored as this */
    double tie, even;      /* between 1 or another number and the next */
} types[] = {
    { KG_FLOAT64, "float64", 8, 0x1p-53, 0x1.fffffffffffffp1023, 1e300, 1.0, 1.0 },
    { KG_FLOAT32, "float32", 4, 0x1p-24, 0x1.fffffep127, (double)INFINITY, 1 + 0x1p-24, 1.0 },
    { KG_FLOAT16, "float16", 2, 0x1p-11, 65504, (double)INFINITY, 1 + 0x3p-11, 1 + 0x1p-9 },
    { KG_BFLOAT16, "bfloat16", 2, 0x1p-8, 0x1.fep127, (double)INFINITY, 1 + 0x1p-8, 1.0 },
    { KG_FLOAT8_E4M3, "float8_e4m3", 1, 0x1p-4, 448, 448, 0x1p-10, 0 },
    { KG_FLOAT8_E5M2, "float8_e5m2", 1, 0x1p-3, 57344, 57344, 1.125, 1.0 },
    { KG_INT8, "int8", 1, 0, 127, 127, -2.5, -2 },
    { KG_INT16, "int16", 2, 0, 32767, 32767, 3.5, 4 },
    { KG_INT32, "int32", 4, 0, 2147483647, 2147483647, -0.5, 0 },
    { KG_INT64, "int64", 8, 0, MAX_INT64, MAX_INT64, 4.5, 4 },
    { KG_UINT8, "uint8", 1, 0, 255, 255, 0.5, 0 },
    { KG_UINT16, "uint16", 2, 0, 65535, 65535, 1.5, 2 },
    { KG_UINT32, "uint32", 4, 0, 4294967295, 4294967295, -7, 0 },
    { KG_UINT64, "uint64", 8, 0, 18446744073709551615.0, 18446744073709551615.0, 2.5, 2 },
};

/* A number after storing it, between two others that stay as they are. */
static double stored(kg_type type, double value)
{
    unsigned char data[24];
    unsigned char before[24];
    size_t size = kg_type_size(type);

    memset(data, 0x5a, sizeof data);
    memcpy(before, data, sizeof data);
    kg_set_element(type, data, 1, value);
    cr_assert(memcmp(data, before, size) == 0);
    cr_assert(memcmp(data + 2 * size, before, size) == 0);
    return kg_element(type, data, 1);
}

Test(element_type, each_row)
{
    for (size_t i = 0; i < LENGTH(types); i++) {
        const kg__element_type *row = kg__element_type_of(types[i].type);
        kg_type type = types[i].type;

        cr_assert_str_eq(row->name, types[i].name);
        cr_expect(kg_type_size(type) == types[i].size && row->size == types[i].size);
        cr_expect(kg_roundoff(type) == types[i].roundoff, "%s", types[i].name);
        cr_expect(stored(type, types[i].largest) == types[i].largest, "%s", types[i].name);
        cr_expect(stored(type, 1e300) == types[i].above, "%s", types[i].name);
        cr_expect(stored(type, types[i].tie) == types[i].even, "%s: %a", types[i].name,
                  stored(type, types[i].tie));
        cr_expect(stored(type, 1) == 1 && stored(type, 0) == 0);
        cr_expect(row->significand > 0 ? isnan(stored(type, (double)NAN))
                                       : stored(type, (double)NAN) == 0);
        if (row->significand > 0) {
            cr_expect(stored(type, row->least) == row->least && row->least > 0, "%s",
                      types[i].name);
            cr_expect(stored(type, -row->least * 0.49) == 0, "%s", types[i].name);
        }
    }
    cr_assert(LENGTH(types) == KG_UINT64 + 1, "a row for each");
    cr_assert(kg__element_type_of((kg_type)LENGTH(types)) == NULL);
    cr_assert(kg__element_type_of((kg_type)-1) == NULL);
}

/* Every value of 8 and 16 bits comes back, and lies where its format says. */
Test(element_type, every_value_of_small_floats)
{
    static const struct {
        kg_type type;
        int fraction, bias;
        unsigned largest;
    } formats[] = { { KG_FLOAT16, 10, 15, 0x7bff },
                    { KG_BFLOAT16, 7, 127, 0x7f7f },
                    { KG_FLOAT8_E4M3, 3, 7, 0x7e },
                    { KG_FLOAT8_E5M2, 2, 15, 0x7b } };

    for (size_t i = 0; i < LENGTH(formats); i++) {
        const int fraction = formats[i].fraction;

        for (unsigned bits = 0; bits <= formats[i].largest; bits++) {
            const int exponent = (int)(bits >> fraction);
            const double value = exponent == 0
                                     ? ldexp(bits, 1 - formats[i].bias - fraction)
                                     : ldexp((bits & ((1u << fraction) - 1)) + (1u << fraction),
                                             exponent - formats[i].bias - fraction);
            uint16_t got = 0;

            cr_assert(kg_element(formats[i].type, &(uint16_t){ (uint16_t)bits }, 0) == value);
            kg_set_element(formats[i].type, &got, 0, value);
            cr_assert(got == bits, "%a is %#x, not %#x", value, got, bits);
        }
    }
    cr_assert(kg_element(KG_FLOAT16, &(uint16_t){ 0xfc00 }, 0) == -(double)INFINITY);
    cr_assert(isnan(kg_element(KG_FLOAT8_E4M3, &(uint8_t){ 0x7f }, 0)));
    cr_assert(isnan(kg_element(KG_BFLOAT16, &(uint16_t){ 0x7f81 }, 0)));
}

/* Random floats are in [-1, 1), on both ends and in both signs; integers take their whole range.
 * The seeds are those whose first random bits are all 0, all 1, and the highest one alone. */
Test(element_type, random_numbers)
{
    static const uint64_t none = 0x61c8864680b583ebu;
    static const uint64_t all = 0x31628af67b2131abu;
    static const uint64_t highest = 0x2fedf1efce1d5545u;

    for (size_t i = 0; i < LENGTH(types); i++) {
        const kg__element_type *row = kg__element_type_of(types[i].type);
        uint64_t data;
        double least;
        double most;
        double half;

        row->randomize(&data, 0, 1, none);
        least = row->get(&data, 0);
        row->randomize(&data, 0, 1, all);
        most = row->get(&data, 0);
        row->randomize(&data, 0, 1, highest);
        half = row->get(&data, 0);
        if (row->significand > 0) {
            cr_expect(least == -1 && half == 0, "%s", row->name);
            cr_expect(most == 1 - 2 * kg_roundoff(types[i].type), "%s: %a", row->name, most);
        } else {
            cr_expect(least == 0 && most == (row->name[0] == 'u' ? types[i].largest : -1), "%s",
                      row->name);
        }
    }
}

static bool is_right(kg_type type, const void *computed, const void *expected, double tolerance)
{
    return kg__element_type_of(type)->next_wrong(computed, expected, &tolerance, 0, 1) == 1;
}

/* Beyond 2^53, where doubles are no longer integers one by one. */
Test(element_type, long_integers_compare_exactly)
{
    static const struct {
        int64_t computed, expected;
        double tolerance;
        bool right;
    } rows[] = {
        { INT64_MAX, INT64_MAX, 0, true },
        { INT64_MAX, INT64_MAX - 1, 0, false },
        { INT64_MAX, INT64_MAX - 1, 0.99, false },
        { INT64_MAX, INT64_MAX - 1, 1, true },
        { INT64_MIN, INT64_MAX, 0x1p63, false },
        { INT64_MIN, INT64_MAX, 0x1p64, true },
        { INT64_MIN, INT64_MAX, (double)INFINITY, true },
        { (1LL << 53) + 1, 1LL << 53, (double)NAN, false },
        { (1LL << 53) + 1, (1LL << 53) + 1, (double)NAN, true },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint64_t flip = UINT64_C(1) << 63;
        const uint64_t computed = (uint64_t)rows[i].computed ^ flip;
        const uint64_t expected = (uint64_t)rows[i].expected ^ flip;

        cr_expect(is_right(KG_INT64, &rows[i].computed, &rows[i].expected, rows[i].tolerance) ==
                      rows[i].right,
                  "row %zu", i);
        cr_expect(is_right(KG_UINT64, &computed, &expected, rows[i].tolerance) == rows[i].right,
                  "row %zu", i);
    }
}

Test(element_type, messages_lose_no_digit)
{
    static const struct {
        kg_type type;
        union {
            uint64_t bits;
            double number;
        } computed, expected;
        const char *shown, *shown_expected;
    } rows[] = {
        { KG_INT64,
          { .bits = INT64_MAX },
          { .bits = INT64_MAX - 1 },
          "9223372036854775807",
          "9223372036854775806" },
        { KG_UINT64, { .bits = UINT64_MAX }, { .bits = 0 }, "18446744073709551615", "0" },
        { KG_FLOAT64,
          { .number = 0.1 },
          { .number = 1.0 / 3 },
          "0.10000000000000001",
          "0.33333333333333331" },
        { KG_FLOAT32, { .bits = 0x3dcccccd }, { .number = 0.1 }, "0.1000000015", "0.1" },
        { KG_FLOAT16, { .bits = 0x2e66 }, { .number = (double)NAN }, "0.09997558594", "NaN" },
        { KG_FLOAT8_E4M3, { .bits = 0x7f }, { .number = 448 }, "NaN", "448" },
        { KG_INT8, { .bits = 0x80 }, { .number = 127 }, "-128", "127" },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        const kg__element_type *row = kg__element_type_of(rows[i].type);
        char text[32];

        row->show(text, sizeof text, &rows[i].computed, 0);
        cr_expect_str_eq(text, rows[i].shown);
        kg__element_show_expected(row, text, sizeof text, &rows[i].expected.number, 0);
        cr_expect_str_eq(text, rows[i].shown_expected);
    }
}

/* The accumulation's type and the storage's are apart. */
Test(element_type, tolerance_of_a_sum)
{
    static const struct {
        kg_type accumulated, stored;
        int64_t terms;
        double least, most; /* of a magnitude of 1 */
    } rows[] = {
        { KG_FLOAT32, KG_FLOAT32, 1024, 0x1p-14, 0x1.001p-14 },
        { KG_FLOAT32, KG_FLOAT16, 1024, 0x1p-11 + 0x1p-14, 0x1.001p-11 + 0x1.001p-14 },
        { KG_FLOAT16, KG_FLOAT16, 64, 0x1p-5, 0x1.1p-5 },
        { KG_FLOAT64, KG_FLOAT32, 1, 0x1p-24, 0x1.0001p-24 },
        { KG_INT32, KG_INT64, 1000, 0, 0 },
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        const double tolerance =
            kg_sum_tolerance(rows[i].accumulated, rows[i].stored, rows[i].terms, 1);

        cr_expect(tolerance >= rows[i].least && tolerance <= rows[i].most, "row %zu: %a", i,
                  tolerance);
    }
    /* Without a bound only what is equal passes. */
    cr_expect(isnan(kg_sum_tolerance(KG_BFLOAT16, KG_FLOAT32, 256, 1)));
    cr_expect(isnan(kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, 2, (double)INFINITY)));
}
