/* SPDX-License-Identifier: MIT */
#include "judge/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"

/* The looks, and the share of the error rate that each spends. The first finds clear slowdowns
 * in the few variants that changed; the last decides close ones. */
static const struct {
    size_t pairs;
    double share;
} looks[KG__LOOKS] = { { 12, 0.001 }, { 16, 0.002 }, { KG__PAIRS_MAXIMUM, 0.004 } };

/* A hypothesis with a greater p is given up: its differences lie below the margin rather than
 * above. */
#define FUTILE_P 0.5

/* In a variant found slower: the probability that any of its cases is wrongly found slower. */
#define VARIANT_RATE 0.05

/* Twice the ranks' sum is at most n (n + 1). */
#define SUMS (KG__PAIRS_MAXIMUM * (KG__PAIRS_MAXIMUM + 1) + 1)

typedef struct deviation {
    double magnitude;
    bool above;
} deviation;

static int compare_magnitudes(const void *left, const void *right)
{
    double a = ((const deviation *)left)->magnitude;
    double b = ((const deviation *)right)->magnitude;

    return (a > b) - (a < b);
}

/* Computes twice the rank of each of the sorted deviations, which is a whole number even with
 * ties. Returns twice W+. */
static size_t compute_ranks(const deviation *sorted, size_t count, size_t *doubled)
{
    size_t above = 0;

    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && sorted[end].magnitude <= sorted[begin].magnitude)
            end++;
        for (size_t i = begin; i < end; i++) {
            /* Twice the mean of the ranks begin + 1 to end. */
            doubled[i] = begin + 1 + end;
            above += sorted[i].above ? doubled[i] : 0;
        }
    }
    return above;
}

/* Returns the fraction of all 2^count choices of signs whose doubled sum of ranks is at least
 * `least`. The choices are counted by their sums, one rank at a time, in whole numbers that a
 * double represents exactly. */
static double upper_tail(const size_t *doubled, size_t count, size_t least)
{
    double ways[SUMS] = { 1 };
    double above = 0;
    size_t highest = 0;

    for (size_t i = 0; i < count; i++) {
        highest += doubled[i];
        for (size_t sum = highest; sum >= doubled[i]; sum--)
            ways[sum] += ways[sum - doubled[i]];
    }
    for (size_t sum = least; sum <= highest; sum++)
        above += ways[sum];
    return ldexp(above, -(int)count);
}

double kg__signed_rank_p(const double *differences, size_t count, double margin)
{
    deviation deviations[KG__PAIRS_MAXIMUM];
    size_t doubled[KG__PAIRS_MAXIMUM];
    size_t nonzero = 0;

    if (count > KG__PAIRS_MAXIMUM)
        return 1;
    for (size_t i = 0; i < count; i++) {
        double difference = differences[i] - margin;

        if (!isfinite(difference))
            return 1;
        if (difference != 0)
            deviations[nonzero++] = (deviation){ fabs(difference), difference > 0 };
    }
    if (nonzero == 0)
        return 1;
    qsort(deviations, nonzero, sizeof *deviations, compare_magnitudes);

    size_t above = compute_ranks(deviations, nonzero, doubled);

    return upper_tail(doubled, nonzero, above);
}

/* Returns the share that a look may spend: its own, and for the last look also those of the
 * looks that it replaces. */
static double error_share(size_t look, bool last)
{
    double share = looks[look].share;

    for (size_t later = look + 1; last && later < KG__LOOKS; later++)
        share += looks[later].share;
    return share;
}

static bool has_power(size_t pairs, double rate, size_t tests)
{
    return tests > 0 && ldexp(1, -(int)pairs) <= rate / (double)tests;
}

bool kg__look_has_power(const kg__family *family, size_t look, bool last)
{
    return has_power(family->pairs[look], family->part * error_share(look, last),
                     look == 0 && family->variants > 0 ? family->variants : family->count);
}

size_t kg__first_useful_look(const kg__family *family)
{
    size_t look = 0;

    while (look + 1 < KG__LOOKS && !kg__look_has_power(family, look, true))
        look++;
    return look;
}

static size_t count_variants(kg__hypothesis *const *list, size_t count)
{
    size_t different = 0;

    for (size_t i = 0; i < count; i++) {
        size_t j = 0;

        while (list[j]->variant != list[i]->variant)
            j++;
        different += j == i;
    }
    return different;
}

void kg__family_plan(kg__family *family)
{
    double rate = family->part * looks[0].share;

    family->variants = 0;
    for (size_t look = 0; look < KG__LOOKS; look++)
        family->pairs[look] = looks[look].pairs;
    if (kg__look_has_power(family, 0, false))
        return;
    family->variants = count_variants(family->list, family->count);
    while (has_power(family->pairs[0] - 1, rate, family->variants))
        family->pairs[0]--;
}

