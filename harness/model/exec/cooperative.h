/* Cooperative launches and clusters: blocks are there at once, and wait for each other. Internal to
 * exec/.
 *
 * A block whose threads wait for others is put aside, with their stacks and its shared memory,
 * and the next one runs in its place. The host thread changes blocks, from its own stack. */
#ifndef KG__MODEL_EXEC_COOPERATIVE_H
#define KG__MODEL_EXEC_COOPERATIVE_H

#include "model/exec/fibers.h"

/* The running block waits or has ended: suspends it and gives the turn to a thread of another
 * block. Returns the fiber to switch to, at the context of the thread that has the turn; NULL if
 * the launch has ended, or failed. */
kg__model_fiber *kg__change_block(void);
/* Frees all suspended blocks, at the launch's end. */
void kg__forget_blocks(void);

#endif
