/* SPDX-License-Identifier: MIT */
/* Tolerances: whether a comparison's check can fail. */
#pragma once

#include "observer/problem.h"

/* Returns whether each output of a case, whose problems these are, has an element that fails as a
 * 0, or as a 1 where 0 is expected, at this size or at another one of the table. Else false with
 * `error`. Outputs that a projection judges are not looked at. */
bool kg__tolerances_reject(const kg_comparison *comparison, const kg__case *c,
                           const kg__problem *problems, int count, kg__error *error);
