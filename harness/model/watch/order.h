/* SPDX-License-Identifier: MIT */
/* Order: which accesses of a launch happen before which, given barriers, __syncwarp() and fences.
 * Internal to watching.
 *
 * Time increases with every block, with every barrier of a block, and with the first plain access
 * after a fence or an atomic that other blocks see. So a time identifies the launch, the block and
 * the interval between two barriers, and tells what precedes a fence. Two threads' accesses in one
 * interval are unordered, unless their lanes have synchronized with __syncwarp() since. Two
 * blocks' accesses in one launch are unordered, unless one block has seen, by an atomic, what
 * the other published by an atomic after a fence (blocks.h). */
#pragma once

#include "model/exec/launch.h"
#include "model/include/kg_model_device.h"
#include "model/watch/regions.h"

#include <stdbool.h>
#include <stdint.h>

/* Times outside of any launch. */
enum { KG__TIME_NEVER = 0, KG__TIME_OF_HOST = 1, KG__TIME_FIRST = 2 };
/* The maximum of a lane's count. */
#define KG__CLOCK_MAXIMUM 0x7fffu

/* The running interval, and the order between the running block's lanes. */
struct kg__order {
    uint32_t now;
    uint32_t interval_began;
    uint32_t part_began; /* when it did, or the last barrier of only some of its threads ended */
    uint32_t launch_began;
    uint32_t block_began; /* or continued, after others had run */
    uint32_t first_began; /* when the running block first did */
    uint32_t cluster_began;
    uint32_t last_cluster_sync; /* when its blocks last synchronized; 0: no clusters */
    bool has_fenced; /* a device-wide or proxy fence was executed since time last increased */
    bool any_taken;  /* in this block, kg__order_has_taken() may be true for some threads */
    /* In this interval, a thread has used (waited for) a barrier of only some of the block's
     * threads. Before the first use, several readers of a cell need no times. */
    bool has_arrived, has_waited;
    /* By warp: whether any of its lanes have synchronized; how often each lane has done so,
     * counted from 1; and what each lane knows of the others' counts. */
    bool have_synced[KG__MODEL_MAX_WARPS];
    uint16_t own[KG__MODEL_MAX_WARPS][KG__MODEL_WARP];
    uint16_t known[KG__MODEL_MAX_WARPS][KG__MODEL_WARP][KG__MODEL_WARP];
    uint32_t acquired[KG__MODEL_MAX_WARPS]; /* by warp: when it last waited so */
    /* When a thread executed its last fence.proxy.async, and when that interval began, or its warp
     * had last waited: for shared memory, and for global memory. */
    uint32_t fenced_proxy[2][KG__MODEL_MAX_THREADS], fenced_interval[2][KG__MODEL_MAX_THREADS];
};

extern KG__HIDDEN struct kg__order kg__order; /* in blocks.c */

/* Begins a launch: all accesses of earlier launches happen before its own. */
void kg__order_begin_launch(void);
/* Begins a block. `number`: its position in its grid, x fastest. */
void kg__order_begin_block(uint64_t number);
/* Marks the block that has begun as the first of its cluster. */
void kg__order_begin_cluster(void);
/* Notes that the cluster's blocks have synchronized. */
void kg__order_sync_cluster(void);
/* Returns whether a time is in the running interval. */
static inline bool kg__is_of_this_interval(uint32_t time)
{
    return time - kg__order.interval_began <= kg__order.now - kg__order.interval_began;
}
/* Returns how often a thread has synchronized with lanes of its warp. */
static inline unsigned int kg__order_clock(unsigned int thread)
{
    return kg__order.own[thread / KG__MODEL_WARP][thread % KG__MODEL_WARP];
}
/* Returns the time of a plain access made now: later than all fences and what atomics have told. */
static inline uint32_t kg__order_time_of_plain(void)
{
    if (kg__order.has_fenced) {
        kg__order.now++;
        kg__order.has_fenced = false;
    }
    return kg__order.now;
}
/* Returns whether a cell's last write happens after its last reads, so that what is ordered after
 * the write is ordered after them. */
static inline bool kg__reads_are_over(const kg__cell *cell)
{
    return cell->read_time < cell->write_time && cell->write_time != KG__TIME_TO_COME &&
           (cell->writer & (KG__BY_ATOMIC | KG__BY_VOLATILE)) == 0;
}
/* Notes that all threads of the block are at a barrier, which orders the accesses before and
 * after it. */
void kg__order_barrier(void);
/* Notes a thread's arrival at a barrier, in a phase that is `odd`. */
void kg__order_arrive(kg__model_barrier_object *object, bool odd, unsigned int thread);
/* Notes the end of the barrier's last phase. */
void kg__order_complete(kg__model_barrier_object *object);
/* Notes a thread's wait for that. */
void kg__order_wait(kg__model_barrier_object *object, unsigned int thread);
/* Keeps what the running block's warps know of each other until it continues, or `ends`. */
void kg__order_suspend(bool ends);
/* Notes that the lanes `group` of a warp have met in an operation by which each accesses memory for
 * all: that orders what an arrival at a barrier stands for, and nothing between the lanes. */
void kg__order_meet(unsigned int warp, uint32_t group);
/* Notes that the lanes `group` of a warp have synchronized with __syncwarp(). */
void kg__order_sync(unsigned int warp, uint32_t group);
/* Notes a fence by a thread of the running block, device-wide or for its block. */
void kg__order_fence(unsigned int thread, bool of_device);
/* Notes a fence.proxy.async for shared or `global` memory. */
static inline void kg__order_fence_proxy(unsigned int thread, bool global)
{
    const uint32_t acquired = kg__order.acquired[thread / KG__MODEL_WARP];

    kg__order.fenced_proxy[global][thread] = kg__order.now;
    kg__order.fenced_interval[global][thread] =
        acquired > kg__order.interval_began ? acquired : kg__order.interval_began;
    kg__order.has_fenced = true;
}
/* Returns whether no fence.proxy.async is between a thread's write at `time` and a bulk copy that
 * `reader` starts now: by the writer after it, or by the reader after a barrier. */
static inline bool kg__order_lacks_proxy_fence(uint32_t time, unsigned int writer,
                                               unsigned int reader, bool global)
{
    return kg__order.fenced_proxy[global][writer] < time &&
           kg__order.fenced_interval[global][reader] <= time;
}
/* Applies a thread's atomic or volatile access to a word: the thread acquires what the word
 * publishes, and publishes its own knowledge there. Between blocks, blocks.h has the rules.
 * Between warps, it publishes what precedes a fence before the atomic, or precedes the atomic
 * when it releases. The thread acquires when the read acquires, as only cuda::atomic can, or at
 * a later fence. `kind` is as in trace.h. */
void kg__order_atomic(const kg__region *region, uint32_t offset, unsigned int thread,
                      unsigned int kind);
/* Returns whether a thread's actions in this interval happen before another thread's: by an
 * atomic between two fences, or because both take the same lock. The second fence is not
 * required when the access does not need it (kg__blocks_have_seen_write()). */
bool kg__order_has_taken(unsigned int thread, unsigned int other, bool needs_fence);
/* Returns whether kg__order_has_taken() would be true after one more fence, of what `other` has
 * done until `time`. */
bool kg__order_lacks_fence(uint32_t time, unsigned int thread, unsigned int other);
