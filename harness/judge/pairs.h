/* Pairs: whether a head is slower than its base, by observations that were made in pairs. Pure:
 * numbers in, findings out.
 *
 * A hypothesis is one metric of one case. Its data are differences ln(head / base), one a pair of
 * processes; what is tested is that their median exceeds ln(1 + KG__PAIRS_MARGIN). All hypotheses
 * that are tested together are a family, which is looked at when 10, 16 and 24 pairs are there. A
 * look that has too few pairs for each of a large family tests its variants, by the mean of a
 * variant's differences. Where nothing is slower, the probability that anything in a family is
 * found slower is at most KG__PAIRS_ERROR_RATE: docs/judging.md says why. */
#ifndef KG__JUDGE_PAIRS_H
#define KG__JUDGE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#define KG__LOOKS 3
#define KG__PAIRS_MAXIMUM 24
/* A head that is slower by no more than this is as fast as its base. */
#define KG__PAIRS_MARGIN 0.01
#define KG__PAIRS_ERROR_RATE 0.007

typedef enum kg__pairs_finding {
    KG__UNDECIDED,
    KG__FOUND_SLOWER, /* by more than the margin */
    KG__NOT_SLOWER    /* not found to be */
} kg__pairs_finding;

typedef struct kg__hypothesis {
    double differences[KG__PAIRS_MAXIMUM]; /* ln(head / base) of each pair, finite */
    size_t count;
    size_t variant; /* equal where hypotheses are of one variant */
    kg__pairs_finding finding;
    size_t looked; /* the pairs that its last look rests on; 0: none yet */
    double p;      /* of that look */
} kg__hypothesis;

/* The pairs that a look (0 to KG__LOOKS - 1) needs. */
size_t kg__look_pairs(size_t look);

/* The exact one-sided p-value of Wilcoxon's signed-rank test of `count` (KG__PAIRS_MAXIMUM at most)
 * differences: P(W+ >= w) where each of them lies above or below `margin` with the same
 * probability. Those that equal it are dropped, ties share their mean rank. 1 where nothing is left
 * or where a difference is not finite. */
double kg__signed_rank_p(const double *differences, size_t count, double margin);

/* Whether a look can reject any of `count` hypotheses; `part` and `last` as below. */
bool kg__look_has_power(size_t look, size_t count, double part, bool last);

/* How many variants a family has. */
size_t kg__count_variants(kg__hypothesis *const *family, size_t count);

/* Looks at the undecided hypotheses of a family that have the look's pairs, by the first of them.
 * Found slower are those that Holm's procedure rejects at the look's share of the error rate; not
 * slower those whose p exceeds 1/2. A first look without power for the family tests its variants
 * so, and in a variant that is slower finds those that Holm's procedure rejects at 5 %; later ones
 * cannot, because what an earlier look decided has no further pairs, and the mean of the rest is
 * too high (three times the error rate in a simulation). `part`: of the error rate, 1 where there
 * is no other family; families that are tested apart keep the rate together where their parts add
 * up to 1. `last`: no further look is made, so that this one has all the shares from it on, and a
 * hypothesis that it does not find slower never will be. A look that was made may be repeated as
 * the last one. */
void kg__take_look(kg__hypothesis *const *family, size_t count, double part, size_t look,
                   bool last);

#endif
