/* SPDX-License-Identifier: MIT */
/* Baselines that tests make in memory. kg__baseline_free() empties them. */
#pragma once

#include "baseline/baseline.h"

/* Finds a case or adds one, in sorted place. The pointer holds until the next addition. */
kg__baseline_case *add_baseline_case(kg__baseline *baseline, const char *id);

/* The same of a sentinel. */
kg__baseline_case *add_baseline_sentinel(kg__baseline *baseline, const char *name);

/* The same of a metric of a case; a new one is gated, with value 0 and band 0. */
kg__baseline_metric *add_baseline_metric(kg__baseline_case *entry, const char *name);

/* Removes a metric, which has to be there. */
void remove_baseline_metric(kg__baseline_case *entry, const char *name);

/* Replaces a case's code by what a baseline keeps of it. */
void set_baseline_code(kg__baseline_case *entry, const kg__kernel_code *code);
