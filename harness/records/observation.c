/* SPDX-License-Identifier: MIT */
#include "records/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static const char *const events[KG__EVENTS] = {
    [KG__EVENT_OTHER] = "",
    [KG__EVENT_TARGET] = "target",
    [KG__EVENT_UNAVAILABLE] = "unavailable",
    [KG__EVENT_BROKEN] = "broken",
    [KG__EVENT_WAITING] = "waiting",
    [KG__EVENT_ALIVE] = "alive",
    [KG__EVENT_START] = "start",
    [KG__EVENT_CHECKED] = "checked",
    [KG__EVENT_MEASURED] = "measured",
    [KG__EVENT_LAUNCHED] = "launched",
    [KG__EVENT_IDENTIFIED] = "identified",
    [KG__EVENT_REFUSED] = "refused",
    [KG__EVENT_SKIPPED] = "skipped",
    [KG__EVENT_PROGRESS] = "progress",
    [KG__EVENT_FAILED] = "failed",
    [KG__EVENT_HUNG] = "hung",
    [KG__EVENT_SENTINELS] = "sentinels",
    [KG__EVENT_DONE] = "done",
    [KG__EVENT_OBJECTION] = "objection",
};

/* The sentinels, followed by the empty kernel. */
#define SENTINELS (KG__SENTINELS + 1)

static kg__sentinel_kind kind_of(size_t i)
{
    return i < KG__SENTINELS ? kg__sentinel_kinds[i] : (kg__sentinel_kind){ .name = "empty" };
}

/* An observation that was read, with everything it points to. */
typedef struct read_observation {
    kg__observation observation; /* must be the first member */
    size_t users;
    kg__findings findings;
    kg__pool pool;
} read_observation;

const kg__figures *kg__figures_of(const kg__observation *observation, const char *name)
{
    for (size_t i = 0; i < observation->metric_count; i++) {
        if (strcmp(observation->metrics[i].name, name) == 0)
            return &observation->metrics[i];
    }
    return NULL;
}

double kg__value_of(const kg__observation *observation, const char *name)
{
    const kg__figures *figures = kg__figures_of(observation, name);

    return figures != NULL ? figures->value : NAN;
}

const char *kg__absence_of(const kg__observation *observation, const char *metric)
{
    for (size_t i = 0; i < observation->absent.count; i++) {
        if (strcmp(observation->absent.list[i].metric, metric) == 0)
            return observation->absent.list[i].why;
    }
    return "";
}

static const kg__field sampled_fields[] = {
    KG__FIELD(kg__observation, sampled_blocks, "blocks", COUNT),
    KG__FIELD(kg__observation, sampled_of, "of", COUNT),
    { 0 },
};
static const kg__field failure_fields[] = {
    KG__FIELD(kg__observation, failure, "kind", TEXT),
    KG__FIELD(kg__observation, failure_symbol, "symbol", TEXT),
    { 0 },
};
static const kg__field place_fields[] = {
    KG__FIELD(kg__observation, at_file, "file", TEXT),
    KG__FIELD(kg__observation, at_line, "line", SMALL),
    { 0 },
};

static json_t *record_figures(const kg__figures *figures)
{
    json_t *object = kg__figures_json(figures);

    if (figures->samples_ns != NULL)
        json_object_set_new(object, KG__SAMPLES_NS,
                            kg__record_samples(figures->samples_ns, figures->samples_ns_count));
    return object;
}

/* Finalists are compared round by round, so every sample is needed. */
static json_t *make_final(const void *held)
{
    const kg__figures *figures = *(const kg__figures *const *)held;
    json_t *object;
    json_t *samples;

    if (figures == NULL)
        return NULL;
    object = kg__figures_json(figures);
    samples = json_array();
    for (size_t i = 0; i < figures->samples_ns_count; i++)
        json_array_append_new(samples, json_real(figures->samples_ns[i]));
    json_object_set_new(object, KG__SAMPLES_NS, samples);
    return object;
}

/* `amount` (may be NULL) is the member with a sentinel's amount. */
static bool read_figures(kg__pool *pool, const char *name, const json_t *object, const char *amount,
                         kg__figures *figures, kg__error *error)
{
    const json_t *samples = json_object_get(object, KG__SAMPLES_NS);

    if (!kg__figures_read(name, object, figures, error))
        return false;
    if (amount != NULL)
        figures->amount = fmax(kg__json_number(object, amount), 0);
    return samples == NULL ||
           kg__samples_read(pool, samples, &figures->samples_ns, &figures->samples_ns_count) ||
           kg__fail(error, "%s: samples_ns is not a list of numbers", name);
}

static json_t *make_metrics(const void *held)
{
    const kg__observation *observation = held;
    json_t *metrics;

    if (observation->event != KG__EVENT_MEASURED &&
        (observation->event != KG__EVENT_CHECKED || observation->metric_count == 0))
        return NULL;
    metrics = json_object();
    for (size_t i = 0; i < observation->metric_count; i++)
        json_object_set_new(metrics, observation->metrics[i].name,
                            record_figures(&observation->metrics[i]));
    return metrics;
}

