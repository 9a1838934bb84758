/* Order: which accesses of a launch are ordered before which, by barriers, __syncwarp() and fences.
 * Internal to watching.
 *
 * Time goes up with every barrier of a block and every block, so that a time tells the launch, the
 * block and the interval between two barriers; and with the first plain write to global memory
 * after fences, so that it tells which writes come before a fence. Two accesses of one interval
 * by two threads have no order between them, unless their lanes have met in __syncwarp() since; two
 * accesses of one launch by two blocks have none either, unless one block has seen, by an atomic,
 * what the other made known by an atomic after a fence: blocks.h. */
#ifndef KG__MODEL_WATCH_ORDER_H
#define KG__MODEL_WATCH_ORDER_H

#include "model/exec/launch.h"
#include "model/watch/regions.h"

#include <stdbool.h>
#include <stdint.h>

/* Times of no launch. */
enum { KG__TIME_NEVER = 0, KG__TIME_OF_HOST = 1, KG__TIME_FIRST = 2 };
/* The most that a lane's count comes to. */
#define KG__CLOCK_MAXIMUM 0x7fffu

/* The running interval, and the order between the running block's lanes. */
struct kg__order {
    uint32_t now;
    uint32_t interval_began;
    uint32_t launch_began;
    uint32_t block_began;
    uint32_t cluster_began;
    uint32_t last_cluster_sync; /* when its blocks last met; 0: there are no clusters */
    bool has_fenced;            /* somebody, of the device, since time has last gone on */
    bool any_taken; /* in this block: kg__order_has_taken() may be true of some threads */
    /* By warp: whether any of its lanes have met; how often each lane has met others, counted from
     * 1; and what each lane knows of the others' counts. */
    bool have_synced[KG__MODEL_MAX_WARPS];
    uint16_t own[KG__MODEL_MAX_WARPS][KG__MODEL_WARP];
    uint16_t known[KG__MODEL_MAX_WARPS][KG__MODEL_WARP][KG__MODEL_WARP];
};

extern KG__HIDDEN struct kg__order kg__order; /* in blocks.c */

/* Begins a launch: all accesses of earlier launches are ordered before its own. */
void kg__order_begin_launch(void);
/* `number`: the block's position in its grid, x fastest. */
void kg__order_begin_block(uint64_t number);
/* The block that has begun is the first of its cluster. */
void kg__order_begin_cluster(void);
/* The blocks of the cluster have met. */
void kg__order_sync_cluster(void);
/* Whether a time is of the running interval. */
static inline bool kg__is_of_this_interval(uint32_t time)
{
    return time - kg__order.interval_began <= kg__order.now - kg__order.interval_began;
}
/* The time of a plain write to global memory that is made now: later than all fences. */
static inline uint32_t kg__order_time_of_write(void)
{
    if (kg__order.has_fenced) {
        kg__order.now++;
        kg__order.has_fenced = false;
    }
    return kg__order.now;
}
/* Whether an access of a block of the cluster at a time is ordered before that. */
static inline bool kg__order_has_met(uint32_t time)
{
    return time < kg__order.last_cluster_sync && time >= kg__order.cluster_began;
}
/* All threads of the block wait at a barrier: it orders accesses before it and after it. */
void kg__order_barrier(void);
/* The lanes of a warp in `group` have met in __syncwarp(). */
void kg__order_sync(unsigned int warp, uint32_t group);
/* A thread of the running block executes a fence, of the device or of its block. */
void kg__order_fence(unsigned int thread, bool of_device);
/* Takes and gives what a thread's atomic, or volatile access, on a word makes known between blocks,
 * as blocks.h says, and between warps: what went before a fence that the atomic follows, or before
 * it where it releases. It is taken where the read acquires, as only cuda::atomic can, or by a
 * fence after it. The kind is as in trace.h. */
void kg__order_atomic(const kg__region *region, uint32_t offset, unsigned int thread,
                      unsigned int kind);
/* Whether what a thread did in this interval is ordered before what another one does: by an atomic
 * between two fences, or since both take the same lock. The second fence counts as there where the
 * access does not need it (kg__blocks_have_seen_write()). */
bool kg__order_has_taken(unsigned int thread, unsigned int other, bool needs_fence);
/* Whether it would be, were there a fence. */
bool kg__order_lacks_fence(unsigned int thread, unsigned int other);

#endif
