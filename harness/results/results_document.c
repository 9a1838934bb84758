/* results.json: the results of a run as JSON, and back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "results/results.h"
#include "results/results_files.h"
#include "results/results_form.h"

static const kg__field base_fields[] = {
    KG__FIELD(kg__results, base_ref, "ref", TEXT),
    KG__FIELD(kg__results, base_commit, "commit", TEXT),
    { 0 },
};
static const kg__field test_fields[] = {
    KG__FIELD(kg__test_result, name, "name", STRING),
    KG__FIELD(kg__test_result, target, "target", STRING),
    KG__FIELD(kg__test_result, seconds, "seconds", NUMBER),
    KG__FIELD(kg__test_result, complete, "complete", BOOL),
    KG__FIELD(kg__test_result, exit_code, "exit_code", FIGURE),
    KG__FIELD(kg__test_result, program_exit_code, "program_exit_code", FIGURE),
    KG__FIELD(kg__test_result, board, "board", TEXT),
    KG__FIELD(kg__test_result, skipped, "skipped", STRING),
    KG__FIELD_OF(kg__test_result, skipped_by, "skipped_by", kg__skip_names),
    { 0 },
};
static const kg__field claim_fields[] = {
    KG__FIELD(kg__remark, subject, "claim", STRING),
    KG__FIELD(kg__remark, target, "target", STRING),
    KG__FIELD(kg__remark, test, "test", STRING),
    KG__FIELD(kg__remark, holds, "holds", BOOL),
    KG__FIELD(kg__remark, why, "why", STRING),
    KG__FIELD(kg__remark, reproduce, "reproduce", TEXT),
    { 0 },
};
static const kg__field case_fields[] = {
    KG__FIELD(kg__remark, subject, "case", STRING),
    KG__FIELD(kg__remark, target, "target", STRING),
    KG__FIELD(kg__remark, test, "test", STRING),
    KG__FIELD(kg__remark, why, "why", STRING),
    { 0 },
};
static const kg__field note_fields[] = {
    KG__FIELD(kg__remark, subject, "note", STRING),
    KG__FIELD(kg__remark, target, "target", STRING),
    KG__FIELD(kg__remark, test, "test", STRING),
    { 0 },
};
static const kg__field error_fields[] = {
    KG__FIELD(kg__remark, test, "test", TEXT),
    KG__FIELD(kg__remark, why, "why", STRING),
    KG__FIELD(kg__remark, reproduce, "reproduce", TEXT),
    { 0 },
};
static const kg__field covered_tests_fields[] = {
    KG__FIELD(kg__coverage, expected_tests, "expected", FIGURE),
    KG__FIELD(kg__coverage, reported_tests, "reported", FIGURE),
    { 0 },
};
static const kg__field covered_cases_fields[] = {
    KG__FIELD(kg__coverage, expected_cases, "expected", FIGURE),
    KG__FIELD(kg__coverage, reported_cases, "reported", FIGURE),
    { 0 },
};
static const kg__field coverage_fields[] = {
    KG__FIELD_GROUP("tests", covered_tests_fields),
    KG__FIELD_GROUP("cases", covered_cases_fields),
    KG__FIELD(kg__coverage, filter, "filter", STRING),
    KG__FIELD(kg__coverage, partial, "partial", FLAG),
    { 0 },
};
static const kg__field changed_file_fields[] = {
    KG__FIELD(kg__changed_file, target, "target", STRING),
    KG__FIELD(kg__changed_file, state, "state", STRING),
    KG__FIELD(kg__changed_file, loosened[KG__NO_LONGER_GATED], "no_longer_gated", FIGURE),
    KG__FIELD(kg__changed_file, loosened[KG__RETIRED], "retired", FIGURE),
    KG__FIELD(kg__changed_file, loosened[KG__WIDENED], "widened", FIGURE),
    KG__FIELD(kg__changed_file, loosened[KG__RAISED], "slower", FIGURE),
    KG__FIELD(kg__changed_file, added, "new", FIGURE),
    KG__FIELD(kg__changed_file, sentinels_moved, "sentinels_moved", FIGURE),
    KG__FIELD(kg__changed_file, why, "why", TEXT),
    { 0 },
};
static const kg__field loosened_fields[] = {
    KG__FIELD(kg__loosened, target, "target", STRING),
    KG__FIELD(kg__loosened, case_id, "case", STRING),
    KG__FIELD(kg__loosened, metric, "metric", TEXT),
    KG__FIELD_OF(kg__loosened, kind, "kind", kg__loosening_names),
    KG__FIELD(kg__loosened, before, "before", AMOUNT),
    KG__FIELD(kg__loosened, after, "after", AMOUNT),
    { 0 },
};
static const kg__field baselines_fields[] = {
    KG__FIELD(kg__baseline_changes, not_gated, "not_gated", FIGURE),
    KG__FIELD(kg__baseline_changes, wide_limits, "limits_above_10_percent", FIGURE),
    KG__FIELD_ITEMS(kg__baseline_changes, files, file_count, "files", kg__changed_file,
                    changed_file_fields),
    KG__FIELD_ITEMS(kg__baseline_changes, loosened, loosened_count, "loosened", kg__loosened,
                    loosened_fields),
    KG__FIELD(kg__baseline_changes, since, "since", TEXT),
    KG__FIELD(kg__baseline_changes, commit, "commit", TEXT),
    { 0 },
};
static const kg__field summary_fields[] = {
    KG__FIELD(kg__summary, outcome, "outcome", TEXT),
    KG__FIELD(kg__summary, headline, "headline", TEXT),
    KG__FIELD(kg__summary, verdict, "verdict", TEXT),
    KG__FIELD(kg__summary, unlisted, "unlisted", TEXT),
    KG__FIELD(kg__summary, baselines, "baselines", TEXT),
    KG__FIELD(kg__summary, loosened, "loosened", TEXTS),
    { 0 },
};
static const kg__field head_fields[] = {
    KG__FIELD(kg__results, out, "out", STRING),
    KG__FIELD(kg__results, strict, "strict", BOOL),
    { 0 },
};

/* The lists of remarks, and what is written of each. */
static const struct {
    const char *key;
    size_t offset;
    const kg__field *fields;
} remark_lists[] = {
    { "claims", offsetof(kg__results, claims), claim_fields },
    { "refused", offsetof(kg__results, refused), case_fields },
    { "vanished", offsetof(kg__results, vanished), case_fields },
    { "unlisted", offsetof(kg__results, unlisted), case_fields },
    { "errors", offsetof(kg__results, errors), error_fields },
    { "speedups", offsetof(kg__results, speedups), note_fields },
    { "notes", offsetof(kg__results, notes), note_fields },
};
#define REMARK_LISTS (sizeof remark_lists / sizeof *remark_lists)

