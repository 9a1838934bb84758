/* Timing on a GPU: the median over replays of a CUDA graph of launches. docs/measuring.md says why.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checking.h"
#include "clock.h"
#include "device.h"
#include "device_gpu.h"
#include "launching.h"
#include "measuring.h"
#include "observe.h"
#include "records.h"
#include "sentinels.h"
#include "statistics.h"

/* A replay lasts about this long, so that the cost of its start and the clock's resolution (0.5 us)
 * vanish in it. */
#define REPLAY_MS 1.0
#define LAUNCHES_MAXIMUM 1000
#define LAUNCHES_TO_ESTIMATE 16
/* Replays that are queued at a time; also the most variants that are timed side by side. */
#define REPLAYS_QUEUED 24
/* However narrow the interval: so many, or so few as fill this much time where one replay lasts
 * long. */
#define REPLAYS_ENOUGH 30
#define REPLAYS_MINIMUM 12
#define SAMPLING_MS_ENOUGH 30.0
#define REPLAYS_MAXIMUM 4000
#define CONFIDENCE 0.95
/* A median is known well enough when its interval is within this fraction on either side. */
#define HALF_WIDTH_WANTED 0.0025
#define CASE_SECONDS 0.5 /* unless KG_CASE_SECONDS says otherwise */
/* An idle card clocks down: it works this long before anything is timed. */
#define WARM_UP_MS 300.0
#define COPY_SENTINEL_BYTES ((size_t)256 << 20)

/* What is launched again and again. */
typedef struct subject {
    cudaError_t (*launch)(const struct subject *subject, int number);
    const void *context;
    cudaStream_t stream;
} subject;

/* One metric being sampled. */
typedef struct series {
    cudaGraphExec_t graph;
    int launches;
    double samples[REPLAYS_MAXIMUM]; /* ns a launch */
    size_t count;
    double spent_ms;
    double budget_ms;
    kg__interval interval;
    bool finished;
} series;

/* Everything that a process keeps while it times. */
typedef struct bench {
    cudaStream_t stream;
    cudaEvent_t begin[REPLAYS_QUEUED];
    cudaEvent_t end[REPLAYS_QUEUED];
    int multiprocessors;
    size_t l2_bytes;
    void *copy_from;
    void *copy_to;
    float *fma_out;
    int records;
    double case_seconds;
    struct watch *watch;
} bench;

/* What is looked at while the card works: it shows what slows it down only then. */
typedef struct watch {
    bool wanted;    /* look while the next batch runs */
    json_t *state;  /* what was seen last, or NULL */
    bool throttled; /* was so at any look since this was cleared */
    double told;    /* when the parent last heard of this process, by the host's clock */
} watch;

/* The parent takes silence for a hang; a long sampling says that it lives. */
#define TELL_EVERY_SECONDS 5.0

static bool succeeded(cudaError_t code, const char *what, kg__error *why)
{
    return code == cudaSuccess || kg__cuda_fail(why, what, code);
}

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

/* Captures `launches` launches of a subject into a graph that can be replayed. */
static bool capture(const subject *what, int launches, cudaGraphExec_t *replayable, kg__error *why)
{
    cudaGraph_t graph = NULL;
    cudaError_t launched = cudaSuccess;
    cudaError_t code = cudaStreamBeginCapture(what->stream, cudaStreamCaptureModeThreadLocal);
    size_t captured = 0;

    *replayable = NULL;
    if (!succeeded(code, "starting a graph", why))
        return false;
    for (int i = 0; i < launches && launched == cudaSuccess; i++)
        launched = what->launch(what, i);
    code = cudaStreamEndCapture(what->stream, &graph);
    if (launched != cudaSuccess || code != cudaSuccess) {
        if (graph != NULL)
            (void)cudaGraphDestroy(graph);
        return kg__cuda_fail(why, "capturing launches in a graph",
                             launched != cudaSuccess ? launched : code);
    }
    /* What a launcher starts on another stream is not in the graph, and would be timed as nothing.
     */
    code = cudaGraphGetNodes(graph, NULL, &captured);
    if (code == cudaSuccess && captured < (size_t)launches) {
        (void)cudaGraphDestroy(graph);
        return kg__fail(why,
                        "%zu of %d launches were on the stream of the call: start the kernel on "
                        "call->stream, and on no other",
                        captured, launches);
    }
    if (code == cudaSuccess)
        code = cudaGraphInstantiate(replayable, graph, 0);
    (void)cudaGraphDestroy(graph);
    return succeeded(code, "making a graph replayable", why);
}

