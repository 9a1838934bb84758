/* SPDX-License-Identifier: MIT */
/* Reading a JSON document strictly: the file as text, and complaints that name file, line and key.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* A value inside the document that is being read, by the keys that lead to it; NULL is the
 * document. */
typedef struct kg__json_place {
    const struct kg__json_place *inside;
    const char *key;
} kg__json_place;

/* A document that is being read. The first complaint about it is kept; the reading may go on. */
typedef struct kg__reading {
    const char *path; /* what complaints call it */
    const char *text; /* ends with a NUL */
    kg__error *error; /* where the first complaint goes; may be NULL */
    bool bad;         /* there was one */
} kg__reading;

/* What a file is that is to be read, for complaints about it. */
typedef struct kg__document_kind {
    const char *name;   /* "baseline" */
    const char *remedy; /* what to do about its content */
    const char *renew;  /* how to get one: "record a baseline with kernelgate rebaseline" */
    size_t largest;     /* bytes; a larger file is something else */
} kg__document_kind;

/* Reads a whole regular file as text with a NUL at its end (freed with free()), or returns NULL
 * with `error`; `absent` says that the file does not exist. */
char *kg__read_document(const kg__document_kind *kind, const char *path, size_t *length,
                        bool *absent, kg__error *error);

/* Parses a text of `length` bytes followed by a NUL, in which no key may appear twice. NULL,
 * with a complaint by file and line, where it is not JSON. */
json_t *kg__parse_document(kg__reading *file, size_t length, const char *remedy);

/* Keeps "<path>:<line>: <keys>: <message>" as the document's error, where it is the first. */
void kg__complain_at(kg__reading *file, const kg__json_place *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether an object has a member; complains where it has not. */
bool kg__has_member(kg__reading *file, const kg__json_place *where, const json_t *object,
                    const char *key, const char *remedy);

/* Reads a text of 1 to `size` - 1 bytes; complains where it is none. */
bool kg__read_name(kg__reading *file, const kg__json_place *where, const json_t *value, char *text,
                   size_t size, const char *remedy);

/* Reads a number that is up to 2^53 in size, beyond which a double would change it unseen. */
bool kg__read_figure(kg__reading *file, const kg__json_place *where, const json_t *value,
                     double *figure, const char *remedy);

/* Whether a document says that it is of the schema that is read here; `update` is what to do about
 * another: "update kernelgate or record again with kernelgate rebaseline". */
bool kg__read_schema(kg__reading *file, const json_t *document, const char *schema,
                     const char *update, const char *remedy);
