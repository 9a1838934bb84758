/* SPDX-License-Identifier: MIT */
/* hardware_transpose: B = A transposed; sizes are rows x columns of A. It holds the CPU model's
 * counts of shared memory against the hardware's (tools/dev/validate-model), and is no part of the
 * gate.
 */
#include <kernelgate/kernelgate.h>

enum { A, B };

kg_launcher hardware_transpose_naive, hardware_transpose_conflicting, hardware_transpose_padded;

static const kg_variant variants[] = {
    KG_VARIANT("naive", hardware_transpose_naive, "stores a column's stride apart"),
    KG_VARIANT("conflicting", hardware_transpose_conflicting,
               "tiles of 32x32, 32 ways in one bank"),
    KG_VARIANT("padded", hardware_transpose_padded, "tiles of 32x33, each lane in its own bank"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(31, 33), KG_COUNTED(127, 65), KG_COUNTED(530, 530), KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT32, kg_extent(size, 0), kg_extent(size, 1));
    kg_add_argument(list, KG_OUTPUT, "b", KG_FLOAT32, kg_extent(size, 1), kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, 0);
    int64_t columns = kg_extent(problem->size, 1);
    const float *a = problem->data[A];

    (void)output;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            expected[column * rows + row] = a[row * columns + column];
            tolerance[column * rows + row] = 0;
        }
    }
}

KG_COMPARISON(hardware_transpose, .variants = variants, .sizes = sizes, .arguments = arguments,
              .reference = reference);
