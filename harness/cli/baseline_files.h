/* The folder of the baselines and the files in it. */
#ifndef KG__CLI_BASELINE_FILES_H
#define KG__CLI_BASELINE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "results/results.h"

/* A list of strings, each freed with the list. */
typedef struct kg__names {
    char **items;
    size_t count;
    size_t capacity;
} kg__names;

/* Adds a copy of a name to the end of the list. */
void kg__names_add(kg__names *names, const char *name);

/* Frees the list and its texts, and empties it. */
void kg__names_free(kg__names *names);

/* The names of the baseline files in `folder`, sorted; false with a complaint if it cannot be read.
 */
bool kg__list_baselines(const char *folder, kg__names *names);

/* The folder of the baselines: KG_BASELINES, else baselines. */
void kg__default_baselines(char *folder, size_t size);

/* Creates the folder of baselines if needed; false with a complaint if it cannot be created or
 * written. */
bool kg__prepare_baselines(const char *folder);

/* Locks a folder of baselines against other recordings: a lock for kg__lock_release(), or -1 with a
 * complaint that names the holder. */
int kg__lock_baselines(const char *folder);

/* Adds to results what `baseline lint` finds in the run's baselines, unless an error of
 * theirs says it already. */
void kg__lint_into_results(kg__results *results);

#endif
