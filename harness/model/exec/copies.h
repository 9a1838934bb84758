/* SPDX-License-Identifier: MIT */
/* Asynchronous copies, and barriers in shared memory that can complete them. Internal to exec/. */
#pragma once

#include "model/exec/grid.h"

#include <stdbool.h>

/* Begins a block without the copies that its rank's last one has not waited for, and that one's
 * threads at barriers. */
void kg__begin_copies(void);
/* Returns those of the running block of a cooperative launch, which is suspended. */
kg__copies *kg__keep_copies(void);
/* Frees what a block has kept; NULL: nothing. */
void kg__drop_copies(kg__copies *kept);
/* Continues with those of the block at blockIdx, which was suspended. `kept`: it kept them. */
void kg__resume_copies(kg__copies *kept);
/* Returns whether the running thread has copies that it has not waited for. */
bool kg__has_copies(void);
/* Counts arrivals, `leaving` of them for the last time; false if there are too many. */
bool kg__arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                          unsigned int leaving);
/* Returns the block's barrier with a number, named or of a tile; NULL if it is out of range. */
kg__model_barrier_object *kg__numbered_barrier(unsigned int number);
/* Sets how many arrivals complete the barrier's next phases; no phase may be incomplete. */
void kg__set_expected(kg__model_barrier_object *object, unsigned int expected);
/* Makes the running thread wait for the end of a phase; false if it need not. It waits even if
 * the phase has ended, until earlier accesses are replayed and copies bound to the barrier are
 * performed. */
bool kg__wait_at_object(kg__model_barrier_object *object, uint64_t phase);
/* Releases the threads whose barriers are complete. Called when no lane of the running warp can
 * run. */
void kg__release_objects(void);
/* Returns a thread that waits at a barrier in shared memory, or -1, and writes how many do. */
int kg__thread_at_object(int *count);
