/* What the rooms of `kernelgate predict` share. */
#ifndef KG__CLI_PREDICT_H
#define KG__CLI_PREDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/predict_bounds.h"
#include "suite/gpu_specs.h"

/* A case that is to be predicted. */
typedef struct kg__predicted_case {
    char *id;
    kg__job job;
    double hot_ns; /* as measured; NaN: not */
    double cold_ns;
} kg__predicted_case;

typedef struct kg__predicted_cases {
    kg__predicted_case *list;
    size_t count;
    size_t capacity;
} kg__predicted_cases;

/* Where cases, work and counters come from. */
typedef struct kg__predict_sources {
    const char *filter;    /* globs, or NULL for all; one without its last parts takes all that
                               begin so */
    const char *build;     /* the folder of the programs; NULL: as kg__tune_find() */
    const char *baselines; /* the folder of the baseline files */
    bool baselines_named;  /* as asked for, so that one without counters is an error */
    const json_t *results; /* a run's results, or NULL: with them, the cases that `target` timed */
    const char *target;
    const char *results_path; /* what complaints call them */
} kg__predict_sources;

/* Lists the cases, and what each asks for. False, with a complaint, where there is none. */
bool kg__predict_list(const kg__predict_sources *sources, kg__predicted_cases *cases);

/* Frees the list and the ids in it, and empties it. */
void kg__predicted_cases_free(kg__predicted_cases *cases);

/* What a launch costs on one of the GPUs, and where that is from. */
typedef struct kg__launch_cost {
    double ns;
    char source[256];
} kg__launch_cost;

/* All that is printed. */
typedef struct kg__predictions {
    const kg__predicted_cases *cases;
    const kg__gpu_spec *const *gpus;
    size_t gpu_count;
    const kg__launch_cost *launches; /* by GPU */
    const char *measured;            /* the key of the GPU that the cases were timed on; or NULL */
    double copy_bytes_per_second;    /* of that GPU's copy sentinel; NaN: not measured */
} kg__predictions;

/* The bounds that were measured, those from device memory where a case has such a time, held
 * against their times; `list` has room for twice the cases, `ids` for their ids. Returns how many.
 */
size_t kg__predict_measured(const kg__predictions *predictions, kg__measured_bound *list,
                            const char **ids);

/* Writes the tables and what follows from them, as Markdown or for a terminal. */
void kg__predict_write_tables(FILE *stream, const kg__predictions *predictions, bool markdown);

/* The same as a JSON document, owned by the caller; docs/json.md has its form. */
json_t *kg__predict_document(const kg__predictions *predictions);

#endif
