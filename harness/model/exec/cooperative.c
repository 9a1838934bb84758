/* SPDX-License-Identifier: MIT */
/* Cooperative launches and clusters: blocks that take turns at the barriers of the grid, or of
 * their cluster, and in a cluster where all that can run poll. */
#include "model/exec/cooperative.h"

#include "base/message.h"
#include "model/exec/clusters.h"
#include "model/exec/copies.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/mbarriers.h"
#include "model/exec/turns.h"

#include <stdlib.h>
#include <string.h>

/* A waiting thread, with its stack up to the place where it continues. */
typedef struct kept_thread {
    kg__thread thread;
    void *stack; /* NULL: the thread has ended */
    size_t size;
} kept_thread;

/* A suspended block. */
typedef struct kept_block {
    struct kept_block *next;
    uint3 index;
    bool can_continue; /* the others have come to the barrier, or it polls */
    int arrived, nonzero;
    uintptr_t first_barrier;
    bool several_barriers;
    kg__warp warps[KG__MODEL_MAX_WARPS];
    kept_thread *threads;
    unsigned char *shared; /* dynamic, then the kernel's arrays; NULL: in a cluster's copies */
    kg__copies *copies;    /* NULL: in a cluster, or none is pending */
    void *watched;         /* the watcher's data */
} kept_block;

/* In the order in which they began to wait, and the link behind the last. */
static kept_block *blocks;
static kept_block **last = &blocks;
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
        kg__fail_wrong(KG__INVALID_BARRIER, (uintptr_t)__builtin_return_address(0),
                       "grid.sync() in a launch that is not cooperative: launch the kernel with "
                       "cudaLaunchCooperativeKernel()");
}

void kg__model_note_cluster(int arrives)
{
    if (!kg__exec_turn_at_cluster(arrives != 0))
        kg__fail_wrong(KG__INVALID_BARRIER, (uintptr_t)__builtin_return_address(0),
                       arrives ? "a thread arrives twice at the cluster's barrier: it has to wait "
                                 "in between"
                               : "a thread waits at the cluster's barrier without an arrival: it "
                                 "has to arrive before");
    if (arrives && kg__running.watcher != NULL)
        kg__running.watcher->at_cluster((uintptr_t)__builtin_return_address(0));
}

void *kg__model_map_shared(const void *pointer, unsigned int rank)
{
    void *mapped = NULL;
    const char *wrong = kg__exec_map_shared(pointer, rank, &mapped);

    if (wrong != NULL)
        kg__model_trap(cudaErrorIllegalInstruction, wrong);
    return mapped;
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
    kept_block *block = kg__allocate(1, sizeof *block);

    *last = block;
    last = &block->next;
    *block = (kept_block){ .index = blockIdx,
                           .can_continue = !kg__block_waits_for_grid(),
                           .arrived = kg__running.arrived,
                           .nonzero = kg__running.nonzero,
                           .first_barrier = kg__running.first_barrier,
                           .several_barriers = kg__running.several_barriers };
    memcpy(block->warps, kg__running.warps, sizeof block->warps);
    for (int i = 0; i < kg__running.warp_count; i++) {
        block->warps[i].ready = block->warps[i].polling;
        block->warps[i].polling = 0;
    }
    block->threads = kg__allocate((size_t)kg__running.thread_count, sizeof *block->threads);
    if (kg__exec_cluster_size() > 1) {
        kg__keep_shared(false);
    } else {
        block->shared = kg__allocate(shared_bytes() + 1, 1);
        copy_shared(block->shared, false);
        block->copies = block->can_continue ? kg__keep_copies() : NULL;
    }
    for (int i = 0; i < kg__running.thread_count; i++) {
        kept_thread *kept = &block->threads[i];

        if ((block->warps[i / KG__MODEL_WARP].live >> i % KG__MODEL_WARP & 1) == 0)
            continue;
        kept->thread = kg__running.threads[i];
        kept->stack = kg__model_fiber_keep(kept->thread.fiber, kept->thread.context, &kept->size);
    }
    if (kg__running.watcher != NULL)
        block->watched = kg__running.watcher->suspend_block();
}

