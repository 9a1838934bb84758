/* Cells: the last accesses to each few bytes of a region (regions.h). Internal to watching. */
#ifndef KG__MODEL_WATCH_CELLS_H
#define KG__MODEL_WATCH_CELLS_H

#include "model/watch/regions.h"

/* Gives a region cells, in the state of the region as a whole; none if they would take too much
 * memory. */
void kg__cells_make(kg__region *region);
/* Gives a region, of a cell for four bytes each, one for each byte. */
void kg__cells_refine(kg__region *region);
/* Marks all global memory as written: the host's earlier writes are not known. */
void kg__cells_forget(void);
/* The name of memory that is too large for cells, or NULL. */
const char *kg__cells_too_large(void);

#endif
