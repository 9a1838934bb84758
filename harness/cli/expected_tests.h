/* Asking the programs of a build what a run of them has to report. */
#ifndef KG__CLI_EXPECTED_TESTS_H
#define KG__CLI_EXPECTED_TESTS_H

#include <stdbool.h>

#include "base/message.h"
#include "results/expected.h"

/* Adds what each program in the list at `path`, one path per line, names as its tests, of targets
 * of `kind` alone ("gpu", "model"; NULL: of any). False with `error` where the list cannot be read,
 * or a program does not list its tests. */
bool kg__expect_programs(const char *path, const char *kind, kg__expected *expected,
                         kg__error *error);

/* Whether this process was started by a ctest whose command line chooses among its tests, by -R
 * for one. What a preset or a file of CTest's leaves out, nobody asked this run to leave out. */
bool kg__ctest_chose_tests(void);

#endif
