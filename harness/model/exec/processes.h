/* SPDX-License-Identifier: MIT */
/* Processes that run the blocks of a watched launch side by side, in programs of `kernelgate nvcc`.
 * Internal to exec/.
 *
 * A launch begins in the program's own process. Where it takes long, forked processes run the rest
 * of its blocks, each on its own copy of all memory. What they wrote is brought together at
 * the end, if no process found anything and none accessed what another wrote. Otherwise it
 * is dropped, and the launch goes on in the program's process as if it had never forked: findings
 * and results are those of one process. */
#pragma once

#include "model/exec/grid.h"

#ifdef KG__MODEL_IS_LIBRARY

/* Notes that the launch in kg__running begins. */
void kg__begin_processes(void);
/* At a block's end in the program's process: returns whether processes have run the blocks that
 * were left. In such a process it returns false, once. */
bool kg__rest_was_run(void);
/* Returns whether the caller is such a process. */
bool kg__is_process(void);
/* Sets blockIdx to the process's next block. After the last it hands over what the process has
 * done, and ends it. */
void kg__next_of_process(void);
/* Ends the process, if the caller is one, whose launch has failed as kg__running says. */
void kg__end_failed_process(void);

#else

static inline void kg__begin_processes(void)
{
}
static inline bool kg__rest_was_run(void)
{
    return false;
}
static inline bool kg__is_process(void)
{
    return false;
}
static inline void kg__next_of_process(void)
{
}
static inline void kg__end_failed_process(void)
{
}

#endif
