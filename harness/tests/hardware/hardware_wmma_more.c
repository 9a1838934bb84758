/* SPDX-License-Identifier: MIT */
/* hardware_wmma_more: products of matrices by the warp, of tf32, of bytes, and of doubles by
 * themselves. */
#include "hardware_wmma_suite.h"

enum { X, Y, Z, U, V, W, D, F };

#define LAUNCHERS(name, ...)                                                                       \
    kg_launcher hardware_wmma_more_##name, hardware_wmma_more_staged_##name;
WMMA_SHAPES(LAUNCHERS)

/* The shapes are those of the bytes. */
#define VARIANTS(...) WMMA_VARIANTS(hardware_wmma_more, __VA_ARGS__)
static const kg_variant variants[] = { WMMA_SHAPES(VARIANTS) KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, 0);

    add_product(list, size, KG_FLOAT32, "x", "y", KG_FLOAT32, "z");
    add_product(list, size, KG_INT8, "u", "v", KG_INT32, "w");
    kg_add_argument(list, KG_INPUT, "d", KG_FLOAT64, m, kg_extent(size, 2));
    kg_add_argument(list, KG_OUTPUT, "f", KG_FLOAT64, m, m);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const int64_t n = kg_extent(problem->size, 1);

    if (output == Z)
        wmma_reference(problem, Z, KG_FLOAT32, X, Y, n, expected, tolerance);
    else if (output == W)
        wmma_reference(problem, W, KG_INT8, U, V, n, expected, tolerance);
    else
        wmma_reference(problem, F, KG_FLOAT64, D, D, kg_extent(problem->size, 0), expected,
                       tolerance);
}

KG_COMPARISON(hardware_wmma_more, .variants = variants, .sizes = wmma_sizes,
              .launches = wmma_launches, .arguments = arguments, .reference = reference);