static const char *read_metrics(json_t *metrics, void *to, kg__pool *pool, kg__error *error)
{
    kg__observation *observation = to;
    const char *name;
    json_t *figures;

    /* Sentinels are members of the record itself. */
    if (observation->event == KG__EVENT_SENTINELS)
        return NULL;
    if (!json_is_object(metrics))
        return "an object";
    observation->metrics =
        kg__pool_array(pool, json_object_size(metrics), sizeof *observation->metrics);
    json_object_foreach (metrics, name, figures) {
        if (!read_figures(pool, name, figures, NULL,
                          &observation->metrics[observation->metric_count++], error))
            return "";
    }
    return NULL;
}

json_t *kg__absences_make_field(const void *held)
{
    const kg__absences *absent = held;
    json_t *reasons = absent->count > 0 ? json_object() : NULL;

    for (size_t i = 0; i < absent->count; i++)
        json_object_set_new(reasons, absent->list[i].metric,
                            kg__json_clean_string(absent->list[i].why));
    return reasons;
}

const char *kg__absences_read_field(json_t *value, void *to, kg__pool *pool, kg__error *error)
{
    kg__absence *list = kg__pool_array(pool, json_object_size(value), sizeof *list);
    size_t count = 0;
    const char *metric;
    json_t *why;

    if (!json_is_object(value))
        return "an object";
    json_object_foreach (value, metric, why) {
        if (!json_is_string(why)) {
            (void)kg__fail(error, "%s is not a text", metric);
            return "";
        }
        list[count++] = (kg__absence){ metric, json_string_value(why) };
    }
    *(kg__absences *)to = (kg__absences){ list, count };
    return NULL;
}

static const kg__field record_fields[] = {
    KG__FIELD(kg__observation, id, "case", TEXT),
    KG__FIELD(kg__observation, hung, "hung", FLAG),
    KG__FIELD(kg__observation, why, "why", TEXT),
    KG__FIELD(kg__observation, gpu_only, "gpu_only", FLAG),
    KG__FIELD(kg__observation, where, "where", TEXT),
    KG__FIELD(kg__observation, watches, "watches", FLAG),
    KG__FIELD(kg__observation, in_order, "in_order", FLAG),
    KG__FIELD(kg__observation, throttled, "throttled", FLAG),
    KG__FIELD_STRUCT(kg__observation, target, "target", kg__target_fields, NULL),
    KG__FIELD(kg__observation, provenance, "provenance", OBJECT),
    KG__FIELD_STRUCT(kg__observation, kernel, "kernel", kg__kernel_code_fields,
                     &kg__kernel_code_unknown),
    KG__FIELD(kg__observation, kernels, "kernels", SMALL),
    KG__FIELD(kg__observation, dropped_in_round, "dropped_in_round", SMALL),
    KG__FIELD(kg__observation, no_final, "no_final", TEXT),
    KG__FIELD_GROUP("sampled", sampled_fields),
    KG__FIELD_GROUP("failure", failure_fields),
    KG__FIELD_GROUP(KG__AT, place_fields),
    /* Of the whole observation: its event decides. */
    { .key = "metrics", .kind = KG__FIELD_OTHER, .make = make_metrics, .read = read_metrics },
    KG__FIELD_ABSENCES(kg__observation, absent),
    KG__FIELD_STRUCT(kg__observation, gpu_state, "gpu_state", kg__gpu_state_fields,
                     &kg__gpu_state_unknown),
    KG__FIELD_STRUCT(kg__observation, work, "work", kg__work_fields, NULL),
    KG__FIELD_LINES(kg__observation, lines),
    KG__FIELD_BY(kg__observation, final, "final", make_final, NULL),
    { 0 },
};
static const kg__field progress_fields[] = {
    KG__FIELD(kg__observation, comparison, "comparison", TEXT),
    KG__FIELD(kg__observation, size, "size", TEXT),
    KG__FIELD(kg__observation, done, "done", FIGURE),
    KG__FIELD(kg__observation, total, "of", FIGURE),
    KG__FIELD(kg__observation, seconds_left, "seconds_left", AMOUNT),
    { 0 },
};

static void set_sentinels(json_t *record, const kg__observation *observation)
{
    for (size_t i = 0; i < SENTINELS; i++) {
        const kg__sentinel_kind kind = kind_of(i);
        const kg__figures *figures = kg__figures_of(observation, kind.name);
        json_t *object;

        if (figures == NULL)
            continue;
        object = record_figures(figures);
        if (kind.amount != NULL && figures->amount > 0)
            kg__json_set_finite(object, kind.amount, figures->amount);
        json_object_set_new(record, kind.name, object);
    }
}

