/* Things by name, in the order in which they were added. */
#ifndef KG__BASE_INDEX_H
#define KG__BASE_INDEX_H

#include <stddef.h>

#include "base/pool.h"

/* Something and its name. */
typedef struct kg__index_entry {
    const char *name;
    void *thing;
} kg__index_entry;

/* Zeroed at first; its memory and its names belong to a pool. */
typedef struct kg__index {
    kg__index_entry *entries;
    size_t count;
    size_t *slots; /* the number of an entry and 1, at the place that its hash says; 0: free */
    size_t slot_count;
} kg__index;

/* The thing of a name, or NULL. */
void *kg__index_find(const kg__index *index, const char *name);

/* Adds a thing (not NULL), or replaces that of the name, which is copied. */
void kg__index_set(kg__pool *pool, kg__index *index, const char *name, void *thing);

#endif
