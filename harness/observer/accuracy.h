/* Accuracy: how far float results are from what the reference expects. */
#ifndef KG__OBSERVER_ACCURACY_H
#define KG__OBSERVER_ACCURACY_H

#include <kernelgate/kernelgate.h>

#include "device/buffers.h"
#include "observer/problem.h"

/* Errors in roundoffs of the output's type; none where `max` is below 0. */
typedef struct kg__accuracy {
    double max;
    double mean;
} kg__accuracy;

#define KG__NO_ACCURACY ((kg__accuracy){ -1, -1 })

/* The errors of `count` right elements of `type` at the scale of their tolerances, by the formula
 * of docs/judging.md, rounded to four digits. KG__NO_ACCURACY of integers, and where every element
 * with a finite tolerance above 0 is expected to be 0. */
kg__accuracy kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                             const double *tolerance, size_t count);

/* The largest errors of all outputs in `buffers`, which are right by the problem's reference. */
kg__accuracy kg__measure_accuracy(const kg__problem *problem, kg__buffers *buffers);

#endif
