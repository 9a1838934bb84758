/* kernelgate settle: the suspects that a run has left, and what it knows of them. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/settle.h"
#include "records/records.h"
#include "results/results.h"
#include "suite/settings.h"

#define TEST_PREFIX "gpu."
#define TEST_SUFFIX ".time"

bool kg__listing_has(const kg__listing *known, const char *id)
{
    for (size_t i = 0; i < known->count; i++) {
        if (strcmp(known->lines[i], id) == 0)
            return true;
    }
    return false;
}

static void load_baseline(kg__settle_group *one)
{
    char path[2 * KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    one->target = kg__target_of(json_object_get(one->document, "target"));
    kg__baselines_folder(".", folder, sizeof folder);
    status = kg__baseline_load_for(folder, &one->target, path, sizeof path, &one->baseline, &error);
    if (status == KG__LOADED && !kg__baseline_is_own(path, &one->baseline, &error)) {
        kg__baseline_free(&one->baseline);
        status = KG__BAD;
    }
    if (status == KG__BAD)
        kg__complain("%s", error.text);
    if (status == KG__LOADED || one->baseline.case_count > 0)
        one->rivals.baseline = &one->baseline;
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

/* Takes up the suspects of a verdicts document; what cannot be is said. */
static void take_suspects(kg__settlement *all, kg__settle_group *one)
{
    size_t i;
    json_t *entry;

    one->suspects = kg__allocate(count_suspects(one->document), sizeof *one->suspects);
    one->reported = kg__allocate(count_suspects(one->document), sizeof *one->reported);
    for (size_t side = 0; side < KG__SIDES; side++)
        one->sights[side] = kg__allocate(count_suspects(one->document), sizeof *one->sights[side]);
    json_array_foreach (json_object_get(one->document, "cases"), i, entry) {
        kg__error error = { "" };

        if (!json_is_true(json_object_get(entry, "suspect")))
            continue;
        if (kg__suspect_begin(&one->suspects[one->count], entry, &one->rivals, &error)) {
            one->count++;
        } else {
            kg__complain("%s: %s", one->path, error.text);
            all->failed = true;
        }
    }
    all->suspects += one->count;
}

/* Cases that the base has not are left to the baseline. */
static void look_for_bases(kg__settle_group *one)
{
    const char *arguments[] = { one->programs[KG__BASE], "--cases", "time", NULL };
    bool missing = access(one->programs[KG__BASE], F_OK) != 0;
    int code = missing ? 0 : kg__child_lines(arguments, KG__LISTING_SECONDS, &one->base_cases);
    char why[256];

    for (size_t i = 0; i < one->count; i++) {
        if (kg__listing_has(&one->base_cases, one->suspects[i].id))
            continue;
        if (code != 0)
            kg__format(why, sizeof why, "%s's program does not list its cases (exit code %d)",
                       one->rivals.ref, code);
        else
            kg__format(why, sizeof why, "new: %s has no such %s", one->rivals.ref,
                       missing ? "comparison" : "case");
        kg__suspect_leave(&one->suspects[i], why);
    }
}

static void open_group(kg__settlement *all, const char *path)
{
    kg__settle_group *one = &all->groups[all->count];
    kg__error error = { "" };
    json_t *document = kg__verdicts_load(path, &error);
    const char *test = kg__json_text(document, "test");
    size_t length = strlen(test);

    if (document == NULL) {
        kg__complain("%s", error.text);
        all->failed = true;
        return;
    }
    if (count_suspects(document) == 0 || length <= strlen(TEST_PREFIX TEST_SUFFIX)) {
        json_decref(document);
        return;
    }
    all->count++;
    *one = (kg__settle_group){ .document = document };
    kg__format(one->name, sizeof one->name, "%.*s", (int)(length - strlen(TEST_PREFIX TEST_SUFFIX)),
               test + strlen(TEST_PREFIX));
    kg__format_path(one->path, sizeof one->path, "%s", path);
    one->rivals = (kg__rivals){
        .ref = all->ref, .commit = all->commit, .target = &one->target, .paired = all->paired
    };
    load_baseline(one);
    for (size_t side = 0; side < KG__SIDES; side++)
        kg__format_path(one->programs[side], sizeof one->programs[side], "%s/%s.gpu",
                        all->folders[side], one->name);
    take_suspects(all, one);
    look_for_bases(one);
}

static void form_family(kg__settlement *all)
{
    size_t room = all->suspects * KG__SUSPECT_METRICS;

    all->family = kg__allocate(room, sizeof(kg__hypothesis *));
    for (size_t g = 0; g < all->count; g++) {
        for (size_t i = 0; i < all->groups[g].count; i++) {
            kg__suspect *one = &all->groups[g].suspects[i];

            for (size_t c = 0; c < one->contest_count && !one->by_baseline; c++)
                all->family[all->family_size++] = &one->contests[c].hypothesis;
        }
    }
}

bool kg__settle_open(kg__settlement *all)
{
    char pattern[KG__PATH_SIZE];
    glob_t found;

    kg__format_path(pattern, sizeof pattern,
                    "%s/records/" TEST_PREFIX "*" TEST_SUFFIX KG__VERDICTS_SUFFIX,
                    kg__results_folder(all->out));
    if (glob(pattern, 0, NULL, &found) != 0) {
        kg__complain("%s: there are no such files: run the part `time` first, with KG_BASE set",
                     pattern);
        return false;
    }
    all->groups = kg__allocate(found.gl_pathc, sizeof *all->groups);
    for (size_t i = 0; i < found.gl_pathc; i++)
        open_group(all, found.gl_pathv[i]);
    globfree(&found);
    form_family(all);
    return true;
}

void kg__settle_release(kg__settlement *all)
{
    for (size_t g = 0; g < all->count; g++) {
        kg__settle_group *of = &all->groups[g];

        for (size_t i = 0; i < of->count; i++)
            kg__suspect_free(&of->suspects[i]);
        for (size_t side = 0; side < KG__SIDES; side++)
            free(of->sights[side]);
        free(of->reported);
        free(of->suspects);
        kg__listing_free(&of->base_cases);
        kg__baseline_free(&of->baseline);
        json_decref(of->document);
    }
    free(all->groups);
    free(all->family);
}

double kg__settle_elapsed(const kg__settlement *all)
{
    return kg__now() - all->began;
}
