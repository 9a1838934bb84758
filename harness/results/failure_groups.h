/* Cases that failed alike: one mistake in a kernel fails a variant at every size and launch, and a
 * reader is to be told of it once. */
#ifndef KG__RESULTS_FAILURE_GROUPS_H
#define KG__RESULTS_FAILURE_GROUPS_H

#include <jansson.h>

#include "results/case_result.h"

/* What a case that is wrong, or an error, has in common with those that failed alike: verdict,
 * target, variant, and the kinds, lines and symbols of its findings and of what its results had
 * wrong. Where it has none of these, the words of its reason, but for their figures. On the heap;
 * NULL for any other verdict, whose figures are each case's own. */
char *kg__failure_group_key(const json_t *entry);

/* The same of a result. */
char *kg__case_result_group_key(const kg__case_result *result);

/* The groups of two or more cases of a results document that failed alike, as a new list:
 * {"target", "verdict", "cases": [id]}, where the first case speaks for the others. */
json_t *kg__failure_groups_make(const json_t *results);

#endif
