#include "cli/recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"
#include "cli/command.h"
#include "gate/spawn_observer.h"
#include "suite/case_id.h"
#include "suite/settings.h"

/* How long a program may take to list its cases. */
#define LISTING_SECONDS 30

void kg__recorder_refuse(kg__recorder *recorder, const char *id, const char *why)
{
    kg__change_log_refuse(recorder->log, (kg__entry_subject){ .id = id }, "%s: nothing is recorded",
                          why);
    recorder->refused = true;
}

/* Lists the cases to observe: for times, also those outside of KG_FILTER that are timed in the same
 * process and not recorded. */
static bool list_cases(const kg__recorder *recorder, const char *program, const char *part,
                       kg__listing *cases)
{
    bool timed = strcmp(part, "time") == 0;
    const char *const arguments[] = { program, timed ? "--beside" : "--cases", timed ? NULL : part,
                                      NULL };
    int code = kg__child_lines(arguments, LISTING_SECONDS, cases);

    if (code == 0)
        return true;
    kg__change_log_refuse(recorder->log, (kg__entry_subject){ .file = program },
                          "it does not list its cases (exit code %d): build it again", code);
    return false;
}

void kg__recorder_refuse_filter(const kg__recorder *recorder, const char *part, size_t count,
                                char *const *programs)
{
    const char *set = getenv("KG_FILTER");
    char *filter = set != NULL ? kg__copy_text(set) : NULL;
    const char *globs = filter != NULL ? filter : "";
    kg__listing *listings = kg__allocate(count, sizeof *listings);
    const char **nearest_ids = kg__allocate(count, sizeof *nearest_ids);
    char *suggestion;
    size_t found = 0;

    /* The programs are to list all their cases. `env -u` would take a path with "=" for a setting.
     */
    (void)unsetenv("KG_FILTER");
    for (size_t i = 0; i < count; i++) {
        const char *const arguments[] = { programs[i], "--cases", part, NULL };
        const char *nearest = NULL;

        if (kg__child_lines(arguments, LISTING_SECONDS, &listings[i]) == 0)
            nearest = kg__nearest_to_globs(globs, listings[i].lines, listings[i].count);
        if (nearest != NULL)
            nearest_ids[found++] = nearest;
    }
    suggestion = kg__glob_meant(globs, nearest_ids, found);
    kg__change_log_refuse(
        recorder->log, (kg__entry_subject){ .file = NULL },
        "no case to record: is KG_FILTER too narrow?%s%s%s `kernelgate list` has the cases",
        suggestion != NULL ? " Did you mean \"" : "", suggestion != NULL ? suggestion : "",
        suggestion != NULL ? "\"?" : "");
    free(suggestion);
    for (size_t i = 0; i < count; i++)
        kg__listing_free(&listings[i]);
    free(nearest_ids);
    free(listings);
    if (filter != NULL)
        (void)setenv("KG_FILTER", filter, 1);
    free(filter);
}

static bool is_end_of_case(kg__event event)
{
    return event == KG__EVENT_CHECKED || event == KG__EVENT_MEASURED || event == KG__EVENT_FAILED;
}

/* Shows the observer's progress, assuming that all cases take equally long. */
static void show_progress(kg__recorder *recorder, const char *id)
{
    double elapsed = kg__now() - recorder->progress.began;
    double done;

    recorder->done++;
    done = fmin((double)recorder->done / (double)recorder->case_count, 1);
    kg__progress_update(&recorder->progress, done, elapsed * (1 - done) / done, id);
}

static void take_observation(void *context, const kg__observation *observation)
{
    kg__recorder *recorder = context;
    kg__event event = observation->event;
    const char *id = observation->id;

    if (id[0] != '\0' && is_end_of_case(event))
        show_progress(recorder, id);
    /* A case that is timed, but not recorded. */
    if (id[0] != '\0' && !kg__filter_takes(id))
        return;
    if (event == KG__EVENT_TARGET && recorder->target.key[0] == '\0') {
        recorder->target = *observation->target;
        kg__provenance_copy(&recorder->provenance, observation->provenance);
    } else if (event == KG__EVENT_FAILED || (event == KG__EVENT_CHECKED && !observation->right)) {
        kg__recorder_refuse(recorder, id, observation->why);
    } else if (event == KG__EVENT_MEASURED || event == KG__EVENT_CHECKED ||
               event == KG__EVENT_SENTINELS) {
        recorder->on_observation(recorder->context, observation);
    }
}

static const char *copy_comparison(const char *id, char *name, size_t size)
{
    kg__format(name, size, "%.*s", (int)strcspn(id, "/"), id);
    return name;
}

