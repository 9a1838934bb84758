/* SPDX-License-Identifier: MIT */
/* Comparing computed elements with expected ones: what meets its tolerance, and what never does. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "observer/accuracy.h"
#include "observer/compare.h"

/* Every comparison of one element: a right one passes, and a wrong one is described. */
static bool is_right(kg_type type, const void *computed, double expected, double tolerance)
{
    kg_mismatch mismatch;
    size_t unwritten;
    bool right = kg__compare(type, computed, &expected, &tolerance, 1, 0xff, &mismatch, &unwritten);

    cr_assert(mismatch.count == (right ? 0 : 1));
    cr_assert(!mismatch.is_row);
    return right;
}

static bool float_is_right(float computed, double expected, double tolerance)
{
    return is_right(KG_FLOAT32, &computed, expected, tolerance);
}

Test(elements, floats_meet_the_tolerance_or_miss_it)
{
    cr_assert(float_is_right(1.0f, 1.0, 0));
    cr_assert(float_is_right(0.0f, -0.0, 0));
    cr_assert(float_is_right(1.5f, 1.25, 0.25), "exactly met");
    cr_assert(float_is_right(1.0f, 1.25, 0.25), "on either side");
    cr_assert(!float_is_right(1.5f, 1.25, nextafter(0.25, 0)), "just missed");
    cr_assert(!float_is_right(1.0f, 1.25, nextafter(0.25, 0)));
    cr_assert(!float_is_right(nextafterf(1.0f, 2.0f), 1.0, 0));
}

Test(elements, neither_nan_nor_a_wrong_infinity_passes)
{
    cr_assert(!float_is_right(NAN, 1.0, 1e30));
    cr_assert(!float_is_right(1.0f, NAN, 1e30));
    cr_assert(!float_is_right(1.0f, 1.0f + 1e-3, NAN), "nor does a tolerance");
    cr_assert(!float_is_right(INFINITY, 1.0, 1e300));
    cr_assert(!float_is_right(INFINITY, -INFINITY, 1));
    cr_assert(!float_is_right(3e38f, INFINITY, 1));
    cr_assert(float_is_right(INFINITY, INFINITY, 0));
    cr_assert(float_is_right(-INFINITY, -INFINITY, 0));
}

/* A mean of nothing is NaN, and nothing but NaN. */
Test(elements, a_nan_is_right_where_one_is_due)
{
    float computed[5] = { NAN, -NAN, 0, NAN, INFINITY };
    double expected[5] = { NAN, NAN, NAN, 1, NAN };
    double tolerance[5] = { 0, 0, INFINITY, INFINITY, NAN };
    kg_mismatch mismatch;
    size_t unwritten;

    cr_assert(float_is_right(NAN, NAN, 0));
    cr_assert(float_is_right(NAN, NAN, NAN));
    cr_assert(!float_is_right(0.0f, NAN, INFINITY));
    cr_assert(!float_is_right(INFINITY, NAN, INFINITY));
    cr_assert(!float_is_right(NAN, INFINITY, INFINITY));
    cr_assert(float_is_right(NAN, 0, INFINITY), "not compared");
    cr_assert(
        !kg__compare(KG_FLOAT32, computed, expected, tolerance, 5, 0x5a, &mismatch, &unwritten));
    cr_assert(mismatch.count == 2 && mismatch.index == 2 && isnan(mismatch.expected));
}

Test(elements, integers_and_bytes)
{
    int32_t least = INT32_MIN;
    int32_t most = INT32_MAX;
    uint8_t byte = 255;

    cr_assert(is_right(KG_INT32, &least, -2147483648.0, 0));
    cr_assert(is_right(KG_INT32, &most, 2147483647.0, 0));
    cr_assert(!is_right(KG_INT32, &most, 2147483646.0, 0));
    cr_assert(is_right(KG_INT32, &most, 2147483646.0, 1));
    cr_assert(!is_right(KG_INT32, &most, NAN, 0));
    cr_assert(is_right(KG_UINT8, &byte, 255.0, 0));
    cr_assert(!is_right(KG_UINT8, &byte, -1.0, 0), "bytes are unsigned");
}

Test(elements, the_first_bad_element_and_the_count)
{
    float computed[6] = { 1, 2, 30, 4, NAN, 60 };
    double expected[6] = { 1, 2, 3, 4, 5, 6 };
    double tolerance[6] = { 0, 0, 0.5, 0, 0.25, 0 };
    kg_mismatch mismatch;
    size_t unwritten = 9;

    cr_assert(
        !kg__compare(KG_FLOAT32, computed, expected, tolerance, 6, 0xff, &mismatch, &unwritten));
    cr_assert(mismatch.index == 2 && mismatch.count == 3);
    cr_assert(mismatch.expected == 3 && mismatch.got == 30 && mismatch.tolerance == 0.5);
    cr_assert(unwritten == 0, "a NaN of arithmetic is not a poison");
    cr_assert(
        kg__compare(KG_FLOAT32, computed, expected, tolerance, 2, 0xff, &mismatch, &unwritten));
    cr_assert(mismatch.count == 0);
    cr_assert(
        kg__compare(KG_FLOAT32, computed, expected, tolerance, 0, 0xff, &mismatch, &unwritten));
}

