/* SPDX-License-Identifier: MIT */
/* Medians, their confidence intervals and deviations, held against published figures. */
#include "base/statistics.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/fakes/drive.h"

/* A. A. Michelson's hundred measurements of the speed of light of 1879, in km/s above 299 000. NIST
 * certifies their mean, 299.8524, and their standard deviation, 0.0790105478190518 (both in
 * thousands of km/s): Statistical Reference Datasets, univariate summary statistics, dataset
 * Michelso. R distributes the same data as `morley`, and gives 850 as their median. */
static const double michelson[] = {
    850,  740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000,
    1000, 960, 960, 960,  940, 960, 940, 880, 800, 850, 880,  900, 840, 830, 790, 810, 880,
    880,  830, 800, 790,  760, 800, 880, 880, 880, 860, 720,  720, 620, 860, 970, 950, 880,
    910,  850, 870, 840,  840, 850, 840, 840, 840, 890, 810,  810, 820, 800, 770, 760, 740,
    750,  760, 910, 920,  890, 860, 880, 720, 840, 850, 850,  780, 890, 840, 780, 810, 760,
    810,  790, 810, 820,  850, 870, 870, 810, 740, 810, 940,  950, 800, 810, 870
};

#define MICHELSON_COUNT (sizeof michelson / sizeof *michelson)

/* The numbers from 1 to `count`, out of order, so that an order statistic is its own rank. */
static double *shuffled_ranks(size_t count)
{
    double *samples = kg__pool_array(test_pool(), count, sizeof *samples);
    unsigned long long state = 12345;

    for (size_t i = 0; i < count; i++)
        samples[i] = (double)(i + 1);
    for (size_t i = count; i > 1; i--) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;

        size_t other = (size_t)(state >> 33) % i;
        double kept = samples[i - 1];

        samples[i - 1] = samples[other];
        samples[other] = kept;
    }
    return samples;
}

static void expect_ranks(size_t count, double confidence, double low, double high)
{
    double *samples = shuffled_ranks(count);
    kg__interval interval = kg__median_interval(samples, count, confidence);

    cr_expect(interval.low == low && interval.high == high,
              "%zu samples at %g: ranks %g to %g expected, got %g to %g", count, confidence, low,
              high, interval.low, interval.high);
    cr_expect(interval.value == 0.5 * ((double)count + 1.0), "%zu samples: median %g", count,
              interval.value);
}

Test(statistics, median)
{
    static const struct {
        double samples[6];
        size_t count;
        double median;
    } rows[] = { { { 7 }, 1, 7 },
                 { { 4, 1, 3, 2 }, 4, 2.5 },
                 { { 9, -1, 5 }, 3, 5 },
                 { { 2, 1, 2, 2, 3, 2 }, 6, 2 },
                 { { DBL_MAX, DBL_MAX }, 2, DBL_MAX }, /* no overflow on the way */
                 { { INFINITY, 1, INFINITY }, 3, INFINITY },
                 { { -INFINITY, 1, 2, INFINITY }, 4, 1.5 },
                 { { 1, NAN, 2 }, 3, NAN },
                 { { NAN }, 1, NAN },
                 { { 0 }, 0, NAN } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double samples[6];
        double got;

        memcpy(samples, rows[i].samples, sizeof samples);
        got = kg__median(samples, rows[i].count);
        cr_expect(got == rows[i].median || (isnan(got) && isnan(rows[i].median)), "row %zu: %g", i,
                  got);
        cr_expect(rows[i].count == 0 || !(samples[0] > samples[rows[i].count - 1]), "sorted");
    }
}

/* The standard textbook table of intervals for a population's median, with the coverage of each in
 * per cent; every line was recomputed with exact integers as 1 - 2 (C(n,0) + ... + C(n,l-1)) / 2^n.
 */
