/* SPDX-License-Identifier: MIT */
/* Structs as JSON objects: one table says which member of a struct is which member of the object,
 * for reading and for writing. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/pool.h"

/* A yes or no that may be unknown. */
typedef enum kg__answer { KG__NOT_KNOWN, KG__NO, KG__YES } kg__answer;

/* What a member is in C, and which value of it is not written, since nothing is known. */
typedef enum kg__field_kind {
    KG__FIELD_TEXT,    /* const char *, which stays the JSON's; NULL or "" */
    KG__FIELD_STRING,  /* the same; NULL alone */
    KG__FIELD_CHARS,   /* an array of char, which a longer text does not fit; "" */
    KG__FIELD_FLAG,    /* bool; false */
    KG__FIELD_BOOL,    /* bool; always written */
    KG__FIELD_ANSWER,  /* kg__answer; KG__NOT_KNOWN */
    KG__FIELD_NUMBER,  /* double; NAN and infinities */
    KG__FIELD_AMOUNT,  /* double; 0 or less */
    KG__FIELD_COUNT,   /* int64_t of at least 0; 0 */
    KG__FIELD_FIGURE,  /* int64_t of at least 0; -1 */
    KG__FIELD_SMALL,   /* unsigned int, up to INT_MAX; 0 */
    KG__FIELD_CHOICE,  /* an enum with the names `names`; the value called "", or the one
                          after the last */
    KG__FIELD_VALUE,   /* json_t *, which stays the JSON's; NULL */
    KG__FIELD_OBJECT,  /* the same, always an object */
    KG__FIELD_PART,    /* an object of its own, by the table `part`; one of nothing */
    KG__FIELD_POINTER, /* a pointer to a struct by the table `part`; NULL, and one of nothing */
    KG__FIELD_TEXTS,   /* kg__texts; of no items, NULL */
    KG__FIELD_LIST,    /* an array of structs, each by the table `part`; NULL */
    KG__FIELD_OTHER    /* what `make` and `read` say */
} kg__field_kind;

/* One member. A table ends with an empty one. */
typedef struct kg__field {
    const char *key;
    kg__field_kind kind;
    size_t offset;
    const char *const *names; /* of a choice; ends with NULL */
    const struct kg__field *part;
    size_t count_offset; /* of a list: the size_t that counts it */
    size_t item_size;    /* of a list or a struct; of chars, their number */
    const void *unknown; /* the struct before its members are read; NULL: zeros */
    /* The JSON of what is at `held`, NULL where nothing is known. */
    json_t *(*make)(const void *held);
    /* Reads it; NULL, or what the value has to be: "an object"; "" with `error`. */
    const char *(*read)(json_t *value, void *to, kg__pool *pool, kg__error *error);
} kg__field;

#define KG__FIELD(struct_, member, key_, kind_)                                                    \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_##kind_, .offset = offsetof(struct_, member)                \
    }

/* A text that is the struct's own. */
#define KG__FIELD_OWN_TEXT(struct_, member, key_)                                                  \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_CHARS, .offset = offsetof(struct_, member),                 \
        .item_size = sizeof(((struct_ *)0)->member)                                                \
    }

/* One of the choices of `names_`. */
#define KG__FIELD_OF(struct_, member, key_, names_)                                                \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_CHOICE, .offset = offsetof(struct_, member),                \
        .names = names_                                                                            \
    }

/* Members of the same struct that are an object of their own. */
#define KG__FIELD_GROUP(key_, part_)                                                               \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_PART, .part = part_                                         \
    }

/* A pointer to a struct that reading adds to the pool, with the members of `unknown_` (may be NULL)
 * where the JSON has none. */
#define KG__FIELD_STRUCT(struct_, member, key_, part_, unknown_)                                   \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_POINTER, .offset = offsetof(struct_, member),               \
        .part = part_, .item_size = sizeof(*((struct_ *)0)->member), .unknown = unknown_           \
    }

/* A member that functions make and read (NULL: it is not read). */
#define KG__FIELD_BY(struct_, member, key_, make_, read_)                                          \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_OTHER, .offset = offsetof(struct_, member), .make = make_,  \
        .read = read_                                                                              \
    }

/* An array of structs `item`, which `count` counts. */
#define KG__FIELD_ITEMS(struct_, member, count, key_, item, part_)                                 \
    {                                                                                              \
        .key = key_, .kind = KG__FIELD_LIST, .offset = offsetof(struct_, member), .part = part_,   \
        .count_offset = offsetof(struct_, count), .item_size = sizeof(item)                        \
    }

/* Returns an object with the members that `from` knows; owned by the caller. */
json_t *kg__fields_json(const kg__field *fields, const void *from);

/* Sets the members of `object` that `from` knows. */
void kg__fields_write(json_t *object, const kg__field *fields, const void *from);

/* Reads the members that `object` has into `to`, and leaves the others as they are; null counts as
 * absent. False with `error`, "line is not a count", where one is of another type, or `object` is
 * not an object. For tables that need no pool: without lists and pointers. */
bool kg__fields_read(const json_t *object, const kg__field *fields, void *to, kg__error *error);

/* The same of any table; what it allocates is the pool's. */
bool kg__fields_read_lists(const json_t *object, const kg__field *fields, void *to, kg__pool *pool,
                           kg__error *error);
