/* SPDX-License-Identifier: MIT */
/* What a comparison's program prints for whoever runs it by hand. Results are printed by the
 * Python package, from the verdicts. */
#pragma once

/* Prints a line: the word of a verdict, a target, a case's or a test's id and why; "" leaves out
 * the id or why. */
void kg__print_verdict(const char *word, const char *target, const char *id, const char *why);
