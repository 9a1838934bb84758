/* SPDX-License-Identifier: MIT */
/* What the tests of a count's result share: one case, a baseline for it, and what was counted. */
#pragma once

#include "results/count_result.h"
#include "suite/counters.h"

#define ID "matmul/naive/530/b16"

/* How a reason ends whose counts rose, and whose fell. */
#define ACCEPT                                                                                     \
    "; to accept it: commit, then KG_FILTER='matmul/naive/*' kernelgate rebaseline --target model"
#define KEEP                                                                                       \
    "; to keep it: commit, then KG_FILTER='matmul/naive/*' kernelgate rebaseline --target model"

extern const kg__target target;
extern kg__baseline baseline;
extern kg__absence absent[3];
extern kg__observation observation;
extern bool strict;                   /* how judge() judges; false at first */
extern const kg__case_result *result; /* of the last judge() */

/* A suite's .init and .fini: an observation of every counter at 0, and no baseline. */
void begin(void);
void release(void);

/* Sets a figure of the observation, and takes it out. */
void count(const char *counter, double value);
void lose(const char *counter);

/* Makes the observation that of a sampled launch, which has no unique bytes. */
void sample(void);

/* Sets a figure of the baseline. */
kg__baseline_metric *store(const char *counter, double value);

/* Gives both the counters of the naive matmul at 530. */
void usual_case(void);

/* Judges the observation; `otherwise`: how the baseline was recorded, "" for as the run. */
void judge(const kg__baseline *against, const char *otherwise);

/* Judges it against the baseline, and expects the verdict and its reason. */
void expect(kg__verdict verdict, const char *why);
