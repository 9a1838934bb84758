/* SPDX-License-Identifier: MIT */
/* What the tests of a time's result share: one case, a baseline for it, and what processes
 * measured. */
#pragma once

#include "results/time_result.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"

#define ID "matmul/naive/530/b16"

extern const kg__target target;
extern const kg__surroundings quiet;
extern kg__baseline baseline;

/* A suite's .fini. */
void release(void);

/* A metric of the baseline's with a band of 2 % and a floor of 50 ns. */
kg__baseline_metric *expect_metric(kg__baseline_case *entry, const char *name, double value);

/* An observation of the case without figures. */
kg__observation *make_observation(void);

/* Adds a metric whose interval is the value and this fraction of it to both sides. */
void add_figures(kg__observation *observation, const char *name, double value, double spread);

/* What a process measured; a cold time of 0 is absent. */
kg__observation *observe(double hot, double cold);

/* The same, with nothing around it. */
kg__measurement measure(double hot, double cold);

/* The result of the case by one process's measurement, against the baseline. */
kg__case_result *judge(const kg__observation *observation);

/* Expects the verdict of a result. */
void expect_verdict(const kg__case_result *result, kg__verdict verdict);