/* What a tally counts next to the verdicts. */
static const struct {
    const char *key;
    size_t offset;
} counts[] = {
    { "vanished", offsetof(kg__tally, vanished) },
    { "unlisted", offsetof(kg__tally, unlisted) },
    { "failed_claims", offsetof(kg__tally, failed_claims) },
    { "filtered_out", offsetof(kg__tally, filtered_out) },
    { "unavailable", offsetof(kg__tally, unavailable) },
    { "broken", offsetof(kg__tally, broken) },
};

static json_t *tally_json(const kg__tally *tally)
{
    json_t *object = json_object();

    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        json_object_set_new(object, kg__verdict_name((kg__verdict)verdict),
                            json_integer((json_int_t)tally->verdicts[verdict]));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t *count = (const void *)((const char *)tally + counts[i].offset);

        json_object_set_new(object, counts[i].key, json_integer((json_int_t)*count));
    }
    return object;
}

static void read_tally(const json_t *object, kg__tally *tally)
{
    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        tally->verdicts[verdict] = kg__json_count(object, kg__verdict_name((kg__verdict)verdict));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *(size_t *)(void *)((char *)tally + counts[i].offset) =
            kg__json_count(object, counts[i].key);
}

static json_t *items_json(const void *items, size_t count, size_t size, const kg__field *fields)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();

        kg__fields_write(object, fields, (const char *)items + i * size);
        json_array_append_new(list, object);
    }
    return list;
}

/* Reads a list into an array of the pool. False with `error`, "tests[0]: name is not a text". */
static bool read_items(kg__pool *pool, const json_t *document, const char *key, size_t size,
                       const kg__field *fields, void *items, kg__error *error)
{
    const json_t *list = json_object_get(document, key);
    const json_t *object;
    size_t i;

    json_array_foreach (list, i, object) {
        kg__error fault = { "" };

        if (!kg__fields_read_lists(object, fields, (char *)items + i * size, pool, &fault))
            return kg__fail(error, "%s[%zu]: %s", key, i, fault.text);
    }
    return true;
}

static void write_targets(json_t *document, const kg__results *results)
{
    json_t *targets = json_object();
    json_t *provenance = json_object();
    json_t *boards = json_object();

    for (size_t i = 0; i < results->target_count; i++) {
        const kg__run_target *target = &results->targets[i];

        if (target->target.key[0] != '\0')
            json_object_set_new(targets, target->key, kg__target_json(&target->target));
        if (target->provenance != NULL)
            json_object_set(provenance, target->key, target->provenance);
    }
    for (size_t i = 0; i < results->board_count; i++) {
        const kg__run_board *board = &results->boards[i];
        json_t *object = json_pack("{s:s}", "target", board->target);

        if (board->provenance != NULL)
            json_object_set(object, "provenance", board->provenance);
        json_object_set_new(boards, board->uuid, object);
    }
    json_object_set_new(document, "targets", targets);
    json_object_set_new(document, "provenance", provenance);
    json_object_set_new(document, "boards", boards);
}

