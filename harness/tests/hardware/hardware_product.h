/* SPDX-License-Identifier: MIT */
/* What the comparisons of products of matrices share; and the reference of hardware_half.c and
 * hardware_ptx.c, which sum in float32. */
#pragma once

#include <kernelgate/kernelgate.h>
#include <math.h>

/* Adds the arguments of a product: the factors, m x k and n x k, and the result, m x n. */
static inline void add_product(kg_arguments *list, const kg_size *size, kg_type type,
                               const char *left, const char *right, kg_type result,
                               const char *name)
{
    const int64_t m = kg_extent(size, 0);
    const int64_t n = kg_extent(size, 1);
    const int64_t k = kg_extent(size, 2);

    kg_add_argument(list, KG_INPUT, left, type, m, k);
    kg_add_argument(list, KG_INPUT, right, type, n, k);
    kg_add_argument(list, KG_OUTPUT, name, result, m, n);
}

/* The product of the two arguments before the output: m x k, and n x k, whose rows are its columns.
 */
static inline void product_reference(const kg_problem *problem, int output, double *expected,
                                     double *tolerance)
{
    const kg_argument *list = problem->arguments.list;
    const kg_type type = list[output - 2].type;
    const int64_t n = kg_extent(problem->size, 1);
    const int64_t k = kg_extent(problem->size, 2);

    for (int64_t element = 0; element < kg_extent(problem->size, 0) * n; element++) {
        double sum = 0;
        double magnitude = 0;

        for (int64_t i = 0; i < k; i++) {
            double term =
                kg_element(type, problem->data[output - 2], (size_t)(element / n * k + i)) *
                kg_element(type, problem->data[output - 1], (size_t)(element % n * k + i));

            sum += term;
            magnitude += fabs(term);
        }
        expected[element] = sum;
        tolerance[element] = kg_sum_tolerance(KG_FLOAT32, list[output].type, k, magnitude);
    }
}
