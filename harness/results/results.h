/* Results: what a run makes of what its tests left, from the merge to the files and the console.
 *
 * A CTest test leaves out/records/<test>.verdicts.json (verdicts.h). The cleanup test of CTest's
 * fixture merges them into out/results.json, of which the other files are made. */
#ifndef KG__RESULTS_RESULTS_H
#define KG__RESULTS_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "base/pool.h"
#include "baseline/baseline_changes.h"
#include "judge/judge.h"
#include "results/case_result.h"
#include "results/failure_groups.h"
#include "results/verdicts.h"
#include "suite/target.h"

#define KG__RESULTS_SCHEMA "kernelgate-results/1"

/* What a run says outside of the results of its cases: a claim, a refused, vanished or unlisted
 * case, an error, a speedup or a note. */
typedef struct kg__remark {
    const char *subject; /* the claim, the case or the note; NULL: an error */
    const char *target;
    const char *test; /* NULL: an error of the run as a whole */
    const char *why;
    const char *reproduce; /* the command that runs it again */
    bool holds;            /* of a claim */
} kg__remark;

typedef struct kg__remarks {
    kg__remark *items;
    size_t count;
} kg__remarks;

/* What became of a test. */
typedef struct kg__test_result {
    const char *name;
    const char *target; /* its key, or "gpu" or "model" where none was found */
    const char *board;
    const char *skipped; /* why it judged nothing; NULL where it did */
    kg__skip skipped_by;
    double seconds;
    bool complete;
    int64_t exit_code;
    int64_t program_exit_code; /* -1: not known */
} kg__test_result;

/* A target of the run, and what is known of it. */
typedef struct kg__run_target {
    const char *key;
    kg__target target;  /* without a key: no test found it */
    json_t *provenance; /* what may differ from the baseline's; the pool's */
} kg__run_target;

/* A GPU that tests ran on. Those of one target share its baseline, not their driver's or their own
 * state. */
typedef struct kg__run_board {
    const char *uuid;
    const char *target;
    json_t *provenance;
} kg__run_board;

/* What had to report, by the programs' own lists, and what did. */
typedef struct kg__coverage {
    bool is_known;
    int64_t expected_tests;
    int64_t reported_tests;
    int64_t expected_cases;
    int64_t reported_cases;
    const char *filter; /* that chose among the cases; or NULL */
    bool partial;       /* whoever started the tests chose among them */
} kg__coverage;

/* The run in words, each a line. */
typedef struct kg__summary {
    const char *outcome;
    const char *headline;
    const char *verdict;   /* the outcome's word, and the headline: the console's last line */
    const char *unlisted;  /* what is to be done about unlisted cases; or NULL */
    const char *baselines; /* what they let pass, to follow the word "baselines"; or NULL */
    kg__texts loosened;
} kg__summary;

/* What they point to belongs to their pool. */
typedef struct kg__results {
    kg__pool *pool;
    const char *out;
    const char *build; /* the folder that the commands to run something again name; NULL */
    const char *commit;
    const char *base_ref; /* of the build that suspects were compared with */
    const char *base_commit;
    bool strict;
    kg__run_target *targets; /* in the order in which tests found them */
    size_t target_count;
    kg__run_board *boards;
    size_t board_count;
    kg__case_result **cases; /* by target, then in the order of the table */
    size_t case_count;
    kg__test_result *tests;
    size_t test_count;
    kg__remarks claims, refused, vanished, unlisted, errors, speedups, notes;
    kg__coverage coverage;
    bool has_baselines;
    kg__baseline_changes baselines;
    kg__tally tally;
    int64_t exit_code;
    kg__summary summary;       /* by kg__results_describe() */
    kg__failure_groups groups; /* likewise */
} kg__results;

/* The results of a run that judged nothing yet, in a pool. */
kg__results *kg__results_make(kg__pool *pool);

/* The target of a key, which is added where it is missing; it stays where it is until the next one
 * is added. */
kg__run_target *kg__results_target(kg__results *results, const char *key);

/* A number of them; NAN where it is not known. */
double kg__results_figure(const kg__results *results, const char *target, const char *name);

/* Adds a remark, whose texts live as long as the pool. */
void kg__results_add(kg__results *results, kg__remarks *list, kg__remark remark);

/* Adds an error of a test or (NULL) of the run as a whole, and makes the exit code that of an
 * error. */
void kg__results_add_error(kg__results *results, const char *test, const char *why);

/* How many cases were judged. */
size_t kg__results_judged(const kg__results *results);

/* The results as they are written, as JSON, owned by the caller. */
json_t *kg__results_json(const kg__results *results);

/* Reads a document of their form, of which the pool takes a reference. NULL with `error`,
 * "cases[3]: why is not a text". */
kg__results *kg__results_read(kg__pool *pool, json_t *document, kg__error *error);

/* Reads what `kernelgate baseline diff --loosened` prints into the results. False where it has
 * another form. */
bool kg__results_read_baselines(kg__results *results, const char *text);

/* Reads a file of results; NULL with `error` where it is unusable. */
kg__results *kg__results_load(kg__pool *pool, const char *path, kg__error *error);

/* Writes a file of results atomically. False with `error`. */
bool kg__results_save(const kg__results *results, const char *path, kg__error *error);

/* Prints them on standard output. False with a complaint. */
bool kg__results_print(const kg__results *results);

#endif
