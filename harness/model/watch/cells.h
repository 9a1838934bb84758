/* Cells: what is known of each few bytes of a region (regions.h). Internal to watching. */
#ifndef KG__MODEL_WATCH_CELLS_H
#define KG__MODEL_WATCH_CELLS_H

#include "model/watch/regions.h"

/* Gives a region cells, of what is known of it as a whole; none where they would take too much
 * memory. */
void kg__cells_make(kg__region *region);
/* Gives a region, of a cell for four bytes each, one for each byte. */
void kg__cells_refine(kg__region *region);
/* Takes all global memory for written: what the host did to it until now is not known. */
void kg__cells_forget(void);
/* The name of memory that is too large for cells; NULL: there is none. */
const char *kg__cells_too_large(void);

#endif