/* Looks at the card while it works, once where that is wanted, and says that this process lives. */
static void keep_watch(const bench *tools)
{
    double now = kg__now();

    if (tools->watch->wanted) {
        json_decref(tools->watch->state);
        tools->watch->state = kg__device_state(&tools->watch->throttled);
        tools->watch->wanted = false;
    }
    if (now - tools->watch->told > TELL_EVERY_SECONDS) {
        kg__report(tools->records, "alive", NULL, NULL);
        tools->watch->told = now;
    }
}

/* Replays graphs one behind the other and reads what each replay took, in ms. The first graph is
 * replayed once more at the front, untimed: while it runs the rest is queued, so that no time
 * includes waiting for the host. */
static bool replay(const bench *tools, const cudaGraphExec_t *graphs, size_t count, float *ms,
                   kg__error *why)
{
    cudaError_t code = cudaGraphLaunch(graphs[0], tools->stream);

    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = cudaEventRecord(tools->begin[i], tools->stream);
        if (code == cudaSuccess)
            code = cudaGraphLaunch(graphs[i], tools->stream);
        if (code == cudaSuccess)
            code = cudaEventRecord(tools->end[i], tools->stream);
    }
    keep_watch(tools);
    if (!succeeded(code, "replaying a graph", why) ||
        !succeeded(cudaStreamSynchronize(tools->stream), "running the kernel in a graph", why))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!succeeded(cudaEventElapsedTime(&ms[i], tools->begin[i], tools->end[i]),
                       "reading an event", why))
            return false;
    }
    return true;
}

/* Chooses how many launches a replay holds, a multiple of `unit`, and makes the graph. */
static bool prepare(const bench *tools, const subject *what, int unit, double budget_ms,
                    series *one, kg__error *why)
{
    cudaGraphExec_t trial;
    float ms;
    double wanted;
    int launches;

    *one = (series){ .budget_ms = budget_ms };
    if (!capture(what, LAUNCHES_TO_ESTIMATE, &trial, why))
        return false;
    if (!replay(tools, &trial, 1, &ms, why)) {
        (void)cudaGraphExecDestroy(trial);
        return false;
    }
    (void)cudaGraphExecDestroy(trial);
    wanted = REPLAY_MS * LAUNCHES_TO_ESTIMATE / fmax(ms, 1e-4);
    launches = (int)fmin(wanted / unit, LAUNCHES_MAXIMUM / (double)unit) * unit;
    one->launches = launches < unit ? unit : launches;
    return capture(what, one->launches, &one->graph, why);
}

static void discard(series *one)
{
    if (one->graph != NULL)
        (void)cudaGraphExecDestroy(one->graph);
    one->graph = NULL;
}

static void look(series *one)
{
    if (one->count < REPLAYS_MINIMUM ||
        (one->count < REPLAYS_ENOUGH && one->spent_ms < SAMPLING_MS_ENOUGH))
        return;
    one->interval = kg__median_interval(one->samples, one->count, CONFIDENCE);
    one->finished = kg__relative_half_width(&one->interval) <= HALF_WIDTH_WANTED ||
                    one->spent_ms >= one->budget_ms ||
                    one->count + REPLAYS_QUEUED > REPLAYS_MAXIMUM;
}

/* Samples all series, interleaved replay by replay so that a drift of the machine moves them alike,
 * until each is known well enough or has spent its time. */