static void read_targets(kg__results *results, json_t *document)
{
    const char *key;
    json_t *value;

    json_object_foreach (json_object_get(document, "targets"), key, value)
        (void)kg__target_read(value, &kg__results_target(results, key)->target, NULL);
    json_object_foreach (json_object_get(document, "provenance"), key, value)
        kg__results_target(results, key)->provenance = value;
    json_object_foreach (json_object_get(document, "boards"), key, value) {
        results->boards = kg__pool_grow(results->pool, results->boards, results->board_count,
                                        sizeof *results->boards);
        results->boards[results->board_count++] =
            (kg__run_board){ key, kg__json_text(value, "target"),
                             json_object_get(value, "provenance") };
    }
}

/* The groups of several cases, of which the first one speaks for the others. */
static json_t *groups_json(const kg__failure_groups *groups)
{
    json_t *list = json_array();

    for (size_t i = 0; i < groups->count; i++) {
        const kg__failure_group *group = &groups->items[i];
        json_t *ids = json_array();

        for (size_t j = 0; j < group->count; j++)
            json_array_append_new(ids, json_string(group->cases[j]->id));
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "target", group->cases[0]->target,
                                              "verdict", kg__verdict_name(group->cases[0]->verdict),
                                              "cases", ids));
    }
    return list;
}

static void write_origin(json_t *document, const kg__results *results)
{
    const struct {
        const char *key;
        const char *text;
    } texts[] = { { "build", results->build }, { "commit", results->commit } };
    json_t *base = json_object();

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].text != NULL)
            json_object_set_new(document, texts[i].key, kg__json_clean_string(texts[i].text));
    }
    kg__fields_write(base, base_fields, results);
    if (results->base_ref != NULL)
        json_object_set(document, "base", base);
    json_decref(base);
}

/* Sets an object of its own, by a table. */
static void write_part(json_t *document, const char *key, const kg__field *fields, const void *from)
{
    json_t *object = json_object();

    kg__fields_write(object, fields, from);
    json_object_set_new(document, key, object);
}

/* As write_part(), with the lists that the schema wants, empty or not. */
static void write_baselines(json_t *document, const kg__baseline_changes *changes)
{
    write_part(document, "baselines", baselines_fields, changes);
    if (changes->files == NULL)
        json_object_set_new(json_object_get(document, "baselines"), "files", json_array());
    if (changes->loosened == NULL)
        json_object_set_new(json_object_get(document, "baselines"), "loosened", json_array());
}

json_t *kg__results_json(const kg__results *results)
{
    json_t *document = json_pack("{s:s}", "schema", KG__RESULTS_SCHEMA);
    json_t *cases = json_array();

    kg__fields_write(document, head_fields, results);
    write_targets(document, results);
    for (size_t i = 0; i < results->case_count; i++)
        json_array_append_new(cases, kg__case_result_json(results->cases[i]));
    json_object_set_new(document, "cases", cases);
    json_object_set_new(
        document, "tests",
        items_json(results->tests, results->test_count, sizeof *results->tests, test_fields));
    for (size_t i = 0; i < REMARK_LISTS; i++) {
        const kg__remarks *list = (const void *)((const char *)results + remark_lists[i].offset);

        json_object_set_new(
            document, remark_lists[i].key,
            items_json(list->items, list->count, sizeof *list->items, remark_lists[i].fields));
    }
    if (results->coverage.is_known)
        write_part(document, "coverage", coverage_fields, &results->coverage);
    json_object_set_new(document, "tally", tally_json(&results->tally));
    json_object_set_new(document, "exit_code", json_integer(results->exit_code));
    write_origin(document, results);
    if (results->has_baselines)
        write_baselines(document, &results->baselines);
    if (results->summary.outcome != NULL)
        write_part(document, "summary", summary_fields, &results->summary);
    json_object_set_new(document, "failure_groups", groups_json(&results->groups));
    return document;
}

static bool read_cases(kg__results *results, const json_t *document, kg__error *error)
{
    const json_t *list = json_object_get(document, "cases");
    json_t *object;
    size_t i;

    results->cases =
        kg__pool_array(results->pool, json_array_size(list), sizeof(kg__case_result *));
    json_array_foreach (list, i, object) {
        kg__error fault = { "" };

        results->cases[i] = kg__case_result_read(results->pool, object, &fault);
        if (results->cases[i] == NULL)
            return kg__fail(error, "cases[%zu]: %s", i, fault.text);
        results->case_count++;
    }
    return true;
}

