/* SPDX-License-Identifier: MIT */
/* Timing on a GPU: the cases of a size and number of threads per block are timed side by side,
 * each checked before and after. */
#include <stdlib.h>
#include <string.h>

#include "device/device_gpu.h"
#include "observer/check.h"
#include "observer/demand.h"
#include "observer/identify.h"
#include "observer/launch.h"
#include "observer/measure.h"
#include "observer/report_record.h"
#include "observer/time_bench.h"
#include "observer/timed_group.h"
#include "observer/tune.h"

/* The fraction of a case's seconds for each of its metrics, and for times in which the host
 * takes part, also through its memory: by the baselines' noise, sessions of those differ by 3 to
 * 15 %, which a narrower interval in one process would not change. */
#define METRIC_SHARE 0.5
#define HOST_TIME_SHARE 0.2

/* A case of the group that is being timed. */
typedef struct grouped_case {
    kg__timed_case base;
    kg__series *hot;
    kg__series *cold;
    char no_cold[192]; /* why there is no cold time, or "" */
} grouped_case;

/* The cases of a size and number of threads per block, timed side by side. */
typedef struct timed_group {
    const kg_comparison *comparison;
    grouped_case *list;
    size_t count;
    kg__buffer_sets buffer_sets;
} timed_group;

/* Marks every remaining timed case of `buffer_set` (NULL: of all) as failed. False when the
 * device is lost. */
static bool mark_all_failed(const kg__tools *tools, const timed_group *group,
                            const kg__buffer_set *buffer_set, const char *when,
                            const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "%s: %s", when, why->text);
    for (size_t i = 0; i < group->count; i++) {
        grouped_case *timed = &group->list[i];

        if (!timed->base.dropped && (buffer_set == NULL || timed->base.buffer_set == buffer_set))
            alive =
                kg__timed_case_mark_failed(&timed->base, &reason, tools->bench.records) && alive;
    }
    return alive;
}

/* Returns the fraction of a case's seconds that one of its metrics may take. */
static double budget_share(const grouped_case *timed)
{
    bool of_host = timed->base.c->variant->advanced.clock != KG_GRAPH_CLOCK;

    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        of_host = of_host || timed->base.c->variant->advanced.memory[i] == KG_PINNED;
    return of_host ? HOST_TIME_SHARE : METRIC_SHARE;
}

/* Returns whether a timed case is timed at all, or cold. */
static bool is_sampled(const grouped_case *timed, bool cold)
{
    return !timed->base.dropped && (!cold || timed->no_cold[0] == '\0');
}

/* Restores the earlier launch cost. False when the device is lost. */
static bool settle_launch_cost(kg__tools *tools, const timed_group *group)
{
    kg__error why = { "" };

    return kg__tools_settle(tools, &why) ||
           mark_all_failed(tools, group, NULL, "before sampling", &why);
}

/* Prepares and samples one metric of every timed case that takes part. Cases that the graph
 * clock cannot time are sampled one by one. False when the device is lost. */
static bool time_metric(kg__tools *tools, timed_group *group, bool cold)
{
    kg__series **active = kg__allocate(group->count, sizeof(kg__series *));
    kg__error why = { "" };
    size_t count = 0;
    bool alive = settle_launch_cost(tools, group);

    for (size_t i = 0; i < group->count && alive; i++) {
        grouped_case *timed = &group->list[i];
        kg__buffer_set *buffer_set = timed->base.buffer_set;
        kg__rotation rotation = { timed->base.c, &buffer_set->buffers,
                                  cold ? buffer_set->copies : &buffer_set->buffers.data,
                                  cold ? buffer_set->copy_count : 1 };
        kg__workload workload = { kg__launch_rotation, &rotation, tools->bench.stream };
        kg__series *series = cold ? timed->cold : timed->hot;

        if (!is_sampled(timed, cold))
            continue;
        /* If the process ends from here on, this case is the cause. */
        kg__report(tools->bench.records, KG__EVENT_START, timed->base.c->id, NULL);
        bool in_graph = timed->base.c->variant->advanced.clock == KG_GRAPH_CLOCK;
        double budget_ms = budget_share(timed) * 1000 * tools->case_seconds;
        bool good = kg__prepare_launch(timed->base.c, &buffer_set->buffers, &why) &&
                    (in_graph ? kg__graph_prepare(&tools->bench, &workload, rotation.copy_count,
                                                  budget_ms, series, &why)
                              : kg__timed_case_sample(&timed->base, &tools->bench, &workload,
                                                      budget_ms, series, &why));

        if (!good)
            alive = kg__timed_case_mark_failed(&timed->base, &why, tools->bench.records);
        else if (in_graph)
            active[count++] = series;
    }
    tools->bench.watch.due = true;
    if (alive && count > 0 && !kg__graph_sample(&tools->bench, active, count, &why))
        alive = mark_all_failed(tools, group, NULL, "while timed side by side", &why);
    for (size_t i = 0; i < count; i++)
        kg__graph_discard(active[i]);
    free(active);
    return alive;
}

