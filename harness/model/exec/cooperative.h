/* SPDX-License-Identifier: MIT */
/* Cooperative launches and clusters: blocks that are resident together and wait for each other.
 * Internal to exec/.
 *
 * A block whose threads wait for other blocks is suspended, with their stacks and its shared
 * memory, and the next one runs in its place. The host thread switches blocks, on its own stack. */
#pragma once

#include "model/exec/fibers.h"

/* Suspends the running block, which waits or has ended, and gives the turn to a thread of
 * another block. Returns that thread's fiber, to be switched to at the thread's context; NULL if
 * the launch has ended or failed. */
kg__model_fiber *kg__change_block(void);
/* Frees all suspended blocks, at the launch's end. */
void kg__forget_blocks(void);
