/* Barriers of a block that its threads do not all reach. Internal to watching. */
#ifndef KG__MODEL_WATCH_BARRIERS_H
#define KG__MODEL_WATCH_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>

/* Of the threads that have come to a barrier, the first of them at `code`, in the block that began
 * at the time `block`: reports those that wait at another one, where there are `several`, or that
 * fewer have come than earlier, since those that have ended went less often through a loop around
 * it. */
void kg__compare_barriers(uintptr_t code, bool several, uint32_t block);

#endif
