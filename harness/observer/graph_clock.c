#include "observer/graph_clock.h"
#include "observer/report_record.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/observe.h"
#include "records/gpu_state.h"

/* A sample lasts about this long, so that the cost of its start and the clock's resolution (0.5 us)
 * vanish in it. */
#define SAMPLE_MS 1.0
#define LAUNCHES_TO_ESTIMATE 16
/* However narrow the interval: so many, or so few as fill this much time where one replay lasts
 * long. */
#define SAMPLES_ENOUGH 30
#define SAMPLES_MINIMUM 12
/* The fewest that give a median an interval: a first touch moves gigabytes there and back. */
#define FIRST_TOUCHES_MINIMUM 6
#define SAMPLING_MS_ENOUGH 30.0
#define CONFIDENCE 0.95
/* How well a median is to be known unless the bench is told otherwise. */
#define HALF_WIDTH_WANTED 0.0025

/* Enough to outlast a look at the card where a replay lasts a millisecond. */
#define LAST_REPLAYS 2

/* The parent takes silence for a hang; a long sampling says that it lives. */
#define TELL_EVERY_SECONDS 5.0

bool kg__succeeded(cudaError_t code, const char *what, kg__error *why)
{
    return code == cudaSuccess || kg__cuda_fail(why, what, code);
}

/* Captures `launches` launches of a subject into a graph that can be replayed. */
static bool capture(const kg__timed *what, int launches, cudaGraphExec_t *replayable,
                    kg__error *why)
{
    cudaGraph_t graph = NULL;
    cudaError_t launched = cudaSuccess;
    cudaError_t code = cudaStreamBeginCapture(what->stream, cudaStreamCaptureModeThreadLocal);
    size_t captured = 0;

    *replayable = NULL;
    if (!kg__succeeded(code, "starting a graph", why))
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
    return kg__succeeded(code, "making a graph replayable", why);
}

/* Joins what is seen of the card, a reference that is taken over, into what was seen before. */
static void note_look(kg__bench *bench, json_t *seen)
{
    if (bench->watch.state == NULL)
        bench->watch.state = json_object();
    kg__gpu_state_join(bench->watch.state, seen);
    json_decref(seen);
}

void kg__bench_note_launch(kg__bench *bench, double ns)
{
    json_t *seen = json_pack("{s:I}", "launch_ns", (json_int_t)llround(ns));

    if (bench->watch.repeated > 0)
        json_object_set_new(seen, "batches_repeated", json_integer(bench->watch.repeated));
    note_look(bench, seen);
}

/* Looks at the card while it works, once where that is wanted, and says that this process lives. */
static void keep_watch(kg__bench *bench)
{
    double now = kg__now();

    if (bench->watch.wanted) {
        note_look(bench, kg__device_state(&bench->watch.throttled));
        bench->watch.wanted = false;
    }
    if (now - bench->watch.told > TELL_EVERY_SECONDS) {
        kg__report(bench->records, "alive", NULL, NULL);
        bench->watch.told = now;
    }
}

/* Looks at the card once more, while `what` runs (NULL: while `graph` does), untimed: a sampling
 * only shows that it was over when the card is idle again, and an idle card hides what slowed it
 * down. */
static bool watch_the_end(kg__bench *bench, const kg__timed *what, cudaGraphExec_t graph,
                          kg__error *why)
{
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < LAST_REPLAYS && code == cudaSuccess; i++)
        code = what != NULL ? what->launch(what, i) : cudaGraphLaunch(graph, bench->stream);
    bench->watch.wanted = true;
    keep_watch(bench);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(what != NULL ? what->stream : bench->stream);
    return kg__succeeded(code, "launching once more, to look at the card", why);
}

/* Replays graphs one behind the other and reads what each replay took, in ms. `first` is replayed
 * at the front, untimed: while it runs the rest is queued, so that no time includes waiting for the
 * host. */
