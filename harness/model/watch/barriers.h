/* Barriers of a block that its threads do not all reach. Internal to watching. */
#ifndef KG__MODEL_WATCH_BARRIERS_H
#define KG__MODEL_WATCH_BARRIERS_H

#include <stdint.h>

/* Reports threads that wait for their block at different barriers. */
void kg__compare_barriers(void);

/* Reports a barrier, at `code`, that fewer threads have come to than earlier in the block, which is
 * number `block` of all blocks: those that have ended went less often through a loop around it. */
void kg__compare_rounds(uintptr_t code, uint64_t block);

#endif