static int compare_p(const void *left, const void *right)
{
    double a = (*(kg__hypothesis *const *)left)->p;
    double b = (*(kg__hypothesis *const *)right)->p;

    return (a > b) - (a < b);
}

/* Holm's procedure at an error rate: sorts the hypotheses by p, and returns how many are
 * rejected. A family of `size` may have hypotheses that are not tested again: each counts as not
 * rejected, which can only make rejecting the others harder. */
static size_t reject(kg__hypothesis **tested, size_t count, size_t size, double rate)
{
    size_t rejected = 0;

    qsort(tested, count, sizeof(kg__hypothesis *), compare_p);
    while (rejected < count && tested[rejected]->p <= rate / (double)(size - rejected))
        rejected++;
    return rejected;
}

static void find_slower(kg__hypothesis **found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        found[i]->finding = KG__FOUND_SLOWER;
}

/* A variant's hypotheses, and the mean of their differences. */
typedef struct variant_test {
    kg__hypothesis mean;
    kg__hypothesis **members;
    size_t count;
} variant_test;

static int compare_by_variant(const void *left, const void *right)
{
    size_t a = (*(kg__hypothesis *const *)left)->variant;
    size_t b = (*(kg__hypothesis *const *)right)->variant;

    return (a > b) - (a < b);
}

/* Makes the test of the first variant in a list that is sorted by variant. */
static variant_test make_variant_test(kg__hypothesis **list, size_t count, size_t pairs,
                                      double margin)
{
    variant_test made = { .mean.count = pairs, .members = list };

    while (made.count < count && list[made.count]->variant == list[0]->variant)
        made.count++;
    for (size_t pair = 0; pair < pairs; pair++) {
        for (size_t i = 0; i < made.count; i++)
            made.mean.differences[pair] += list[i]->differences[pair] / (double)made.count;
    }
    made.mean.p = kg__signed_rank_p(made.mean.differences, pairs, log1p(margin));
    return made;
}

/* Tests the variants of a family, then the hypotheses of those that are slower. */
static void test_variants(const kg__family *family, size_t pairs, double share)
{
    kg__hypothesis **list = kg__allocate(family->count, sizeof(kg__hypothesis *));
    variant_test *tests = kg__allocate(family->variants, sizeof *tests);
    kg__hypothesis **means = kg__allocate(family->variants, sizeof(kg__hypothesis *));
    size_t count = 0;
    size_t tested = 0;

    for (size_t i = 0; i < family->count; i++) {
        if (family->list[i]->looked == pairs)
            list[count++] = family->list[i];
    }
    qsort(list, count, sizeof(kg__hypothesis *), compare_by_variant);
    for (size_t i = 0; i < count; i += tests[tested++].count) {
        tests[tested] = make_variant_test(list + i, count - i, pairs, family->margin);
        means[tested] = &tests[tested].mean;
    }
    find_slower(means, reject(means, tested, family->variants, share));
    for (size_t i = 0; i < tested; i++) {
        variant_test *test = &tests[i];

        if (test->mean.finding == KG__FOUND_SLOWER)
            find_slower(test->members,
                        reject(test->members, test->count, test->count, VARIANT_RATE));
    }
    free(means);
    free(tests);
    free(list);
}

void kg__take_look(const kg__family *family, size_t look, bool last)
{
    kg__hypothesis **tested = kg__allocate(family->count, sizeof(kg__hypothesis *));
    size_t pairs = family->pairs[look];
    bool final = last || look + 1 == KG__LOOKS;
    double share = family->part * error_share(look, final);
    size_t tested_count = 0;

    for (size_t i = 0; i < family->count; i++) {
        kg__hypothesis *hypothesis = family->list[i];

        if (hypothesis->finding != KG__UNDECIDED || hypothesis->count < pairs)
            continue;
        hypothesis->looked = pairs;
        hypothesis->p = kg__signed_rank_p(hypothesis->differences, pairs, log1p(family->margin));
        tested[tested_count++] = hypothesis;
    }
    if (look == 0 && family->variants > 0)
        test_variants(family, pairs, share);
    else
        find_slower(tested, reject(tested, tested_count, family->count, share));
    for (size_t i = 0; i < tested_count; i++) {
        if (tested[i]->finding == KG__UNDECIDED && (final || tested[i]->p > FUTILE_P))
            tested[i]->finding = KG__NOT_SLOWER;
    }
    free(tested);
}
