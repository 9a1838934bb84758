/* SPDX-License-Identifier: MIT */
/* hardware_bulk: a shifted matrix by bulk copies. It holds the CPU model's tensor maps against the
 * hardware's (tools/dev/validate-model), and is no part of the gate. */
#include <kernelgate/kernelgate.h>

#define DOWN 3 /* as in hardware_bulk.cu */
#define LEFT 4

kg_launcher hardware_bulk_boxes, hardware_bulk_swizzled;

static const kg_variant variants[] = {
    KG_VARIANT("boxes", hardware_bulk_boxes, "boxes of a tensor"),
    KG_VARIANT("swizzled", hardware_bulk_swizzled, "boxes whose chunks change places"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(16, 32),
    KG_CHECKED(37, 100),
    KG_COUNTED(64, 128),
    KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(32), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, kg_extent(size, 0), kg_extent(size, 1));
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, kg_extent(size, 0), kg_extent(size, 1));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, 0);
    int64_t columns = kg_extent(problem->size, 1);
    const float *x = problem->data[0];

    (void)output;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            expected[i * columns + j] =
                i + DOWN < rows && j >= LEFT ? x[(i + DOWN) * columns + j - LEFT] : 0;
            tolerance[i * columns + j] = 0;
        }
    }
}

KG_COMPARISON(hardware_bulk, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
