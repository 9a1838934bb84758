/* SPDX-License-Identifier: MIT */
/* hardware_wide: sums of rows in float64, and running sums of rows in int64. It holds the CPU
 * model's counts of 64-bit types against the hardware's (tools/dev/validate-model), and is no part
 * of the gate. */
#include <kernelgate/kernelgate.h>
#include <math.h>

#define COLUMNS 33

enum { VALUES, SUMS, INTEGERS, SCAN };

kg_launcher hardware_wide_by_warp;

static const kg_variant variants[] = {
    KG_VARIANT("by_warp", hardware_wide_by_warp, "one row per warp, by shuffles of 64 bits"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(33), KG_COUNTED(100), KG_COUNTED(9973), KG_END,
};

/* Multiples of a warp: every lane takes part in a shuffle. */
static const kg_launch launches[] = { KG_LAUNCH(96), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "values", KG_FLOAT64, kg_extent(size, 0), COLUMNS);
    kg_add_argument(list, KG_OUTPUT, "sums", KG_FLOAT64, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT, "integers", KG_INT64, kg_extent(size, 0), 32);
    kg_add_argument(list, KG_OUTPUT, "scan", KG_INT64, kg_extent(size, 0), 32);
}

static void scan_rows(const int64_t *integers, int64_t rows, int64_t *expected)
{
    for (int64_t i = 0; i < rows * 32; i++)
        expected[i] =
            (int64_t)((uint64_t)integers[i] + (i % 32 > 0 ? (uint64_t)expected[i - 1] : 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const double *values = problem->data[VALUES];
    const int64_t rows = kg_extent(problem->size, 0);

    if (output == SCAN) {
        scan_rows(problem->data[INTEGERS], rows, (int64_t *)expected);
        return; /* the tolerance is 0 */
    }
    for (int64_t row = 0; row < rows; row++) {
        long double sum = 0;
        double magnitude = 0;

        for (int64_t i = 0; i < COLUMNS; i++) {
            sum += values[row * COLUMNS + i];
            magnitude += fabs(values[row * COLUMNS + i]);
        }
        expected[row] = (double)sum;
        tolerance[row] = kg_sum_tolerance(KG_FLOAT64, KG_FLOAT64, COLUMNS, magnitude);
    }
}

KG_COMPARISON(hardware_wide, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
