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

kg__verdict kg__case_result_counts_as(const kg__case_result *result)
{
    bool doubtful = result->verdict == KG__ENVIRONMENT || result->verdict == KG__NOISY;

    return doubtful && result->same_code != NULL ? KG__UNCHANGED : result->verdict;
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

/* The functions of rows have the whole result, or a record of it. */
static json_t *make_metrics(const void *from)
{
    const kg__case_result *result = from;
    json_t *metrics = json_object();

    for (size_t i = 0; i < result->metric_count; i++)
        json_object_set_new(metrics, result->metrics[i].figures.name,
                            metric_json(&result->metrics[i]));
    return metrics;
}

static const char *read_metrics(json_t *metrics, void *to, kg__pool *pool, kg__error *error)
{
    const char *name;
    json_t *object;

    if (!json_is_object(metrics))
        return "an object";
    json_object_foreach (metrics, name, object) {
        kg__metric_result *metric = kg__case_result_add_metric(pool, to, name);
        kg__error fault = { "" };

        if (!kg__figures_read(name, object, &metric->figures, error))
            return "";
        if (!kg__fields_read(object, metric_fields, metric, &fault) ||
            !read_samples(pool, metric, json_object_get(object, KG__SAMPLES_NS), &fault)) {
            (void)kg__fail(error, "%s: %s", name, fault.text);
            return "";
        }
    }
    return NULL;
}

static json_t *make_pairs(const void *from)
{
    const kg__case_result *result = from;
    json_t *pairs = json_object();

    for (size_t i = 0; i < result->metric_count; i++) {
        if (result->metrics[i].pairs.count > 0)
            json_object_set_new(pairs, result->metrics[i].figures.name,
                                kg__fields_json(pairs_fields, &result->metrics[i].pairs));
    }
    if (json_object_size(pairs) > 0)
        return pairs;
    json_decref(pairs);
    return NULL;
}

json_t *kg__case_result_pairs_json(const kg__case_result *result)
{
    return make_pairs(result);
}

static const char *read_pairs(json_t *pairs, void *to, kg__pool *pool, kg__error *error)
{
    const char *name;
    json_t *object;

    (void)pool;
    if (!json_is_object(pairs))
        return "an object";
    json_object_foreach (pairs, name, object) {
        kg__metric_result *metric = kg__case_result_metric(to, name);
        kg__error fault = { "" };

        if (metric != NULL && !kg__fields_read(object, pairs_fields, &metric->pairs, &fault)) {
            (void)kg__fail(error, "%s: %s", name, fault.text);
            return "";
        }
    }
    return NULL;
}

static json_t *make_record(const void *held)
{
    const kg__observation *observation = *(const kg__observation *const *)held;

    return observation != NULL ? kg__observation_json(observation) : NULL;
}

static const char *read_record(json_t *record, void *to, kg__pool *pool, kg__error *error)
{
    const kg__observation *read = kg__observation_load(pool, record, error);

    *(const kg__observation **)to = read;
    return read != NULL ? NULL : "";
}

static const kg__field sampled_fields[] = {
    KG__FIELD(kg__case_result, sampled_blocks, "blocks", COUNT),
    KG__FIELD(kg__case_result, sampled_of, "of", COUNT),
    { 0 },
};
static const kg__field first_fields[] = {
    KG__FIELD_BY(kg__case_result, first, "measured", make_record, read_record),
    KG__FIELD_BY(kg__case_result, first_sentinels, "sentinels", make_record, read_record),
    { 0 },
};
static const kg__field result_fields[] = {
    KG__FIELD(kg__case_result, id, "case", TEXT),
    KG__FIELD(kg__case_result, target, "target", TEXT),
    KG__FIELD(kg__case_result, part, "part", TEXT),
    KG__FIELD(kg__case_result, seconds, "seconds", NUMBER),
    { .key = "metrics", .kind = KG__FIELD_OTHER, .make = make_metrics, .read = read_metrics },
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
    KG__FIELD_ABSENCES(kg__case_result, absent),
    KG__FIELD_LINES(kg__case_result, lines),
    KG__FIELD_GROUP("sampled", sampled_fields),
    KG__FIELD_STRUCT(kg__case_result, work, "work", kg__work_fields, NULL),
    KG__FIELD_STRUCT(kg__case_result, kernel, "kernel", kg__kernel_code_fields,
                     &kg__kernel_code_unknown),
    KG__FIELD_STRUCT(kg__case_result, gpu_state, "gpu_state", kg__gpu_state_fields,
                     &kg__gpu_state_unknown),
    KG__FIELD_GROUP("first", first_fields),
    { .key = "pairs", .kind = KG__FIELD_OTHER, .make = make_pairs, .read = read_pairs },
    { 0 },
};

json_t *kg__case_result_json(const kg__case_result *result)
{
    json_t *object = kg__fields_json(result_fields, result);

    kg__findings_set(object, &result->findings);
    return object;
}

kg__case_result *kg__case_result_read(kg__pool *pool, json_t *object, kg__error *error)
{
    kg__case_result *result = make_empty(pool);

    return kg__fields_read_lists(object, result_fields, result, pool, error) &&
                   kg__findings_read(object, pool, &result->findings, error)
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
