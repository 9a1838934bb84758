/* SPDX-License-Identifier: MIT */
/* Launches: runs a grid from its first thread to its last, or until one fails. */
#include "model/exec/launch.h"

#include "model/exec/clusters.h"
#include "model/exec/cooperative.h"
#include "model/exec/copies.h"
#include "model/exec/faults.h"
#include "model/exec/grid.h"
#include "model/exec/processes.h"
#include "model/exec/turns.h"
#include "model/exec/workers.h"

#include <sys/mman.h>
#include <time.h>

/* A block's dynamic shared memory, in whole pages between inaccessible ones. Kernels refer to it
 * by name (harness/model/rewrite/), so the name must be that of a whole variable. */
static struct {
    unsigned char before[KG__MODEL_SHARED_PAGES], shared[KG__MODEL_SHARED_PAGES];
} dynamic_shared __asm__("kg__model_dynamic_pages") __attribute__((used, aligned(4096)));
__asm__(".globl kg__model_dynamic_memory\n"
        ".set kg__model_dynamic_memory, kg__model_dynamic_pages + 262144");
#ifdef KG__MODEL_IS_LIBRARY /* or the linker warns of each program */
__asm__(".type kg__model_dynamic_memory, @object\n"
        ".size kg__model_dynamic_memory, 262144");
KG__MODEL_OF_WORKER kg__model_bytes *kg__model_own_dynamic =
    (kg__model_bytes *)&dynamic_shared.shared;
#endif

/* LeakSanitizer reads all variables of a program. */
#ifdef __SANITIZE_ADDRESS__
#define UNTOUCHABLE PROT_READ
#else
#define UNTOUCHABLE PROT_NONE
#endif

static kg__model_order order = KG__MODEL_ASCENDING;
static double seconds_taken; /* by launches since the order was last set to ascending */
static bool is_given_up;     /* a launch was given up since then */

/* A launch in reversed order may take this many times as long: its result is the same unless a
 * thread spins. */
#define REVERSED_FACTOR 10
#define REVERSED_SECONDS 1

void kg__model_set_order(kg__model_order wanted)
{
    order = wanted;
    is_given_up = false;
    if (wanted == KG__MODEL_ASCENDING)
        seconds_taken = 0;
}

bool kg__exec_has_given_up(void)
{
    return is_given_up;
}

static double seconds_of_thread(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

kg__model_statistics kg__model_last_launch(void)
{
    return kg__running.statistics;
}

/* Makes the dynamic shared memory of all launches to come. */
static bool make_dynamic_shared(void)
{
    size_t size = (KG__MODEL_SHARED_OPTIN + 4095) / 4096 * 4096;

    if (kg__running.dynamic_shared != NULL)
        return true;
    if (mprotect(dynamic_shared.before, KG__MODEL_SHARED_PAGES, UNTOUCHABLE) != 0 ||
        mprotect(dynamic_shared.shared + size, KG__MODEL_SHARED_PAGES - size, UNTOUCHABLE) != 0)
        return false;
    kg__running.dynamic_shared = dynamic_shared.shared;
    return true;
}

/* Returns the thread of the block that last gave its turn away, and writes its code address to
 * `code`, 0 if unknown. Derived afterwards, because kernels switch too often to record each
 * time. */
static int find_last_waiting(uintptr_t *code)
{
    for (int i = 0; i < kg__running.thread_count; i++) {
        const kg__warp *warp = &kg__running.warps[i / KG__MODEL_WARP];

        *code = kg__running.threads[i].code;
        if (((warp->arrived | warp->waiting) >> i % KG__MODEL_WARP & 1) != 0)
            return i;
    }
    *code = kg__running.last_wait_for_watcher;
    if (*code != 0)
        return kg__running.last_waiting_for_watcher;
    /* No thread waits any more: the thread that has the turn was just released. */
    *code = kg__running.threads[kg__running.current].code;
    return kg__running.current;
}

/* Begins the block at blockIdx and runs it, and those after it. */
static void run_from_block(kg__model_fiber *fiber)
{
    kg__begin_block();
    kg__begin_copies();
    kg__begin_turns(fiber);
    do {
        kg__in_kernel = true;
        kg__model_switch(NULL, &kg__running.host_context, fiber,
                         kg__running.threads[kg__running.current].context);
        kg__in_kernel = false;
    } while (kg__blocks_wait() && kg__running.failure.error == cudaSuccess &&
             (fiber = kg__change_block()) != NULL);
}

static void end_failed(void)
{
    kg__exec_failure *failure = &kg__running.failure;

    if (failure->error == cudaSuccess)
        return;
    failure->last_waiting = kg__running.threads[find_last_waiting(&failure->last_wait)].index;
    kg__model_fibers_reset();
}

/* Runs blocks of a launch that workers share. */
static void run_shared(void)
{
    kg__model_fiber *fiber = kg__model_fiber_take();

    if (fiber == NULL)
        return;
    if (kg__claim_block())
        run_from_block(fiber);
    else
        kg__model_fiber_give(fiber);
    end_failed();
}

static void run_grid(kg__model_fiber *fiber)
{
    kg__exec_failure *failure = &kg__running.failure;

    if (kg__running.watcher != NULL)
        kg__running.watcher->begin_launch(kg__running.launch.kernel->shared_bytes +
                                              kg__running.launch.dynamic_bytes,
                                          kg__blocks_wait());
    if (kg__exec_cluster_size() > 1)
        kg__begin_cluster();
    kg__catch_faults();
    if (order == KG__MODEL_REVERSED && seconds_taken > 0)
        kg__limit_time(REVERSED_FACTOR * seconds_taken + REVERSED_SECONDS);
    kg__tell_ended_blocks(0);
    kg__begin_processes();
    if (kg__may_share_blocks()) {
        kg__model_fiber_give(fiber);
        kg__share_blocks(run_shared);
    } else {
        run_from_block(fiber);
    }
    if (kg__blocks_wait())
        kg__forget_blocks();
    if (order == KG__MODEL_REVERSED)
        kg__limit_time(0);
    kg__release_faults();
    if (kg__running.watcher != NULL)
        kg__running.watcher->end_launch(failure->error == cudaSuccess);
    if (!kg__may_share_blocks())
        end_failed();
}

cudaError_t kg__exec_run(const kg__exec_launch *launch, kg__exec_failure *failure)
{
    kg__model_fiber *fiber;
    double began;

    failure->error = cudaSuccess;
    if (is_given_up)
        return cudaSuccess;
    if (!make_dynamic_shared())
        return cudaErrorLaunchOutOfResources;
    kg__model_fibers_begin(kg__run_threads, launch->watcher != NULL ? kg__resume_thread : NULL);
    fiber = kg__model_fiber_take();
    if (fiber == NULL)
        return cudaErrorLaunchOutOfResources;
    kg__take_launch(launch, order);
    kg__shape_grid(launch);
    if (!kg__begin_clusters())
        return cudaErrorLaunchOutOfResources;
    began = seconds_of_thread();
    run_grid(fiber);
    seconds_taken += order == KG__MODEL_ASCENDING ? seconds_of_thread() - began : 0;
    if (kg__running.failure.error == cudaSuccess)
        return cudaSuccess;
    *failure = kg__running.failure;
    failure->is_given_up = is_given_up =
        order == KG__MODEL_REVERSED && (failure->deadlock.polling > 0 || failure->is_overdue);
    return failure->error;
}
