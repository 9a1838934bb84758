/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* Something to release with the pool. */
struct kg__pool_item {
    struct kg__pool_item *next;
    void *thing;
    void (*release)(void *);
};

void kg__pool_keep(kg__pool *pool, void *thing, void (*release)(void *))
{
    struct kg__pool_item *item = kg__allocate(1, sizeof *item);

    *item = (struct kg__pool_item){ pool->items, thing, release };
    pool->items = item;
}

void *kg__pool_array(kg__pool *pool, size_t count, size_t size)
{
    size_t capacity = 1;
    void *items;

    while (capacity < count)
        capacity *= 2;
    items = kg__allocate(capacity, size);
    kg__pool_keep(pool, items, free);
    return items;
}

void *kg__pool_grow(kg__pool *pool, void *items, size_t count, size_t size)
{
    void *more;

    /* It is full where its size is a power of two. */
    if (items != NULL && (count & (count - 1)) != 0)
        return items;
    more = kg__pool_array(pool, count + 1, size);
    if (items != NULL)
        memcpy(more, items, count * size);
    return more;
}

const char *kg__pool_text(kg__pool *pool, const char *text)
{
    char *copy = kg__copy_text(text);

    kg__pool_keep(pool, copy, free);
    return copy;
}

const char *kg__pool_format(kg__pool *pool, const char *format, ...)
{
    char text[KG__MESSAGE_SIZE];

    KG__FORMAT_REST(text, sizeof text, format);
    return kg__pool_text(pool, text);
}

void kg__pool_add_text(kg__pool *pool, kg__texts *list, const char *text)
{
    list->items = kg__pool_grow(pool, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = kg__pool_text(pool, text);
}

void kg__pool_free(kg__pool *pool)
{
    while (pool->items != NULL) {
        struct kg__pool_item *item = pool->items;

        pool->items = item->next;
        item->release(item->thing);
        free(item);
    }
}
