/* SPDX-License-Identifier: MIT */
#include "observer/graph_clock.h"
#include "observer/report_record.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "records/gpu_state.h"

/* Duration of a sample, large enough to make the cost of its start and the clock's resolution
 * (0.5 us) negligible. */
#define SAMPLE_MS 1.0
#define LAUNCHES_TO_ESTIMATE 16
/* Minimum number of samples, however narrow the interval; fewer if one replay takes long, or if
 * the budget has no time for them. */
#define SAMPLES_ENOUGH 30
#define SAMPLES_MINIMUM 12
/* Long samples, from rotations over hundreds of buffer sets or from first touches, which move
 * gigabytes back and forth, need only as many as give a median an interval. */
#define LONG_SAMPLE_MS 10.0
#define LONG_SAMPLES_MINIMUM 6
#define SAMPLING_MS_ENOUGH 30.0
/* Half-width of a median's interval, as a fraction, unless the bench sets another. */
#define HALF_WIDTH_WANTED 0.0025

/* Enough to outlast a query of the GPU's state when a replay lasts a millisecond. */
#define LAST_REPLAYS 2

/* The parent takes silence for a hang, so a long sampling reports that it is alive. */
#define TELL_EVERY_SECONDS 5.0

/* Captures `launches` launches of a workload into a graph that can be replayed. */
static bool capture(const kg__workload *workload, int launches, cudaGraphExec_t *replayable,
                    kg__error *why)
{
    cudaGraph_t graph = NULL;
    cudaError_t launched = cudaSuccess;
    cudaError_t code = cudaStreamBeginCapture(workload->stream, cudaStreamCaptureModeThreadLocal);
    size_t captured = 0;

    *replayable = NULL;
    if (!kg__succeeded(code, "starting a graph", why))
        return false;
    for (int i = 0; i < launches && launched == cudaSuccess; i++)
        launched = workload->launch(workload, i);
    code = cudaStreamEndCapture(workload->stream, &graph);
    if (launched != cudaSuccess || code != cudaSuccess) {
        if (graph != NULL)
            (void)cudaGraphDestroy(graph);
        return kg__succeeded(launched != cudaSuccess ? launched : code,
                             "capturing launches in a graph", why);
    }
    /* Work on another stream is not in the graph, and its time would be 0. */
    code = cudaGraphGetNodes(graph, NULL, &captured);
    if (code == cudaSuccess && captured < (size_t)launches) {
        (void)cudaGraphDestroy(graph);
        return kg__fail(why,
                        "%zu of %d launches were on the stream of the call: start the kernel on "
                        "call->stream, or on a stream that events fork from it and join to it",
                        captured, launches);
    }
    KG__THEN(code, cudaGraphInstantiate(replayable, graph, 0));
    (void)cudaGraphDestroy(graph);
    return kg__succeeded(code, "making a graph replayable", why);
}

void kg__bench_note_launch(kg__bench *bench, double ns)
{
    kg__gpu_state look = kg__gpu_state_unknown;

    look.launch_ns = llround(ns);
    if (bench->watch.repeated > 0)
        look.batches_repeated = bench->watch.repeated;
    kg__gpu_state_join(&bench->watch.state, &look);
}

/* Reads the GPU's state while it works, if that is due, and reports that this process is alive. */
static void poll_gpu_state(kg__bench *bench)
{
    double now = kg__now();

    if (bench->watch.due) {
        kg__gpu_state look = kg__device_state(&bench->watch.throttled);

        kg__gpu_state_join(&bench->watch.state, &look);
        bench->watch.due = false;
    }
    if (now - bench->watch.reported > TELL_EVERY_SECONDS) {
        kg__report(bench->records, KG__EVENT_ALIVE, NULL, NULL);
        bench->watch.reported = now;
    }
}

/* Reads the GPU's state again, untimed, while `workload` runs (NULL: while `graph` does):
 * sampling ends with an idle GPU, which hides what slowed it down. */
static bool poll_gpu_state_again(kg__bench *bench, const kg__workload *workload,
                                 cudaGraphExec_t graph, kg__error *why)
{
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < LAST_REPLAYS && code == cudaSuccess; i++)
        code = workload != NULL ? workload->launch(workload, i)
                                : cudaGraphLaunch(graph, bench->stream);
    bench->watch.due = true;
    poll_gpu_state(bench);
    KG__THEN(code, cudaStreamSynchronize(workload != NULL ? workload->stream : bench->stream));
    return kg__succeeded(code, "launching again, to read the GPU's state", why);
}

