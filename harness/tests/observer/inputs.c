/* SPDX-License-Identifier: MIT */
/* The inputs "wide", and what they show that random ones in [-1, 1) do not: a softmax that does not
 * subtract the maximum. */
#include "observer/inputs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "observer/check.h"
#include "suite/element_type.h"
#include "tests/fakes/idle_callbacks.h"

static kg__error why;

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { ROWS = 64, COLUMNS = 33, COUNT = 4096 };

static kg_type type_now; /* of the arguments */

static const kg_size size = KG_CHECKED(ROWS, COLUMNS);

/* Wide numbers of each type: the greatest magnitude, and the bits of a significand that ends in the
 * middle between two values of the next narrower type; 0: there is none. */
static const struct {
    kg_type type;
    double most;
    int halfway;
} types[] = { { KG_FLOAT64, 0x1p300, 25 }, { KG_FLOAT32, 0x1p40, 12 }, { KG_FLOAT16, 128, 9 },
              { KG_BFLOAT16, 0x1p40, 5 },  { KG_FLOAT8_E4M3, 256, 4 }, { KG_FLOAT8_E5M2, 128, 0 } };

/* Bits of a number's significand up to the last that is set. */
static int significant_bits(double value)
{
    int exponent;
    double fraction = fabs(frexp(value, &exponent));
    int bits = 0;

    while (fraction != 0) {
        fraction = fraction * 2 - floor(fraction * 2);
        bits++;
    }
    return bits;
}

/* Whether wide numbers of a type have what is said of them. */
static void expect_wide(size_t row)
{
    const kg__element_type *type = kg__element_type_of(types[row].type);
    double data[COUNT];
    size_t seen[4] = { 0 }; /* zeros, negative and below 1, equal to one before, halfway */
    double most = 0;

    kg__element_fill_wide(type, data, COUNT, 1,
                          (kg_magnitudes){ 1 / types[row].most, types[row].most }, true);
    for (size_t i = 0; i < COUNT; i++) {
        double value = type->get(data, i);

        cr_assert(value == 0 || fabs(value) >= 0.5 / types[row].most, "%s %g", type->name, value);
        most = fmax(most, fabs(value));
        seen[0] += value == 0;
        seen[1] += value < 0 && value > -1;
        for (size_t back = 1; back <= 32 && back <= i; back++)
            seen[2] += value != 0 && value == type->get(data, i - back);
        seen[3] += significant_bits(value) == types[row].halfway;
    }
    cr_expect(most == types[row].most, "%s: %g", type->name, most);
    cr_expect(seen[0] > COUNT / 32 && seen[0] < COUNT / 8, "%s: %zu zeros", type->name, seen[0]);
    cr_expect(seen[1] > COUNT / 8 && seen[1] < COUNT / 2, "%s: %zu", type->name, seen[1]);
    cr_expect(seen[2] > COUNT / 16, "%s: %zu equal", type->name, seen[2]);
    cr_expect(types[row].halfway == 0 || seen[3] > COUNT / 32, "%s: %zu halfway", type->name,
              seen[3]);
}

Test(inputs, wide_numbers_of_each_type)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        expect_wide(i);
}

static void of_one_type(const kg_size *of, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", type_now, kg_extent(of, 0), kg_extent(of, 1));
    kg_add_argument(list, KG_OUTPUT, "y", type_now, kg_extent(of, 0), kg_extent(of, 1));
}

/* exp(x - shift) over the sum of these of its row, in float or in double. */
static void softmax(kg_type type, const void *x, bool shifted, bool in_float, size_t row,
                    double *result)
{
    double most = -(double)INFINITY;
    double sum = 0;

    for (size_t i = 0; i < COLUMNS; i++)
        most = fmax(most, kg_element(type, x, row * COLUMNS + i));
    for (size_t i = 0; i < COLUMNS; i++) {
        double power = kg_element(type, x, row * COLUMNS + i) - (shifted ? most : 0);

        result[i] = in_float ? (double)expf((float)power) : exp(power);
        sum = in_float ? (double)((float)sum + (float)result[i]) : sum + result[i];
    }
    for (size_t i = 0; i < COLUMNS; i++)
        result[i] /= sum;
}

