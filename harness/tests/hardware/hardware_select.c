/* SPDX-License-Identifier: MIT */
/* hardware_select: out[i] = a[i] where flags[i] is odd, 2 b[i] where it is even. It holds the CPU
 * model's counts of branches that divide a warp against the hardware's (tools/dev/validate-model),
 * and is no part of the gate. */
#include <kernelgate/kernelgate.h>

enum { FLAGS, A, B, OUT };

kg_launcher hardware_select_branch, hardware_select_both, hardware_select_loop;

static const kg_variant variants[] = {
    KG_VARIANT("branch", hardware_select_branch, "one of the two is loaded"),
    KG_VARIANT("both", hardware_select_both, "both are loaded"),
    KG_VARIANT("loop", hardware_select_loop, "a loop that some lanes skip"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(33), KG_COUNTED(1000), KG_COUNTED(99991), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(96), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "flags", KG_INT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT, "b", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const int32_t *flags = problem->data[FLAGS];
    const float *a = problem->data[A];
    const float *b = problem->data[B];

    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = flags[i] & 1 ? a[i] : 2.0 * b[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(hardware_select, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
