/* SPDX-License-Identifier: MIT */
/* The report of a program at its end. */
#pragma once

#include "programs/options.h"

/* How a program ended that did not end by itself, and where in the source; NULL and line 0 where
 * that is not known. */
typedef struct kg__program_end {
    const char *why; /* "the host's code was ended by signal 11 (Segmentation fault)" */
    const char *file;
    unsigned int line;
} kg__program_end;

/* Prints what was found, one line for each, and the summary; writes the file that the option
 * `counters` names: {"target", "provenance", "flavor", "kernels" (kernels.h), "findings"
 * (records/finding.h), "other": [{"text", "file", "line"}] of the host, "failed": the error of a
 * kernel that did, "ended": {"why", "file", "line"}}. `flavor` is what the program's objects were
 * compiled with, "" without any; `end` is NULL where the program ended by itself. Returns the exit
 * code that the program is to have, -1 for its own. */
int kg__program_report(const kg__program_options *options, const char *flavor,
                       const kg__program_end *end);
