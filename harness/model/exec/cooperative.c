/* SPDX-License-Identifier: MIT */
/* Cooperative launches and clusters: blocks that take turns at the barriers of the grid, or of
 * their cluster. */
#include "model/exec/cooperative.h"

#include "base/message.h"
#include "model/exec/clusters.h"
#include "model/exec/copies.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/turns.h"

#include <stdlib.h>
#include <string.h>

/* A waiting thread's stack, up to the place where it continues. */
typedef struct kept_thread {
    kg__model_fiber *fiber;
    void *context;
    void *stack;
    size_t size;
} kept_thread;

/* A suspended block. */
typedef struct kept_block {
    uint3 index;
    uint32_t live[KG__MODEL_MAX_WARPS];
    kept_thread *threads;
    unsigned char *shared; /* dynamic, then the kernel's arrays; NULL: in a cluster's copies */
    void *watched;         /* the watcher's data */
} kept_block;

/* In the order in which they began to wait: those before `next` have continued, those before
 * `released` may. */
static kept_block *blocks;
static size_t block_count;
static size_t block_room;
static size_t next;
static size_t released;
static size_t ended;
static size_t begun; /* after the first */
static bool all_have_begun;
static uint3 last_begun;

int kg__model_is_cooperative(void)
{
    return kg__running.launch.is_cooperative;
}

void kg__model_require_cooperative(void)
{
    if (!kg__running.launch.is_cooperative)
        kg__model_trap(cudaErrorLaunchFailure,
                       "grid.sync() in a launch that is not cooperative: launch the kernel with "
                       "cudaLaunchCooperativeKernel()");
}

/* Copies the block's shared memory to `kept`, or back. */
static void copy_shared(unsigned char *kept, bool back)
{
    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++) {
        const kg__cluster_array array = kg__exec_cluster_array(i, 0);

        memcpy(back ? array.home : kept, back ? kept : array.home, array.bytes);
        kept += array.bytes;
    }
}

static size_t shared_bytes(void)
{
    size_t bytes = 0;

    for (size_t i = 0; i < kg__exec_cluster_arrays(); i++)
        bytes += kg__exec_cluster_array(i, 0).bytes;
    return bytes;
}

static void suspend(void)
{
    kept_block *block;

    blocks = kg__grow(blocks, block_count, &block_room, sizeof *blocks);
    block = &blocks[block_count++];
    *block = (kept_block){ .index = blockIdx };
    block->threads = kg__allocate((size_t)kg__running.thread_count, sizeof *block->threads);
    if (kg__exec_cluster_size() > 1) {
        kg__keep_shared(false);
    } else {
        block->shared = kg__allocate(shared_bytes() + 1, 1);
        copy_shared(block->shared, false);
    }
    for (int i = 0; i < kg__running.warp_count; i++)
        block->live[i] = kg__running.warps[i].live;
    for (int i = 0; i < kg__running.thread_count; i++) {
        kept_thread *kept = &block->threads[i];

        if ((block->live[i / KG__MODEL_WARP] >> i % KG__MODEL_WARP & 1) == 0)
            continue;
        kept->fiber = kg__running.threads[i].fiber;
        kept->context = kg__running.threads[i].context;
        kept->stack = kg__model_fiber_keep(kept->fiber, kept->context, &kept->size);
    }
    if (kg__running.watcher != NULL)
        block->watched = kg__running.watcher->suspend_block();
}

static void forget(kept_block *block)
{
    for (int i = 0; block->threads != NULL && i < kg__running.thread_count; i++)
        free(block->threads[i].stack);
    free(block->threads);
    free(block->shared);
    *block = (kept_block){ .watched = NULL };
}

