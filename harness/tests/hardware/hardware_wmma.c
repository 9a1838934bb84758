/* SPDX-License-Identifier: MIT */
/* hardware_wmma: products of matrices by the warp, of halves and of bfloat16. */
#include "hardware_wmma_suite.h"

enum { A, B, C, H, P, Q, R };

#define LAUNCHERS(name, ...) kg_launcher hardware_wmma_##name, hardware_wmma_staged_##name;
LAUNCHERS(row_row_square, 16, 16, row_major, row_major)
WMMA_SHAPES(LAUNCHERS)

#define VARIANTS(...) WMMA_VARIANTS(hardware_wmma, __VA_ARGS__)
static const kg_variant variants[] = { VARIANTS(row_row_square, 16, 16, row_major, row_major)
                                           WMMA_SHAPES(VARIANTS) KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    add_product(list, size, KG_FLOAT16, "a", "b", KG_FLOAT32, "c");
    kg_add_argument(list, KG_OUTPUT, "h", KG_FLOAT16, kg_extent(size, 0), kg_extent(size, 1));
    add_product(list, size, KG_BFLOAT16, "p", "q", KG_FLOAT32, "r");
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const int64_t n = kg_extent(problem->size, 1);

    if (output == R)
        wmma_reference(problem, R, KG_BFLOAT16, P, Q, n, expected, tolerance);
    else
        wmma_reference(problem, output, KG_FLOAT16, A, B, n, expected, tolerance);
}

KG_COMPARISON(hardware_wmma, .variants = variants, .sizes = wmma_sizes, .launches = wmma_launches,
              .arguments = arguments, .reference = reference);
