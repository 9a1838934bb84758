/* Tuning: of the launches that a search tried, which is the best of each variant, and which variant
 * beats which. Pure: observers' records in, choices and ratios out. */
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

/* Fewer rounds than this leave a median without an interval of 95 %. */
#define KG__TUNING_FEWEST_ROUNDS 6

/* What became of a candidate. */
typedef enum kg__tuning_fate {
    KG__TUNING_UNTRIED,     /* no record yet */
    KG__TUNING_MEASURED,    /* right, with figures */
    KG__TUNING_REFUSED,     /* by the comparison, or by the device: no launch of it */
    KG__TUNING_PASSED_OVER, /* not tried, since a launch like it shows it to be slow */
    KG__TUNING_WRONG,       /* computes something else, or touches what it must not */
    KG__TUNING_FAILED,      /* crashed, hung, or left no figure */
    KG__TUNING_FATES
} kg__tuning_fate;

/* A fate's name in documents: "measured". */
const char *kg__tuning_fate_name(kg__tuning_fate fate);

typedef struct kg__tuning_candidate {
    char *id;
    kg__case_id name;
    kg__tuning_fate fate;
    char *why; /* of what is neither untried nor measured; NULL else */
    /* Of a measured one alone; what is not known is NaN. */
    kg__interval figure; /* of the metric: ns of one launch, or a counter, whose bounds it is itself
                          */
    size_t samples;      /* that the figure rests on */
    size_t dropped;      /* the round, from 1, that a race dropped it in; 0: went to the end */
    double occupancy;    /* 0 to 1 */
    double operations;   /* of the job */
    double bytes;        /* of the job */
    kg__interval last;   /* of the finalists: the same metric, all of them timed by turns */
    double *rounds;      /* a sample a round of that; NULL of any other candidate */
    size_t round_count;
    char *no_final; /* why it could be none of them, as its observer says; NULL else */
    json_t *record; /* as it came; NULL before */
} kg__tuning_candidate;

/* A search. */
typedef struct kg__tuning {
    const char *metric; /* KG__TUNING_TIME, or a counter's name, of which less is better */
    kg__tuning_candidate *list;
    size_t count;
    size_t capacity;
} kg__tuning;

/* Begins an empty search; `metric` stays the caller's. */
void kg__tuning_begin(kg__tuning *tuning, const char *metric);

/* Frees the candidates with what is known of each, and empties the search. */
void kg__tuning_free(kg__tuning *tuning);

/* Whether lower is better by time, with intervals; else by an exact counter. */
bool kg__tuning_is_timed(const kg__tuning *tuning);

/* Adds a candidate; `refusal` is why there is no launch of it, NULL of one that is to be tried.
 * False with `error` where the id is no case's or stands there already. */
bool kg__tuning_add(kg__tuning *tuning, const char *id, const char *refusal, kg__error *error);

/* Takes what an observer recorded of a candidate: its "measured", "refused", "passed_over",
 * "failed", or its "checked" where that was not right. A wrong one stays wrong whatever follows.
 * Other records, and those of other cases, are passed over. Returns the candidate that the record
 * was of, or NULL. */
const kg__tuning_candidate *kg__tuning_take(kg__tuning *tuning, const json_t *record);

/* Gives every candidate that no record came of the reason why; returns how many there were. */
size_t kg__tuning_close(kg__tuning *tuning, const char *why);

/* One size of a comparison: what candidates are compared within. Borrows from the search. */
typedef struct kg__tuning_problem {
    const char *comparison;
    const char *size;
} kg__tuning_problem;

/* The problems, in order of first appearance; freed by the caller. */
kg__tuning_problem *kg__tuning_problems(const kg__tuning *tuning, size_t *count);

/* Candidates of one problem that are held against others together: those of a variant, or of
 * several. */
typedef struct kg__tuning_set {
    const char *name;
    const char *globs; /* on variants' names, separated by commas */
} kg__tuning_set;

/* The variants of a comparison (of all where it is NULL) as sets of one, in order of first
 * appearance; names and globs are the search's. Freed by the caller. */
kg__tuning_set *kg__tuning_variants(const kg__tuning *tuning, const char *comparison,
                                    size_t *count);

/* What the best is sought by. */
typedef enum kg__tuning_aim {
    KG__TUNING_BY_FIGURE,    /* the least time, or the least of the counter */
    KG__TUNING_BY_BANDWIDTH, /* the most bytes of the job a second */
    KG__TUNING_BY_OCCUPANCY  /* the highest, the least time among equals */
} kg__tuning_aim;

/* The best of a set. By time finalists come before those that went to the end, and those before
 * dropped ones, for they are known better; among equals the first of the table. NULL where none was
 * measured, or none has what the aim needs. */
const kg__tuning_candidate *kg__tuning_best(const kg__tuning *tuning,
                                            const kg__tuning_problem *problem,
                                            const kg__tuning_set *set, kg__tuning_aim aim);

/* How many candidates of the set have the very figure of `best`, itself among them. */
size_t kg__tuning_ties(const kg__tuning *tuning, const kg__tuning_problem *problem,
                       const kg__tuning_set *set, const kg__tuning_candidate *best);

/* What there was in a set. */
typedef struct kg__tuning_tally {
    size_t candidates;
    size_t fates[KG__TUNING_FATES];
    size_t dropped; /* of the measured */
    size_t samples; /* taken of all, the finals' among them */
} kg__tuning_tally;

/* Counts the candidates of a problem that a set takes. */
kg__tuning_tally kg__tuning_count(const kg__tuning *tuning, const kg__tuning_problem *problem,
                                  const kg__tuning_set *set);

/* The best that is known of a candidate's figure: the final's, where it was in it. */
kg__interval kg__tuning_figure(const kg__tuning_candidate *candidate);

/* The bytes of a candidate's job by its time, GB/s; NaN where one of them is not known. */
double kg__tuning_gigabytes(const kg__tuning_candidate *candidate);

/* Its operations by its time, GFLOP/s; NaN likewise. */
double kg__tuning_gigaflops(const kg__tuning_candidate *candidate);

/* One candidate's figure over another's. */
typedef struct kg__tuning_ratio {
    bool known;
    const char *why; /* it is not known; the search's */
    /* The median of the ratios round by round, with its interval of 95 % from their order
     * statistics (kg__median_interval()); of counters the exact ratio. */
    kg__interval times;
    kg__interval bandwidths; /* the same of bytes a second; NaN without bytes, and of counters */
    size_t rounds;
    bool differs; /* the interval does not hold 1 */
} kg__tuning_ratio;

/* Holds `candidate` against `other`: below 1 `candidate` is the better. Not known where they were
 * not timed by turns in the same rounds, for a ratio of figures of different moments holds their
 * drift. */
kg__tuning_ratio kg__tuning_compare(const kg__tuning *tuning, const kg__tuning_candidate *candidate,
                                    const kg__tuning_candidate *other);

#endif
