/* SPDX-License-Identifier: MIT */
/* What hardware_wmma.c and hardware_wmma_more.c share. They hold the CPU model's arithmetic and its
 * counts of wmma against the hardware's (tools/dev/validate-model), and are no part of the gate. */
#pragma once

#include <string.h>

#include "hardware_product.h"
#include "hardware_wmma_shapes.h"

/* The variants of a shape, with operands from global and from shared memory. A name begins with how
 * the left and the right operand are stored; the result is stored as the left one. */
#define WMMA_VARIANTS(comparison, name, m, n, ...)                                                 \
    KG_VARIANT(#name, comparison##_##name, "m" #m "n" #n "k16, loads from global memory",          \
               .advanced.own_reference = true),                                                    \
        KG_VARIANT("staged_" #name, comparison##_staged_##name,                                    \
                   "m" #m "n" #n "k16, loads from shared memory", .advanced.own_reference = true),

static const kg_size wmma_sizes[] = { KG_COUNTED(32), KG_COUNTED(64, 96, 48), KG_END };
static const kg_launch wmma_launches[] = { KG_LAUNCH(32), KG_END };

/* Element (row, column) of a matrix of so many rows and columns, rounded where it is tf32. */
static inline double wmma_element(kg_type type, const void *data, bool by_rows, int64_t row,
                                  int64_t column, int64_t rows, int64_t columns)
{
    const size_t at = (size_t)(by_rows ? row * columns + column : column * rows + row);
    const double value = kg_element(type, data, at);
    int exponent;

    if (type != KG_FLOAT32)
        return value;
    (void)frexp(value, &exponent);
    return ldexp(round(ldexp(value, 11 - exponent)), exponent - 11);
}

/* The reference of an output that is 2 `left` `right`, m x k and k x n, each of `type`. */
static inline void wmma_reference(const kg_problem *problem, int output, kg_type type, int left,
                                  int right, int64_t n, double *expected, double *tolerance)
{
    const kg_type result = problem->arguments.list[output].type;
    const char *name = problem->variant->name;
    const char *stored = strncmp(name, "staged_", 7) == 0 ? name + 7 : name;
    const bool left_by_rows = strncmp(stored, "row", 3) == 0;
    const bool right_by_rows = strncmp(stored + 4, "row", 3) == 0;
    const int64_t m = kg_extent(problem->size, 0);
    const int64_t k = kg_extent(problem->size, 2);

    for (int64_t i = 0; i < m * n; i++) {
        const int64_t row = left_by_rows ? i / n : i % m;
        const int64_t column = left_by_rows ? i % n : i / m;
        double sum = 0;
        double magnitude = 0;

        for (int64_t j = 0; j < k; j++) {
            double term = wmma_element(type, problem->data[left], left_by_rows, row, j, m, k) *
                          wmma_element(type, problem->data[right], right_by_rows, j, column, k, n);

            sum += term;
            magnitude += fabs(term);
        }
        expected[i] = 2 * sum;
        tolerance[i] = 2 * kg_sum_tolerance(result, result, k, magnitude);
    }
}