static bool sample(const bench *tools, series *const *all, size_t count, kg__error *why)
{
    for (;;) {
        cudaGraphExec_t graphs[REPLAYS_QUEUED];
        series *owner[REPLAYS_QUEUED];
        float ms[REPLAYS_QUEUED];
        size_t queued = 0;
        size_t active = 0;

        for (size_t i = 0; i < count; i++)
            active += !all[i]->finished;
        if (active == 0)
            return true;
        if (active > REPLAYS_QUEUED)
            return kg__fail(why,
                            "%zu variants of one size and launch, of which %d can be timed side "
                            "by side: split the comparison",
                            active, REPLAYS_QUEUED);
        for (size_t round = 0; round < REPLAYS_QUEUED / active; round++) {
            for (size_t i = 0; i < count; i++) {
                if (all[i]->finished)
                    continue;
                owner[queued] = all[i];
                graphs[queued++] = all[i]->graph;
            }
        }
        if (!replay(tools, graphs, queued, ms, why))
            return false;
        for (size_t i = 0; i < queued; i++) {
            if (owner[i]->count < REPLAYS_MAXIMUM)
                owner[i]->samples[owner[i]->count++] = ms[i] * 1e6 / owner[i]->launches;
            owner[i]->spent_ms += ms[i];
        }
        for (size_t i = 0; i < count; i++) {
            if (!all[i]->finished)
                look(all[i]);
        }
    }
}

static cudaError_t launch_empty(const subject *what, int number)
{
    (void)number;
    return kg__launch_empty(what->stream);
}

static cudaError_t launch_copy(const subject *what, int number)
{
    const bench *tools = what->context;

    (void)number;
    return kg__launch_copy_sentinel(tools->copy_from, tools->copy_to, COPY_SENTINEL_BYTES / 16,
                                    tools->multiprocessors, what->stream);
}

static cudaError_t launch_fma(const subject *what, int number)
{
    const bench *tools = what->context;

    (void)number;
    return kg__launch_fma_sentinel(tools->fma_out, tools->multiprocessors, what->stream);
}

/* Times one subject by itself. */
static bool time_alone(const bench *tools, cudaError_t (*launch)(const subject *, int), series *one,
                       kg__error *why)
{
    subject what = { launch, tools, tools->stream };
    bool good = prepare(tools, &what, 1, 1000 * tools->case_seconds / 4, one, why) &&
                sample(tools, &one, 1, why);

    discard(one);
    return good;
}

/* Keeps the card busy until it has clocked up. */
static bool warm_up(const bench *tools, kg__error *why)
{
    subject what = { launch_fma, tools, tools->stream };
    cudaGraphExec_t graph = NULL;
    double spent = 0;
    bool good = capture(&what, 4, &graph, why);

    while (good && spent < WARM_UP_MS) {
        float ms;

        good = replay(tools, &graph, 1, &ms, why);
        spent += 2 * (double)ms;
    }
    if (graph != NULL)
        (void)cudaGraphExecDestroy(graph);
    return good;
}

static json_t *figures_of(const series *one)
{
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:s}", "value", one->interval.value, "low",
                     one->interval.low, "high", one->interval.high, "samples", (int)one->count,
                     "launches", one->launches, "clock", "graph");
}

/* Times the sentinels and the empty kernel and records them. */
static bool time_sentinels(const bench *tools, series *scratch, kg__error *why)
{
    static const struct {
        const char *name;
        cudaError_t (*launch)(const subject *, int);
    } sentinels[] = { { "copy", launch_copy }, { "fma", launch_fma }, { "empty", launch_empty } };
    json_t *record = json_pack("{s:s}", "event", "sentinels");

    for (size_t i = 0; i < sizeof sentinels / sizeof sentinels[0]; i++) {
        if (!time_alone(tools, sentinels[i].launch, scratch, why)) {
            json_decref(record);
            return false;
        }
        json_object_set_new(record, sentinels[i].name, figures_of(scratch));
    }
    return kg__record_append(tools->records, record, why);
}

/* A case of the group that is being timed: one variant of the size and launch that the group
 * shares. */
typedef struct contender {
    const kg__case *one;
    series *hot;
    series *cold;
    bool out; /* wrong or failed: it has its record and is no longer timed */
} contender;

/* A size and launch, with the variants that are timed side by side on the same data. */
typedef struct group {
    const kg_comparison *comparison;
    const kg__known *known;  /* the random inputs that are timed */
    const kg__known *proven; /* the inputs that are checked */
    contender *list;
    size_t count;
    kg__buffers buffers;
    void *slab; /* the buffer sets of cold launches, all in one allocation */
    void *(*sets)[KG_MAX_ARGUMENTS];
    int set_count;
    char no_cold[192]; /* why there is no cold time, or "" */
} group;

