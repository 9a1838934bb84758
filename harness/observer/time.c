/* Timing on a GPU: the cases of a size and number of threads a block are timed side by side, each
 * checked before and after. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/check.h"
#include "observer/launch.h"
#include "observer/measure.h"
#include "observer/observe.h"
#include "observer/report_record.h"
#include "observer/time_bench.h"
#include "observer/timed_group.h"
#include "observer/tune.h"
#include "observer/tune_settings.h"
#include "records/records.h"

/* A case of the group that is being timed. */
typedef struct contender {
    kg__timed_case base;
    kg__series *hot;
    kg__series *cold;
    char no_cold[192]; /* why there is no cold time, or "" */
} contender;

/* The cases of a size and number of threads a block, timed side by side. */
typedef struct group {
    const kg_comparison *comparison;
    contender *list;
    size_t count;
    kg__buffer_sets grounds;
} group;

/* The same for every contender of `place` that is still in (NULL: of all). */
static bool strike_all_out(const kg__tools *with, const group *all, const kg__buffer_set *place,
                           const char *when, const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "%s: %s", when, why->text);
    for (size_t i = 0; i < all->count; i++) {
        contender *who = &all->list[i];

        if (!who->base.out && (place == NULL || who->base.place == place))
            alive = kg__timed_case_mark_failed(&who->base, &reason, with->bench.records) && alive;
    }
    return alive;
}

/* Whether a contender is timed at all, or cold. */
static bool takes_part(const contender *who, bool cold)
{
    return !who->base.out && (!cold || who->no_cold[0] == '\0');
}

/* Has a launch cost what it did before. False when the device is lost. */
static bool settle(kg__tools *with, const group *all)
{
    kg__error why = { "" };

    return kg__tools_settle(with, &why) || strike_all_out(with, all, NULL, "before sampling", &why);
}

/* Prepares and samples one metric of every contender that takes part. Those of another clock than
 * the graph's are sampled one by one. False when the device is lost. */
static bool time_metric(kg__tools *with, group *all, bool cold)
{
    kg__series **active = kg__allocate(all->count, sizeof(kg__series *));
    kg__error why = { "" };
    size_t count = 0;
    bool alive = settle(with, all);

    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];
        kg__buffer_set *place = who->base.place;
        kg__rotation turn = { who->base.one, cold ? place->sets : &place->buffers.data,
                              cold ? place->set_count : 1 };
        kg__timed what = { kg__launch_rotation, &turn, with->bench.stream };
        kg__series *one = cold ? who->cold : who->hot;

        if (!takes_part(who, cold))
            continue;
        /* From here on it is this one that an end of the process is due to. */
        kg__report(with->bench.records, "start", who->base.one->id, NULL);
        bool in_graph = who->base.one->variant->clock == KG_GRAPH_CLOCK;
        bool good = kg__prepare_launch(who->base.one, &place->buffers, &why) &&
                    (in_graph ? kg__graph_prepare(&with->bench, &what, turn.set_count,
                                                  1000 * with->case_seconds / 2, one, &why)
                              : kg__timed_case_sample(&who->base, &with->bench, &what,
                                                      1000 * with->case_seconds / 2, one, &why));

        if (!good)
            alive = kg__timed_case_mark_failed(&who->base, &why, with->bench.records);
        else if (in_graph)
            active[count++] = one;
    }
    with->bench.watch.wanted = true;
    if (alive && count > 0 && !kg__graph_sample(&with->bench, active, count, &why))
        alive = strike_all_out(with, all, NULL, "while timed side by side", &why);
    for (size_t i = 0; i < count; i++)
        kg__graph_discard(active[i]);
    free(active);
    return alive;
}

/* Gives each contender its ground. False when the device is lost. */
static bool make_grounds(const kg__tools *with, group *all)
{
    for (size_t i = 0; i < all->count; i++) {
        kg__timed_case *who = &all->list[i].base;

        if (!who->out && !kg__timed_case_place(who, &all->grounds, with->bench.records))
            return false;
    }
    return true;
}

/* The figures of a case's metric, with the samples that a report shows where it fails. */
static json_t *case_figures_of(const kg__series *one)
{
    json_t *figures = kg__figures_of(one);

    json_object_set_new(figures, KG__SAMPLES_NS, kg__record_samples(one->samples, one->count));
    return figures;
}

/* Whether any contender is still timed on a ground. */
static bool is_used(const group *all, const kg__buffer_set *place)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].base.out && all->list[i].base.place == place)
            return true;
    }
    return false;
}

static void report_measured(const kg__tools *with, const group *all, const contender *who)
{
    json_t *metrics = json_pack("{s:o}", "time_ns", case_figures_of(who->hot));
    json_t *absent = json_object();
    json_t *kernel = kg__device_kernel(who->base.one, &who->base.place->buffers);
    json_t *record;

    if (who->no_cold[0] == '\0') {
        json_t *cold = case_figures_of(who->cold);

        json_object_set_new(cold, "buffer_sets", json_integer(who->base.place->set_count));
        json_object_set_new(metrics, "cold_time_ns", cold);
    } else {
        json_object_set_new(absent, "cold_time_ns", json_string(who->no_cold));
    }
    record = json_pack("{s:s, s:s, s:o, s:o, s:O?, s:b, s:o*, s:o*}", "event", "measured", "case",
                       who->base.one->id, "metrics", metrics, "absent", absent, "card",
                       with->bench.watch.state, "throttled", (int)with->bench.watch.throttled,
                       "kernel", kernel, "work", kg__work_of(all->comparison, who->base.one));
    kg__report_record(with->bench.records, record);
}

