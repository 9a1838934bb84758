/* Timing on a GPU: the cases of a size and number of threads a block are timed side by side, each
 * checked before and after. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "checking.h"
#include "clocks_gpu.h"
#include "device.h"
#include "device_gpu.h"
#include "launching.h"
#include "measuring.h"
#include "observe.h"
#include "records.h"
#include "sentinels.h"

#define CASE_SECONDS 0.5 /* unless KG_CASE_SECONDS says otherwise */
/* An idle card clocks down: it works this long before anything is timed. */
#define WARM_UP_MS 300.0
#define COPY_SENTINEL_BYTES ((size_t)256 << 20)
/* A page of device memory, and how many are left out at most, less one. */
#define PAGE_BYTES ((size_t)2 << 20)
#define SCATTERED_PAGES_MAXIMUM 128

/* Everything that a process keeps while it times. */
typedef struct tools {
    kg__bench bench;
    int multiprocessors;
    size_t l2_bytes;
    void *copy_from;
    void *copy_to;
    float *fma_out;
    double case_seconds;
} tools;

static double case_seconds(void)
{
    const char *text = getenv("KG_CASE_SECONDS");
    char *end;
    double seconds;

    if (text == NULL || text[0] == '\0')
        return CASE_SECONDS;
    seconds = strtod(text, &end);
    if (*end == '\0' && seconds >= 0.05 && seconds <= 3600)
        return seconds;
    kg__complain("KG_CASE_SECONDS=%s: no number of seconds from 0.05 to 3600: %g is used instead",
                 text, CASE_SECONDS);
    return CASE_SECONDS;
}

static cudaError_t launch_empty(const kg__timed *what, int number)
{
    (void)number;
    return kg__launch_empty(what->stream);
}

static cudaError_t launch_copy(const kg__timed *what, int number)
{
    const tools *with = what->context;

    (void)number;
    return kg__launch_copy_sentinel(with->copy_from, with->copy_to, COPY_SENTINEL_BYTES / 16,
                                    with->multiprocessors, what->stream);
}

static cudaError_t launch_fma(const kg__timed *what, int number)
{
    const tools *with = what->context;

    (void)number;
    return kg__launch_fma_sentinel(with->fma_out, with->multiprocessors, what->stream);
}

/* Times one subject by itself. */
static bool time_alone(tools *with, cudaError_t (*launch)(const kg__timed *, int), kg__series *one,
                       kg__error *why)
{
    kg__timed what = { launch, with, with->bench.stream };
    bool good =
        kg__graph_prepare(&with->bench, &what, 1, 1000 * with->case_seconds / 4, one, why) &&
        kg__graph_sample(&with->bench, &one, 1, why);

    kg__graph_discard(one);
    return good;
}

static json_t *figures_of(const kg__series *one)
{
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:s}", "value", one->interval.value, "low",
                     one->interval.low, "high", one->interval.high, "samples", (int)one->count,
                     "launches", one->launches, "clock", one->clock);
}

/* Times the sentinels and the empty kernel and records them, with what they move and compute: the
 * limits that a case's work is held against. */
static bool time_sentinels(tools *with, kg__series *scratch, kg__error *why)
{
    const struct {
        const char *name;
        cudaError_t (*launch)(const kg__timed *, int);
        const char *amount;
        double of;
    } sentinels[] = {
        { "copy", launch_copy, "bytes", 2.0 * COPY_SENTINEL_BYTES },
        { "fma", launch_fma, "operations", kg__fma_sentinel_operations(with->multiprocessors) },
        { "empty", launch_empty, NULL, 0 },
    };
    json_t *record = json_pack("{s:s}", "event", "sentinels");

    for (size_t i = 0; i < sizeof sentinels / sizeof sentinels[0]; i++) {
        json_t *figures;

        if (!time_alone(with, sentinels[i].launch, scratch, why)) {
            json_decref(record);
            return false;
        }
        figures = figures_of(scratch);
        if (sentinels[i].amount != NULL)
            json_object_set_new(figures, sentinels[i].amount, json_real(sentinels[i].of));
        json_object_set_new(record, sentinels[i].name, figures);
    }
    return kg__record_append(with->bench.records, record, why);
}

