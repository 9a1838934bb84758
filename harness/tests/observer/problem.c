/* SPDX-License-Identifier: MIT */
/* What is known of a problem: the random inputs. */
#include "observer/problem.h"
#include "observer/inputs.h"
#include "tests/fakes/idle_callbacks.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static kg__error error;

static void inputs_of_every_type(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "floats", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT, "others", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT, "integers", KG_INT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT_OUTPUT, "bytes", KG_UINT8, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 0, 0);
}

Test(problem, random_inputs_fill_their_range_and_repeat)
{
    static const kg_size size = KG_CHECKED(100000);
    static const kg_variant variant = KG_VARIANT("usual", launch_nothing, "");
    kg_comparison comparison = { .name = "inputs",
                                 .arguments = inputs_of_every_type,
                                 .reference = no_reference };
    const kg__case inputs = { .variant = &variant, .size = &size, .id = "inputs" };
    kg__problem one;
    kg__problem again;
    double sum = 0;
    double low = INFINITY;
    double high = -INFINITY;
    int negative = 0;
    int32_t least = 0;
    int32_t most = 0;
    bool seen[256] = { false };
    size_t byte_values = 0;

    cr_assert(kg__problem_make(&comparison, &inputs, 0, &one, &error), "%s", error.text);
    cr_assert(kg__problem_make(&comparison, &inputs, 0, &again, &error), "%s", error.text);
    cr_assert(one.base.arguments.list[4].rows == 0 && one.base.data[4] == NULL);
    for (int i = 0; i < 4; i++)
        cr_assert(memcmp(one.base.data[i], again.base.data[i],
                         kg__argument_bytes(&one.base.arguments.list[i])) == 0);
    cr_assert(memcmp(one.base.data[0], one.base.data[1], 64) != 0, "two arguments are not alike");
    for (int i = 0; i < 100000; i++) {
        double value = ((const float *)one.base.data[0])[i];
        int32_t integer = ((const int32_t *)one.base.data[2])[i];

        cr_assert(value >= -1 && value < 1, "%g", value);
        cr_assert(value * (1 << 23) == rint(value * (1 << 23)), "not exact: %g", value);
        sum += value;
        low = fmin(low, value);
        high = fmax(high, value);
        negative += integer < 0;
        least = integer < least ? integer : least;
        most = integer > most ? integer : most;
        seen[((const uint8_t *)one.base.data[3])[i]] = true;
    }
    for (size_t i = 0; i < 256; i++)
        byte_values += seen[i];
    /* The mean of 100000 values has the standard deviation 1 / sqrt(300000) = 0.0018. */
    cr_assert(fabs(sum / 100000) < 0.01, "%g", sum / 100000);
    cr_assert(low < -0.999 && high > 0.999);
    cr_assert(negative > 49000 && negative < 51000, "%d", negative);
    cr_assert(least < INT32_MIN / 100 * 99 && most > INT32_MAX / 100 * 99);
    cr_assert(byte_values == 256);
    kg__problem_free(&one);
    kg__problem_free(&again);
}

/* An argument that several threads fill has what one thread fills a smaller one with. */
Test(problem, random_inputs_do_not_depend_on_the_threads)
{
    enum { MORE = (1 << 22) + 3, LESS = (1 << 22) - 1 };
    kg_problem problem = { .arguments = { .count = 1 } };
    static uint8_t more[MORE], less[LESS];
    size_t filled = 0;

    problem.arguments.list[0] = (kg_argument){ .type = KG_UINT8, .rows = 1, .columns = MORE };
    kg_fill_random(&problem, 0, more);
    problem.arguments.list[0].columns = LESS;
    kg_fill_random(&problem, 0, less);
    cr_expect(memcmp(more, less, LESS) == 0);
    for (size_t i = LESS; i < MORE; i++)
        filled += more[i] != 0;
    cr_expect(filled > 0, "the last elements are filled as well");
}

static void fill_indices(const kg_problem *problem, int argument, void *data)
{
    if (argument != 2)
        kg_fill_random(problem, argument, data);
    for (int i = 0; argument == 2 && i < 3; i++)
        ((int32_t *)data)[i] = i;
}

static const kg_pattern replaced[] = { { "random", fill_indices, NULL, false },
                                       { "ones", NULL, NULL, true },
                                       KG_END };

