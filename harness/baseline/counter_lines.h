/* Lines: which lines of source account for a move of the CPU model's counters. Pure: two sets of
 * lines in, a sentence out. */
#ifndef KG__BASELINE_COUNTER_LINES_H
#define KG__BASELINE_COUNTER_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "suite/counters.h"

/* More lines than this are counted, not named. */
#define KG__LINES_NAMED 3

/* Says which lines account for the difference between two sets of counters by source line, each an
 * object {"kernels/matmul_f32/naive.cu:14": {"global_load_requests": 9495180, ...}, ...} without
 * counters of 0. `before` is the baseline's, `now` this run's.
 *
 * Up to KG__LINES_NAMED lines are named, those where a counter rose before those where all fell,
 * the largest rise or fall first: by the ratio where that moved ("<line>: loads went from 2.00 to
 * 15.14 sectors per request"), else by the total ("<line>: load requests went from 612 680 to 1 225
 * 360"). A line that is new, or gone, is said to be so. Lines of a file are matched by their number
 * where the same numbers have a kind of access; where they have not, in their order, so that a line
 * that moved down is not a new one.
 *
 * Returns false, with an empty text, when nothing differs or either set is unknown (NULL).
 * `first` (may be NULL) becomes {"file", "line"} of the line that is named first, owned by the
 * caller, or NULL.
 */
bool kg__counter_lines_explain(const json_t *before, const json_t *now, char *text, size_t size,
                               json_t **first);

/* The name of a counter in a sentence: "load requests" of "global_load_requests", "shared load
 * wavefronts", "unique bytes read". */
void kg__counter_words(const char *counter, char *words, size_t size);

/* What is wrong with a set of lines, or NULL: every key is FILE:LINE, every value an object of at
 * least one counter, each a whole number from 1 to 2^53. `key` and `counter` (NULL where it is the
 * line itself) become where. */
const char *kg__counter_lines_fault(const json_t *lines, const char **key, const char **counter);

/* What a counter comes to on all lines together; 0 of no lines (NULL). */
double kg__counter_lines_sum(const json_t *lines, kg__counter counter);

/* A copy of a set of lines whose keys are in order: by file, then by number, and the counters of
 * each by name; lines without a counter are omitted. Owned by the caller. */
json_t *kg__counter_lines_sorted(const json_t *lines);

#endif