/* Where cases run whose arguments lie in the same kinds of memory, and hold the same. */
typedef struct ground {
    const kg__known *known; /* the random inputs that are timed */
    bool first_touch;       /* its managed arguments leave the device between launches */
    kg__error lacks;        /* why its memory was refused, or "" */
    kg__buffers buffers;
    void *slabs[KG_MAX_ARGUMENTS]; /* an argument's copies for cold launches, one after the other */
    void *(*sets)[KG_MAX_ARGUMENTS];
    int set_count;
    char no_cold[192]; /* why there is no cold time, or "" */
} ground;

/* A case of the group that is being timed. */
typedef struct contender {
    const kg__case *one;
    const kg__known *known;  /* the random inputs that are timed */
    const kg__known *proven; /* the inputs that are checked */
    ground *place;
    kg__series *hot;
    kg__series *cold;
    char no_cold[192]; /* why there is no cold time, or "" */
    bool out;          /* wrong or failed: it has its record and is no longer timed */
} contender;

/* The cases of a size and number of threads a block, timed side by side. */
typedef struct group {
    const kg_comparison *comparison;
    contender *list;
    size_t count;
    ground *grounds; /* room for one a contender */
    size_t ground_count;
} group;

/* A contender's launches, each on the next of `set_count` buffer sets. */
typedef struct rotation {
    const contender *who;
    void *(*sets)[KG_MAX_ARGUMENTS];
    int set_count;
} rotation;

static cudaError_t launch_contender(const kg__timed *what, int number)
{
    const rotation *turn = what->context;
    kg_call call = {
        .size = turn->who->one->size,
        .launch = turn->who->one->launch,
        .argument = turn->sets[number % turn->set_count],
        .stream = what->stream,
    };

    return turn->who->one->variant->launch(&call);
}

/* Takes a contender out after an error. False when the device went with it. */
static bool strike_out(const tools *with, contender *who, const kg__error *why)
{
    kg__report(with->bench.records, "failed", who->one->id, why->text);
    who->out = true;
    return !kg__device_is_lost();
}

/* The same for every contender of `place` that is still in (NULL: of all). */
static bool strike_all_out(const tools *with, group *all, const ground *place, const char *when,
                           const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "%s: %s", when, why->text);
    for (size_t i = 0; i < all->count; i++) {
        contender *who = &all->list[i];

        if (!who->out && (place == NULL || who->place == place))
            alive = strike_out(with, who, &reason) && alive;
    }
    return alive;
}

/* Launches a contender once and compares; a wrong one is out. False when the device is lost. */
static bool check(const tools *with, group *all, contender *who, const char *when)
{
    kg__error why = { "" };

    switch (kg__check_launch(all->comparison, who->one, who->proven, &who->place->buffers,
                             kg__poison(0), when, &why)) {
    case KG__RIGHT:
        return true;
    case KG__INCORRECT:
        kg__report_outcome(with->bench.records, who->one->id, false, why.text);
        who->out = true;
        return true;
    case KG__FAILED:
    case KG__LOST:
        break;
    }
    return strike_out(with, who, &why);
}

/* Times what a graph does not hold, by its own clock. */
static bool time_by_own_clock(tools *with, contender *who, const kg__timed *what, kg__error *why)
{
    double budget_ms = 1000 * with->case_seconds / 2;

    with->bench.watch.wanted = true;
    if (who->one->variant->clock == KG_HOST_CLOCK)
        return kg__host_sample(&with->bench, what, budget_ms, who->hot, why);
    return kg__first_touch_sample(&with->bench, what, &who->place->buffers, budget_ms, who->hot,
                                  why);
}

/* Whether a contender is timed at all, or cold. */
static bool takes_part(const contender *who, bool cold)
{
    return !who->out && (!cold || who->no_cold[0] == '\0');
}

/* Prepares and samples one metric of every contender that takes part. Those of another clock than
 * the graph's are sampled one by one. False when the device is lost. */
