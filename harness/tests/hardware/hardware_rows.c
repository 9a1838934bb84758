/* SPDX-License-Identifier: MIT */
/* hardware_rows: the sums of rows of unequal lengths, from 0 to 33. It holds the CPU model's counts
 * of loops that lanes leave at different times against the hardware's (tools/dev/validate-model),
 * and is no part of the gate. */
#include <kernelgate/kernelgate.h>
#include <math.h>

#define COLUMNS 33

enum { VALUES, LENGTHS, SUMS };

kg_launcher hardware_rows_unequal, hardware_rows_breakable, hardware_rows_nested,
    hardware_rows_by_warp, hardware_rows_uninitialized_sum, hardware_rows_uninitialized_flag;

static const kg_variant variants[] = {
    KG_VARIANT("unequal", hardware_rows_unequal, "one row per thread, summed in a register"),
    KG_VARIANT("breakable", hardware_rows_breakable,
               "one row per thread, in a loop that is not unrolled"),
    KG_VARIANT("nested", hardware_rows_nested, "one row per thread, by groups of up to eight"),
    KG_VARIANT("by_warp", hardware_rows_by_warp, "one row per warp, added up by shuffles"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(33), KG_COUNTED(1000), KG_COUNTED(9973), KG_END,
};

/* Multiples of a warp: every lane takes part in a shuffle. */
static const kg_launch launches[] = { KG_LAUNCH(96), KG_END };

static const kg_defect defects[] = {
    KG_DEFECT("uninitialized_sum", hardware_rows_uninitialized_sum, "right if it begins with 0",
              KG_CHECKED(33), KG_LAUNCH(96)),
    KG_DEFECT("uninitialized_flag", hardware_rows_uninitialized_flag, "wrong if it begins with 0",
              KG_CHECKED(33), KG_LAUNCH(96)),
    KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "values", KG_FLOAT32, kg_extent(size, 0), COLUMNS);
    kg_add_argument(list, KG_INPUT, "lengths", KG_INT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "sums", KG_FLOAT32, 1, kg_extent(size, 0));
}

/* The bound of a sum of 33 terms in single precision, whatever its order. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *values = problem->data[VALUES];
    const uint32_t *lengths = problem->data[LENGTHS];

    (void)output;
    for (int64_t row = 0; row < kg_extent(problem->size, 0); row++) {
        for (uint32_t i = 0; i < lengths[row] % (COLUMNS + 1); i++) {
            double term = values[row * COLUMNS + i];

            expected[row] += term;
            tolerance[row] += 2.0 * COLUMNS * ldexp(1.0, -24) * fabs(term);
        }
    }
}

KG_COMPARISON(hardware_rows, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference,
              /* None may end the loop of `breakable`. */
              .advanced.wide = { 0, 1 });

KG_DEFECTS(hardware_rows, defects);
