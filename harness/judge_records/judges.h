/* SPDX-License-Identifier: MIT */
/* What kernelgate-judge judges: a document of each schema. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__MEASURED_REMEDY "give a file that kernelgate import wrote"

/* A document to judge. */
typedef struct kg__judged_file {
    const char *path;      /* it was read from */
    json_t *document;      /* which loses the cases that KG_FILTER does not match */
    const char *baselines; /* the directory of stored baselines */
} kg__judged_file;

/* kernelgate-measured/1: judges the times that another tool measured, each target by its baseline.
 * Returns {"verdicts": [...]} with a test's verdicts for each target, the caller's; NULL with
 * `error` where the document is invalid or no case is left. */
json_t *kg__judge_measured(const kg__judged_file *file, kg__error *error);

/* kernelgate-moves/1: judges how the metrics of two runs differ by the gate's rule, from
 * {"moves": [MOVE...]}, where a MOVE has a value, its interval, what it is compared with and its
 * surroundings. Returns {"judgments": [...]} in the same order, {"verdict", "why", "smallest"}
 * each, the caller's; NULL with `error` where the document is invalid. */
json_t *kg__judge_moves(const kg__judged_file *file, kg__error *error);

/* kernelgate-launches/1: judges the code that nvcc generated for the launches of cases, from
 * {"figures", "launches": [{"case", "target", "before", "now"}...]}: `figures` is x-figures
 * of kernelgate-code.schema.json, `before` and `now` list the kernels of a launch as baselines of
 * generated code have them, and `before` is null for a case that the baseline lacks. Returns
 * {"cases": [...]} in the same order, entries of a verdicts document without metrics, where "moves"
 * lists {"kernel", "figure", "before", "now", "verdict"}: kernel is "" for the only one of a
 * launch; figure may be a class of instructions, or "kernels", their number. The caller's; NULL
 * with `error` where the document is invalid. */
json_t *kg__judge_launches(const kg__judged_file *file, kg__error *error);

/* kernelgate-pairs/1: judges benchmarks that two commands ran by turns by their pairs:
 * - "test", "target" and "provenance", as in verdicts
 * - "ref", what the base is called, and "margin", the fraction by which a head may be slower
 * - "ended": "" while there may be more pairs, else why there are none
 * - "code": {"base", "head"}, lists of files with the kernels' machine code. If both sides have the
 *   same kernels, nothing is judged by its times. Lists without kernels say nothing.
 * - "pairs": their number; "cases": by id {"imported", "base", "head"}, the last two with a record
 *   for each pair, null where a run had no such benchmark
 * Returns {"verdicts": the test's, "pairs": how many the next look needs, 0 once all is decided,
 * "useful": how many any finding needs}, the caller's; NULL with `error` where the document is
 * invalid or KG_FILTER leaves no case. */
json_t *kg__judge_pairs(const kg__judged_file *file, kg__error *error);

/* kernelgate-program/1: judges the run of a program that kg_add_program() gates:
 * - "test" and "case", the id of the run itself, "program/main/-/-"; "home", the project's folder,
 *   and "source", a file of it to look at where nothing says more
 * - "run": {"exit_code"} or {"signal"}, "hung_after" with its limit in seconds, and "output"
 * - "pass_regex": what the output is to match in place of the exit code; empty: nothing
 * - "needs_kernels"; "unreported": why it left no report of its own; "untimed": why nothing is
 * known of its kernels' times; "ran": how many tests its "framework" reported, "test_failed":
 * whether one failed; "skipped": how its test skipped itself
 * - of its report "target", "provenance", "flavor", "findings", "other", "failed" and "ended"
 * - "records": records of kernels by the ids of their cases, a list with one for each process,
 *   judged by the baseline as counts, or as times for "part": "time"
 * Returns {"verdicts": the test's}, the caller's; NULL with `error` where the document is
 * invalid. A run that is not right leaves its kernels unjudged. */
json_t *kg__judge_program(const kg__judged_file *file, kg__error *error);
