/* Blocks: which accesses of other blocks are ordered before what the running block does, by what
 * blocks release and acquire with atomics and flags. Internal to watching.
 *
 * A release makes known what its thread knows to be fenced: what any thread of the block did before
 * the interval of a fence, and what the fence's own warp did before the fence. The fence is one of
 * the release's own warp, or one before the last barrier. */
#ifndef KG__MODEL_WATCH_BLOCKS_H
#define KG__MODEL_WATCH_BLOCKS_H

#include "model/watch/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

/* The effect of an access on a word, and its scope. */
typedef struct kg__telling {
    unsigned int warp;
    uint32_t taken; /* the warps whose work of this interval is ordered before it */
    bool reads, writes, by_atomic, is_strong;
    bool acquires; /* with what it reads, without a fence after it */
    bool releases; /* with what it writes, without a fence before it */
} kg__telling;

/* Forgets the blocks of the last launch. */
void kg__blocks_begin_launch(void);
/* A block begins. `number`: the block's position in its grid, x fastest. */
void kg__blocks_begin(uint64_t number);
/* The threads of the running block come to a barrier: its interval is over. */
void kg__blocks_barrier(void);
/* The running block is the first of a cluster. */
void kg__blocks_begin_cluster(void);
/* The running block waits for its cluster: returns its fences, */
void *kg__blocks_suspend(void);
/* and it begins again, with those, and with all that the blocks of the cluster knew. */
void kg__blocks_resume(void *suspended);
/* A warp executes a fence of the device; accesses of the warps `taken` are ordered before it. */
void kg__blocks_fence(unsigned int warp, uint32_t taken);
/* A warp has learned of others. */
void kg__blocks_forget_release(unsigned int warp);
/* Whether a write to a word would tell of anything that is fenced. */
bool kg__blocks_release(const kg__telling *what);
/* Adds a word's knowledge to the running block's, and the block's to the word's. `fenced`: the
 * result of kg__blocks_release(). */
void kg__blocks_tell(kg__word *at, const kg__telling *what, bool fenced);

/* The block, of this launch, that a time belongs to, by the order in which they began. */
size_t kg__blocks_at(uint32_t time);
/* The index of that block. */
uint3 kg__blocks_index(uint32_t time);
/* True if a write by a thread of another block at `time` is ordered before the running block's
 * next access. */
bool kg__blocks_have_acquired_write(uint32_t time, unsigned int writer);
/* The same, whether or not a fence follows the relaxed atomic that has seen the release: enough for
 * volatile reads, which bypass the first cache, and for writes, which depend on what was seen. */
bool kg__blocks_have_seen_write(uint32_t time, unsigned int writer);
/* The same of a read. Whose read it was is not told: that its block has released anything since is
 * enough. */
bool kg__blocks_have_seen_read(uint32_t time);
/* True when a block has released something since `time`, but its releases leave out what this
 * thread of it wrote then, in another warp. */
bool kg__blocks_left_out(uint32_t time, unsigned int writer);
/* The same by the releases that a thread of the running block has seen, or that anybody had before
 * the last barrier. */
bool kg__blocks_have_missed(uint32_t time, unsigned int writer, unsigned int reader);
/* True when the running block has seen no release by another. */
bool kg__blocks_have_seen_nothing(void);
/* True when that block has told of itself, but of nothing behind a fence. */
bool kg__blocks_lack_fence(uint32_t time);
/* True when it has told of itself by an atomic. */
bool kg__blocks_told_by_atomic(uint32_t time);

#endif