static bool time_metric(tools *with, group *all, bool cold)
{
    kg__series **active = kg__allocate(all->count, sizeof(kg__series *));
    kg__error why = { "" };
    size_t count = 0;
    bool alive = true;

    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];
        ground *place = who->place;
        rotation turn = { who, cold ? place->sets : &place->buffers.data,
                          cold ? place->set_count : 1 };
        kg__timed what = { launch_contender, &turn, with->bench.stream };
        kg__series *one = cold ? who->cold : who->hot;

        if (!takes_part(who, cold))
            continue;
        /* From here on it is this one that an end of the process is due to. */
        kg__report(with->bench.records, "start", who->one->id, NULL);
        bool in_graph = who->one->variant->clock == KG_GRAPH_CLOCK;
        bool good = kg__prepare_launch(who->one, &place->buffers, &why) &&
                    (in_graph ? kg__graph_prepare(&with->bench, &what, turn.set_count,
                                                  1000 * with->case_seconds / 2, one, &why)
                              : time_by_own_clock(with, who, &what, &why));

        if (!good)
            alive = strike_out(with, who, &why);
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

/* How many copies of the arguments exceed the L2 cache twice; 0 with the reason in no_cold where
 * they cannot be. */
static size_t sets_wanted(const tools *with, ground *place)
{
    const kg__buffers *buffers = &place->buffers;
    size_t bytes = 0;
    size_t left;
    size_t total;
    size_t wanted;

    for (int i = 0; i < buffers->arguments.count; i++) {
        if (buffers->memory[i] == KG_PAGEABLE || buffers->memory[i] == KG_PINNED) {
            kg__format(place->no_cold, sizeof place->no_cold,
                       "an argument is in the host's memory, which no L2 cache is before");
            return 0;
        }
        bytes += buffers->bytes[i];
    }
    if (with->l2_bytes == 0 || bytes == 0) {
        kg__format(place->no_cold, sizeof place->no_cold, "%s",
                   bytes == 0 ? "the arguments are empty"
                              : "the device does not tell its L2 cache's size");
        return 0;
    }
    wanted = 2 * with->l2_bytes / bytes + 1;
    if (wanted > KG__LAUNCHES_MAXIMUM) {
        kg__format(place->no_cold, sizeof place->no_cold,
                   "%zu buffer sets would be needed to exceed L2 twice, above the most of %d",
                   wanted, KG__LAUNCHES_MAXIMUM);
        return 0;
    }
    wanted = wanted < 2 ? 2 : wanted;
    /* Managed memory would be granted beyond what the device has. */
    if (cudaMemGetInfo(&left, &total) != cudaSuccess || wanted * bytes > left) {
        (void)cudaGetLastError();
        kg__format(place->no_cold, sizeof place->no_cold, "no device memory for %zu buffer sets",
                   wanted);
        return 0;
    }
    return wanted;
}

/* Makes the buffer sets of cold launches; says in no_cold why it did not. False with `why` when the
 * device fails. */
static bool make_sets(const tools *with, ground *place, kg__error *why)
{
    const kg__buffers *buffers = &place->buffers;
    size_t wanted = sets_wanted(with, place);
    cudaError_t code = cudaSuccess;

    if (wanted == 0)
        return true;
    place->sets = kg__allocate(wanted, sizeof *place->sets);
    for (int i = 0; i < buffers->arguments.count; i++) {
        size_t stride = (buffers->bytes[i] + 255) / 256 * 256;

        if (stride == 0)
            continue;
        if (kg__memory_allocate(buffers->memory[i], wanted * stride, &place->slabs[i]) !=
            cudaSuccess) {
            (void)cudaGetLastError();
            kg__format(place->no_cold, sizeof place->no_cold,
                       "no device memory for %zu buffer sets of %s", wanted,
                       buffers->arguments.list[i].name);
            return true;
        }
        for (size_t set = 0; set < wanted && code == cudaSuccess; set++) {
            place->sets[set][i] = (unsigned char *)place->slabs[i] + set * stride;
            code = cudaMemcpyAsync(place->sets[set][i], buffers->data[i], buffers->bytes[i],
                                   cudaMemcpyDeviceToDevice, with->bench.stream);
        }
    }
    place->set_count = (int)wanted;
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(with->bench.stream);
    return kg__succeeded(code, "filling the buffer sets", why);
}

