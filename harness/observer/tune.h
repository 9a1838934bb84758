/* SPDX-License-Identifier: MIT */
/* Tuning on a GPU: the part that finds the best launches of each variant. */
#pragma once

#include <stdbool.h>

#include "base/message.h"
#include "suite/table.h"

/* The part of a GPU's program that tunes. */
#define KG__PART_TUNE "tune"

/* Checks and times candidates. Those of a size and variant race each other; then each variant's
 * best ones, by time and by occupancy, are timed together, interleaved. Appends a record for each
 * candidate to the file `records`: "measured" (written once its size is complete), "checked"
 * (wrong), "refused" (by the device), "failed", or "skipped" (not tried, with "why"). Returns false
 * with `error` when the process cannot go on. */
bool kg__tune_cases(const kg_comparison *comparison, const kg__case *const *cases, size_t count,
                    int records, kg__error *error);
