/* Asynchronous copies, and the barriers in shared memory that they may be bound to. Internal to
 * exec/. */
#ifndef KG__MODEL_EXEC_COPIES_H
#define KG__MODEL_EXEC_COPIES_H

#include <stdbool.h>

/* Forgets the copies that the block before has not waited for, and its threads at barriers. */
void kg__begin_copies(void);
/* Whether the running thread has copies that it has not waited for. */
bool kg__has_copies(void);
/* No lane of the running warp can go on: releases the threads whose barriers are complete. */
void kg__release_objects(void);
/* A thread that waits at a barrier in shared memory; -1: none does. Writes how many do. */
int kg__thread_at_object(int *count);

#endif
