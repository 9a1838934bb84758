/* kernelgate settle: reads the suspects of a run. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "results/results.h"
#include "suite/settings.h"

#define TEST_PREFIX "gpu."
#define TEST_SUFFIX ".time"

bool kg__listing_has(const kg__listing *listing, const char *id)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->lines[i], id) == 0)
            return true;
    }
    return false;
}

static void load_baseline(kg__settle_group *group)
{
    char path[2 * KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    group->target = kg__target_of(json_object_get(group->document, "target"));
    kg__baselines_folder(".", folder, sizeof folder);
    status =
        kg__baseline_load_for(folder, &group->target, path, sizeof path, &group->baseline, &error);
    if (status == KG__LOADED && !kg__baseline_is_own(path, &group->baseline, &error)) {
        kg__baseline_free(&group->baseline);
        status = KG__BAD;
    }
    if (status == KG__BAD)
        kg__complain("%s", error.text);
    if (status == KG__LOADED || group->baseline.case_count > 0)
        group->rivals.baseline = &group->baseline;
}

static size_t count_suspects(const json_t *document)
{
    size_t count = 0;
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(document, "cases"), i, entry)
        count += json_is_true(json_object_get(entry, "suspect"));
    return count;
}

/* Reads the suspects of a verdicts document; complains about invalid ones. */
static void take_suspects(kg__settlement *run, kg__settle_group *group)
{
    size_t i;
    json_t *entry;

    group->suspects = kg__allocate(count_suspects(group->document), sizeof *group->suspects);
    group->reported = kg__allocate(count_suspects(group->document), sizeof *group->reported);
    for (size_t side = 0; side < KG__SIDES; side++)
        group->results[side] =
            kg__allocate(count_suspects(group->document), sizeof *group->results[side]);
    json_array_foreach (json_object_get(group->document, "cases"), i, entry) {
        kg__error error = { "" };

        if (!json_is_true(json_object_get(entry, "suspect")))
            continue;
        if (kg__suspect_begin(&group->suspects[group->count], entry, &group->rivals, &error)) {
            group->count++;
        } else {
            kg__complain("%s: %s", group->path, error.text);
            run->failed = true;
        }
    }
    run->suspects += group->count;
}

/* Leaves cases that the base lacks to the baseline. */
static void look_for_bases(kg__settle_group *group)
{
    const char *arguments[] = { group->programs[KG__BASE], "--cases", "time", NULL };
    bool missing = access(group->programs[KG__BASE], F_OK) != 0;
    int code = missing ? 0 : kg__child_lines(arguments, KG__LISTING_SECONDS, &group->base_cases);
    char why[256];

    for (size_t i = 0; i < group->count; i++) {
        if (kg__listing_has(&group->base_cases, group->suspects[i].id))
            continue;
        if (code != 0)
            kg__format(why, sizeof why, "%s's program does not list its cases (exit code %d)",
                       group->rivals.ref, code);
        else
            kg__format(why, sizeof why, "new: %s has no such %s", group->rivals.ref,
                       missing ? "comparison" : "case");
        kg__suspect_leave(&group->suspects[i], why);
    }
}

static void open_group(kg__settlement *run, const char *path)
{
    kg__settle_group *group = &run->groups[run->count];
    kg__error error = { "" };
    json_t *document = kg__verdicts_load_json(path, &error);
    const char *test = kg__json_text(document, "test");
    size_t length = strlen(test);

    if (document == NULL) {
        kg__complain("%s", error.text);
        run->failed = true;
        return;
    }
    if (count_suspects(document) == 0 || length <= strlen(TEST_PREFIX TEST_SUFFIX)) {
        json_decref(document);
        return;
    }
    run->count++;
    *group = (kg__settle_group){ .document = document };
    kg__format(group->name, sizeof group->name, "%.*s",
               (int)(length - strlen(TEST_PREFIX TEST_SUFFIX)), test + strlen(TEST_PREFIX));
    kg__format_path(group->path, sizeof group->path, "%s", path);
    group->rivals = (kg__rivals){
        .ref = run->ref, .commit = run->commit, .target = &group->target, .paired = run->paired
    };
    load_baseline(group);
    for (size_t side = 0; side < KG__SIDES; side++)
        kg__format_path(group->programs[side], sizeof group->programs[side], "%s/%s.gpu",
                        run->folders[side], group->name);
    take_suspects(run, group);
    look_for_bases(group);
}

static void form_family(kg__settlement *run)
{
    size_t capacity = run->suspects * KG__SUSPECT_METRICS;

    run->family = kg__allocate(capacity, sizeof(kg__hypothesis *));
    for (size_t g = 0; g < run->count; g++) {
        for (size_t i = 0; i < run->groups[g].count; i++) {
            kg__suspect *suspect = &run->groups[g].suspects[i];

            for (size_t c = 0; c < suspect->contest_count && !suspect->by_baseline; c++)
                run->family[run->family_size++] = &suspect->contests[c].hypothesis;
        }
    }
}

bool kg__settle_open(kg__settlement *run)
{
    char pattern[KG__PATH_SIZE];
    glob_t found;

    kg__format_path(pattern, sizeof pattern,
                    "%s/records/" TEST_PREFIX "*" TEST_SUFFIX KG__VERDICTS_SUFFIX,
                    kg__results_folder(run->out));
    if (glob(pattern, 0, NULL, &found) != 0) {
        kg__complain("%s: there are no such files: run the part `time` first, with KG_BASE set",
                     pattern);
        return false;
    }
    run->groups = kg__allocate(found.gl_pathc, sizeof *run->groups);
    for (size_t i = 0; i < found.gl_pathc; i++)
        open_group(run, found.gl_pathv[i]);
    globfree(&found);
    form_family(run);
    return true;
}

void kg__settle_release(kg__settlement *run)
{
    for (size_t g = 0; g < run->count; g++) {
        kg__settle_group *group = &run->groups[g];

        for (size_t i = 0; i < group->count; i++)
            kg__suspect_free(&group->suspects[i]);
        for (size_t side = 0; side < KG__SIDES; side++)
            free(group->results[side]);
        free(group->reported);
        free(group->suspects);
        kg__listing_free(&group->base_cases);
        kg__baseline_free(&group->baseline);
        json_decref(group->document);
    }
    free(run->groups);
    free(run->family);
}

double kg__settle_elapsed(const kg__settlement *run)
{
    return kg__now() - run->began;
}
