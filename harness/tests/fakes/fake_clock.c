/* SPDX-License-Identifier: MIT */
/* A clock for the GPU that is not there: part tune's steps, whose launches take what the plan says.
 * Without a plan, "plain" takes 10000 ns and every other variant 5000 with blocks of 64 threads,
 * and a tenth more for each factor of two in the threads per block, or in the number of blocks from
 * 8, on either side. Samples scatter over the plan's width. */

/* Functions take what those take that they stand in for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "model/model.h"
#include "observer/graph_clock.h"
#include "observer/time_bench.h"
#include "observer/timed_group.h"
#include "tests/fakes/fake_gpu.h"

#define BEST_BLOCK 64.0
#define BEST_GRID 8.0
#define SLOWER_A_DOUBLING 0.1
#define COST_OF_A_LAUNCH 3000.0

bool kg__tools_open(kg__tools *with, int records, kg__error *why)
{
    *with = (kg__tools){ .bench.records = records, .case_seconds = 0.5 };
    return true;
}

void kg__tools_close(kg__tools *with)
{
    kg__bench_forget(&with->bench);
}

void kg__bench_forget(kg__bench *bench)
{
    bench->watch.state = kg__gpu_state_unknown;
    bench->watch.throttled = false;
    bench->watch.repeated = 0;
}

/* How many factors of two lie between a number and the best one. */
static double doublings(int number, double best)
{
    return number > 0 ? fabs(log2(number / best)) : 0;
}

static fake_fate fate_of(const kg__case *one)
{
    double hot = strcmp(one->variant->name, "plain") == 0 ? 10000 : 5000;
    double away =
        doublings(one->launch.axis[0], BEST_BLOCK) + doublings(one->launch.axis[1], BEST_GRID);

    return fake_fate_of(one->id, hot * (1 + SLOWER_A_DOUBLING * away));
}

static const kg__case *case_of(const kg__workload *what)
{
    return ((const kg__rotation *)what->context)->c;
}

/* A graph that is none. */
struct CUgraphExec_st {
    fake_fate fate;
    unsigned replays;
};

/* Sample after sample takes another one of eleven times across the width. */
static double next_sample(kg__replayable *graph)
{
    unsigned step = graph->replays++ * 7 % 11;

    return graph->fate.hot * (1 + graph->fate.width * (step / 10.0 - 0.5));
}

bool kg__loop_make(const kg__workload *what, int launches, kg__loop *loop, kg__error *why)
{
    loop->launches = launches;
    loop->graph = kg__allocate(1, sizeof *loop->graph);
    loop->graph->fate = fate_of(case_of(what));
    return true;
}

void kg__loop_discard(kg__loop *loop)
{
    free(loop->graph);
    loop->graph = NULL;
}

bool kg__loops_replay(kg__bench *bench, const kg__loop *const *loops, size_t count, size_t rounds,
                      void (*take)(void *context, size_t index, double ns), void *context,
                      kg__error *why)
{
    for (size_t i = 0; i < rounds * count; i++)
        take(context, i % count, next_sample(loops[i % count]->graph));
    return true;
}

bool kg__launch_time(kg__bench *bench, const kg__workload *what, double *ns, kg__error *why)
{
    fake_fate fate = fate_of(case_of(what));

    *ns = fate.hot + COST_OF_A_LAUNCH;
    if (strcmp(fate.event, "crash") == 0)
        fake_crash();
    while (strcmp(fate.event, "hang") == 0)
        pause();
    if (strcmp(fate.event, "quit") == 0)
        kg__model_set_sticky_error(cudaErrorIllegalAddress);
    return strcmp(fate.event, "measured") == 0 || kg__fail(why, "timing a launch: as planned");
}

static bool sample_series(const kg__workload *what, const char *clock, kg__series *one)
{
    kg__replayable graph = { .fate = fate_of(case_of(what)) };

    *one = (kg__series){ .clock = clock, .launches = 1, .count = 12 };
    for (size_t i = 0; i < one->count; i++)
        one->samples[i] = next_sample(&graph);
    one->interval = kg__median_interval(one->samples, one->count, KG__CONFIDENCE);
    return true;
}

bool kg__host_sample(kg__bench *bench, const kg__workload *what, double budget_ms, kg__series *one,
                     kg__error *why)
{
    return sample_series(what, "host", one);
}

bool kg__first_touch_sample(kg__bench *bench, const kg__workload *what, const kg__buffers *buffers,
                            double budget_ms, kg__series *one, kg__error *why)
{
    return sample_series(what, "first_touch", one);
}
