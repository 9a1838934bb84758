/* SPDX-License-Identifier: MIT */
/* Accuracy: from what a check measured of a case's errors to its result. Pure. */
#pragma once

#include <stdbool.h>

#include "baseline/baseline.h"
#include "records/observation.h"
#include "results/case_result.h"

/* What the errors of a case are held against. */
typedef struct kg__accuracy_reference {
    const kg__baseline *baseline; /* NULL: the target has none */
    bool exact; /* errors repeat exactly: the CPU model that was recorded computed them */
    const char *same_code; /* whose machine code the case runs: see kg__case_result; or NULL */
    bool strict;
} kg__accuracy_reference;

/* Adds errors (NULL: none were measured) to the result of a case whose results are right, as
 * metrics "error_max" and "error_mean", and gives it their verdict with its reason. A case without
 * a recorded error has no baseline; where the baseline is older than accuracy, in strict mode
 * alone. */
void kg__add_accuracy(kg__pool *pool, kg__case_result *result, const kg__observation *plain,
                      const kg__accuracy_reference *reference);
