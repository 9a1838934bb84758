/* What the baselines of a run let pass, what a change of them loosens, and the words for it. Pure.
 */
#ifndef KG__BASELINE_BASELINE_CHANGES_H
#define KG__BASELINE_BASELINE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "baseline/baseline.h"

/* A limit above this, as a fraction, guards little and is counted. */
#define KG__WIDE_LIMIT 0.10

/* More metrics and cases than this that are held more loosely are counted, not named. */
#define KG__LOOSENED_NAMED 10

/* How a metric, or a case, is held more loosely than it was, the worst first. */
typedef enum kg__loosening {
    KG__NO_LONGER_GATED,
    KG__RETIRED,
    KG__WIDENED,
    KG__RAISED,
    KG__LOOSENINGS
} kg__loosening;

/* Their names in results, which end with NULL. */
extern const char *const kg__loosening_names[KG__LOOSENINGS + 1];

/* A metric, or a case, that is held more loosely. */
typedef struct kg__loosened {
    const char *target;
    const char *case_id;
    const char *metric; /* NULL: the case */
    kg__loosening kind;
    double before; /* the limit or the value; NAN: neither changed */
    double after;
} kg__loosened;

/* What became of a baseline file. */
typedef struct kg__changed_file {
    const char *target;
    const char *state;
    const char *why; /* it could not be read, or NULL */
    int64_t loosened[KG__LOOSENINGS];
    int64_t added;
    int64_t sentinels_moved;
} kg__changed_file;

/* Texts and lists belong to whoever made them. Zeroed at first. */
typedef struct kg__baseline_changes {
    const char *since; /* NULL: the files were not compared */
    const char *commit;
    int64_t not_gated;
    int64_t wide_limits; /* above KG__WIDE_LIMIT */
    kg__changed_file *files;
    size_t file_count;
    kg__loosened *loosened;
    size_t loosened_count;
} kg__baseline_changes;

/* Counts what a baseline that judged the run does not hold, or holds loosely: its metrics that are
 * not gated, and its limits above KG__WIDE_LIMIT. */
void kg__baseline_changes_count(kg__baseline_changes *changes, const kg__baseline *baseline);

/* One sentence on the baselines, to follow the word "baselines": " since main: nvidia-h200 changed;
 * loosened: 1 metric no longer gated; 44 metrics are not gated, 5 limits are above 10 %"; NULL
 * where there is nothing to say. On the heap. */
char *kg__baseline_changes_sentence(const kg__baseline_changes *changes);

/* What is held more loosely as lines in `pool`, of which the last counts the others if there are
 * more than KG__LOOSENED_NAMED. */
kg__texts kg__baseline_changes_lines(const kg__baseline_changes *changes, kg__pool *pool);

#endif
