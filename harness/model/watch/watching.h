/* Watching, as the scheduler drives it: launches, blocks, barriers, and which blocks are run.
 * Internal to the model. */
#ifndef KG__MODEL_WATCHING_H
#define KG__MODEL_WATCHING_H

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* True while instrumented launches are watched. */
extern bool kg__watching;

/* Whether accesses are checked, and not only counted. */
bool kg__watch_checks(void);
/* True when all that the host wrote to an allocation, of this number, is known. */
bool kg__watch_has_seen(uint64_t allocation);

/* True when the launch that the scheduler has set is not to be run: what a sampled launch before it
 * would have written is not there, and nothing that is found of it would be true. Where it is to be
 * counted it is run, and no longer checked. */
bool kg__watch_skips(void);
/* Begins a launch of the grid that the scheduler has set, whose blocks have so many bytes of shared
 * memory. */
void kg__watch_begin_launch(size_t shared_bytes);

/* Ends the launch, complete or not. */
void kg__watch_end_launch(void);
/* Begins the block at blockIdx. */
void kg__watch_begin_block(void);

/* Ends that block. */
void kg__watch_end_block(void);
/* The block's threads have come to a barrier at this place in the code. */
void kg__watch_barrier(uintptr_t code);

/* The running lane has come to a shuffle at this place in the code. */
void kg__watch_shuffle(uintptr_t code);

/* A copy or a fill has written so many bytes. */
void kg__watch_copy(size_t bytes);

/* True when this launch is sampled. */
bool kg__watch_is_sampling(void);

/* Writes the next block that a sampled launch runs to `block`; false after the last. */
bool kg__watch_next_sample(uint3 *block);

/* The running lane, at this place in the code, waits for the replay of what it has done. */
kg__model_turn kg__model_wait_for_room(uintptr_t code);

#endif
