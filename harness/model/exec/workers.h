/* SPDX-License-Identifier: MIT */
/* Workers: threads of the host that run a launch's blocks side by side, in programs of
 * `kernelgate nvcc` whose kernels are not watched. Internal to exec/. */
#pragma once

#include "model/exec/grid.h"

#include <signal.h>

#ifdef KG__MODEL_IS_LIBRARY

/* Adds the statistics of another thread or process to those of the launch. */
void kg__add_statistics(const kg__model_statistics *added);
/* Returns how many threads of the host, or processes, may run blocks side by side. */
unsigned int kg__count_workers(void);
/* Blocks the calling thread's signals but those of faults, which are for the program's own threads;
 * the former mask goes to `former` (NULL: dropped). */
void kg__block_signals(sigset_t *former);
/* Returns whether the launch that has been set in kg__running may run side by side. */
bool kg__may_share_blocks(void);
/* Runs its blocks: `run` runs those that the calling thread claims, on each worker. Afterwards
 * kg__running has the failure of the first block that failed, and the statistics of all. */
void kg__share_blocks(void (*run)(void));
/* Notes that a worker has ended a block: one of few threads has the others woken if it takes long.
 */
void kg__note_ended_block(void);
/* Returns whether a signal that ends a launch was passed on to the worker that it has to end. */
bool kg__workers_take_signal(int number);
/* Returns whether all threads of all workers wait in vain; else lets others run. */
bool kg__all_wait_in_vain(void);

#else

static inline bool kg__may_share_blocks(void)
{
    return false;
}
static inline void kg__share_blocks(void (*run)(void))
{
    run();
}
static inline void kg__note_ended_block(void)
{
}
static inline bool kg__workers_take_signal(int number)
{
    (void)number;
    return false;
}
static inline bool kg__all_wait_in_vain(void)
{
    return true;
}

#endif
