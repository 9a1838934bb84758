/* SPDX-License-Identifier: MIT */
#include "judge_records/judges.h"

#include <string.h>

#include "base/json.h"
#include "base/process.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "records/observation.h"
#include "results/time_result.h"
#include "results/verdicts.h"
#include "suite/id_parts.h"
#include "suite/settings.h"

/* The names of tests that stand for imports begin so. */
#define IMPORT_TEST "import."

/* A target and its baseline. */
typedef struct judged_target {
    kg__target target;
    const char *baselines;        /* the directory */
    json_t *measured;             /* {"target", "provenance", "cases"}, borrowed */
    kg__baseline stored;          /* what `baseline` points to */
    const kg__baseline *baseline; /* NULL without one */
    char baseline_path[2 * KG__PATH_SIZE];
    kg__pool pool;
    kg__verdicts *verdicts;
} judged_target;

static bool is_record(json_t *record)
{
    kg__observation *read = kg__observation_read(record, NULL);
    bool fits = read != NULL &&
                (read->event == KG__EVENT_MEASURED
                     ? read->metric_count > 0
                     : (read->event == KG__EVENT_REFUSED || read->event == KG__EVENT_FAILED) &&
                           *read->why != '\0');

    kg__observation_release(read);
    return fits;
}

static bool is_case(const char *id, json_t *measured)
{
    const json_t *records = json_object_get(measured, "records");
    const char *text;
    const json_t *files;
    json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        if (!is_record(record))
            return false;
    }
    return kg__is_case_id(id) && json_array_size(records) > 0 &&
           json_unpack(json_object_get(measured, "imported"), "{s:s, s:s, s:o, s?s !}", "from",
                       &text, "name", &text, "files", &files, "target", &text) == 0 &&
           json_is_array(files);
}

/* Whether the document has the form that `kernelgate help judge` gives; false with `error`. */
static bool check_form(const char *path, json_t *targets, kg__error *error)
{
    static const char remedy[] = KG__MEASURED_REMEDY;
    json_t *measured;
    json_t *cases;
    const char *key;
    const char *id;

    if (json_object_size(targets) == 0)
        return kg__fail(error, "%s: has no targets: %s", path, remedy);
    json_object_foreach (targets, key, measured) {
        if (!kg__is_target_key(key) || strlen(key) >= sizeof((kg__target *)0)->key ||
            strcmp(kg__json_text(json_object_get(measured, "target"), "key"), key) != 0)
            return kg__fail(error, "%s: target \"%s\": is not a key, or not that of its target: %s",
                            path, key, remedy);
        if (!json_is_object(json_object_get(measured, "provenance")))
            return kg__fail(error, "%s: target %s: has no provenance: %s", path, key, remedy);
        cases = json_object_get(measured, "cases");
        json_object_foreach (cases, id, measured) {
            if (!is_case(id, measured))
                return kg__fail(error,
                                "%s: target %s: case \"%s\" has no id, records or origin: %s", path,
                                key, id, remedy);
        }
    }
    return true;
}

/* Removes the cases that KG_FILTER does not match. False with `error` if none is left, or if one
 * that is left conflicts with another. */
static bool filter_cases(json_t *targets, kg__error *error)
{
    size_t kept = 0;
    size_t dropped = 0;
    char example[KG__MESSAGE_SIZE] = "";
    json_t *measured;
    const char *key;

    json_object_foreach (targets, key, measured) {
        json_t *cases = json_object_get(measured, "cases");
        const char *id;
        void *next;
        json_t *measured_case;

        json_object_foreach_safe(cases, next, id, measured_case)
        {
            size_t records = json_array_size(json_object_get(measured_case, "records"));
            const char *conflict = kg__json_text(measured_case, "conflict");

            kg__format(example, sizeof example, "%s", id);
            if (!kg__filter_takes(id)) {
                dropped += records;
                json_object_del(cases, id);
                continue;
            }
            if (*conflict != '\0')
                return kg__fail(error, "%s", conflict);
            kept += records;
        }
    }
    return kept > 0 ||
           kg__fail(error,
                    "KG_FILTER=%s takes none of the %zu cases, such as %s: give another, or none",
                    kg__setting("KG_FILTER"), dropped, example);
}

