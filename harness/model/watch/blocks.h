/* SPDX-License-Identifier: MIT */
/* Order between blocks: which accesses of other blocks happen before the running block's next
 * access, given what blocks release and acquire with atomics and flags. Internal to watching.
 *
 * A release publishes what its thread knows to be fenced: everything that any thread of the
 * block did before the interval of a fence, and everything that the fence's own warp did before
 * that fence. The fence is one by the releasing warp, or one before the last barrier. */
#pragma once

#include "model/watch/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

/* The effect of an access on a word, and its scope. */
typedef struct kg__telling {
    unsigned int warp;
    uint32_t taken; /* warps whose actions in this interval happen before it */
    bool reads, writes, by_atomic, is_strong;
    bool acquires; /* its read acquires without a later fence */
    bool releases; /* its write releases without an earlier fence */
} kg__telling;

/* Forgets the blocks of the last launch. */
void kg__blocks_begin_launch(void);
/* Begins a block. `number`: the block's position in its grid, x fastest. */
void kg__blocks_begin(uint64_t number);
/* Ends the interval: all threads of the running block are at a barrier. */
void kg__blocks_barrier(void);
/* Marks the running block as the first of its cluster. */
void kg__blocks_begin_cluster(void);
/* Saves the running block's fences and knowledge while others of its cluster run; returns them for
 * kg__blocks_resume(). */
void *kg__blocks_suspend(void);
/* Continues a block with what it saved, and after a synchronization of its cluster with everything
 * that the blocks of it knew. */
void kg__blocks_resume(void *suspended);
/* Adds what the blocks of the cluster knew when they last waited for others. */
void kg__blocks_know_cluster(void);
/* A warp executes a device-wide fence; actions of the warps `taken` happen before it. */
void kg__blocks_fence(unsigned int warp, uint32_t taken);
/* Invalidates a warp's cached release after the warp has acquired something. */
void kg__blocks_forget_release(unsigned int warp);
/* Returns whether a write to a word would publish anything fenced. */
bool kg__blocks_release(const kg__telling *what);
/* Exchanges knowledge between a word and the running block, as the access reads and writes.
 * `fenced` is the result of kg__blocks_release(). */
void kg__blocks_tell(kg__word *at, const kg__telling *what, bool fenced);

/* Returns the number, in order of their start, of the block of this launch that a time belongs
 * to. */
size_t kg__blocks_at(uint32_t time);
/* Returns the rank in its cluster of the block that a time belongs to. */
unsigned int kg__blocks_rank(uint32_t time);
/* Returns the index of the block that a time belongs to. */
uint3 kg__blocks_index(uint32_t time);
/* Returns whether a write by a thread of another block at `time` happens before the next access of
 * a `thread` of the running block. */
bool kg__blocks_have_acquired_write(uint32_t time, unsigned int writer, unsigned int thread);
/* Like kg__blocks_have_acquired_write(), but without requiring a fence after the relaxed atomic
 * that saw the release. That is enough for volatile reads, which bypass L1, and for writes,
 * which depend on the value seen. */
bool kg__blocks_have_seen_write(uint32_t time, unsigned int writer, unsigned int thread);
/* Like kg__blocks_have_seen_write(), for a read. The reading thread is unknown, so any later
 * release by its block is enough. */
bool kg__blocks_have_seen_read(uint32_t time);
/* Returns whether a block has released something, but never what this thread wrote at `time`, in
 * another warp than those that released later. */
bool kg__blocks_left_out(uint32_t time, unsigned int writer);
/* Like kg__blocks_left_out(), for the releases seen by a thread of the running block, or by any
 * of its threads before the last barrier; `no_older`: one of them is no older than the write. */
bool kg__blocks_have_missed(uint32_t time, unsigned int writer, unsigned int reader, bool no_older);
/* Returns whether the running block has seen what the block of its cluster of that rank, or one
 * that has, wrote by an atomic or a flag. */
bool kg__blocks_have_heard(unsigned int rank);
/* Returns whether the running block has seen no release by another block. */
bool kg__blocks_have_seen_nothing(void);
/* Returns whether the block of that time has published something, but nothing behind a fence. */
bool kg__blocks_lack_fence(uint32_t time);
/* Returns whether the block of that time has published something by an atomic. */
bool kg__blocks_told_by_atomic(uint32_t time);