static void free_ground(ground *place)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        kg__memory_free(place->buffers.memory[i], place->slabs[i]);
    free(place->sets);
    kg__buffers_free(&place->buffers);
}

/* The ground for a contender: one whose arguments lie and are as its own, else a new one. What is
 * touched first has its own, for its pages come to the device a few at a time, and would be timed
 * as resident otherwise than pages that were moved there whole. */
static ground *ground_for(group *all, const contender *who)
{
    const kg_variant *variant = who->one->variant;
    bool first_touch = variant->clock == KG_FIRST_TOUCH_CLOCK;
    ground *place;

    for (size_t i = 0; i < all->ground_count; i++) {
        place = &all->grounds[i];
        if (place->known == who->known && place->first_touch == first_touch &&
            kg__buffers_suit(&place->buffers, variant))
            return place;
    }
    place = &all->grounds[all->ground_count++];
    place->known = who->known;
    place->first_touch = first_touch;
    (void)kg__buffers_make(&place->buffers, &who->known->problem.arguments, variant, &place->lacks);
    return place;
}

/* Gives each contender its ground. False when the device is lost. */
static bool make_grounds(const tools *with, group *all)
{
    for (size_t i = 0; i < all->count; i++) {
        contender *who = &all->list[i];

        if (who->out)
            continue;
        who->place = ground_for(all, who);
        if (who->place->lacks.text[0] != '\0' && !strike_out(with, who, &who->place->lacks))
            return false;
    }
    return true;
}

/* Whether any contender is still timed on a ground. */
static bool is_used(const group *all, const ground *place)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].out && all->list[i].place == place)
            return true;
    }
    return false;
}

static void report_measured(const tools *with, const group *all, const contender *who)
{
    json_t *metrics = json_pack("{s:o}", "time_ns", figures_of(who->hot));
    json_t *absent = json_object();
    json_t *kernel = kg__device_kernel(who->one, &who->place->buffers);
    json_t *record;
    kg__error error;

    if (who->no_cold[0] == '\0') {
        json_t *cold = figures_of(who->cold);

        json_object_set_new(cold, "buffer_sets", json_integer(who->place->set_count));
        json_object_set_new(metrics, "cold_time_ns", cold);
    } else {
        json_object_set_new(absent, "cold_time_ns", json_string(who->no_cold));
    }
    record = json_pack("{s:s, s:s, s:o, s:o, s:O?, s:b, s:o*, s:o*}", "event", "measured", "case",
                       who->one->id, "metrics", metrics, "absent", absent, "card",
                       with->bench.watch.state, "throttled", (int)with->bench.watch.throttled,
                       "kernel", kernel, "work", kg__work_of(all->comparison, who->one));
    if (!kg__record_append(with->bench.records, record, &error)) {
        kg__complain("%s", error.text);
        exit(2);
    }
}

/* Fills every ground for the hot times. False when the device is lost. */
static bool fill_grounds(const tools *with, group *all)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < all->ground_count && alive; i++) {
        ground *place = &all->grounds[i];

        if (!is_used(all, place))
            continue;
        if (!kg__buffers_fill(&place->buffers, place->known->device, kg__poison(0), &why) ||
            !kg__device_move(&place->buffers, true, with->bench.stream, &why))
            alive = strike_all_out(with, all, place, "before timing", &why);
    }
    return alive;
}

/* Makes the buffer sets of every ground, and notes who has a cold time. False when the device is
 * lost. */
static bool make_all_sets(const tools *with, group *all)
{
    kg__error why = { "" };
    bool alive = true;

    for (size_t i = 0; i < all->ground_count && alive; i++) {
        ground *place = &all->grounds[i];

        if (is_used(all, place) && !place->first_touch && !make_sets(with, place, &why))
            alive = strike_all_out(with, all, place, "before cold timing", &why);
    }
    for (size_t i = 0; i < all->count; i++) {
        contender *who = &all->list[i];

        if (who->out)
            continue;
        kg__format(who->no_cold, sizeof who->no_cold, "%s",
                   who->one->variant->clock != KG_GRAPH_CLOCK
                       ? "what no graph holds is timed as it comes"
                       : who->place->no_cold);
    }
    return alive;
}