static void add_error(judged_target *judged, const char *text)
{
    kg__pool_add_text(&judged->pool, &judged->verdicts->errors, text);
    kg__complain("%s: %s", judged->target.key, text);
}

/* The tool's name in an error: the first word of "nvbench 0.1.0". */
static const char *name_tool(const json_t *provenance, char tool[64])
{
    const char *measured_by = kg__json_text(provenance, KG__MEASURED_BY);

    kg__format(tool, 64, "%.*s", (int)strcspn(measured_by, " "), measured_by);
    return *tool != '\0' ? tool : "comparisons' programs";
}

/* Loads the baseline, which also completes the target's description. */
static void load_baseline(judged_target *judged)
{
    json_t *described = json_object_get(judged->measured, "target");
    const json_t *provenance = json_object_get(judged->measured, "provenance");
    const char *stored;
    char tool[64];
    kg__error error = { "" };
    kg__load_status status;

    (void)kg__target_read(described, &judged->target, NULL);
    status = kg__baseline_load_for(judged->baselines, &judged->target, judged->baseline_path,
                                   sizeof judged->baseline_path, &judged->stored, &error);
    if (status == KG__BAD)
        add_error(judged, error.text);
    if (judged->stored.case_count > 0)
        judged->baseline = &judged->stored;
    stored = kg__json_text(judged->stored.provenance, KG__MEASURED_BY);
    if (judged->baseline != NULL &&
        !kg__is_same_tool(stored, kg__json_text(provenance, KG__MEASURED_BY))) {
        judged->baseline = NULL;
        kg__fail(&error, "%s: was measured by %s, not %s: name another --target",
                 judged->baseline_path, *stored != '\0' ? stored : "comparisons' programs",
                 name_tool(provenance, tool));
        add_error(judged, error.text);
    }
    if (judged->target.name[0] == '\0')
        kg__format(judged->target.name, sizeof judged->target.name, "%s",
                   judged->baseline != NULL ? judged->stored.target.name : judged->target.key);
}

/* What the files say of a case. */
typedef struct case_records {
    kg__measurement *measured;
    size_t count;
    const kg__observation *failed;  /* the first one; NULL: none */
    const kg__observation *refused; /* the first one; NULL: none */
} case_records;

static case_records read_records(judged_target *judged, const json_t *records)
{
    const kg__sentinel_log none = { 0 };
    case_records read = { .measured = kg__pool_array(&judged->pool, json_array_size(records),
                                                     sizeof *read.measured) };
    json_t *record;
    size_t i;

    json_array_foreach (records, i, record) {
        kg__observation *one = kg__observation_load(&judged->pool, record, NULL);

        if (one == NULL)
            continue;
        one->imported = true;
        if (one->event == KG__EVENT_MEASURED)
            read.measured[read.count++] =
                (kg__measurement){ one, kg__surroundings_of(&none, judged->baseline, one) };
        else if (one->event == KG__EVENT_FAILED && read.failed == NULL)
            read.failed = one;
        else if (one->event == KG__EVENT_REFUSED && read.refused == NULL)
            read.refused = one;
    }
    return read;
}

/* The result of a case; NULL for one that was refused, which is listed as such. */
static kg__case_result *judge_records(judged_target *judged, const char *id,
                                      const case_records *read)
{
    kg__pool *pool = &judged->pool;
    const char *key = judged->target.key;
    kg__case_result *result;

    if (read->failed != NULL)
        return kg__case_result_make(pool, id, key, "time", KG__ERROR, read->failed->why);
    if (read->refused != NULL && kg__baseline_find(&judged->stored, id) != NULL)
        return kg__case_result_make(
            pool, id, key, "time", KG__ERROR,
            kg__pool_format(pool, "is in the baseline and was skipped: %s", read->refused->why));
    if (read->refused != NULL) {
        kg__verdicts_add_refusal(judged->verdicts, &(kg__refusal){ id, read->refused->why, false });
        return NULL;
    }
    result =
        kg__time_result(pool, id, &judged->target, read->measured, read->count, judged->baseline);
    /* The usual text names the command that records a comparison. */
    if (result->verdict == KG__NO_BASELINE)
        result->why = "no baseline: five imports make one, with kernelgate baseline adopt";
    return result;
}

