/* SPDX-License-Identifier: MIT */
/* A table without its KG_END is read on in what follows in memory: its rows are counted by the size
 * of its array, which the program's symbols tell. The GPU's program has the same tables. */
#include <string.h>

#include "gate/part.h"
#include "model/model.h"
#include "suite/table.h"

/* `key`: the bytes of a row's first member, which is 0 in the last row alone. */
static bool ends(const char *what, const void *table, size_t row, size_t key)
{
    static const char nothing[sizeof(void *)];
    size_t size = table != NULL ? kg__model_bytes_at(table) : 0;

    for (size_t at = 0; at + row <= size; at += row) {
        if (memcmp((const char *)table + at, nothing, key) == 0)
            return true;
    }
    if (size > 0)
        kg__complain("%s: the table of its %s lacks KG_END: make it the last row",
                     kg__comparison->name, what);
    return size == 0;
}

bool kg__tables_end(void)
{
    const kg_comparison *all = kg__comparison;

#define ENDS(what, table, key) ends(what, table, sizeof *(table), sizeof((table)->key))
    if (!ENDS("variants", all->variants, name) || !ENDS("sizes", all->sizes, extents) ||
        !ENDS("launches", all->launches, axes) || !ENDS("patterns", all->advanced.patterns, name) ||
        !ENDS("defects", kg__table_defects(), name))
        return false;
    for (const kg_variant *variant = all->variants; variant != NULL && variant->name != NULL;
         variant++) {
        if (!ENDS("launches", variant->launches, axes))
            return false;
    }
#undef ENDS
    return true;
}
