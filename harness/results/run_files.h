/* The files that a run leaves in the folder of its results, which ci/run-files lists, and the
 * records of its tests below it. */
#ifndef KG__RESULTS_RUN_FILES_H
#define KG__RESULTS_RUN_FILES_H

#include <stdbool.h>

#include "base/message.h"

/* Starts a run: makes `out` and out/records, and removes what an earlier run left of the files
 * that this project writes (nothing else). False with `error` on failure. */
bool kg__results_begin(const char *out, kg__error *error);

#endif
