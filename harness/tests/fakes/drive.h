/* SPDX-License-Identifier: MIT */
/* What several of the harness's tests share: a folder for the files of one test, and what is
 * read there. */
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

/* What a command of the shell prints, which must succeed; freed by the caller. */
char *output_of(const char *command);

/* A JSON file of the test, which must be there; freed by the caller. */
json_t *read_json(const char *path);

/* The rows of a file of JSON Lines, an array; freed by the caller. */
json_t *read_rows(const char *path);
