/* SPDX-License-Identifier: MIT */
/* Which tables lack their last row, or have others behind it; where that is not known, as on the
 * heap, none does. */
#include "gate/part.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static const kg_variant variants[] = { { .name = "a" }, KG_END };
static const kg_variant endless_variants[] = { { .name = "a" }, { .name = "b" } };
static const kg_size sizes[] = { KG_CHECKED(1), KG_END };
static const kg_size endless_sizes[] = { KG_CHECKED(1), KG_CHECKED(2) };
static const kg_launch launches[] = { KG_LAUNCH(1), KG_END };
static const kg_launch endless_launches[] = { KG_LAUNCH(1) };
static const kg_variant launched_endlessly[] = {
    { .name = "a", .launches = launches },
    { .name = "b", .launches = endless_launches },
    KG_END,
};
static const kg_size sizes_behind[] = { KG_CHECKED(1), KG_END, KG_CHECKED(2) };
static const kg_pattern patterns[] = { { .name = "a" }, KG_END };
static const kg_pattern endless_patterns[] = { { .name = "a" } };

static kg_comparison table = { .name = "table" };
const kg_comparison *const kg__comparison = &table;

Test(table_ends, each_table)
{
    const struct {
        kg_comparison table;
        bool end;
    } rows[] = {
        { { .variants = variants, .sizes = sizes, .launches = launches }, true },
        { { .variants = variants, .sizes = sizes, .advanced.patterns = patterns }, true },
        { { .variants = endless_variants }, false },
        { { .variants = variants, .sizes = endless_sizes }, false },
        { { .variants = variants, .sizes = sizes_behind }, false },
        { { .variants = variants, .launches = endless_launches }, false },
        { { .variants = launched_endlessly }, false },
        { { .advanced.patterns = endless_patterns }, false },
        { { .variants = NULL }, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table = rows[i].table;
        table.name = "table";
        cr_expect(eq(int, kg__tables_end(), rows[i].end), "row %zu", i);
    }
}

Test(table_ends, of_what_the_program_does_not_name)
{
    kg_size *heap = calloc(1, sizeof *heap);

    heap->extents = 1;
    table = (kg_comparison){ .name = "table", .sizes = heap };
    cr_expect(kg__tables_end());
    free(heap);
}
