/* SPDX-License-Identifier: MIT */
/* Clocks: which accesses happen before which, given barriers that only some threads of a block
 * arrive at or wait for. Internal to watching.
 *
 * Each warp knows, for each warp of its cluster, how far that warp's actions happen before its own
 * next one. An arrival adds what its warp knows to the barrier, and a wait what the completed phase
 * has. A lane arrives for itself and those that it has met; it waits for its warp. */
#pragma once

#include "model/include/kg_model_device.h"
#include "model/watch/regions.h"

#include <stdbool.h>
#include <stdint.h>

/* How far a warp's actions are ordered: those of some lanes before a time, those of all its lanes
 * before an earlier one. */
typedef struct kg__reach {
    uint32_t until, lanes, of_all;
} kg__reach;

/* Forgets all that is known, at a launch's beginning. */
void kg__clocks_begin_launch(void);
/* Forgets the barriers of former blocks. */
void kg__clocks_begin_barriers(void);
/* Adds to what a warp knows: all actions of the block's warps `others` so far. */
void kg__clocks_tell(unsigned int warp, uint32_t others);
/* Notes that all threads of the running block have synchronized, whose warps share what they know
 * of other blocks. */
void kg__clocks_barrier(void);
/* Returns whether this launch has used a barrier. */
bool kg__clocks_are_used(void);
/* Notes a warp's arrival at a barrier, in a phase that is `odd`; the actions of the warps `taken`
 * happen before it, and those of its own as `reach` has, until now. */
void kg__clocks_arrive(kg__model_barrier_object *object, bool odd, unsigned int warp,
                       uint32_t taken, kg__reach reach);
/* Notes the end of the last phase, whose copies are complete. */
void kg__clocks_complete(kg__model_barrier_object *object);
/* Notes that a warp has waited for that phase. */
void kg__clocks_wait(kg__model_barrier_object *object, unsigned int warp);
/* Returns the barrier of the running cluster, which has no phases: its blocks wait for all
 * arrivals. A warp with threads that have ended arrives when its block is suspended. */
kg__model_barrier_object *kg__clocks_of_cluster(void);
/* Notes that the cluster's blocks have waited for it. */
void kg__clocks_sync_cluster(void);
/* Returns the warps some of whose actions in this interval happen before a warp's next one, by
 * barriers. */
uint32_t kg__clocks_known(unsigned int warp);
/* Returns whether barriers order anything of the cluster's block of a rank before a warp's next
 * action. */
bool kg__clocks_know(unsigned int warp, unsigned int rank);
/* Returns what a cell keeps of the barrier that completed the copy to it. */
unsigned int kg__clocks_copier(kg__model_barrier_object *object);

/* Returns whether barriers order a cell's last write, by a thread of the cluster, before a thread's
 * next access. */
bool kg__clocks_order_write(unsigned int thread, const kg__cell *cell);
/* The same for its last reads. */
bool kg__clocks_order_reads(unsigned int thread, const kg__cell *cell);
