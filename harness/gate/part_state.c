/* SPDX-License-Identifier: MIT */
/* A part in progress: its cases, what it prints of them, and the verdicts file that it leaves. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/run_lock.h"
#include "gate/part.h"
#include "gate/verdict_line.h"
#include "results/failure_group.h"
#include "results/result_text.h"
#include "suite/settings.h"

bool kg__part_is_model(void)
{
    return strcmp(KG__TARGET_KIND, "model") == 0;
}

bool kg__part_is(const kg__part_run *run, const char *part)
{
    return strcmp(run->part, part) == 0;
}

/* Whether results are compared with the reference in this part, and nothing else is measured. */
bool kg__part_is_checking(const kg__part_run *run)
{
    return kg__part_is(run, "check") || kg__part_is(run, "defects");
}

/* An error outside of any case: printed, and kept in the verdicts. */
void kg__part_add_error(kg__part_run *run, const char *text)
{
    kg__pool_add_text(&run->pool, &run->verdicts->errors, text);
    kg__complain("%s: %s", run->test, text);
}

/* A remark that decides nothing: printed, and kept in the verdicts. */
void kg__part_add_note(kg__part_run *run, const char *text)
{
    kg__pool_add_text(&run->pool, &run->verdicts->notes, text);
    kg__print_verdict("note", run->target.key, "", text);
}

void kg__part_skip(kg__part_run *run, kg__skip by, const char *why)
{
    run->verdicts->skipped = kg__pool_text(&run->pool, why);
    run->verdicts->skipped_by = by;
}

kg__case_result *kg__part_result(kg__part_run *run, const kg__part_case *part_case,
                                 kg__verdict verdict, const char *why)
{
    return kg__case_result_make(&run->pool, part_case->c->id, run->target.key, run->part, verdict,
                                why);
}

kg__part_case *kg__part_find_case(kg__part_run *run, const char *id)
{
    for (size_t i = 0; i < run->count; i++) {
        if (strcmp(run->part_cases[i].c->id, id) == 0)
            return &run->part_cases[i];
    }
    return NULL;
}

void kg__part_name_records(const kg__part_run *run, const char *part, const char *label, char *stem,
                           size_t size)
{
    char test[128];
    char path[KG__PATH_SIZE];

    kg__test_name(KG__TARGET_KIND, run->comparison->name, part, test, sizeof test);
    kg__verdicts_path(run->comparison->home, test, path, sizeof path);
    kg__format_path(stem, size, "%.*s.%s", (int)(strlen(path) - strlen(KG__VERDICTS_SUFFIX)), path,
                    label);
}

/* The case that was printed with a failure of this group; NULL where there is none yet, and then
 * this one is. */
static const char *find_printed(kg__part_run *run, const char *group, const char *id)
{
    for (size_t i = 0; i < run->failures.count; i++) {
        if (strcmp(run->failures.items[i], group) == 0)
            return run->failed.items[i];
    }
    kg__pool_add_text(&run->pool, &run->failures, group);
    kg__pool_add_text(&run->pool, &run->failed, id);
    return NULL;
}

void kg__part_print_result(const char *word, const kg__case_result *result)
{
    char *why = *result->why != '\0' ? kg__case_result_reason(result) : kg__copy_text("");

    kg__print_verdict(word, result->target, result->id, why);
    free(why);
}

void kg__part_print(kg__part_run *run, const kg__case_result *result)
{
    char *group = kg__failure_group_key(result);
    const char *printed = group != NULL ? find_printed(run, group, result->id) : NULL;

    free(group);
    if (result->verdict <= KG__UNCHANGED && !kg__is_verbose())
        return;
    if (printed != NULL)
        kg__print_verdict(kg__verdict_name(result->verdict), result->target, result->id,
                          kg__pool_format(&run->pool, "as %s above", printed));
    else
        kg__part_print_result(kg__verdict_name(result->verdict), result);
}

void kg__part_keep(kg__part_case *part_case, kg__case_result *result)
{
    part_case->result = result;
    if (part_case->seconds > 0)
        result->seconds = part_case->seconds;
}

