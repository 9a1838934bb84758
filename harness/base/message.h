/* SPDX-License-Identifier: MIT */
/* Errors of one line each: what went wrong, where, and what to do. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The longest message that is kept; a longer one is cut and ends in "...". */
#define KG__MESSAGE_SIZE 1024

/* Set in the environment while a line of progress is on the terminal, so that any process that
 * writes there, also an observer, clears its line first. */
#define KG__BAR_SETTING "KG__PROGRESS_BAR"

/* One error; empty without an error. A function that can fail takes one and fills it in. */
typedef struct kg__error {
    char text[KG__MESSAGE_SIZE];
} kg__error;

/* Formats an error into `error` (which may be NULL) and returns false, so that a function can
 * `return kg__fail(error, ...)`. Newlines and control characters become spaces: a message is one
 * line. */
bool kg__fail(kg__error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Formats into `text` of `size` bytes, cutting what does not fit and ending it in "...". */
void kg__format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same behind what `text`, of `size` bytes in all, has already. */
void kg__append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with the arguments as a list. */
void kg__format_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The same with what a function takes after its parameter `format`. */
#define KG__FORMAT_REST(text, size, format)                                                        \
    do {                                                                                           \
        va_list rest_;                                                                             \
                                                                                                   \
        va_start(rest_, format);                                                                   \
        kg__format_list(text, size, format, rest_);                                                \
        va_end(rest_);                                                                             \
    } while (0)

/* The size of a path: the system takes none that is longer. */
#define KG__PATH_SIZE 4096

/* Formats a path into `text` of `size` bytes, byte by byte. A path that does not fit is never cut,
 * since it would name another file: the process ends with exit code 2 and a message. */
void kg__format_path(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps a text that others wrote from being a workflow command of GitHub Actions, whose runner
 * looks for them in all that a job prints: a line that begins with "::", whatever space is before
 * it, and
 * "##[" anywhere. A character of each becomes a space, in place. */
void kg__disarm(char *text);

/* Prints "kernelgate: <message>" as one line on the standard error, over a progress bar where there
 * is one. */
void kg__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Allocates, or ends the process with exit code 2 and a message: running out of host memory for
 * a table or a name leaves nothing sensible to do. The result is zeroed and is freed with free().
 */
void *kg__allocate(size_t count, size_t size);

/* Makes space for one more in an array of `count` items of `size` bytes each with a capacity of
 * `*capacity` items (0 at first): returns the array, moved where it was full. What follows the
 * items is zeroed when it is moved. */
void *kg__grow(void *items, size_t count, size_t *capacity, size_t size);

/* Makes that space, counts the item, and gives its address. */
#define KG__ADD(items, count, capacity)                                                            \
    ((items) = kg__grow((items), (count), &(capacity), sizeof *(items)), &(items)[(count)++])

/* A copy of `text` on the heap, made like kg__allocate(). */
char *kg__copy_text(const char *text);
