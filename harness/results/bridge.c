#include "results/bridge.h"

#include <string.h>

#include "base/json.h"
#include "results/count_result.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_text.h"
#include "results/time_result.h"

bool kg__is_counted_json(const json_t *entry)
{
    return json_object_get(json_object_get(entry, "metrics"),
                           kg__counter_name(KG__GLOBAL_LOAD_REQUESTS)) != NULL;
}

void kg__counted_moves_json(const json_t *entry, char *text, size_t size)
{
    kg__counted_moves(&(kg__case_result){ .why = kg__json_text(entry, "why") }, text, size);
}

void kg__time_result_line_json(const json_t *entry, char *text, size_t size)
{
    kg__pool pool = { 0 };
    json_t *copy = json_deep_copy(entry);

    kg__time_result_line(kg__case_result_read(&pool, copy, NULL), NULL, text, size);
    kg__pool_free(&pool);
    json_decref(copy);
}

char *kg__case_result_reason(const kg__case_result *result)
{
    json_t *entry = kg__case_result_json(result);
    char *reason = kg__results_reason(entry);

    json_decref(entry);
    return reason;
}

char *kg__case_result_group_key(const kg__case_result *result)
{
    json_t *entry = kg__case_result_json(result);
    char *key = kg__failure_group_key(entry);

    json_decref(entry);
    return key;
}

json_t *kg__plain_result_json(const char *id, const kg__target *target, const char *part,
                              kg__verdict verdict, const char *why)
{
    kg__pool pool = { 0 };
    json_t *entry =
        kg__case_result_json(kg__case_result_make(&pool, id, target->key, part, verdict, why));

    kg__pool_free(&pool);
    return entry;
}

void kg__verdicts_tally_cases(const kg__verdicts *verdicts, kg__tally *tally)
{
    json_t *document = kg__verdicts_json(verdicts);

    kg__verdicts_tally(document, tally);
    json_decref(document);
}

const json_t *kg__find_entry(const json_t *verdicts, const char *id)
{
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}
