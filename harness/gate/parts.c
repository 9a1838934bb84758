/* SPDX-License-Identifier: MIT */
/* The bodies of a comparison's Criterion tests: they spawn observers, judge what those recorded,
 * print one line per case that did not pass and leave a verdicts file. They never touch the device
 * themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "gate/part.h"
#include "gate/verdict_line.h"
#include "suite/settings.h"

static bool any_is_settled(const kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->part_cases[i].result != NULL || run->part_cases[i].observers > 0)
            return true;
    }
    return false;
}

/* Cases that are left without any record, because nothing could be run any more. Where nothing
 * could be run at all, the one error that says why is enough to read. */
static void close_open_cases(kg__part_run *run)
{
    bool say_so = any_is_settled(run);
    const char *why =
        kg__pool_format(&run->pool, "no observer could be run for this case%s%s",
                        run->unobserved.text[0] != '\0' ? ": " : "", run->unobserved.text);

    for (size_t i = 0; i < run->count; i++) {
        kg__part_case *part_case = &run->part_cases[i];

        if (part_case->result != NULL || part_case->refused)
            continue;
        part_case->result = kg__part_result(run, part_case, KG__ERROR, why);
        if (say_so)
            kg__part_print(run, part_case->result);
    }
}

static size_t count_failures(const kg__part_run *run)
{
    /* Results that nobody will find are no success. */
    size_t failures = run->verdicts->errors.count + run->unwritten;

    for (size_t i = 0; i < run->count; i++) {
        const kg__part_case *part_case = &run->part_cases[i];

        /* A suspect is not judged by this test, but by what settles it. */
        failures += part_case->result != NULL && !part_case->suspect &&
                    part_case->result->verdict >= KG__SLOWER;
    }
    return failures;
}

/* True when every measured case lacks a baseline, and none will be held against a base. */
static bool nothing_has_a_baseline(const kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const kg__part_case *part_case = &run->part_cases[i];

        if (part_case->suspect ||
            (part_case->result != NULL && part_case->result->verdict != KG__NO_BASELINE))
            return false;
    }
    return run->count > 0;
}

/* A table whose cases are all for GPUs is skipped on the model; one that refuses others is shown.
 */
static void skip_refused(kg__part_run *run)
{
    bool gpu_only = true;

    for (size_t i = 0; i < run->count; i++)
        gpu_only = gpu_only && run->verdicts->refused[i].gpu_only;
    if (gpu_only)
        kg__part_skip(run, KG__SKIP_GPU_ONLY, "every case is GPU-only");
    else
        kg__part_skip(run, KG__SKIP_UNAVAILABLE,
                      "the comparison refuses every case: KG_VERBOSE=1 prints why");
}

/* Skips a test whose target has no baseline. New cases of one that has are listed, each by itself.
 */
static void skip_unrecorded_target(kg__part_run *run)
{
    char folder[KG__PATH_SIZE];
    char path[2 * KG__PATH_SIZE];

    kg__baselines_folder(run->comparison->home, folder, sizeof folder);
    kg__format_path(path, sizeof path, "%s/%s.json", folder, run->target.key);
    if (access(path, F_OK) == 0)
        return;
    kg__part_skip(run, KG__SKIP_NO_BASELINE,
                  kg__pool_format(&run->pool,
                                  "%s is not there: restore it, or record these cases with "
                                  "kernelgate rebaseline and commit that file",
                                  path));
}

static void finish(kg__part_run *run)
{
    if (run->verdicts->skipped != NULL)
        return;
    close_open_cases(run);
    if (run->verdicts->refused_count == run->count) {
        skip_refused(run);
        return;
    }
    if (kg__part_is_checking(run)) {
        kg__part_note_accuracy(run);
        return;
    }
    kg__part_note_provenance(run);
    if (kg__part_is(run, "time"))
        kg__part_note_launch_cost(run);
    if (nothing_has_a_baseline(run) && run->verdicts->errors.count == 0)
        skip_unrecorded_target(run);
}

void kg__run_part(const char *part)
{
    kg__part_run run;
    size_t failures;
    char skipped[KG__MESSAGE_SIZE];

    /* CTest ends a test that is overdue by killing the runner alone; what it started must not live
     * on. */
    kg__end_with_parent();
    /* A program that inherits what Criterion's worker has found its arena by dies at its start. */
    (void)unsetenv("BXFI_MAP");
    if (kg__part_begin(&run, kg__comparison, part)) {
        if (run.table.count == 0) {
            kg__part_skip(&run, KG__SKIP_EMPTY, "the comparison's table has no case for this test");
        } else if (run.count == 0) {
            kg__part_skip(&run, KG__SKIP_FILTER, "not selected by --filter");
        } else {
            kg__part_write(&run, false);
            if (kg__part_is_checking(&run))
                kg__part_check(&run);
            else if (strcmp(part, "count") == 0)
                kg__part_count(&run);
            else
                kg__part_measure(&run);
            finish(&run);
        }
        kg__part_write(&run, true);
    }
    failures = count_failures(&run);
    kg__format(skipped, sizeof skipped, "%s",
               run.verdicts->skipped != NULL ? run.verdicts->skipped : "");
    if (skipped[0] != '\0')
        kg__print_verdict("skipped", run.target.key, run.test, skipped);
    fflush(stdout);
    kg__part_release(&run);
    if (failures > 0)
        cr_assert_fail("%zu case%s or error%s above fail%s this test", failures,
                       failures == 1 ? "" : "s", failures == 1 ? "" : "s",
                       failures == 1 ? "s" : "");
    if (skipped[0] != '\0')
        cr_skip_test("%s", skipped);
}
