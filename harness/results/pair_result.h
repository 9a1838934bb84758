/* SPDX-License-Identifier: MIT */
/* Settling: from pairs of observations of a base and of this build to the verdict of a suspect.
 * Pure: observations in, a result changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "judge/pairs.h"
#include "results/time_result.h"

/* The metrics of a case that are compared with its base's, at most. */
#define KG__SUSPECT_METRICS 4
/* The pairs that may be run of a suspect: of those that a look needs as many, and half of them
 * again, may be disturbed. */
#define KG__SUSPECT_PAIRS (KG__PAIRS_MAXIMUM + KG__PAIRS_MAXIMUM / 2 + 1)

/* One metric in doubt, in each pair. */
typedef struct kg__paired_metric {
    kg__metric_result *metric; /* the suspect's */
    double base[KG__PAIRS_MAXIMUM];
    double head[KG__PAIRS_MAXIMUM];
    kg__hypothesis hypothesis;
} kg__paired_metric;

/* What suspects are compared with, and judged by. */
typedef struct kg__pairs_base {
    kg__pool *pool;     /* of the suspects' results */
    const char *ref;    /* what the base is called */
    const char *commit; /* of the base; "" where that is not known */
    const kg__target *target;
    const kg__baseline *baseline; /* NULL without one */
    bool paired;                  /* every metric is in doubt */
    double margin;                /* the slowdown that counts as none, a fraction */
} kg__pairs_base;

typedef struct kg__suspect {
    kg__case_result *result; /* in its verdicts, borrowed */
    const kg__pairs_base *base;
    kg__paired_metric metrics[KG__SUSPECT_METRICS];
    size_t metric_count;
    size_t pairs;   /* undisturbed ones */
    size_t dropped; /* pairs in which the GPU was throttled, or not alone */
    kg__measurement measured[1 + KG__SUSPECT_PAIRS]; /* of this build, the first one first */
    size_t measured_count;
    bool by_baseline; /* no base can be measured: the stored baseline judges `measured` */
    char note[KG__MESSAGE_SIZE]; /* why, and whatever else is worth a note; or empty */
    bool settled;
} kg__suspect;

/* Takes up a result that is a suspect. In doubt are the metrics that tripped upward; where none
 * did, or where all are paired, each that the baseline does not hold ungated; where none is left,
 * it is settled as it is. False with `error` where the result has no first observation. */
bool kg__suspect_begin(kg__suspect *suspect, kg__case_result *result, const kg__pairs_base *base,
                       kg__error *error);

/* Adds a pair. Where the base does not measure a metric in doubt as this build does, the suspect is
 * left to the baseline. */
void kg__suspect_add_pair(kg__suspect *suspect, const kg__measurement *base,
                          const kg__measurement *head);

/* Adds an observation of this build alone, for the baseline's rule, unless it has all it may. */
void kg__suspect_add_measurement(kg__suspect *suspect, const kg__measurement *measured);

/* Leaves a suspect to the stored baseline, and notes why. */
void kg__suspect_leave(kg__suspect *suspect, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a suspect that is left to the baseline has the observations that its rule wants. */
bool kg__suspect_is_confirmed(const kg__suspect *suspect);

/* Whether more than a third of a suspect's pairs were disturbed: `wanted` undisturbed ones are
 * out of reach. */
bool kg__suspect_is_disturbed(const kg__suspect *suspect, size_t wanted);

/* Settles a suspect by its hypotheses, once all are decided; false where they are not. */
bool kg__suspect_settle_by_pairs(kg__suspect *suspect);

/* Settles a suspect that gets no further pairs, where one of its hypotheses was found already:
 * that stands, whatever the others would have become. False where none was. */
bool kg__suspect_settle_by_finding(kg__suspect *suspect);

/* Settles a suspect by the baseline's rule. */
void kg__suspect_settle_by_baseline(kg__suspect *suspect);

/* Settles a suspect as a case whose surroundings forbid to judge it. */
void kg__suspect_settle_disturbed(kg__suspect *suspect);

/* Settles a suspect with a verdict that an observer of this build gave, and why. */
void kg__suspect_settle_as(kg__suspect *suspect, kg__verdict verdict, const char *why);
