/* SPDX-License-Identifier: MIT */
/* Clocks: how the time of a launch is sampled on a GPU; docs/measuring.md has the reasons. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/statistics.h"
#include "device/buffers.h"
#include "records/gpu_state.h"

/* Maximum launches of a sample. */
#define KG__LAUNCHES_MAXIMUM 1000
/* Maximum samples of a series. */
#define KG__SAMPLES_MAXIMUM 4000
/* Replays queued at a time; also the maximum number of cases that are timed side by side. */
#define KG__REPLAYS_QUEUED 24
/* The same with a monitor's replay before and after them. */
#define KG__BATCH_REPLAYS (KG__REPLAYS_QUEUED + 2)

/* A workload to sample: launch() does launch number `number`. */
typedef struct kg__workload {
    cudaError_t (*launch)(const struct kg__workload *workload, int number);
    const void *context;
    cudaStream_t stream;
} kg__workload;

/* The type behind cudaGraphExec_t. */
typedef struct CUgraphExec_st kg__replayable;

/* One metric being sampled. Initialize with zeros. */
typedef struct kg__series {
    const char *clock; /* its name in records */
    kg__replayable *graph;
    int launches;                        /* per sample */
    double samples[KG__SAMPLES_MAXIMUM]; /* ns per launch */
    size_t count;
    size_t fewest; /* required samples */
    double spent_ms;
    double budget_ms;
    kg__interval interval;
    bool finished;
} kg__series;

/* The GPU's state while it works, since an idle GPU hides why it is slow. */
typedef struct kg__watch {
    bool due;            /* read the state while the next batch runs */
    kg__gpu_state state; /* the worst state since this was cleared */
    bool throttled;      /* throttled in any reading since then */
    int repeated;        /* batches that were repeated since then */
    double reported;     /* when the parent last heard from this process, by the host's clock */
} kg__watch;

/* Launches in a graph: the graph clock in single steps, for a caller that decides sample by
 * sample. */
typedef struct kg__loop {
    kg__replayable *graph; /* NULL: none */
    int launches;
} kg__loop;

/* A loop that is replayed before and after every batch of samples; its time decides whether the
 * batch counts or is repeated. */
typedef struct kg__monitor {
    const kg__loop *loop; /* NULL: every batch counts */
    /* Returns whether a batch counts if a launch of the loop took `ns`. */
    bool (*counts)(void *context, double ns);
    /* Restores the state in which batches count; false with `why`. The lost batch took
     * `lost_ms`. */
    bool (*restore)(void *context, double lost_ms, kg__error *why);
    void *context;
} kg__monitor;

/* A process's resources for sampling. */
typedef struct kg__bench {
    cudaStream_t stream;
    cudaEvent_t begin[KG__BATCH_REPLAYS];
    cudaEvent_t end[KG__BATCH_REPLAYS];
    int records; /* the file for reports that this process is alive */
    /* Half-width of a median's interval, as a fraction, at which its sampling ends. */
    double precision;
    kg__watch watch;
    kg__monitor monitor;
} kg__bench;

/* Makes the stream and the events; false with `why`. Close it in either case. */
bool kg__bench_open(kg__bench *bench, int records, kg__error *why);

/* Frees the stream, the events, and the GPU's states. */
void kg__bench_close(kg__bench *bench);

/* Forgets the GPU's states. */
void kg__bench_forget(kg__bench *bench);

/* Records the cost of an empty launch in a graph, in ns, in the GPU's state. */
void kg__bench_note_launch(kg__bench *bench, double ns);

/* Replays launches of `workload` for about `ms`, so that an idle GPU raises its clocks. */
bool kg__bench_warm_up(kg__bench *bench, const kg__workload *workload, double ms, kg__error *why);

/* The graph clock. Chooses how many launches a replay holds, a multiple of `unit`, and captures
 * them in the series; false with `why`. */
bool kg__graph_prepare(kg__bench *bench, const kg__workload *workload, int unit, double budget_ms,
                       kg__series *series, kg__error *why);
/* Samples prepared series, interleaved replay by replay so that drift affects all of them alike,
 * until each is precise enough or has spent its time. */
bool kg__graph_sample(kg__bench *bench, kg__series *const *series, size_t count, kg__error *why);

/* Frees the graph of a series, if it has one. */
void kg__graph_discard(kg__series *series);

/* Captures `launches` launches; false with `why`. Free it with kg__loop_discard(). */
bool kg__loop_make(const kg__workload *workload, int launches, kg__loop *loop, kg__error *why);

/* Frees the graph of a loop, if it has one. */
void kg__loop_discard(kg__loop *loop);

/* Replays each of `count` loops `rounds` times, interleaved round by round. `take` receives each
 * replay's loop index and ns per launch. */
bool kg__loops_replay(kg__bench *bench, const kg__loop *const *loops, size_t count, size_t rounds,
                      void (*take)(void *context, size_t index, double ns), void *context,
                      kg__error *why);

/* Measures a launch of a loop, in ns: the median of `replays` replays (KG__REPLAYS_QUEUED at
 * most), without the monitor. */
bool kg__loop_time(kg__bench *bench, const kg__loop *loop, size_t replays, double *ns,
                   kg__error *why);

/* Measures one launch outside of any graph, with the cost of its start: by an event pair, in ns. */
bool kg__launch_time(kg__bench *bench, const kg__workload *workload, double *ns, kg__error *why);

/* The host's clock, for launches that a graph cannot hold: a sample is as many calls as last
 * about a millisecond, and the wait for their end. */
bool kg__host_sample(kg__bench *bench, const kg__workload *workload, double budget_ms,
                     kg__series *series, kg__error *why);

/* The clock of a first touch: the managed arguments of `buffers` are moved to the host before
 * each sample, which is an event pair around one launch. */
bool kg__first_touch_sample(kg__bench *bench, const kg__workload *workload,
                            const kg__buffers *buffers, double budget_ms, kg__series *series,
                            kg__error *why);