/* Checks, times, checks again and reports every contender. False when the device is lost. */
static bool time_contenders(tools *with, group *all)
{
    bool alive;

    kg__bench_forget(&with->bench);
    alive = make_grounds(with, all);
    for (size_t i = 0; i < all->count && alive; i++) {
        if (all->list[i].out)
            continue;
        kg__report(with->bench.records, "start", all->list[i].one->id, NULL);
        alive = check(with, all, &all->list[i], ", before timing");
    }
    if (!alive || !fill_grounds(with, all) || !time_metric(with, all, false) ||
        !make_all_sets(with, all) || !time_metric(with, all, true))
        return false;
    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];

        if (who->out)
            continue;
        kg__report(with->bench.records, "start", who->one->id, NULL);
        alive = check(with, all, who, ", after timing");
        if (alive && !who->out)
            report_measured(with, all, who);
    }
    return alive;
}

/* What is known of a size, made when it is first asked for: random inputs, and those to check with
 * where they are others. */
typedef struct lore {
    const kg_comparison *comparison;
    kg__known *random; /* one a variant where they differ, else one */
    kg__known *exact;
    size_t count;
} lore;

static void forget(lore *all)
{
    for (size_t i = 0; i < all->count; i++) {
        kg__known_free(&all->random[i]);
        kg__known_free(&all->exact[i]);
    }
    free(all->random);
    free(all->exact);
    all->random = all->exact = NULL;
    all->count = 0;
}

/* The pattern to check a size with: random inputs, but an exact pattern where a projection judges
 * floats, of which it sees a single wrong element only there. */
static int pattern_to_check(const kg_comparison *comparison, const kg__known *random)
{
    bool projected = false;

    for (int i = 0; i < random->problem.arguments.count; i++) {
        const kg_argument *shape = &random->problem.arguments.list[i];

        projected = projected || (shape->role != KG_INPUT && shape->type == KG_FLOAT32 &&
                                  random->expected[i] == NULL);
    }
    for (int pattern = 1; projected && pattern < kg__pattern_count(comparison); pattern++) {
        if (comparison->patterns[pattern - 1].exact)
            return pattern;
    }
    return 0;
}

/* Makes the next entry of what is known, by a contender's case; false with `error`, and without the
 * entry. */
static bool add_known(lore *all, const contender *who, kg__error *error)
{
    kg__known *random = &all->random[all->count];
    kg__known *exact = &all->exact[all->count];
    int pattern = 0;
    bool made = kg__known_make(all->comparison, who->one, 0, random, error);

    if (made)
        pattern = pattern_to_check(all->comparison, random);
    if (made && pattern != 0)
        made = kg__known_make(all->comparison, who->one, pattern, exact, error);
    if (made) {
        all->count++;
        return true;
    }
    kg__known_free(random);
    kg__known_free(exact);
    return false;
}

/* Learns what a contender's case needs, and hands it to it. False with `error`. */
static bool learn(lore *all, contender *who, size_t most, kg__error *error)
{
    size_t i = 0;

    while (i < all->count && !kg__known_serves(all->comparison, &all->random[i], who->one))
        i++;
    if (all->random == NULL) {
        /* Contenders keep pointers to them. */
        all->random = kg__allocate(most, sizeof *all->random);
        all->exact = kg__allocate(most, sizeof *all->exact);
    }
    if (i == all->count && !add_known(all, who, error))
        return false;
    who->known = &all->random[i];
    who->proven = all->exact[i].problem.size != NULL ? &all->exact[i] : &all->random[i];
    return true;
}

static size_t count_variants(const kg_comparison *comparison)
{
    size_t count = 0;

    while (comparison->variants[count].name != NULL)
        count++;
    return count;
}

