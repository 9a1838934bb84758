/* SPDX-License-Identifier: MIT */
/* hardware_copy: n floats, copied; the variants differ in how they reach global memory. It holds
 * the CPU model's counts against the hardware's (tools/dev/validate-model), and is no part of the
 * gate. */
#include <kernelgate/kernelgate.h>

enum { IN, OUT };

kg_launcher hardware_copy_coalesced, hardware_copy_pairs, hardware_copy_quads,
    hardware_copy_doubles, hardware_copy_bytes, hardware_copy_reversed, hardware_copy_strided,
    hardware_copy_misaligned, hardware_copy_partial_warps, hardware_copy_grid_stride,
    hardware_copy_early_return, hardware_copy_inlined, hardware_copy_through_shared,
    hardware_copy_shuffled, hardware_copy_exchanged;

static const kg_variant variants[] = {
    KG_VARIANT("coalesced", hardware_copy_coalesced, "one float per thread, in order"),
    KG_VARIANT("pairs", hardware_copy_pairs, "one float2 per thread"),
    KG_VARIANT("quads", hardware_copy_quads,
               "one float4 per thread, the rest by one thread's loop"),
    KG_VARIANT("doubles", hardware_copy_doubles, "one double per thread"),
    KG_VARIANT("bytes", hardware_copy_bytes, "one byte per thread"),
    KG_VARIANT("reversed", hardware_copy_reversed, "in order, backwards"),
    KG_VARIANT("strided", hardware_copy_strided, "neighboring lanes far apart"),
    KG_VARIANT("misaligned", hardware_copy_misaligned, "no warp begins at a sector"),
    KG_VARIANT("partial_warps", hardware_copy_partial_warps, "20 of 32 lanes work"),
    KG_VARIANT("grid_stride", hardware_copy_grid_stride, "five blocks, the last pass in part"),
    KG_VARIANT("early_return", hardware_copy_early_return, "half of the lanes leave"),
    KG_VARIANT("inlined", hardware_copy_inlined, "by device functions"),
    KG_VARIANT("through_shared", hardware_copy_through_shared, "turned around in shared memory"),
    KG_VARIANT("shuffled", hardware_copy_shuffled, "another lane's element, passed on"),
    KG_VARIANT("exchanged", hardware_copy_exchanged, "stored by atomicExch()"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1),   KG_CHECKED(31),   KG_CHECKED(32),    KG_CHECKED(33),
    KG_CHECKED(257), KG_COUNTED(1000), KG_COUNTED(99991), KG_END,
};

/* Multiples of a warp: every lane takes part in a shuffle. */
static const kg_launch launches[] = { KG_LAUNCH(96), KG_LAUNCH(256), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *in = problem->data[IN];

    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = in[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(hardware_copy, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
