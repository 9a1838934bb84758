/* Cells: the last accesses to each few bytes of a region (regions.h). Internal to watching. */
#ifndef KG__MODEL_WATCH_CELLS_H
#define KG__MODEL_WATCH_CELLS_H

#include "model/watch/regions.h"

/* Gives a region cells in the region's current state; no cells when they would take too much
 * memory. */
void kg__cells_make(kg__region *region);
/* Replaces a region's four-byte cells by one cell per byte. */
void kg__cells_refine(kg__region *region);
/* Marks all global memory as written, because the host's earlier writes are unknown. */
void kg__cells_forget(void);
/* Returns the name of memory that is too large for cells, or NULL. */
const char *kg__cells_too_large(void);

#endif