static void forget(kept_block *block)
{
    for (int i = 0; i < kg__running.thread_count; i++)
        free(block->threads[i].stack);
    free(block->threads);
    free(block->shared);
    kg__drop_copies(block->copies);
    free(block);
}

/* Continues a suspended block, which `link` points to. */
static void resume(kept_block **link)
{
    kept_block *block = *link;

    *link = block->next;
    if (*link == NULL)
        last = link;
    blockIdx = block->index;
    if (block->shared != NULL)
        copy_shared(block->shared, true);
    else
        kg__keep_shared(true);
    kg__resume_copies(block->copies);
    block->copies = NULL;
    kg__running.live = kg__running.ready = kg__running.at_grid = kg__running.polling = 0;
    kg__running.arrived = block->arrived;
    kg__running.nonzero = block->nonzero;
    kg__running.first_barrier = block->first_barrier;
    kg__running.several_barriers = block->several_barriers;
    kg__running.frontier = -2; /* no thread begins */
    memcpy(kg__running.warps, block->warps, sizeof block->warps);
    for (int i = 0; i < kg__running.warp_count; i++) {
        kg__running.live += __builtin_popcount(block->warps[i].live);
        kg__running.ready += __builtin_popcount(block->warps[i].ready);
        kg__running.at_grid += __builtin_popcount(block->warps[i].at_grid);
    }
    for (int i = 0; i < kg__running.thread_count; i++) {
        const kept_thread *kept = &block->threads[i];

        if (kept->stack == NULL)
            continue;
        kg__running.threads[i] = kept->thread;
        kg__model_fiber_restore(kept->thread.fiber, kept->thread.context, kept->stack, kept->size);
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
    if (blocks == NULL)
        return false;
    if (ended > 0 && kg__running.launch.is_cooperative) {
        kg__exec_failure *failure = &kg__running.failure;

        failure->error = cudaErrorLaunchFailure;
        failure->place =
            (kg__model_place){ .kernel = kg__running.launch.kernel->name, .block = blocks->index };
        failure->is_deadlock = true;
        failure->deadlock.at_grid = kg__running.thread_count;
        failure->deadlock.grid = kg__running.grid_barrier;
        failure->deadlock.is_cluster = false;
        failure->deadlock.ended_blocks = ended;
        return false;
    }
    if (kg__running.watcher != NULL)
        kg__running.watcher->sync_blocks();
    for (kept_block *block = blocks; block != NULL; block = block->next) {
        block->can_continue = true;
        for (int i = 0; i < kg__running.warp_count; i++) {
            block->warps[i].ready = block->warps[i].at_grid;
            block->warps[i].at_grid = 0;
        }
    }
    kg__running.futile_rounds = 0;
    return true;
}

/* Returns the link to the block that has waited longest of those that can continue, or NULL. */
static kept_block **find_block(void)
{
    kept_block **link = &blocks;

    while (*link != NULL && !(*link)->can_continue)
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
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
    ended = begun = 0;
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
    kept_block **next;

    if (kg__running.live > 0) {
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
    next = find_block();
    if (next == NULL && release_blocks())
        next = find_block();
    if (next == NULL)
        return step_cluster() ? begin_block() : NULL;
    resume(next);
    return kg__give_first_turn();
}

void kg__forget_blocks(void)
{
    while (blocks != NULL) {
        kept_block *block = blocks;

        blocks = block->next;
        if (kg__running.watcher != NULL)
            kg__running.watcher->resume_block(block->watched);
        forget(block);
    }
    last = &blocks;
    ended = begun = 0;
    all_have_begun = false;
    kg__model_fibers_reset();
}
