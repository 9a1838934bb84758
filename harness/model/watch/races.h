/* Races: checks a read or a write against the last accesses to its cell. Internal to watching.
 */
#ifndef KG__MODEL_WATCH_RACES_H
#define KG__MODEL_WATCH_RACES_H

#include "model/watch/order.h"
#include "model/watch/regions.h"
#include "model/watch/sites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A writer is a thread, with a flag on top; a reader a thread, any lanes of one warp, or several
 * warps' threads. */
#define KG__BY_ATOMIC 0x8000u
#define KG__BY_VOLATILE                                                                            \
    0x4000u                  /* volatile, in global memory: between blocks much like an atomic     \
                              */
#define KG__BY_BLOCK 0x2000u /* by an atomic of block scope */
/* An atomic of a block that has written the bytes plainly before: other blocks' atomics race with
 * that write. The cell keeps its site. */
#define KG__AFTER_PLAIN 0x1000u
/* Another block's atomic followed this one, whose block has left it out of what it released later:
 * the cell keeps the one that nobody can be ordered behind. */
#define KG__LEFT_OUT 0x0800u
#define KG__READERS_OF_WARP 0x8000u
#define KG__MANY_READERS 0xffffu
#define KG__THREAD_NUMBER 0x03ffu
/* On top of a reader's clock: other blocks have read it too, in this launch. */
#define KG__OTHER_BLOCKS 0x8000u
/* The time of an asynchronous copy's write that is not complete. */
#define KG__TIME_TO_COME UINT32_MAX

/* An access that is checked against a cell. */
typedef struct kg__checked_access {
    kg__region *region;
    const kg__site *site;
    unsigned int bytes;
    unsigned int kind;
    uint32_t offset;
    unsigned int thread;
} kg__checked_access;

/* Whether a time is the running block's. */
static inline bool kg__is_of_this_block(uint32_t time)
{
    return time >= kg__order.block_began;
}

/* Whether a time is the running launch's. */
static inline bool kg__is_of_this_launch(uint32_t time)
{
    return time >= kg__order.launch_began;
}

/* Forgets pending reads, at a launch's beginning. */
void kg__races_forget(void);
/* A region has four cells in place of each one. */
void kg__races_refine(const kg__region *region);
/* Reports the pending reads of shared memory, or of all memory, that no later write explains. */
void kg__races_settle(bool of_all);
/* The same of shared memory, and the races of atomics whose reader passed no barrier or fence. */
void kg__races_end_block(void);
/* A lane updates a cell atomically: its earlier reads of the cell are no race. */
void kg__races_clear(const kg__region *region, size_t cell, unsigned int thread);

/* Whether what a thread or lanes did in this interval is ordered before what a thread does: by
 * __syncwarp() or by an atomic, which a fence has to follow where `needs_fence`. */
bool kg__race_is_ordered(unsigned int thread, unsigned int other, uint32_t lanes,
                         unsigned int clock, bool needs_fence);
/* A read finds a cell unwritten: a race when somebody else writes it after all. */
void kg__race_await_writer(const kg__checked_access *mine, size_t cell);
/* Reports the race of a read whose last write is not plainly in order, if it is one. */
void kg__race_of_read(const kg__checked_access *mine, const kg__cell *cell, size_t index);
/* Checks a write against the reads and the last write before it. */
void kg__race_of_write(const kg__checked_access *mine, const kg__cell *cell, size_t index);

#endif
