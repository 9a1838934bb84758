/* SPDX-License-Identifier: MIT */
/* Timing: from what observers measured of a case to its result. Pure: observations and a baseline
 * in, a result out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "judge/judge.h"
#include "records/observation.h"
#include "results/case_result.h"
#include "results/verdicts.h"

/* The observers that a tripped case is confirmed with, besides the first. */
#define KG__CONFIRMATIONS 2

/* What one process measured of a case, and what surrounded it. */
typedef struct kg__measurement {
    const kg__observation *measured;
    kg__surroundings surroundings;
} kg__measurement;

/* What one process's sentinels say. Zeroed at first. */
typedef struct kg__sentinel_log {
    double sum[KG__SENTINELS]; /* of the natural logarithms of what was measured, in ns */
    int count[KG__SENTINELS];
} kg__sentinel_log;

/* Adds what an observer says of its sentinels. */
void kg__sentinels_add(kg__sentinel_log *seen, const kg__observation *sentinels);

/* An observation of the means of a log, which makes the same log once it is added. */
const kg__observation *kg__sentinels_observation(kg__pool *pool, const kg__sentinel_log *seen);

/* The surroundings of a case that was measured, by the sentinels of its process and of the baseline
 * (NULL: none), whose case may also tell that it ran the same code. */
kg__surroundings kg__surroundings_of(const kg__sentinel_log *seen, const kg__baseline *baseline,
                                     const kg__observation *measured);

/* The result of a case: every metric judged against `baseline` (NULL: none) by the median of the
 * measurements (1, or 1 + KG__CONFIRMATIONS), the case's verdict the worst of them, its smallest
 * slowdown that would be seen the least of its gated metrics. A slower time comes with how the
 * kernel, and what a launch costs, differ from the baseline's. The observations have to live as
 * long as the pool. */
kg__case_result *kg__time_result(kg__pool *pool, const char *id, const kg__target *target,
                                 const kg__measurement *measurements, size_t count,
                                 const kg__baseline *baseline);

/* Whether a launch cost something else while the GPU was in a state (may be NULL) than
 * `provenance` has, the baseline's or a session's; `now` and `then` become what it cost, in ns.
 * False where either is not known. */
bool kg__launch_cost_moved(const kg__gpu_state *state, const json_t *provenance, double *now,
                           double *then);
