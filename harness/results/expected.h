/* What a run had to report: the tests of its programs and the cases of their tables. They are held
 * against what was reported and against the baselines, so that a test which reports nothing, and a
 * case which left its table, cannot pass for success. Pure but for reading the baselines. */
#ifndef KG__RESULTS_EXPECTED_H
#define KG__RESULTS_EXPECTED_H

#include <jansson.h>
#include <stdbool.h>

#include "judge/judge.h"

typedef struct kg__expected {
    json_t *tests; /* by name, "gpu.matmul_f32.time": an object with its cases' ids as keys; a
                      claim has none */
    bool partial;  /* whoever started the tests chose among them: what is missing is counted, and
                      is not an error */
    const char *baselines; /* the folder of the baselines that the run is judged by */
} kg__expected;

/* Adds the tests of one program, whose answer to --tests is {"tests": [{"test": "gpu.a.time",
 * "cases": ["a/b/1/-", ...]}, ...]}; of targets other than `kind` ("gpu", "model"; NULL: any)
 * nothing is expected. False, with nothing added, where the answer has another form. */
bool kg__expected_add(kg__expected *expected, const json_t *answer, const char *kind);

/* Completes a results document (see kg__results_merge()) that lacks its tally:
 *
 * - "errors": each expected test that reported nothing, unless the run is partial; each test that
 *   reported and left cases of its table without a verdict;
 * - "vanished": cases of the baselines that no table has any more, or that their comparison
 *   refuses, counted, timed or checked;
 * - "unlisted": checked cases that the CPU model's baseline, where it lists them, does not have;
 * - "coverage": {"tests": {"expected", "reported"}, "cases": {"expected", "reported"}}, with
 *   "filter" and "partial" where only a part was to be judged.
 *
 * Errors, vanished and unlisted cases are counted in `tally`. */
void kg__expected_check(const kg__expected *expected, json_t *results, kg__tally *tally);

/* Frees the tests, and empties the list. */
void kg__expected_free(kg__expected *expected);

#endif