static cudaError_t run(const kg_call *call, bool shifted)
{
    double result[COLUMNS];

    for (size_t row = 0; row < ROWS; row++) {
        softmax(type_now, call->argument[0], shifted, true, row, result);
        for (size_t i = 0; i < COLUMNS; i++)
            kg_set_element(type_now, call->argument[1], row * COLUMNS + i, result[i]);
    }
    return cudaSuccess;
}

static cudaError_t shifted(const kg_call *call)
{
    return run(call, true);
}

static cudaError_t unshifted(const kg_call *call)
{
    return run(call, false);
}

static bool naive_reference; /* the reference does not subtract the maximum either */

static void expect_softmax(const kg_problem *problem, int output, double *expected,
                           double *tolerance)
{
    (void)output;
    for (size_t row = 0; row < ROWS; row++)
        softmax(type_now, problem->data[0], !naive_reference, false, row, expected + row * COLUMNS);
    /* In proportion to the result alone, however small that is. */
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        tolerance[i] = (2 * kg_roundoff(type_now) + 1e-4) * expected[i];
}

static kg__outcome check(const kg_comparison *comparison, kg_launcher *launch)
{
    const kg_variant variant = { .name = "softmax", .launch = launch, .launcher = "softmax" };
    const kg__case one = { .variant = &variant, .size = &size, .id = "softmax" };
    kg__checker checker = { 0 };
    kg__outcome outcome = kg__check_case(&checker, comparison, &one, &why);

    kg__checker_free(&checker);
    return outcome;
}

/* By a reference that is right, and by one in double that overflows later than floats do. */
Test(inputs, a_softmax_must_subtract_the_maximum)
{
    kg_comparison comparison = { .name = "softmax",
                                 .arguments = of_one_type,
                                 .reference = expect_softmax };

    for (size_t i = 1; i < 2 * LENGTH(types); i++) {
        type_now = types[i % LENGTH(types)].type;
        naive_reference = i >= LENGTH(types);
        if (type_now == KG_FLOAT64)
            continue;
        comparison.advanced.wide = (kg_magnitudes){ 0 };
        cr_expect(check(&comparison, shifted) == KG__RIGHT, "%zu: %s", i, why.text);
        cr_expect(check(&comparison, unshifted) == KG__INCORRECT, "%zu", i);
        cr_expect(strstr(why.text, "got NaN") != NULL &&
                      strstr(why.text, "; inputs wide") != NULL &&
                      strstr(why.text, ".advanced.wide = { 0, 100 }") != NULL,
                  "%zu: %s", i, why.text);
        comparison.advanced.wide = (kg_magnitudes){ 0, 16 };
        cr_expect(check(&comparison, unshifted) == KG__RIGHT, "%zu: %s", i, why.text);
        comparison.advanced.wide = (kg_magnitudes)KG_NOT_WIDE;
        cr_expect(check(&comparison, unshifted) == KG__RIGHT, "%zu: %s", i, why.text);
    }
}

static double (*function)(double x);

static void expect_function(const kg_problem *problem, int output, double *expected,
                            double *tolerance)
{
    (void)output;
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        expected[i] = function(kg_element(type_now, problem->data[0], i));
        tolerance[i] = 1e-3 * fabs(expected[i]);
    }
}

static double cube(double x)
{
    return x * x * x;
}

static double inverse(double x)
{
    return 1 / x;
}

static double root(double x)
{
    return sqrt(x);
}

