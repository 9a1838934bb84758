/* SPDX-License-Identifier: MIT */
/* The run of a program that kg_add_program() gates (kernelgate-program/1), judged against
 * baselines. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__PROGRAM_SCHEMA "kernelgate-program/1"

/* Judges a run: `document`, which was read from `path`, has
 * - "test" and "case", the id of the run itself, "program/main/-/-"; "home", the project's folder,
 *   and "source", a file of it to look at where nothing says more
 * - "run": {"exit_code"} or {"signal"}, "hung_after" with its limit in seconds, and "output"
 * - "pass_regex": what the output is to match in place of the exit code; empty: nothing
 * - "needs_kernels"; "unreported": why it left no report of its own; "untimed": why nothing is
 * known of its kernels' times; "ran": how many tests its "framework" reported, "test_failed":
 * whether one failed; "skipped": how its test skipped itself
 * - of its report "target", "provenance", "flavor", "findings", "other", "failed" and "ended"
 * - "records": records of kernels by the ids of their cases, a list with one for each process,
 *   judged by the baseline in `baselines` as counts, or as times for "part": "time"
 * Returns {"verdicts": the test's}, the caller's; NULL with `error` where the document is
 * invalid. A run that is not right leaves its kernels unjudged. */
json_t *kg__judge_program(const char *path, json_t *document, const char *baselines,
                          kg__error *error);
