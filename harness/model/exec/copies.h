/* Asynchronous copies, and the barriers in shared memory that they may be bound to. Internal to
 * exec/. */
#ifndef KG__MODEL_EXEC_COPIES_H
#define KG__MODEL_EXEC_COPIES_H

#include "model/include/kg_model_device.h"

#include <stdbool.h>

/* Forgets the copies that the block before has not waited for, and its threads at barriers. */
void kg__begin_copies(void);
/* Whether the running thread has copies that it has not waited for. */
bool kg__has_copies(void);
/* Counts arrivals, `leaving` of them for the last time; false if they are too many. */
bool kg__arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                          unsigned int leaving);
/* The block's named barrier; NULL if the number is not one from 0 to 15. */
kg__model_barrier_object *kg__named_barrier(unsigned int number);
/* Sets how many arrivals complete the barrier's next phases; no phase may be incomplete. */
void kg__set_expected(kg__model_barrier_object *object, unsigned int expected);
/* Has the running thread wait for the end of a phase; false if it need not. It also waits if the
 * phase has ended: earlier accesses have to be replayed first, and copies that are bound to the
 * barrier are performed. */
bool kg__wait_at_object(kg__model_barrier_object *object, uint64_t phase);
/* No lane of the running warp can go on: releases the threads whose barriers are complete. */
void kg__release_objects(void);
/* A thread that waits at a barrier in shared memory; -1: none does. Writes how many do. */
int kg__thread_at_object(int *count);

#endif