/* The patterns of a table by number; indices out of range would crash a kernel that uses them. */
static const struct {
    const char *what;
    const kg_pattern *patterns;
    const char *names[4];
} tables[] = {
    { "none", NULL, { "random", "wide" } },
    { "its own after random", replaced + 1, { "random", "wide", "ones" } },
    { "its own random", replaced, { "random", "wide", "ones" } },
};

Test(problem, the_own_random_pattern_replaces_the_usual)
{
    static const kg_size size = KG_CHECKED(3);
    static const kg_variant variant = KG_VARIANT("usual", launch_nothing, "");
    const kg__case inputs = { .variant = &variant, .size = &size, .id = "inputs" };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        kg_comparison comparison = { .name = "inputs",
                                     .arguments = inputs_of_every_type,
                                     .reference = no_reference,
                                     .advanced.patterns = tables[i].patterns };
        int count = kg__pattern_count(&comparison);
        kg__problem one;
        const int32_t *index;
        bool indices;

        cr_assert(count == 2 + (tables[i].names[2] != NULL), "%s: %d", tables[i].what, count);
        for (int k = 0; k < count; k++)
            cr_assert_str_eq(kg__pattern_at(&comparison, k).name, tables[i].names[k]);
        cr_assert(kg__problem_make(&comparison, &inputs, 0, &one, &error), "%s", error.text);
        index = one.base.data[2];
        indices = index[0] == 0 && index[1] == 1 && index[2] == 2;
        cr_assert(indices == (tables[i].patterns == replaced), "%s", tables[i].what);
        cr_assert(((const float *)one.base.data[0])[0] != 0);
        kg__problem_free(&one);
    }
}

static void nothing_is_compared(const kg_problem *problem, int output, double *expected,
                                double *tolerance)
{
    (void)output;
    for (int64_t i = 0; i < KG_EXTENT(problem, 0); i++) {
        expected[i] = 0;
        tolerance[i] = (double)INFINITY;
    }
}

static void scratch_by_launch(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_SCRATCH, "scratch", KG_INT32, 1, KG_AXIS(list, 0));
    kg_add_scalar(list, 2.5);
}

static void inputs_alone(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void output_by_launch(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, kg_extent(size, 0), KG_AXIS(list, 0));
}

static void too_many_scalars(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
    for (int i = 0; i <= KG_MAX_SCALARS; i++)
        kg_add_scalar(list, i);
}

/* Scratch alone may depend on the launch, and what has no bound anywhere would pass unseen. */
Test(problem, arguments_of_a_launch)
{
    static const kg_size size = KG_CHECKED(7);
    static const kg_launch launches[] = { KG_LAUNCH(32), KG_LAUNCH(64), KG_END };
    static const kg_variant variants[] = { KG_VARIANT("usual", launch_nothing, ""), KG_END };
    static const struct {
        void (*arguments)(const kg_size *size, kg_arguments *arguments);
        const char *why;
    } bad[] = { { scratch_by_launch, "has tolerance INFINITY, so nothing is compared" },
                { inputs_alone, "no argument is compared: give its results KG_OUTPUT" },
                { output_by_launch, "argument out depends on the launch: only KG_SCRATCH may" },
                { too_many_scalars, "9 scalar parameters, but at most 8 are allowed" } };
    kg_comparison comparison = { .name = "launched",
                                 .variants = variants,
                                 .launches = launches,
                                 .arguments = scratch_by_launch,
                                 .reference = nothing_is_compared };
    const kg__case c = {
        .variant = variants, .size = &size, .launch = KG_LAUNCH(64), .id = "launched"
    };
    kg__problem problem;
    kg_arguments declared;

    cr_assert(kg__problem_fill(&comparison, &c, 0, &problem, &error), "%s", error.text);
    cr_expect(problem.base.data[1] == NULL && problem.base.scalar[0] == 2.5);
    kg__problem_free(&problem);
    cr_assert(kg__arguments_of(&comparison, &c, &declared, &error));
    cr_expect(declared.list[1].columns == 64 && declared.scalars == 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        comparison.arguments = bad[i].arguments;
        cr_expect(!kg__problem_make(&comparison, &c, 0, &problem, &error));
        cr_expect(strstr(error.text, bad[i].why) != NULL, "%s", error.text);
        kg__problem_free(&problem);
    }
}
