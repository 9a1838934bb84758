/* SPDX-License-Identifier: MIT */
/* A table without its KG_END is read on in what follows in memory, and rows behind it are not read:
 * rows are counted by the size of the array, which the program's symbols tell. The GPU's program
 * has the same tables. */
#include "gate/part.h"
#include "model/model.h"
#include "suite/table.h"

static bool is_nothing(const char *bytes, size_t count)
{
    while (count > 0 && *bytes == 0)
        bytes++, count--;
    return count == 0;
}

/* `key`: the bytes of a row's first member, which is 0 in the last row alone. */
static bool ends(const char *what, const void *table, size_t row, size_t key)
{
    const char *rows = table;
    size_t size = table != NULL ? kg__model_bytes_at(table) : 0;
    size_t end = 0;
    const char *wrong;

    while (end + row <= size && !is_nothing(rows + end, key))
        end += row;
    wrong = end + row > size                      ? "lacks KG_END"
            : !is_nothing(rows + end, size - end) ? "has rows behind KG_END"
                                                  : NULL;
    if (size == 0 || wrong == NULL)
        return true;
    kg__complain("%s: the table of its %s %s: make it the last row of an array",
                 kg__comparison->name, what, wrong);
    return false;
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
