/* The folder of the baselines and the files in it. */
#ifndef KG__CLI_BASELINE_FILES_H
#define KG__CLI_BASELINE_FILES_H

#include <stddef.h>

#include "results/results.h"

/* The folder of the baselines: KG_BASELINES, else baselines. */
void kg__default_baselines(char *folder, size_t size);

/* Adds to results what `baseline lint` finds in the run's baselines, unless an error of
 * theirs says it already. */
void kg__lint_into_results(kg__results *results);

#endif
