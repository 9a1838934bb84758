/* SPDX-License-Identifier: MIT */
/* Lines: which lines of source account for a move of the CPU model's counters. Pure: two sets of
 * lines in, a sentence out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "records/line_counts.h"

/* More lines than this are counted, not named. */
#define KG__LINES_NAMED 3

/* Says which lines account for the difference between two sets of counters by source line. `before`
 * is the baseline's, `now` this run's.
 *
 * Up to KG__LINES_NAMED lines are named, those where a counter rose before those where all fell,
 * the largest rise or fall first: by the ratio where that moved ("<line>: loads went from 2.00 to
 * 15.14 sectors per request"), else by the total ("<line>: load requests went from 612 680 to 1 225
 * 360"). A line that is new, or gone, is said to be so. Lines of a file are matched by their number
 * where the same numbers have a kind of access; where they have not, in their order, so that a line
 * that moved down is not a new one.
 *
 * Returns false, with an empty text, when nothing differs or either set is unknown (NULL).
 * `first` (may be NULL) becomes the line that is named first, which stays that of its set, or NULL.
 */
bool kg__counter_lines_explain(const kg__lines *before, const kg__lines *now, char *text,
                               size_t size, const kg__line_counts **first);

/* Returns what each line of `now` counted before, by the same matching, as JSON; a line that is
 * gone keeps its own number. Owned by the caller; NULL when either set is unknown. */
json_t *kg__counter_lines_before(const kg__lines *before, const kg__lines *now);

/* The name of a counter in a sentence: "load requests" of "global_load_requests", "shared load
 * wavefronts", "unique bytes read". */
void kg__counter_words(const char *counter, char *words, size_t size);
