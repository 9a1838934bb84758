/* SPDX-License-Identifier: MIT */
/* hardware_histogram: counts[v % 64] += 1 for every byte v. It holds the CPU model's counts of
 * atomic operations and of loads of bytes against the hardware's (tools/dev/validate-model), and is
 * no part of the gate. */
#include <kernelgate/kernelgate.h>

#define BINS 64

enum { IN, COUNTS };

kg_launcher hardware_histogram_global_atomics, hardware_histogram_four_each,
    hardware_histogram_shared_atomics;

static const kg_variant variants[] = {
    KG_VARIANT("global_atomics", hardware_histogram_global_atomics,
               "one atomic operation per byte"),
    KG_VARIANT("four_each", hardware_histogram_four_each, "four neighboring bytes per thread"),
    KG_VARIANT("shared_atomics", hardware_histogram_shared_atomics,
               "one histogram per block, then all added"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(33), KG_COUNTED(1000), KG_COUNTED(99991), KG_END,
};

/* At least as many threads as there are bins. */
static const kg_launch launches[] = { KG_LAUNCH(96), KG_LAUNCH(256), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_UINT8, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT_OUTPUT, "counts", KG_INT32, 1, BINS);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const uint8_t *in = problem->data[IN];
    const int32_t *before = problem->data[COUNTS];
    uint32_t counts[BINS];

    (void)output;
    /* Unsigned, since counts that begin anywhere may wrap around. */
    for (int i = 0; i < BINS; i++)
        counts[i] = (uint32_t)before[i];
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++)
        counts[in[i] % BINS]++;
    for (int i = 0; i < BINS; i++) {
        expected[i] = (int32_t)counts[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(hardware_histogram, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