/* Gives each timed case its buffer set. False when the device is lost. */
static bool assign_buffers(const kg__tools *tools, timed_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        kg__timed_case *timed = &group->list[i].base;

        if (!timed->dropped &&
            !kg__timed_case_assign_buffers(timed, &group->buffer_sets, tools->bench.records))
            return false;
    }
    return true;
}

/* Returns the figures of a case's metric, with the samples that a report shows if it fails. */
static kg__figures case_figures(const kg__tools *tools, const grouped_case *timed,
                                const kg_work *work, bool cold)
{
    const kg__series *series = cold ? timed->cold : timed->hot;
    kg__figures figures = kg__series_figures(series, cold ? "cold_time_ns" : "time_ns");
    kg__demand demand =
        kg__demand_of(work, timed->base.c->variant, &timed->base.buffer_set->buffers.arguments,
                      cold ? 0 : tools->l2_bytes);

    figures.samples_ns = series->samples;
    figures.samples_ns_count = series->count;
    figures.bound = kg__bound_of(&demand, tools->per_second);
    return figures;
}

/* Returns whether any timed case is still timed on a buffer set. */
static bool is_used(const timed_group *group, const kg__buffer_set *buffer_set)
{
    for (size_t i = 0; i < group->count; i++) {
        if (!group->list[i].base.dropped && group->list[i].base.buffer_set == buffer_set)
            return true;
    }
    return false;
}

static void report_measured(const kg__tools *tools, const timed_group *group,
                            const grouped_case *timed)
{
    kg_work asked;
    const kg_work *work = kg__work_of(group->comparison, timed->base.c, &asked);
    kg__figures metrics[2] = { case_figures(tools, timed, work, false) };
    kg__absence no_cold = { "cold_time_ns", timed->no_cold };
    kg__pool pool = { NULL };
    kg__kernel_code kernel =
        kg__device_kernel(&pool, timed->base.c, &timed->base.buffer_set->buffers);
    kg__observation observation = {
        .event = KG__EVENT_MEASURED,
        .id = timed->base.c->id,
        .metrics = metrics,
        .metric_count = 1,
        .absent.list = &no_cold,
        .gpu_state = &tools->bench.watch.state,
        .throttled = tools->bench.watch.throttled,
        .kernel = &kernel,
        .work = work,
    };

    kg__add_fingerprint(&kernel);
    if (timed->no_cold[0] == '\0') {
        metrics[observation.metric_count] = case_figures(tools, timed, work, true);
        metrics[observation.metric_count++].buffer_sets = timed->base.buffer_set->copy_count;
    } else {
        observation.absent.count = 1;
    }
    kg__report_observation(tools->bench.records, &observation);
    kg__pool_free(&pool);
}

/* Fills every buffer set for the hot times. False when the device is lost. */
static bool fill_buffer_sets(const kg__tools *tools, timed_group *group)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < group->buffer_sets.count && alive; i++) {
        kg__buffer_set *buffer_set = &group->buffer_sets.list[i];

        if (!is_used(group, buffer_set))
            continue;
        if (!kg__buffer_set_fill(buffer_set, tools->bench.stream, &why))
            alive = mark_all_failed(tools, group, buffer_set, "before timing", &why);
    }
    return alive;
}

/* Makes the copies of every buffer set, and records which cases have a cold time. False when the
 * device is lost. */
static bool make_copies(const kg__tools *tools, timed_group *group)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < group->buffer_sets.count && alive; i++) {
        kg__buffer_set *buffer_set = &group->buffer_sets.list[i];

        if (is_used(group, buffer_set) && !buffer_set->first_touch &&
            !kg__buffer_set_make_copies(buffer_set, tools->l2_bytes, tools->bench.stream, &why))
            alive = mark_all_failed(tools, group, buffer_set, "before cold timing", &why);
    }
    for (size_t i = 0; i < group->count; i++) {
        grouped_case *timed = &group->list[i];

        if (timed->base.dropped)
            continue;
        kg__format(timed->no_cold, sizeof timed->no_cold, "%s",
                   timed->base.c->variant->advanced.clock != KG_GRAPH_CLOCK
                       ? "it cannot be captured in a graph, so that it has no cold time"
                       : timed->base.buffer_set->no_cold);
    }
    return alive;
}

