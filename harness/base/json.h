/* SPDX-License-Identifier: MIT */
/* Members of JSON objects, of whatever type they turn out to be, and JSON for readers. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/pool.h"

/* Up to here, 2^53, a double holds every whole number. No time and no count comes near it. */
#define KG__LARGEST_FIGURE 9007199254740992.0

/* A text member of an object, or "" when it is absent or no text. Not cleaned. */
const char *kg__json_text(const json_t *record, const char *key);

/* A number member, or NaN when it is absent or no number. */
double kg__json_number(const json_t *object, const char *key);

/* Sets a number member; NaN and infinity, which JSON lacks, set nothing. */
void kg__json_set_finite(json_t *object, const char *key, double value);

/* Sets a figure of a metric as an integer where it is a count: a whole number without a unit. */
void kg__json_set_count(json_t *object, const char *key, const char *metric, double value);

/* Sets a member to an object, whose reference it takes, unless it is empty or NULL. */
void kg__json_set_object(json_t *object, const char *key, json_t *member);

/* Has a document released with a pool. */
void kg__json_keep(kg__pool *pool, json_t *document);

/* A text of any bytes, such as what another program printed, as a string of one line of UTF-8 by
 * kg__clean_text(). Owned by the caller. */
json_t *kg__json_clean_string(const char *text);

/* A text as it is; one that is not UTF-8 as kg__json_clean_string() has it. Owned by the caller. */
json_t *kg__json_any_string(const char *text);

/* Prints a document, whose reference it takes, and a line break on standard output, in the form of
 * jansson's `flags`. False with a complaint that begins with `what`, where the document is NULL (a
 * text that is not UTF-8 kept it from being made) or the standard output cannot be written. */
bool kg__json_print(json_t *document, size_t flags, const char *what);

/* Writes a JSON document to `path` atomically (temporary file, flush, rename). `indent` spaces.
 * False with `error`. */
bool kg__json_save(const char *path, const json_t *document, int indent, kg__error *error);

/* Reads the JSON of a regular file; NULL with `error`, which ends in `remedy`, what to do. */
json_t *kg__json_load(const char *path, const char *remedy, kg__error *error);
