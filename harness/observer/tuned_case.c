/* SPDX-License-Identifier: MIT */
#include "observer/tuned_case.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "suite/case_id.h"
#include "suite/id_parts.h"

#define PROGRESS_EVERY_SECONDS 0.5
#define NS_PER_MS 1e6

bool kg__tuned_case_is_timed(const kg__tuned_case *tuned)
{
    return !tuned->base.dropped && tuned->launches > 0;
}

void kg__tune_run_progress(kg__tune_run *run, const kg__case *c)
{
    double now = kg__now();
    char size[KG__CASE_ID_SIZE];
    kg__observation progress = { .event = KG__EVENT_PROGRESS,
                                 .comparison = run->comparison->name,
                                 .size = size,
                                 .done = (int64_t)run->done,
                                 .total = (int64_t)run->total };

    if (now - run->progress_reported < PROGRESS_EVERY_SECONDS)
        return;
    run->progress_reported = now;
    kg__case_id_size(c->id, size, sizeof size);
    if (run->done > 0)
        progress.seconds_left =
            (now - run->started) * (double)(run->total - run->done) / (double)run->done;
    kg__report_observation(run->records, &progress);
}

static int count_launches(double sample_ms, double launch_ns)
{
    double count = sample_ms * NS_PER_MS / fmax(launch_ns, 1);

    return (int)fmax(1, fmin(count, KG__LAUNCHES_MAXIMUM));
}

bool kg__tuned_case_mark_failed(const kg__tune_run *run, kg__tuned_case *tuned,
                                const kg__error *why)
{
    return kg__timed_case_mark_failed(&tuned->base, why, run->records);
}

bool kg__tuned_cases_mark_failed(const kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                                 const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "while timed side by side: %s", why->text);
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->base.dropped)
            alive = kg__tuned_case_mark_failed(run, list[i], &reason) && alive;
    }
    return alive;
}

const kg__workload *kg__tuned_case_workload(kg__tune_run *run, kg__tuned_case *tuned,
                                            kg__tuned_workload *workload)
{
    workload->rotation = (kg__rotation){ tuned->base.c, &tuned->base.buffer_set->buffers,
                                         &tuned->base.buffer_set->buffers.data, 1 };
    workload->workload =
        (kg__workload){ kg__launch_rotation, &workload->rotation, run->tools.bench.stream };
    return &workload->workload;
}

bool kg__tuned_case_check(kg__tune_run *run, kg__tuned_case *tuned, const char *when)
{
    kg__error why = { "" };
    kg__outcome outcome =
        kg__timed_case_try(&tuned->base, run->comparison, when, run->records, &why);

    if (outcome == KG__RIGHT || outcome == KG__INCORRECT)
        return true;
    if (outcome == KG__FAILED && kg__launch_was_refused()) {
        kg__report(run->records, KG__EVENT_REFUSED, tuned->base.c->id, why.text);
        tuned->base.dropped = true;
        return true;
    }
    return kg__tuned_case_mark_failed(run, tuned, &why);
}

bool kg__tuned_case_enter(kg__tune_run *run, kg__tuned_case *tuned)
{
    kg__error why = { "" };
    kg__tuned_workload workload;

    kg__report(run->records, KG__EVENT_START, tuned->base.c->id, NULL);
    if (!kg__problems_learn(&run->problems, &tuned->base, &why))
        return kg__tuned_case_mark_failed(run, tuned, &why);
    if (!kg__timed_case_assign_buffers(&tuned->base, &run->buffer_sets, run->records) ||
        tuned->base.dropped)
        return !kg__device_is_lost();
    if (!kg__tuned_case_check(run, tuned, ", before timing") || tuned->base.dropped)
        return !kg__device_is_lost();
    tuned->kernel = kg__device_kernel(&run->pool, tuned->base.c, &tuned->base.buffer_set->buffers);
    if (tuned->base.c->variant->advanced.clock != KG_GRAPH_CLOCK)
        return true;
    if (!kg__device_move(&tuned->base.buffer_set->buffers, true, run->tools.bench.stream, &why) ||
        !kg__launch_time(&run->tools.bench, kg__tuned_case_workload(run, tuned, &workload),
                         &tuned->estimate, &why))
        return kg__tuned_case_mark_failed(run, tuned, &why);
    return true;
}

bool kg__tuned_case_make_loop(kg__tune_run *run, kg__tuned_case *tuned, double sample_ms,
                              double launch_ns)
{
    kg__error why = { "" };
    kg__tuned_workload workload;

    kg__loop_discard(&tuned->loop);
    if (kg__prepare_launch(tuned->base.c, &tuned->base.buffer_set->buffers, &why) &&
        kg__loop_make(kg__tuned_case_workload(run, tuned, &workload),
                      count_launches(sample_ms, launch_ns), &tuned->loop, &why))
        return true;
    return kg__tuned_case_mark_failed(run, tuned, &why);
}

/* The racers to add samples to: those of the search, or those of the final. */
typedef struct sample_target {
    kg__tuned_case *const *list;
    bool is_final;
} sample_target;

static kg__racer *select_racer(kg__tuned_case *tuned, bool is_final)
{
    return is_final ? &tuned->last : &tuned->racer;
}

static void add_sample(void *context, size_t index, double ns)
{
    const sample_target *sample_target = context;

    kg__racer_add(select_racer(sample_target->list[index], sample_target->is_final), ns);
}

bool kg__tuned_cases_sample(kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                            bool is_final, kg__error *why)
{
    const kg__loop **loops = kg__allocate(count, sizeof(kg__loop *));
    sample_target target = { .list = list, .is_final = is_final };
    bool good;

    for (size_t i = 0; i < count; i++)
        loops[i] = &list[i]->loop;
    good = count == 0 || kg__loops_replay(&run->tools.bench, loops, count, KG__ROUND_SAMPLES,
                                          add_sample, &target, why);
    free(loops);
    for (size_t i = 0; i < count; i++)
        kg__racer_look(select_racer(list[i], is_final));
    return good;
}

/* Returns whether a finalist's median is precise enough, or has used up its time. */
static bool is_sampled_enough(const kg__tune_run *run, const kg__tuned_case *tuned)
{
    const kg__racer *racer = &tuned->last;
    double spent_ns = racer->interval.value * tuned->loop.launches * (double)racer->count;

    return kg__racer_is_precise(racer, KG__TUNE_PRECISION) ||
           spent_ns >= KG__NS_PER_SECOND * run->tools.case_seconds ||
           racer->count >= KG__SAMPLES_MAXIMUM;
}

bool kg__tuned_cases_sample_fully(kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                                  kg__error *why)
{
    size_t open = count;
    bool good = true;

    while (open > 0 && good) {
        good = kg__tuned_cases_sample(run, list, count, true, why);
        open = 0;
        for (size_t i = 0; i < count; i++)
            open += !is_sampled_enough(run, list[i]);
    }
    return good;
}