static bool replay(kg__bench *bench, cudaGraphExec_t first, const cudaGraphExec_t *graphs,
                   size_t count, float *ms, kg__error *why)
{
    cudaError_t code = cudaGraphLaunch(first, bench->stream);

    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = cudaEventRecord(bench->begin[i], bench->stream);
        if (code == cudaSuccess)
            code = cudaGraphLaunch(graphs[i], bench->stream);
        if (code == cudaSuccess)
            code = cudaEventRecord(bench->end[i], bench->stream);
    }
    keep_watch(bench);
    if (!kg__succeeded(code, "replaying a graph", why) ||
        !kg__succeeded(cudaStreamSynchronize(bench->stream), "running the kernel in a graph", why))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!kg__succeeded(cudaEventElapsedTime(&ms[i], bench->begin[i], bench->end[i]),
                           "reading an event", why))
            return false;
    }
    return true;
}

/* Replays one graph, and reads what it took. */
static bool replay_one(kg__bench *bench, cudaGraphExec_t graph, float *ms, kg__error *why)
{
    return replay(bench, graph, &graph, 1, ms, why);
}

static double ns_a_launch(float ms, const kg__loop *loop)
{
    return ms * 1e6 / loop->launches;
}

/* Replays a batch of up to KG__REPLAYS_QUEUED graphs between two witnesses, again and again until
 * both say that it counts. */
static bool replay_batch(kg__bench *bench, const cudaGraphExec_t *graphs, size_t count, float *ms,
                         kg__error *why)
{
    const kg__witness *witness = &bench->witness;
    cudaGraphExec_t flanked[KG__BATCH_REPLAYS];
    float taken[KG__BATCH_REPLAYS];

    if (witness->loop == NULL)
        return replay(bench, graphs[0], graphs, count, ms, why);
    flanked[0] = witness->loop->graph;
    for (size_t i = 0; i < count; i++)
        flanked[i + 1] = graphs[i];
    flanked[count + 1] = witness->loop->graph;
    for (;;) {
        double lost_ms = 0;
        double before;
        double behind;

        if (!replay(bench, graphs[0], flanked, count + 2, taken, why))
            return false;
        before = ns_a_launch(taken[0], witness->loop);
        behind = ns_a_launch(taken[count + 1], witness->loop);
        if (witness->counts(witness->context, before) &&
            witness->counts(witness->context, behind)) {
            kg__bench_note_launch(bench, fmin(before, behind));
            break;
        }
        bench->watch.repeated++;
        for (size_t i = 0; i < count + 2; i++)
            lost_ms += taken[i];
        if (!witness->restore(witness->context, lost_ms, why))
            return false;
    }
    memcpy(ms, taken + 1, count * sizeof *ms);
    return true;
}

bool kg__graph_prepare(kg__bench *bench, const kg__timed *what, int unit, double budget_ms,
                       kg__series *one, kg__error *why)
{
    cudaGraphExec_t trial;
    float ms;
    double wanted;
    int launches;

    *one = (kg__series){ .clock = "graph", .fewest = SAMPLES_MINIMUM, .budget_ms = budget_ms };
    if (!capture(what, LAUNCHES_TO_ESTIMATE, &trial, why))
        return false;
    if (!replay_one(bench, trial, &ms, why)) {
        (void)cudaGraphExecDestroy(trial);
        return false;
    }
    (void)cudaGraphExecDestroy(trial);
    wanted = SAMPLE_MS * LAUNCHES_TO_ESTIMATE / fmax(ms, 1e-4);
    launches = (int)fmin(wanted / unit, KG__LAUNCHES_MAXIMUM / (double)unit) * unit;
    one->launches = launches < unit ? unit : launches;
    return capture(what, one->launches, &one->graph, why);
}

bool kg__loop_make(const kg__timed *what, int launches, kg__loop *loop, kg__error *why)
{
    *loop = (kg__loop){ .launches = launches };
    return capture(what, launches, &loop->graph, why);
}

void kg__loop_discard(kg__loop *loop)
{
    if (loop->graph != NULL)
        (void)cudaGraphExecDestroy(loop->graph);
    loop->graph = NULL;
}

bool kg__loops_replay(kg__bench *bench, const kg__loop *const *loops, size_t count, size_t rounds,
                      void (*take)(void *context, size_t index, double ns), void *context,
                      kg__error *why)
{
    cudaGraphExec_t graphs[KG__REPLAYS_QUEUED];
    float ms[KG__REPLAYS_QUEUED];

    for (size_t from = 0, queued; from < rounds * count; from += queued) {
        for (queued = 0; queued < KG__REPLAYS_QUEUED && from + queued < rounds * count; queued++)
            graphs[queued] = loops[(from + queued) % count]->graph;
        if (!replay_batch(bench, graphs, queued, ms, why))
            return false;
        for (size_t i = 0; i < queued; i++) {
            size_t index = (from + i) % count;

            take(context, index, ns_a_launch(ms[i], loops[index]));
        }
    }
    return true;
}

