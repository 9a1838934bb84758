/* SPDX-License-Identifier: MIT */
/* Candidates: the launches that a tuning may try, of every size and variant that the program's
 * target times or counts. Whether the device accepts a launch shows only when it is launched. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "device/device.h"
#include "suite/table.h"

typedef struct kg__tune_candidates {
    kg__case_list cases;   /* by size, then variant, then the values of the launch */
    kg__case_list refused; /* launches that the comparison does not support */
} kg__tune_candidates;

/* Makes the candidates of a comparison on a device of these limits, each once:
 *
 * - every combination of the axes' values: those in the variant's rows of the table, and those of
 *   .ranges;
 * - for the axis "block": also every multiple of a warp up to the device's maximum, and none above;
 * - for the axis "grid", if the rows have it: instead the powers of two, and multiples of the
 *   multiprocessors, up to one thread for each element of the largest output;
 * - the launches of the table itself;
 * - for a variant with a clock of its own, which is not raced, only the table's first launch.
 *
 * Leaves out cases that KG_FILTER does not select. False with `error` if the table is wrong. Free
 * with kg__tune_candidates_free() in either case. */
bool kg__tune_candidates_make(const kg_comparison *comparison, const kg__limits *limits,
                              kg__tune_candidates *candidates, kg__error *error);

/* Frees the result of kg__tune_candidates_make(), and empties it. */
void kg__tune_candidates_free(kg__tune_candidates *candidates);

/* The program as `PROGRAM --candidates`: prints {"target": {"key", "name", "multiprocessors",
 * "threads_per_block", ...}, "axes": [names], "work": {size: {"operations", "bytes"}}, "cases":
 * [ids], "refused": [{"case", "why"}]}. Returns its exit code: 77, with the reason, where there is
 * no device. */
int kg__print_tune_candidates(const kg_comparison *comparison);
