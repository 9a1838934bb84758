#include "observer/tune_runners.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/observe.h"
#include "records/records.h"

#define PROGRESS_EVERY_SECONDS 0.5
#define NS_A_MS 1e6

bool kg__tuned_case_is_timed(const kg__tuned_case *who)
{
    return !who->base.out && who->launches > 0;
}

void kg__tuning_progress(kg__tuning *all, const kg__case *one)
{
    double now = kg__now();
    const char *size = one->id + kg__variant_length(one->id);
    json_t *record;

    if (now - all->told < PROGRESS_EVERY_SECONDS)
        return;
    all->told = now;
    record = json_pack("{s:s, s:s, s:s%, s:I, s:I}", "event", "progress", "comparison",
                       all->comparison->name, "size", size, strcspn(size, "/"), "done",
                       (json_int_t)all->done, "of", (json_int_t)all->of);
    if (all->done > 0)
        json_object_set_new(
            record, "seconds_left",
            json_real((now - all->began) * (double)(all->of - all->done) / (double)all->done));
    kg__report_record(all->records, record);
}

static int launches_for(double sample_ms, double launch_ns)
{
    double wanted = sample_ms * NS_A_MS / fmax(launch_ns, 1);

    return (int)fmax(1, fmin(wanted, KG__LAUNCHES_MAXIMUM));
}

bool kg__tuned_case_mark_failed(const kg__tuning *all, kg__tuned_case *who, const kg__error *why)
{
    return kg__timed_case_mark_failed(&who->base, why, all->records);
}

bool kg__tuned_cases_mark_failed(const kg__tuning *all, kg__tuned_case *const *list, size_t count,
                                 const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "while timed side by side: %s", why->text);
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->base.out)
            alive = kg__tuned_case_mark_failed(all, list[i], &reason) && alive;
    }
    return alive;
}

const kg__timed *kg__tuned_case_launches(kg__tuning *all, kg__tuned_case *who, kg__subject *room)
{
    room->turn = (kg__rotation){ who->base.one, &who->base.place->buffers.data, 1 };
    room->what = (kg__timed){ kg__launch_rotation, &room->turn, all->tools.bench.stream };
    return &room->what;
}

bool kg__tuned_case_check(kg__tuning *all, kg__tuned_case *who, const char *when)
{
    kg__error why = { "" };
    kg__outcome outcome = kg__timed_case_try(&who->base, all->comparison, when, all->records, &why);

    if (outcome == KG__RIGHT || outcome == KG__INCORRECT)
        return true;
    if (outcome == KG__FAILED && kg__launch_was_refused()) {
        kg__report(all->records, "refused", who->base.one->id, why.text);
        who->base.out = true;
        return true;
    }
    return kg__tuned_case_mark_failed(all, who, &why);
}

bool kg__tuned_case_enter(kg__tuning *all, kg__tuned_case *who)
{
    kg__error why = { "" };
    kg__subject room;

    kg__report(all->records, "start", who->base.one->id, NULL);
    if (!kg__problems_learn(&all->known, &who->base, &why))
        return kg__tuned_case_mark_failed(all, who, &why);
    if (!kg__timed_case_place(&who->base, &all->grounds, all->records) || who->base.out)
        return !kg__device_is_lost();
    if (!kg__tuned_case_check(all, who, ", before timing") || who->base.out)
        return !kg__device_is_lost();
    kg__problem_keep(who->base.proven, &who->base.place->buffers);
    who->kernel = kg__device_kernel(who->base.one, &who->base.place->buffers);
    who->occupancy = kg__json_number(who->kernel, "occupancy");
    if (who->base.one->variant->clock != KG_GRAPH_CLOCK)
        return true;
    if (!kg__device_move(&who->base.place->buffers, true, all->tools.bench.stream, &why) ||
        !kg__launch_time(&all->tools.bench, kg__tuned_case_launches(all, who, &room),
                         &who->estimate, &why))
        return kg__tuned_case_mark_failed(all, who, &why);
    return true;
}

bool kg__tuned_case_make_loop(kg__tuning *all, kg__tuned_case *who, double sample_ms,
                              double launch_ns)
{
    kg__error why = { "" };
    kg__subject room;

    kg__loop_discard(&who->loop);
    if (kg__prepare_launch(who->base.one, &who->base.place->buffers, &why) &&
        kg__loop_make(kg__tuned_case_launches(all, who, &room), launches_for(sample_ms, launch_ns),
                      &who->loop, &why))
        return true;
    return kg__tuned_case_mark_failed(all, who, &why);
}

/* Replays of runners' loops, into their racers: those of the search, or those of the final. */
typedef struct sampling {
    kg__tuned_case *const *list;
    bool is_final;
} sampling;

static kg__racer *racer_of(kg__tuned_case *who, bool is_final)
{
    return is_final ? &who->last : &who->racer;
}

static void take(void *context, size_t index, double ns)
{
    const sampling *all = context;

    kg__racer_add(racer_of(all->list[index], all->is_final), ns);
}

bool kg__tuned_cases_sample(kg__tuning *all, kg__tuned_case *const *list, size_t count,
                            bool is_final, kg__error *why)
{
    const kg__loop **loops = kg__allocate(count, sizeof(kg__loop *));
    sampling into = { .list = list, .is_final = is_final };
    bool good;

    for (size_t i = 0; i < count; i++)
        loops[i] = &list[i]->loop;
    good = count == 0 ||
           kg__loops_replay(&all->tools.bench, loops, count, KG__ROUND_SAMPLES, take, &into, why);
    free(loops);
    for (size_t i = 0; i < count; i++)
        kg__racer_look(racer_of(list[i], is_final));
    return good;
}

/* Whether a median is known well enough, or has cost what it may. */
static bool is_through(const kg__tuning *all, const kg__tuned_case *who, const kg__racer *racer)
{
    double spent_ns = racer->interval.value * who->loop.launches * (double)racer->count;

    return kg__racer_is_precise(racer, all->wanted.precision) ||
           spent_ns >= KG__NS_A_SECOND * all->tools.case_seconds ||
           racer->count >= KG__SAMPLES_MAXIMUM;
}

bool kg__tuned_cases_sample_fully(kg__tuning *all, kg__tuned_case *const *list, size_t count,
                                  bool is_final, kg__error *why)
{
    kg__tuned_case **active = kg__allocate(count, sizeof(kg__tuned_case *));
    size_t left = count;
    bool good = true;

    for (size_t i = 0; i < count; i++)
        active[i] = list[i];
    while (left > 0 && good) {
        size_t open = 0;

        good = kg__tuned_cases_sample(all, active, left, is_final, why);
        for (size_t i = 0; i < left; i++)
            open += !is_through(all, active[i], racer_of(active[i], is_final));
        if (is_final && open > 0)
            continue;
        open = 0;
        for (size_t i = 0; i < left; i++) {
            if (!is_through(all, active[i], racer_of(active[i], is_final)))
                active[open++] = active[i];
        }
        left = open;
    }
    free(active);
    return good;
}
