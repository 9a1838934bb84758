#include "tuning_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "contenders_gpu.h"
#include "device.h"
#include "device_gpu.h"
#include "observe.h"
#include "racing.h"
#include "records.h"
#include "text.h"
#include "tools_gpu.h"
#include "tuning.h"

/* A sample of a race's first round, of its later ones, and of what is timed to the full precision,
 * in ms. The first round is for the many that are far off: the start of a graph, 2 us, is the same
 * part of each of its samples. */
#define FIRST_SAMPLE_MS 0.1
#define LATER_SAMPLE_MS 0.25
#define FULL_SAMPLE_MS 1.0
/* What is no more than this above the leader stays in the first round, whose samples are not
 * interleaved. */
#define FIRST_MARGIN 0.02
/* Candidates that an exhaustive search times side by side. */
#define BATCH 24
#define PROGRESS_EVERY_SECONDS 0.5
#define NS_A_MS 1e6
#define NS_A_SECOND 1e9

/* A candidate. */
typedef struct runner {
    kg__contender base;
    kg__racer racer; /* what the search knows of it */
    kg__racer last;  /* of the final, where it is a finalist */
    kg__loop loop;
    int launches;      /* a sample of `racer`; 0: it was not timed */
    const char *clock; /* as records name it */
    double estimate;   /* of a launch, in ns */
    json_t *kernel;    /* NULL: it starts none */
    double occupancy;  /* NaN: unknown */
    bool passed_over;
    bool is_finalist;
} runner;

/* A tuning in progress. */
typedef struct tuning {
    const kg_comparison *comparison;
    kg__tuning_request wanted;
    kg__tools tools;
    kg__lore known;
    int records;
    size_t done;
    size_t of;
    double began;
    double told; /* when progress was last reported */
} tuning;

/* The candidates of one variant at one size, in the table's order. */
typedef struct field {
    runner **list;
    size_t count;
} field;

static bool is_timed(const runner *who)
{
    return !who->base.out && who->launches > 0;
}

static bool append(const tuning *all, json_t *record)
{
    kg__error error;

    if (kg__record_append(all->records, record, &error))
        return true;
    kg__complain("%s", error.text);
    exit(2);
}

static void report_progress(tuning *all, const kg__case *one)
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
    (void)append(all, record);
}

static int launches_for(double sample_ms, double launch_ns)
{
    double wanted = sample_ms * NS_A_MS / fmax(launch_ns, 1);

    return (int)fmax(1, fmin(wanted, KG__LAUNCHES_MAXIMUM));
}

static bool strike(const tuning *all, runner *who, const kg__error *why)
{
    return kg__contender_strike(&who->base, why, all->records);
}

/* Strikes out all of some runners that are still in. False when the device is lost. */
static bool strike_all(const tuning *all, runner *const *list, size_t count, const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "while timed side by side: %s", why->text);
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->base.out)
            alive = strike(all, list[i], &reason) && alive;
    }
    return alive;
}

/* What a runner's launches need, kept together while they are timed. */
typedef struct subject {
    kg__rotation turn;
    kg__timed what;
} subject;

static const kg__timed *subject_of(tuning *all, runner *who, subject *room)
{
    room->turn = (kg__rotation){ who->base.one, &who->base.place->buffers.data, 1 };
    room->what = (kg__timed){ kg__launch_rotation, &room->turn, all->tools.bench.stream };
    return &room->what;
}

/* Whether the device does not take a launch: what it answers when it is launched again. */
static bool is_refused(tuning *all, runner *who, kg__error *why)
{
    subject room;
    const kg__timed *what = subject_of(all, who, &room);
    cudaError_t code = what->launch(what, 0);

    (void)cudaGetLastError();
    if (code != cudaErrorInvalidValue && code != cudaErrorInvalidConfiguration &&
        code != cudaErrorLaunchOutOfResources)
        return false;
    kg__cuda_fail(why, "the device does not take this launch", code);
    return true;
}

/* Checks a runner; what is not right is out, with its record. False when the device is lost. */
static bool check(tuning *all, runner *who, const char *when)
{
    kg__error why = { "" };
    kg__outcome outcome = kg__contender_try(&who->base, all->comparison, when, all->records, &why);

    if (outcome == KG__RIGHT || outcome == KG__INCORRECT)
        return true;
    if (outcome == KG__FAILED && is_refused(all, who, &why)) {
        kg__report(all->records, "refused", who->base.one->id, why.text);
        who->base.out = true;
        return true;
    }
    return strike(all, who, &why);
}

