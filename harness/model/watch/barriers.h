/* Barriers of a block that its threads do not all reach. Internal to watching. */
#ifndef KG__MODEL_WATCH_BARRIERS_H
#define KG__MODEL_WATCH_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>

/* Checks the threads that wait at a barrier, the first of them at `code`, in the block that began
 * at the time `block`: reports those that wait at another one (`several`), or that fewer wait than
 * earlier, since the ended ones made fewer rounds of a loop around it. */
void kg__compare_barriers(uintptr_t code, bool several, uint32_t block);

#endif
