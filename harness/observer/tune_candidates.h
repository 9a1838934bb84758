/* Candidates: the launches that a tuning may try, of every size and variant that the program's
 * target times or counts. Whether the device accepts a launch shows only when it is launched. */
#ifndef KG__OBSERVER_TUNE_CANDIDATES_H
#define KG__OBSERVER_TUNE_CANDIDATES_H

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
 * - every combination of the values of the axes: those that the table's rows of the variant have,
 *   and those of .ranges;
 * - of the axis "block": also every multiple of a warp up to the device's most, and no more;
 * - of the axis "grid", where the rows have it: instead doubling from 1, and multiples of the
 *   multiprocessors, up to as many as give each element of the largest output a thread of its own;
 * - the launches of the table itself;
 * - of a variant with a clock of its own, which is not raced, the table's first launch alone.
 *
 * What KG_FILTER does not let through is left out. False with `error` where the table is wrong.
 * Free with kg__tune_candidates_free() in any case. */
bool kg__tune_candidates_make(const kg_comparison *comparison, const kg__limits *limits,
                              kg__tune_candidates *candidates, kg__error *error);

/* Frees what kg__tune_candidates_make() left, and empties it. */
void kg__tune_candidates_free(kg__tune_candidates *candidates);

/* The program as `PROGRAM --candidates`: prints {"target": {"key", "name", "multiprocessors",
 * "threads_per_block", ...}, "axes": [names], "work": {size: {"operations", "bytes"}}, "cases":
 * [ids], "refused": [{"case", "why"}]}. Returns its exit code: 77, with the reason, where there is
 * no device. */
int kg__print_tune_candidates(const kg_comparison *comparison);

#endif
