/* The shadow of memory: who wrote and who read it last, so that a read of what was never written
 * and two accesses with no order between them are seen. Internal to watching. */
#ifndef KG__MODEL_SHADOW_H
#define KG__MODEL_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/watch/sites.h"

/* Begins a launch: all accesses of earlier launches are ordered before its own. */
void kg__shadow_begin_launch(void);
/* All threads of the block wait at a barrier: it orders accesses before it and after it. */
void kg__shadow_barrier(void);
/* Ends the running block's last interval. */
void kg__shadow_end_block(void);

/* The running block has ended an interval and waits for its grid: returns what is known of its
 * shared memory, */
void *kg__shadow_suspend_block(void);
/* and it goes on, after all that was done before the grid's barrier. */
void kg__shadow_resume_block(void *suspended);

/* Ends the launch. */
void kg__shadow_end_launch(void);
/* Checks the accesses of `count` lanes to `region`, at `offsets` from its start, against its last
 * accesses. */
void kg__shadow_take(kg__region *region, const kg__site *site, unsigned int kind,
                     unsigned int count, const uint32_t *offsets, const uint8_t *lanes,
                     unsigned int first_thread);

/* The bytes that a thread's asynchronous copy was to write have come. */
void kg__shadow_copied(kg__region *region, uint32_t offset, unsigned int bytes,
                       unsigned int thread);

/* The host has written `bytes` from `address` of a region, or (`written` false) wants them to count
 * as never written. */
void kg__shadow_set(kg__region *region, uintptr_t address, size_t bytes, bool written);

#endif
