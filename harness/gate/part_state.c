/* A part in progress: its cases, what it prints of them, and the verdicts file that it leaves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/color.h"
#include "base/file.h"
#include "base/run_lock.h"
#include "gate/part.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_text.h"
#include "results/time_result.h"
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

void kg__part_add_text(kg__part_run *run, const char *list, const char *text)
{
    json_array_append_new(json_object_get(run->document, list), json_string(text));
}

/* An error outside of any case: printed, and kept in the verdicts. */
void kg__part_add_error(kg__part_run *run, const char *text)
{
    kg__part_add_text(run, "errors", text);
    kg__complain("%s: %s", run->test, text);
}

/* A remark that decides nothing: printed, and kept in the verdicts. */
void kg__part_add_note(kg__part_run *run, const char *text)
{
    kg__part_add_text(run, "notes", text);
    kg__print_verdict(stdout, "note", "%-11s  %s\n", run->target.key, text);
}

/* Notes that nothing is judged, by what ("filter", "empty", "unavailable", "no-baseline") and why.
 */
void kg__part_skip(kg__part_run *run, const char *by, const char *why)
{
    json_object_set_new(run->document, "skipped", json_string(why));
    json_object_set_new(run->document, "skipped_by", json_string(by));
}

void kg__part_print(kg__part_run *run, const json_t *entry)
{
    char *key = kg__failure_group_key(entry);
    const json_t *first = key != NULL ? json_object_get(run->told, key) : NULL;
    json_t *shown;
    char line[KG__LINE_SIZE];

    if (kg__results_verdict(entry) == KG__PASS && !kg__is_verbose())
        return;
    shown = json_copy((json_t *)entry);
    if (first != NULL) {
        char why[KG__MESSAGE_SIZE];

        kg__format(why, sizeof why, "as %s above", kg__list_text(first));
        json_object_set_new(shown, "why", json_string(why));
        (void)json_object_del(shown, "findings");
    } else if (key != NULL) {
        json_object_set(run->told, key, json_object_get(entry, "case"));
    }
    kg__time_result_line(shown, NULL, line, sizeof line);
    kg__print_verdict_line(stdout, line);
    fflush(stdout);
    json_decref(shown);
    free(key);
}

void kg__part_keep(kg__subject *subject, json_t *entry)
{
    json_decref(subject->entry);
    subject->entry = entry;
    if (subject->seconds > 0)
        json_object_set_new(entry, "seconds", json_real(subject->seconds));
}

void kg__part_settle(kg__part_run *run, kg__subject *subject, json_t *entry)
{
    kg__part_keep(subject, entry);
    kg__part_print(run, entry);
}

/* Writes the verdicts file. A case without a verdict is an error until it has one, so that a test
 * which dies leaves no hole. */
void kg__part_write(kg__part_run *run, bool complete)
{
    json_t *cases = json_array();
    char out[KG__PATH_SIZE];
    kg__error error;

    for (size_t i = 0; i < run->count; i++) {
        const kg__subject *subject = &run->subjects[i];

        if (subject->entry != NULL)
            json_array_append(cases, subject->entry);
        else if (!complete)
            json_array_append_new(
                cases, kg__plain_result(subject->c->id, &run->target, run->part, KG__ERROR,
                                        "the test ended before this case was judged"));
    }
    json_object_set_new(run->document, "cases", cases);
    json_object_set_new(run->document, "complete", json_boolean(complete));
    json_object_set_new(run->document, "seconds", json_real(kg__now() - run->began));
    kg__out_folder(run->comparison->home, out, sizeof out);
    /* Another run may have taken the folder over when the one around this test was killed. */
    run->unwritten = !kg__run_lock_permits(out, &error) ||
                     !kg__results_write_json(run->verdicts, run->document, 1, &error);
    if (run->unwritten)
        kg__complain("%s", error.text);
}

bool kg__part_begin(kg__part_run *run, const kg_comparison *comparison, const char *part)
{
    char folder[KG__PATH_SIZE];
    kg__error error = { "" };

    *run = (kg__part_run){ .comparison = comparison, .part = part, .began = kg__now() };
    kg__test_name(KG__TARGET_KIND, comparison->name, part, run->test, sizeof run->test);
    kg__verdicts_path(comparison->home, run->test, run->verdicts, sizeof run->verdicts);
    kg__format(run->target.key, sizeof run->target.key, "%s",
               kg__part_is_model() ? KG__MODEL_KEY : "gpu");
    run->document = kg__verdicts_make_json(run->test);
    run->told = json_object();
    kg__format_path(folder, sizeof folder, "%s", run->verdicts);
    *strrchr(folder, '/') = '\0';
    if (!kg__file_make_folder(folder, &error) ||
        !kg__table_expand(comparison, part, &run->table, &error)) {
        kg__part_add_error(run, error.text);
        kg__part_write(run, true);
        return false;
    }
    run->subjects = kg__allocate(run->table.count, sizeof *run->subjects);
    for (size_t i = 0; i < run->table.count; i++) {
        if (kg__filter_takes(run->table.list[i].id))
            run->subjects[run->count++].c = &run->table.list[i];
    }
    return true;
}

void kg__part_release(kg__part_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < run->subjects[i].observers; j++)
            kg__observation_release(run->subjects[i].measured[j]);
        json_decref(run->subjects[i].entry);
        kg__observation_release(run->subjects[i].plain_observation);
    }
    free(run->subjects);
    kg__case_list_free(&run->table);
    kg__baseline_free(&run->baseline);
    json_decref(run->document);
    json_decref(run->told);
}
