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
/* Notes arrivals, of threads of which `leaving` will not come again; false where they are too many.
 */
bool kg__arrive_at_object(kg__model_barrier_object *object, unsigned int count,
                          unsigned int leaving);
/* A barrier that the block has by its number; NULL: it has none of that number. */
kg__model_barrier_object *kg__named_barrier(unsigned int number);
/* Makes so many arrivals complete the barrier's next phases, where none is under way. */
void kg__set_expected(kg__model_barrier_object *object, unsigned int expected);
/* Notes that the running thread waits for the end of a phase, or (false) need not. The first also
 * waits where the phase has ended: what was done before has to be replayed first, and copies come
 * that are bound to it. */
bool kg__wait_at_object(kg__model_barrier_object *object, uint64_t phase);
/* No lane of the running warp can go on: releases the threads whose barriers are complete. */
void kg__release_objects(void);
/* A thread that waits at a barrier in shared memory; -1: none does. Writes how many do. */
int kg__thread_at_object(int *count);

#endif
