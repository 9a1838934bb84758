/* Inputs: a comparison's patterns, and how they fill arguments. */
#ifndef KG__OBSERVER_INPUTS_H
#define KG__OBSERVER_INPUTS_H

#include "observer/problem.h"

/* How many patterns a comparison has: "random", "wide" and its own. */
int kg__pattern_count(const kg_comparison *comparison);
/* How many of them, from the first on, a case with these arguments is checked with. */
int kg__patterns_checked(const kg_comparison *comparison, const kg_arguments *arguments);
/* Pattern number `index`. Number 0 is "random": the comparison's own first pattern, where it has
 * that name, else kg_fill_random(). */
kg_pattern kg__pattern_at(const kg_comparison *comparison, int index);
/* Whether pattern number `pattern` is the harness's "wide". */
bool kg__is_wide(const kg_comparison *comparison, int pattern);

/* Fills the host copy of argument `i` by the problem's pattern, which is "wide" with `wide`: then
 * `narrows` and `widest` follow. */
void kg__fill_input(const kg_comparison *comparison, kg__problem *problem, int i, bool wide);

#endif
