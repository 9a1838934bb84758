/* Asks the programs of a build for the tests that a run has to report. */
#ifndef KG__CLI_EXPECTED_TESTS_H
#define KG__CLI_EXPECTED_TESTS_H

#include <stdbool.h>

#include "base/message.h"
#include "results/expected.h"

/* Adds the tests of one program, whose answer to --tests is {"tests": [{"test": "gpu.a.time",
 * "cases": ["a/b/1/-", ...]}, ...]}, only of targets of `kind`. False, with nothing added, where
 * the answer has another form. */
bool kg__expect_answer(const char *text, const char *kind, kg__expected *expected);

/* Adds the tests of each program in the list at `path` (one path per line), only of targets of
 * `kind` ("gpu", "model"; NULL: any). False with `error` if the list cannot be read or a program
 * does not list its tests. */
bool kg__expect_programs(const char *path, const char *kind, kg__expected *expected,
                         kg__error *error);

/* Whether the ctest that started this process selects tests on its command line, for example by -R.
 * A selection by a preset or a file of CTest does not count. */
bool kg__ctest_chose_tests(void);

#endif
