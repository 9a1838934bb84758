/* Drift: how far a baseline has moved from what it once was, case by case. Each step of a chain of
 * recordings may be small; this is their sum. Pure. */
#ifndef KG__BASELINE_BASELINE_DIFF_H
#define KG__BASELINE_BASELINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"

typedef enum kg__baseline_difference_kind {
    KG__DIFFERENCE_MOVED,
    KG__DIFFERENCE_NEW,    /* only the later one has it */
    KG__DIFFERENCE_RETIRED /* only the earlier one has it */
} kg__baseline_difference_kind;

/* What became of a metric of a case. A metric that stayed as it was, and is held as it was, has
 * none.
 */
typedef struct kg__baseline_difference {
    kg__baseline_difference_kind kind;
    const char *id;
    const char *metric;
    const kg__baseline_metric *first; /* NULL: it was not there; a counter was 0 then */
    const kg__baseline_metric *last;  /* NULL: it is not there any more; a counter is 0 then */
    double change; /* last / first - 1; INFINITY for a counter that rose from 0, NaN where new or
                      retired */
    bool gated;    /* what it is now is judged */
    bool beyond;   /* moved by more than its band, as that is now, and by more than its floor */
    bool loosened; /* a slowdown that was found is not any more, by a wider limit (the band, or what
                      the sessions make of it) or a higher floor */
    bool whole;    /* it is the case that is new or retired, not a metric of it */
} kg__baseline_difference;

typedef struct kg__baseline_diff {
    kg__baseline_difference
        *items; /* what moved, from the most slowed down on; then what is new or retired */
    size_t count;
    size_t cases;    /* that both have */
    size_t slower;   /* of those, with a gated metric beyond its band upwards */
    size_t faster;   /* of the others, with one beyond it downwards */
    size_t ungated;  /* metrics that were judged, and are not any more */
    size_t loosened; /* metrics that are judged, more loosely than they were */
    size_t added;    /* cases that only the later one has */
    size_t retired;  /* cases that only the earlier one has */
} kg__baseline_diff;

/* Compares two baselines, of one kind of target, that outlive the result. Free it with
 * kg__baseline_diff_free(). */
kg__baseline_diff kg__baseline_diff_make(const kg__baseline *first, const kg__baseline *last);

/* Whether a metric that is judged got slower by more than the fraction `limit`, and by more than
 * its floor. */
bool kg__baseline_difference_exceeds(const kg__baseline_difference *difference, double limit);

/* Frees the list, and empties it; the baselines stay. */
void kg__baseline_diff_free(kg__baseline_diff *diff);

#endif
