/* SPDX-License-Identifier: MIT */
/* The documents that --json prints, and the JSON Schemas that they are held to. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* A document has to be valid, and most changes of it must not be: a schema that takes anything
 * holds nothing. */
void expect_strict(json_t *document);

/* Copies of a valid document, each with one change: every value in it to others, every member taken
 * out, and members that no form has. An array of [whether it is valid, the copy], freed by the
 * caller. */
json_t *changed_documents(json_t *document);

/* Runs a program as drive() does. It has to end with `code`, and what it prints on the standard
 * output must be one document, valid by its schema, and nothing beside it. Freed by the caller, as
 * what it prints on the standard error is, in `complaints` where that is not NULL. */
json_t *drive_document(const char *const *arguments, const char *const *settings, int code,
                       char **complaints);

/* The entry of a list in a document that has these texts as its members: pairs of key and text,
 * ended by NULL. One that is not there fails the test. */
json_t *entry_with(const json_t *document, const char *list, const char *const *members);

#define ENTRY(document_, list_, ...)                                                               \
    entry_with(document_, list_, (const char *const[]){ __VA_ARGS__, NULL })
