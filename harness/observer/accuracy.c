#include "observer/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "suite/element_type.h"

/* Rounds to the four digits that baselines have, so that an equal run is equal. */
static double round_error(double error)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.4g", error);
    return strtod(text, NULL);
}

bool kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                     const double *tolerance, size_t count, kg__accuracy *accuracy)
{
    const kg__element_type *row = kg__element_type_of(type);
    double widest = 0;  /* tolerance */
    double largest = 0; /* expected magnitude */
    double most = 0;
    double sum = 0;
    double scale;
    size_t judged = 0;

    for (size_t i = 0; row->significand > 0 && i < count; i++) {
        double share;

        /* A result that is exact by its bound has no error, and a NaN or an infinity no distance.
         */
        if (!(tolerance[i] > 0) || !isfinite(tolerance[i]) || !isfinite(expected[i]))
            continue;
        share = fabs(row->get(computed, i) - expected[i]) / tolerance[i];
        widest = fmax(widest, tolerance[i]);
        largest = fmax(largest, fabs(expected[i]));
        most = fmax(most, share);
        sum += share;
        judged++;
    }
    scale = widest / (kg_roundoff(type) * largest);
    if (judged == 0 || !(scale * most <= KG__LARGEST_FIGURE))
        return false;
    *accuracy = (kg__accuracy){ .max = round_error(scale * most),
                                .mean = round_error(scale * (sum / (double)judged)) };
    return true;
}

/* The errors of one output. */
static kg__accuracy measure_output(kg__problem *problem, int i, kg__buffers *buffers)
{
    const kg_argument *argument = &problem->base.arguments.list[i];
    kg__accuracy found = KG__NO_ACCURACY;
    const void *computed;
    kg__error why;

    if (problem->right[i] != NULL && kg__buffers_hold(buffers, i, problem->right[i]))
        return problem->accuracy[i];
    computed = kg__buffers_read(buffers, i, &why);
    if (computed != NULL)
        (void)kg__accuracy_of(argument->type, computed, problem->expected[i], problem->tolerance[i],
                              argument->rows * argument->columns, &found);
    if (problem->right[i] == NULL)
        problem->accuracy[i] = found;
    return found;
}

void kg__measure_accuracy(kg__problem *problem, kg__buffers *buffers, kg__accuracy *accuracy)
{
    *accuracy = KG__NO_ACCURACY;
    for (int i = 0; i < problem->base.arguments.count; i++) {
        kg__accuracy found;

        if (problem->expected[i] == NULL || kg_roundoff(problem->base.arguments.list[i].type) == 0)
            continue;
        found = measure_output(problem, i, buffers);
        accuracy->max = fmax(accuracy->max, found.max);
        accuracy->mean = fmax(accuracy->mean, found.mean);
    }
}
