/* SPDX-License-Identifier: MIT */
/* Measuring: the part of a comparison that measures its cases. The GPU's program times them
 * (time.c), the model's instrumented one counts (count.c). */
#pragma once

#include <stdbool.h>

#include "base/message.h"
#include "suite/table.h"

/* Measures `cases` (of the part `part`, in the table's order) and appends one record per case to
 * the file `records`. Returns false with `error` when the process cannot go on: the parent then
 * starts another one for the cases without a record. */
bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error);
