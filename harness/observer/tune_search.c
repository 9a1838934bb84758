#include "observer/tune_search.h"
#include "observer/report_record.h"

#include <math.h>
#include <stdlib.h>

#include "device/device.h"
#include "observer/observe.h"

/* A sample of a race's first round, and of its later ones, in ms. The first round is for the many
 * that are far off. */
#define FIRST_SAMPLE_MS 0.1
#define LATER_SAMPLE_MS 0.25
/* What is no more than this above the leader stays in the first round, whose samples are not
 * interleaved. */
#define FIRST_MARGIN 0.02
/* A lone launch seems to take up to so many times what one of many takes, by the cost of its start.
 */
#define OVERSTATED 4
/* Candidates that an exhaustive search times side by side. */
#define BATCH KG__REPLAYS_QUEUED

/* The first round of a runner's race, where the `best` launch so far takes so many ns (INFINITY:
 * this is the first). All have as many launches a sample as suit that one, for the start of a graph
 * is a part of each sample, and must be the same part; but what takes much longer has fewer. False
 * when the device is lost. */
static bool run_first_round(kg__tuning *all, kg__tuned_case *who, double best)
{
    double launch_ns = isfinite(best) ? fmax(best, who->estimate / OVERSTATED) : who->estimate;
    kg__tuned_case *list[] = { who };
    kg__error why = { "" };

    if (!kg__tuned_case_make_loop(all, who, FIRST_SAMPLE_MS, launch_ns))
        return false;
    if (who->base.out)
        return true;
    kg__racer_restart(&who->racer);
    if (!kg__tuned_cases_sample(all, list, 1, false, &why))
        return kg__tuned_case_mark_failed(all, who, &why);
    who->launches = who->loop.launches;
    who->clock = "graph";
    kg__loop_discard(&who->loop);
    return isfinite(best) || run_first_round(all, who, who->racer.interval.value);
}

static int64_t threads_of(const kg__tuning *all, const kg__tuned_case *who)
{
    int64_t block = who->base.one->launch.block;
    int64_t grid = who->base.one->launch.grid;

    return (all->comparison->block_is_edge ? block * block : block) * grid;
}

static int64_t resident_threads(void)
{
    kg__limits limits = kg__device_limits();

    return (int64_t)limits.multiprocessors * limits.threads_a_multiprocessor;
}

/* Whether a runner need not be tried because of one that has twice its blocks and has been. */
static bool passes_over(const kg__tuning *all, const kg__tune_group *own, size_t index, double best)
{
    const kg_launch *launch = &own->list[index]->base.one->launch;

    for (size_t i = index + 1; launch->grid != 0 && i < own->count; i++) {
        const kg__tuned_case *more = own->list[i];

        if (more->base.one->launch.block != launch->block)
            break;
        if (more->base.one->launch.grid / 2 < launch->grid)
            continue;
        if (kg__tuned_case_is_timed(more))
            return kg__race_passes_over(more->racer.interval.value, best, threads_of(all, more),
                                        resident_threads());
    }
    return false;
}

/* An index into a field, to be sorted. */
typedef struct place_in_order {
    double distance;
    size_t index;
} place_in_order;