/* Fills every ground for the hot times. False when the device is lost. */
static bool fill_grounds(const kg__tools *with, group *all)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < all->grounds.count && alive; i++) {
        kg__buffer_set *place = &all->grounds.list[i];

        if (!is_used(all, place))
            continue;
        if (!kg__buffer_set_fill(place, with->bench.stream, &why))
            alive = strike_all_out(with, all, place, "before timing", &why);
    }
    return alive;
}

/* Makes the buffer sets of every ground, and notes who has a cold time. False when the device is
 * lost. */
static bool make_all_sets(const kg__tools *with, group *all)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < all->grounds.count && alive; i++) {
        kg__buffer_set *place = &all->grounds.list[i];

        if (is_used(all, place) && !place->first_touch &&
            !kg__buffer_set_make_copies(place, with->l2_bytes, with->bench.stream, &why))
            alive = strike_all_out(with, all, place, "before cold timing", &why);
    }
    for (size_t i = 0; i < all->count; i++) {
        contender *who = &all->list[i];

        if (who->base.out)
            continue;
        kg__format(who->no_cold, sizeof who->no_cold, "%s",
                   who->base.one->variant->clock != KG_GRAPH_CLOCK
                       ? "what no graph holds is timed as it comes"
                       : who->base.place->no_cold);
    }
    return alive;
}

/* Checks, times, checks again and reports every contender. False when the device is lost. */
static bool time_contenders(kg__tools *with, group *all)
{
    bool alive;

    kg__bench_forget(&with->bench);
    alive = make_grounds(with, all);
    for (size_t i = 0; i < all->count && alive; i++) {
        if (all->list[i].base.out)
            continue;
        kg__report(with->bench.records, "start", all->list[i].base.one->id, NULL);
        alive = kg__timed_case_check(&all->list[i].base, all->comparison, ", before timing",
                                     with->bench.records);
    }
    if (!alive || !fill_grounds(with, all) || !time_metric(with, all, false) ||
        !make_all_sets(with, all) || !time_metric(with, all, true))
        return false;
    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];

        if (who->base.out)
            continue;
        kg__report(with->bench.records, "start", who->base.one->id, NULL);
        alive = kg__timed_case_check(&who->base, all->comparison, ", after timing",
                                     with->bench.records);
        if (alive && !who->base.out)
            report_measured(with, all, who);
    }
    return alive;
}

static bool time_group(kg__tools *with, kg__problems *known, const kg__case *const *cases,
                       size_t count, kg__error *error)
{
    group all = { .comparison = known->comparison, .count = count };
    kg__error why = { "" };
    bool alive = true;

    all.list = kg__allocate(count, sizeof *all.list);
    kg__buffer_sets_make(&all.grounds, count);
    for (size_t i = 0; i < count; i++) {
        all.list[i].base.one = cases[i];
        all.list[i].hot = kg__allocate(1, sizeof(kg__series));
        all.list[i].cold = kg__allocate(1, sizeof(kg__series));
        if (!alive)
            continue;
        /* A reference may crash, or take long. */
        kg__report(with->bench.records, "start", cases[i]->id, NULL);
        if (!kg__problems_learn(known, &all.list[i].base, &why))
            alive = kg__timed_case_mark_failed(&all.list[i].base, &why, with->bench.records);
    }
    if (!alive || !time_contenders(with, &all))
        alive = kg__fail(error, "%s: the device was lost while timing: see nvidia-smi",
                         all.comparison->name);
    kg__buffer_sets_free(&all.grounds);
    for (size_t i = 0; i < count; i++) {
        free(all.list[i].hot);
        free(all.list[i].cold);
    }
    free(all.list);
    return alive;
}

/* The number of cases from the front that are timed side by side. */
static size_t group_length(const kg__case *const *cases, size_t count)
{
    size_t length = 1;

    while (length < count && kg__table_side_by_side(cases[0], cases[length]))
        length++;
    return length;
}

static bool time_groups(kg__tools *with, const kg_comparison *comparison,
                        const kg__case *const *cases, size_t count, kg__error *error)
{
    kg__problems known = { .comparison = comparison };
    bool alive = true;

    for (size_t i = 0, length; i < count && alive; i += length) {
        length = group_length(cases + i, count - i);
        if (i > 0 && cases[i]->size != cases[i - 1]->size)
            kg__problems_forget(&known);
        alive = time_group(with, &known, cases + i, length, error);
    }
    kg__problems_forget(&known);
    return alive;
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    kg__tools with;
    bool good;

    if (strcmp(part, "launch") == 0)
        return kg__launch_cases(comparison, cases, count, records, error);
    if (strcmp(part, KG__PART_TUNE) == 0)
        return kg__tune_cases(comparison, cases, count, records, error);
    good = kg__tools_open(&with, records, error) && kg__tools_time_sentinels(&with, error);
    /* Before any case has begun, a failure is the device's, and another process would fare no
     * better. */
    if (!good)
        kg__report(records, "broken", NULL, error->text);
    good = good && time_groups(&with, comparison, cases, count, error) &&
           kg__tools_time_sentinels(&with, error);
    kg__tools_close(&with);
    return good;
}