/* Each of the threads that compare a large array finds what is wrong in its share. */
Test(elements, wrong_elements_of_a_large_array)
{
    enum { COUNT = (1 << 22) + 3 };
    static const size_t places[] = { 0, COUNT / 3, COUNT / 2, COUNT - 4, COUNT - 1 };
    static uint8_t computed[COUNT];
    static double zeros[COUNT];
    kg_mismatch mismatch;
    size_t unwritten;

    cr_expect(kg__compare(KG_UINT8, computed, zeros, zeros, COUNT, 0xa5, &mismatch, &unwritten));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        computed[places[i]] = 1;
        cr_expect(
            !kg__compare(KG_UINT8, computed, zeros, zeros, COUNT, 0xa5, &mismatch, &unwritten));
        cr_expect(mismatch.count == 1 && mismatch.index == places[i]);
        computed[places[i]] = 0;
    }
}

Test(elements, unwritten_elements_are_counted)
{
    int32_t integers[4] = { 1, 0, 3, 0 };
    uint8_t bytes[4] = { 0xa5, 2, 0xa5, 4 };
    double expected[4] = { 1, 2, 3, 4 };
    double right_by_chance[4] = { 0xa5, 2, 3, 4 };
    double tolerance[4] = { 0 };
    kg_mismatch mismatch;
    size_t unwritten;

    memset(&integers[1], 0xa5, 4);
    memset(&integers[3], 0xa5, 4);
    ((unsigned char *)&integers[3])[2] = 0;
    cr_assert(
        !kg__compare(KG_INT32, integers, expected, tolerance, 4, 0xa5, &mismatch, &unwritten));
    cr_assert(mismatch.count == 2 && unwritten == 1, "three bytes of poison are none");
    cr_assert(
        !kg__compare(KG_UINT8, bytes, right_by_chance, tolerance, 4, 0xa5, &mismatch, &unwritten));
    cr_assert(mismatch.count == 1 && mismatch.index == 2 && unwritten == 1);
}

Test(elements, poisons_differ_and_are_no_results)
{
    for (int pattern = 0; pattern < 3; pattern++) {
        float value;

        memset(&value, kg__poison(pattern), sizeof value);
        cr_assert(fabsf(value) > 1e16F && isfinite(value), "%g", (double)value);
    }
    cr_assert(kg__poison(0) != kg__poison(1) && kg__poison(1) != kg__poison(2));
    cr_assert(kg__poison(3) == kg__poison(0));
}

/* Both sums are within the tolerance of one in half; that in float is no further off than its one
 * rounding to half. */
Test(elements, a_sum_in_half_is_less_accurate)
{
    double expected = 0;
    double magnitude = 0;
    float in_float = 0;
    uint16_t sums[2] = { 0, 0 };
    double tolerance;
    kg__accuracy accurate;
    kg__accuracy rough;

    for (int i = 0; i < 64; i++) {
        double term = 1.0 / (i + 3);

        expected += term;
        magnitude += fabs(term);
        in_float += (float)term;
        kg_set_element(KG_FLOAT16, sums, 1, kg_element(KG_FLOAT16, sums, 1) + term);
    }
    kg_set_element(KG_FLOAT16, sums, 0, in_float);
    tolerance = kg_sum_tolerance(KG_FLOAT16, KG_FLOAT16, 64, magnitude);
    cr_assert(is_right(KG_FLOAT16, &sums[0], expected, tolerance) &&
              is_right(KG_FLOAT16, &sums[1], expected, tolerance));
    accurate = kg__accuracy_of(KG_FLOAT16, &sums[0], &expected, &tolerance, 1);
    rough = kg__accuracy_of(KG_FLOAT16, &sums[1], &expected, &tolerance, 1);
    cr_expect(accurate.max >= 0 && accurate.max <= 1 && rough.max > 1, "%g, %g", accurate.max,
              rough.max);
}

/* By the formula: two elements of errors 1/4 and 1/8 and tolerances 1 and 1/2, the largest 2. What
 * is exact by its tolerance, not finite or not compared has no part in it. */
Test(elements, errors_are_at_the_scale_of_the_bound)
{
    const float computed[] = { 2.25f, 0.125f, 5, NAN, INFINITY, 7 };
    const double expected[] = { 2, 0, 5, NAN, INFINITY, 9 };
    double tolerance[] = { 1, 0.5, 0, 1, 1, INFINITY };
    const double twice[] = { 2, 2 };
    const int32_t integers[] = { 3, -1 };
    const uint64_t wide[] = { UINT64_MAX, 2 };
    const uint64_t wide_expected[] = { UINT64_MAX - 1, 5 };
    double as_itself[2];
    kg__accuracy found;

    found = kg__accuracy_of(KG_FLOAT32, computed, expected, tolerance, 6);
    cr_expect(found.max == 2097000 && found.mean == 2097000, "%g, %g", found.max, found.mean);
    tolerance[1] = 0.25;
    found = kg__accuracy_of(KG_FLOAT32, computed, expected, tolerance, 6);
    cr_expect(found.max == 4194000 && found.mean == 3146000, "%g, %g", found.max, found.mean);
    cr_expect(kg__accuracy_of(KG_FLOAT32, computed + 1, expected + 1, tolerance + 1, 1).max < 0,
              "nothing but 0 is expected");
    found = kg__accuracy_of(KG_INT32, integers, twice, (const double[]){ 2, 4 }, 2);
    cr_expect(found.max == 3 && found.mean == 2.5, "%g, %g", found.max, found.mean);
    cr_expect(kg__accuracy_of(KG_INT32, integers, twice, (const double[]){ 0, 0 }, 2).max < 0);
    memcpy(as_itself, wide_expected, sizeof as_itself);
    found = kg__accuracy_of(KG_UINT64, wide, as_itself, (const double[]){ 4, 4 }, 2);
    cr_expect(found.max == 3 && found.mean == 2, "%g, %g", found.max, found.mean);
}
