/* SPDX-License-Identifier: MIT */
/* The statistics that measuring and judging rest on. Pure: numbers in, numbers out. */
#pragma once

#include <stddef.h>

/* A median and the bounds of its confidence interval, all in the unit of the samples. */
typedef struct kg__interval {
    double value;
    double low;
    double high;
} kg__interval;

/* The confidence of all intervals that are measured and judged. */
#define KG__CONFIDENCE 0.95

/* Sorts `count` samples ascending, NaN last. */
void kg__sort(double *samples, size_t count);

/* The median of `count` samples; sorts them. NaN when there are none or when any sample is NaN. */
double kg__median(double *samples, size_t count);

/* The median of `count` samples and its distribution-free confidence interval from the samples' own
 * order statistics: ranks (l, n + 1 - l) with the largest l whose exact binomial coverage reaches
 * `confidence` (0 < confidence < 1). Sorts the samples. With too few samples for that coverage
 * (fewer than 6 at 0.95) the interval is (-INFINITY, INFINITY): nothing is known yet. Value, low
 * and high are NaN as kg__median(). Source: H. A. David and H. N. Nagaraja, Order Statistics, 3rd
 * ed., section 7.1. */
kg__interval kg__median_interval(double *samples, size_t count, double confidence);

/* Half of the interval's width as a fraction of its value; INFINITY where it has none. */
double kg__relative_half_width(const kg__interval *interval);
