/* kernelgate settle: reads the suspects of a run. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "suite/settings.h"

#define TEST_PREFIX "gpu."
#define TEST_SUFFIX ".time"

static void load_baseline(kg__settle_group *group)
{
    char path[2 * KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    group->target = group->verdicts->target;
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
        group->base.baseline = &group->baseline;
}

static size_t count_suspects(const kg__verdicts *verdicts)
{
    size_t count = 0;

    for (size_t i = 0; i < verdicts->case_count; i++)
        count += verdicts->cases[i]->suspect;
    return count;
}

/* Takes up the suspects of a test's verdicts; complains about invalid ones. */
static void take_suspects(kg__settlement *run, kg__settle_group *group)
{
    size_t count = count_suspects(group->verdicts);

    group->suspects = kg__pool_array(&group->pool, count, sizeof *group->suspects);
    group->reported = kg__pool_array(&group->pool, count, sizeof *group->reported);
    for (size_t side = 0; side < KG__SIDES; side++)
        group->results[side] = kg__pool_array(&group->pool, count, sizeof *group->results[side]);
    for (size_t i = 0; i < group->verdicts->case_count; i++) {
        kg__case_result *result = group->verdicts->cases[i];
        kg__error error = { "" };

        if (!result->suspect)
            continue;
        if (kg__suspect_begin(&group->suspects[group->count], result, &group->base, &error)) {
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
        if (kg__listing_has(&group->base_cases, group->suspects[i].result->id))
            continue;
        if (code != 0)
            kg__format(why, sizeof why, "%s's program does not list its cases (exit code %d)",
                       group->base.ref, code);
        else
            kg__format(why, sizeof why, "new: %s has no such %s", group->base.ref,
                       missing ? "comparison" : "case");
        kg__suspect_leave(&group->suspects[i], why);
    }
}

static void open_group(kg__settlement *run, const char *path)
{
    kg__settle_group *group = &run->groups[run->count];
    size_t affixes = strlen(TEST_PREFIX TEST_SUFFIX);
    kg__error error = { "" };

    *group = (kg__settle_group){ 0 };
    group->verdicts = kg__verdicts_load(&group->pool, path, &error);
    if (group->verdicts == NULL) {
        kg__complain("%s", error.text);
        run->failed = true;
    }
    if (group->verdicts == NULL || count_suspects(group->verdicts) == 0 ||
        strlen(group->verdicts->test) <= affixes) {
        kg__pool_free(&group->pool);
        return;
    }
    run->count++;
    kg__format(group->name, sizeof group->name, "%.*s",
               (int)(strlen(group->verdicts->test) - affixes),
               group->verdicts->test + strlen(TEST_PREFIX));
    kg__format_path(group->path, sizeof group->path, "%s", path);
    group->base = (kg__pairs_base){ .pool = &group->pool,
                                    .ref = run->ref,
                                    .commit = run->commit,
                                    .target = &group->target,
                                    .paired = run->paired };
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

            for (size_t m = 0; m < suspect->metric_count && !suspect->by_baseline; m++)
                run->family[run->family_size++] = &suspect->metrics[m].hypothesis;
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

        kg__listing_free(&group->base_cases);
        kg__baseline_free(&group->baseline);
        kg__pool_free(&group->pool);
    }
    free(run->groups);
    free(run->family);
}

double kg__settle_elapsed(const kg__settlement *run)
{
    return kg__now() - run->began;
}
