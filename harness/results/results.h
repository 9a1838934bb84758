/* Results: what each CTest test leaves about its cases, and what a run makes of them all.
 *
 * A test writes out/records/<test>.verdicts.json, replaced atomically as it goes, an object with
 *
 * - "schema": "kernelgate-verdicts/1", "test": "gpu.matmul_f32.time", "seconds": 3.2
 * - "complete": false until the test is through: a test that dies leaves no hole
 * - "exit_code": what its program's run of it came to, written last: a program that dies after its
 *   test was through has none
 * - "target": {"key": "nvidia-h200", ...}, "provenance": {...}, and of a GPU "board": its UUID
 * - "skipped": the reason, and "skipped_by": "filter", "empty" (the table has no case for this
 *   test), "unavailable" or "no-baseline", where nothing was judged
 * - "nearest": the case that a glob of the filter which takes none may have meant
 * - "errors": ["..."], what is wrong outside of any case
 * - "vanished": ["matmul_f32/old/530/b16"], baseline cases that an import no longer has
 * - "refused": [{"case": "...", "why": "..."}]
 * - "claims": [{"claim": "...", "holds": true, "why": "..."}], "notes": ["..."],
 *   "speedups": ["..."]
 * - "cases": [{"case": "...", "target": "nvidia-h200", "part": "time", "seconds": 0.4,
 *   "metrics": {"time_ns": {...}}, "verdict": "pass", "why": ""}]; a case that is to be settled
 *   against a base has "suspect": true and "first": {"measured", "sentinels"}, the records of its
 *   one observation, and when it is settled "pairs": {"time_ns": {"count", "change", "low", "high",
 *   "p"}}, "base": {"ref", "commit"} or a "note"
 *
 * The cleanup test of CTest's fixture merges them into out/results.json, out/junit.xml,
 * out/summary.md and out/report/index.html.
 */
#ifndef KG__RESULTS_RESULTS_H
#define KG__RESULTS_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/message.h"
#include "judge/judge.h"
#include "results/expected.h"
#include "results/verdicts.h"

#define KG__RESULTS_SCHEMA "kernelgate-results/1"

/* Writes a JSON document to `path` atomically (temporary file, flush, rename). `indent` spaces. */
bool kg__results_write_json(const char *path, const json_t *document, int indent, kg__error *error);

/* The verdicts document of a test that is through and has found nothing yet, every list empty; the
 * caller's. */
json_t *kg__verdicts_make_json(const char *test);

/* Reads a test's verdicts file and checks its schema; NULL with `error` when it is unusable. */
json_t *kg__verdicts_load_json(const char *path, kg__error *error);

/* Adds a verdicts document to a tally: its cases by verdict, claims, vanished cases, errors and
 * reasons to skip. A document that is not complete counts as broken. */
void kg__verdicts_tally(const json_t *verdicts, kg__tally *tally);

/* Merges every out/records/<test>.verdicts.json into the results document (owned by the caller):
 * "schema", "targets", "provenance" (by target), "boards" (by UUID), "cases" (one entry a case and
 * target, its parts' metrics together, the worst verdict), "tests" (name, seconds, exit code,
 * skipped), "claims", "refused", "vanished", "errors", "tally", "exit_code". An unreadable verdicts
 * file becomes an error in the document, never a crash. With `expected` (or NULL) what had to
 * report and did not becomes an error too, see kg__expected_check(). */
json_t *kg__results_merge(const char *out, bool strict, const kg__expected *expected,
                          kg__error *error);

/* Adds an error to a results document, of a test or of the run as a whole ("" or NULL), and makes
 * its exit code that of an error. */
void kg__results_add_error(json_t *results, const char *test, const char *why);

/* Reads the JSON of a regular file; NULL with `error`, which ends in `remedy`, what to do. */
json_t *kg__document_load(const char *path, const char *remedy, kg__error *error);

/* Reads a results document and checks its schema and its form; NULL with `error` when it is
 * unusable. */
json_t *kg__results_load(const char *path, kg__error *error);

#endif
