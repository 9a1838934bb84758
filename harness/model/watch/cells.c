/* Cells of four bytes or of one byte, allocated at a region's first checked access. */
#include "model/watch/cells.h"

#include "base/message.h"
#include "model/watch/order.h"

#include <stdlib.h>

/* Limits the memory of cells, so that a process stays below 1 GiB. */
#define MOST_MEMORY ((size_t)512 << 20)

/* Reserves memory for `count` cells of a region; false when that would exceed MOST_MEMORY. */
static bool take_cells(kg__region *region, size_t count)
{
    size_t bytes = 0;

    for (const kg__region *other = kg__regions(); other != NULL; other = other->next) {
        if (other->cells != NULL && other != region)
            bytes += (other->bytes / other->granule + 1) * sizeof *other->cells;
    }
    if (count > (MOST_MEMORY - bytes) / sizeof *region->cells) {
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UNKNOWN;
        return false;
    }
    region->cells = kg__allocate(count, sizeof *region->cells);
    return true;
}

void kg__cells_make(kg__region *region)
{
    size_t count = region->bytes / region->granule + 1;

    if (!take_cells(region, count))
        return;
    for (size_t i = 0; region->state == KG__UPLOADED && i < count; i++)
        region->cells[i].write_time = KG__TIME_OF_HOST;
    region->state = KG__IN_CELLS;
}

void kg__cells_refine(kg__region *region)
{
    kg__cell *coarse = region->cells;

    region->granule = 1;
    if (coarse == NULL)
        return;
    region->cells = NULL;
    if (take_cells(region, region->bytes + 1)) {
        for (size_t i = 0; i <= region->bytes; i++)
            region->cells[i] = coarse[i / 4];
    }
    free(coarse);
}

void kg__cells_forget(void)
{
    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        if (region->space != KG__MODEL_GLOBAL)
            continue;
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UPLOADED;
    }
}

const char *kg__cells_too_large(void)
{
    for (const kg__region *region = kg__regions(); region != NULL; region = region->next) {
        if (region->state == KG__UNKNOWN)
            return region->name;
    }
    return NULL;
}
