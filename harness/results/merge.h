/* Merging: from what the tests of a run left to its results. */
#ifndef KG__RESULTS_MERGE_H
#define KG__RESULTS_MERGE_H

#include <stdbool.h>

#include "base/message.h"
#include "base/pool.h"
#include "results/expected.h"
#include "results/results.h"

/* Merges every out/records/<test>.verdicts.json into results: a case of several parts is one, with
 * the metrics of all and the worst verdict. An unreadable file becomes an error of the results.
 * With `expected` (or NULL) what had to report and did not becomes an error too, see
 * kg__expected_check(). NULL with `error` where the folder cannot be read. */
kg__results *kg__results_merge(kg__pool *pool, const char *out, bool strict,
                               const kg__expected *expected, kg__error *error);

#endif
