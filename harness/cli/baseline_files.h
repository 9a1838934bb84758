/* The folder of the baselines and the files in it. */
#ifndef KG__CLI_BASELINE_FILES_H
#define KG__CLI_BASELINE_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The folder of the baselines: KG_BASELINES, else baselines. */
void kg__default_baselines(char *folder, size_t size);

/* Adds to a results document what `baseline lint` finds in the run's baselines, unless an error of
 * the document says it already. */
void kg__lint_into_results(json_t *results);

#endif
