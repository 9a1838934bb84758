/* SPDX-License-Identifier: MIT */
/* The candidates of a tuning during the search for the best. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "judge/elimination.h"
#include "observer/time_bench.h"
#include "observer/timed_group.h"
#include "records/kernel_code.h"

#define KG__NS_PER_SECOND 1e9
/* Half-width of the 95 % interval of a median, as a fraction of it, at which its sampling ends. */
#define KG__TUNE_PRECISION 0.005
/* Milliseconds of a sample of the final. */
#define KG__FULL_SAMPLE_MS 1.0

/* A candidate. */
typedef struct kg__tuned_case {
    kg__timed_case base;
    kg__racer racer; /* its state in the search */
    kg__racer last;  /* of the final, for a finalist */
    kg__loop loop;
    int launches;      /* per sample of `racer`; 0: it was not timed */
    const char *clock; /* its name in records */
    double estimate;   /* of a launch, in ns */
    kg__kernel_code kernel;
    int64_t threads; /* started by the largest kernel of its launch; 0: unknown */
    bool skipped;
    bool is_finalist;
} kg__tuned_case;

/* A tuning in progress. */
typedef struct kg__tune_run {
    const kg_comparison *comparison;
    kg__tools tools;
    kg__problems problems;       /* of the current size */
    kg__buffer_sets buffer_sets; /* of the current size */
    kg__pool pool;               /* of the current size */
    int records;
    size_t done;
    size_t total;
    double started;
    double progress_reported; /* when progress was last reported */
} kg__tune_run;

/* Resources of a candidate's launches while they are timed, kept by the caller. */
typedef struct kg__tuned_workload {
    kg__rotation rotation;
    kg__workload workload;
} kg__tuned_workload;

/* Prepares a candidate's launches for the clocks; the result is in `workload`. */
const kg__workload *kg__tuned_case_workload(kg__tune_run *run, kg__tuned_case *tuned,
                                            kg__tuned_workload *workload);

/* Returns whether a candidate has samples and was not dropped. */
bool kg__tuned_case_is_timed(const kg__tuned_case *tuned);

/* Reports the tuning's progress, at the size of a case, unless it has just done so. */
void kg__tune_run_progress(kg__tune_run *run, const kg__case *c);

/* Drops a candidate after an error, with its record. False when the device is lost. */
bool kg__tuned_case_mark_failed(const kg__tune_run *run, kg__tuned_case *tuned,
                                const kg__error *why);

/* Does the same for those of a list that are still in. */
bool kg__tuned_cases_mark_failed(const kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                                 const kg__error *why);

/* Checks a candidate; a wrong one is dropped, with its record. False when the device is lost. */
bool kg__tuned_case_check(kg__tune_run *run, kg__tuned_case *tuned, const char *when);

/* Checks a candidate before it is timed, and finds the resources that its kernel takes of a
 * multiprocessor and about how long it runs. False when the device is lost. */
bool kg__tuned_case_enter(kg__tune_run *run, kg__tuned_case *tuned);

/* Captures a candidate's launches again, for samples of `sample_ms` if a launch takes
 * `launch_ns`. False when the device is lost. */
bool kg__tuned_case_make_loop(kg__tune_run *run, kg__tuned_case *tuned, double sample_ms,
                              double launch_ns);

/* Adds a round's samples, interleaved, to a racer of each candidate that has a loop: that of the
 * search, or that of the final. False with `why`. */
bool kg__tuned_cases_sample(kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                            bool is_final, kg__error *why);

/* Samples finalists until each is known to the precision, or has spent its time. None leaves before
 * the last one, so that the samples of a round belong together. False with `why`. */
bool kg__tuned_cases_sample_fully(kg__tune_run *run, kg__tuned_case *const *list, size_t count,
                                  kg__error *why);
