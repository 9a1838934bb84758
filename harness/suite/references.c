/* SPDX-License-Identifier: MIT */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "suite/element_type.h"

/* The largest weight of the projection. */
#define WEIGHT_MOST 32768.0

static size_t count_of(const kg_argument *argument)
{
    return argument->rows * argument->columns;
}

/* Returns the type in which a sum for an output is accumulated. */
static kg_type accumulated_for(const kg_problem *problem, const kg_argument *output)
{
    return kg_roundoff(output->type) < kg_roundoff(problem->accumulated) ? output->type
                                                                         : problem->accumulated;
}

/* Returns the error bound of a sum of `terms` for an output. */
static double bound(const kg_problem *problem, const kg_argument *output, int64_t terms,
                    double magnitude)
{
    return kg_sum_tolerance(accumulated_for(problem, output), output->type, terms, magnitude);
}

/* Returns the elements of an input as doubles; the caller frees them. */
static double *copy_as_doubles(const kg_problem *problem, int argument)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    const kg__element_type *type = kg__element_type_of(shape->type);
    double *values = kg__allocate(count_of(shape), sizeof *values);

    for (size_t i = 0; i < count_of(shape); i++)
        values[i] = type->get(problem->data[argument], i);
    return values;
}

/* Two doubles, and their bits: a vector register of any 64-bit processor. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t bits_of_pair __attribute__((vector_size(16)));

/* Columns of B whose sums fit the registers. */
#define PANEL 4

/* Computes a row of A times `PANEL` columns of B, which lie side by side: the sums of `k` products,
 * and of their magnitudes. */
static void multiply_panel(const double *row, const pair *b, size_t k, double *sums,
                           double *magnitudes)
{
    pair sum[2] = { { 0 } };
    pair magnitude[2] = { { 0 } };

    for (size_t i = 0; i < k; i++) {
        pair left = row[i] * b[2 * i];
        pair right = row[i] * b[2 * i + 1];

        sum[0] += left;
        sum[1] += right;
        magnitude[0] += (pair)((bits_of_pair)left & INT64_MAX);
        magnitude[1] += (pair)((bits_of_pair)right & INT64_MAX);
    }
    memcpy(sums, sum, sizeof sum);
    memcpy(magnitudes, magnitude, sizeof magnitude);
}

void kg_reference_gemm(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const kg_argument *c = &problem->arguments.list[output];
    const kg__element_type *type = kg__element_type_of(problem->arguments.list[1].type);
    size_t k = problem->arguments.list[0].columns;
    double *a = copy_as_doubles(problem, 0);
    double *b = kg__allocate(k * PANEL, sizeof *b); /* aligned to 16 bytes, as malloc() does */

    for (size_t left = 0; left < c->columns; left += PANEL) {
        size_t columns = c->columns - left < PANEL ? c->columns - left : PANEL;

        for (size_t i = 0; i < k; i++) {
            for (size_t column = 0; column < columns; column++)
                b[i * PANEL + column] = type->get(problem->data[1], i * c->columns + left + column);
        }
        for (size_t row = 0; row < c->rows; row++) {
            size_t place = row * c->columns + left;
            double sums[PANEL];
            double magnitudes[PANEL];

            multiply_panel(a + row * k, (const pair *)b, k, sums, magnitudes);
            for (size_t column = 0; column < columns; column++) {
                expected[place + column] = sums[column];
                tolerance[place + column] = bound(problem, c, (int64_t)k, magnitudes[column]);
            }
        }
    }
    free(a);
    free(b);
}

/* Returns a weight of the projection: integers of 15 bits, never 0, so that products with small
 * integers stay exact in double. */
static double weight(size_t column)
{
    uint64_t bits = (uint64_t)column * 0x9e3779b97f4a7c15u;

    return (double)(int64_t)((bits >> 48) | 1) - WEIGHT_MOST;
}

/* Returns B w and |B| |w|, one after the other; the caller frees them. */
static double *weigh(const double *b, size_t k, size_t n)
{
    double *weighted = kg__allocate(2 * k, sizeof *weighted);

    for (size_t i = 0; i < k; i++) {
        for (size_t column = 0; column < n; column++) {
            double term = b[i * n + column] * weight(column);

            weighted[i] += term;
            weighted[k + i] += fabs(term);
        }
    }
    return weighted;
}

bool kg_project_gemm(const kg_problem *problem, int output, const void *computed,
                     kg_mismatch *mismatch)
{
    const kg_argument *c = &problem->arguments.list[output];
    const kg__element_type *type = kg__element_type_of(c->type);
    size_t k = problem->arguments.list[0].columns;
    double *a = copy_as_doubles(problem, 0);
    double *b = copy_as_doubles(problem, 1);
    double *weighted = weigh(b, k, c->columns);
    /* The bound for results too small for C's type. */
    double least = bound(problem, c, (int64_t)k, 0) * WEIGHT_MOST * (double)c->columns;

    mismatch->is_row = true;
    for (size_t row = 0; row < c->rows; row++) {
        double expected = 0;
        double magnitude = 0;
        double got = 0;
        double tolerance;

        for (size_t i = 0; i < k; i++) {
            expected += a[row * k + i] * weighted[i];
            magnitude += fabs(a[row * k + i]) * weighted[k + i];
        }
        for (size_t column = 0; column < c->columns; column++)
            got += type->get(computed, row * c->columns + column) * weight(column);
        tolerance = problem->exact ? 0 : bound(problem, c, (int64_t)k, magnitude) + least;
        if (!(fabs(got - expected) <= tolerance) && mismatch->count++ == 0) {
            mismatch->index = row;
            mismatch->expected = expected;
            mismatch->got = got;
            mismatch->tolerance = tolerance;
        }
    }
    free(a);
    free(b);
    free(weighted);
    return mismatch->count == 0;
}