void kg__part_settle(kg__part_run *run, kg__part_case *part_case, kg__case_result *result)
{
    kg__part_keep(part_case, result);
    kg__part_print(run, result);
}

bool kg__part_is_left_alone(const kg__part_case *part_case)
{
    return kg__is_changed_only() && part_case->same_code != NULL &&
           !kg__sample_takes(part_case->c->id);
}

void kg__part_add_fingerprint(const kg__part_run *run, kg__part_case *part_case,
                              const kg__observation *measured)
{
    if (part_case->code == NULL)
        return;
    if (!kg__is_same_launch(part_case->code, measured->kernel))
        part_case->same_code = NULL;
    else if (run->same_toolkit)
        kg__format(measured->kernel->fingerprint, sizeof measured->kernel->fingerprint, "%s",
                   part_case->code->fingerprint);
}

static kg__case_result *unjudged_result(kg__part_run *run, kg__part_case *part_case)
{
    if (part_case->unjudged == NULL)
        part_case->unjudged = kg__part_result(run, part_case, KG__ERROR,
                                              "the test ended before this case was judged");
    /* It may have been written before an observer named the target. */
    part_case->unjudged->target = run->target.key;
    return part_case->unjudged;
}

/* Writes the verdicts file. A case without a verdict is an error until it has one, so that a test
 * which dies leaves no hole. */
void kg__part_write(kg__part_run *run, bool complete)
{
    kg__verdicts *verdicts = run->verdicts;
    char out[KG__PATH_SIZE];
    kg__error error;

    if (verdicts->cases == NULL)
        verdicts->cases = kg__pool_array(&run->pool, run->count, sizeof(kg__case_result *));
    verdicts->case_count = 0;
    for (size_t i = 0; i < run->count; i++) {
        kg__part_case *part_case = &run->part_cases[i];

        if (part_case->result != NULL || !complete)
            verdicts->cases[verdicts->case_count++] =
                part_case->result != NULL ? part_case->result : unjudged_result(run, part_case);
    }
    verdicts->complete = complete;
    verdicts->seconds = kg__now() - run->began;
    kg__out_folder(run->comparison->home, out, sizeof out);
    /* Another run may have taken the folder over when the one around this test was killed. */
    run->unwritten =
        !kg__run_lock_permits(out, &error) || !kg__verdicts_save(verdicts, run->path, &error);
    if (run->unwritten)
        kg__complain("%s", error.text);
}

bool kg__part_begin(kg__part_run *run, const kg_comparison *comparison, const char *part)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };

    *run = (kg__part_run){ .comparison = comparison, .part = part, .began = kg__now() };
    kg__test_name(KG__TARGET_KIND, comparison->name, part, run->test, sizeof run->test);
    kg__verdicts_path(comparison->home, run->test, run->path, sizeof run->path);
    kg__format(run->target.key, sizeof run->target.key, "%s",
               kg__part_is_model() ? KG__MODEL_KEY : "gpu");
    run->verdicts = kg__verdicts_make(&run->pool, run->test);
    kg__format_path(folder, sizeof folder, "%s", run->path);
    *strrchr(folder, '/') = '\0';
    if (!kg__file_make_folder(folder, &error) ||
        !kg__table_expand(comparison, part, &run->table, &error)) {
        kg__part_add_error(run, error.text);
        kg__part_write(run, true);
        return false;
    }
    run->part_cases = kg__allocate(run->table.count, sizeof *run->part_cases);
    for (size_t i = 0; i < run->table.count; i++) {
        if (kg__filter_takes(run->table.list[i].id))
            run->part_cases[run->count++].c = &run->table.list[i];
    }
    return true;
}

const kg__verdicts *kg__part_load(kg__pool *pool, const char *part)
{
    char test[128];
    char path[KG__PATH_SIZE];

    kg__test_name(KG__TARGET_KIND, kg__comparison->name, part, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    return kg__verdicts_load(pool, path, NULL);
}

void kg__part_release(kg__part_run *run)
{
    free(run->part_cases);
    kg__case_list_free(&run->table);
    kg__baseline_free(&run->stored);
    kg__pool_free(&run->pool);
}
