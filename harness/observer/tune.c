/* SPDX-License-Identifier: MIT */
#include "observer/tune.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/device.h"
#include "observer/tune_search.h"

/* Times launches that no graph can hold. False when the device is lost. */
static bool time_by_own_clock(kg__tune_run *run, kg__tuned_case *tuned)
{
    kg__series *series;
    kg__error why = { "" };
    kg__tuned_workload workload;
    bool alive = kg__tuned_case_enter(run, tuned);
    bool good;

    run->done++;
    kg__tune_run_progress(run, tuned->base.c);
    if (!alive || tuned->base.dropped)
        return alive;
    series = kg__allocate(1, sizeof *series);
    good = kg__buffer_set_fill(tuned->base.buffer_set, run->tools.bench.stream, &why) &&
           kg__prepare_launch(tuned->base.c, &tuned->base.buffer_set->buffers, &why) &&
           kg__timed_case_sample(&tuned->base, &run->tools.bench,
                                 kg__tuned_case_workload(run, tuned, &workload),
                                 1000 * run->tools.case_seconds, series, &why);
    for (size_t i = 0; i < series->count; i++)
        kg__racer_add(&tuned->racer, series->samples[i]);
    tuned->racer.interval = series->interval;
    tuned->launches = series->launches;
    tuned->clock = series->clock;
    free(series);
    return good || kg__tuned_case_mark_failed(run, tuned, &why);
}

static bool run_group(kg__tune_run *run, const kg__tune_group *group)
{
    bool alive = true;

    if (group->list[0]->base.c->variant->advanced.clock == KG_GRAPH_CLOCK)
        return kg__tune_group_race(run, group);
    for (size_t i = 0; i < group->count && alive; i++)
        alive = time_by_own_clock(run, group->list[i]);
    return alive;
}

/* Returns whether `tuned` is better than `other` by occupancy, and by time if that is the same. */
static bool is_better_occupied(const kg__tuned_case *tuned, const kg__tuned_case *other)
{
    if (isnan(tuned->kernel.occupancy) ||
        (!isnan(other->kernel.occupancy) && tuned->kernel.occupancy < other->kernel.occupancy))
        return false;
    return isnan(other->kernel.occupancy) || tuned->kernel.occupancy > other->kernel.occupancy ||
           tuned->racer.interval.value < other->racer.interval.value;
}

/* Names the finalists of a variant: the best by time of those that remained to the end, and the
 * best by occupancy, whenever it was dropped. */
static void name_finalists(const kg__tune_group *group)
{
    kg__tuned_case *fastest = NULL;
    kg__tuned_case *fullest = NULL;

    if (group->list[0]->base.c->variant->advanced.clock != KG_GRAPH_CLOCK)
        return;
    for (size_t i = 0; i < group->count; i++) {
        kg__tuned_case *tuned = group->list[i];

        if (!kg__tuned_case_is_timed(tuned))
            continue;
        if (tuned->racer.dropped_in_round == 0 &&
            (fastest == NULL || tuned->racer.interval.value < fastest->racer.interval.value))
            fastest = tuned;
        if (fullest == NULL || is_better_occupied(tuned, fullest))
            fullest = tuned;
    }
    if (fastest != NULL)
        fastest->is_finalist = fullest->is_finalist = true;
}

/* Fills the buffer sets of some candidates, each once; false with `why`. */
static bool fill_buffer_sets(kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                             kg__error *why)
{
    for (size_t i = 0; i < count; i++) {
        bool filled = false;

        for (size_t j = 0; j < i; j++)
            filled = filled || list[j]->base.buffer_set == list[i]->base.buffer_set;
        if (!filled && !kg__buffer_set_fill(list[i]->base.buffer_set, run->tools.bench.stream, why))
            return false;
    }
    return true;
}