static bool read_lists(kg__results *results, const json_t *document, kg__error *error)
{
    size_t count = json_array_size(json_object_get(document, "tests"));

    results->test_count = count;
    results->tests = kg__pool_array(results->pool, count, sizeof *results->tests);
    for (size_t i = 0; i < count; i++)
        results->tests[i] = (kg__test_result){ .name = "", .target = "", .program_exit_code = -1 };
    if (!read_items(results->pool, document, "tests", sizeof *results->tests, test_fields,
                    results->tests, error))
        return false;
    for (size_t i = 0; i < REMARK_LISTS; i++) {
        kg__remarks *list = (void *)((char *)results + remark_lists[i].offset);

        list->count = json_array_size(json_object_get(document, remark_lists[i].key));
        list->items = kg__pool_array(results->pool, list->count, sizeof *list->items);
        for (size_t j = 0; j < list->count; j++)
            list->items[j] = (kg__remark){ .subject = "", .target = "" };
        if (!read_items(results->pool, document, remark_lists[i].key, sizeof *list->items,
                        remark_lists[i].fields, list->items, error))
            return false;
    }
    return true;
}

static bool read_baselines(kg__results *results, const json_t *object, kg__error *error)
{
    results->has_baselines = object != NULL;
    return object == NULL || kg__fields_read_lists(object, baselines_fields, &results->baselines,
                                                   results->pool, error);
}

static bool read_coverage(kg__results *results, const json_t *object, kg__error *error)
{
    results->coverage.is_known = object != NULL;
    return object == NULL || kg__fields_read(object, coverage_fields, &results->coverage, error);
}

kg__results *kg__results_read(kg__pool *pool, json_t *document, kg__error *error)
{
    kg__results *results = kg__results_make(pool);
    const json_t *code = json_object_get(document, "exit_code");
    const json_t *base = json_object_get(document, "base");

    kg__json_keep(pool, json_incref(document));
    read_targets(results, document);
    read_tally(json_object_get(document, "tally"), &results->tally);
    results->exit_code =
        json_is_integer(code) ? json_integer_value(code) : (json_int_t)json_number_value(code);
    results->build = json_string_value(json_object_get(document, "build"));
    results->commit = json_string_value(json_object_get(document, "commit"));
    return kg__fields_read(document, head_fields, results, error) &&
                   (base == NULL || kg__fields_read(base, base_fields, results, error)) &&
                   read_cases(results, document, error) && read_lists(results, document, error) &&
                   read_baselines(results, json_object_get(document, "baselines"), error) &&
                   read_coverage(results, json_object_get(document, "coverage"), error)
               ? results
               : NULL;
}

bool kg__results_read_baselines(kg__results *results, const char *text)
{
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    kg__error ignored;
    bool read = kg__fields_read_lists(document, baselines_fields, &results->baselines,
                                      results->pool, &ignored);

    if (document != NULL)
        kg__json_keep(results->pool, document);
    for (size_t i = 0; i < results->baselines.file_count; i++)
        read = read && results->baselines.files[i].target != NULL &&
               results->baselines.files[i].state != NULL;
    for (size_t i = 0; i < results->baselines.loosened_count; i++)
        read = read && results->baselines.loosened[i].target != NULL &&
               results->baselines.loosened[i].case_id != NULL;
    return read;
}

kg__results *kg__results_load(kg__pool *pool, const char *path, kg__error *error)
{
    static const char remedy[] = "run ctest, which writes it, or name another results file";
    json_t *document =
        kg__document_load_as(path, remedy, KG__RESULTS_SCHEMA, kg__results_have_form, error);
    kg__error fault = { "" };
    kg__results *results = document != NULL ? kg__results_read(pool, document, &fault) : NULL;

    if (document != NULL && results == NULL)
        kg__fail(error, "%s: %s: %s", path, fault.text, remedy);
    json_decref(document);
    return results;
}

bool kg__results_save(const kg__results *results, const char *path, kg__error *error)
{
    json_t *document = kg__results_json(results);
    bool saved = kg__results_write_json(path, document, 1, error);

    json_decref(document);
    return saved;
}

bool kg__results_print(const kg__results *results)
{
    return kg__json_print(kg__results_json(results), JSON_INDENT(1), "results");
}

double kg__results_figure(const kg__results *results, const char *target, const char *name)
{
    for (size_t i = 0; i < results->target_count; i++) {
        if (strcmp(results->targets[i].key, target) == 0)
            return kg__json_number(results->targets[i].provenance, name);
    }
    return NAN;
}