/* A contender's launches, each on the next of `set_count` buffer sets. */
typedef struct rotation {
    const contender *who;
    void *(*sets)[KG_MAX_ARGUMENTS];
    int set_count;
} rotation;

static cudaError_t launch_contender(const subject *what, int number)
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
static bool strike_out(const bench *tools, contender *who, const kg__error *why)
{
    kg__report(tools->records, "failed", who->one->id, why->text);
    who->out = true;
    return !kg__device_is_lost();
}

/* The same for every contender that is still in. */
static bool strike_all_out(const bench *tools, group *all, const char *when, const kg__error *why)
{
    kg__error reason;
    bool alive = true;

    kg__fail(&reason, "%s: %s", when, why->text);
    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].out)
            alive = strike_out(tools, &all->list[i], &reason) && alive;
    }
    return alive;
}

/* Launches a contender once and compares; a wrong one is out. False when the device is lost. */
static bool check(const bench *tools, group *all, contender *who, const char *when)
{
    kg__error why = { "" };

    switch (kg__check_launch(all->comparison, who->one, all->proven, &all->buffers, kg__poison(0),
                             when, &why)) {
    case KG__RIGHT:
        return true;
    case KG__INCORRECT:
        kg__report_outcome(tools->records, who->one->id, false, why.text);
        who->out = true;
        return true;
    case KG__FAILED:
    case KG__LOST:
        break;
    }
    return strike_out(tools, who, &why);
}

/* Prepares and samples one metric of every contender that is still in, on `sets`. False when the
 * device is lost. */
static bool time_metric(const bench *tools, group *all, bool cold, void *(*sets)[KG_MAX_ARGUMENTS],
                        int set_count)
{
    series **active = kg__allocate(all->count, sizeof *active);
    kg__error why = { "" };
    size_t count = 0;
    bool alive = true;

    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];
        rotation turn = { who, sets, set_count };
        subject what = { launch_contender, &turn, tools->stream };
        series *one = cold ? who->cold : who->hot;

        if (who->out)
            continue;
        /* From here on it is this one that an end of the process is due to. */
        kg__report(tools->records, "start", who->one->id, NULL);
        if (prepare(tools, &what, set_count, 1000 * tools->case_seconds / 2, one, &why))
            active[count++] = one;
        else
            alive = strike_out(tools, who, &why);
    }
    tools->watch->wanted = true;
    if (alive && !sample(tools, active, count, &why))
        alive = strike_all_out(tools, all, "while timed side by side", &why);
    for (size_t i = 0; i < count; i++)
        discard(active[i]);
    free(active);
    return alive;
}

/* Makes enough copies of the arguments to exceed the L2 cache twice; says in no_cold why it did
 * not. */
static bool make_sets(const bench *tools, group *all, kg__error *why)
{
    const kg__buffers *buffers = &all->buffers;
    size_t offset[KG_MAX_ARGUMENTS];
    size_t stride = 0;

    for (int i = 0; i < buffers->arguments.count; i++) {
        offset[i] = stride;
        stride += (buffers->bytes[i] + 255) / 256 * 256;
    }
    if (tools->l2_bytes == 0) {
        kg__format(all->no_cold, sizeof all->no_cold,
                   "the device does not tell its L2 cache's size");
        return true;
    }
    size_t wanted = 2 * tools->l2_bytes / stride + 1;

    if (wanted > LAUNCHES_MAXIMUM) {
        kg__format(all->no_cold, sizeof all->no_cold,
                   "%zu buffer sets would be needed to exceed L2 twice, above the most of %d",
                   wanted, LAUNCHES_MAXIMUM);
        return true;
    }
    if (wanted < 2)
        wanted = 2;
    if (cudaMalloc(&all->slab, wanted * stride) != cudaSuccess) {
        (void)cudaGetLastError();
        all->slab = NULL;
        kg__format(all->no_cold, sizeof all->no_cold,
                   "no device memory for %zu buffer sets of %zu bytes", wanted, stride);
        return true;
    }
    all->sets = kg__allocate(wanted, sizeof *all->sets);
    all->set_count = (int)wanted;
    for (size_t set = 0; set < wanted; set++) {
        for (int i = 0; i < buffers->arguments.count; i++) {
            all->sets[set][i] = (unsigned char *)all->slab + set * stride + offset[i];
            if (!succeeded(cudaMemcpyAsync(all->sets[set][i], buffers->data[i], buffers->bytes[i],
                                           cudaMemcpyDeviceToDevice, tools->stream),
                           "filling the buffer sets", why))
                return false;
        }
    }
    return succeeded(cudaStreamSynchronize(tools->stream), "filling the buffer sets", why);
}

