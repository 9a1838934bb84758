/* SPDX-License-Identifier: MIT */
/* The words for what the result of a case says. */
#pragma once

#include "results/case_result.h"

/* Why a case has its verdict: clean UTF-8 on one line, on the heap, freed with free(). "" for a
 * plain pass. */
char *kg__case_result_reason(const kg__case_result *result);
