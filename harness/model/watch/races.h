/* SPDX-License-Identifier: MIT */
/* Races: checks an access against the last accesses to its cell. Internal to watching. */
#pragma once

#include "model/watch/order.h"
#include "model/watch/regions.h"
#include "model/watch/sites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An access that is checked against a cell. */
typedef struct kg__checked_access {
    kg__region *region;
    const kg__site *site;
    unsigned int bytes;
    unsigned int kind;
    uint32_t offset;
    unsigned int thread;
} kg__checked_access;

/* Returns whether a time belongs to the running block. */
static inline bool kg__is_of_this_block(uint32_t time)
{
    return time >= kg__order.block_began;
}

/* Returns whether a time belongs to the running launch. */
static inline bool kg__is_of_this_launch(uint32_t time)
{
    return time >= kg__order.launch_began;
}

/* Forgets pending reads, at a launch's beginning. */
void kg__races_forget(void);
/* Adapts to a region that now has four cells in place of each one. */
void kg__races_refine(const kg__region *region);
/* Reports pending reads that no later write explains: of shared memory, or `of_all` memory. */
void kg__races_settle(bool of_all);
/* Reports pending reads of shared memory, and races of atomics whose reader passed no barrier or
 * fence. */
void kg__races_end_block(void);
/* A lane's atomic update of a cell resolves its earlier reads of the cell. */
void kg__races_clear(const kg__region *region, size_t cell, unsigned int thread);

/* Returns whether a cell's reads in this interval happen before a thread's next action: by
 * __syncwarp(), an atomic, or a barrier of some threads. */
bool kg__race_follows_reads(unsigned int thread, const kg__cell *cell);
/* Records a read of an unwritten cell: it is a race if another thread writes the cell later. */
void kg__race_await_writer(const kg__checked_access *mine, size_t cell);
/* Reports that memory written by a thread of the block is read by a bulk copy without a fence;
 * global memory that atomics have updated may be another bulk copy's. */
void kg__race_of_bulk_read(const kg__checked_access *mine, const kg__cell *cell);
/* Reports the race, if any, of a read whose last write is not known to happen before it. */
void kg__race_of_read(const kg__checked_access *mine, const kg__cell *cell, size_t index);
/* Checks a write against earlier reads and the last write. */
void kg__race_of_write(const kg__checked_access *mine, const kg__cell *cell, size_t index);
