/* Two runs against each other: every metric that both measured, as a ratio with an interval, and
 * judged as if the first run were the baseline. Pure: two results documents in, findings out.
 *
 * Each run is one draw of what varies from process to process, while a baseline is the median of
 * many, so that a ratio of two runs spreads by sqrt(2) times as much: limits are widened by that,
 * in the logarithm. The interval of a ratio goes from B's low over A's high to B's high over A's
 * low, which holds the true ratio whenever both intervals hold their medians. */
#ifndef KG__RESULTS_RESULTS_COMPARE_H
#define KG__RESULTS_RESULTS_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "judge/judge.h"

/* The band of a time that neither run had a baseline for, before it is widened. */
#define KG__COMPARED_BAND 0.02

/* Where the limit of a metric comes from. */
typedef enum kg__limit_source {
    KG__LIMIT_OF_A,    /* the baseline that A was judged against */
    KG__LIMIT_OF_B,    /* the one that B was judged against */
    KG__LIMIT_DEFAULT, /* KG__COMPARED_BAND and KG__TIME_FLOOR_NS */
    KG__LIMIT_EXACT    /* none: a counter repeats exactly */
} kg__limit_source;

/* "A's baseline", "B's baseline", "default", "exact". */
const char *kg__limit_source_name(kg__limit_source source);

/* One metric of one case that both runs have; or, without a metric, a case whose figures do not
 * count since a run had it wrong. Texts are the documents'. */
typedef struct kg__compared {
    const char *id;
    const char *target_a;
    const char *target_b; /* another one where two GPUs are compared */
    const char *metric;   /* NULL: the case as a whole */
    kg__interval a;       /* in the metric's unit */
    kg__interval b;
    kg__interval ratio; /* B / A; NaN where A is 0 */
    double limit;       /* the fraction beyond which a rise counts, as widened; NaN: not judged */
    kg__limit_source limit_source;
    bool gated;  /* false: shown, never judged */
    bool judged; /* false: of two targets, or not gated */
    kg__verdict verdict;
    char why[256];
} kg__compared;

/* What one run has and the other has not: a case, or a metric of a case that both have. */
typedef struct kg__one_sided {
    const char *id;
    const char *target;
    const char *metric; /* NULL: the whole case */
    bool in_b;          /* false: in A */
} kg__one_sided;

/* How all ratios of a metric on a target stand together. */
typedef struct kg__compared_sum {
    const char *target_a;
    const char *target_b;
    const char *metric;
    size_t count;
    double mean; /* geometric, of the ratios that are not of 0 */
} kg__compared_sum;

/* Borrows from both documents. */
typedef struct kg__results_comparison {
    kg__compared *metrics; /* in A's order */
    size_t count;
    kg__one_sided *one_sided; /* A's first */
    size_t one_sided_count;
    kg__compared_sum *sums; /* of times */
    size_t sum_count;
    size_t checked;    /* cases that both only checked, right in both */
    size_t unjudged;   /* metrics that are of two targets, and were not to be judged */
    bool other_boards; /* a GPU's boards of the two runs are not the same */
    kg__tally tally;   /* of the cases, as a gate's */
} kg__results_comparison;

/* Compares run `b` with run `a`. `filter` is a list of globs on case ids for kg__globs_take(), ""
 * for all; KG_FILTER narrows further. Cases are matched by id and target; where each run has one
 * GPU that the other has not, these two are compared with each other, and judged where `across`.
 *
 * False with `error` where a case appears twice in a document, where one has none, where the two
 * have no case in common, or the filters leave none. Free with kg__results_comparison_free()
 * whatever came back. */
bool kg__results_compare(const json_t *a, const json_t *b, const char *filter, bool across,
                         kg__results_comparison *comparison, kg__error *error);

/* Frees the comparison, and empties it; the documents stay. */
void kg__results_comparison_free(kg__results_comparison *comparison);

#endif
