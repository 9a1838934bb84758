/* SPDX-License-Identifier: MIT */
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Binomial weights smaller than this part of the greatest one are not summed: even all of them
 * together are nothing next to the smallest tail that a double can ask for, which is about 1e-16.
 */
#define NEGLIGIBLE_WEIGHT 1e-250

/* Rounding leaves a tail of a binomial sum this far, as a fraction, from its exact value at most.
 */
#define TAIL_ROUNDING 1e-10

static int compare_samples(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (a > b) - (a < b);
}

void kg__sort(double *samples, size_t count)
{
    if (count > 1)
        qsort(samples, count, sizeof *samples, compare_samples);
}

/* The median of samples that are sorted already. */
static double median_of_sorted(const double *samples, size_t count)
{
    if (count == 0 || isnan(samples[count - 1]))
        return NAN;
    if (count % 2 == 1)
        return samples[count / 2];
    /* Halved before they are added, since the sum of two large samples may overflow. */
    return 0.5 * samples[count / 2 - 1] + 0.5 * samples[count / 2];
}

double kg__median(double *samples, size_t count)
{
    kg__sort(samples, count);
    return median_of_sorted(samples, count);
}

/* The largest rank l, 1 for the smallest sample, for which the ranks l and count + 1 - l enclose
 * the median with at least this confidence; 0 where no rank does. They miss the median
 * when fewer than l samples fall on one side of it, so the largest l is taken with 2 P(B < l) <= 1
 * - confidence, where B counts the heads of `count` tosses of a fair coin.
 *
 * The binomial weights are taken relative to the greatest one, from which they are stepped down to
 * where they become negligible and then summed upward. Neither way subtracts or takes a logarithm
 * of a factorial, so the sums keep about twelve digits at a million samples, where the
 * probabilities themselves underflow. */
static size_t lower_rank(size_t count, double confidence)
{
    size_t half = count / 2;
    size_t heads = half;
    double weight = 1.0;
    double below = 0.0; /* the weights of fewer than `half` heads */

    if (!(confidence > 0.0 && confidence < 1.0))
        return 0;
    while (heads > 0 && weight > NEGLIGIBLE_WEIGHT) {
        weight *= (double)heads / (double)(count - heads + 1);
        heads--;
        below += weight;
    }

    /* An odd count has two greatest weights, an even one has one. */
    double total = count % 2 == 1 ? 2.0 * (below + 1.0) : 2.0 * below + 1.0;
    double allowed = 0.5 * (1.0 - confidence) * total * (1.0 + TAIL_ROUNDING);
    double tail = weight;

    while (heads < half && tail <= allowed) {
        weight *= (double)(count - heads) / (double)(heads + 1);
        heads++;
        tail += weight;
    }
    return heads;
}

kg__interval kg__median_interval(double *samples, size_t count, double confidence)
{
    kg__interval interval = { .low = -INFINITY, .high = INFINITY };

    interval.value = kg__median(samples, count);
    if (isnan(interval.value)) {
        interval.low = NAN;
        interval.high = NAN;
        return interval;
    }

    size_t rank = lower_rank(count, confidence);

    if (rank > 0) {
        interval.low = samples[rank - 1];
        interval.high = samples[count - rank];
    }
    return interval;
}

double kg__relative_half_width(const kg__interval *interval)
{
    double width = interval->high - interval->low;
    double value = fabs(interval->value);

    if (!isfinite(width) || !isfinite(value) || width < 0.0)
        return INFINITY;
    if (width == 0.0)
        return 0.0;
    return 0.5 * width / value;
}
