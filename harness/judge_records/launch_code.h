/* SPDX-License-Identifier: MIT */
/* The code that nvcc generated for the launches of cases (kernelgate-launches/1), judged against
 * baselines. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__LAUNCHES_SCHEMA "kernelgate-launches/1"

/* Judges {"figures", "launches": [{"case", "target", "before", "now"}...]}: `figures` is x-figures
 * of kernelgate-code.schema.json, `before` and `now` list the kernels of a launch as baselines of
 * generated code have them, and `before` is null for a case that the baseline lacks. Returns
 * {"cases": [...]} in the same order, entries of a verdicts document without metrics, where "moves"
 * lists {"kernel", "figure", "before", "now", "verdict"}: kernel is "" for the only one of a
 * launch; figure may be a class of instructions, or "kernels", their number. The caller's; NULL
 * with `error` where the document is invalid. */
json_t *kg__judge_launches(const char *path, json_t *document, kg__error *error);
