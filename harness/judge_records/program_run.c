/* SPDX-License-Identifier: MIT */
#include "judge_records/judges.h"

#include <string.h>

#include "base/json.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "judge_records/run_outcome.h"
#include "records/observation.h"
#include "results/count_result.h"
#include "results/time_result.h"
#include "results/verdicts.h"
#include "suite/id_parts.h"
#include "suite/settings.h"

/* A run while it is judged. */
typedef struct judged_run {
    const kg__judged_file *file;
    const char *id;
    kg__pool pool;
    kg__verdicts *verdicts;
    kg__baseline stored;          /* what `baseline` points to */
    const kg__baseline *baseline; /* NULL without one */
    char differences[512];
} judged_run;

static void load_baseline(judged_run *judged)
{
    kg__target *target = &judged->verdicts->target;
    kg__error error = { "" };

    if (kg__baseline_load_own(judged->file->baselines, target, &judged->stored, &error) ==
        KG__BAD) {
        kg__pool_add_text(&judged->pool, &judged->verdicts->errors, error.text);
        kg__complain("%s", error.text);
    }
    if (judged->stored.case_count + judged->stored.checked_count == 0)
        return;
    judged->baseline = &judged->stored;
    (void)kg__recording_differences(judged->baseline, target, judged->verdicts->provenance,
                                    judged->differences, sizeof judged->differences);
}

/* Reads the records of a kernel, one for each process; false where one has another form. */
static bool read_records(judged_run *judged, const json_t *records, kg__measurement *read)
{
    const kg__sentinel_log none = { 0 };
    json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        read[i].measured = kg__observation_load(&judged->pool, record, NULL);
        if (read[i].measured == NULL || read[i].measured->event != KG__EVENT_MEASURED)
            return false;
        read[i].surroundings = kg__surroundings_of(&none, judged->baseline, read[i].measured);
    }
    return json_array_size(records) > 0;
}

/* Adds the result of a kernel; false where its records have another form. */
static bool judge_kernel(judged_run *judged, const char *id, const json_t *records)
{
    const bool is_time = strcmp(kg__json_text(judged->file->document, "part"), "time") == 0;
    const kg__baseline *baseline = judged->baseline;
    const kg__target *target = &judged->verdicts->target;
    const size_t count = json_array_size(records);
    kg__measurement *read = kg__pool_array(&judged->pool, count, sizeof *read);

    if (!kg__is_case_id(id) || !read_records(judged, records, read))
        return false;
    kg__verdicts_add_case(judged->verdicts,
                          is_time
                              ? kg__time_result(&judged->pool, id, target, read, count, baseline)
                              : kg__count_result(&judged->pool, id, target, read->measured,
                                                 baseline, judged->differences, kg__is_strict()));
    return true;
}

static bool judge_kernels(judged_run *judged, kg__error *error)
{
    const char *id;
    json_t *records;

    json_object_foreach (json_object_get(judged->file->document, "records"), id, records) {
        if (kg__filter_takes(id) && !judge_kernel(judged, id, records))
            return kg__fail(error,
                            "%s: records: %s: is no record of a case: install kernelgate again",
                            judged->file->path, id);
    }
    return true;
}

static void add_vanished(judged_run *judged, const char *id, const char *how)
{
    kg__pool_add_text(&judged->pool, &judged->verdicts->vanished, id);
    kg__complain("%s: in the baseline, and %s: launch it, or retire it with kernelgate baseline "
                 "retire",
                 id, how);
}

/* Lists the kernels and shapes of the baseline that are not in `records`. */
static void find_vanished(judged_run *judged, const json_t *records, const char *how)
{
    const size_t length = kg__variant_length(judged->id);

    for (size_t i = 0; i < judged->stored.case_count; i++) {
        const char *id = judged->stored.cases[i].id;

        if (strncmp(id, judged->id, length) == 0 && kg__filter_takes(id) &&
            json_object_get(records, id) == NULL)
            add_vanished(judged, id, how);
    }
}

/* A test that skipped itself was not judged, whatever it launched before. */
static void skip_itself(judged_run *judged)
{
    kg__verdicts *verdicts = judged->verdicts;
    const char *why = kg__json_text(judged->file->document, "skipped");

    kg__verdicts_add_refusal(verdicts, &(kg__refusal){ judged->id, why, false });
    verdicts->skipped = why;
    verdicts->skipped_by = KG__SKIP_EMPTY;
    if (kg__baseline_lists(&judged->stored, judged->id))
        add_vanished(judged, judged->id, "skipped");
    find_vanished(judged, NULL, "skipped");
}

static void skip_filtered(judged_run *judged)
{
    kg__verdicts *verdicts = judged->verdicts;

    if (verdicts->case_count > 0 || verdicts->vanished.count > 0 || verdicts->errors.count > 0)
        return;
    verdicts->skipped = "KG_FILTER leaves no case";
    verdicts->skipped_by = KG__SKIP_FILTER;
}

static bool judge_run(judged_run *judged, kg__error *error)
{
    kg__verdicts *verdicts = judged->verdicts;
    kg__case_result *outcome;
    bool is_right;

    verdicts->provenance = json_object_get(judged->file->document, "provenance");
    if (!kg__is_case_id(judged->id) || *verdicts->test == '\0' ||
        !kg__target_read(json_object_get(judged->file->document, "target"), &verdicts->target,
                         NULL) ||
        !kg__is_target_key(verdicts->target.key))
        return kg__fail(error, "%s: has no test, no case or no target: install kernelgate again",
                        judged->file->path);
    if (*kg__json_text(judged->file->document, "untimed") != '\0')
        kg__pool_add_text(&judged->pool, &verdicts->notes,
                          kg__json_text(judged->file->document, "untimed"));
    load_baseline(judged);
    outcome = kg__run_outcome(&judged->pool, judged->file->document);
    outcome->target = verdicts->target.key;
    is_right = outcome->verdict == KG__PASS;
    if (is_right && *kg__json_text(judged->file->document, "skipped") != '\0' &&
        kg__filter_takes(judged->id)) {
        skip_itself(judged);
        return true;
    }
    /* A wrong run is reported even if the filter excludes its case. */
    if (!is_right || kg__filter_takes(judged->id))
        kg__verdicts_add_case(verdicts, outcome);
    /* Without times nothing is known of the kernels. */
    if (is_right && verdicts->notes.count == 0) {
        if (!judge_kernels(judged, error))
            return false;
        find_vanished(judged, json_object_get(judged->file->document, "records"), "not launched");
    }
    skip_filtered(judged);
    return true;
}

json_t *kg__judge_program(const kg__judged_file *file, kg__error *error)
{
    judged_run judged = { .file = file, .id = kg__json_text(file->document, "case") };
    json_t *verdicts = NULL;

    judged.verdicts = kg__verdicts_make(&judged.pool, kg__json_text(file->document, "test"));
    if (judge_run(&judged, error))
        verdicts = json_pack("{s:o}", "verdicts", kg__verdicts_json(judged.verdicts));
    kg__pool_free(&judged.pool);
    kg__baseline_free(&judged.stored);
    return verdicts;
}
