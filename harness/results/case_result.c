/* SPDX-License-Identifier: MIT */
#include "results/case_result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"

static const kg__field pairs_fields[] = {
    KG__FIELD(kg__pairs_result, count, "count", COUNT),
    KG__FIELD(kg__pairs_result, change, "change", NUMBER),
    KG__FIELD(kg__pairs_result, low, "low", NUMBER),
    KG__FIELD(kg__pairs_result, high, "high", NUMBER),
    KG__FIELD(kg__pairs_result, p, "p", NUMBER),
    KG__FIELD(kg__pairs_result, base_ns, "base_ns", VALUE),
    KG__FIELD(kg__pairs_result, head_ns, "head_ns", VALUE),
    { 0 },
};
static const kg__field metric_fields[] = {
    KG__FIELD(kg__metric_result, baseline, "baseline", NUMBER),
    KG__FIELD(kg__metric_result, band, "band", NUMBER),
    KG__FIELD(kg__metric_result, change, "change", NUMBER),
    KG__FIELD(kg__metric_result, limit, "limit", NUMBER),
    KG__FIELD(kg__metric_result, smallest, "smallest", NUMBER),
    KG__FIELD(kg__metric_result, gated, "gated", ANSWER),
    KG__FIELD(kg__metric_result, tripped, "tripped", FLAG),
    KG__FIELD_OF(kg__metric_result, verdict, "verdict", kg__verdict_names),
    KG__FIELD(kg__metric_result, why, "why", STRING),
    { 0 },
};
static const kg__field failure_fields[] = {
    KG__FIELD(kg__case_result, failure, "kind", TEXT),
    KG__FIELD(kg__case_result, failure_symbol, "symbol", TEXT),
    { 0 },
};
static const kg__field place_fields[] = {
    KG__FIELD(kg__case_result, at_file, "file", TEXT),
    KG__FIELD(kg__case_result, at_line, "line", SMALL),
    { 0 },
};
static const kg__field base_fields[] = {
    KG__FIELD(kg__case_result, base_ref, "ref", TEXT),
    KG__FIELD(kg__case_result, base_commit, "commit", TEXT),
    { 0 },
};
static const kg__field imported_fields[] = {
    KG__FIELD(kg__case_result, imported.from, "from", TEXT),
    KG__FIELD(kg__case_result, imported.name, "name", TEXT),
    KG__FIELD(kg__case_result, imported.files, "files", TEXTS),
    KG__FIELD(kg__case_result, imported.target, "target", TEXT),
    { 0 },
};
static const kg__field head_fields[] = {
    KG__FIELD(kg__case_result, id, "case", TEXT),
    KG__FIELD(kg__case_result, target, "target", TEXT),
    KG__FIELD(kg__case_result, part, "part", TEXT),
    KG__FIELD(kg__case_result, seconds, "seconds", NUMBER),
    { 0 },
};
static const kg__field verdict_fields[] = {
    KG__FIELD_OF(kg__case_result, verdict, "verdict", kg__verdict_names),
    KG__FIELD(kg__case_result, why, "why", STRING),
    KG__FIELD(kg__case_result, moves, "moves", TEXT),
    KG__FIELD(kg__case_result, observers, "observers", SMALL),
    KG__FIELD(kg__case_result, smallest, "smallest", NUMBER),
    KG__FIELD(kg__case_result, also, "also", TEXT),
    KG__FIELD_GROUP("failure", failure_fields),
    KG__FIELD_GROUP(KG__AT, place_fields),
    KG__FIELD(kg__case_result, changed, "changed", TEXTS),
    KG__FIELD(kg__case_result, same_code, "same_code", TEXT),
    KG__FIELD(kg__case_result, lines_before, "lines_before", VALUE),
    KG__FIELD(kg__case_result, in_order, "in_order", FLAG),
    KG__FIELD(kg__case_result, suspect, "suspect", FLAG),
    KG__FIELD_GROUP("base", base_fields),
    KG__FIELD(kg__case_result, note, "note", TEXT),
    KG__FIELD_GROUP("imported", imported_fields),
    { 0 },
};

static kg__case_result *make_empty(kg__pool *pool)
{
    kg__case_result *result = kg__pool_array(pool, 1, sizeof *result);

    *result = (kg__case_result){
        .id = "",
        .target = "",
        .seconds = NAN,
        .verdict = KG__ERROR,
        .why = "",
        .smallest = NAN,
    };
    return result;
}

kg__case_result *kg__case_result_make(kg__pool *pool, const char *id, const char *target,
                                      const char *part, kg__verdict verdict, const char *why)
{
    kg__case_result *result = make_empty(pool);

    result->id = kg__pool_text(pool, id);
    result->target = kg__pool_text(pool, target);
    result->part = kg__pool_text(pool, part);
    result->verdict = verdict;
    result->why = kg__pool_text(pool, why);
    return result;
}

