/* SPDX-License-Identifier: MIT */
/* selftest: kernels of known duration, by which the gate is proven (`kernelgate selftest`). They
 * are no part of it. KG_STUDY_EXTRA makes both slower by a fraction. */
#include "tests/study/selftest.h"

#include <kernelgate/kernelgate.h>

enum { IN, OUT };

kg_launcher selftest_spin, selftest_copy;

static const kg_variant variants[] = {
    KG_VARIANT("spin", selftest_spin, "threads that wait for a number of clock cycles",
               .advanced.own_reference = true),
    KG_VARIANT("copy", selftest_copy, "one float4 per thread, bound by memory"),
    KG_END,
};

/* Microseconds. */
static const kg_size sizes[] = { KG_TIMED(20), KG_TIMED(200), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    (void)size;
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, INT64_C(4) * SELFTEST_ARRAY_QUADS);
    kg_add_argument(list, KG_INPUT_OUTPUT, "out", KG_FLOAT32, 1, INT64_C(4) * SELFTEST_ARRAY_QUADS);
}

/* The copy writes everything, the spin the first elements alone. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *in = problem->data[IN];
    const float *before = problem->data[output];
    int64_t written =
        problem->variant != NULL ? SELFTEST_SPIN_ELEMENTS : INT64_C(4) * SELFTEST_ARRAY_QUADS;

    for (int64_t i = 0; i < INT64_C(4) * SELFTEST_ARRAY_QUADS; i++) {
        expected[i] = i < written ? in[i] : before[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(selftest, .variants = variants, .sizes = sizes, .arguments = arguments,
              .reference = reference);
