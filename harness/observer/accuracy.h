/* SPDX-License-Identifier: MIT */
/* Accuracy: the error of results against the reference. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "device/buffers.h"
#include "observer/problem.h"

/* Errors in roundoffs of the output's type, of integers in units; none if `max` is below 0. */
typedef struct kg__accuracy {
    double max;
    double mean;
} kg__accuracy;

#define KG__NO_ACCURACY ((kg__accuracy){ -1, -1 })

/* Returns the errors of `count` right elements of `type` at the scale of their tolerances, by
 * the formula in docs/judging.md, rounded to four digits. KG__NO_ACCURACY if no element has a
 * finite tolerance above 0, and if every float that has one is expected to be 0. */
kg__accuracy kg__accuracy_of(kg_type type, const void *computed, const double *expected,
                             const double *tolerance, size_t count);

/* Returns the largest errors of all outputs in `buffers`, which the problem's reference has
 * judged right. */
kg__accuracy kg__measure_accuracy(const kg__problem *problem, kg__buffers *buffers);
