/* Judging: what a metric's value says against its baseline. Pure: numbers in, verdict out. */
#ifndef KG__JUDGE_JUDGE_H
#define KG__JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/statistics.h"
#include "records/sentinel.h"

/* Verdicts, from best to worst: a case takes the worst of its metrics. */
typedef enum kg__verdict {
    KG__PASS,
    KG__UNCHANGED, /* its launch and machine code are: not judged by its times */
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

/* The names of the verdicts, in order, and NULL. */
extern const char *const kg__verdict_names[KG__VERDICTS + 1];

/* A verdict's name as results, JUnit and the console have it: "no-baseline". */
const char *kg__verdict_name(kg__verdict verdict);

/* The worse of two verdicts. */
kg__verdict kg__worse(kg__verdict a, kg__verdict b);

/* How far a metric may move, as the baseline has it. */
typedef struct kg__expectation {
    double value; /* the baseline, in the metric's unit */
    double band;  /* fraction; of a time at least 0.02 (tools/kernelgate/baseline/noise.py), of a
                     counter 0 */
    double floor; /* absolute, in the metric's unit; a smaller move never counts */
    bool gated;   /* false: reported, never judged */
} kg__expectation;

/* What surrounded a measurement. */
typedef struct kg__surroundings {
    bool throttled; /* the GPU gave a throttle reason while it was measured */
    /* For each sentinel: ln(now / baseline), and its own limit, ln(1 + its band); a move is
     * evidence only beyond its limit. NaN where a sentinel has no baseline. */
    double sentinel_move[KG__SENTINELS];
    double sentinel_limit[KG__SENTINELS];
    kg__bound bound;       /* of the case: the sentinels that it depends on may excuse it */
    int foreign_processes; /* that computed on the GPU meanwhile; 0: none, or not known */
    bool same_code;        /* launch and machine code are the baseline's, or the base commit's */
} kg__surroundings;

/* The widest band that recording still gates, and the absolute floor of a time where the case has
 * none of its own. */
#define KG__GATED_LIMIT 0.05
#define KG__TIME_FLOOR_NS 50.0

/* What a verdict rests on. */
typedef enum kg__reason {
    KG__WITHIN_LIMIT,
    KG__NOT_GATED,
    KG__MOVED,      /* beyond the limit */
    KG__TOO_NOISY,  /* the interval is wider than half the band */
    KG__TOO_FEW,    /* samples for an interval */
    KG__GPU_SHARED, /* other processes computed on it: foreign_processes */
    KG__GPU_THROTTLED,
    KG__SENTINEL_MOVED, /* along with the value */
    KG__SAME_CODE,      /* a time moved, and its launch and machine code are unchanged */
    KG__UNRECORDED,     /* there is no baseline */
    KG__BAD_BASELINE,   /* its figures are unusable */
    KG__VALUE_NAN,
    KG__VALUE_INFINITE,
    KG__VALUE_NEGATIVE,
    KG__VALUE_OUTSIDE, /* of its own interval */
    KG__VALUE_ZERO     /* and a time */
} kg__reason;

/* A judgment: the verdict with the figures that decided, as kg__judgment_text() prints them. */
typedef struct kg__judgment {
    kg__verdict verdict;
    kg__reason reason;
    double value;
    double baseline; /* NaN without one */
    double change;   /* value / baseline - 1; NaN without a baseline, INFINITY for a rise from 0 */
    double limit;    /* the fraction beyond which a slowdown counts: the band */
    double smallest; /* smallest detectable slowdown as a fraction: max(limit, floor / baseline) */
    double smallest_fall;   /* the same the other way, where the same ratio is a smaller fraction */
    double width;           /* of the interval, as a fraction of the value */
    int foreign_processes;  /* those of the surroundings */
    kg__sentinel sentinel;  /* the one that moved, */
    double sentinel_change; /* by this fraction, */
    double sentinel_limit;  /* and how far it may */
    bool tripped; /* outside of the limit and the floor: to be confirmed by fresh observers */
} kg__judgment;

/* Judges one value against its expectation (NULL: no baseline). `observed` carries the value and
 * its own confidence interval (low = high = value for a counter). `surroundings` may be NULL. The
 * rule is in docs/judging.md. A value that is NaN, infinite or negative, that lies outside of its
 * own interval, or a time of 0 (anything with a floor counts as one here, and its baseline is
 * positive) is KG__ERROR, as are unusable figures of the baseline; a counter may fall to 0.
 *
 * Order of decision: error; no baseline; ungated (pass, and the reason says so); within limit or
 * floor
 * -> pass unless the interval is wider than half the band -> noisy; outside -> environment where
 * throttled, where others computed on the GPU, where taking away the significant move of a
 * sentinel that the case depends on brings the value back inside, or where a time's code is
 * unchanged; noisy where the interval is wide and reaches back inside; else slower or faster. */
kg__judgment kg__judge(const kg__interval *observed, const kg__expectation *expectation,
                       const kg__surroundings *surroundings, bool is_time);

/* The band of an error where none is recorded, and the least that recording gives one that varies:
 * on a GPU, whose atomics change the order of sums, and on a CPU model that another compiler, other
 * flags or another C library computed for. */
#define KG__ERROR_BAND 0.05

/* Judges an error, in roundoffs of the output's type, against its expectation (NULL: no baseline),
 * by the rule of kg__judge() for a counter: KG__LESS_ACCURATE beyond the limit, KG__MORE_ACCURATE
 * below it. What unchanged code moved by is chance: KG__UNCHANGED. */
kg__judgment kg__judge_error(double error, const kg__expectation *expectation, bool same_code);

/* Corrects the verdict of a figure that is no cost, but work that makes others cheap: to gain it is
 * fine, to lose all of it is slower, and to lose some is not faster. */
void kg__judge_kept(kg__judgment *judgment);

/* Counts of what a run judged, and what else decides its exit code. */
typedef struct kg__tally {
    size_t verdicts[KG__VERDICTS]; /* judged cases by verdict */
    size_t vanished;               /* baseline cases that the table no longer has */
    size_t failed_claims;
    size_t filtered_out; /* tests that skipped because KG_FILTER, or the table, left them nothing */
    size_t unavailable;  /* tests that judged nothing for any other reason: no GPU, no baseline */
    size_t broken;       /* errors outside of any case: bad file, crash of a test */
} kg__tally;

/* The exit code of a program, by the table in docs/reference.md; that of a run is
 * tools/kernelgate/run/merge.py's. */
int kg__exit_code(const kg__tally *tally, bool strict);

#endif
