/* What CTest says of a run, by the report that `ctest --output-junit FILE` writes: it sees how each
 * test ended, which the test's own verdicts cannot tell. */
#ifndef KG__CLI_CTEST_REPORT_H
#define KG__CLI_CTEST_REPORT_H

#include <stdbool.h>

#include "base/message.h"
#include "results/results.h"

/* Adds an error to results for each test of the report at `path` that ended otherwise
 * than its verdicts say, failed or was not run, and is not named by an error of theirs yet;
 * and one where ctest ended with `code`, not 0, though no test of its did. A test of another
 * project's own, which leaves no verdicts, has to pass or to be skipped. False with `error` where
 * there is no such report, or it cannot be read. */
bool kg__ctest_report_check(const char *path, int code, kg__results *results, kg__error *error);

#endif