/* Checks, times, checks again and reports every timed case. False when the device is lost. */
static bool time_and_check(kg__tools *tools, timed_group *group)
{
    bool alive;

    kg__bench_forget(&tools->bench);
    alive = assign_buffers(tools, group);
    for (size_t i = 0; i < group->count && alive; i++) {
        if (group->list[i].base.dropped)
            continue;
        kg__report(tools->bench.records, KG__EVENT_START, group->list[i].base.c->id, NULL);
        alive = kg__timed_case_check(&group->list[i].base, group->comparison, ", before timing",
                                     tools->bench.records);
    }
    if (!alive || !fill_buffer_sets(tools, group) || !time_metric(tools, group, false) ||
        !make_copies(tools, group) || !time_metric(tools, group, true))
        return false;
    for (size_t i = 0; i < group->count && alive; i++) {
        grouped_case *timed = &group->list[i];

        if (timed->base.dropped)
            continue;
        kg__report(tools->bench.records, KG__EVENT_START, timed->base.c->id, NULL);
        alive = kg__timed_case_check(&timed->base, group->comparison, ", after timing",
                                     tools->bench.records);
        if (alive && !timed->base.dropped)
            report_measured(tools, group, timed);
    }
    return alive;
}

static bool time_group(kg__tools *tools, kg__problems *problems, const kg__case *const *cases,
                       size_t count, kg__error *error)
{
    timed_group group = { .comparison = problems->comparison, .count = count };
    kg__error why = { "" };
    bool alive = true;

    group.list = kg__allocate(count, sizeof *group.list);
    kg__buffer_sets_make(&group.buffer_sets, count);
    for (size_t i = 0; i < count; i++) {
        group.list[i].base.c = cases[i];
        group.list[i].hot = kg__allocate(1, sizeof(kg__series));
        group.list[i].cold = kg__allocate(1, sizeof(kg__series));
        if (!alive)
            continue;
        /* A reference may crash or take long. */
        kg__report(tools->bench.records, KG__EVENT_START, cases[i]->id, NULL);
        if (!kg__problems_learn(problems, &group.list[i].base, &why))
            alive = kg__timed_case_mark_failed(&group.list[i].base, &why, tools->bench.records);
    }
    if (!alive || !time_and_check(tools, &group))
        alive = kg__fail(error, "%s: the device was lost while timing: see nvidia-smi",
                         group.comparison->name);
    kg__buffer_sets_free(&group.buffer_sets);
    for (size_t i = 0; i < count; i++) {
        free(group.list[i].hot);
        free(group.list[i].cold);
    }
    free(group.list);
    return alive;
}

/* Returns the number of cases from the front that are timed side by side. */
static size_t group_length(const kg__case *const *cases, size_t count)
{
    size_t length = 1;

    while (length < count && kg__table_side_by_side(cases[0], cases[length]))
        length++;
    return length;
}

static bool time_groups(kg__tools *tools, const kg_comparison *comparison,
                        const kg__case *const *cases, size_t count, kg__error *error)
{
    kg__problems problems = { .comparison = comparison };
    bool alive = true;

    for (size_t i = 0, length; i < count && alive; i += length) {
        length = group_length(cases + i, count - i);
        if (i > 0 && cases[i]->size != cases[i - 1]->size)
            kg__problems_forget(&problems);
        alive = time_group(tools, &problems, cases + i, length, error);
    }
    kg__problems_forget(&problems);
    return alive;
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    kg__tools tools;
    bool good;

    if (strcmp(part, "launch") == 0)
        return kg__launch_cases(comparison, cases, count, records, error);
    if (strcmp(part, KG__PART_IDENTIFY) == 0)
        return kg__identify_cases(comparison, cases, count, records, error);
    if (strcmp(part, KG__PART_TUNE) == 0)
        return kg__tune_cases(comparison, cases, count, records, error);
    good = kg__tools_open(&tools, records, error) && kg__tools_time_sentinels(&tools, error);
    /* Before any case has begun, the device has failed, and would fail another process too. */
    if (!good)
        kg__report(records, KG__EVENT_BROKEN, NULL, error->text);
    good = good && time_groups(&tools, comparison, cases, count, error) &&
           kg__tools_time_sentinels(&tools, error);
    kg__tools_close(&tools);
    return good;
}
