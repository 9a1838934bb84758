/* Cooperative launches: blocks that take turns at the grid's barriers. */
#include "model/exec/cooperative.h"

#include "base/message.h"
#include "model/exec/copies.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/turns.h"

#include <stdlib.h>
#include <string.h>

/* A thread that waits: its stack, from where it goes on. */
typedef struct kept_thread {
    kg__model_fiber *fiber;
    void *context;
    void *stack;
    size_t size;
} kept_thread;

/* A block that waits. */
typedef struct kept_block {
    uint3 index;
    uint32_t live[KG__MODEL_MAX_WARPS];
    kept_thread *threads;
    unsigned char *shared; /* dynamic, then the kernel's arrays */
    void *watched;         /* what the watcher keeps */
} kept_block;

/* In the order in which they came to wait: those before `next` have gone on, those before
 * `released` may. */
static kept_block *blocks;
static size_t block_count;
static size_t block_room;
static size_t next;
static size_t released;
static size_t ended;
static bool all_have_begun;

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
    const kg__model_kernel *kernel = kg__running.launch.kernel;
    size_t bytes = kg__running.launch.dynamic_bytes;

    memcpy(back ? kg__running.dynamic_shared : kept, back ? kept : kg__running.dynamic_shared,
           bytes);
    for (size_t i = 0; i < kernel->shared_count; i++) {
        unsigned char *array = kernel->shared[i].base;

        kept += bytes;
        bytes = kernel->shared[i].size;
        memcpy(back ? array : kept, back ? kept : array, bytes);
    }
}

static void suspend(void)
{
    const kg__model_kernel *kernel = kg__running.launch.kernel;
    kept_block *block;

    blocks = kg__grow(blocks, block_count, &block_room, sizeof *blocks);
    block = &blocks[block_count++];
    *block = (kept_block){ .index = blockIdx };
    block->threads = kg__allocate((size_t)kg__running.thread_count, sizeof *block->threads);
    block->shared = kg__allocate(kernel->shared_bytes + kg__running.launch.dynamic_bytes + 1, 1);
    copy_shared(block->shared, false);
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

/* Makes the threads that a block was put aside with ready to go on. */
static void resume(kept_block *block)
{
    blockIdx = block->index;
    copy_shared(block->shared, true);
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

/* No block can go on: releases those that wait, unless they wait for one that has ended. False
 * where there is none to release. */
static bool release_grid(void)
{
    if (block_count == released)
        return false;
    if (ended > 0) {
        kg__exec_failure *failure = &kg__running.failure;

        failure->error = cudaErrorLaunchFailure;
        failure->place = (kg__model_place){ .kernel = kg__running.launch.kernel->name,
                                            .block = blocks[next].index };
        failure->is_deadlock = true;
        failure->deadlock.at_grid = kg__running.thread_count;
        failure->deadlock.grid = kg__running.grid_barrier;
        failure->deadlock.ended_blocks = ended;
        return false;
    }
    if (kg__running.watcher != NULL)
        kg__running.watcher->grid_barrier(kg__running.grid_barrier);
    memmove(blocks, blocks + next, (block_count - next) * sizeof *blocks);
    released = block_count -= next;
    next = 0;
    return true;
}

kg__model_fiber *kg__change_block(void)
{
    kg__model_fiber *fiber;

    if (kg__block_waits_for_grid()) {
        suspend();
    } else {
        uint3 unused;

        ended++;
        if (kg__running.watcher != NULL)
            (void)kg__running.watcher->end_block(&unused);
    }
    kg__model_fibers_reset();
    all_have_begun = all_have_begun || !kg__step_block();
    if (!all_have_begun) {
        kg__begin_block();
        kg__begin_copies();
        fiber = kg__model_fiber_take();
        kg__begin_turns(fiber);
        return fiber;
    }
    if (next == released && !release_grid())
        return NULL;
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
    block_count = next = released = ended = 0;
    all_have_begun = false;
    kg__model_fibers_reset();
}