kg__metric_result *kg__case_result_add_metric(kg__pool *pool, kg__case_result *result,
                                              const char *name)
{
    kg__metric_result *metric;

    result->metrics =
        kg__pool_grow(pool, result->metrics, result->metric_count, sizeof *result->metrics);
    metric = &result->metrics[result->metric_count++];
    *metric = (kg__metric_result){
        .figures = { .name = name, .value = NAN, .low = NAN, .high = NAN, .clock = "" },
        .baseline = NAN,
        .band = NAN,
        .change = NAN,
        .limit = NAN,
        .smallest = NAN,
        .verdict = KG__VERDICTS,
    };
    return metric;
}

kg__metric_result *kg__case_result_metric(const kg__case_result *result, const char *name)
{
    for (size_t i = 0; result != NULL && i < result->metric_count; i++) {
        if (strcmp(result->metrics[i].figures.name, name) == 0)
            return &result->metrics[i];
    }
    return NULL;
}

bool kg__case_result_tripped(const kg__case_result *result)
{
    for (size_t i = 0; i < result->metric_count; i++) {
        if (result->metrics[i].tripped)
            return true;
    }
    return false;
}

static json_t *metric_json(const kg__metric_result *metric)
{
    json_t *object = kg__figures_json(&metric->figures);
    json_t *lists = json_array();

    kg__fields_write(object, metric_fields, metric);
    kg__json_set_count(object, "baseline", metric->figures.name, metric->baseline);
    for (size_t i = 0; i < metric->sample_count; i++)
        json_array_append_new(
            lists, kg__record_samples(metric->samples[i].items, metric->samples[i].count));
    if (metric->sample_count > 0)
        json_object_set(object, KG__SAMPLES_NS, lists);
    json_decref(lists);
    return object;
}

static void write_metrics(json_t *object, const kg__case_result *result)
{
    json_t *metrics = json_object();

    for (size_t i = 0; i < result->metric_count; i++)
        json_object_set_new(metrics, result->metrics[i].figures.name,
                            metric_json(&result->metrics[i]));
    json_object_set_new(object, "metrics", metrics);
}

kg__verdict kg__case_result_counts_as(const kg__case_result *result)
{
    bool doubtful = result->verdict == KG__ENVIRONMENT || result->verdict == KG__NOISY;

    return doubtful && result->same_code != NULL ? KG__UNCHANGED : result->verdict;
}

json_t *kg__case_result_pairs_json(const kg__case_result *result)
{
    json_t *pairs = json_object();

    for (size_t i = 0; i < result->metric_count; i++) {
        json_t *pair;

        if (result->metrics[i].pairs.count == 0)
            continue;
        pair = json_object();
        kg__fields_write(pair, pairs_fields, &result->metrics[i].pairs);
        json_object_set_new(pairs, result->metrics[i].figures.name, pair);
    }
    if (json_object_size(pairs) > 0)
        return pairs;
    json_decref(pairs);
    return NULL;
}

/* Writes what a suspect was observed once. */
static void write_first(json_t *object, const kg__case_result *result)
{
    json_t *first;

    if (result->first == NULL)
        return;
    first = json_object();
    json_object_set_new(first, "measured", kg__observation_json(result->first));
    if (result->first_sentinels != NULL)
        json_object_set_new(first, "sentinels", kg__observation_json(result->first_sentinels));
    json_object_set_new(object, "first", first);
}

json_t *kg__case_result_json(const kg__case_result *result)
{
    json_t *object = json_object();

    kg__fields_write(object, head_fields, result);
    write_metrics(object, result);
    kg__fields_write(object, verdict_fields, result);
    kg__findings_set(object, &result->findings);
    kg__json_set_object(object, "absent", kg__absences_json(result->absent, result->absent_count));
    if (result->lines != NULL && result->lines->count > 0)
        json_object_set_new(object, "lines", kg__lines_json(result->lines));
    if (result->sampled_of > 0)
        json_object_set_new(object, "sampled",
                            json_pack("{s:I, s:I}", "blocks", (json_int_t)result->sampled_blocks,
                                      "of", (json_int_t)result->sampled_of));
    if (result->work != NULL)
        json_object_set_new(object, "work", kg__work_json(result->work));
    if (result->kernel != NULL)
        kg__json_set_object(object, "kernel", kg__kernel_code_json(result->kernel));
    if (result->gpu_state != NULL)
        json_object_set_new(object, "gpu_state", kg__gpu_state_json(result->gpu_state));
    write_first(object, result);
    kg__json_set_object(object, "pairs", kg__case_result_pairs_json(result));
    return object;
}

/* A figure may be null, which says as much as that it is absent. */
static void drop_nulls(json_t *object)
{
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(object, next, key, value)
    {
        if (json_is_null(value))
            (void)json_object_del(object, key);
    }
}

static bool read_samples(kg__pool *pool, kg__metric_result *metric, const json_t *lists,
                         kg__error *error)
{
    static const char complaint[] = "samples_ns is not a list of numbers of each process";
    kg__sample_list *samples = kg__pool_array(pool, json_array_size(lists), sizeof *samples);

    if (lists != NULL && !json_is_array(lists))
        return kg__fail(error, "%s", complaint);
    metric->samples = samples;
    for (size_t i = 0; i < json_array_size(lists); i++) {
        kg__sample_list *list = &samples[metric->sample_count++];

        if (!kg__samples_read(pool, json_array_get(lists, i), &list->items, &list->count))
            return kg__fail(error, "%s", complaint);
    }
    return true;
}

