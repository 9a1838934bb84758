/* SPDX-License-Identifier: MIT */
/* Benchmarks that two commands ran by turns (kernelgate-pairs/1), judged by their pairs. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__PAIRS_SCHEMA "kernelgate-pairs/1"

/* Judges `document`, which was read from `path`:
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
json_t *kg__judge_pairs(const char *path, json_t *document, kg__error *error);
