/* What became of the baselines since a commit, for the results of a run. */
#ifndef KG__CLI_BASELINE_SINCE_H
#define KG__CLI_BASELINE_SINCE_H

#include <jansson.h>
#include <stdbool.h>

/* Adds to a results document what its baselines let pass and, with `since` (a commit, branch or
 * tag; NULL: none), what became of every baseline file since then: its member KG__BASELINES. False
 * with a complaint where that commit is not known, or a file cannot be read. */
bool kg__add_baselines(json_t *results, const char *since);

#endif
