/* The shared types of `kernelgate predict`. */
#ifndef KG__CLI_PREDICT_H
#define KG__CLI_PREDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/predict_bounds.h"
#include "suite/gpu_specs.h"

/* A case to predict. */
typedef struct kg__predicted_case {
    char *id;
    kg__job job;
    double hot_ns; /* measured; NaN: not measured */
    double cold_ns;
} kg__predicted_case;

typedef struct kg__predicted_cases {
    kg__predicted_case *list;
    size_t count;
    size_t capacity;
} kg__predicted_cases;

/* The sources of cases, work and counters. */
typedef struct kg__predict_sources {
    const char *filter;    /* globs, or NULL for all; one without its last parts matches all that
                               begin so */
    const char *build;     /* the folder of the programs; NULL: as kg__program_list_find() */
    const char *baselines; /* the folder of the baseline files */
    bool baselines_named;  /* named by an option, so that missing counters are an error */
    const json_t *results; /* a run's results, for the cases that `target` timed; or NULL */
    const char *target;
    const char *results_path; /* what complaints call them */
} kg__predict_sources;

/* Lists the cases with their work. False, with a complaint, if there is none. */
bool kg__predict_list(const kg__predict_sources *sources, kg__predicted_cases *cases);

/* Frees the list and its ids, and empties it. */
void kg__predicted_cases_free(kg__predicted_cases *cases);

/* The launch overhead on a GPU, and its source. */
typedef struct kg__launch_cost {
    double ns;
    char source[256];
} kg__launch_cost;

/* Everything that is printed. */
typedef struct kg__predictions {
    const kg__predicted_cases *cases;
    const kg__gpu_spec *const *gpus;
    size_t gpu_count;
    const kg__launch_cost *launches; /* by GPU */
    const char *measured;            /* the key of the GPU that timed the cases, or NULL */
    double copy_bytes_per_second;    /* of that GPU's copy sentinel; NaN: not measured */
} kg__predictions;

/* The bounds that have a measured time, cold and hot; `list` and `ids` have space for twice the
 * number of cases. Returns how many. */
size_t kg__predict_measured(const kg__predictions *predictions, kg__measured_bound *list,
                            const char **ids);

/* Writes the tables and notes, as Markdown or for a terminal. */
void kg__predict_write_tables(FILE *stream, const kg__predictions *predictions, bool markdown);

/* The same as a JSON document, owned by the caller; docs/json.md has its form. */
json_t *kg__predict_document(const kg__predictions *predictions);

#endif
