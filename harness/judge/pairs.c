#include "judge/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"

/* The looks, and what each spends of the error rate. The first is for the few suspects of a usual
 * run, whose slowness is plain; most is kept for the last, which decides what is close, and which
 * alone has the resolution for a family of hundreds. */
static const struct {
    size_t pairs;
    double share;
} looks[KG__LOOKS] = { { 12, 0.001 }, { 16, 0.002 }, { KG__PAIRS_MAXIMUM, 0.004 } };

/* Above this a hypothesis is given up: its differences lie below the margin rather than above. */
#define FUTILE_P 0.5

/* Twice the ranks' sum is at most n (n + 1). */
#define SUMS (KG__PAIRS_MAXIMUM * (KG__PAIRS_MAXIMUM + 1) + 1)

typedef struct deviation {
    double magnitude;
    bool above;
} deviation;

size_t kg__look_pairs(size_t look)
{
    return looks[look].pairs;
}

static int compare_magnitudes(const void *left, const void *right)
{
    double a = ((const deviation *)left)->magnitude;
    double b = ((const deviation *)right)->magnitude;

    return (a > b) - (a < b);
}

/* Twice the rank of each of the sorted deviations: whole numbers, ties or not. Returns twice W+. */
static size_t compute_ranks(const deviation *sorted, size_t count, size_t *doubled)
{
    size_t above = 0;

    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && sorted[end].magnitude <= sorted[begin].magnitude)
            end++;
        for (size_t i = begin; i < end; i++) {
            /* The mean of the ranks begin + 1 to end. */
            doubled[i] = begin + 1 + end;
            above += sorted[i].above ? doubled[i] : 0;
        }
    }
    return above;
}

/* The part of all 2^count choices of signs whose doubled sum of ranks is at least `least`: the
 * choices are counted by their sums, a rank at a time, in whole numbers that a double holds
 * exactly. */
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

/* What a look may spend: its own share, or, where none follows, those of the later ones too. */
static double error_share(size_t look, bool last)
{
    double share = looks[look].share;

    for (size_t later = look + 1; last && later < KG__LOOKS; later++)
        share += looks[later].share;
    return share;
}

bool kg__look_has_power(size_t look, size_t family, double part, bool last)
{
    return family > 0 &&
           ldexp(1, -(int)looks[look].pairs) <= part * error_share(look, last) / (double)family;
}

static int compare_p(const void *left, const void *right)
{
    double a = (*(kg__hypothesis *const *)left)->p;
    double b = (*(kg__hypothesis *const *)right)->p;

    return (a > b) - (a < b);
}

void kg__take_look(kg__hypothesis *const *family, size_t count, double part, size_t look, bool last)
{
    kg__hypothesis **undecided = kg__allocate(count, sizeof(kg__hypothesis *));
    size_t pairs = looks[look].pairs;
    double share = part * error_share(look, last || look + 1 == KG__LOOKS);
    size_t undecided_count = 0;
    size_t rejected = 0;

    for (size_t i = 0; i < count; i++) {
        kg__hypothesis *hypothesis = family[i];

        if (hypothesis->finding != KG__UNDECIDED || hypothesis->count < pairs)
            continue;
        hypothesis->looked = pairs;
        hypothesis->p = kg__signed_rank_p(hypothesis->differences, pairs, log1p(KG__PAIRS_MARGIN));
        undecided[undecided_count++] = hypothesis;
    }
    qsort(undecided, undecided_count, sizeof(kg__hypothesis *), compare_p);
    /* The family keeps its size: a hypothesis that was decided before counts as one that this look
     * does not reject, which can only make it harder for the others. */
    while (rejected < undecided_count &&
           undecided[rejected]->p <= share / (double)(count - rejected))
        undecided[rejected++]->finding = KG__FOUND_SLOWER;
    for (size_t i = rejected; i < undecided_count; i++) {
        if (undecided[i]->p > FUTILE_P || last || look + 1 == KG__LOOKS)
            undecided[i]->finding = KG__NOT_SLOWER;
    }
    free(undecided);
}
