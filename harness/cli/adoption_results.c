#include "cli/adoption.h"

#include <string.h>

#include "base/json.h"
#include "results/results.h"

bool kg__adoption_is_timed(const kg__case_result *result)
{
    for (size_t i = 0; i < result->parts.count; i++) {
        if (strcmp(result->parts.items[i], "time") == 0)
            return strcmp(result->target, KG__MODEL_KEY) != 0;
    }
    return false;
}

/* Whether these results hold times, all of the same target as the results before them. */
static bool is_of_target(kg__adoption *run, const char *path, const kg__results *results)
{
    bool timed = false;

    for (size_t i = 0; i < results->case_count; i++) {
        const char *key = results->cases[i]->target;

        if (!kg__adoption_is_timed(results->cases[i]))
            continue;
        timed = true;
        if (run->target == NULL)
            run->target = key;
        if (strcmp(run->target, key) == 0)
            continue;
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has times of %s, and %s is being adopted: each target on its own",
                              key, run->target);
        return false;
    }
    if (!timed)
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "has no times of a GPU: leave it out (the CPU model counts the same "
                              "everywhere: ci/rebaseline --target model)");
    return timed;
}

/* Whether these results are of the same commit as those before them: times of another commit may
 * differ. */
static bool is_of_commit(kg__adoption *run, const char *path, const kg__results *results)
{
    const char *commit = results->commit != NULL ? results->commit : "";

    if (!run->any_commit && strstr(commit, "-dirty") != NULL) {
        kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = path },
                              "is of %s, which is not a commit: gate a commit, or --any-commit",
                              commit);
        return false;
    }
    if (!run->any_commit && *commit != '\0' && *run->commit != '\0' &&
        strcmp(commit, run->commit) != 0) {
        kg__change_log_refuse(
            run->recorder.log, (kg__entry_subject){ .file = path },
            "is of commit %s, others are of %s: adopt those of one commit, or --any-commit", commit,
            run->commit);
        return false;
    }
    if (*commit != '\0')
        run->commit = commit;
    return true;
}

/* Whether these results are not a repetition, which would count as a second session. */
static bool is_unique(const kg__adoption *run, size_t index)
{
    json_t *document = kg__results_json(run->results[index]);
    bool unique = true;

    for (size_t i = 0; unique && i < index; i++) {
        json_t *other = run->results[i] != NULL ? kg__results_json(run->results[i]) : NULL;

        unique = !json_equal(other, document);
        if (!unique)
            kg__change_log_refuse(run->recorder.log,
                                  (kg__entry_subject){ .file = run->paths[index] },
                                  "holds the same as %s: give one of them", run->paths[i]);
        json_decref(other);
    }
    json_decref(document);
    return unique;
}

bool kg__adoption_read(kg__adoption *run)
{
    bool good = true;

    for (size_t i = 0; i < run->count; i++) {
        kg__error error = { "" };

        run->results[i] = kg__results_load(&run->pool, run->paths[i], &error);
        if (run->results[i] == NULL)
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = NULL }, "%s",
                                  error.text);
        good = run->results[i] != NULL && is_of_target(run, run->paths[i], run->results[i]) &&
               is_of_commit(run, run->paths[i], run->results[i]) && is_unique(run, i) && good;
    }
    return good;
}

bool kg__adoption_target(const kg__adoption *run, kg__target *described)
{
    const kg__results *results = run->results[0];
    const kg__target *found = NULL;

    for (size_t i = 0; i < results->target_count; i++) {
        const char *key = results->targets[i].key;
        size_t length = strlen(key);

        if (results->targets[i].target.key[0] == '\0')
            continue;
        if (strcmp(key, run->target) == 0) {
            found = &results->targets[i].target;
            break;
        }
        if (found == NULL && strncmp(run->target, key, length) == 0 && run->target[length] == '-')
            found = &results->targets[i].target;
    }
    if (found != NULL)
        *described = *found;
    return found != NULL;
}

json_t *kg__adoption_provenance(const kg__adoption *run, const kg__results *results)
{
    for (size_t i = 0; i < results->target_count; i++) {
        if (strcmp(results->targets[i].key, run->recorder.target.key) == 0)
            return results->targets[i].provenance;
    }
    return NULL;
}

double kg__adoption_sentinel(const kg__adoption *run, const kg__results *results, const char *name)
{
    return kg__json_number(json_object_get(kg__adoption_provenance(run, results), "sentinels_ns"),
                           name);
}

static const char *name_tool(const char *measured_by)
{
    return *measured_by != '\0' ? measured_by : "comparisons' programs";
}

bool kg__adoption_is_of_one_tool(const kg__adoption *run, const char *path)
{
    const char *baseline_tool = kg__measured_by(&run->baseline.provenance);

    for (size_t i = 0; i < run->count; i++) {
        const char *tool =
            kg__json_text(kg__adoption_provenance(run, run->results[i]), KG__MEASURED_BY);
        bool first = i == 0 && run->baseline.case_count == 0;

        if (!first && !kg__is_same_tool(tool, baseline_tool)) {
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[i] },
                                  "was measured by %s, and %s by %s: import to another --target",
                                  name_tool(tool), path, name_tool(baseline_tool));
            return false;
        }
        baseline_tool = tool;
    }
    return true;
}

/* Whether two results are of one gate, written twice: two gates never have equal times of all
 * sentinels. */
static bool are_of_one_gate(const kg__adoption *run, const kg__results *left,
                            const kg__results *right)
{
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        double time = kg__adoption_sentinel(run, left, kg__session_sentinels[i]);

        if (!(time > 0) || time != kg__adoption_sentinel(run, right, kg__session_sentinels[i]))
            return false;
    }
    return true;
}

bool kg__adoption_gates_are_distinct(const kg__adoption *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!are_of_one_gate(run, run->results[i], run->results[j]))
                continue;
            kg__change_log_refuse(run->recorder.log, (kg__entry_subject){ .file = run->paths[i] },
                                  "is of the same gate as %s: give one of them", run->paths[j]);
            return false;
        }
    }
    return true;
}
