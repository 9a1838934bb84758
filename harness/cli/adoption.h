/* Adopting the results of gates: which results fit together, and which of their times may become
 * sessions of a baseline. */
#ifndef KG__CLI_ADOPTION_H
#define KG__CLI_ADOPTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/recorder.h"
#include "cli/sessions.h"
#include "results/results.h"

/* A run of `baseline adopt`. */
typedef struct kg__adoption {
    size_t count;
    char **paths;
    kg__pool pool;
    kg__results **results;
    const char *target;       /* the key that all results have */
    const char *commit;       /* "" where it is not known */
    bool any_commit;          /* results of several commits are taken */
    bool accept_unknown_code; /* times beyond their limit are taken */
    kg__sessions sessions;
    kg__baseline baseline;
    kg__recorder recorder;
} kg__adoption;

/* Whether a case of the results was timed on a GPU. */
bool kg__adoption_is_timed(const kg__case_result *result);

/* A time of a case, hot (0) or cold (1); NAN if it has none. */
double kg__adoption_time(const kg__case_result *result, size_t metric);

/* Reads all results; complains about each that does not fit. */
bool kg__adoption_read(kg__adoption *run);

/* Reads the description of the target; false if the results have none. A case's key may end in the
 * memory size, which the description's key lacks. */
bool kg__adoption_target(const kg__adoption *run, kg__target *described);

/* What these results say of the target's surroundings; theirs. */
json_t *kg__adoption_provenance(const kg__adoption *run, const kg__results *results);

/* The time of a sentinel in these results; NAN if there is none. */
double kg__adoption_sentinel(const kg__adoption *run, const kg__results *results, const char *name);

/* Whether no two results are of one gate, which would count as two sessions. */
bool kg__adoption_gates_are_distinct(const kg__adoption *run);

/* Whether all results and the baseline were measured by the same tool: times of two tools are not
 * comparable. */
bool kg__adoption_is_of_one_tool(const kg__adoption *run, const char *path);

/* Whether results were adopted before. */
bool kg__adoption_was_made(const kg__adoption *run, const kg__results *results);

/* Why a case's times are not a session, or NULL. */
const char *kg__adoption_fault(const kg__adoption *run, const kg__case_result *result);

/* Whether a time is beyond its limit and the kernel is not known to be the recorded one: the change
 * may be real. */
bool kg__adoption_may_be_other_code(const kg__baseline_case *before, const kg__case_result *result);

/* Whether a time may be added to a case or sentinel, whose entry in the baseline is `before`; logs
 * it if not. */
bool kg__adoption_may_join(const kg__adoption *run, kg__entry_subject subject,
                           const kg__baseline_case *before, size_t metric, double value);

/* Whether a gate's sentinel times are credible; logs those that are not. A gate's sentinels are
 * taken together or not at all, since session i of each belongs to the same gate. */
bool kg__adoption_sentinels_may_join(const kg__adoption *run, const char *path,
                                     const kg__results *results);

#endif
