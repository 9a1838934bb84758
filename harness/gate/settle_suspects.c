/* SPDX-License-Identifier: MIT */
/* Settling: reads the suspects of the comparison. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "gate/settle.h"

#define LISTING_SECONDS 30

static void load_baseline(kg__settlement *run)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };
    kg__load_status status;

    run->target = run->verdicts->target;
    kg__baselines_folder(run->comparison->home, folder, sizeof folder);
    status = kg__baseline_load_own(folder, &run->target, &run->baseline, &error);
    if (status == KG__BAD)
        kg__complain("%s", error.text);
    if (status == KG__LOADED || run->baseline.case_count > 0)
        run->base.baseline = &run->baseline;
}

/* Takes up the suspects of the verdicts; complains about invalid ones. */
static void take_suspects(kg__settlement *run)
{
    size_t most = run->verdicts->case_count;

    run->suspects = kg__pool_array(&run->pool, most, sizeof *run->suspects);
    run->cases = kg__pool_array(&run->pool, most, sizeof(void *));
    run->reported = kg__pool_array(&run->pool, most, sizeof *run->reported);
    for (size_t side = 0; side < KG__SIDES; side++)
        run->results[side] = kg__pool_array(&run->pool, most, sizeof *run->results[side]);
    for (size_t i = 0; i < run->verdicts->case_count; i++) {
        kg__case_result *result = run->verdicts->cases[i];
        kg__error error = { "" };

        if (!result->suspect)
            continue;
        run->cases[run->count] = kg__table_find(&run->table, result->id);
        if (run->cases[run->count] == NULL)
            kg__fail(&error, "%s: no such case in the table: build it again", result->id);
        else if (kg__suspect_begin(&run->suspects[run->count], result, &run->base, &error))
            run->count++;
        if (error.text[0] != '\0') {
            kg__complain("%s: %s", run->path, error.text);
            run->failed = true;
        }
    }
}

/* Leaves cases that the base lacks to the baseline. */
static void look_for_bases(kg__settlement *run)
{
    const char *arguments[] = { run->base_program, "--cases", "time", NULL };
    bool missing = access(run->base_program, F_OK) != 0;
    int code = missing ? 0 : kg__child_lines(arguments, LISTING_SECONDS, &run->base_cases);

    for (size_t i = 0; i < run->count; i++) {
        if (kg__listing_has(&run->base_cases, run->suspects[i].result->id))
            continue;
        if (code != 0)
            kg__suspect_leave(&run->suspects[i],
                              "%s's program does not list its cases (exit code %d)", run->base.ref,
                              code);
        else
            kg__suspect_leave(&run->suspects[i], "new: %s has no such %s", run->base.ref,
                              missing ? "comparison" : "case");
    }
}

static void form_family(kg__settlement *run)
{
    run->family.list =
        kg__pool_array(&run->pool, run->count * KG__SUSPECT_METRICS, sizeof(kg__hypothesis *));
    for (size_t i = 0; i < run->count; i++) {
        kg__suspect *suspect = &run->suspects[i];

        for (size_t m = 0; m < suspect->metric_count && !suspect->by_baseline; m++) {
            suspect->metrics[m].hypothesis.variant =
                (size_t)(run->cases[i]->variant - run->comparison->variants);
            run->family.list[run->family.count++] = &suspect->metrics[m].hypothesis;
        }
    }
    run->family.margin = run->base.margin;
    kg__family_plan(&run->family);
}

bool kg__settle_open(kg__settlement *run)
{
    const char *ref = kg__setting("KG_BASE_REF");
    const char *commit = kg__setting("KG_BASE_COMMIT");
    char test[128];
    kg__error error = { "" };

    kg__test_name("gpu", run->comparison->name, "time", test, sizeof test);
    kg__verdicts_path(run->comparison->home, test, run->path, sizeof run->path);
    run->verdicts = kg__verdicts_load(&run->pool, run->path, &error);
    if (run->verdicts == NULL || !kg__table_expand(run->comparison, "time", &run->table, &error)) {
        kg__complain("%s", error.text);
        return false;
    }
    run->base = (kg__pairs_base){ .pool = &run->pool,
                                  .ref = ref != NULL ? ref : "the base",
                                  .commit = commit != NULL ? commit : "",
                                  .target = &run->target,
                                  .margin = KG__PAIRS_MARGIN,
                                  .paired = kg__is_paired() };
    load_baseline(run);
    take_suspects(run);
    look_for_bases(run);
    form_family(run);
    if (run->verdicts->board != NULL)
        (void)setenv("CUDA_VISIBLE_DEVICES", run->verdicts->board, 1);
    return true;
}

void kg__settle_release(kg__settlement *run)
{
    kg__case_list_free(&run->table);
    kg__listing_free(&run->base_cases);
    kg__baseline_free(&run->baseline);
    kg__pool_free(&run->pool);
}

double kg__settle_elapsed(const kg__settlement *run)
{
    return kg__now() - run->began;
}
