/* SPDX-License-Identifier: MIT */
/* Pairs: whether a head is slower than its base, from paired observations. Pure: numbers in,
 * findings out.
 *
 * A hypothesis is one metric of one case. Its data are differences ln(head / base), one for each
 * pair of processes; the test is whether their median exceeds ln(1 + margin). All hypotheses that
 * are tested together are a family. There is a look at it after 12, 16 and 24
 * pairs. In a family too large for 12 pairs, the first look tests its variants instead, each by the
 * mean of its differences, after 10 to 12 pairs. If nothing is slower, the probability that
 * anything in a family is found slower is at most KG__PAIRS_ERROR_RATE; docs/judging.md has the
 * reasons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define KG__LOOKS 3
#define KG__PAIRS_MAXIMUM 24
/* A head that is slower by no more than this counts as equal to its base, unless a user sets
 * another margin. */
#define KG__PAIRS_MARGIN 0.01
#define KG__PAIRS_ERROR_RATE 0.007

typedef enum kg__pairs_finding {
    KG__UNDECIDED,
    KG__FOUND_SLOWER, /* by more than the margin */
    KG__NOT_SLOWER    /* not found slower */
} kg__pairs_finding;

typedef struct kg__hypothesis {
    double differences[KG__PAIRS_MAXIMUM]; /* ln(head / base) of each pair, finite */
    size_t count;
    size_t variant; /* equal for hypotheses of one variant */
    kg__pairs_finding finding;
    size_t looked; /* the pairs used by its last look; 0: none yet */
    double p;      /* of that look */
} kg__hypothesis;

/* Hypotheses that are tested together. */
typedef struct kg__family {
    kg__hypothesis **list;
    size_t count;
    double margin;           /* a fraction: KG__PAIRS_MARGIN, or what the user chose */
    double part;             /* of the error rate: see kg__family_plan() */
    size_t pairs[KG__LOOKS]; /* that each look needs */
    size_t variants;         /* that the first look tests; 0: it tests the hypotheses */
} kg__family;

/* Plans the looks at a family, whose list, count, margin and part are set. `part` is 1 if there is
 * no other family; families tested separately keep the error rate together if their parts add up
 * to 1. */
void kg__family_plan(kg__family *family);

/* Returns the exact one-sided p-value of Wilcoxon's signed-rank test of `count`
 * (KG__PAIRS_MAXIMUM at most) differences: P(W+ >= w) if each of them is above or below `margin`
 * with equal probability. Differences equal to the margin are dropped, ties share their mean
 * rank. 1 if none is left or a difference is not finite. */
double kg__signed_rank_p(const double *differences, size_t count, double margin);

/* Returns whether a look (0 to KG__LOOKS - 1) can find anything slower; `last` as in
 * kg__take_look(). */
bool kg__look_has_power(const kg__family *family, size_t look, bool last);

/* Returns the first look that can find anything slower if it is the last one. */
size_t kg__first_useful_look(const kg__family *family);

/* Looks at the undecided hypotheses that have the look's pairs, using the first pairs of each.
 * Those that Holm's procedure rejects at the look's share of the error rate are found slower; those
 * with p above 1/2 not slower. A first look that tests variants finds, in a variant that it
 * rejects, the hypotheses that Holm's procedure rejects at 5 %. Later looks cannot test variants:
 * hypotheses decided by an earlier look have no further pairs, and the mean of the rest is too high
 * (three times the error rate in a simulation). `last`: no further look follows, so this one also
 * has the shares of all later ones, and a hypothesis that it does not find slower never will be. A
 * look may be repeated as the last one. */
void kg__take_look(const kg__family *family, size_t look, bool last);