/* Checks a runner, and finds what its kernel takes of a multiprocessor and about how long it runs.
 * False when the device is lost. */
static bool enter(tuning *all, runner *who, kg__grounds *grounds)
{
    kg__error why = { "" };
    subject room;

    kg__report(all->records, "start", who->base.one->id, NULL);
    if (!kg__lore_learn(&all->known, &who->base, &why))
        return strike(all, who, &why);
    if (!kg__contender_place(&who->base, grounds, all->records) || who->base.out)
        return !kg__device_is_lost();
    if (!check(all, who, ", before timing") || who->base.out)
        return !kg__device_is_lost();
    kg__known_keep(who->base.proven, &who->base.place->buffers);
    who->kernel = kg__device_kernel(who->base.one, &who->base.place->buffers);
    who->occupancy = kg__json_number(who->kernel, "occupancy");
    if (who->base.one->variant->clock != KG_GRAPH_CLOCK)
        return true;
    if (!kg__device_move(&who->base.place->buffers, true, all->tools.bench.stream, &why) ||
        !kg__launch_time(&all->tools.bench, subject_of(all, who, &room), &who->estimate, &why))
        return strike(all, who, &why);
    return true;
}

/* Captures a runner's launches anew, for samples of `sample_ms` where a launch takes `launch_ns`.
 * False when the device is lost. */
static bool make_loop(tuning *all, runner *who, double sample_ms, double launch_ns)
{
    kg__error why = { "" };
    subject room;

    kg__loop_discard(&who->loop);
    if (kg__prepare_launch(who->base.one, &who->base.place->buffers, &why) &&
        kg__loop_make(subject_of(all, who, &room), launches_for(sample_ms, launch_ns), &who->loop,
                      &why))
        return true;
    return strike(all, who, &why);
}

/* Replays the loops of runners, each `rounds` times, into their racers: those of the search, or
 * those of the final. */
typedef struct sampling {
    runner *const *list;
    bool is_final;
} sampling;

static kg__racer *racer_of(const sampling *all, size_t index)
{
    return all->is_final ? &all->list[index]->last : &all->list[index]->racer;
}

static void take(void *context, size_t index, double ns)
{
    const sampling *all = context;

    kg__racer_add(racer_of(all, index), ns);
}

static bool sample(tuning *all, sampling *into, size_t count, kg__error *why)
{
    const kg__loop **loops = kg__allocate(count, sizeof *loops);
    bool good;

    for (size_t i = 0; i < count; i++)
        loops[i] = &into->list[i]->loop;
    good = count == 0 ||
           kg__loops_replay(&all->tools.bench, loops, count, KG__ROUND_SAMPLES, take, into, why);
    free(loops);
    for (size_t i = 0; i < count; i++)
        kg__racer_look(racer_of(into, i));
    return good;
}

/* The first round of a runner's race. False when the device is lost. */
static bool run_first_round(tuning *all, runner *who)
{
    runner *list[] = { who };
    sampling into = { .list = list };
    kg__error why = { "" };

    if (!make_loop(all, who, FIRST_SAMPLE_MS, who->estimate))
        return false;
    if (who->base.out)
        return true;
    if (!sample(all, &into, 1, &why))
        return strike(all, who, &why);
    who->launches = who->loop.launches;
    who->clock = "graph";
    kg__loop_discard(&who->loop);
    return true;
}