static void judge_case(judged_target *judged, const char *id, const json_t *measured)
{
    case_records read = read_records(judged, json_object_get(measured, "records"));
    kg__case_result *result = judge_records(judged, id, &read);

    if (result == NULL)
        return;
    kg__import_origin_read(&judged->pool, json_object_get(measured, "imported"), &result->imported);
    kg__verdicts_add_case(judged->verdicts, result);
}

/* Whether any case is of the same comparison as `id`. */
static bool has_comparison_of(const json_t *cases, const char *id)
{
    size_t length = kg__comparison_length(id) + 1;
    const char *other;
    json_t *unused;

    json_object_foreach ((json_t *)cases, other, unused) {
        if (strncmp(other, id, length) == 0)
            return true;
    }
    return false;
}

/* Lists cases of these comparisons that are in the baseline and in none of the files. */
static void find_vanished(judged_target *judged)
{
    const json_t *cases = json_object_get(judged->measured, "cases");

    for (size_t i = 0; judged->baseline != NULL && i < judged->baseline->case_count; i++) {
        const char *id = judged->baseline->cases[i].id;

        if (!has_comparison_of(cases, id) || !kg__filter_takes(id) ||
            json_object_get(cases, id) != NULL)
            continue;
        kg__pool_add_text(&judged->pool, &judged->verdicts->vanished, id);
        kg__complain("%s: in the baseline and in none of the files: measure it, or retire it with "
                     "kernelgate baseline retire",
                     id);
    }
}

/* Marks the target as skipped if no case has a baseline. */
static void note_no_baseline(judged_target *judged)
{
    kg__verdicts *verdicts = judged->verdicts;

    for (size_t i = 0; i < verdicts->case_count; i++) {
        if (verdicts->cases[i]->verdict != KG__NO_BASELINE)
            return;
    }
    if (verdicts->case_count == 0 || verdicts->errors.count > 0)
        return;
    verdicts->skipped =
        kg__pool_format(&judged->pool,
                        "%s has none of these cases: record them by the results of five imports, "
                        "with kernelgate baseline adopt",
                        judged->baseline_path);
    verdicts->skipped_by = KG__SKIP_NO_BASELINE;
}

/* The verdicts document of a target. */
static json_t *judge_target(judged_target *judged)
{
    json_t *measured;
    const char *id;

    judged->verdicts = kg__verdicts_make(&judged->pool, "");
    load_baseline(judged);
    judged->verdicts->test = kg__pool_format(&judged->pool, IMPORT_TEST "%s", judged->target.key);
    judged->verdicts->target = judged->target;
    judged->verdicts->provenance = json_object_get(judged->measured, "provenance");
    json_object_foreach (json_object_get(judged->measured, "cases"), id, measured)
        judge_case(judged, id, measured);
    find_vanished(judged);
    note_no_baseline(judged);
    return kg__verdicts_json(judged->verdicts);
}

json_t *kg__judge_measured(const kg__judged_file *file, kg__error *error)
{
    json_t *targets = json_object_get(file->document, "targets");
    json_t *verdicts;
    json_t *measured;
    const char *key;

    if (!check_form(file->path, targets, error) || !filter_cases(targets, error))
        return NULL;
    verdicts = json_array();
    json_object_foreach (targets, key, measured) {
        judged_target judged = { .baselines = file->baselines, .measured = measured };

        json_array_append_new(verdicts, judge_target(&judged));
        kg__pool_free(&judged.pool);
        kg__baseline_free(&judged.stored);
    }
    return json_pack("{s:o}", "verdicts", verdicts);
}