static void report_measured(const bench *tools, const group *all, const contender *who)
{
    json_t *metrics = json_pack("{s:o}", "time_ns", figures_of(who->hot));
    json_t *absent = json_object();
    kg__error error;

    if (all->no_cold[0] == '\0') {
        json_t *cold = figures_of(who->cold);

        json_object_set_new(cold, "buffer_sets", json_integer(all->set_count));
        json_object_set_new(metrics, "cold_time_ns", cold);
    } else {
        json_object_set_new(absent, "cold_time_ns", json_string(all->no_cold));
    }
    if (!kg__record_append(tools->records,
                           json_pack("{s:s, s:s, s:o, s:o, s:O?, s:b}", "event", "measured", "case",
                                     who->one->id, "metrics", metrics, "absent", absent, "card",
                                     tools->watch->state, "throttled",
                                     (int)tools->watch->throttled),
                           &error)) {
        kg__complain("%s", error.text);
        exit(2);
    }
}

/* Checks, times, checks again and reports every contender. False when the device is lost. */
static bool time_contenders(const bench *tools, group *all)
{
    void *hot_set[1][KG_MAX_ARGUMENTS];
    kg__error why = { "" };
    bool alive = true;

    tools->watch->throttled = false;
    if (!kg__buffers_make(&all->buffers, &all->known->problem.arguments, &why))
        return strike_all_out(tools, all, "before timing", &why);
    for (size_t i = 0; i < all->count && alive; i++) {
        kg__report(tools->records, "start", all->list[i].one->id, NULL);
        alive = check(tools, all, &all->list[i], ", before timing");
    }
    if (!alive)
        return false;
    if (!kg__buffers_fill(&all->buffers, &all->known->problem, kg__poison(0), &why))
        return strike_all_out(tools, all, "before timing", &why);
    memcpy(hot_set[0], all->buffers.data, sizeof hot_set[0]);
    if (!time_metric(tools, all, false, hot_set, 1))
        return false;
    if (!make_sets(tools, all, &why))
        return strike_all_out(tools, all, "before cold timing", &why);
    if (all->set_count > 0 && !time_metric(tools, all, true, all->sets, all->set_count))
        return false;
    for (size_t i = 0; i < all->count && alive; i++) {
        contender *who = &all->list[i];

        if (who->out)
            continue;
        kg__report(tools->records, "start", who->one->id, NULL);
        alive = check(tools, all, who, ", after timing");
        if (alive && !who->out)
            report_measured(tools, all, who);
    }
    return alive;
}

static bool time_group(const bench *tools, const kg_comparison *comparison, const kg__known *known,
                       const kg__known *proven, const kg__case *const *cases, size_t count)
{
    group all = { .comparison = comparison, .known = known, .proven = proven, .count = count };
    bool alive;

    all.list = kg__allocate(count, sizeof *all.list);
    for (size_t i = 0; i < count; i++) {
        all.list[i].one = cases[i];
        all.list[i].hot = kg__allocate(1, sizeof(series));
        all.list[i].cold = kg__allocate(1, sizeof(series));
    }
    alive = time_contenders(tools, &all);
    for (size_t i = 0; i < count; i++) {
        free(all.list[i].hot);
        free(all.list[i].cold);
    }
    free(all.list);
    free(all.sets);
    if (all.slab != NULL)
        (void)cudaFree(all.slab);
    kg__buffers_free(&all.buffers);
    return alive;
}

/* The pattern to check a size with: random inputs, but an exact pattern where a projection judges,
 * which sees a single wrong element only there. */
