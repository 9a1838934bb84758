/* The changes of the baselines since a commit, for the results of a run. */
#ifndef KG__CLI_BASELINE_SINCE_H
#define KG__CLI_BASELINE_SINCE_H

#include <stdbool.h>

#include "results/results.h"

/* Adds to results what their baselines do not gate and, with `since` (a commit, branch or tag;
 * NULL: none), the changes of every baseline file since then. False with a complaint if the commit
 * is unknown or a file cannot be read. */
bool kg__add_baselines(kg__results *results, const char *since);

#endif
