/* SPDX-License-Identifier: MIT */
/* Judging: compares a metric's value with its baseline. Pure: numbers in, verdict out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/statistics.h"
#include "records/sentinel.h"

/* Verdicts, from best to worst: a case takes the worst of its metrics. */
typedef enum kg__verdict {
    KG__PASS,
    KG__UNCHANGED, /* same launch and machine code: not judged by its times */
    KG__MORE_ACCURATE,
    KG__FASTER,
    KG__NO_BASELINE,
    KG__NOISY,
    KG__ENVIRONMENT,
    KG__SLOWER,
    KG__LESS_ACCURATE,
    KG__WRONG,
    KG__ERROR,
    KG__VERDICTS
} kg__verdict;

/* The names of the verdicts, in order, then NULL. */
extern const char *const kg__verdict_names[KG__VERDICTS + 1];

/* Returns a verdict's name in results, JUnit and on the console: "no-baseline". */
const char *kg__verdict_name(kg__verdict verdict);

/* Returns the worse of two verdicts. */
kg__verdict kg__worse(kg__verdict a, kg__verdict b);

/* A metric's baseline, and how far it may move. */
typedef struct kg__expectation {
    double value; /* the baseline, in the metric's unit */
    double band;  /* fraction; recorded for a time at least 0.02
                     (tools/kernelgate/baseline/noise.py),  for a counter 0 */
    double floor; /* absolute, in the metric's unit; a smaller move never counts */
    bool gated;   /* false: reported, never judged */
} kg__expectation;

/* The conditions of a measurement. */
typedef struct kg__surroundings {
    bool throttled; /* the GPU gave a throttle reason during the measurement */
    /* For each sentinel: ln(now / baseline), and its own limit, ln(1 + its band). Only a move
     * beyond the limit is evidence. NaN if a sentinel has no baseline. */
    double sentinel_move[KG__SENTINELS];
    double sentinel_limit[KG__SENTINELS];
    kg__bound bound;       /* of the case: sentinels that it depends on may excuse it */
    int foreign_processes; /* that computed on the GPU meanwhile; 0: none, or unknown */
    bool same_code;        /* launch and machine code are the baseline's, or the base commit's */
} kg__surroundings;

/* The widest band that recording still gates, and the absolute floor of a time for cases without
 * one of their own. */
#define KG__GATED_LIMIT 0.05
#define KG__TIME_FLOOR_NS 50.0

/* The reason for a verdict. */
typedef enum kg__reason {
    KG__WITHIN_LIMIT,
    KG__NOT_GATED,
    KG__MOVED,      /* beyond the limit, and nothing else explains it */
    KG__TOO_NOISY,  /* the interval is wider than half the band */
    KG__TOO_FEW,    /* too few samples for an interval */
    KG__GPU_SHARED, /* other processes computed on it: foreign_processes */
    KG__GPU_THROTTLED,
    KG__SENTINEL_MOVED, /* a sentinel moved along with the value */
    KG__SAME_CODE,      /* a time moved, but its launch and machine code are unchanged */
    KG__UNRECORDED,     /* there is no baseline */
    KG__BAD_BASELINE,   /* its figures are unusable */
    KG__VALUE_NAN,
    KG__VALUE_INFINITE,
    KG__VALUE_NEGATIVE,
    KG__VALUE_OUTSIDE, /* outside of its own interval */
    KG__VALUE_ZERO     /* a time of 0 */
} kg__reason;

/* A judgment: the verdict with the figures that decided, printed by kg__judgment_text(). */
typedef struct kg__judgment {
    kg__verdict verdict;
    kg__reason reason;
    double value;
    double baseline; /* NaN without a baseline */
    double change;   /* value / baseline - 1; NaN without a baseline, INFINITY for a rise from 0 */
    double limit;    /* the fraction beyond which a slowdown counts: the band */
    double smallest; /* smallest detectable slowdown as a fraction: max(limit, floor / baseline) */
    double smallest_fall;   /* smallest detectable speedup: the same ratio is a smaller fraction */
    double width;           /* of the interval, as a fraction of the value */
    int foreign_processes;  /* those of the surroundings */
    kg__sentinel sentinel;  /* the sentinel that moved, */
    double sentinel_change; /* the fraction it moved by, */
    double sentinel_limit;  /* and the fraction it may move by */
    bool tripped; /* outside of the limit and the floor: fresh observers must confirm it */
} kg__judgment;

/* Judges one value against its expectation (NULL: no baseline). `observed` has the value and its
 * confidence interval (low = high = value for a counter). `surroundings` may be NULL. The rule is
 * in docs/judging.md. KG__ERROR for a value that is NaN, infinite, negative or outside of its own
 * interval, for a time of 0 (anything with a floor counts as a time here, and its baseline is
 * positive), and for unusable figures of the baseline; a counter may fall to 0.
 *
 * Order of decision: error; no baseline; ungated: pass, with that reason. Within limit or floor:
 * pass, or noisy if the interval is wider than half the band. Outside: environment if the GPU was
 * throttled, if other processes computed on it, if subtracting the significant move of a sentinel
 * that the case depends on brings the value back inside, or if a time's code is unchanged; noisy
 * if the interval is wide and reaches back inside; else slower or faster. */
kg__judgment kg__judge(const kg__interval *observed, const kg__expectation *expectation,
                       const kg__surroundings *surroundings, bool is_time);

/* The band of an error without a recorded band, and the minimum that recording gives a varying
 * error: on a GPU, whose atomics change the order of sums, and on a CPU model with another
 * compiler, other flags or another C library. */
#define KG__ERROR_BAND 0.05

/* Judges an error, in roundoffs of the output's type, against its expectation (NULL: no
 * baseline), by the rule of kg__judge() for a counter: KG__LESS_ACCURATE beyond the limit,
 * KG__MORE_ACCURATE below it. If the code is unchanged, a move is chance: KG__UNCHANGED; so is a
 * smaller error where those of the sessions differ, as their largest is recorded: KG__PASS. */
kg__judgment kg__judge_error(double error, const kg__expectation *expectation, bool same_code);

/* Corrects the verdict of a figure that is no cost but saves others: a rise is fine, a loss of
 * all of it is slower, and a partial loss is not faster. */
void kg__judge_kept(kg__judgment *judgment);

/* A run's verdicts, and everything else that decides its exit code. */
typedef struct kg__tally {
    size_t verdicts[KG__VERDICTS]; /* judged cases by verdict */
    size_t vanished;               /* baseline cases that are no longer in the table */
    size_t failed_claims;
    size_t
        filtered_out;   /* tests that skipped because KG_FILTER, or the table, left them no cases */
    size_t unavailable; /* tests that judged nothing for any other reason: no GPU, no baseline */
    size_t broken;      /* errors outside of any case: bad file, crash of a test */
} kg__tally;

/* Returns the exit code of a program, by the table in docs/reference.md;
 * tools/kernelgate/run/merge.py has that of a run. */
int kg__exit_code(const kg__tally *tally, bool strict);
