#include "records/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

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
    [KG__EVENT_REFUSED] = "refused",
    [KG__EVENT_PASSED_OVER] = "passed_over",
    [KG__EVENT_PROGRESS] = "progress",
    [KG__EVENT_FAILED] = "failed",
    [KG__EVENT_HUNG] = "hung",
    [KG__EVENT_SENTINELS] = "sentinels",
    [KG__EVENT_DONE] = "done",
    [KG__EVENT_OBJECTION] = "objection",
};

/* What each sentinel is an amount of. */
static const struct {
    const char *name;
    const char *amount; /* NULL: of nothing */
} sentinels[] = { { "copy", "bytes" }, { "fma", "operations" }, { "empty", NULL } };

#define SENTINELS (sizeof sentinels / sizeof *sentinels)

/* An observation that was read, with what it points to. */
typedef struct read_observation {
    kg__observation observation; /* first */
    size_t users;
    kg__gpu_state gpu_state;
    kg__work work;
    kg__findings findings;
} read_observation;

const char *kg__event_name(kg__event event)
{
    return events[event];
}

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

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

static void set_count(json_t *object, const char *key, int64_t count)
{
    if (count > 0)
        json_object_set_new(object, key, json_integer(count));
}

static void set_object(json_t *object, const char *key, json_t *value)
{
    if (value != NULL)
        json_object_set(object, key, value);
}

json_t *kg__figures_json(const kg__figures *figures)
{
    json_t *object = json_object();

    /* Times have a unit; counts are whole numbers. */
    if (*kg__metric_unit(figures->name) == '\0' && figures->value == rint(figures->value) &&
        fabs(figures->value) <= KG__LARGEST_FIGURE)
        json_object_set_new(object, "value", json_integer((json_int_t)figures->value));
    else
        kg__json_set_finite(object, "value", figures->value);
    kg__json_set_finite(object, "low", figures->low);
    kg__json_set_finite(object, "high", figures->high);
    set_count(object, "samples", figures->samples);
    set_count(object, "launches", figures->launches);
    if (figures->clock != NULL && *figures->clock != '\0')
        set_text(object, "clock", figures->clock);
    set_text(object, "statistic", figures->method);
    set_count(object, "buffer_sets", figures->buffer_sets);
    return object;
}

static json_t *record_figures(const kg__figures *figures)
{
    json_t *object = kg__figures_json(figures);

    if (figures->samples_ns != NULL)
        json_object_set_new(object, KG__SAMPLES_NS,
                            kg__record_samples(figures->samples_ns, figures->samples_ns_count));
    return object;
}

/* Finalists are compared round by round, so that each sample counts. */
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
        const kg__figures *figures = kg__figures_of(observation, sentinels[i].name);
        json_t *object;

        if (figures == NULL)
            continue;
        object = record_figures(figures);
        if (sentinels[i].amount != NULL && figures->amount > 0)
            kg__json_set_finite(object, sentinels[i].amount, figures->amount);
        json_object_set_new(record, sentinels[i].name, object);
    }
}

static void set_measured(json_t *record, const kg__observation *observation)
{
    json_t *metrics = json_object();
    json_t *absent = json_object();

    for (size_t i = 0; i < observation->metric_count; i++)
        json_object_set_new(metrics, observation->metrics[i].name,
                            record_figures(&observation->metrics[i]));
    for (size_t i = 0; i < observation->absent_count; i++)
        set_text(absent, observation->absent[i].metric, observation->absent[i].why);
    json_object_set_new(record, "metrics", metrics);
    json_object_set_new(record, "absent", absent);
    if (observation->gpu_state != NULL)
        json_object_set_new(record, "card", kg__gpu_state_json(observation->gpu_state));
    if (observation->gpu_state != NULL || observation->throttled)
        json_object_set_new(record, "throttled", json_boolean(observation->throttled));
    set_object(record, "kernel", observation->kernel);
    set_object(record, "lines", observation->lines);
    if (observation->work != NULL)
        json_object_set_new(record, "work", kg__work_json(observation->work));
    if (observation->sampled_of > 0)
        json_object_set_new(record, "sampled",
                            json_pack("{s:I, s:I}", "blocks",
                                      (json_int_t)observation->sampled_blocks, "of",
                                      (json_int_t)observation->sampled_of));
    set_count(record, "dropped_in_round", observation->dropped_in_round);
    set_text(record, "no_final", observation->no_final);
    if (observation->final != NULL)
        json_object_set_new(record, "final", final_figures(observation->final));
}

json_t *kg__work_json(const kg__work *work)
{
    return json_pack("{s:f, s:f}", "operations", work->operations, "bytes", work->bytes);
}