bool kg__loop_time(kg__bench *bench, const kg__loop *loop, size_t replays, double *ns,
                   kg__error *why)
{
    cudaGraphExec_t graphs[KG__REPLAYS_QUEUED] = { loop->graph };
    float ms[KG__REPLAYS_QUEUED];
    double taken[KG__REPLAYS_QUEUED];

    for (size_t i = 1; i < replays; i++)
        graphs[i] = loop->graph;
    if (!replay(bench, loop->graph, graphs, replays, ms, why))
        return false;
    for (size_t i = 0; i < replays; i++)
        taken[i] = ns_a_launch(ms[i], loop);
    *ns = kg__median(taken, replays);
    return true;
}

bool kg__launch_time(kg__bench *bench, const kg__timed *what, double *ns, kg__error *why)
{
    float ms = 0;
    cudaError_t code = cudaEventRecord(bench->begin[0], what->stream);

    if (code == cudaSuccess)
        code = what->launch(what, 0);
    if (code == cudaSuccess)
        code = cudaEventRecord(bench->end[0], what->stream);
    if (code == cudaSuccess)
        code = cudaEventSynchronize(bench->end[0]);
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(&ms, bench->begin[0], bench->end[0]);
    *ns = 1e6 * ms;
    return kg__succeeded(code, "timing a launch", why);
}

void kg__graph_discard(kg__series *one)
{
    if (one->graph != NULL)
        (void)cudaGraphExecDestroy(one->graph);
    one->graph = NULL;
}

static void look(const kg__bench *bench, kg__series *one)
{
    if (one->count < one->fewest ||
        (one->count < SAMPLES_ENOUGH && one->spent_ms < SAMPLING_MS_ENOUGH))
        return;
    one->interval = kg__median_interval(one->samples, one->count, CONFIDENCE);
    one->finished = kg__relative_half_width(&one->interval) <= bench->precision ||
                    one->spent_ms >= one->budget_ms ||
                    one->count + KG__REPLAYS_QUEUED > KG__SAMPLES_MAXIMUM;
}

bool kg__graph_sample(kg__bench *bench, kg__series *const *all, size_t count, kg__error *why)
{
    for (;;) {
        cudaGraphExec_t graphs[KG__REPLAYS_QUEUED];
        kg__series *owner[KG__REPLAYS_QUEUED];
        float ms[KG__REPLAYS_QUEUED];
        size_t queued = 0;
        size_t active = 0;

        for (size_t i = 0; i < count; i++)
            active += !all[i]->finished;
        if (active == 0)
            return watch_the_end(bench, NULL, all[0]->graph, why);
        if (active > KG__REPLAYS_QUEUED)
            return kg__fail(why,
                            "%zu cases of one size and number of threads a block, of which %d can "
                            "be timed side by side: split the comparison",
                            active, KG__REPLAYS_QUEUED);
        for (size_t round = 0; round < KG__REPLAYS_QUEUED / active; round++) {
            for (size_t i = 0; i < count; i++) {
                if (all[i]->finished)
                    continue;
                owner[queued] = all[i];
                graphs[queued++] = all[i]->graph;
            }
        }
        if (!replay_batch(bench, graphs, queued, ms, why))
            return false;
        for (size_t i = 0; i < queued; i++) {
            if (owner[i]->count < KG__SAMPLES_MAXIMUM)
                owner[i]->samples[owner[i]->count++] = ms[i] * 1e6 / owner[i]->launches;
            owner[i]->spent_ms += ms[i];
        }
        for (size_t i = 0; i < count; i++) {
            if (!all[i]->finished)
                look(bench, all[i]);
        }
    }
}

/* Makes `calls` calls and waits for their end; false with `why`. */
static bool call_and_wait(kg__bench *bench, const kg__timed *what, int calls, double *ms,
                          kg__error *why)
{
    double begun = kg__now();
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < calls && code == cudaSuccess; i++)
        code = what->launch(what, i);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(what->stream);
    *ms = 1000 * (kg__now() - begun);
    keep_watch(bench);
    return kg__succeeded(code, "calling again and again", why);
}

