/* SPDX-License-Identifier: MIT */
/* What several of the harness's tests share: a folder for the files of one test, and running
 * programs to their end. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Makes the test's own folder and removes it with everything in it: a suite's .init and .fini. */
void make_folder(void);
void remove_folder(void);

/* The path of `name` in the test's folder, "" for the folder itself; good for the next 15 calls. */
const char *at(const char *name);

/* Writes and reads a whole file; a failure fails the test. The text is freed by the caller. */
void write_text(const char *path, const char *text);
char *read_text(const char *path);
bool exists(const char *path);

/* Turns each ' of a text into ", so that JSON can be written without backslashes; gives it back. */
char *quote(char *text);

/* The JSON document of a text with ' for ", which must be one; freed by the caller. */
json_t *json_of(const char *text);

/* How many times `part` stands in `text`. */
size_t occurrences(const char *text, const char *part);

/* A program's end. */
typedef struct ending {
    int code;     /* its exit code; 128 + the signal that ended it */
    char *output; /* standard output and error together; freed by the caller */
} ending;

/* Runs a program to its end. `arguments` and `settings` end in NULL; a setting "NAME=value" is
 * added to the environment, "NAME" is taken out. The settings of a gate around this test never
 * reach the program. */
ending drive(const char *const *arguments, const char *const *settings);

/* Skips the test where the program of a shipped comparison is "", since that was removed. */
void need_comparison(const char *program);

/* The settings that a test has made by set(), for drive(): each NAME once, the last value counts,
 * and NULL takes it out of the environment. They end with the test. */
extern const char *environment[];
void set(const char *name, const char *value);

/* Holds a program to its exit code and its output: `expected` is in the output (NULL: whatever it
 * is), else the test fails and shows it. */
void expect_ending(const ending *seen, int code, const char *expected);

/* Runs a program to its end, which must be so, with the settings made by set(). */
void expect_drive(const char *const *arguments, int code, const char *expected);

/* A JSON file of the test, which must be there; freed by the caller. */
json_t *read_json(const char *path);

/* The rows of a file of JSON Lines, an array; freed by the caller. */
json_t *read_rows(const char *path);
