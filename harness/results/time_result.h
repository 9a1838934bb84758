/* Gating: from what observers recorded of a case to its verdict. Pure: records and baselines in, an
 * entry of the results out. */
#ifndef KG__RESULTS_TIME_RESULT_H
#define KG__RESULTS_TIME_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "judge/judge.h"
#include "records/observation.h"

/* The member of an entry that says what changed beside its verdict, a list of short texts. */
#define KG__CHANGED "changed"

/* The member of an entry that says which other tool measured it: {"from", "name", "files"} and,
 * where it was told, "target". The names of tests that stand for imports begin with the second. */
#define KG__IMPORTED "imported"
#define KG__IMPORT_TEST "import."

/* The observers that a tripped case is confirmed with, besides the first. */
#define KG__CONFIRMATIONS 2

/* What one process measured of a case, and what surrounded it. */
typedef struct kg__measurement {
    const kg__observation *measured;
    kg__surroundings surroundings;
} kg__measurement;

/* What one process's sentinels say. Zeroed at first. */
typedef struct kg__sentinel_log {
    double sum[KG__SENTINELS]; /* of the natural logarithms of what was measured, in ns */
    int count[KG__SENTINELS];
} kg__sentinel_log;

/* Adds what an observer says of its sentinels. */
void kg__sentinels_add(kg__sentinel_log *seen, const kg__observation *sentinels);

/* A "sentinels" record of the means of a log, which makes the same log once it is added. */
json_t *kg__sentinels_record(const kg__sentinel_log *seen);

/* The surroundings of a case that was measured, by the sentinels of its process and of the baseline
 * (NULL: none), whose case may also tell that it ran the same code. */
kg__surroundings kg__surroundings_of(const kg__sentinel_log *seen, const kg__baseline *baseline,
                                     const kg__observation *measured);

/* The entry of a case in the results: every metric judged against `baseline` (NULL: none) by the
 * median of the measurements (1, or 1 + KG__CONFIRMATIONS), the case's verdict the worst of them,
 * its smallest slowdown that would be seen the least of its gated metrics. Beside a slower time
 * stands how the kernel, and what a launch costs, differ from the baseline's (KG__CHANGED).
 * `tripped` (may be NULL) becomes whether any metric asks for confirmation. */
json_t *kg__time_result(const char *id, const kg__target *target, const char *part,
                        const kg__measurement *measurements, size_t count,
                        const kg__baseline *baseline, bool *tripped);

/* The entry of a case that was checked, or that has no figures: `verdict` and `why` are final. */
json_t *kg__plain_result(const char *id, const kg__target *target, const char *part,
                         kg__verdict verdict, const char *why);

/* The console's line on an entry: verdict, target, case, figures, reason. `word` stands in place of
 * a verdict that is not the last word yet, and is NULL otherwise. */
void kg__time_result_line(const json_t *entry, const char *word, char *text, size_t size);

/* The entry of a case in a verdicts document (which may be NULL), borrowed; NULL where there is
 * none. */
const json_t *kg__find_entry(const json_t *verdicts, const char *id);

/* True when the verdicts of a part `check` (NULL: not known) hold that a case is not right. */
bool kg__is_disproved_json(const json_t *checks, const char *id);

/* How many times as fast `fast` is as `slow` by a metric of their two entries; NaN unless both are
 * measured, and neither is wrong. */
double kg__speedup(const json_t *fast, const json_t *slow, const char *metric);

/* Whether a launch cost something else while the card was in a state (may be NULL) than
 * `provenance` has, the baseline's or a session's; `now` and `then` become what it cost, in ns.
 * False where either is not known. */
bool kg__launch_cost_moved(const kg__gpu_state *state, const json_t *provenance, double *now,
                           double *then);

#endif
