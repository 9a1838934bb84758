/* Tuning: the best launch of each variant in a search, and the ratios of variants. Pure: observers'
 * records in, choices and ratios out. */
#ifndef KG__CLI_TUNE_CHOICE_H
#define KG__CLI_TUNE_CHOICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/statistics.h"
#include "suite/case_id.h"

/* The metric that a GPU's candidates are ranked by. */
#define KG__TUNING_TIME "time_ns"

/* With fewer rounds, a median has no 95 % interval. */
#define KG__TUNING_FEWEST_ROUNDS 6

/* What became of a candidate. */
typedef enum kg__tuning_fate {
    KG__TUNING_UNTRIED,     /* no record yet */
    KG__TUNING_MEASURED,    /* correct, with figures */
    KG__TUNING_REFUSED,     /* by the comparison or the device: not launched */
    KG__TUNING_PASSED_OVER, /* not tried, since a similar launch was slow */
    KG__TUNING_WRONG,       /* wrong results or invalid accesses */
    KG__TUNING_FAILED,      /* crashed, hung, or left no figure */
    KG__TUNING_FATES
} kg__tuning_fate;

/* A fate's name in documents: "measured". */
const char *kg__tuning_fate_name(kg__tuning_fate fate);

typedef struct kg__tuning_candidate {
    char *id;
    kg__case_id name;
    kg__tuning_fate fate;
    char *why; /* the reason, unless untried or measured; else NULL */
    /* Only of a measured one; NaN: not known. */
    kg__interval figure; /* of the metric: ns of one launch, or a counter, whose bounds equal it
                          */
    size_t samples;      /* of the figure */
    size_t dropped;      /* the round, from 1, in which a race dropped it; 0: not dropped */
    double occupancy;    /* 0 to 1 */
    double operations;   /* of the job */
    double bytes;        /* of the job */
    kg__interval last;   /* of a finalist: the same metric, timed in turn with the others */
    double *rounds;      /* one sample per round of that; NULL if not a finalist */
    size_t round_count;
    char *no_final; /* why it could not be a finalist; else NULL */
    json_t *record; /* the observer's; NULL before */
} kg__tuning_candidate;

/* A search. */
typedef struct kg__tuning {
    const char *metric; /* KG__TUNING_TIME, or a counter's name; less is better */
    kg__tuning_candidate *list;
    size_t count;
    size_t capacity;
} kg__tuning;

/* Begins an empty search; `metric` stays the caller's. */
void kg__tuning_begin(kg__tuning *tuning, const char *metric);

/* Frees the candidates, and empties the search. */
void kg__tuning_free(kg__tuning *tuning);

/* Whether candidates are ranked by time, with intervals; else by an exact counter. */
bool kg__tuning_is_timed(const kg__tuning *tuning);

/* Adds a candidate; `refusal` is why it cannot be launched, or NULL. False with `error` if the id
 * is not a case id or was added before. */
bool kg__tuning_add(kg__tuning *tuning, const char *id, const char *refusal, kg__error *error);

/* Takes a record of a candidate: "measured", "refused", "passed_over", "failed", or a failed
 * "checked". A wrong candidate stays wrong. Other records, and those of other cases, are ignored.
 * Returns the record's candidate, or NULL. */
const kg__tuning_candidate *kg__tuning_take(kg__tuning *tuning, const json_t *record);

/* Sets the reason of every candidate without a record; returns how many there were. */
size_t kg__tuning_close(kg__tuning *tuning, const char *why);

/* One size of a comparison: its candidates are compared. Borrows from the search. */
typedef struct kg__tuning_problem {
    const char *comparison;
    const char *size;
} kg__tuning_problem;

/* The problems, in order of first appearance; freed by the caller. */
kg__tuning_problem *kg__tuning_problems(const kg__tuning *tuning, size_t *count);

/* A set of candidates of one problem: those of one variant, or of several. */
typedef struct kg__tuning_set {
    const char *name;
    const char *globs; /* on variants' names, separated by commas */
} kg__tuning_set;

/* The variants of a comparison (NULL: of all) as sets of one, in order of first appearance; names
 * and globs are the search's. Freed by the caller. */
kg__tuning_set *kg__tuning_variants(const kg__tuning *tuning, const char *comparison,
                                    size_t *count);

/* The ranking of the best. */
typedef enum kg__tuning_aim {
    KG__TUNING_BY_FIGURE,    /* the least time, or the least of the counter */
    KG__TUNING_BY_BANDWIDTH, /* the most bytes of the job per second */
    KG__TUNING_BY_OCCUPANCY  /* the highest; among equals, the least time */
} kg__tuning_aim;

/* The best of a set. By time, finalists rank before other candidates, and dropped ones last, since
 * their times are less precise; among equals, the first in the table. NULL if none was measured, or
 * none has the aim's figure. */
const kg__tuning_candidate *kg__tuning_best(const kg__tuning *tuning,
                                            const kg__tuning_problem *problem,
                                            const kg__tuning_set *set, kg__tuning_aim aim);

/* How many candidates of the set have the same figure as `best`, including itself. */
size_t kg__tuning_ties(const kg__tuning *tuning, const kg__tuning_problem *problem,
                       const kg__tuning_set *set, const kg__tuning_candidate *best);

/* The candidates of a set by fate. */
typedef struct kg__tuning_tally {
    size_t candidates;
    size_t fates[KG__TUNING_FATES];
    size_t dropped; /* of the measured */
    size_t samples; /* of all candidates, finals included */
} kg__tuning_tally;

/* Counts the candidates of a problem in a set. */
kg__tuning_tally kg__tuning_count(const kg__tuning *tuning, const kg__tuning_problem *problem,
                                  const kg__tuning_set *set);

/* A candidate's most precise figure: the final's, if it was in the final. */
kg__interval kg__tuning_figure(const kg__tuning_candidate *candidate);

/* The bytes of a candidate's job over its time, GB/s; NaN if one of them is not known. */
double kg__tuning_gigabytes(const kg__tuning_candidate *candidate);

/* Its operations over its time, GFLOP/s; NaN if one of them is not known. */
double kg__tuning_gigaflops(const kg__tuning_candidate *candidate);

/* One candidate's figure over another's. */
typedef struct kg__tuning_ratio {
    bool known;
    const char *why; /* it is not known; owned by the search */
    /* The median of the ratios by round, with its 95 % interval from order statistics
     * (kg__median_interval()); for counters, the exact ratio. */
    kg__interval times;
    kg__interval bandwidths; /* the same of bytes per second; NaN without bytes, and for counters */
    size_t rounds;
    bool differs; /* the interval does not contain 1 */
} kg__tuning_ratio;

/* Compares `candidate` with `other`: below 1, `candidate` is better. Unknown unless they were timed
 * in turn in the same rounds: a ratio of figures of different times includes their drift. */
kg__tuning_ratio kg__tuning_compare(const kg__tuning *tuning, const kg__tuning_candidate *candidate,
                                    const kg__tuning_candidate *other);

#endif