static int compare_places(const void *left, const void *right)
{
    const place_in_order *a = left;
    const place_in_order *b = right;

    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The order in which runners are tried: those first whose threads just fill the device, so that the
 * best time is known early, and on either side in steps away from there. */
static place_in_order *order_of(const kg__tuning *all, const kg__tune_group *own)
{
    place_in_order *order = kg__allocate(own->count, sizeof *order);

    for (size_t i = 0; i < own->count; i++) {
        int64_t threads = threads_of(all, own->list[i]);

        order[i].index = i;
        if (threads > 0)
            order[i].distance = fabs(log2((double)threads / (double)resident_threads()));
    }
    qsort(order, own->count, sizeof *order, compare_places);
    return order;
}

/* Enters every runner of a variant and runs its first round, as far as it is worth it. False when
 * the device is lost. */
static bool run_first_rounds(kg__tuning *all, const kg__tune_group *own)
{
    place_in_order *order = order_of(all, own);
    double best = INFINITY;
    bool alive = true;

    for (size_t i = 0; i < own->count && alive; i++) {
        kg__tuned_case *who = own->list[order[i].index];

        who->passed_over = passes_over(all, own, order[i].index, best);
        if (!who->passed_over) {
            alive = kg__tuned_case_enter(all, who);
            if (alive && !who->base.out)
                alive = run_first_round(all, who, best);
            if (kg__tuned_case_is_timed(who))
                best = fmin(best, who->racer.interval.value);
        }
        all->done++;
        kg__tuning_progress(all, who->base.one);
    }
    free(order);
    return alive;
}

/* The runners that are still in a race, in `list`, which has room for all. */
static size_t list_in(const kg__tune_group *own, kg__tuned_case **list)
{
    size_t count = 0;

    for (size_t i = 0; i < own->count; i++) {
        if (kg__tuned_case_is_timed(own->list[i]) && own->list[i]->racer.dropped_in_round == 0)
            list[count++] = own->list[i];
    }
    return count;
}

static bool end_round(const kg__tuning *all, kg__tuned_case *const *in, size_t count, int round)
{
    kg__racer **racers = kg__allocate(count, sizeof(kg__racer *));
    bool on;

    for (size_t i = 0; i < count; i++)
        racers[i] = &in[i]->racer;
    on = kg__race_end_round(racers, count, round, round == 1 ? FIRST_MARGIN : 0,
                            all->wanted.precision);
    free(racers);
    return on;
}

/* Makes the loops of the later rounds, which are sampled anew. False when the device is lost. */
static bool make_later_loops(kg__tuning *all, kg__tuned_case *const *in, size_t count)
{
    kg__error why = { "" };
    bool alive = true;

    if (count > 0 && !kg__buffer_set_fill(in[0]->base.place, all->tools.bench.stream, &why))
        return kg__tuned_cases_mark_failed(all, in, count, &why);
    for (size_t i = 0; i < count && alive; i++) {
        kg__report(all->records, "start", in[i]->base.one->id, NULL);
        alive = kg__tuned_case_make_loop(all, in[i], LATER_SAMPLE_MS, in[i]->racer.interval.value);
        in[i]->launches = in[i]->loop.launches;
        kg__racer_restart(&in[i]->racer);
    }
    return alive;
}

bool kg__tune_group_race(kg__tuning *all, const kg__tune_group *own)
{
    kg__tuned_case **in = kg__allocate(own->count, sizeof(kg__tuned_case *));
    bool alive = run_first_rounds(all, own);
    bool on = alive && end_round(all, in, list_in(own, in), 1);

    if (on)
        alive = make_later_loops(all, in, list_in(own, in));
    for (int round = 2; on && alive; round++) {
        size_t count = list_in(own, in);
        kg__error why = { "" };

        if (count == 0)
            break;
        if (kg__tuned_cases_sample(all, in, count, false, &why))
            on = end_round(all, in, count, round);
        else
            alive = kg__tuned_cases_mark_failed(all, in, count, &why);
        for (size_t i = 0; i < count; i++) {
            if (in[i]->racer.dropped_in_round != 0)
                kg__loop_discard(&in[i]->loop);
        }
        kg__tuning_progress(all, own->list[0]->base.one);
    }
    for (size_t i = 0; i < own->count; i++)
        kg__loop_discard(&own->list[i]->loop);
    free(in);
    return alive;
}

/* Enters the next runners of an exhaustive search, `count` of them, and makes loops of those whose
 * launches are not so long that one is all that there is time for. Returns how many are in `ready`;
 * `alive` becomes false when the device is lost. */
static size_t make_ready(kg__tuning *all, kg__tuned_case *const *list, size_t count,
                         kg__tuned_case **ready, bool *alive)
{
    size_t kept = 0;

    for (size_t i = 0; i < count && *alive; i++) {
        kg__tuned_case *who = list[i];

        *alive = kg__tuned_case_enter(all, who);
        all->done++;
        kg__tuning_progress(all, who->base.one);
        if (!*alive || who->base.out)
            continue;
        who->clock = "launch";
        who->launches = 1;
        if (who->estimate * KG__ROUND_SAMPLES < KG__NS_A_SECOND * all->tools.case_seconds) {
            *alive = run_first_round(all, who, INFINITY);
            if (*alive && !who->base.out)
                *alive = kg__tuned_case_make_loop(all, who, KG__FULL_SAMPLE_MS,
                                                  who->racer.interval.value);
            who->launches = who->loop.launches;
            kg__racer_restart(&who->racer);
        } else {
            kg__racer_add(&who->racer, who->estimate);
            kg__racer_look(&who->racer);
        }
        if (!who->base.out && who->loop.graph != NULL)
            ready[kept++] = who;
    }
    return kept;
}

bool kg__tune_group_search(kg__tuning *all, const kg__tune_group *own)
{
    bool alive = true;

    for (size_t from = 0; from < own->count && alive; from += BATCH) {
        size_t count = own->count - from < BATCH ? own->count - from : BATCH;
        kg__tuned_case *ready[BATCH];
        size_t kept = make_ready(all, own->list + from, count, ready, &alive);
        kg__error why = { "" };

        if (alive && kept > 0 &&
            (!kg__buffer_set_fill(ready[0]->base.place, all->tools.bench.stream, &why) ||
             !kg__prepare_launch(ready[0]->base.one, &ready[0]->base.place->buffers, &why) ||
             !kg__tuned_cases_sample_fully(all, ready, kept, false, &why)))
            alive = kg__tuned_cases_mark_failed(all, ready, kept, &why);
        for (size_t i = 0; i < kept; i++)
            kg__loop_discard(&ready[i]->loop);
    }
    return alive;
}
