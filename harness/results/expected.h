/* What a run had to report: the tests of its programs and the cases of their tables. They are
 * compared with what was reported and with the baselines, so that a test which reports nothing, and
 * a case which left its table, cannot pass for success. Pure but for reading the baselines. */
#ifndef KG__RESULTS_EXPECTED_H
#define KG__RESULTS_EXPECTED_H

#include <stdbool.h>

#include "base/index.h"
#include "results/results.h"

/* A test, "gpu.matmul_f32.time", and the ids of its cases; a claim has none. */
typedef struct kg__expected_test {
    const char *name;
    kg__index ids; /* each with the test as its thing */
} kg__expected_test;

/* Zeroed at first, but for the last three. */
typedef struct kg__expected {
    kg__index tests; /* by name */
    kg__pool *pool;
    bool partial; /* whoever started the tests chose among them: what is missing is counted, and
                     is not an error */
    const char *baselines; /* the folder of the baselines that the run is judged by */
} kg__expected;

/* Adds a test, unless it is of another target than `kind` ("gpu", "model"; NULL: any). */
void kg__expected_add(kg__expected *expected, const char *test, const kg__texts *ids,
                      const char *kind);

/* Completes merged results:
 *
 * - errors: each expected test that reported nothing, unless the run is partial; each test that
 *   reported and left cases of its table without a verdict;
 * - vanished: cases of the baselines that no table has any more, or that their comparison refuses,
 *   counted, timed or checked;
 * - unlisted: checked cases that the CPU model's baseline, where it lists them, does not have;
 * - the coverage.
 *
 * Errors, vanished and unlisted cases are counted in the tally. */
void kg__expected_check(const kg__expected *expected, kg__results *results);

#endif
