/* SPDX-License-Identifier: MIT */
/* Cases that failed for the same reason: one mistake in a kernel fails a variant at every size and
 * launch, and is reported once. */
#pragma once

#include "results/case_result.h"

/* What a case that is wrong, or an error, has in common with those that failed alike: verdict,
 * target, variant, and the kinds, lines and symbols of its findings and of what its results had
 * wrong. Where it has none of these, the words of its reason, but for their figures. On the heap;
 * NULL for any other verdict, whose figures are each case's own. */
char *kg__failure_group_key(const kg__case_result *result);
