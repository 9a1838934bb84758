/* Cases that failed alike: one mistake in a kernel fails a variant at every size and launch, and a
 * reader is to be told of it once. */
#ifndef KG__RESULTS_FAILURE_GROUPS_H
#define KG__RESULTS_FAILURE_GROUPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a case that is wrong, or an error, has in common with those that failed alike: verdict,
 * target, variant, and the kinds, lines and symbols of its findings and of what its results had
 * wrong. Where it has none of these, the words of its reason, but for their figures. On the heap;
 * NULL for any other verdict, whose figures are each case's own. */
char *kg__failure_group_key(const json_t *entry);

/* Sorts the failed cases of a results document for kg__failure_group_leads(): for each entry the
 * ids of those that failed alike, the first of which speaks for the others. The caller releases it,
 * and asks only about entries of that document, which must stay as they are. */
json_t *kg__failure_groups_make(const json_t *results);

/* Whether a case of that document is told by itself: false where an earlier one speaks for it.
 * `led` becomes the ids for which it speaks, its own first; NULL where its verdict is its own
 * alone. */
bool kg__failure_group_leads(const json_t *sorted, const json_t *entry, const json_t **led);

/* The cases for which one speaks, each by what follows its variant, and as many as `named` of them:
 * "1/b16, 1/b32 and 3 more". On the heap; NULL where there are none. */
char *kg__failure_group_others(const json_t *entry, const json_t *led, size_t named);

/* A case's reason, followed by the others: "...; also 1/b16, 1/b32 and 3 more". On the heap. */
char *kg__failure_group_reason(const json_t *entry, const json_t *led, size_t named);

#endif
