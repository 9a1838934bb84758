/* SPDX-License-Identifier: MIT */
/* The parent's side of observers: fresh processes that check, time or count cases and append
 * one record per case. A crash or a hang costs the case that was running; the rest is observed by a
 * further process. Knows no CUDA. */
#pragma once

#include <stddef.h>

#include "base/message.h"
#include "records/observation.h"

/* What an observer is asked to do. */
typedef struct kg__observation_job {
    const char *program; /* the comparison's program; NULL: this very program (/proc/self/exe) */
    const char *part;    /* "check", "time" or "count" */
    const char *const *cases; /* case ids, `case_count` of them */
    size_t case_count;
    const char *records;  /* path of the records file's stem: "<stem>.jsonl" and "<stem>.cases" are
                             written */
    double silence_limit; /* seconds without a record after which a process counts as hung */
    /* Called for every observation as it arrives, which can be kept; and, as one that failed, for
     * every case lost to a crash, a hang or a lost record; it is `hung` where the case hung, or was
     * not tried after others of its variant did. A process that hangs is told to end (SIGTERM)
     * before it is killed, and what it says then is in the `why`, with where it was and what was
     * found until then. A wrapper that ends with another exit code than 0 though its observer was
     * through gives an objection of no case. */
    void (*on_observation)(void *context, const kg__observation *observation);
    void *context;
} kg__observation_job;

typedef enum kg__observation_status {
    KG__OBSERVED,    /* every case has its record (right, wrong or failed) */
    KG__UNAVAILABLE, /* nothing was observed because there is no such device; `why` says it */
    KG__UNOBSERVED   /* nothing could be run: `why` says what is broken */
} kg__observation_status;

/* Runs observers until each of the job's cases has a record. */
kg__observation_status kg__observe_cases(const kg__observation_job *job, kg__error *why);