static bool read_metrics(kg__pool *pool, kg__case_result *result, json_t *metrics, kg__error *error)
{
    const char *name;
    json_t *object;

    json_object_foreach (metrics, name, object) {
        kg__metric_result *metric = kg__case_result_add_metric(pool, result, name);
        kg__error fault = { "" };

        drop_nulls(object);
        if (!kg__figures_read(name, object, &metric->figures, error))
            return false;
        if (!kg__fields_read(object, metric_fields, metric, &fault) ||
            !read_samples(pool, metric, json_object_get(object, KG__SAMPLES_NS), &fault))
            return kg__fail(error, "%s: %s", name, fault.text);
    }
    return true;
}

static bool read_pairs(const kg__case_result *result, json_t *pairs, kg__error *error)
{
    const char *name;
    json_t *object;

    json_object_foreach (pairs, name, object) {
        kg__metric_result *metric = kg__case_result_metric(result, name);
        kg__error fault = { "" };

        if (metric != NULL && !kg__fields_read(object, pairs_fields, &metric->pairs, &fault))
            return kg__fail(error, "pairs: %s: %s", name, fault.text);
    }
    return true;
}

/* Reads what a case's job asks for, its kernel, and the state of the GPU meanwhile. */
static bool read_conditions(kg__pool *pool, kg__case_result *result, const json_t *object,
                            kg__error *error)
{
    const json_t *work_object = json_object_get(object, "work");
    const json_t *state_object = json_object_get(object, "gpu_state");
    const json_t *kernel = json_object_get(object, "kernel");
    const json_t *sampled = json_object_get(object, "sampled");
    kg__kernel_code *code = NULL;
    kg__work *work = NULL;
    kg__gpu_state *state = NULL;

    if (work_object != NULL)
        result->work = work = kg__pool_array(pool, 1, sizeof *work);
    if (kernel != NULL)
        result->kernel = code = kg__pool_array(pool, 1, sizeof *code);
    if (json_is_object(state_object))
        result->gpu_state = state = kg__pool_array(pool, 1, sizeof *state);
    result->sampled_blocks = (int64_t)kg__json_count(sampled, "blocks");
    result->sampled_of = (int64_t)kg__json_count(sampled, "of");
    return (work == NULL || kg__work_read(work_object, work, error)) &&
           (code == NULL || kg__kernel_code_read(pool, kernel, code, error)) &&
           (state == NULL || kg__gpu_state_read(state_object, state, error));
}

/* Reads a record of a suspect's one observation; NULL where it is absent, or with `error`. */
static const kg__observation *read_record(kg__pool *pool, json_t *record, kg__error *error)
{
    kg__observation *observation = record != NULL ? kg__observation_read(record, error) : NULL;
    const kg__observation *held;

    if (observation == NULL)
        return NULL;
    held = kg__observation_hold(pool, observation);
    kg__observation_release(observation);
    return held;
}

static bool read_first(kg__pool *pool, kg__case_result *result, const json_t *first,
                       kg__error *error)
{
    json_t *measured = json_object_get(first, "measured");
    kg__error fault = { "" };

    result->first = read_record(pool, measured, &fault);
    result->first_sentinels = read_record(pool, json_object_get(first, "sentinels"), NULL);
    return measured == NULL || result->first != NULL ||
           kg__fail(error, "first: measured: %s", fault.text);
}

/* Whether the members that are read one by one are objects, where the entry has them. */
static bool has_objects(const json_t *object, kg__error *error)
{
    static const char *const keys[] = { "metrics", "pairs",  "absent",    "lines", "sampled",
                                        "work",    "kernel", "gpu_state", "first" };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *member = json_object_get(object, keys[i]);

        if (member != NULL && !json_is_object(member))
            return kg__fail(error, "%s is not an object", keys[i]);
    }
    return true;
}

kg__case_result *kg__case_result_read(kg__pool *pool, json_t *object, kg__error *error)
{
    kg__case_result *result = make_empty(pool);

    return has_objects(object, error) &&
                   kg__fields_read_lists(object, head_fields, result, pool, error) &&
                   kg__fields_read_lists(object, verdict_fields, result, pool, error) &&
                   read_metrics(pool, result, json_object_get(object, "metrics"), error) &&
                   read_pairs(result, json_object_get(object, "pairs"), error) &&
                   kg__findings_read(object, pool, &result->findings, error) &&
                   kg__absences_read(pool, json_object_get(object, "absent"), &result->absent,
                                     &result->absent_count, error) &&
                   kg__lines_load(pool, json_object_get(object, "lines"), &result->lines, error) &&
                   read_conditions(pool, result, object, error) &&
                   read_first(pool, result, json_object_get(object, "first"), error)
               ? result
               : NULL;
}

void kg__import_origin_read(kg__pool *pool, const json_t *object, kg__import_origin *origin)
{
    kg__case_result result = { .imported = { 0 } };
    kg__error ignored;

    if (kg__fields_read_lists(object, imported_fields, &result, pool, &ignored))
        *origin = result.imported;
}
