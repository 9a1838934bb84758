/* Asks the programs of a build for the tests that a run has to report. */
#ifndef KG__CLI_EXPECTED_TESTS_H
#define KG__CLI_EXPECTED_TESTS_H

#include <stdbool.h>

#include "base/message.h"
#include "results/expected.h"

/* Adds the tests of each program in the list at `path` (one path per line), only of targets of
 * `kind` ("gpu", "model"; NULL: any). False with `error` if the list cannot be read or a program
 * does not list its tests. */
bool kg__expect_programs(const char *path, const char *kind, kg__expected *expected,
                         kg__error *error);

/* Whether the ctest that started this process selects tests on its command line, for example by -R.
 * A selection by a preset or a file of CTest does not count. */
bool kg__ctest_chose_tests(void);

#endif
