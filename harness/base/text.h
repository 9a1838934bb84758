/* SPDX-License-Identifier: MIT */
/* How figures are shown, how texts of any origin are made fit to be shown, and the parts of a
 * case's id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The size of any figure of kg__show_figure() or kg__show_percent(), with a unit of up to 16 bytes.
 */
#define KG__FIGURE_SIZE 64

/* Writes a plain decimal number with its thousands set apart by spaces: "61 870.5". */
void kg__group_digits(char *text, size_t size, const char *plain);

/* Shows `value` with its thousands grouped and as many decimals as say something: "47 980 ns",
 * "3.652 ns", "9 550 600". `unit` may be empty. NaN and infinities are shown as "unknown". */
void kg__show_figure(char *text, size_t size, double value, const char *unit);

/* The unit of a metric, by the end of its name: "ns" for a time, "" for a count. */
const char *kg__metric_unit(const char *metric);

/* Shows a fraction in percent: 0.0631 as "6.3 %", with `sign` as "+6.3 %"; below 0.1 % two digits
 * that count, "0.0031 %". */
void kg__show_percent(char *text, size_t size, double fraction, bool sign);

/* Compares two structs by their first member, a `char *`, or two such pointers: for qsort() and
 * bsearch(). */
int kg__compare_names(const void *left, const void *right);

/* Whether a text ends in `end` and is longer, as a file's name with its suffix. */
bool kg__ends_with(const char *text, const char *end);

/* A copy on the heap of `text` as valid UTF-8 that XML 1.0 may hold: each byte or character that it
 * may not is replaced by U+FFFD. With `one_line`, newlines, tabs and every other control character
 * become spaces, and so does what turns the direction of writing or has no width, so that the text
 * cannot steer a terminal or a page; kg__disarm() has seen it. */
char *kg__clean_text(const char *text, bool one_line);

/* Prints what is formatted as kg__clean_text() has it, with its lines: for names and paths. */
void kg__print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
