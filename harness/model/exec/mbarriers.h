/* SPDX-License-Identifier: MIT */
/* PTX's mbarrier objects, and which shared memory bulk stores have yet to read. */
#pragma once

#include "model/include/kg_model_bulk.h"

#include <stdbool.h>

/* Forgets the previous block's objects and stores. */
void kg__begin_bulk(void);
/* These return what is wrong; NULL: nothing. */
/* Initializes the object at `word`. */
const char *kg__exec_init_mbarrier(void *word, unsigned int expected);
/* Sets *object to the state of the object at `word`, which completes copies bound to it. */
const char *kg__exec_use_mbarrier(const void *word, kg__model_barrier_object **object);
/* Adds to the bytes that the phase of the object expects, then counts arrivals. */
const char *kg__exec_count_mbarrier(kg__model_barrier_object *object, unsigned int count,
                                    unsigned int leaving, int64_t bytes);
/* Describes in `text`, of `size` bytes, what the phase of the object at `word` lacks; false if no
 * object is there. */
bool kg__describe_mbarrier(const void *word, char *text, size_t size);
/* Returns the phase that a wait by token or by parity is for. */
uint64_t kg__exec_phase_of(const kg__model_barrier_object *object, uint64_t phase, bool by_parity);
/* Returns a value that changes with every action on the object. */
uint64_t kg__exec_mbarrier_state(const kg__model_barrier_object *object);

/* Notes that the running thread arrives at the cluster's barrier, or waits there; false if it did
 * the same last. */
bool kg__exec_turn_at_cluster(bool arrives);

/* Records a piece of shared memory that a bulk store of the running thread reads. */
void kg__exec_store_bulk(const void *from, size_t size);
/* Forgets one piece of the running thread's groups, except the `newest`; false if none is left. */
bool kg__exec_end_store(unsigned int newest, const void **from, size_t *size);
