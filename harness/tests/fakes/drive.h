/* SPDX-License-Identifier: MIT */
/* What several of the harness's tests share: a folder for the files of one test, what is read
 * there, and memory that lives until the test ends. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"

/* What a test keeps in it is freed when the test, which is a process of its own, ends. */
kg__pool *test_pool(void);

/* Keeps a document there, which must be one, or a text that was allocated; gives it back. */
json_t *keep_json(json_t *document);
char *keep_text(char *text);

/* Makes the test's own folder and removes it with everything in it: a suite's .init and .fini. */
void make_folder(void);
void remove_folder(void);

/* The path of `name` in the test's folder, "" for the folder itself; good for the next 15 calls. */
const char *at(const char *name);

/* Writes and reads a whole file; a failure fails the test. The text is kept. */
void write_text(const char *path, const char *text);
char *read_text(const char *path);
bool exists(const char *path);

/* A copy of a text with " for ', so that JSON can be written without backslashes; kept. */
char *quote(const char *text);

/* The JSON document of a text with ' for ", which must be one; kept. */
json_t *json_of(const char *text);

/* How many times `part` stands in `text`. */
size_t occurrences(const char *text, const char *part);

/* What a command of the shell prints, which must succeed; kept. */
char *output_of(const char *command);

/* A JSON file of the test, which must be there; kept. */
json_t *read_json(const char *path);

/* The rows of a file of JSON Lines, an array; kept. */
json_t *read_rows(const char *path);
