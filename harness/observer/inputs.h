/* SPDX-License-Identifier: MIT */
/* Inputs: a comparison's patterns, and how they fill arguments. */
#pragma once

#include "observer/problem.h"

/* Returns how many patterns a comparison has: "random", "wide" and its own. */
int kg__pattern_count(const kg_comparison *comparison);
/* Returns how many of them, from the first on, check a case with these arguments. */
int kg__patterns_checked(const kg_comparison *comparison, const kg_arguments *arguments);
/* Returns pattern number `index`. Number 0 is "random": the comparison's own first pattern, if
 * it has that name, else kg_fill_random(). */
kg_pattern kg__pattern_at(const kg_comparison *comparison, int index);
/* Returns whether pattern number `pattern` is the harness's "wide". */
bool kg__is_wide(const kg_comparison *comparison, int pattern);

/* Fills the host copy of argument `i` by the problem's pattern, which is "wide" with `wide`;
 * that sets `narrows` and `widest`. */
void kg__fill_input(const kg_comparison *comparison, kg__problem *problem, int i, bool wide);