kg_work kg_work_gemm(const kg_size *size)
{
    double m = (double)kg_extent(size, 0);
    double n = (double)kg_extent(size, 1);
    double k = (double)kg_extent(size, 2);

    return (kg_work){ .operations = 2 * m * n * k };
}

/* Returns the largest integer up to which every output of a product, and the type it is
 * accumulated in, represent all integers. */
static double largest_exact(const kg_problem *problem)
{
    double most = 0x1p31;

    for (int i = 0; i < problem->arguments.count; i++) {
        const kg_argument *argument = &problem->arguments.list[i];
        double roundoff =
            fmax(kg_roundoff(argument->type), kg_roundoff(accumulated_for(problem, argument)));

        if (argument->role == KG_OUTPUT && roundoff > 0)
            most = fmin(most, 1 / roundoff);
    }
    return most;
}

/* Returns the stride of A's nonzero columns, so that sums of terms up to `term` stay exact. */
static size_t stride_for(const kg_problem *problem, double term)
{
    double sum = term * (double)problem->arguments.list[0].columns;

    return (size_t)fmax(1, ceil(sum / largest_exact(problem)));
}

/* Returns whether an element of A or B may be nonzero; each row of A leaves out other columns. */
static bool is_used(const kg_argument *shape, int argument, size_t i, size_t stride)
{
    return argument != 0 || i % shape->columns % stride == i / shape->columns % stride;
}

/* Fills with integers from -most to most whose sums of k products are exact: most is 4 if
 * possible. */
static void fill_small_integers(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    uint64_t state = 0x2545f4914f6cdd1du + (uint64_t)argument;
    int most = 4;
    size_t stride;

    while (most > 1 && stride_for(problem, (double)most * most) > 1)
        most--;
    stride = stride_for(problem, (double)most * most);
    for (size_t i = 0; i < count_of(shape); i++) {
        uint64_t range = 2 * (uint64_t)most + 1;

        state = state * 6364136223846793005u + 1442695040888963407u;
        if (is_used(shape, argument, i, stride))
            kg_set_element(shape->type, data, i, (double)((state >> 33) % range) - most);
    }
}

static void fill_ones_and_twos(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    size_t stride = stride_for(problem, 2);

    for (size_t i = 0; i < count_of(shape); i++) {
        if (is_used(shape, argument, i, stride))
            kg_set_element(shape->type, data, i, argument == 0 ? 1 : 2);
    }
}

/* Each row's result is two per nonzero column of A. */
static void expect_twos(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const kg_argument *c = &problem->arguments.list[output];
    size_t k = problem->arguments.list[0].columns;
    size_t stride = stride_for(problem, 2);

    for (size_t i = 0; i < count_of(c); i++) {
        size_t used = (k + stride - 1 - i / c->columns % stride) / stride;

        expected[i] = 2.0 * (double)used;
        tolerance[i] = 0;
    }
}

const kg_pattern kg_patterns_gemm[] = {
    { "small_integers", fill_small_integers, NULL, true },
    { "ones_times_twos", fill_ones_and_twos, expect_twos, true },
    KG_END,
};

/* Returns the index of the argument's element that belongs to element i of an output. */
static size_t place_of(const kg_argument *argument, const kg_argument *output, size_t i)
{
    size_t row = argument->rows > 1 ? i / output->columns : 0;
    size_t column = argument->columns > 1 ? i % output->columns : 0;

    return row * argument->columns + column;
}

void kg_reference_elementwise(const kg_problem *problem, int output, kg_element_function *function,
                              int roundings, double *expected, double *tolerance)
{
    const kg_arguments *arguments = &problem->arguments;
    const kg_argument *shape = &arguments->list[output];
    double element[KG_MAX_ARGUMENTS];

    for (size_t i = 0; i < count_of(shape); i++) {
        double magnitude = NAN;

        for (int j = 0; j < arguments->count; j++) {
            const kg_argument *argument = &arguments->list[j];

            element[j] = problem->data[j] != NULL ? kg_element(argument->type, problem->data[j],
                                                               place_of(argument, shape, i))
                                                  : NAN;
        }
        expected[i] = function(problem, element, &magnitude);
        if (isnan(magnitude))
            magnitude = fabs(expected[i]);
        tolerance[i] = bound(problem, shape, roundings, magnitude);
    }
}

void kg_reference_sums(const kg_problem *problem, int input, int output, double *expected,
                       double *tolerance)
{
    const kg_argument *shape = &problem->arguments.list[output];
    size_t sums = count_of(shape);
    size_t terms = sums > 0 ? count_of(&problem->arguments.list[input]) / sums : 0;
    double *values = copy_as_doubles(problem, input);

    for (size_t i = 0; i < sums; i++) {
        double magnitude = 0;

        expected[i] = 0;
        for (size_t j = 0; j < terms; j++) {
            expected[i] += values[i * terms + j];
            magnitude += fabs(values[i * terms + j]);
        }
        tolerance[i] = bound(problem, shape, (int64_t)terms, magnitude);
    }
    free(values);
}
