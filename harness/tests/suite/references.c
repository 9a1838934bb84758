/* SPDX-License-Identifier: MIT */
/* Helper references: products, elements and sums, with their bounds. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "suite/table.h"
#include "tests/fakes/drive.h"

enum { A, B, C };

static void set(kg_argument *argument, kg_role role, kg_type type, size_t rows, size_t columns)
{
    *argument =
        (kg_argument){ .name = "x", .role = role, .type = type, .rows = rows, .columns = columns };
}

/* A product of `input` stored as `output`, with the inputs of a pattern. */
static kg_problem product(kg_type input, kg_type output, size_t m, size_t n, size_t k,
                          const kg_pattern *pattern)
{
    kg_problem problem = { .arguments.count = 3, .exact = pattern->exact };
    kg_argument *list = problem.arguments.list;

    set(&list[A], KG_INPUT, input, m, k);
    set(&list[B], KG_INPUT, input, k, n);
    set(&list[C], KG_OUTPUT, output, m, n);
    for (int i = A; i <= B; i++) {
        problem.data[i] =
            kg__pool_array(test_pool(), list[i].rows * list[i].columns, kg_type_size(input));
        pattern->fill(&problem, i, problem.data[i]);
    }
    return problem;
}

/* Whatever the types and however long the sums, the patterns give what the types hold exactly, the
 * closed form is the reference's, and the projection sees one element that is off by one. */
Test(references, exact_products)
{
    static const struct {
        kg_type input, output;
        size_t k;
    } rows[] = {
        { KG_FLOAT32, KG_FLOAT32, 100 },    { KG_FLOAT16, KG_FLOAT32, 5000 },
        { KG_FLOAT16, KG_FLOAT16, 4099 },   { KG_BFLOAT16, KG_BFLOAT16, 1000 },
        { KG_FLOAT8_E4M3, KG_FLOAT16, 65 }, { KG_FLOAT64, KG_FLOAT64, 7 },
        { KG_INT8, KG_INT32, 300 },         { KG_FLOAT8_E5M2, KG_FLOAT8_E5M2, 50 },
    };
    enum { M = 3, N = 5, ELEMENTS = M * N };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (const kg_pattern *pattern = kg_patterns_gemm; pattern->name != NULL; pattern++) {
            kg_problem problem = product(rows[i].input, rows[i].output, M, N, rows[i].k, pattern);
            double expected[ELEMENTS], closed[ELEMENTS], tolerance[ELEMENTS], computed[ELEMENTS];
            kg_mismatch mismatch = { 0 };
            bool some = false;

            kg_reference_gemm(&problem, C, expected, tolerance);
            if (pattern->reference != NULL)
                pattern->reference(&problem, C, closed, tolerance);
            for (size_t j = 0; j < ELEMENTS; j++) {
                cr_expect(pattern->reference == NULL || closed[j] == expected[j]);
                kg_set_element(rows[i].output, computed, j, expected[j]);
                cr_expect(kg_element(rows[i].output, computed, j) == expected[j],
                          "%s, row %zu: %g has no such element", pattern->name, i, expected[j]);
                some = some || expected[j] != 0;
            }
            cr_expect(some);
            cr_expect(kg_project_gemm(&problem, C, computed, &mismatch));
            kg_set_element(rows[i].output, computed, 7, expected[7] + (expected[7] > 0 ? -1 : 1));
            cr_expect(not(kg_project_gemm(&problem, C, computed, &mismatch)));
            cr_expect(mismatch.index == 1 && mismatch.count == 1 && mismatch.is_row);
        }
    }
}

/* Sums are accumulated in float32, or in the elements' own type where that is more precise. */
Test(references, bounds_of_products)
{
    static const struct {
        kg_type type, accumulated;
        double bound; /* of a magnitude of 1, to first order */
    } rows[] = {
        { KG_FLOAT32, KG_FLOAT32, 8 * 0x1p-24 },
        { KG_FLOAT64, KG_FLOAT32, 8 * 0x1p-53 },
        { KG_FLOAT16, KG_FLOAT32, 0x1p-11 + 8 * 0x1p-24 },
        { KG_FLOAT16, KG_FLOAT16, 8 * 0x1p-11 },
        { KG_INT32, KG_FLOAT32, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg_problem problem = product(rows[i].type, rows[i].type, 1, 1, 8, &kg_patterns_gemm[1]);
        double expected, tolerance;

        problem.accumulated = rows[i].accumulated;
        kg_reference_gemm(&problem, C, &expected, &tolerance);
        cr_expect(expected == 16, "row %zu", i);
        cr_expect(tolerance >= 16 * rows[i].bound && tolerance <= 16.2 * rows[i].bound,
                  "row %zu: %a", i, tolerance);
    }
}

static double scaled_difference(const kg_problem *problem, const double *element, double *magnitude)
{
    *magnitude = fabs(element[A]) + fabs(element[B]);
    return KG_SCALAR(problem, double, 0) * (element[A] - element[B]);
}

/* A row and a column are repeated; the output itself is no input. */
Test(references, elements)
{
    static float row[3] = { 1, 2, 3 }, column[2] = { 10, 20 };
    kg_problem problem = { .arguments.count = 3, .scalar = { 0.5 }, .data = { row, column } };
    double expected[6], tolerance[6];

    set(&problem.arguments.list[A], KG_INPUT, KG_FLOAT32, 1, 3);
    set(&problem.arguments.list[B], KG_INPUT, KG_FLOAT32, 2, 1);
    set(&problem.arguments.list[C], KG_OUTPUT, KG_FLOAT32, 2, 3);
    kg_reference_elementwise(&problem, C, scaled_difference, 2, expected, tolerance);
    for (size_t i = 0; i < 6; i++) {
        cr_expect(expected[i] == 0.5 * ((double)row[i % 3] - column[i / 3]));
        cr_expect(tolerance[i] >= 2 * 0x1p-24 * ((double)row[i % 3] + column[i / 3]));
        cr_expect(tolerance[i] <= 2.01 * 0x1p-24 * ((double)row[i % 3] + column[i / 3]));
    }
}

Test(references, sums)
{
    static double matrix[6] = { 1, 2, 3, -4, 5, -6 };
    kg_problem problem = { .arguments.count = 2, .data = { matrix } };
    double expected[2], tolerance[2];

    set(&problem.arguments.list[0], KG_INPUT, KG_FLOAT64, 2, 3);
    set(&problem.arguments.list[1], KG_OUTPUT, KG_FLOAT64, 2, 1);
    kg_reference_sums(&problem, 0, 1, expected, tolerance);
    cr_expect(expected[0] == 6 && expected[1] == -5);
    cr_expect(tolerance[1] >= 3 * 0x1p-53 * 15 && tolerance[1] <= 3.01 * 0x1p-53 * 15);
    set(&problem.arguments.list[1], KG_OUTPUT, KG_FLOAT64, 1, 1);
    kg_reference_sums(&problem, 0, 1, expected, tolerance);
    cr_expect(expected[0] == 1 && tolerance[0] >= 6 * 0x1p-53 * 21);
}
