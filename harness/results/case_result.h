/* SPDX-License-Identifier: MIT */
/* The result of a case: what was measured, counted or found of it and judged, from what judges to
 * what prints, and the JSON that carries it in verdicts files. What is not known is 0,
 * NULL or NAN, and absent in JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_fields.h"
#include "base/message.h"
#include "base/pool.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "records/gpu_state.h"
#include "records/kernel_code.h"
#include "records/line_counts.h"
#include "records/observation.h"

/* What pairs of processes of a base and of this build say of a metric, in fractions. */
typedef struct kg__pairs_result {
    int64_t count; /* 0: no pairs judged it */
    double change; /* the median of the pairs, and the ends of its interval */
    double low;
    double high;
    double p;        /* of being slower by no more than the margin */
    json_t *base_ns; /* what each process of both measured, pair by pair; NULL: not known */
    json_t *head_ns;
} kg__pairs_result;

/* What a process sampled of a metric, in ns. */
typedef struct kg__sample_list {
    const double *items;
    size_t count;
} kg__sample_list;

/* What was measured of a metric, and its verdict. */
typedef struct kg__metric_result {
    kg__figures figures; /* its name and value; without the samples */
    double baseline;
    double band;
    double change; /* value / baseline - 1; INFINITY, which JSON leaves out, for a rise from 0 */
    double limit;
    double smallest; /* the smallest slowdown that would be seen, as a fraction */
    kg__answer gated;
    bool tripped;
    kg__verdict verdict; /* KG__VERDICTS: none */
    const char *why;
    const kg__sample_list *samples; /* of each process, next to a time that is worse */
    size_t sample_count;
    kg__pairs_result pairs;
} kg__metric_result;

/* Which other tool measured a case. */
typedef struct kg__import_origin {
    const char *from; /* NULL: this project's own programs measured it */
    const char *name;
    kg__texts files;
    const char *target; /* that the import was given; may be NULL */
} kg__import_origin;

/* The result of a case by a part of its tests. What it points to belongs to its pool, or lives as
 * long. */
typedef struct kg__case_result {
    const char *id;
    const char *target; /* its key */
    const char *part;   /* "check" */
    double seconds;
    kg__metric_result *metrics;
    size_t metric_count;
    kg__verdict verdict;
    const char *why;        /* "" where nothing is to be said */
    const char *moves;      /* of a counted case that moved: `why` without the command at its end */
    unsigned int observers; /* the processes that measured it */
    double smallest;        /* the smallest slowdown that would be seen in any gated metric */
    kg__findings findings;
    const char *also;    /* what failed besides the findings */
    const char *failure; /* what results had wrong: "wrong_elements" */
    const char *failure_symbol;
    const char *at_file; /* where in the source to look, where no finding says it */
    unsigned int at_line;
    kg__absences absent;
    const kg__lines *lines; /* the counters of the CPU model by line; NULL: it counted none */
    json_t *lines_before;   /* the baseline's, where they moved; NULL: not known */
    int64_t sampled_blocks;
    int64_t sampled_of; /* 0: all blocks were run */
    const kg_work *work;
    const kg__kernel_code *kernel;
    const kg__gpu_state *gpu_state; /* the worst that was seen while it was timed */
    kg__texts changed;              /* next to a slower time, what else changed */
    const char *same_code; /* whose launch and machine code it runs, "baseline" or "base"; NULL:
                              not known to be either's */
    bool in_order;         /* it relies on the order in which blocks start */
    bool suspect; /* to be settled against a base; with the records of its one observation */
    const kg__observation *first;
    const kg__observation *first_sentinels;
    const char *base_ref; /* of a settled suspect, what it was held against */
    const char *base_commit;
    const char *note; /* why the stored baseline judged a suspect */
    kg__import_origin imported;
} kg__case_result;

/* A result of the pool without metrics, whose texts are copied: of a case that was checked, or that
 * has no figures. */
kg__case_result *kg__case_result_make(kg__pool *pool, const char *id, const char *target,
                                      const char *part, kg__verdict verdict, const char *why);

/* Adds a metric with a name alone, without figures and verdict. It stays where it is
 * until the next one is added; the name has to live as long as the pool. */
kg__metric_result *kg__case_result_add_metric(kg__pool *pool, kg__case_result *result,
                                              const char *name);

/* A metric of a result (NULL: none); NULL where it has none of that name. */
kg__metric_result *kg__case_result_metric(const kg__case_result *result, const char *name);

/* Whether any metric moved beyond its limit and its floor. */
bool kg__case_result_tripped(const kg__case_result *result);

/* The verdict that decides an exit code. Doubts about the times of code that did not change are
 * listed and fail nothing: they count as KG__UNCHANGED. */
kg__verdict kg__case_result_counts_as(const kg__case_result *result);

/* What pairs say of its metrics, {"time_ns": {"count", "change", "low", "high", "p", "base_ns",
 * "head_ns"}}, owned by the caller; NULL where none were run. */
json_t *kg__case_result_pairs_json(const kg__case_result *result);

/* Reads which other tool measured a case, of JSON that lives as long as the pool; of anything else
 * nothing is read. */
void kg__import_origin_read(kg__pool *pool, const json_t *object, kg__import_origin *origin);

/* The result as JSON, owned by the caller. */
json_t *kg__case_result_json(const kg__case_result *result);

/* Reads a result, which is the pool's; its texts stay the JSON's. NULL with `error`, "metrics:
 * time_ns: value is not a number", where a member that is known here is of another type. */
kg__case_result *kg__case_result_read(kg__pool *pool, json_t *object, kg__error *error);