/* The range is as wide as what is expected of it is finite in the output's type; NaN stays. */
Test(inputs, results_stay_finite)
{
    static const struct {
        kg_type type;
        double (*function)(double x);
        double widest;
        bool zeros;
    } rows[] = {
        { KG_FLOAT32, exp, 64, true },      { KG_FLOAT16, cube, 32, true },
        { KG_FLOAT32, cube, 0x1p40, true }, { KG_FLOAT32, inverse, 1, false },
        { KG_FLOAT32, root, 1, false },     { KG_FLOAT8_E4M3, cube, 4, true },
    };
    const kg_variant variant = KG_VARIANT("any", launch_nothing, "");
    const kg__case one = { .variant = &variant, .size = &size, .id = "any" };
    const kg_comparison comparison = { .name = "any",
                                       .arguments = of_one_type,
                                       .reference = expect_function };
    kg__problem problem;

    for (size_t i = 0; i < LENGTH(rows); i++) {
        size_t zeros = 0;
        double most = 0;

        type_now = rows[i].type;
        function = rows[i].function;
        cr_assert(kg__problem_make(&comparison, &one, 1, &problem, &why), "%s", why.text);
        for (size_t j = 0; j < (size_t)ROWS * COLUMNS; j++) {
            double x = kg_element(type_now, problem.base.data[0], j);

            most = fmax(most, fabs(x));
            zeros += x == 0;
        }
        cr_expect(most == rows[i].widest && problem.widest == most, "%zu: %g", i, most);
        cr_expect((zeros > 0) == rows[i].zeros, "%zu: %zu zeros", i, zeros);
        kg__problem_free(&problem);
    }
}

enum { INDEX, CHANGED, LEFT };

static void of_an_own_pattern(const kg_size *of, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "index", KG_INT32, 1, kg_extent(of, 0));
    kg_add_argument(list, KG_INPUT, "changed", KG_FLOAT32, 1, kg_extent(of, 0));
    if (type_now == KG_FLOAT32)
        kg_add_argument(list, KG_INPUT, "left", KG_FLOAT32, 1, kg_extent(of, 0));
    kg_add_argument(list, KG_OUTPUT, "result", KG_FLOAT32, 1, kg_extent(of, 0));
}

static void fill_own(const kg_problem *problem, int argument, void *data)
{
    kg_fill_random(problem, argument, data);
    for (int i = 0; i < ROWS; i++) {
        if (argument == INDEX)
            ((int32_t *)data)[i] = i;
        else if (argument == CHANGED)
            ((float *)data)[i] = fabsf(((float *)data)[i]);
    }
}

static const kg_pattern own[] = { { "random", fill_own, NULL, false }, KG_END };
static const kg_pattern own_wide[] = { { "wide", fill_own, NULL, false }, KG_END };
static const kg_pattern own_exact[] = { { "random", fill_own, NULL, true }, KG_END };

/* A suite's own pattern keeps what it fills: indices, and floats of its own making. */
Test(inputs, an_own_pattern_is_widened_where_it_is_random)
{
    const kg_variant variant = KG_VARIANT("any", launch_nothing, "");
    const kg__case one = { .variant = &variant, .size = &size, .id = "any" };
    kg_comparison comparison = { .name = "any",
                                 .arguments = of_an_own_pattern,
                                 .reference = no_reference,
                                 .advanced.patterns = own };
    kg__problem random;
    kg__problem wide;

    type_now = KG_FLOAT32;
    cr_assert(kg__pattern_count(&comparison) == 2);
    cr_assert_str_eq(kg__pattern_at(&comparison, 1).name, "wide");
    cr_assert(kg__problem_make(&comparison, &one, 0, &random, &why), "%s", why.text);
    cr_assert(kg__problem_make(&comparison, &one, 1, &wide, &why), "%s", why.text);
    cr_expect(memcmp(random.base.data[INDEX], wide.base.data[INDEX], ROWS * 4) == 0);
    cr_expect(memcmp(random.base.data[CHANGED], wide.base.data[CHANGED], ROWS * 4) == 0);
    cr_expect(memcmp(random.base.data[LEFT], wide.base.data[LEFT], ROWS * 4) != 0);
    kg__problem_free(&random);
    kg__problem_free(&wide);
    /* Without such an argument there is nothing to add. */
    type_now = KG_INT32;
    cr_assert(kg__problem_make(&comparison, &one, 1, &wide, &why), "%s", why.text);
    cr_expect(wide.base.size == NULL && wide.base.data[INDEX] == NULL);
    comparison.advanced.patterns = own_exact;
    cr_expect(kg__pattern_count(&comparison) == 1);
    comparison.advanced.patterns = own_wide;
    cr_expect(kg__pattern_count(&comparison) == 2 &&
              kg__pattern_at(&comparison, 1).fill == fill_own);
}
