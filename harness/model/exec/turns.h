/* SPDX-License-Identifier: MIT */
/* Turns: which thread of the block runs next. Internal to exec/. */
#pragma once

#include "model/exec/fibers.h"

/* Gives the turn to the first thread of the block that has begun. */
void kg__begin_turns(kg__model_fiber *fiber);
/* Gives the turn to the first thread of a block whose threads have all begun, and returns its
 * fiber. */
kg__model_fiber *kg__give_first_turn(void);
/* A fiber's main function: runs threads that begin, one after the other. */
void kg__run_threads(kg__model_fiber *self);
/* Continues the thread that has the turn: from now on events are its own. */
void kg__resume_thread(void);