/* Replays graphs one after the other and reads each replay's time, in ms. `first` is replayed
 * untimed at the front: the rest is queued while it runs, so that no time includes waiting for
 * the host. */
static bool replay(kg__bench *bench, cudaGraphExec_t first, const cudaGraphExec_t *graphs,
                   size_t count, float *ms, kg__error *why)
{
    cudaError_t code = cudaGraphLaunch(first, bench->stream);

    for (size_t i = 0; i < count && code == cudaSuccess; i++) {
        code = cudaEventRecord(bench->begin[i], bench->stream);
        KG__THEN(code, cudaGraphLaunch(graphs[i], bench->stream));
        KG__THEN(code, cudaEventRecord(bench->end[i], bench->stream));
    }
    poll_gpu_state(bench);
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

/* Replays one graph, and reads its time. */
static bool replay_one(kg__bench *bench, cudaGraphExec_t graph, float *ms, kg__error *why)
{
    return replay(bench, graph, &graph, 1, ms, why);
}

static double ns_per_launch(float ms, const kg__loop *loop)
{
    return ms * 1e6 / loop->launches;
}

/* Replays a batch of up to KG__REPLAYS_QUEUED graphs between two replays of the monitor, again
 * until both accept it. */
static bool replay_batch(kg__bench *bench, const cudaGraphExec_t *graphs, size_t count, float *ms,
                         kg__error *why)
{
    const kg__monitor *monitor = &bench->monitor;
    cudaGraphExec_t batch[KG__BATCH_REPLAYS];
    float batch_ms[KG__BATCH_REPLAYS];

    if (monitor->loop == NULL)
        return replay(bench, graphs[0], graphs, count, ms, why);
    batch[0] = monitor->loop->graph;
    for (size_t i = 0; i < count; i++)
        batch[i + 1] = graphs[i];
    batch[count + 1] = monitor->loop->graph;
    for (;;) {
        double lost_ms = 0;
        double before;
        double after;

        if (!replay(bench, graphs[0], batch, count + 2, batch_ms, why))
            return false;
        before = ns_per_launch(batch_ms[0], monitor->loop);
        after = ns_per_launch(batch_ms[count + 1], monitor->loop);
        if (monitor->counts(monitor->context, before) && monitor->counts(monitor->context, after)) {
            kg__bench_note_launch(bench, fmin(before, after));
            break;
        }
        bench->watch.repeated++;
        for (size_t i = 0; i < count + 2; i++)
            lost_ms += batch_ms[i];
        if (!monitor->restore(monitor->context, lost_ms, why))
            return false;
    }
    memcpy(ms, batch_ms + 1, count * sizeof *ms);
    return true;
}

/* Estimates a launch's time, in ms: by one launch, or by several if they fit a sample. */
static bool estimate(kg__bench *bench, const kg__workload *workload, double *launch_ms,
                     kg__error *why)
{
    for (int launches = 1;; launches = LAUNCHES_TO_ESTIMATE) {
        cudaGraphExec_t trial;
        float ms;
        bool good = capture(workload, launches, &trial, why);

        if (good) {
            good = replay_one(bench, trial, &ms, why);
            (void)cudaGraphExecDestroy(trial);
        }
        if (!good)
            return false;
        *launch_ms = fmax(ms, 1e-4) / launches;
        if (launches == LAUNCHES_TO_ESTIMATE || *launch_ms * LAUNCHES_TO_ESTIMATE >= SAMPLE_MS)
            return true;
    }
}

bool kg__graph_prepare(kg__bench *bench, const kg__workload *workload, int unit, double budget_ms,
                       kg__series *series, kg__error *why)
{
    double launch_ms;
    int launches;

    *series = (kg__series){ .clock = "graph", .fewest = SAMPLES_MINIMUM, .budget_ms = budget_ms };
    if (!estimate(bench, workload, &launch_ms, why))
        return false;
    launches = (int)fmin(SAMPLE_MS / launch_ms / unit, KG__LAUNCHES_MAXIMUM / (double)unit) * unit;
    series->launches = launches < unit ? unit : launches;
    if (launch_ms * series->launches > LONG_SAMPLE_MS)
        series->fewest = LONG_SAMPLES_MINIMUM;
    return capture(workload, series->launches, &series->graph, why);
}

bool kg__loop_make(const kg__workload *workload, int launches, kg__loop *loop, kg__error *why)
{
    *loop = (kg__loop){ .launches = launches };
    return capture(workload, launches, &loop->graph, why);
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

            take(context, index, ns_per_launch(ms[i], loops[index]));
        }
    }
    return true;
}