static void set_progress(json_t *record, const kg__observation *observation)
{
    set_text(record, "comparison", observation->comparison);
    set_text(record, "size", observation->size);
    json_object_set_new(record, "done", json_integer((json_int_t)observation->done));
    json_object_set_new(record, "of", json_integer((json_int_t)observation->total));
    if (observation->seconds_left > 0)
        json_object_set_new(record, "seconds_left", json_real(observation->seconds_left));
}

json_t *kg__observation_json(const kg__observation *observation)
{
    json_t *record = json_pack("{s:s}", "event", events[observation->event]);

    set_text(record, "case", observation->id);
    if (observation->event == KG__EVENT_CHECKED)
        json_object_set_new(record, "right", json_boolean(observation->right));
    if (observation->hung)
        json_object_set_new(record, "hung", json_true());
    set_text(record, "why", observation->why);
    set_text(record, "where", observation->where);
    if (observation->watches)
        json_object_set_new(record, "watches", json_true());
    set_object(record, "target", observation->target);
    set_object(record, "provenance", observation->provenance);
    if (observation->event == KG__EVENT_MEASURED)
        set_measured(record, observation);
    else if (observation->event == KG__EVENT_SENTINELS)
        set_sentinels(record, observation);
    else if (observation->event == KG__EVENT_PROGRESS)
        set_progress(record, observation);
    set_count(record, "kernels", observation->kernels);
    if (observation->at_file != NULL)
        json_object_set_new(record, KG__AT,
                            kg__source_json(observation->at_file, observation->at_line));
    if (observation->findings != NULL)
        kg__findings_set(record, observation->findings);
    if (observation->failure != NULL)
        json_object_set_new(record, "failure",
                            json_pack("{s:s, s:s*}", "kind", observation->failure, "symbol",
                                      observation->failure_symbol));
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

static bool read_samples(kg__figures *figures, const json_t *list, kg__error *error)
{
    double *samples = kg__allocate(json_array_size(list), sizeof *samples);

    figures->samples_ns = samples;
    figures->samples_ns_count = json_array_size(list);
    for (size_t i = 0; i < figures->samples_ns_count; i++) {
        if (!json_is_number(json_array_get(list, i)))
            return kg__fail(error, "%s: samples_ns is not a list of numbers", figures->name);
        samples[i] = json_number_value(json_array_get(list, i));
    }
    return true;
}

static bool read_figures(const char *name, json_t *object, kg__figures *figures, kg__error *error)
{
    json_t *samples = NULL;
    json_error_t fault;
    json_int_t counts[3] = { 0 };

    *figures = (kg__figures){ .name = name, .value = NAN, .low = NAN, .high = NAN };
    if (json_unpack_ex(object, &fault, 0, "{s?F, s?F, s?F, s?F, s?F, s?s, s?s, s?I, s?I, s?I, s?o}",
                       "value", &figures->value, "low", &figures->low, "high", &figures->high,
                       "bytes", &figures->amount, "operations", &figures->amount, "clock",
                       &figures->clock, "statistic", &figures->method, "samples", &counts[0],
                       "launches", &counts[1], "buffer_sets", &counts[2], KG__SAMPLES_NS,
                       &samples) != 0)
        return kg__fail(error, "%s: %s", name, fault.text);
    if (figures->clock == NULL)
        figures->clock = "";
    figures->samples = counts[0];
    figures->launches = counts[1];
    figures->buffer_sets = counts[2];
    return samples == NULL || read_samples(figures, samples, error);
}

static bool read_metrics(kg__observation *observation, json_t *metrics, kg__error *error)
{
    const char *name;
    json_t *figures;

    if (!json_is_object(metrics))
        return kg__fail(error, "metrics is not an object");
    observation->metrics = kg__allocate(json_object_size(metrics), sizeof *observation->metrics);
    json_object_foreach (metrics, name, figures) {
        if (!read_figures(name, figures, &observation->metrics[observation->metric_count++], error))
            return false;
    }
    return true;
}

static bool read_sentinels(kg__observation *observation, const json_t *record, kg__error *error)
{
    observation->metrics = kg__allocate(SENTINELS, sizeof *observation->metrics);
    for (size_t i = 0; i < SENTINELS; i++) {
        json_t *figures = json_object_get(record, sentinels[i].name);

        if (figures != NULL &&
            !read_figures(sentinels[i].name, figures,
                          &observation->metrics[observation->metric_count++], error))
            return false;
    }
    return true;
}

static bool read_absent(kg__observation *observation, json_t *absent, kg__error *error)
{
    const char *metric;
    json_t *why;

    if (!json_is_object(absent))
        return kg__fail(error, "absent is not an object");
    observation->absent = kg__allocate(json_object_size(absent), sizeof *observation->absent);
    json_object_foreach (absent, metric, why) {
        if (!json_is_string(why))
            return kg__fail(error, "absent: %s is not a text", metric);
        observation->absent[observation->absent_count++] =
            (kg__absence){ metric, json_string_value(why) };
    }
    return true;
}

/* Reads the members that are small objects of their own. */
static bool read_parts(read_observation *read, json_t *record, kg__error *error)
{
    kg__observation *observation = &read->observation;
    json_t *work = json_object_get(record, "work");
    json_t *state = json_object_get(record, "card");
    json_t *failure = json_object_get(record, "failure");
    json_t *at = json_object_get(record, KG__AT);
    json_t *sampled = json_object_get(record, "sampled");
    json_int_t blocks = 0;
    json_int_t of = 0;
    int line = 0;
    json_error_t fault = { .text = "" };

    if ((work != NULL && json_unpack_ex(work, &fault, 0, "{s:F, s:F}", "operations",
                                        &read->work.operations, "bytes", &read->work.bytes) != 0) ||
        (failure != NULL &&
         json_unpack_ex(failure, &fault, 0, "{s:s, s?s}", "kind", &observation->failure, "symbol",
                        &observation->failure_symbol) != 0) ||
        (at != NULL && json_unpack_ex(at, &fault, 0, "{s:s, s?i}", "file", &observation->at_file,
                                      "line", &line) != 0) ||
        (sampled != NULL &&
         json_unpack_ex(sampled, &fault, 0, "{s:I, s:I}", "blocks", &blocks, "of", &of) != 0))
        return kg__fail(error, "%s", fault.text);
    observation->sampled_blocks = blocks;
    observation->sampled_of = of;
    observation->at_line = line > 0 ? (unsigned int)line : 0;
    observation->work = work != NULL ? &read->work : NULL;
    if (json_is_object(state)) {
        observation->gpu_state = &read->gpu_state;
        if (!kg__gpu_state_read(state, &read->gpu_state, error))
            return false;
    }
    observation->findings = &read->findings;
    return kg__findings_read(record, &read->findings, error);
}

static bool read_record(read_observation *read, json_t *record, kg__error *error)
{
    kg__observation *observation = &read->observation;
    const char *event = NULL;
    json_t *metrics = NULL;
    json_t *absent = NULL;
    int flags[4] = { 0 };
    json_error_t fault;

    if (json_unpack_ex(record, &fault, 0,
                       "{s:s, s?s, s?s, s?s, s?b, s?b, s?b, s?b, s?o, s?o, s?o, s?o, s?o, s?o}",
                       "event", &event, "case", &observation->id, "why", &observation->why, "where",
                       &observation->where, "right", &flags[0], "hung", &flags[1], "throttled",
                       &flags[2], "watches", &flags[3], "metrics", &metrics, "absent", &absent,
                       "kernel", &observation->kernel, "lines", &observation->lines, "target",
                       &observation->target, "provenance", &observation->provenance) != 0)
        return kg__fail(error, "%s", fault.text);
    observation->event = read_event(event);
    observation->right = flags[0] != 0;
    observation->hung = flags[1] != 0;
    observation->throttled = flags[2] != 0;
    observation->watches = flags[3] != 0;
    return (metrics == NULL || read_metrics(observation, metrics, error)) &&
           (absent == NULL || read_absent(observation, absent, error)) &&
           (observation->event != KG__EVENT_SENTINELS ||
            read_sentinels(observation, record, error)) &&
           read_parts(read, record, error);
}

kg__observation *kg__observation_read(json_t *record, kg__error *error)
{
    read_observation *read = kg__allocate(1, sizeof *read);

    *read = (read_observation){ .users = 1, .observation.record = json_incref(record) };
    if (read_record(read, record, error)) {
        if (read->observation.id == NULL)
            read->observation.id = "";
        if (read->observation.why == NULL)
            read->observation.why = "";
        return &read->observation;
    }
    kg__observation_release(&read->observation);
    return NULL;
}

/* An error of the case whose record is not usable; NULL where it is of none. */
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

void kg__observation_release(const kg__observation *observation)
{
    read_observation *read = (read_observation *)observation;

    if (observation == NULL || --read->users > 0)
        return;
    for (size_t i = 0; i < observation->metric_count; i++)
        free((double *)observation->metrics[i].samples_ns);
    free(observation->metrics);
    free(observation->absent);
    json_decref(observation->record);
    free(read);
}
