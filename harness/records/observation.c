/* SPDX-License-Identifier: MIT */
#include "records/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_fields.h"

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
    kg__target target;
    kg__provenance provenance;
    kg__gpu_state gpu_state;
    kg__work work;
    kg__kernel_code kernel;
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
    for (size_t i = 0; i < observation->absent_count; i++) {
        if (strcmp(observation->absent[i].metric, metric) == 0)
            return observation->absent[i].why;
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
static const kg__field record_fields[] = {
    KG__FIELD(kg__observation, id, "case", TEXT),
    KG__FIELD(kg__observation, hung, "hung", FLAG),
    KG__FIELD(kg__observation, why, "why", TEXT),
    KG__FIELD(kg__observation, gpu_only, "gpu_only", FLAG),
    KG__FIELD(kg__observation, where, "where", TEXT),
    KG__FIELD(kg__observation, watches, "watches", FLAG),
    KG__FIELD(kg__observation, in_order, "in_order", FLAG),
    KG__FIELD(kg__observation, throttled, "throttled", FLAG),
    { 0 },
};

/* The launch parameters, after the kernel's members. */
static const kg__field launch_fields[] = {
    KG__FIELD(kg__observation, kernels, "kernels", SMALL),
    KG__FIELD(kg__observation, dropped_in_round, "dropped_in_round", SMALL),
    KG__FIELD(kg__observation, no_final, "no_final", TEXT),
    KG__FIELD_GROUP("sampled", sampled_fields),
    KG__FIELD_GROUP("failure", failure_fields),
    KG__FIELD_GROUP(KG__AT, place_fields),
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

static json_t *record_figures(const kg__figures *figures)
{
    json_t *object = kg__figures_json(figures);

    if (figures->samples_ns != NULL)
        json_object_set_new(object, KG__SAMPLES_NS,
                            kg__record_samples(figures->samples_ns, figures->samples_ns_count));
    return object;
}

/* Finalists are compared round by round, so every sample is needed. */
static json_t *final_figures(const kg__figures *figures)
{
    json_t *object = kg__figures_json(figures);
    json_t *samples = json_array();

    for (size_t i = 0; i < figures->samples_ns_count; i++)
        json_array_append_new(samples, json_real(figures->samples_ns[i]));
    json_object_set_new(object, KG__SAMPLES_NS, samples);
    return object;
}

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

static void set_measured(json_t *record, const kg__observation *observation)
{
    json_t *metrics = json_object();
    json_t *absent = kg__absences_json(observation->absent, observation->absent_count);

    for (size_t i = 0; i < observation->metric_count; i++)
        json_object_set_new(metrics, observation->metrics[i].name,
                            record_figures(&observation->metrics[i]));
    json_object_set_new(record, "metrics", metrics);
    if (observation->event == KG__EVENT_MEASURED)
        json_object_set_new(record, "absent", absent);
    else
        kg__json_set_object(record, "absent", absent);
    if (observation->gpu_state != NULL)
        json_object_set_new(record, "gpu_state", kg__gpu_state_json(observation->gpu_state));
    if (observation->work != NULL)
        json_object_set_new(record, "work", kg__work_json(observation->work));
    if (observation->lines != NULL)
        json_object_set_new(record, "lines", kg__lines_json(observation->lines));
    if (observation->final != NULL)
        json_object_set_new(record, "final", final_figures(observation->final));
}

json_t *kg__observation_json(const kg__observation *observation)
{
    json_t *record = json_pack("{s:s}", "event", events[observation->event]);

    if (observation->event == KG__EVENT_CHECKED)
        json_object_update_new(record, json_pack("{s:s*, s:b}", "case", observation->id, "right",
                                                 (int)observation->right));
    kg__fields_write(record, record_fields, observation);
    if (observation->target != NULL)
        kg__json_set_object(record, "target", kg__target_json(observation->target));
    if (observation->provenance != NULL)
        kg__json_set_object(record, "provenance", kg__provenance_json(observation->provenance));
    if (observation->kernel != NULL)
        kg__json_set_object(record, "kernel", kg__kernel_code_json(observation->kernel));
    kg__fields_write(record, launch_fields, observation);
    if (observation->event == KG__EVENT_MEASURED ||
        (observation->event == KG__EVENT_CHECKED && observation->metric_count > 0))
        set_measured(record, observation);
    else if (observation->event == KG__EVENT_SENTINELS)
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

static bool read_metrics(kg__pool *pool, kg__observation *observation, json_t *metrics,
                         kg__error *error)
{
    const char *name;
    json_t *figures;

    if (!json_is_object(metrics))
        return kg__fail(error, "metrics is not an object");
    observation->metrics =
        kg__pool_array(pool, json_object_size(metrics), sizeof *observation->metrics);
    json_object_foreach (metrics, name, figures) {
        if (!read_figures(pool, name, figures, NULL,
                          &observation->metrics[observation->metric_count++], error))
            return false;
    }
    return true;
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

json_t *kg__absences_json(const kg__absence *list, size_t count)
{
    json_t *absent = json_object();

    for (size_t i = 0; i < count; i++)
        json_object_set_new(absent, list[i].metric, kg__json_clean_string(list[i].why));
    return absent;
}

bool kg__absences_read(kg__pool *pool, json_t *absent, const kg__absence **list, size_t *count,
                       kg__error *error)
{
    kg__absence *read = kg__pool_array(pool, json_object_size(absent), sizeof *read);
    const char *metric;
    json_t *why;

    if (absent != NULL && !json_is_object(absent))
        return kg__fail(error, "absent is not an object");
    *list = read;
    json_object_foreach (absent, metric, why) {
        if (!json_is_string(why))
            return kg__fail(error, "absent: %s is not a text", metric);
        read[(*count)++] = (kg__absence){ metric, json_string_value(why) };
    }
    return true;
}

/* Reads the device and the kernel's code. */
static bool read_device(read_observation *read, const json_t *record, kg__error *error)
{
    const json_t *target = json_object_get(record, "target");
    const json_t *kernel = json_object_get(record, "kernel");
    kg__error fault = { "" };

    (void)kg__provenance_read(&read->provenance, json_object_get(record, "provenance"));
    if (target != NULL && !kg__target_read(target, &read->target, &fault))
        return kg__fail(error, "target: %s", fault.text);
    return kernel == NULL || kg__kernel_code_read(&read->pool, kernel, &read->kernel, &fault) ||
           kg__fail(error, "kernel: %s", fault.text);
}

/* Reads the members that an observation points to. */
static bool read_parts(read_observation *read, const json_t *record, kg__error *error)
{
    kg__observation *observation = &read->observation;
    const json_t *work = json_object_get(record, "work");
    const json_t *state = json_object_get(record, "gpu_state");

    observation->findings = &read->findings;
    observation->target = &read->target;
    observation->provenance = &read->provenance;
    observation->kernel = &read->kernel;
    if (json_is_object(state))
        observation->gpu_state = &read->gpu_state;
    if (work != NULL)
        observation->work = &read->work;
    return (work == NULL || kg__work_read(work, &read->work, error)) &&
           kg__gpu_state_read(state, &read->gpu_state, error) && read_device(read, record, error) &&
           kg__lines_load(&read->pool, json_object_get(record, "lines"), &observation->lines,
                          error) &&
           kg__findings_read(record, &read->pool, &read->findings, error);
}

static bool read_record(read_observation *read, const json_t *record, kg__error *error)
{
    kg__observation *observation = &read->observation;
    const json_t *event = json_object_get(record, "event");
    const json_t *right = json_object_get(record, "right");
    json_t *metrics = json_object_get(record, "metrics");

    if (!json_is_string(event) || (right != NULL && !json_is_boolean(right)))
        return kg__fail(error, "event is not a text, or right is not true or false");
    observation->event = read_event(json_string_value(event));
    observation->right = json_is_true(right);
    return kg__fields_read(record, record_fields, observation, error) &&
           kg__fields_read(record, launch_fields, observation, error) &&
           (observation->event == KG__EVENT_SENTINELS
                ? read_sentinels(&read->pool, observation, record, error)
                : metrics == NULL || read_metrics(&read->pool, observation, metrics, error)) &&
           kg__absences_read(&read->pool, json_object_get(record, "absent"), &observation->absent,
                             &observation->absent_count, error) &&
           read_parts(read, record, error);
}

kg__observation *kg__observation_read(json_t *record, kg__error *error)
{
    read_observation *read = kg__allocate(1, sizeof *read);

    *read =
        (read_observation){ .users = 1,
                            .kernel = KG__KERNEL_CODE_UNKNOWN,
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

void kg__observation_release(const kg__observation *observation)
{
    read_observation *read = (read_observation *)observation;

    if (observation == NULL || --read->users > 0)
        return;
    json_decref(observation->record);
    kg__pool_free(&read->pool);
    kg__provenance_free(&read->provenance);
    free(read);
}