static int64_t threads_of(const tuning *all, const runner *who)
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
static bool passes_over(const tuning *all, const field *own, size_t index, double best)
{
    const kg_launch *launch = &own->list[index]->base.one->launch;

    for (size_t i = index + 1; launch->grid != 0 && i < own->count; i++) {
        const runner *more = own->list[i];

        if (more->base.one->launch.block != launch->block)
            break;
        if (more->base.one->launch.grid / 2 < launch->grid)
            continue;
        if (more->passed_over)
            return true;
        if (is_timed(more))
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
static place_in_order *order_of(const tuning *all, const field *own)
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
static bool run_first_rounds(tuning *all, const field *own, kg__grounds *grounds)
{
    place_in_order *order = order_of(all, own);
    double best = INFINITY;
    bool alive = true;

    for (size_t i = 0; i < own->count && alive; i++) {
        runner *who = own->list[order[i].index];

        who->passed_over = passes_over(all, own, order[i].index, best);
        if (!who->passed_over) {
            alive = enter(all, who, grounds);
            if (alive && !who->base.out)
                alive = run_first_round(all, who);
            if (is_timed(who))
                best = fmin(best, who->racer.interval.value);
        }
        all->done++;
        report_progress(all, who->base.one);
    }
    free(order);
    return alive;
}

/* The runners that are still in a race, in `list`, which has room for all. */
static size_t list_in(const field *own, runner **list)
{
    size_t count = 0;

    for (size_t i = 0; i < own->count; i++) {
        if (is_timed(own->list[i]) && own->list[i]->racer.dropped_in_round == 0)
            list[count++] = own->list[i];
    }
    return count;
}

static bool end_round(const tuning *all, runner *const *in, size_t count, int round)
{
    kg__racer **racers = kg__allocate(count, sizeof *racers);
    bool on;

    for (size_t i = 0; i < count; i++)
        racers[i] = &in[i]->racer;
    on = kg__race_end_round(racers, count, round, round == 1 ? FIRST_MARGIN : 0,
                            all->wanted.precision);
    free(racers);
    return on;
}

/* Makes the loops of the later rounds, which are sampled anew. False when the device is lost. */
static bool make_later_loops(tuning *all, runner *const *in, size_t count)
{
    kg__error why = { "" };
    bool alive = true;

    if (count > 0 && !kg__ground_fill(in[0]->base.place, all->tools.bench.stream, &why))
        return strike_all(all, in, count, &why);
    for (size_t i = 0; i < count && alive; i++) {
        kg__report(all->records, "start", in[i]->base.one->id, NULL);
        alive = make_loop(all, in[i], LATER_SAMPLE_MS, in[i]->racer.interval.value);
        in[i]->launches = in[i]->loop.launches;
        kg__racer_restart(&in[i]->racer);
    }
    return alive;
}

/* Has the candidates of a variant race to the end. False when the device is lost. */
static bool race(tuning *all, const field *own, kg__grounds *grounds)
{
    runner **in = kg__allocate(own->count, sizeof *in);
    bool alive = run_first_rounds(all, own, grounds);
    bool on = alive && end_round(all, in, list_in(own, in), 1);

    if (on)
        alive = make_later_loops(all, in, list_in(own, in));
    for (int round = 2; on && alive; round++) {
        size_t count = list_in(own, in);
        sampling into = { .list = in };
        kg__error why = { "" };

        if (count == 0)
            break;
        if (sample(all, &into, count, &why))
            on = end_round(all, in, count, round);
        else
            alive = strike_all(all, in, count, &why);
        for (size_t i = 0; i < count; i++) {
            if (in[i]->racer.dropped_in_round != 0)
                kg__loop_discard(&in[i]->loop);
        }
        report_progress(all, own->list[0]->base.one);
    }
    for (size_t i = 0; i < own->count; i++)
        kg__loop_discard(&own->list[i]->loop);
    free(in);
    return alive;
}

/* Whether a median is known well enough, or has cost what it may. */
static bool is_through(const tuning *all, const runner *who, const kg__racer *racer)
{
    double spent_ns = racer->interval.value * who->loop.launches * (double)racer->count;

    return kg__racer_is_precise(racer, all->wanted.precision) ||
           spent_ns >= NS_A_SECOND * all->tools.case_seconds || racer->count >= KG__SAMPLES_MAXIMUM;
}

/* Samples what has a loop, interleaved, until each is through. In a final none leaves before the
 * last one, so that their samples belong together round by round. False with `why`. */
static bool sample_fully(tuning *all, runner *const *list, size_t count, bool is_final,
                         kg__error *why)
{
    runner **active = kg__allocate(count, sizeof *active);
    size_t left = count;
    bool good = true;

    for (size_t i = 0; i < count; i++)
        active[i] = list[i];
    while (left > 0 && good) {
        sampling into = { .list = active, .is_final = is_final };
        size_t open = 0;

        good = sample(all, &into, left, why);
        for (size_t i = 0; i < left; i++)
            open += !is_through(all, active[i], racer_of(&into, i));
        if (is_final && open > 0)
            continue;
        open = 0;
        for (size_t i = 0; i < left; i++) {
            if (!is_through(all, active[i], racer_of(&into, i)))
                active[open++] = active[i];
        }
        left = open;
    }
    free(active);
    return good;
}

/* Enters the next runners of an exhaustive search, `count` of them, and makes loops of those whose
 * launches are not so long that one is all that there is time for. Returns how many are in `ready`;
 * `alive` becomes false when the device is lost. */
static size_t make_ready(tuning *all, runner *const *list, size_t count, kg__grounds *grounds,
                         runner **ready, bool *alive)
{
    size_t kept = 0;

    for (size_t i = 0; i < count && *alive; i++) {
        runner *who = list[i];

        *alive = enter(all, who, grounds);
        all->done++;
        report_progress(all, who->base.one);
        if (!*alive || who->base.out)
            continue;
        who->clock = "launch";
        who->launches = 1;
        if (who->estimate * KG__ROUND_SAMPLES < NS_A_SECOND * all->tools.case_seconds) {
            who->clock = "graph";
            *alive = make_loop(all, who, FULL_SAMPLE_MS, who->estimate);
            who->launches = who->loop.launches;
        } else {
            kg__racer_add(&who->racer, who->estimate);
            kg__racer_look(&who->racer);
        }
        if (!who->base.out && who->loop.graph != NULL)
            ready[kept++] = who;
    }
    return kept;
}

/* Times every candidate of a variant to the full precision. False when the device is lost. */
static bool search(tuning *all, const field *own, kg__grounds *grounds)
{
    bool alive = true;

    for (size_t from = 0; from < own->count && alive; from += BATCH) {
        size_t count = own->count - from < BATCH ? own->count - from : BATCH;
        runner *ready[BATCH];
        size_t kept = make_ready(all, own->list + from, count, grounds, ready, &alive);
        kg__error why = { "" };

        if (alive && kept > 0 &&
            (!kg__ground_fill(ready[0]->base.place, all->tools.bench.stream, &why) ||
             !kg__prepare_launch(ready[0]->base.one, &ready[0]->base.place->buffers, &why) ||
             !sample_fully(all, ready, kept, false, &why)))
            alive = strike_all(all, ready, kept, &why);
        for (size_t i = 0; i < kept; i++)
            kg__loop_discard(&ready[i]->loop);
    }
    return alive;
}

/* Times what no graph holds. False when the device is lost. */
static bool time_by_own_clock(tuning *all, runner *who, kg__grounds *grounds)
{
    kg__series *series;
    kg__error why = { "" };
    subject room;
    bool alive = enter(all, who, grounds);
    bool good;

    all->done++;
    report_progress(all, who->base.one);
    if (!alive || who->base.out)
        return alive;
    series = kg__allocate(1, sizeof *series);
    good = kg__ground_fill(who->base.place, all->tools.bench.stream, &why) &&
           kg__prepare_launch(who->base.one, &who->base.place->buffers, &why) &&
           kg__contender_sample(&who->base, &all->tools.bench, subject_of(all, who, &room),
                                1000 * all->tools.case_seconds, series, &why);
    for (size_t i = 0; i < series->count; i++)
        kg__racer_add(&who->racer, series->samples[i]);
    who->racer.interval = series->interval;
    who->launches = series->launches;
    who->clock = series->clock;
    free(series);
    return good || strike(all, who, &why);
}

static bool run_field(tuning *all, const field *own, kg__grounds *grounds)
{
    bool alive = true;

    if (own->list[0]->base.one->variant->clock == KG_GRAPH_CLOCK)
        return all->wanted.exhaustive ? search(all, own, grounds) : race(all, own, grounds);
    for (size_t i = 0; i < own->count && alive; i++)
        alive = time_by_own_clock(all, own->list[i], grounds);
    return alive;
}

/* Whether `who` is better than `other` by occupancy, and by time where that is the same. */
static bool is_better_occupied(const runner *who, const runner *other)
{
    if (isnan(who->occupancy) || (!isnan(other->occupancy) && who->occupancy < other->occupancy))
        return false;
    return isnan(other->occupancy) || who->occupancy > other->occupancy ||
           who->racer.interval.value < other->racer.interval.value;
}

/* Names the finalists of a variant: the best by time, of those that were in to the end, and the
 * best by occupancy, whenever it was dropped. */
static void name_finalists(const field *own)
{
    runner *fastest = NULL;
    runner *fullest = NULL;

    if (own->list[0]->base.one->variant->clock != KG_GRAPH_CLOCK)
        return;
    for (size_t i = 0; i < own->count; i++) {
        runner *who = own->list[i];

        if (!is_timed(who))
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
static bool fill_grounds(tuning *all, runner *const *list, size_t count, kg__error *why)
{
    for (size_t i = 0; i < count; i++) {
        bool filled = false;

        for (size_t j = 0; j < i; j++)
            filled = filled || list[j]->base.place == list[i]->base.place;
        if (!filled && !kg__ground_fill(list[i]->base.place, all->tools.bench.stream, why))
            return false;
    }
    return true;
}

/* Times the finalists together, and checks them once more. False when the device is lost. */
static bool run_final(tuning *all, runner *list, size_t count)
{
    runner **in = kg__allocate(count, sizeof *in);
    kg__error why = { "" };
    size_t finalists = 0;
    size_t ready = 0;
    bool alive = true;

    for (size_t i = 0; i < count; i++) {
        if (list[i].is_finalist)
            in[finalists++] = &list[i];
    }
    if (!fill_grounds(all, in, finalists, &why))
        alive = strike_all(all, in, finalists, &why);
    for (size_t i = 0; i < finalists && alive; i++) {
        runner *who = in[i];

        kg__report(all->records, "start", who->base.one->id, NULL);
        if (!who->base.out)
            alive = make_loop(all, who, FULL_SAMPLE_MS, who->racer.interval.value);
        if (!who->base.out)
            in[ready++] = who;
    }
    kg__bench_forget(&all->tools.bench);
    all->tools.bench.watch.wanted = true;
    if (alive && !sample_fully(all, in, ready, true, &why))
        alive = strike_all(all, in, ready, &why);
    for (size_t i = 0; i < ready; i++) {
        kg__loop_discard(&in[i]->loop);
        if (alive && !in[i]->base.out) {
            kg__report(all->records, "start", in[i]->base.one->id, NULL);
            alive = check(all, in[i], ", after timing");
        }
    }
    free(in);
    return alive;
}

static json_t *figures_of(const kg__interval *interval)
{
    json_t *figures = json_object();

    kg__json_set_finite(figures, "value", interval->value);
    kg__json_set_finite(figures, "low", interval->low);
    kg__json_set_finite(figures, "high", interval->high);
    return figures;
}

static json_t *figures_of_final(const runner *who)
{
    json_t *figures = figures_of(&who->last.interval);
    json_t *samples = json_array();

    for (size_t i = 0; i < who->last.count; i++)
        json_array_append_new(samples, json_real(who->last.samples[i]));
    json_object_set_new(figures, "samples_ns", samples);
    return figures;
}

static void report_measured(const tuning *all, const runner *who)
{
    const kg__bench *bench = &all->tools.bench;
    json_t *time = figures_of(&who->racer.interval);
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
    (void)append(all, record);
}

/* Reports what a size came to. */
static void report_size(const tuning *all, const runner *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].passed_over)
            kg__report(all->records, "passed_over", list[i].base.one->id,
                       "with twice the blocks and more, all of which run at a time, it takes over "
                       "twice the best time");
        else if (is_timed(&list[i]))
            report_measured(all, &list[i]);
    }
}

/* The runners of `variant` among those of a size, in `list`, which has room for all. */
static field field_of(runner *all, size_t count, const kg_variant *variant, runner **list)
{
    field own = { .list = list };

    for (size_t i = 0; i < count; i++) {
        if (all[i].base.one->variant == variant)
            list[own.count++] = &all[i];
    }
    return own;
}

static bool run_fields(tuning *all, runner *list, size_t count, kg__grounds *grounds)
{
    runner **room = kg__allocate(count, sizeof *room);
    bool alive = true;

    for (const kg_variant *variant = all->comparison->variants; variant->name != NULL && alive;
         variant++) {
        field own = field_of(list, count, variant, room);

        if (own.count == 0)
            continue;
        alive = run_field(all, &own, grounds);
        name_finalists(&own);
    }
    free(room);
    return alive;
}

/* Tunes the candidates of one size. False when the device is lost. */
static bool tune_size(tuning *all, const kg__case *const *cases, size_t count)
{
    runner *list = kg__allocate(count, sizeof *list);
    kg__grounds grounds;
    bool alive;

    for (size_t i = 0; i < count; i++) {
        list[i].base.one = cases[i];
        list[i].occupancy = NAN;
    }
    kg__grounds_make(&grounds, count);
    alive = run_fields(all, list, count, &grounds) && run_final(all, list, count);
    if (alive)
        report_size(all, list, count);
    for (size_t i = 0; i < count; i++) {
        kg__loop_discard(&list[i].loop);
        kg__racer_restart(&list[i].racer);
        kg__racer_restart(&list[i].last);
        json_decref(list[i].kernel);
    }
    kg__grounds_free(&grounds);
    kg__lore_forget(&all->known);
    free(list);
    return alive;
}

/* Tunes size by size; false with `error` when the device is lost. */
static bool tune_sizes(tuning *all, const kg__case *const *cases, size_t count, kg__error *error)
{
    const kg__case **of_size = kg__allocate(count, sizeof *of_size);
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
    return alive || kg__fail(error, "%s: the device was lost while tuning", all->comparison->name);
}

bool kg__tune_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                    int records, kg__error *error)
{
    tuning all = { .comparison = comparison,
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
