/* Finds and reads baseline files, by name or key, in the tree or at a commit. */
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

/* For qsort() and bsearch() on the items. */
int kg__compare_names(const void *a, const void *b);

/* The names of the baseline files in `folder`, sorted; false with a complaint if it cannot be read.
 */
bool kg__list_baselines(const char *folder, kg__names *names);

/* The folder that a file is in, and its name there. */
void kg__split_path(const char *path, char *folder, size_t size, const char **name);

/* The folder of the baselines: KG_BASELINES, else baselines. */
void kg__default_baselines(char *folder, size_t size);

/* The path of a baseline named by its file or by its target's key; a key means KEY.json in the
 * folder of the baselines. */
void kg__baseline_path(const char *name_or_key, char *path, size_t size);

/* Reads the baseline named by its file or by its target's key; `path` becomes the file's. False
 * with a complaint, which names the nearest key if there is no such file. */
bool kg__open_baseline(const char *name_or_key, char *path, size_t size, kg__baseline *baseline);

/* The full name of a commit, branch or tag; false with a complaint if there is none. */
bool kg__find_commit(const char *folder, const char *reference, char *commit, size_t size);

/* Reads a baseline file of `folder` as it was at a commit; complaints call the commit
 * `commit_name`. KG__ABSENT if there was none; KG__BAD with a complaint or, if git showed the file
 * and it is invalid, with `error`. */
kg__load_status kg__baseline_at_commit(const char *folder, const char *name, const char *commit,
                                       const char *commit_name, kg__baseline *baseline,
                                       kg__error *error);

/* Whether a file of `folder` is byte for byte what it was at a commit. */
bool kg__baseline_is_as_at_commit(const char *folder, const char *name, const char *commit);

/* The baseline files of a folder, now or at a commit, sorted; the folder itself may be gone. False
 * with a complaint. */
bool kg__list_baselines_since(const char *folder, const char *commit, kg__names *names);

/* Creates the folder of baselines if needed; false with a complaint if it cannot be created or
 * written. */
bool kg__prepare_baselines(const char *folder);

/* Locks a folder of baselines against other recordings: a lock for kg__lock_release(), or -1 with a
 * complaint that names the holder. */
int kg__lock_baselines(const char *folder);

/* The case of a baseline whose id is nearest to `glob`; NULL if none is near. */
const char *kg__nearest_case(const kg__baseline *baseline, const char *glob);

/* Adds to a results document what `baseline lint` finds in the run's baselines, unless an error of
 * the document says it already. */
void kg__lint_into_results(json_t *results);

#endif
