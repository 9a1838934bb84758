/* SPDX-License-Identifier: MIT */
#include "observer/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "suite/element_type.h"

/* Rounds to the four digits of baselines, so that an equal run compares equal. */
static double round_error(double error)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.4g", error);
    return strtod(text, NULL);
}

/* 64-bit integers differ by less than doubles can tell. */
static double error_at(const kg__element_type *row, const void *computed, const double *expected,
                       size_t i)
{
    uint64_t got;
    uint64_t wanted;

    if (!row->is_expected_as_itself)
        return fabs(row->get(computed, i) - expected[i]);
    memcpy(&got, (const uint64_t *)computed + i, sizeof got);
    memcpy(&wanted, &expected[i], sizeof wanted);
    return (double)(got - wanted < wanted - got ? got - wanted : wanted - got);
}

kg__accuracy kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                             const double *tolerance, size_t count)
{
    const kg__element_type *row = kg__element_type_of(type);
    const bool is_integer = row->significand == 0;
    double widest = 0;  /* tolerance */
    double largest = 0; /* expected magnitude */
    double most = 0;
    double sum = 0;
    double scale;
    size_t judged = 0;

    /* Without fmax(), a library call that would take most of the time of millions of elements. */
    for (size_t i = 0; i < count; i++) {
        double bound = tolerance[i];
        double magnitude = is_integer ? 0 : fabs(expected[i]);
        double share;

        /* A result with a zero bound is exact, and NaN or infinity has no distance. */
        if (!(bound > 0) || !isfinite(bound) || !isfinite(magnitude))
            continue;
        share = error_at(row, computed, expected, i) / bound;
        widest = bound > widest ? bound : widest;
        largest = magnitude > largest ? magnitude : largest;
        most = share > most ? share : most;
        sum += share;
        judged++;
    }
    scale = is_integer ? widest : widest / (kg_roundoff(type) * largest);
    if (judged == 0 || !(scale * most <= KG__LARGEST_FIGURE))
        return KG__NO_ACCURACY;
    return (kg__accuracy){ round_error(scale * most), round_error(scale * (sum / (double)judged)) };
}

kg__accuracy kg__measure_accuracy(const kg__problem *problem, kg__buffers *buffers)
{
    kg__accuracy largest = KG__NO_ACCURACY;
    kg__error why;

    for (int i = 0; i < problem->base.arguments.count; i++) {
        const kg_argument *argument = &problem->base.arguments.list[i];
        const void *computed =
            problem->expected[i] != NULL ? kg__buffers_read(buffers, i, &why) : NULL;
        kg__accuracy found;

        if (computed == NULL)
            continue;
        found = kg__accuracy_of(argument->type, computed, problem->expected[i],
                                problem->tolerance[i], argument->rows * argument->columns);
        largest = (kg__accuracy){ fmax(largest.max, found.max), fmax(largest.mean, found.mean) };
    }
    return largest;
}
