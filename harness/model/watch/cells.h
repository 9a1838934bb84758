/* SPDX-License-Identifier: MIT */
/* Cells: the last accesses to each few bytes of a region (regions.h). Internal to watching. */
#pragma once

#include "model/watch/regions.h"

#include <stdbool.h>

/* Gives a region cells in the region's current state; no cells when they would take too much
 * memory. */
void kg__cells_make(kg__region *region);
/* Gives each cell of a row its own state. */
void kg__cells_spread(const kg__region *region, size_t row);
/* Returns a cell, whose row has no common state from now on. */
static inline kg__cell *kg__cell_at(const kg__region *region, size_t index)
{
    if (!region->rows[index / KG__ROW].apart)
        kg__cells_spread(region, index / KG__ROW);
    return &region->cells[index];
}
/* When each warp last read a cell that several have read, and which of its lanes did then (0:
 * unknown). A warp that has arrived at a barrier since the first of them did may read later. */
typedef struct kg__readers {
    const kg__cell *cell;
    uint32_t times[KG__MODEL_MAX_WARPS], lanes[KG__MODEL_MAX_WARPS];
} kg__readers;

/* Adds warps to a cell's readers, which become several; `warp` is the last to read, by `lanes` (0:
 * unknown). */
void kg__cell_join(kg__cell *cell, uint32_t warps, unsigned int warp, uint32_t lanes);
/* Returns a cell's readers; a time before read_time counts as read_time. */
const kg__readers *kg__cell_readers(const kg__cell *cell);
/* Forgets when which warp read, before times begin again. */
void kg__cells_forget_readers(void);
/* A thread's atomic update of a cell resolves its own plain reads of it. `global`: other blocks may
 * access it. */
void kg__cell_clear_reads(kg__cell *cell, unsigned int thread, bool global);
/* Returns whether a row has a common state. One whose cells have not been accessed by this launch,
 * or of the block's own memory by this block, gets it back if they are all written or all not. */
bool kg__cells_are_alike(const kg__region *region, kg__row *row);
/* Marks cells as written by the host, or (`written` false) as never written. */
void kg__cells_set(const kg__region *region, size_t first, size_t last, bool written);
/* Replaces a region's four-byte cells by one cell per byte. */
void kg__cells_refine(kg__region *region);
/* Marks all global memory as written, because the host's earlier writes are unknown. */
void kg__cells_forget(void);
/* Returns the name of memory that is too large for cells, or NULL. */
const char *kg__cells_too_large(void);
