/* SPDX-License-Identifier: MIT */
/* Slows every timed case by a part of its own work, to see how much the gate finds: of `n` launches
 * that a sample is made of and divided by, some are made twice. Two functions of the harness
 * are wrapped by the linker for that: what it launches to prepare a series, and what it does just
 * before, which the sentinels go without. KG_STUDY_EXTRA names the fraction: 0.03 adds 3 %. */
#include <math.h>
#include <stdlib.h>

#include "observer/check.h"
#include "observer/describe_launch.h"
#include "observer/graph_clock.h"
#include "tests/study/selftest.h"

/* How near the launches that are made twice must come to the fraction, in parts of it, and how far
 * that may stretch a sample. */
#define NEARNESS 0.02
#define LAUNCHES_AT_MOST 2000

bool __real_kg__graph_prepare(kg__bench *bench, const kg__workload *what, int unit,
                              double budget_ms, kg__series *one, kg__error *why);
bool __wrap_kg__graph_prepare(kg__bench *bench, const kg__workload *what, int unit,
                              double budget_ms, kg__series *one, kg__error *why);
bool __real_kg__prepare_launch(const kg__case *one, const kg__buffers *buffers, kg__error *why);
bool __wrap_kg__prepare_launch(const kg__case *one, const kg__buffers *buffers, kg__error *why);

void __wrap_kg__describe_launch(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count,
                                const kg__buffers *buffers, kg_clock clock, json_t *description);

/* A launch that is made twice is not the launch that a baseline knows, though each of the two is:
 * it has no identity here, lest its slowdown be put down to the machine. */
void __wrap_kg__describe_launch(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count,
                                const kg__buffers *buffers, kg_clock clock, json_t *description)
{
    (void)graph;
    (void)nodes;
    (void)count;
    (void)buffers;
    (void)clock;
    (void)description;
}

/* A subject whose launches are made more of. */
typedef struct slowed {
    const kg__workload *subject;
    double fraction;
    int away; /* how far off the launch is that is made besides, in launches */
} slowed;

/* A case is about to be prepared, and no sentinel. */
static bool case_is_next;

bool __wrap_kg__prepare_launch(const kg__case *one, const kg__buffers *buffers, kg__error *why)
{
    case_is_next = true;
    return __real_kg__prepare_launch(one, buffers, why);
}

static double extra(void)
{
    double fraction = study_extra();

    if (fraction < 0)
        exit(2);
    return fraction;
}

/* How many of the first `launches` are made twice. */
static double doubled(int launches, double fraction)
{
    return floor(launches * fraction + 0.5);
}

static cudaError_t launch_slowed(const kg__workload *what, int number)
{
    const slowed *how = what->context;
    cudaError_t code = how->subject->launch(how->subject, number);

    if (code == cudaSuccess && doubled(number + 1, how->fraction) > doubled(number, how->fraction))
        code = how->subject->launch(how->subject, number + how->away);
    return code;
}

/* The least multiple of `unit` launches of which a whole number is near enough the fraction. */
static int unit_for(int unit, double fraction)
{
    int launches = unit;

    while (launches + unit <= LAUNCHES_AT_MOST &&
           fabs(doubled(launches, fraction) / launches - fraction) > NEARNESS * fraction)
        launches += unit;
    return launches;
}

bool __wrap_kg__graph_prepare(kg__bench *bench, const kg__workload *what, int unit,
                              double budget_ms, kg__series *one, kg__error *why)
{
    /* Cold launches take turns at buffer sets that exceed L2 twice. Half a round away neither the
     * launch besides nor the one whose turn it is there finds its data in L2. */
    slowed how = { what, extra(), unit / 2 };
    kg__workload more = { launch_slowed, &how, what->stream };
    bool of_case = case_is_next;

    case_is_next = false;
    if (!of_case || how.fraction <= 0)
        return __real_kg__graph_prepare(bench, what, unit, budget_ms, one, why);
    return __real_kg__graph_prepare(bench, &more, unit_for(unit, how.fraction), budget_ms, one,
                                    why);
}
