/* Color on a terminal: for the word of a verdict, and for nothing else. */
#ifndef KG__BASE_COLOR_H
#define KG__BASE_COLOR_H

#include <stdbool.h>
#include <stdio.h>

/* Whether what goes to `stream` is colored: on a terminal that is not dumb, or anywhere with
 * CLICOLOR_FORCE set to something other than 0; never with NO_COLOR set to something (no-color.org,
 * bixense.com/clicolors). */
bool kg__color_wanted(FILE *stream);

/* The sequence that begins the color of a verdict's word, "slower", "wrong": red for what fails a
 * gate, yellow for what keeps it from judging, green for what is as it should be; "" for any other
 * word. */
const char *kg__color_of_word(const char *word);

/* Prints the word of a verdict, two spaces after the widest of them, and the formatted text. */
void kg__print_verdict(FILE *stream, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The width of the longest verdict: no-baseline. */
#define KG__VERDICT_WIDTH 11

/* Prints a line that begins with the word of a verdict, which alone is colored. */
void kg__print_verdict_line(FILE *stream, const char *line);

/* The sequences themselves, and the one that ends each. */
#define KG__RED "\033[31m"
#define KG__GREEN "\033[32m"
#define KG__YELLOW "\033[33m"
#define KG__PLAIN "\033[0m"

#endif
