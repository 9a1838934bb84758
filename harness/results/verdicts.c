/* SPDX-License-Identifier: MIT */
#include "results/verdicts.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "records/finding_text.h"
#include "results/failure_group.h"
#include "results/result_text.h"

const char *const kg__skip_names[KG__SKIPS + 1] = {
    [KG__NOT_SKIPPED] = "",
    [KG__SKIP_FILTER] = "filter",
    [KG__SKIP_EMPTY] = "empty",
    [KG__SKIP_UNAVAILABLE] = "unavailable",
    [KG__SKIP_NO_BASELINE] = "no-baseline",
    [KG__SKIP_UNCHANGED] = "unchanged",
    [KG__SKIP_GPU_ONLY] = "gpu-only",
};

static const kg__field claim_fields[] = {
    KG__FIELD(kg__claim, claim, "claim", TEXT),
    KG__FIELD(kg__claim, holds, "holds", BOOL),
    KG__FIELD(kg__claim, why, "why", STRING),
    KG__FIELD(kg__claim, reported_only, "reported_only", FLAG),
    { 0 },
};
static const kg__field refusal_fields[] = {
    KG__FIELD(kg__refusal, id, "case", TEXT),
    KG__FIELD(kg__refusal, why, "why", STRING),
    KG__FIELD(kg__refusal, gpu_only, "gpu_only", FLAG),
    { 0 },
};
static const kg__field verdicts_fields[] = {
    KG__FIELD(kg__verdicts, test, "test", TEXT),
    KG__FIELD(kg__verdicts, complete, "complete", BOOL),
    { .key = "target",
      .kind = KG__FIELD_PART,
      .offset = offsetof(kg__verdicts, target),
      .part = kg__target_fields },
    KG__FIELD(kg__verdicts, seconds, "seconds", NUMBER),
    KG__FIELD(kg__verdicts, errors, "errors", TEXTS),
    KG__FIELD(kg__verdicts, vanished, "vanished", TEXTS),
    KG__FIELD_ITEMS(kg__verdicts, refused, refused_count, "refused", kg__refusal, refusal_fields),
    KG__FIELD_ITEMS(kg__verdicts, claims, claim_count, "claims", kg__claim, claim_fields),
    KG__FIELD(kg__verdicts, notes, "notes", TEXTS),
    KG__FIELD(kg__verdicts, provenance, "provenance", OBJECT),
    KG__FIELD(kg__verdicts, board, "board", TEXT),
    KG__FIELD(kg__verdicts, skipped, "skipped", STRING),
    KG__FIELD_OF(kg__verdicts, skipped_by, "skipped_by", kg__skip_names),
    KG__FIELD(kg__verdicts, exit_code, "exit_code", FIGURE),
    { 0 },
};

static kg__verdicts *make_empty(kg__pool *pool)
{
    kg__verdicts *verdicts = kg__pool_array(pool, 1, sizeof *verdicts);

    *verdicts = (kg__verdicts){ .pool = pool, .test = "", .seconds = NAN, .exit_code = -1 };
    return verdicts;
}

/* An empty list is written too. */
static void begin_list(kg__pool *pool, kg__texts *list)
{
    list->items = kg__pool_array(pool, 0, sizeof(char *));
}

kg__verdicts *kg__verdicts_make(kg__pool *pool, const char *test)
{
    kg__verdicts *verdicts = make_empty(pool);

    verdicts->test = kg__pool_text(pool, test);
    verdicts->complete = true;
    verdicts->seconds = 0;
    begin_list(pool, &verdicts->errors);
    begin_list(pool, &verdicts->vanished);
    begin_list(pool, &verdicts->notes);
    verdicts->refused = kg__pool_array(pool, 0, sizeof *verdicts->refused);
    verdicts->claims = kg__pool_array(pool, 0, sizeof *verdicts->claims);
    return verdicts;
}

void kg__verdicts_add_refusal(kg__verdicts *verdicts, const kg__refusal *refusal)
{
    kg__pool *pool = verdicts->pool;

    verdicts->refused =
        kg__pool_grow(pool, verdicts->refused, verdicts->refused_count, sizeof(kg__refusal));
    verdicts->refused[verdicts->refused_count++] =
        (kg__refusal){ kg__pool_text(pool, refusal->id), kg__pool_text(pool, refusal->why),
                       refusal->gpu_only };
}

void kg__verdicts_add_claim(kg__verdicts *verdicts, const kg__claim *claim)
{
    kg__pool *pool = verdicts->pool;

    verdicts->claims =
        kg__pool_grow(pool, verdicts->claims, verdicts->claim_count, sizeof(kg__claim));
    verdicts->claims[verdicts->claim_count++] =
        (kg__claim){ kg__pool_text(pool, claim->claim), claim->holds,
                     kg__pool_text(pool, claim->why), claim->reported_only };
}

void kg__verdicts_add_case(kg__verdicts *verdicts, kg__case_result *result)
{
    verdicts->cases = kg__pool_grow(verdicts->pool, verdicts->cases, verdicts->case_count,
                                    sizeof(kg__case_result *));
    verdicts->cases[verdicts->case_count++] = result;
}

/* Sets a member to a text on the heap, which is freed; NULL sets nothing. */
static void set_text(json_t *object, const char *key, char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, kg__json_clean_string(text));
    free(text);
}

