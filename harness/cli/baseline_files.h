/* Finds and reads baseline files, by name or key. */
#ifndef KG__CLI_BASELINE_FILES_H
#define KG__CLI_BASELINE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"

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

/* For qsort() on the items. */
int kg__compare_names(const void *a, const void *b);

/* The names of the baseline files in `folder`, sorted; false with a complaint if it cannot be read.
 */
bool kg__list_baselines(const char *folder, kg__names *names);

/* The folder of the baselines: KG_BASELINES, else baselines. */
void kg__default_baselines(char *folder, size_t size);

/* Reads the baseline named by its file or by its target's key, KEY.json in the folder of the
 * baselines; `path` becomes the file's. False with a complaint, which names the nearest key if
 * there is no such file. */
bool kg__open_baseline(const char *name_or_key, char *path, size_t size, kg__baseline *baseline);

/* Creates the folder of baselines if needed; false with a complaint if it cannot be created or
 * written. */
bool kg__prepare_baselines(const char *folder);

/* Locks a folder of baselines against other recordings: a lock for kg__lock_release(), or -1 with a
 * complaint that names the holder. */
int kg__lock_baselines(const char *folder);

/* Adds to a results document what `baseline lint` finds in the run's baselines, unless an error of
 * the document says it already. */
void kg__lint_into_results(json_t *results);

#endif
