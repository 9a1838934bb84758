/* SPDX-License-Identifier: MIT */
/* Launching: the part `launch` of a GPU's program, which a profiler watches. */
#pragma once

#include <stdbool.h>

#include "base/message.h"
#include "suite/table.h"

/* Launches each of `cases` exactly once, on random inputs and checked, and starts no other
 * kernel, so that a profiler's n-th kernel belongs to a known case. Appends {"event":
 * "launched", "case": id, "kernels": how many kernels the launcher starts} to the file `records`
 * for each right case, in order. Returns false with `error` when the process cannot go on. */
bool kg__launch_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                      int records, kg__error *error);