bool kg__loop_time(kg__bench *bench, const kg__loop *loop, size_t replays, double *ns,
                   kg__error *why)
{
    cudaGraphExec_t graphs[KG__REPLAYS_QUEUED] = { loop->graph };
    float ms[KG__REPLAYS_QUEUED];
    double ns_each[KG__REPLAYS_QUEUED];

    for (size_t i = 1; i < replays; i++)
        graphs[i] = loop->graph;
    if (!replay(bench, loop->graph, graphs, replays, ms, why))
        return false;
    for (size_t i = 0; i < replays; i++)
        ns_each[i] = ns_per_launch(ms[i], loop);
    *ns = kg__median(ns_each, replays);
    return true;
}

/* Times one launch by an event pair. With `polls` the GPU's state is read while it runs. */
static cudaError_t time_launch(kg__bench *bench, const kg__workload *workload, bool polls,
                               float *ms)
{
    cudaError_t code = cudaEventRecord(bench->begin[0], workload->stream);

    *ms = 0;
    KG__THEN(code, workload->launch(workload, 0));
    KG__THEN(code, cudaEventRecord(bench->end[0], workload->stream));
    if (polls)
        poll_gpu_state(bench);
    KG__THEN(code, cudaEventSynchronize(bench->end[0]));
    KG__THEN(code, cudaEventElapsedTime(ms, bench->begin[0], bench->end[0]));
    return code;
}

bool kg__launch_time(kg__bench *bench, const kg__workload *workload, double *ns, kg__error *why)
{
    float ms;
    cudaError_t code = time_launch(bench, workload, false, &ms);

    *ns = 1e6 * ms;
    return kg__succeeded(code, "timing a launch", why);
}

void kg__graph_discard(kg__series *series)
{
    if (series->graph != NULL)
        (void)cudaGraphExecDestroy(series->graph);
    series->graph = NULL;
}

/* Returns the number of samples that are enough if their interval is narrow. */
static size_t enough_samples(const kg__series *series)
{
    return (size_t)fmax((double)series->fewest,
                        fmin(SAMPLES_ENOUGH, series->budget_ms / SAMPLE_MS));
}

static void update_interval(const kg__bench *bench, kg__series *series)
{
    if (series->count < series->fewest ||
        (series->count < enough_samples(series) && series->spent_ms < SAMPLING_MS_ENOUGH))
        return;
    series->interval = kg__median_interval(series->samples, series->count, KG__CONFIDENCE);
    series->finished = kg__relative_half_width(&series->interval) <= bench->precision ||
                       series->spent_ms >= series->budget_ms ||
                       series->count + KG__REPLAYS_QUEUED > KG__SAMPLES_MAXIMUM;
}

bool kg__graph_sample(kg__bench *bench, kg__series *const *series, size_t count, kg__error *why)
{
    for (;;) {
        cudaGraphExec_t graphs[KG__REPLAYS_QUEUED];
        kg__series *active[KG__REPLAYS_QUEUED];
        float ms[KG__REPLAYS_QUEUED];
        size_t found = 0;
        size_t queued = 0;

        for (size_t i = 0; i < count; i++) {
            if (!series[i]->finished && found++ < KG__REPLAYS_QUEUED)
                active[found - 1] = series[i];
        }
        if (found == 0)
            return poll_gpu_state_again(bench, NULL, series[0]->graph, why);
        if (found > KG__REPLAYS_QUEUED)
            return kg__fail(why,
                            "%zu cases have the same size and threads per block, but at most %d "
                            "can be timed side by side: split the comparison",
                            found, KG__REPLAYS_QUEUED);
        /* In turns, as often as a batch or the budget allows. */
        do
            graphs[queued] = active[queued % found]->graph;
        while (++queued < found * enough_samples(active[0]) &&
               queued < KG__REPLAYS_QUEUED / found * found);
        if (!replay_batch(bench, graphs, queued, ms, why))
            return false;
        for (size_t i = 0; i < queued; i++) {
            kg__series *owner = active[i % found];

            if (owner->count < KG__SAMPLES_MAXIMUM)
                owner->samples[owner->count++] = ms[i] * 1e6 / owner->launches;
            owner->spent_ms += ms[i];
        }
        for (size_t i = 0; i < found; i++)
            update_interval(bench, active[i]);
    }
}

