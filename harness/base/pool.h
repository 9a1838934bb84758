/* SPDX-License-Identifier: MIT */
/* Memory that lives as long as a document: its texts and arrays are freed together. */
#pragma once

#include <stddef.h>

/* Zeroed at first. */
typedef struct kg__pool {
    struct kg__pool_item *items;
} kg__pool;

/* A list of texts that live in a pool, or as long as it. */
typedef struct kg__texts {
    const char **items;
    size_t count;
} kg__texts;

/* A zeroed array of `count` items of `size` bytes each, with space for up to the next power of two.
 */
void *kg__pool_array(kg__pool *pool, size_t count, size_t size);

/* Makes space for one more in an array of the pool (NULL: none yet) that has `count` items of
 * `size` bytes each: returns the array, which has moved where it was full. What follows the items
 * is zeroed. */
void *kg__pool_grow(kg__pool *pool, void *items, size_t count, size_t size);

/* A copy of a text. */
const char *kg__pool_text(kg__pool *pool, const char *text);

/* A formatted text of up to KG__MESSAGE_SIZE bytes; a longer one is cut and ends in "...". */
const char *kg__pool_format(kg__pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a copy of a text to a list. */
void kg__pool_add_text(kg__pool *pool, kg__texts *list, const char *text);

/* Has `release` called with a thing when the pool is freed. */
void kg__pool_keep(kg__pool *pool, void *thing, void (*release)(void *));

/* Frees everything, the last first, and empties the pool. */
void kg__pool_free(kg__pool *pool);
