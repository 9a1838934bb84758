/* SPDX-License-Identifier: MIT */
/* What the Criterion tests of a comparison's program add up to. Each test that ran has a verdicts
 * file in the end, one of a suite's own too, and it says what its run came to: what has none did
 * not report. */
#pragma once

#include <criterion/stats.h>

/* Adds a test that ended: by its verdicts file where it left one, else by its Criterion status, of
 * which a file is made. Called in the runner's process alone. */
void kg__test_tally_add(const struct criterion_test_stats *stats);

/* The exit code of the program that ran them: KG__EXIT_ERROR, with a complaint, where no test ran.
 */
int kg__test_tally_exit_code(void);
