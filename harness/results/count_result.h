/* SPDX-License-Identifier: MIT */
/* Counting: from what an observer of the CPU model counted of a case to its result. Pure: an
 * observation and a baseline in, a result out. */
#pragma once

#include <stdbool.h>

#include "baseline/baseline.h"
#include "records/observation.h"
#include "results/case_result.h"

/* The result of a counted case. Every counter that was measured is judged against `baseline` (NULL:
 * none) on its own: one more is slower, one fewer faster, whatever the others did. A counter that
 * either side leaves out counts as 0 there; but of a launch that was sampled unique bytes are not
 * known, and not judged. Ratios are added to the counters, ungated. The reason of a case that moved
 * names the counters, the lines of source that did it, how the baseline was recorded differently
 * (`differences`, of kg__recording_differences(), may be empty), and the command that accepts it.
 * A counter that an older model counted otherwise is shown; in strict mode the case then has no
 * baseline. The observation has to live as long as the pool. */
kg__case_result *kg__count_result(kg__pool *pool, const char *id, const kg__target *target,
                                  const kg__observation *measured, const kg__baseline *baseline,
                                  const char *differences, bool strict);
