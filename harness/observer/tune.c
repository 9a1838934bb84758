#include "observer/tune.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "device/device.h"
#include "observer/observe.h"
#include "observer/tune_search.h"
#include "records/records.h"

/* Times what no graph holds. False when the device is lost. */
static bool time_by_own_clock(kg__tuning *all, kg__tuned_case *who)
{
    kg__series *series;
    kg__error why = { "" };
    kg__subject room;
    bool alive = kg__tuned_case_enter(all, who);
    bool good;

    all->done++;
    kg__tuning_progress(all, who->base.one);
    if (!alive || who->base.out)
        return alive;
    series = kg__allocate(1, sizeof *series);
    good = kg__buffer_set_fill(who->base.place, all->tools.bench.stream, &why) &&
           kg__prepare_launch(who->base.one, &who->base.place->buffers, &why) &&
           kg__timed_case_sample(&who->base, &all->tools.bench,
                                 kg__tuned_case_launches(all, who, &room),
                                 1000 * all->tools.case_seconds, series, &why);
    for (size_t i = 0; i < series->count; i++)
        kg__racer_add(&who->racer, series->samples[i]);
    who->racer.interval = series->interval;
    who->launches = series->launches;
    who->clock = series->clock;
    free(series);
    return good || kg__tuned_case_mark_failed(all, who, &why);
}

static bool run_field(kg__tuning *all, const kg__tune_group *own)
{
    bool alive = true;

    if (own->list[0]->base.one->variant->clock == KG_GRAPH_CLOCK)
        return all->wanted.exhaustive ? kg__tune_group_search(all, own)
                                      : kg__tune_group_race(all, own);
    for (size_t i = 0; i < own->count && alive; i++)
        alive = time_by_own_clock(all, own->list[i]);
    return alive;
}

/* Whether `who` is better than `other` by occupancy, and by time where that is the same. */
static bool is_better_occupied(const kg__tuned_case *who, const kg__tuned_case *other)
{
    if (isnan(who->occupancy) || (!isnan(other->occupancy) && who->occupancy < other->occupancy))
        return false;
    return isnan(other->occupancy) || who->occupancy > other->occupancy ||
           who->racer.interval.value < other->racer.interval.value;
}

/* Names the finalists of a variant: the best by time, of those that were in to the end, and the
 * best by occupancy, whenever it was dropped. */
static void name_finalists(const kg__tune_group *own)
{
    kg__tuned_case *fastest = NULL;
    kg__tuned_case *fullest = NULL;

    if (own->list[0]->base.one->variant->clock != KG_GRAPH_CLOCK)
        return;
    for (size_t i = 0; i < own->count; i++) {
        kg__tuned_case *who = own->list[i];

        if (!kg__tuned_case_is_timed(who))
            continue;
        if (who->racer.dropped_in_round == 0 &&
            (fastest == NULL || who->racer.interval.value < fastest->racer.interval.value))
            fastest = who;
        if (fullest == NULL || is_better_occupied(who, fullest))
            fullest = who;
    }
    if (fastest != NULL)
        fastest->is_finalist = fullest->is_finalist = true;
}

/* Fills the grounds of some runners, each once; false with `why`. */
static bool fill_grounds(kg__tuning *all, kg__tuned_case *const *list, size_t count, kg__error *why)
{
    for (size_t i = 0; i < count; i++) {
        bool filled = false;

        for (size_t j = 0; j < i; j++)
            filled = filled || list[j]->base.place == list[i]->base.place;
        if (!filled && !kg__buffer_set_fill(list[i]->base.place, all->tools.bench.stream, why))
            return false;
    }
    return true;
}

/* Times the finalists together, and checks them once more. False when the device is lost. */
static bool run_final(kg__tuning *all, kg__tuned_case *list, size_t count)
{
    kg__tuned_case **in = kg__allocate(count, sizeof(kg__tuned_case *));
    kg__error why = { "" };
    size_t finalists = 0;
    size_t ready = 0;
    bool alive = true;

    for (size_t i = 0; i < count; i++) {
        if (list[i].is_finalist)
            in[finalists++] = &list[i];
    }
    if (!fill_grounds(all, in, finalists, &why))
        alive = kg__tuned_cases_mark_failed(all, in, finalists, &why);
    for (size_t i = 0; i < finalists && alive; i++) {
        kg__tuned_case *who = in[i];

        kg__report(all->records, "start", who->base.one->id, NULL);
        if (!who->base.out)
            alive =
                kg__tuned_case_make_loop(all, who, KG__FULL_SAMPLE_MS, who->racer.interval.value);
        if (!who->base.out)
            in[ready++] = who;
    }
    kg__bench_forget(&all->tools.bench);
    all->tools.bench.watch.wanted = true;
    if (alive && !kg__tuned_cases_sample_fully(all, in, ready, true, &why))
        alive = kg__tuned_cases_mark_failed(all, in, ready, &why);
    for (size_t i = 0; i < ready; i++) {
        kg__loop_discard(&in[i]->loop);
        if (alive && !in[i]->base.out) {
            kg__report(all->records, "start", in[i]->base.one->id, NULL);
            alive = kg__tuned_case_check(all, in[i], ", after timing");
        }
    }
    free(in);
    return alive;
}

