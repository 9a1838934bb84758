/* SPDX-License-Identifier: MIT */
/* Arguments of more than 4 GiB, which take the memory that is touched, and wide inputs. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>
#include <sys/resource.h>

#include "device/device.h"
#include "model/model.h"
#include "observer/check.h"
#include "tests/model/finding_texts.h"
#include "tests/model/wide_kernels.h"

static kg__error why;

#define BYTES ((1LL << 32) + 530)

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_UINT8, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_UINT8, 1, kg_extent(size, 0));
}

static const kg_comparison comparison = { .name = "wide",
                                          .home = "/nowhere",
                                          .arguments = arguments };

/* What is found first: an index of 2^31 is -2^31 as an int. */
static const struct {
    kg_launcher *launch;
    kg__outcome outcome;
    kg__finding found;
} kernels[] = {
    { wide_copy, KG__RIGHT, { 0 } },
    { wide_copy_by_int,
      KG__INCORRECT,
      { .kind = KG__OUT_OF_BOUNDS, .symbol = "in", .by.access = KG__READ, .bytes = 1 } },
    { wide_copy_unguarded,
      KG__INCORRECT,
      { .kind = KG__OUT_OF_BOUNDS,
        .symbol = "in",
        .size = BYTES,
        .offset = BYTES,
        .by.access = KG__READ } },
};

ParameterizedTestParameters(wide, indices_that_overflow_are_found)
{
    static size_t rows[] = { 0, 1, 2 };

    return cr_make_param_array(size_t, rows, sizeof rows / sizeof rows[0]);
}

ParameterizedTest(const size_t *row, wide, indices_that_overflow_are_found)
{
    static const kg_size size = KG_BOUNDS(BYTES);
    const kg_variant variant = { .name = "wide", .launch = kernels[*row].launch };
    const kg__case c = { .variant = &variant, .size = &size, .id = "wide" };
    kg__checker checker = { 0 };
    struct rusage usage;

    cr_assert(kg__check_case(&checker, &comparison, &c, &why) == kernels[*row].outcome, "%s",
              why.text);
    if (kernels[*row].outcome == KG__RIGHT)
        cr_expect(strstr(why.text, "bounds alone: memory checks on ") == why.text, "%s", why.text);
    else
        cr_expect(is_as_expected(&kg__model_seen()->findings[0], &kernels[*row].found), "%s",
                  findings_of(kg__model_seen()));
    cr_assert(getrusage(RUSAGE_SELF, &usage) == 0);
    cr_expect(usage.ru_maxrss < 1 << 19, "%ld KiB", usage.ru_maxrss);
    kg__checker_free(&checker);
}

static void gathered(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "rows", KG_INT32, 1, WIDE_ROWS);
    kg_add_argument(list, KG_INPUT, "table", KG_UINT8, kg_extent(size, 0), WIDE_WIDTH);
    kg_add_argument(list, KG_OUTPUT, "out", KG_UINT8, WIDE_ROWS, 32);
}

/* The last rows. */
static void fill_last_rows(const kg_problem *problem, int argument, void *data)
{
    cr_assert(argument == 0, "the table is too large to be filled");
    for (int i = 0; i < WIDE_ROWS; i++)
        ((int *)data)[i] = (int)KG_EXTENT(problem, 0) - 1 - i;
}

static const kg_pattern last_rows[] = { { "random", fill_last_rows, NULL, false }, KG_END };

/* Indices are the pattern's, however large the table: those of its last rows overflow an int. */
Test(wide, indices_are_filled_by_the_pattern)
{
    static const struct {
        kg_size size;
        kg__outcome outcome;
    } rows[] = { { KG_BOUNDS(230000), KG__RIGHT }, { KG_BOUNDS(262144), KG__INCORRECT } };
    const kg_comparison gather = {
        .name = "gather", .home = "/nowhere", .arguments = gathered, .advanced.patterns = last_rows
    };
    const kg__finding expected = {
        .kind = KG__OUT_OF_BOUNDS, .symbol = "table", .by.access = KG__READ, .bytes = 1
    };
    const kg_variant variant = { .name = "gather", .launch = wide_gather };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kg__case c = { .variant = &variant, .size = &rows[i].size, .id = "gather" };
        kg__checker checker = { 0 };

        cr_assert(kg__check_case(&checker, &gather, &c, &why) == rows[i].outcome, "%zu: %s", i,
                  why.text);
        if (rows[i].outcome == KG__INCORRECT)
            cr_expect(is_as_expected(&kg__model_seen()->findings[0], &expected), "%s",
                      findings_of(kg__model_seen()));
        kg__checker_free(&checker);
    }
}

static void copied(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    (void)output;
    (void)tolerance;
    for (int64_t i = 0; i < KG_EXTENT(problem, 0); i++)
        expected[i] = ((const float *)problem->data[0])[i];
}

/* Accesses are checked with wide inputs too at small sizes, at others with random ones alone, which
 * an int holds. */
Test(wide, inputs_of_small_sizes_are_watched)
{
    static const kg_size sizes[] = { KG_CHECKED(530), KG_CHECKED(5300) };
    const kg_comparison copies = {
        .name = "copies", .home = "/nowhere", .arguments = copied, .reference = reference
    };
    const kg_variant variant = { .name = "truncate", .launch = wide_truncate };
    kg__checker checker = { 0 };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const kg__case c = { .variant = &variant, .size = &sizes[i], .id = "truncate" };

        cr_expect(kg__check_case(&checker, &copies, &c, &why) ==
                      (i == 0 ? KG__INCORRECT : KG__RIGHT),
                  "%s", why.text);
        cr_assert(kg__model_seen()->finding_count == (i == 0));
        cr_expect(i > 0 || kg__model_seen()->findings[0].kind == KG__CONVERSION);
    }
    kg__checker_free(&checker);
}