/* A result as JSON, with the words that the results of a run show of one that did not pass. */
static json_t *case_json(const kg__case_result *result)
{
    json_t *object = kg__case_result_json(result);
    json_t *findings = json_object_get(object, "findings");

    if (result->verdict == KG__PASS)
        return object;
    set_text(object, "reason", kg__case_result_reason(result));
    set_text(object, "group", kg__failure_group_key(result));
    for (size_t i = 0; i < result->findings.count; i++) {
        char text[KG__MESSAGE_SIZE];

        kg__finding_text(&result->findings.list[i], text, sizeof text);
        json_object_set_new(json_array_get(findings, i), "text", kg__json_clean_string(text));
    }
    return object;
}

json_t *kg__verdicts_json(const kg__verdicts *verdicts)
{
    json_t *document = json_pack("{s:s}", "schema", KG__VERDICTS_SCHEMA);
    json_t *cases = json_array();

    kg__fields_write(document, verdicts_fields, verdicts);
    for (size_t i = 0; i < verdicts->case_count; i++)
        json_array_append_new(cases, case_json(verdicts->cases[i]));
    json_object_set_new(document, "cases", cases);
    return document;
}

bool kg__verdicts_save(const kg__verdicts *verdicts, const char *path, kg__error *error)
{
    json_t *document = kg__verdicts_json(verdicts);
    char *copy = kg__copy_text(path);
    bool written =
        kg__file_make_folder(dirname(copy), error) && kg__json_save(path, document, 1, error);

    free(copy);
    json_decref(document);
    return written;
}

/* Whether a member is of a type, where the document has it. */
static bool has_type(const json_t *document, const char *key, json_type type, kg__error *error)
{
    const json_t *member = json_object_get(document, key);

    return member == NULL || json_typeof(member) == type ||
           kg__fail(error, "%s is not %s", key, type == JSON_ARRAY ? "a list" : "an object");
}

static kg__verdicts *read_document(kg__pool *pool, json_t *document, kg__error *error)
{
    kg__verdicts *verdicts = make_empty(pool);
    json_t *entry;
    size_t i;

    kg__json_keep(pool, json_incref(document));
    if (!kg__fields_read_lists(document, verdicts_fields, verdicts, pool, error) ||
        !has_type(document, "provenance", JSON_OBJECT, error) ||
        !has_type(document, "cases", JSON_ARRAY, error))
        return NULL;
    json_array_foreach (json_object_get(document, "cases"), i, entry) {
        kg__error fault = { "" };
        kg__case_result *result = kg__case_result_read(pool, entry, &fault);

        if (result == NULL) {
            kg__fail(error, "cases[%zu]: %s", i, fault.text);
            return NULL;
        }
        kg__verdicts_add_case(verdicts, result);
    }
    return verdicts;
}

kg__verdicts *kg__verdicts_load(kg__pool *pool, const char *path, kg__error *error)
{
    static const char remedy[] = "run the test again";
    json_t *document = kg__json_load(path, remedy, error);
    const char *schema = kg__json_text(document, "schema");
    kg__verdicts *verdicts = NULL;
    kg__error fault = { "" };

    if (document != NULL && !json_is_object(document))
        kg__fail(error, "%s: is not a JSON object: %s", path, remedy);
    else if (document != NULL && strcmp(schema, KG__VERDICTS_SCHEMA) != 0)
        kg__fail(error,
                 "%s: its schema is \"%s\", not \"" KG__VERDICTS_SCHEMA
                 "\": it was written by another version; %s",
                 path, schema, remedy);
    else if (document != NULL) {
        verdicts = read_document(pool, document, &fault);
        if (verdicts == NULL)
            kg__fail(error, "%s: %s: %s", path, fault.text, remedy);
    }
    json_decref(document);
    return verdicts;
}

kg__case_result *kg__verdicts_find(const kg__verdicts *verdicts, const char *id)
{
    for (size_t i = 0; verdicts != NULL && i < verdicts->case_count; i++) {
        if (strcmp(verdicts->cases[i]->id, id) == 0)
            return verdicts->cases[i];
    }
    return NULL;
}

bool kg__case_failed_check(const kg__verdicts *checks, const char *id)
{
    const kg__case_result *result = kg__verdicts_find(checks, id);

    return result != NULL && result->verdict >= KG__WRONG;
}

static bool is_silent(const kg__verdicts *verdicts)
{
    return verdicts->complete && verdicts->case_count == 0 && verdicts->claim_count == 0 &&
           verdicts->refused_count == 0 && verdicts->vanished.count == 0 &&
           verdicts->errors.count == 0;
}

void kg__verdicts_tally(const kg__verdicts *verdicts, kg__tally *tally)
{
    bool had_no_case =
        verdicts->skipped_by == KG__SKIP_FILTER || verdicts->skipped_by == KG__SKIP_EMPTY ||
        verdicts->skipped_by == KG__SKIP_UNCHANGED || verdicts->skipped_by == KG__SKIP_GPU_ONLY;

    for (size_t i = 0; i < verdicts->case_count; i++)
        tally->verdicts[kg__case_result_counts_as(verdicts->cases[i])]++;
    for (size_t i = 0; i < verdicts->claim_count; i++)
        tally->failed_claims += !verdicts->claims[i].holds && !verdicts->claims[i].reported_only;
    tally->vanished += verdicts->vanished.count;
    tally->broken += verdicts->errors.count + !verdicts->complete;
    if (verdicts->skipped == NULL)
        tally->broken += is_silent(verdicts);
    else if (had_no_case)
        tally->filtered_out++;
    else
        tally->unavailable++;
}