static json_t *figures_of_final(const kg__tuned_case *who)
{
    json_t *figures = kg__json_interval(&who->last.interval);
    json_t *samples = json_array();

    for (size_t i = 0; i < who->last.count; i++)
        json_array_append_new(samples, json_real(who->last.samples[i]));
    json_object_set_new(figures, "samples_ns", samples);
    return figures;
}

static void report_measured(const kg__tuning *all, const kg__tuned_case *who)
{
    const kg__bench *bench = &all->tools.bench;
    json_t *time = kg__json_interval(&who->racer.interval);
    json_t *record;

    json_object_update_new(time,
                           json_pack("{s:I, s:i, s:s}", "samples", (json_int_t)who->racer.count,
                                     "launches", who->launches, "clock", who->clock));
    record = json_pack("{s:s, s:s, s:{s:o}, s:O*, s:o*}", "event", "measured", "case",
                       who->base.one->id, "metrics", "time_ns", time, "kernel", who->kernel, "work",
                       kg__work_of(all->comparison, who->base.one));
    if (who->racer.dropped_in_round != 0)
        json_object_set_new(record, "dropped_in_round", json_integer(who->racer.dropped_in_round));
    if (who->base.one->variant->clock != KG_GRAPH_CLOCK)
        json_object_set_new(record, "no_final",
                            json_string("what no graph holds is timed by a clock of its own"));
    if (who->is_finalist) {
        json_object_set_new(record, "final", figures_of_final(who));
        json_object_set_new(record, "throttled", json_boolean(bench->watch.throttled));
        if (bench->watch.state != NULL)
            json_object_set(record, "card", bench->watch.state);
    }
    kg__report_record(all->records, record);
}

/* Reports what a size came to. */
static void report_size(const kg__tuning *all, const kg__tuned_case *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].passed_over)
            kg__report(all->records, "passed_over", list[i].base.one->id,
                       "with twice the blocks and more, all of which run at a time, it takes over "
                       "twice the best time");
        else if (kg__tuned_case_is_timed(&list[i]))
            report_measured(all, &list[i]);
    }
}

/* The runners of `variant` among those of a size, in `list`, which has room for all. */
static kg__tune_group field_of(kg__tuned_case *all, size_t count, const kg_variant *variant,
                               kg__tuned_case **list)
{
    kg__tune_group own = { .list = list };

    for (size_t i = 0; i < count; i++) {
        if (all[i].base.one->variant == variant)
            list[own.count++] = &all[i];
    }
    return own;
}

static bool run_fields(kg__tuning *all, kg__tuned_case *list, size_t count)
{
    kg__tuned_case **room = kg__allocate(count, sizeof(kg__tuned_case *));
    bool alive = true;

    for (const kg_variant *variant = all->comparison->variants; variant->name != NULL && alive;
         variant++) {
        kg__tune_group own = field_of(list, count, variant, room);

        if (own.count == 0)
            continue;
        alive = run_field(all, &own);
        name_finalists(&own);
    }
    free(room);
    return alive;
}

/* Tunes the candidates of one size. False when the device is lost. */
static bool tune_size(kg__tuning *all, const kg__case *const *cases, size_t count)
{
    kg__tuned_case *list = kg__allocate(count, sizeof *list);
    bool alive;

    for (size_t i = 0; i < count; i++) {
        list[i].base.one = cases[i];
        list[i].occupancy = NAN;
    }
    kg__buffer_sets_make(&all->grounds, count);
    alive = run_fields(all, list, count) && run_final(all, list, count);
    if (alive)
        report_size(all, list, count);
    for (size_t i = 0; i < count; i++) {
        kg__loop_discard(&list[i].loop);
        kg__racer_restart(&list[i].racer);
        kg__racer_restart(&list[i].last);
        json_decref(list[i].kernel);
    }
    kg__buffer_sets_free(&all->grounds);
    kg__problems_forget(&all->known);
    free(list);
    return alive;
}

/* Tunes size by size; false with `error` when the device is lost. */
static bool tune_sizes(kg__tuning *all, const kg__case *const *cases, size_t count,
                       kg__error *error)
{
    const kg__case **of_size = kg__allocate(count, sizeof(kg__case *));
    bool alive = true;

    for (const kg_size *size = all->comparison->sizes; size->extents != 0 && alive; size++) {
        size_t found = 0;

        for (size_t i = 0; i < count; i++) {
            if (cases[i]->size == size)
                of_size[found++] = cases[i];
        }
        if (found > 0)
            alive = tune_size(all, of_size, found);
    }
    free(of_size);
    return alive || kg__fail(error, "%s: the device was lost while tuning: see nvidia-smi",
                             all->comparison->name);
}

bool kg__tune_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                    int records, kg__error *error)
{
    kg__tuning all = { .comparison = comparison,
                       .known = { .comparison = comparison },
                       .records = records,
                       .of = count,
                       .began = kg__now() };
    bool good = kg__tuning_request_read(&all.wanted, error);

    if (good)
        good = kg__tools_open(&all.tools, records, error);
    all.tools.bench.precision = all.wanted.precision;
    /* Before any case has begun, a failure is the device's, or what was asked for is wrong: another
     * process would fare no better. */
    if (!good)
        kg__report(records, "broken", NULL, error->text);
    good = good && tune_sizes(&all, cases, count, error);
    kg__tools_close(&all.tools);
    return good;
}