json_t *kg__observation_json(const kg__observation *observation)
{
    json_t *record = json_pack("{s:s}", "event", events[observation->event]);

    if (observation->event == KG__EVENT_CHECKED)
        json_object_update_new(record, json_pack("{s:s*, s:b}", "case", observation->id, "right",
                                                 (int)observation->right));
    kg__fields_write(record, record_fields, observation);
    if (observation->event == KG__EVENT_SENTINELS)
        set_sentinels(record, observation);
    else if (observation->event == KG__EVENT_PROGRESS)
        kg__fields_write(record, progress_fields, observation);
    if (observation->findings != NULL)
        kg__findings_set(record, observation->findings);
    return record;
}

bool kg__observation_append(int file, const kg__observation *observation, kg__error *error)
{
    return kg__record_append(file, kg__observation_json(observation), error);
}

static kg__event read_event(const char *name)
{
    kg__event event = KG__EVENTS;

    while (--event > KG__EVENT_OTHER && strcmp(events[event], name) != 0)
        ;
    return event;
}

static bool read_sentinels(kg__pool *pool, kg__observation *observation, const json_t *record,
                           kg__error *error)
{
    observation->metrics = kg__pool_array(pool, SENTINELS, sizeof *observation->metrics);
    for (size_t i = 0; i < SENTINELS; i++) {
        const kg__sentinel_kind kind = kind_of(i);
        json_t *figures = json_object_get(record, kind.name);

        if (figures != NULL &&
            !read_figures(pool, kind.name, figures, kind.amount,
                          &observation->metrics[observation->metric_count++], error))
            return false;
    }
    return true;
}

static bool read_record(read_observation *read, const json_t *record, kg__error *error)
{
    kg__observation *observation = &read->observation;
    const json_t *event = json_object_get(record, "event");
    const json_t *right = json_object_get(record, "right");

    if (!json_is_string(event) || (right != NULL && !json_is_boolean(right)))
        return kg__fail(error, "event is not a text, or right is not true or false");
    observation->event = read_event(json_string_value(event));
    observation->right = json_is_true(right);
    observation->findings = &read->findings;
    return kg__fields_read_lists(record, record_fields, observation, &read->pool, error) &&
           (observation->event != KG__EVENT_SENTINELS ||
            read_sentinels(&read->pool, observation, record, error)) &&
           kg__findings_read(record, &read->pool, &read->findings, error);
}

kg__observation *kg__observation_read(json_t *record, kg__error *error)
{
    read_observation *read = kg__allocate(1, sizeof *read);

    *read =
        (read_observation){ .users = 1,
                            .observation = { .id = "", .why = "", .record = json_incref(record) } };
    if (read_record(read, record, error))
        return &read->observation;
    kg__observation_release(&read->observation);
    return NULL;
}

/* Returns an error of the case whose record is unusable; NULL if it has no case. */
static kg__observation *fail_case(const json_t *record, const char *fault)
{
    const char *id = kg__json_text(record, "case");
    char why[KG__MESSAGE_SIZE];
    json_t *failed;
    kg__observation *observation;

    if (*id == '\0')
        return NULL;
    kg__format(why, sizeof why,
               "its record is not usable: %s: build the program and kernelgate from one version",
               fault);
    failed =
        json_pack("{s:s, s:s, s:s}", "event", events[KG__EVENT_FAILED], "case", id, "why", why);
    observation = kg__observation_read(failed, NULL);
    json_decref(failed);
    return observation;
}

kg__observation *kg__observation_next(kg__record_reader *reader)
{
    json_t *record;

    while ((record = kg__record_next(reader)) != NULL) {
        kg__error fault = { "" };
        kg__observation *observation = kg__observation_read(record, &fault);

        if (observation == NULL)
            observation = fail_case(record, fault.text);
        json_decref(record);
        if (observation != NULL)
            return observation;
        reader->bad_lines++;
    }
    return NULL;
}

kg__observation *kg__observation_copy(const kg__observation *observation)
{
    json_t *record = kg__observation_json(observation);
    kg__observation *copy = kg__observation_read(record, NULL);

    json_decref(record);
    return copy;
}

kg__observation *kg__observation_keep(const kg__observation *observation)
{
    read_observation *read = (read_observation *)observation;

    read->users++;
    return &read->observation;
}

static void release_held(void *observation)
{
    kg__observation_release(observation);
}

kg__observation *kg__observation_hold(kg__pool *pool, const kg__observation *observation)
{
    kg__observation *held = kg__observation_keep(observation);

    kg__pool_keep(pool, held, release_held);
    return held;
}

kg__observation *kg__observation_load(kg__pool *pool, json_t *record, kg__error *error)
{
    kg__observation *read = kg__observation_read(record, error);

    if (read != NULL)
        kg__pool_keep(pool, read, release_held);
    return read;
}

void kg__observation_release(const kg__observation *observation)
{
    read_observation *read = (read_observation *)observation;

    if (observation == NULL || --read->users > 0)
        return;
    json_decref(observation->record);
    kg__pool_free(&read->pool);
    free(read);
}
