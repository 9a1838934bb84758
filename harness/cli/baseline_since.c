#include "cli/baseline_since.h"

#include <stdlib.h>

#include "base/child_process.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "cli/baseline_files.h"

/* What `baseline diff --loosened` says of thousands of metrics, in bytes, and how long it may take.
 * Memory that is not written to costs nothing. */
#define ANSWER_SIZE ((size_t)64 << 20)
#define ANSWER_SECONDS 120

/* Adds what the command `baseline diff` finds: since when, the files, and what is held more
 * loosely. It complains itself. */
static bool compare_files(kg__results *results, const char *since)
{
    const char *const arguments[] = { "/proc/self/exe", "baseline", "diff", "--since", since,
                                      "--loosened",     NULL };
    char *text = kg__allocate(ANSWER_SIZE, 1);
    int code = kg__child_output(arguments, ANSWER_SECONDS, text, ANSWER_SIZE);
    bool compared = code == 0 && kg__results_read_baselines(results, text);

    if (code == 0 && !compared)
        kg__complain("--since %s: kernelgate baseline diff printed no document: install kernelgate "
                     "again",
                     since);
    free(text);
    return compared;
}

/* Counts what the run's baselines do not gate; true if there is one. The tests report an invalid
 * one. */
static bool count_judged(kg__results *results)
{
    char folder[KG__PATH_SIZE];
    bool judged = false;

    kg__default_baselines(folder, sizeof folder);
    for (size_t i = 0; i < results->target_count; i++) {
        char path[2 * KG__PATH_SIZE];
        kg__baseline baseline;

        kg__format_path(path, sizeof path, "%s/%s.json", folder, results->targets[i].key);
        if (kg__baseline_load(path, &baseline, NULL) == KG__LOADED) {
            kg__baseline_changes_count(&results->baselines, &baseline);
            judged = true;
        }
        kg__baseline_free(&baseline);
    }
    return judged;
}

bool kg__add_baselines(kg__results *results, const char *since)
{
    bool compared = since == NULL || compare_files(results, since);
    bool known = count_judged(results) || since != NULL;

    results->has_baselines = compared && known;
    return compared;
}
