/* Tuning on a GPU: the part that finds the best launches of each variant. */
#ifndef KG__OBSERVER_TUNE_H
#define KG__OBSERVER_TUNE_H

#include <stdbool.h>

#include "base/message.h"
#include "suite/table.h"

/* Checks and times candidates, as the environment asks for (kg__tuning_request_read()). Those of a
 * size and variant race each other; then the best of each variant of the size, by time and by
 * occupancy, are timed together, interleaved. Appends to the file `records`, for each candidate, a
 * record "measured", "checked" (wrong), "refused" (the device does not take the launch), "failed",
 * or "skipped" (not tried, "why" says it), of a size's measured ones when it is through.
 * Returns false with `error` when the process cannot go on. */
bool kg__tune_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                    int records, kg__error *error);

#endif