/* Makes `calls` calls and waits for their end; false with `why`. */
static bool call_and_wait(kg__bench *bench, const kg__workload *workload, int calls, double *ms,
                          kg__error *why)
{
    double started = kg__now();
    cudaError_t code = cudaSuccess;

    for (int i = 0; i < calls && code == cudaSuccess; i++)
        code = workload->launch(workload, i);
    KG__THEN(code, cudaStreamSynchronize(workload->stream));
    *ms = 1000 * (kg__now() - started);
    poll_gpu_state(bench);
    return kg__succeeded(code, "calling repeatedly", why);
}

static void add_sample(const kg__bench *bench, kg__series *series, double ms, double spent_ms)
{
    series->samples[series->count++] = ms * 1e6 / series->launches;
    series->spent_ms += spent_ms;
    update_interval(bench, series);
}

bool kg__host_sample(kg__bench *bench, const kg__workload *workload, double budget_ms,
                     kg__series *series, kg__error *why)
{
    double ms;

    *series = (kg__series){ .clock = "host", .fewest = SAMPLES_MINIMUM, .budget_ms = budget_ms };
    /* The first calls warm up; the second batch gives the time of one. */
    for (int i = 0; i < 2; i++) {
        if (!call_and_wait(bench, workload, LAUNCHES_TO_ESTIMATE, &ms, why))
            return false;
    }
    series->launches =
        (int)fmax(1, fmin(SAMPLE_MS * LAUNCHES_TO_ESTIMATE / fmax(ms, 1e-4), KG__LAUNCHES_MAXIMUM));
    while (!series->finished) {
        if (!call_and_wait(bench, workload, series->launches, &ms, why))
            return false;
        add_sample(bench, series, ms, ms);
    }
    return poll_gpu_state_again(bench, workload, NULL, why);
}

bool kg__first_touch_sample(kg__bench *bench, const kg__workload *workload,
                            const kg__buffers *buffers, double budget_ms, kg__series *series,
                            kg__error *why)
{
    *series = (kg__series){ .clock = "first_touch",
                            .fewest = LONG_SAMPLES_MINIMUM,
                            .launches = 1,
                            .budget_ms = budget_ms };
    while (!series->finished) {
        double started = kg__now();
        float ms;

        if (!kg__device_move(buffers, false, workload->stream, why) ||
            !kg__succeeded(cudaStreamSynchronize(workload->stream), "moving managed memory", why) ||
            !kg__succeeded(time_launch(bench, workload, true, &ms), "timing a first touch", why))
            return false;
        add_sample(bench, series, ms, 1000 * (kg__now() - started));
    }
    return poll_gpu_state_again(bench, workload, NULL, why);
}

bool kg__bench_warm_up(kg__bench *bench, const kg__workload *workload, double ms, kg__error *why)
{
    cudaGraphExec_t graph = NULL;
    double spent = 0;
    bool good = capture(workload, 4, &graph, why);

    while (good && spent < ms) {
        float graph_ms = 0;

        good = replay_one(bench, graph, &graph_ms, why);
        spent += 2 * (double)graph_ms;
    }
    if (graph != NULL)
        (void)cudaGraphExecDestroy(graph);
    return good;
}

bool kg__bench_open(kg__bench *bench, int records, kg__error *why)
{
    cudaError_t code;

    *bench = (kg__bench){ .records = records,
                          .precision = HALF_WIDTH_WANTED,
                          .watch.state = kg__gpu_state_unknown };
    code = cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking);
    for (size_t i = 0; i < KG__BATCH_REPLAYS && code == cudaSuccess; i++) {
        code = cudaEventCreate(&bench->begin[i]);
        KG__THEN(code, cudaEventCreate(&bench->end[i]));
    }
    return kg__succeeded(code, "preparing to time", why);
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
    bench->watch.state = kg__gpu_state_unknown;
    bench->watch.throttled = false;
    bench->watch.repeated = 0;
}
