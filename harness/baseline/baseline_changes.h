/* What the baselines of a run let pass, and what a change of them loosens: the member "baselines"
 * of a results document, and the words for it. Pure. */
#ifndef KG__BASELINE_BASELINE_CHANGES_H
#define KG__BASELINE_BASELINE_CHANGES_H

#include <jansson.h>

#include "baseline/baseline.h"

/* The member of a results document. */
#define KG__BASELINES "baselines"

/* A limit above this, as a fraction, guards little and is counted. */
#define KG__WIDE_LIMIT 0.10

/* More metrics and cases than this that are held more loosely are counted, not named. */
#define KG__LOOSENED_NAMED 10

/* The member, which knows of no file yet; the caller's. */
json_t *kg__baseline_changes_make(void);

/* Counts what a baseline that judged the run does not hold, or holds loosely: its metrics that are
 * not gated, and its limits above KG__WIDE_LIMIT. */
void kg__baseline_changes_count(json_t *changes, const kg__baseline *baseline);

/* One sentence on a results document's baselines, to follow the word "baselines": " since main:
 * nvidia-h200 changed; loosened: 1 metric no longer gated; 44 metrics are not gated, 5 limits are
 * above 10 %"; NULL where there is nothing to say. On the heap. */
char *kg__baseline_changes_sentence(const json_t *results);

/* What is held more loosely, as a new list of lines, of which the last counts the others if there
 * are more than KG__LOOSENED_NAMED. */
json_t *kg__baseline_changes_lines(const json_t *results);

#endif
