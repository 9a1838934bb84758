/* SPDX-License-Identifier: MIT */
/* Running another program to see what it says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a program printed, one entry per line. */
typedef struct kg__listing {
    char *text;
    const char **lines;
    size_t count;
} kg__listing;

enum { KG__CHILD_NOT_FOUND = -1, KG__CHILD_TIMED_OUT = -2, KG__CHILD_CRASHED = -3 };

/* Runs the program `arguments` (ends with NULL; found along PATH; no shell) with no input, and
 * keeps what it prints in `text` of `size` bytes; what does not fit is dropped. Its standard error
 * stays where it was. Returns its exit code, or one of the figures above; a program that takes more
 * than `seconds` is killed with its children. */
int kg__child_output(const char *const *arguments, double seconds, char *text, size_t size);

/* The same, split into its lines; freed by kg__listing_free() in any case. */
int kg__child_lines(const char *const *arguments, double seconds, kg__listing *listing);

/* Whether one of the lines is this one. */
bool kg__listing_has(const kg__listing *listing, const char *line);

/* Frees the lines, and empties the listing; an empty one is fine too. */
void kg__listing_free(kg__listing *listing);