bool kg__recorder_observe(kg__recorder *recorder, const char *program, const char *observer,
                          const char *part)
{
    kg__listing cases;
    kg__error why = { "" };
    kg__observation_status status = KG__OBSERVED;

    if (!list_cases(recorder, program, part, &cases)) {
        kg__listing_free(&cases);
        return false;
    }
    kg__observation_job job = {
        .program = observer,
        .part = part,
        .cases = cases.lines,
        .case_count = cases.count,
        .records = recorder->scratch,
        .silence_limit = kg__silence_limit(),
        .on_observation = take_observation,
        .context = recorder,
    };

    for (size_t i = 0; i < cases.count; i++) {
        char comparison[KG__PATH_SIZE];

        json_object_set_new(recorder->comparisons,
                            copy_comparison(cases.lines[i], comparison, sizeof comparison),
                            json_true());
    }
    recorder->done = 0;
    recorder->case_count = cases.count;
    kg__progress_begin(&recorder->progress, "baseline record");
    if (cases.count > 0)
        status = kg__observe_cases(&job, &why);
    kg__progress_end(&recorder->progress);
    kg__listing_free(&cases);
    if (status != KG__OBSERVED)
        kg__change_log_refuse(recorder->log, (kg__entry_subject){ .file = observer }, "%s",
                              why.text);
    return status == KG__OBSERVED && !recorder->refused;
}

bool kg__recorder_is_partial(void)
{
    return kg__setting("KG_FILTER") != NULL;
}

/* Whether the recorded cases are compiled with the same flags as the rest: the provenance has only
 * one set of flags. */
static bool flags_agree(const kg__recorder *recorder, const kg__baseline *baseline,
                        const char *path, kg__error *error)
{
    const char *then = kg__provenance_text(&baseline->provenance, "flags");
    const char *now = kg__provenance_text(&recorder->provenance, "flags");

    if (!kg__recorder_is_partial() || baseline->case_count == 0 || strcmp(then, now) == 0)
        return true;
    return kg__fail(error,
                    "%s: its other cases were recorded with CXXFLAGS \"%s\", these with \"%s\": "
                    "build with the same flags, or record all cases, without KG_FILTER",
                    path, then, now);
}

bool kg__recorder_load(const kg__recorder *recorder, kg__target *target, char *path, size_t size,
                       kg__baseline *baseline)
{
    kg__error error = { "" };

    *target = recorder->target;
    bool readable =
        kg__baseline_load_for(recorder->baselines, target, path, size, baseline, &error) != KG__BAD;

    kg__change_log_set(recorder->log, "file", kg__json_clean_string(path));
    kg__change_log_set(recorder->log, "target",
                       json_pack("{s:s, s:s}", "key", target->key, "name", target->name));
    if (!readable) {
        kg__change_log_refuse(recorder->log, (kg__entry_subject){ .file = NULL },
                              "%s: fix or move that file first; nothing is recorded", error.text);
        return false;
    }
    if (flags_agree(recorder, baseline, path, &error))
        return true;
    kg__change_log_refuse(recorder->log, (kg__entry_subject){ .file = NULL },
                          "%s; nothing is recorded", error.text);
    return false;
}

bool kg__recorder_may_load(const kg__recorder *recorder)
{
    char path[2 * KG__PATH_SIZE];
    kg__target target;
    kg__baseline baseline;
    bool readable = kg__recorder_load(recorder, &target, path, sizeof path, &baseline);

    kg__baseline_free(&baseline);
    return readable;
}

void kg__recorder_commit(const kg__recorder *recorder, char *text, size_t size)
{
    if (recorder->commit != NULL)
        kg__format(text, size, "%s", recorder->commit);
    else if (!kg__current_commit(text, size))
        kg__format(text, size, "unknown");
    kg__change_log_set(recorder->log, "commit", kg__json_clean_string(text));
}

void kg__recorder_stamp(kg__baseline_case *entry, const char *commit)
{
    free(entry->commit);
    entry->commit = kg__copy_text(commit);
}

bool kg__recorder_knows(const kg__recorder *recorder, const char *id)
{
    char comparison[KG__PATH_SIZE];

    return json_object_get(recorder->comparisons,
                           copy_comparison(id, comparison, sizeof comparison)) != NULL;
}

size_t kg__recorder_retire(const kg__recorder *recorder, kg__baseline *baseline,
                           const char *const *ids, size_t count)
{
    size_t retired = 0;

    if (kg__recorder_is_partial())
        return 0;
    for (size_t i = baseline->case_count; i-- > 0;) {
        const char *id = baseline->cases[i].id;
        bool recorded = false;

        for (size_t j = 0; j < count && !recorded; j++)
            recorded = strcmp(ids[j], id) == 0;
        if (recorded || !kg__recorder_knows(recorder, id))
            continue;
        fprintf(kg__narration(), KG__CASE_COLUMN " retired: no longer in the table\n", id);
        kg__change_log_retire(recorder->log, id, NULL);
        (void)kg__baseline_remove(baseline, id);
        retired++;
    }
    return retired;
}

bool kg__recorder_save(const kg__recorder *recorder, const char *path, const kg__target *target,
                       kg__baseline *baseline)
{
    kg__error error = { "" };

    /* A filtered recording keeps the provenance of the other cases. */
    if (!kg__recorder_is_partial() || baseline->provenance.count == 0) {
        baseline->target = *target;
        kg__provenance_copy(&baseline->provenance, &recorder->provenance);
    }
    if (kg__baseline_save(path, baseline, &error)) {
        kg__change_log_set(recorder->log, "written", json_true());
        return true;
    }
    kg__change_log_refuse(recorder->log, (kg__entry_subject){ .file = NULL }, "%s", error.text);
    return false;
}