static int pattern_to_check(const kg_comparison *comparison, const kg__known *random)
{
    bool projected = false;

    for (int i = 0; i < random->problem.arguments.count; i++)
        projected = projected || (random->problem.arguments.list[i].role != KG_INPUT &&
                                  random->expected[i] == NULL);
    for (int pattern = 1; projected && pattern < kg__pattern_count(comparison); pattern++) {
        if (comparison->patterns[pattern - 1].exact)
            return pattern;
    }
    return 0;
}

/* The number of cases from the front that are timed side by side. */
static size_t group_length(const kg__case *const *cases, size_t count)
{
    size_t length = 1;

    while (length < count && kg__table_side_by_side(cases[0], cases[length]))
        length++;
    return length;
}

static bool time_groups(const bench *tools, const kg_comparison *comparison,
                        const kg__case *const *cases, size_t count, kg__error *error)
{
    kg__known known = { 0 };
    kg__known exact = { 0 };
    bool alive = true;

    for (size_t i = 0, length; i < count && alive; i += length) {
        length = group_length(cases + i, count - i);
        if (known.problem.size != cases[i]->size) {
            int pattern;

            kg__known_free(&known);
            kg__known_free(&exact);
            if (!kg__known_make(comparison, cases[i]->size, 0, &known, error))
                return false;
            pattern = pattern_to_check(comparison, &known);
            if (pattern != 0 && !kg__known_make(comparison, cases[i]->size, pattern, &exact, error))
                return false;
        }
        alive = time_group(tools, comparison, &known, exact.problem.size != NULL ? &exact : &known,
                           cases + i, length);
    }
    kg__known_free(&known);
    kg__known_free(&exact);
    return alive || kg__fail(error, "%s: the device was lost while timing", comparison->name);
}

static bool open_bench(bench *tools, kg__error *why)
{
    const kg__gpu *gpu = kg__device_gpu();
    size_t blocks = (size_t)gpu->multiprocessors * KG__FMA_SENTINEL_BLOCKS_PER_MULTIPROCESSOR;
    cudaError_t code = cudaStreamCreateWithFlags(&tools->stream, cudaStreamNonBlocking);

    tools->multiprocessors = gpu->multiprocessors;
    tools->l2_bytes = gpu->l2_bytes;
    tools->case_seconds = case_seconds();
    for (int i = 0; i < REPLAYS_QUEUED && code == cudaSuccess; i++) {
        code = cudaEventCreate(&tools->begin[i]);
        if (code == cudaSuccess)
            code = cudaEventCreate(&tools->end[i]);
    }
    if (code == cudaSuccess)
        code = cudaMalloc(&tools->copy_from, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc(&tools->copy_to, COPY_SENTINEL_BYTES);
    if (code == cudaSuccess)
        code = cudaMalloc((void **)&tools->fma_out, blocks * sizeof(float));
    if (code == cudaSuccess)
        code = cudaMemset(tools->copy_from, 0x5a, COPY_SENTINEL_BYTES);
    return succeeded(code, "making ready to time", why);
}

static void close_bench(bench *tools)
{
    for (int i = 0; i < REPLAYS_QUEUED; i++) {
        if (tools->begin[i] != NULL)
            (void)cudaEventDestroy(tools->begin[i]);
        if (tools->end[i] != NULL)
            (void)cudaEventDestroy(tools->end[i]);
    }
    (void)cudaFree(tools->copy_from);
    (void)cudaFree(tools->copy_to);
    (void)cudaFree(tools->fma_out);
    if (tools->stream != NULL)
        (void)cudaStreamDestroy(tools->stream);
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    watch seen = { 0 };
    bench tools = { .records = records, .watch = &seen };
    series *scratch;
    bool good;

    if (strcmp(part, "launch") == 0)
        return kg__launch_cases(comparison, cases, count, records, error);
    scratch = kg__allocate(1, sizeof *scratch);
    good = open_bench(&tools, error) && warm_up(&tools, error) &&
           time_sentinels(&tools, scratch, error);
    /* Before any case has begun, a failure is the device's, and another process would fare no
     * better. */
    if (!good)
        kg__report(records, "broken", NULL, error->text);
    good = good && time_groups(&tools, comparison, cases, count, error) &&
           time_sentinels(&tools, scratch, error);
    free(scratch);
    json_decref(seen.state);
    close_bench(&tools);
    return good;
}