/* Times the finalists together, and checks them again. False when the device is lost. */
static bool run_final(kg__tune_run *run, kg__tuned_case *list, size_t count)
{
    kg__tuned_case **finalists = kg__allocate(count, sizeof(kg__tuned_case *));
    kg__error why = { "" };
    size_t finalist_count = 0;
    size_t ready = 0;
    bool alive = true;

    for (size_t i = 0; i < count; i++) {
        if (list[i].is_finalist)
            finalists[finalist_count++] = &list[i];
    }
    if (!fill_buffer_sets(run, finalists, finalist_count, &why))
        alive = kg__tuned_cases_mark_failed(run, finalists, finalist_count, &why);
    for (size_t i = 0; i < finalist_count && alive; i++) {
        kg__tuned_case *tuned = finalists[i];

        kg__report(run->records, KG__EVENT_START, tuned->base.c->id, NULL);
        if (!tuned->base.dropped)
            alive = kg__tuned_case_make_loop(run, tuned, KG__FULL_SAMPLE_MS,
                                             tuned->racer.interval.value);
        if (!tuned->base.dropped)
            finalists[ready++] = tuned;
    }
    kg__bench_forget(&run->tools.bench);
    run->tools.bench.watch.due = true;
    if (alive && !kg__tuned_cases_sample_fully(run, finalists, ready, &why))
        alive = kg__tuned_cases_mark_failed(run, finalists, ready, &why);
    for (size_t i = 0; i < ready; i++) {
        kg__loop_discard(&finalists[i]->loop);
        if (alive && !finalists[i]->base.dropped) {
            kg__report(run->records, KG__EVENT_START, finalists[i]->base.c->id, NULL);
            alive = kg__tuned_case_check(run, finalists[i], ", after timing");
        }
    }
    free(finalists);
    return alive;
}

static kg__figures figures_of(const kg__interval *interval)
{
    return (kg__figures){
        .name = "time_ns", .value = interval->value, .low = interval->low, .high = interval->high
    };
}

static void report_measured(const kg__tune_run *run, const kg__tuned_case *tuned)
{
    const kg__bench *bench = &run->tools.bench;
    kg__figures time = figures_of(&tuned->racer.interval);
    kg__figures final = figures_of(&tuned->last.interval);
    kg_work work;
    kg__observation observation = {
        .event = KG__EVENT_MEASURED,
        .id = tuned->base.c->id,
        .metrics = &time,
        .metric_count = 1,
        .kernel = (kg__kernel_code *)&tuned->kernel,
        .work = kg__work_of(run->comparison, tuned->base.c, &work),
        .dropped_in_round = (unsigned int)tuned->racer.dropped_in_round,
    };

    time.samples = (int64_t)tuned->racer.count;
    time.launches = tuned->launches;
    time.clock = tuned->clock;
    if (tuned->base.c->variant->advanced.clock != KG_GRAPH_CLOCK)
        observation.no_final = "it cannot be captured in a graph, and is timed by its own clock";
    if (tuned->is_finalist) {
        final.samples_ns = tuned->last.samples;
        final.samples_ns_count = tuned->last.count;
        observation.final = &final;
        observation.throttled = bench->watch.throttled;
        observation.gpu_state = &bench->watch.state;
    }
    kg__report_observation(run->records, &observation);
}

/* Reports a size's result. */
static void report_size(const kg__tune_run *run, const kg__tuned_case *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].skipped)
            kg__report(run->records, KG__EVENT_SKIPPED, list[i].base.c->id,
                       "a launch with at least twice the blocks, all resident at once, takes over "
                       "twice the best time");
        else if (kg__tuned_case_is_timed(&list[i]))
            report_measured(run, &list[i]);
    }
}

/* Returns the candidates of `variant` among those of a size, in `list`, which has space for all. */
static kg__tune_group collect_group(kg__tuned_case *candidates, size_t count,
                                    const kg_variant *variant, kg__tuned_case **list)
{
    kg__tune_group group = { .list = list };

    for (size_t i = 0; i < count; i++) {
        if (candidates[i].base.c->variant == variant)
            list[group.count++] = &candidates[i];
    }
    return group;
}

