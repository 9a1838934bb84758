#include "cli/baseline_since.h"

#include <stdlib.h>

#include "base/child_process.h"
#include "base/message.h"
#include "baseline/baseline_changes.h"
#include "cli/baseline_files.h"

/* What `baseline diff --loosened` says of thousands of metrics, in bytes, and how long it may take.
 * Memory that is not written to costs nothing. */
#define ANSWER_SIZE ((size_t)64 << 20)
#define ANSWER_SECONDS 120

/* Adds what the command `baseline diff` finds: since when, the files, and what is held more
 * loosely. It complains itself. */
static bool compare_files(json_t *changes, const char *since)
{
    const char *const arguments[] = { "/proc/self/exe", "baseline", "diff", "--since", since,
                                      "--loosened",     NULL };
    char *text = kg__allocate(ANSWER_SIZE, 1);
    int code = kg__child_output(arguments, ANSWER_SECONDS, text, ANSWER_SIZE);
    json_t *answer = code == 0 ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool compared = answer != NULL && json_object_update(changes, answer) == 0;

    if (code == 0 && !compared)
        kg__complain("--since %s: kernelgate baseline diff printed no document: install kernelgate "
                     "again",
                     since);
    json_decref(answer);
    free(text);
    return compared;
}

/* Counts what the run's baselines do not gate; true if there is one. The tests report an invalid
 * one. */
static bool count_judged(json_t *changes, const json_t *results)
{
    char folder[KG__PATH_SIZE];
    bool judged = false;
    const char *key;
    json_t *target;

    kg__default_baselines(folder, sizeof folder);
    json_object_foreach (json_object_get(results, "targets"), key, target) {
        char path[2 * KG__PATH_SIZE];
        kg__baseline baseline;

        kg__format_path(path, sizeof path, "%s/%s.json", folder, key);
        if (kg__baseline_load(path, &baseline, NULL) == KG__LOADED) {
            kg__baseline_changes_count(changes, &baseline);
            judged = true;
        }
        kg__baseline_free(&baseline);
    }
    return judged;
}

bool kg__add_baselines(json_t *results, const char *since)
{
    json_t *changes = kg__baseline_changes_make();
    bool known = count_judged(changes, results) || since != NULL;
    bool good = since == NULL || compare_files(changes, since);

    if (good && known)
        json_object_set(results, KG__BASELINES, changes);
    json_decref(changes);
    return good;
}