static void add_sample(const kg__bench *bench, kg__series *one, double ms, double spent_ms)
{
    one->samples[one->count++] = ms * 1e6 / one->launches;
    one->spent_ms += spent_ms;
    look(bench, one);
}

bool kg__host_sample(kg__bench *bench, const kg__timed *what, double budget_ms, kg__series *one,
                     kg__error *why)
{
    double ms;

    *one = (kg__series){ .clock = "host", .fewest = SAMPLES_MINIMUM, .budget_ms = budget_ms };
    /* The first calls make what later ones find; the second lot tells how long one takes. */
    for (int i = 0; i < 2; i++) {
        if (!call_and_wait(bench, what, LAUNCHES_TO_ESTIMATE, &ms, why))
            return false;
    }
    one->launches =
        (int)fmax(1, fmin(SAMPLE_MS * LAUNCHES_TO_ESTIMATE / fmax(ms, 1e-4), KG__LAUNCHES_MAXIMUM));
    while (!one->finished) {
        if (!call_and_wait(bench, what, one->launches, &ms, why))
            return false;
        add_sample(bench, one, ms, ms);
    }
    return watch_the_end(bench, what, NULL, why);
}

bool kg__first_touch_sample(kg__bench *bench, const kg__timed *what, const kg__buffers *buffers,
                            double budget_ms, kg__series *one, kg__error *why)
{
    *one = (kg__series){ .clock = "first_touch",
                         .fewest = FIRST_TOUCHES_MINIMUM,
                         .launches = 1,
                         .budget_ms = budget_ms };
    while (!one->finished) {
        double begun = kg__now();
        float ms = 0;
        cudaError_t code;

        if (!kg__device_move(buffers, false, what->stream, why) ||
            !kg__succeeded(cudaStreamSynchronize(what->stream), "moving managed memory", why))
            return false;
        code = cudaEventRecord(bench->begin[0], what->stream);
        if (code == cudaSuccess)
            code = what->launch(what, 0);
        if (code == cudaSuccess)
            code = cudaEventRecord(bench->end[0], what->stream);
        keep_watch(bench);
        if (code == cudaSuccess)
            code = cudaEventSynchronize(bench->end[0]);
        if (code == cudaSuccess)
            code = cudaEventElapsedTime(&ms, bench->begin[0], bench->end[0]);
        if (!kg__succeeded(code, "timing a first touch", why))
            return false;
        add_sample(bench, one, ms, 1000 * (kg__now() - begun));
    }
    return watch_the_end(bench, what, NULL, why);
}

bool kg__bench_warm_up(kg__bench *bench, const kg__timed *what, double ms, kg__error *why)
{
    cudaGraphExec_t graph = NULL;
    double spent = 0;
    bool good = capture(what, 4, &graph, why);

    while (good && spent < ms) {
        float taken = 0;

        good = replay_one(bench, graph, &taken, why);
        spent += 2 * (double)taken;
    }
    if (graph != NULL)
        (void)cudaGraphExecDestroy(graph);
    return good;
}

bool kg__bench_open(kg__bench *bench, int records, kg__error *why)
{
    cudaError_t code;

    *bench = (kg__bench){ .records = records, .precision = HALF_WIDTH_WANTED };
    code = cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking);
    for (size_t i = 0; i < KG__BATCH_REPLAYS && code == cudaSuccess; i++) {
        code = cudaEventCreate(&bench->begin[i]);
        if (code == cudaSuccess)
            code = cudaEventCreate(&bench->end[i]);
    }
    return kg__succeeded(code, "making ready to time", why);
}

void kg__bench_close(kg__bench *bench)
{
    for (size_t i = 0; i < KG__BATCH_REPLAYS; i++) {
        if (bench->begin[i] != NULL)
            (void)cudaEventDestroy(bench->begin[i]);
        if (bench->end[i] != NULL)
            (void)cudaEventDestroy(bench->end[i]);
    }
    if (bench->stream != NULL)
        (void)cudaStreamDestroy(bench->stream);
    kg__bench_forget(bench);
}

void kg__bench_forget(kg__bench *bench)
{
    json_decref(bench->watch.state);
    bench->watch.state = NULL;
    bench->watch.throttled = false;
    bench->watch.repeated = 0;
}
