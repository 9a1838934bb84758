/* SPDX-License-Identifier: MIT */
#include "observer/tune_search.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>

#include "device/device.h"

/* Milliseconds of a sample in a race's first round and in later ones. The first round only has
 * to drop the many candidates that are far off. */
#define FIRST_SAMPLE_MS 0.1
#define LATER_SAMPLE_MS 0.25
/* Candidates that are at most this much slower than the leader stay in the first round, whose
 * samples are not interleaved. */
#define FIRST_MARGIN 0.02
/* A single launch seems to take up to this many times as long as one of many, because of the
 * cost of its start. */
#define OVERSTATED 4

/* Runs the first round of a candidate's race; the `best` launch so far takes that many ns
 * (INFINITY: this is the first). All samples have as many launches as suit the best, because a
 * graph's start is a part of each sample and must be the same fraction; only much slower
 * candidates have fewer. False when the device is lost. */
static bool run_first_round(kg__tune_run *run, kg__tuned_case *tuned, double best)
{
    double launch_ns = isfinite(best) ? fmax(best, tuned->estimate / OVERSTATED) : tuned->estimate;
    kg__tuned_case *list[] = { tuned };
    kg__error why = { "" };

    if (!kg__tuned_case_make_loop(run, tuned, FIRST_SAMPLE_MS, launch_ns))
        return false;
    if (tuned->base.dropped)
        return true;
    kg__racer_restart(&tuned->racer);
    if (!kg__tuned_cases_sample(run, list, 1, false, &why))
        return kg__tuned_case_mark_failed(run, tuned, &why);
    tuned->launches = tuned->loop.launches;
    tuned->clock = "graph";
    kg__loop_discard(&tuned->loop);
    return isfinite(best) || run_first_round(run, tuned, tuned->racer.interval.value);
}

static int64_t count_resident_threads(void)
{
    kg__limits limits = kg__device_limits();

    return (int64_t)limits.multiprocessors * limits.threads_per_multiprocessor;
}

/* Returns whether a candidate need not be tried because one with twice its blocks was tried. */
static bool is_skipped(const kg__tune_run *run, const kg__tune_group *group, size_t index,
                       double best)
{
    const kg_launch *launch = &group->list[index]->base.c->launch;
    int grid = kg__axis_of(run->comparison, "grid");

    for (size_t i = index + 1; grid >= 0 && launch->axis[grid] != 0 && i < group->count; i++) {
        const kg__tuned_case *larger = group->list[i];
        kg_launch same = larger->base.c->launch;

        if (same.axis[grid] / 2 < launch->axis[grid])
            continue;
        same.axis[grid] = launch->axis[grid];
        if (kg__launches_equal(&same, launch) && kg__tuned_case_is_timed(larger))
            return kg__race_passes_over(larger->racer.interval.value, best, larger->threads,
                                        count_resident_threads());
    }
    return false;
}

/* An index into an array, to be sorted. */
typedef struct ordered_index {
    double distance;
    size_t index;
} ordered_index;

static int compare_distances(const void *left, const void *right)
{
    const ordered_index *a = left;
    const ordered_index *b = right;

    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Returns the order in which candidates are tried: those first whose threads just fill the
 * device, so that the best time is known early, then outward on either side. */
static ordered_index *make_order(const kg__tune_group *group)
{
    ordered_index *order = kg__allocate(group->count, sizeof *order);

    for (size_t i = 0; i < group->count; i++) {
        int64_t threads = group->list[i]->threads;

        order[i].index = i;
        if (threads > 0)
            order[i].distance = fabs(log2((double)threads / (double)count_resident_threads()));
    }
    qsort(order, group->count, sizeof *order, compare_distances);
    return order;
}

/* Enters every candidate of a variant and runs its first round, if it is worth trying. False
 * when the device is lost. */
static bool run_first_rounds(kg__tune_run *run, const kg__tune_group *group)
{
    ordered_index *order = make_order(group);
    double best = INFINITY;
    bool alive = true;

    for (size_t i = 0; i < group->count && alive; i++) {
        kg__tuned_case *tuned = group->list[order[i].index];

        tuned->skipped = is_skipped(run, group, order[i].index, best);
        if (!tuned->skipped) {
            alive = kg__tuned_case_enter(run, tuned);
            if (alive && !tuned->base.dropped)
                alive = run_first_round(run, tuned, best);
            if (kg__tuned_case_is_timed(tuned))
                best = fmin(best, tuned->racer.interval.value);
        }
        run->done++;
        kg__tune_run_progress(run, tuned->base.c);
    }
    free(order);
    return alive;
}

/* Collects the candidates still in a race, in `list`, which has space for all. */
static size_t list_racing(const kg__tune_group *group, kg__tuned_case **list)
{
    size_t count = 0;

    for (size_t i = 0; i < group->count; i++) {
        if (kg__tuned_case_is_timed(group->list[i]) && group->list[i]->racer.dropped_in_round == 0)
            list[count++] = group->list[i];
    }
    return count;
}

static bool end_round(kg__tuned_case *const *racing, size_t count, int round)
{
    kg__racer **racers = kg__allocate(count, sizeof(kg__racer *));
    bool goes_on;

    for (size_t i = 0; i < count; i++)
        racers[i] = &racing[i]->racer;
    goes_on =
        kg__race_end_round(racers, count, round, round == 1 ? FIRST_MARGIN : 0, KG__TUNE_PRECISION);
    free(racers);
    return goes_on;
}

/* Makes the loops of the later rounds, which are sampled again. False when the device is lost. */
static bool make_later_loops(kg__tune_run *run, kg__tuned_case *const *racing, size_t count)
{
    kg__error why = { "" };
    bool alive = true;

    if (count > 0 &&
        !kg__buffer_set_fill(racing[0]->base.buffer_set, run->tools.bench.stream, &why))
        return kg__tuned_cases_mark_failed(run, racing, count, &why);
    for (size_t i = 0; i < count && alive; i++) {
        kg__report(run->records, KG__EVENT_START, racing[i]->base.c->id, NULL);
        alive = kg__tuned_case_make_loop(run, racing[i], LATER_SAMPLE_MS,
                                         racing[i]->racer.interval.value);
        racing[i]->launches = racing[i]->loop.launches;
        kg__racer_restart(&racing[i]->racer);
    }
    return alive;
}

bool kg__tune_group_race(kg__tune_run *run, const kg__tune_group *group)
{
    kg__tuned_case **racing = kg__allocate(group->count, sizeof(kg__tuned_case *));
    bool alive = run_first_rounds(run, group);
    bool goes_on = alive && end_round(racing, list_racing(group, racing), 1);

    if (goes_on)
        alive = make_later_loops(run, racing, list_racing(group, racing));
    for (int round = 2; goes_on && alive; round++) {
        size_t count = list_racing(group, racing);
        kg__error why = { "" };

        if (count == 0)
            break;
        if (kg__tuned_cases_sample(run, racing, count, false, &why))
            goes_on = end_round(racing, count, round);
        else
            alive = kg__tuned_cases_mark_failed(run, racing, count, &why);
        for (size_t i = 0; i < count; i++) {
            if (racing[i]->racer.dropped_in_round != 0)
                kg__loop_discard(&racing[i]->loop);
        }
        kg__tune_run_progress(run, group->list[0]->base.c);
    }
    for (size_t i = 0; i < group->count; i++)
        kg__loop_discard(&group->list[i]->loop);
    free(racing);
    return alive;
}
