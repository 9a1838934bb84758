#include "base/index.h"

#include <string.h>

#include "base/hash.h"

/* The slot of a name, or the free one that it is to get. There is always a free one. */
static size_t *find_slot(const kg__index *index, const char *name)
{
    size_t slot = (size_t)kg__hash_text(KG__HASH_BEGIN, name) & (index->slot_count - 1);

    while (index->slots[slot] != 0 &&
           strcmp(index->entries[index->slots[slot] - 1].name, name) != 0)
        slot = (slot + 1) & (index->slot_count - 1);
    return &index->slots[slot];
}

void *kg__index_find(const kg__index *index, const char *name)
{
    size_t found = index->slot_count > 0 ? *find_slot(index, name) : 0;

    return found > 0 ? index->entries[found - 1].thing : NULL;
}

/* Makes the slots twice as many. */
static void grow(kg__pool *pool, kg__index *index)
{
    index->slot_count = index->slot_count > 0 ? 2 * index->slot_count : 16;
    index->slots = kg__pool_array(pool, index->slot_count, sizeof *index->slots);
    for (size_t i = 0; i < index->count; i++)
        *find_slot(index, index->entries[i].name) = i + 1;
}

void kg__index_set(kg__pool *pool, kg__index *index, const char *name, void *thing)
{
    size_t *slot;

    if (2 * (index->count + 1) > index->slot_count)
        grow(pool, index);
    slot = find_slot(index, name);
    if (*slot > 0) {
        index->entries[*slot - 1].thing = thing;
        return;
    }
    index->entries = kg__pool_grow(pool, index->entries, index->count, sizeof *index->entries);
    index->entries[index->count++] = (kg__index_entry){ kg__pool_text(pool, name), thing };
    *slot = index->count;
}