static bool time_group(tools *with, lore *known, const kg__case *const *cases, size_t count,
                       kg__error *error)
{
    group all = { .comparison = known->comparison, .count = count };
    kg__error why = { "" };
    bool alive = true;

    all.list = kg__allocate(count, sizeof *all.list);
    all.grounds = kg__allocate(count, sizeof *all.grounds);
    for (size_t i = 0; i < count; i++) {
        all.list[i].one = cases[i];
        all.list[i].hot = kg__allocate(1, sizeof(kg__series));
        all.list[i].cold = kg__allocate(1, sizeof(kg__series));
        if (!alive)
            continue;
        /* A reference may crash, or take long. */
        kg__report(with->bench.records, "start", cases[i]->id, NULL);
        if (!learn(known, &all.list[i], count_variants(known->comparison), &why))
            alive = strike_out(with, &all.list[i], &why);
    }
    if (!alive || !time_contenders(with, &all))
        alive = kg__fail(error, "%s: the device was lost while timing", all.comparison->name);
    for (size_t i = 0; i < all.ground_count; i++)
        free_ground(&all.grounds[i]);
    for (size_t i = 0; i < count; i++) {
        free(all.list[i].hot);
        free(all.list[i].cold);
    }
    free(all.grounds);
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

static bool time_groups(tools *with, const kg_comparison *comparison, const kg__case *const *cases,
                        size_t count, kg__error *error)
{
    lore known = { .comparison = comparison };
    bool alive = true;

    for (size_t i = 0, length; i < count && alive; i += length) {
        length = group_length(cases + i, count - i);
        if (i > 0 && cases[i]->size != cases[i - 1]->size)
            forget(&known);
        alive = time_group(with, &known, cases + i, length, error);
    }
    forget(&known);
    return alive;
}

/* Takes a random number of pages that nobody uses, before any kernel is loaded: which physical
 * pages code, constants and arguments get decides how far they are from the multiprocessors, which
 * is worth up to 6 % to kernels of a few microseconds. Processes that follow each other on an idle
 * card would all get the same ones, and agree on a time that the next one misses. */
static bool scatter(kg__error *why)
{
    unsigned pages = 0;
    cudaError_t code = cudaSuccess;

    if (getrandom(&pages, sizeof pages, 0) != (ssize_t)sizeof pages)
        pages = (unsigned)getpid();
    for (pages %= SCATTERED_PAGES_MAXIMUM; pages > 0 && code == cudaSuccess; pages--) {
        void *kept_till_the_end;

        code = cudaMalloc(&kept_till_the_end, PAGE_BYTES);
    }
    return kg__succeeded(code, "making ready to time", why);
}

static bool open_tools(tools *with, int records, kg__error *why)
{
    const kg__gpu *gpu = kg__device_gpu();
    size_t blocks = (size_t)gpu->multiprocessors * KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR;
    cudaError_t code;

    *with = (tools){ .multiprocessors = gpu->multiprocessors,
                     .l2_bytes = gpu->l2_bytes,
                     .case_seconds = case_seconds() };
    if (!scatter(why) || !kg__bench_open(&with->bench, records, why))
        return false;
    code = cudaMalloc(&with->copy_from, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc(&with->copy_to, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc((void **)&with->fma_out, blocks * sizeof(float));
    if (code == cudaSuccess)
        code = cudaMemset(with->copy_from, 0x5a, COPY_SENTINEL_BYTES);
    return kg__succeeded(code, "making ready to time", why);
}

static void close_tools(tools *with)
{
    (void)cudaFree(with->copy_from);
    (void)cudaFree(with->copy_to);
    (void)cudaFree(with->fma_out);
    kg__bench_close(&with->bench);
}

static bool warm_up(tools *with, kg__error *why)
{
    kg__timed what = { launch_fma, with, with->bench.stream };

    return kg__bench_warm_up(&with->bench, &what, WARM_UP_MS, why);
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    tools with;
    kg__series *scratch;
    bool good;

    if (strcmp(part, "launch") == 0)
        return kg__launch_cases(comparison, cases, count, records, error);
    scratch = kg__allocate(1, sizeof *scratch);
    good = open_tools(&with, records, error) && warm_up(&with, error) &&
           time_sentinels(&with, scratch, error);
    /* Before any case has begun, a failure is the device's, and another process would fare no
     * better. */
    if (!good)
        kg__report(records, "broken", NULL, error->text);
    good = good && time_groups(&with, comparison, cases, count, error) &&
           time_sentinels(&with, scratch, error);
    free(scratch);
    close_tools(&with);
    return good;
}