/* Restores a suspended block, and makes its threads ready. */
static void resume(kept_block *block)
{
    blockIdx = block->index;
    if (block->shared != NULL)
        copy_shared(block->shared, true);
    else
        kg__keep_shared(true);
    kg__running.live = 0;
    kg__running.at_grid = 0;
    kg__running.arrived = 0;
    kg__running.nonzero = 0;
    kg__running.frontier = -2; /* no thread begins */
    for (int i = 0; i < kg__running.warp_count; i++) {
        kg__running.warps[i] = (kg__warp){ .live = block->live[i], .ready = block->live[i] };
        kg__running.live += __builtin_popcount(block->live[i]);
    }
    kg__running.ready = kg__running.live;
    for (int i = 0; i < kg__running.thread_count; i++) {
        const kept_thread *kept = &block->threads[i];

        if (kept->stack == NULL)
            continue;
        kg__running.threads[i].fiber = kept->fiber;
        kg__running.threads[i].context = kept->context;
        kg__model_fiber_restore(kept->fiber, kept->context, kept->stack, kept->size);
    }
    if (kg__running.watcher != NULL)
        kg__running.watcher->resume_block(block->watched);
    kg__turn_to_warp(kg__running.first_warp);
    forget(block);
}

/* Releases the waiting blocks when none can continue, unless the whole grid waits for a block
 * that has ended. False if none waits. */
static bool release_blocks(void)
{
    if (block_count == released)
        return false;
    if (ended > 0 && kg__running.launch.is_cooperative) {
        kg__exec_failure *failure = &kg__running.failure;

        failure->error = cudaErrorLaunchFailure;
        failure->place = (kg__model_place){ .kernel = kg__running.launch.kernel->name,
                                            .block = blocks[next].index };
        failure->is_deadlock = true;
        failure->deadlock.at_grid = kg__running.thread_count;
        failure->deadlock.grid = kg__running.grid_barrier;
        failure->deadlock.is_cluster = false;
        failure->deadlock.ended_blocks = ended;
        return false;
    }
    if (kg__running.watcher != NULL)
        kg__running.watcher->sync_blocks();
    memmove(blocks, blocks + next, (block_count - next) * sizeof *blocks);
    released = block_count -= next;
    next = 0;
    return true;
}

/* Steps to a block that has not begun and that the others wait for; false if all have begun. */
static bool step_together(void)
{
    all_have_begun = all_have_begun ||
                     (kg__exec_cluster_size() > 1 && ++begun == kg__exec_cluster_size()) ||
                     !kg__step_block();
    return !all_have_begun;
}

/* Begins the cluster after the one of the last block that began; false after the last. */
static bool step_cluster(void)
{
    if (kg__exec_cluster_size() == 1 || kg__running.failure.error != cudaSuccess)
        return false;
    block_count = next = released = ended = begun = 0;
    blockIdx = last_begun;
    if (!kg__step_block())
        return false;
    all_have_begun = false;
    kg__begin_cluster();
    return true;
}

static kg__model_fiber *begin_block(void)
{
    kg__model_fiber *fiber;

    last_begun = blockIdx;
    kg__begin_block();
    kg__begin_copies();
    fiber = kg__model_fiber_take();
    kg__begin_turns(fiber);
    return fiber;
}

kg__model_fiber *kg__change_block(void)
{
    if (kg__block_waits_for_grid()) {
        suspend();
    } else {
        uint3 unused;

        ended++;
        if (kg__running.watcher != NULL)
            (void)kg__running.watcher->end_block(&unused);
        if (kg__exec_cluster_size() > 1)
            kg__drop_shared();
    }
    kg__model_fibers_reset();
    if (step_together())
        return begin_block();
    if (next == released && !release_blocks())
        return step_cluster() ? begin_block() : NULL;
    resume(&blocks[next++]);
    return kg__give_first_turn();
}

void kg__forget_blocks(void)
{
    for (size_t i = next; i < block_count; i++) {
        if (kg__running.watcher != NULL)
            kg__running.watcher->resume_block(blocks[i].watched);
        forget(&blocks[i]);
    }
    block_count = next = released = ended = begun = 0;
    all_have_begun = false;
    kg__model_fibers_reset();
}