Test(statistics, ranks_are_those_of_the_published_table)
{
    static const struct {
        size_t count;
        double low, high, coverage;
    } table[] = {
        { 2, 1, 2, 50.0 },    { 3, 1, 3, 75.0 },    { 4, 1, 4, 87.5 },    { 5, 1, 5, 93.75 },
        { 6, 1, 6, 96.875 },  { 6, 2, 5, 78.125 },  { 7, 1, 7, 98.4375 }, { 7, 2, 6, 87.5 },
        { 8, 1, 8, 99.21 },   { 8, 2, 7, 92.96 },   { 9, 1, 9, 99.60 },   { 9, 2, 8, 96.09 },
        { 9, 3, 7, 82.03 },   { 10, 1, 10, 99.80 }, { 10, 2, 9, 97.85 },  { 10, 3, 8, 89.06 },
        { 11, 1, 11, 99.90 }, { 11, 2, 10, 98.82 }, { 11, 3, 9, 93.45 },  { 12, 2, 11, 99.36 },
        { 12, 3, 10, 96.14 }, { 12, 4, 9, 85.40 },  { 13, 2, 12, 99.65 }, { 13, 3, 11, 97.75 },
        { 13, 4, 10, 90.77 }, { 14, 2, 13, 99.81 }, { 14, 3, 12, 98.70 }, { 14, 4, 11, 94.26 },
        { 14, 5, 10, 82.04 }, { 15, 3, 13, 99.26 }, { 15, 4, 12, 96.48 }, { 15, 5, 11, 88.15 },
        { 16, 5, 12, 92.31 }, { 17, 5, 13, 95.09 }, { 18, 5, 14, 96.91 }, { 19, 5, 15, 98.07 },
        { 19, 7, 13, 83.29 }, { 20, 6, 15, 95.86 }, { 20, 7, 14, 88.46 },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_ranks(table[i].count, table[i].coverage / 100.0, table[i].low, table[i].high);
}

Test(statistics, ranks_of_many_samples)
{
    static const double table[][4] = {
        { 6, 0.95, 1, 6 },
        { 25, 0.95, 8, 18 },
        { 60, 0.95, 22, 39 },
        { 61, 0.95, 23, 39 },
        { 100, 0.95, 40, 61 },
        { 10000, 0.95, 4902, 5099 },
        { 1000, 0.999, 448, 553 },
        { 100000, 0.999, 49480, 50521 },
        /* Exact integers of a million bits say that these are the ones. */
        { 1000001, 0.95, 499021, 500981 },
        /* Even the two in the middle cover more than this. */
        { 60, 0.01, 30, 31 },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_ranks((size_t)table[i][0], table[i][1], table[i][2], table[i][3]);
    /* Ranks 2 to 59 of 60 miss the median 61 times in 2^59, just less than the 2^-53 that is
     * allowed. */
    expect_ranks(60, nextafter(1.0, 0.0), 2, 59);
}

/* The coverage of 1 to 6 is 31/32 exactly: asking for just that gets it, for any more does not. */
Test(statistics, coverage_reached_exactly_counts)
{
    expect_ranks(6, 0.96875, 1, 6);
    expect_ranks(6, 0.96876, -INFINITY, INFINITY);
    expect_ranks(2, 0.5, 1, 2);
    expect_ranks(2, 0.5001, -INFINITY, INFINITY);
}

/* Up to 50 tosses every coverage is a double, so that each rank can be asked for by its own,
 * exactly. */
Test(statistics, any_coverage_reached_exactly_counts)
{
    for (size_t count = 2; count <= 50; count++) {
        double ways = 1.0;
        double fewer = 0.0; /* the ways of getting fewer than `rank` heads */

        for (size_t rank = 1; rank <= count / 2; rank++) {
            fewer += ways;
            ways = ways * (double)(count - rank + 1) / (double)rank;
            expect_ranks(count, 1.0 - 2.0 * ldexp(fewer, -(int)count), (double)rank,
                         (double)(count + 1 - rank));
        }
    }
}

Test(statistics, too_few_samples_say_nothing)
{
    for (size_t count = 1; count < 6; count++)
        expect_ranks(count, 0.95, -INFINITY, INFINITY);
    expect_ranks(100, 0.0, -INFINITY, INFINITY);
    expect_ranks(100, 1.0, -INFINITY, INFINITY);
    expect_ranks(100, -0.5, -INFINITY, INFINITY);
    expect_ranks(100, NAN, -INFINITY, INFINITY);
}

Test(statistics, no_interval_without_a_median)
{
    double samples[] = { 1, 2, NAN, 4, 5, 6, 7 };
    kg__interval broken = kg__median_interval(samples, 7, 0.95);
    kg__interval none = kg__median_interval(NULL, 0, 0.95);

    cr_expect(isnan(broken.value) && isnan(broken.low) && isnan(broken.high));
    cr_expect(isnan(none.value) && isnan(none.low) && isnan(none.high));
}

Test(statistics, intervals_of_samples)
{
    double ties[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 80 };
    double samples[MICHELSON_COUNT];
    kg__interval interval = kg__median_interval(ties, 10, 0.95);

    cr_expect(interval.value == 5.0 && interval.low == 5.0 && interval.high == 5.0);
    memcpy(samples, michelson, sizeof samples);
    interval = kg__median_interval(samples, MICHELSON_COUNT, 0.95);
    /* Ranks 40 and 61 of the sorted data. */
    cr_expect(interval.value == 850.0 && interval.low == 840.0 && interval.high == 870.0,
              "%g to %g", interval.low, interval.high);
}

Test(statistics, relative_half_width)
{
    static const struct {
        kg__interval interval;
        double width;
    } rows[] = { { { 100, 99, 101 }, 0.01 },
                 { { 100, 98, 108 }, 0.05 },
                 { { 5, 5, 5 }, 0 },
                 { { 0, 0, 0 }, 0 },
                 { { 0, -1, 1 }, INFINITY },
                 { { -100, -101, -99 }, 0.01 },
                 { { 100, 99, INFINITY }, INFINITY },
                 { { NAN, NAN, NAN }, INFINITY },
                 { { 100, 101, 99 }, INFINITY },
                 { { INFINITY, 1, 2 }, INFINITY },
                 { { 100, -INFINITY, INFINITY }, INFINITY } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(kg__relative_half_width(&rows[i].interval) == rows[i].width, "row %zu", i);
}
