/* SPDX-License-Identifier: MIT */
/* References of common jobs, in double, with bounds of their rounding errors. For floats, and
 * for integers of up to 32 bits that can represent the results. Sums are accumulated in
 * .advanced.accumulated. Part of kernelgate.h, which includes it. */
#pragma once

/* Computes C = A B, row after row: argument 0 is A, argument 1 is B, `output` is C. */
void kg_reference_gemm(const kg_problem *problem, int output, double *expected, double *tolerance);

/* Judges C by products with a vector of weights, in O(n^2) (R. Freivalds, Probabilistic machines
 * can use less running time, 1977). With an exact pattern it detects any single wrong element;
 * with random inputs only gross errors. */
bool kg_project_gemm(const kg_problem *problem, int output, const void *computed,
                     kg_mismatch *mismatch);

/* Returns 2 m n k operations, for sizes m x n x k. */
kg_work kg_work_gemm(const kg_size *size);

/* "small_integers", whose products and sums are exact in the types of the arguments, and
 * "ones_times_twos". */
extern const kg_pattern kg_patterns_gemm[];

/* All of these as members of a comparison's table; later members replace them. */
#define KG_GEMM                                                                                    \
    .reference = kg_reference_gemm, .work = kg_work_gemm, .advanced.patterns = kg_patterns_gemm,   \
    .advanced.projection = kg_project_gemm

/* Computes one element of an output from `element`, which has the corresponding element of each
 * input, as double. If the terms of a sum cancel, set `magnitude` to the sum of their
 * magnitudes. */
typedef double kg_element_function(const kg_problem *problem, const double *element,
                                   double *magnitude);

/* Computes an output whose elements each result from `function`, with `roundings` roundings at
 * most, from the arguments' elements at the same place. An argument of one row, one column or
 * one element is repeated. Call it from a comparison's own .reference. */
void kg_reference_elementwise(const kg_problem *problem, int output, kg_element_function *function,
                              int roundings, double *expected, double *tolerance);

/* Computes an output of n elements, each the sum of the next n-th part of argument `input`: the
 * sums of rows, or of all elements. Call it from a comparison's own .reference. */
void kg_reference_sums(const kg_problem *problem, int input, int output, double *expected,
                       double *tolerance);
