/* What is wrong with a baseline that can be read: figures that do not follow from each other, and
 * names that no table gives. Pure. */
#ifndef KG__BASELINE_BASELINE_LINT_H
#define KG__BASELINE_BASELINE_LINT_H

#include <stddef.h>

#include "baseline/baseline.h"

/* Calls `report` for each finding with its case (or sentinel), its metric, NULL where it is the
 * case's, and what is wrong and what to do. Returns how many there are. */
size_t kg__baseline_lint(const kg__baseline *baseline,
                         void (*report)(void *context, const char *id, const char *metric,
                                        const char *what),
                         void *context);

#endif
