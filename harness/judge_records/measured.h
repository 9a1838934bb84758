/* SPDX-License-Identifier: MIT */
/* Times that another tool measured (kernelgate-measured/1), judged by stored baselines. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__MEASURED_SCHEMA "kernelgate-measured/1"
#define KG__MEASURED_REMEDY "give a file that kernelgate import wrote"

/* Judges each target of `document`, which was read from `path` and loses the cases that KG_FILTER
 * does not match, by its baseline in the directory `baselines`. Returns {"verdicts": [...]} with a
 * test's verdicts for each target, the caller's; NULL with `error` where the document is invalid or
 * no case is left. */
json_t *kg__judge_measured(const char *path, json_t *document, const char *baselines,
                           kg__error *error);
