/* A case of a run: what its tests, the parts of a comparison, left about it, together. */
#ifndef KG__RESULTS_MERGE_CASE_H
#define KG__RESULTS_MERGE_CASE_H

#include <jansson.h>

/* The object that a member is, which is added where it is missing; the parent's. */
json_t *kg__object_in(json_t *parent, const char *key);

/* Merges what `test` left about a case into `targets`, an object of targets with an object of cases
 * by id each. */
void kg__merge_case(json_t *targets, const json_t *entry, const char *test);

#endif
