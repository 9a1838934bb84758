/* SPDX-License-Identifier: MIT */
/* What the tests of places check of the kernels of places_kernels.cpp. */
#pragma once

#include "tests/model/places_kernels.h"

extern places_seen seen;
extern int words[PLACES_WORDS];

/* Runs the kernels on zeros. */
void run_afresh(places_run_function *run);

/* Runs the kernels, and asserts that every access is at the line that the source says. */
void check_lines(places_run_function *run);

/* Runs the kernels, and asserts that every variable is found, from its first byte to its last, and
 * shared arrays and constants in the hole after them. */
void check_variables(places_run_function *run);