/* Reads from captured launches, which never run, how many threads the candidates start. A launch
 * that cannot be captured is reported when it is launched. */
static void count_threads(const kg__tune_run *run, const kg__tune_group *group)
{
    kg__bare_buffers bare = { .size = NULL };

    for (size_t i = 0; i < group->count; i++) {
        kg__tuned_case *tuned = group->list[i];
        kg__kernel_launches launches = { .list = NULL };
        kg__error why = { "" };

        if (kg__bare_buffers_for(&bare, run->comparison, tuned->base.c, &why))
            (void)kg__device_launches(tuned->base.c, &bare.buffers, &launches, &why);
        for (size_t j = 0; j < launches.count; j++) {
            const dim3 *grid = &launches.list[j].grid;
            const dim3 *block = &launches.list[j].block;
            int64_t threads = (int64_t)grid->x * grid->y * grid->z * block->x * block->y * block->z;

            tuned->threads = threads > tuned->threads ? threads : tuned->threads;
        }
        free(launches.list);
    }
    kg__buffers_free(&bare.buffers);
}

static bool run_groups(kg__tune_run *run, kg__tuned_case *list, size_t count)
{
    kg__tuned_case **list_of_variant = kg__allocate(count, sizeof(kg__tuned_case *));
    bool alive = true;

    for (const kg_variant *variant = run->comparison->variants; variant->name != NULL && alive;
         variant++) {
        kg__tune_group group = collect_group(list, count, variant, list_of_variant);

        if (group.count == 0)
            continue;
        count_threads(run, &group);
        alive = run_group(run, &group);
        name_finalists(&group);
    }
    free(list_of_variant);
    return alive;
}

/* Tunes the candidates of one size. False when the device is lost. */
static bool tune_size(kg__tune_run *run, const kg__case *const *cases, size_t count)
{
    kg__tuned_case *list = kg__allocate(count, sizeof *list);
    bool alive;

    for (size_t i = 0; i < count; i++) {
        list[i].base.c = cases[i];
        list[i].kernel = kg__kernel_code_unknown;
    }
    kg__buffer_sets_make(&run->buffer_sets, count);
    alive = run_groups(run, list, count) && run_final(run, list, count);
    if (alive)
        report_size(run, list, count);
    for (size_t i = 0; i < count; i++) {
        kg__loop_discard(&list[i].loop);
        kg__racer_restart(&list[i].racer);
        kg__racer_restart(&list[i].last);
    }
    kg__buffer_sets_free(&run->buffer_sets);
    kg__problems_forget(&run->problems);
    kg__pool_free(&run->pool);
    free(list);
    return alive;
}

/* Tunes size by size; false with `error` when the device is lost. */
static bool tune_sizes(kg__tune_run *run, const kg__case *const *cases, size_t count,
                       kg__error *error)
{
    const kg__case **of_size = kg__allocate(count, sizeof(kg__case *));
    bool alive = true;

    for (const kg_size *size = run->comparison->sizes; size->extents != 0 && alive; size++) {
        size_t found = 0;

        for (size_t i = 0; i < count; i++) {
            if (cases[i]->size == size)
                of_size[found++] = cases[i];
        }
        if (found > 0)
            alive = tune_size(run, of_size, found);
    }
    free(of_size);
    return alive || kg__fail(error, "%s: the device was lost while tuning: see nvidia-smi",
                             run->comparison->name);
}

bool kg__tune_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                    int records, kg__error *error)
{
    kg__tune_run run = { .comparison = comparison,
                         .problems = { .comparison = comparison },
                         .records = records,
                         .total = count,
                         .started = kg__now() };
    bool good = kg__tools_open(&run.tools, records, error);

    run.tools.bench.precision = KG__TUNE_PRECISION;
    /* Before any case has begun, the device is at fault, and another process would fail too. */
    if (!good)
        kg__report(records, KG__EVENT_BROKEN, NULL, error->text);
    good = good && tune_sizes(&run, cases, count, error);
    kg__tools_close(&run.tools);
    return good;
}
