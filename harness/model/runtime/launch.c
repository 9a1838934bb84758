/* SPDX-License-Identifier: MIT */
/* Launches from host code: checks, plans or runs them, and describes a failure. */
#include "model/exec/launch.h"
#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/children.h"
#include "model/runtime/graphs.h"
#include "model/runtime/runtime.h"
#include "model/watch/findings.h"
#include "model/watch/places.h"
#include "model/watch/regions.h"
#include "model/watch/trace.h"
#include "model/watch/watcher.h"

#include <execinfo.h>
#include <string.h>
#include <unistd.h>

static char failure_words[KG__MESSAGE_SIZE];

/* Called for a launch that SIGTERM has ended, or NULL. */
static void (*on_hang)(const kg__model_place *place, const char *file, unsigned int line);

const char *kg__model_failure(void)
{
    return failure_words;
}

cudaError_t kg__model_refuse(const char *library, const char *call)
{
    kg__format(failure_words, sizeof failure_words,
               "the CPU model does not support %s(), of %s: %s", call, library,
               kg__is_of_program ? "do without it here (docs/programs.md)"
                                 : "give the variant GPU_ONLY (docs/model.md)");
    kg__complain("%s", failure_words);
    return kg__model_end_call(cudaErrorNotSupported);
}

void kg__model_launch_failed(cudaError_t error)
{
    kg__model_unchecked launch = { .error = error };

    if (kg__model_where(NULL)) {
        kg__format(launch.why, sizeof launch.why, "its launch of a kernel failed with %s%s%s",
                   cudaGetErrorName(error), failure_words[0] != '\0' ? ": " : "", failure_words);
        kg__model_trap(error, launch.why);
    }
    launch.call_count = backtrace(launch.calls, sizeof launch.calls / sizeof launch.calls[0]);
    kg__format(launch.why, sizeof launch.why, "%s", failure_words);
    kg__model_note_unchecked(&launch);
}

void kg__model_call_dropped(cudaError_t error, const char *call)
{
    kg__model_unchecked dropped = { .error = error, .call = call };

    if (error == cudaSuccess || kg__model_where(NULL))
        return;
    dropped.call_count = backtrace(dropped.calls, sizeof dropped.calls / sizeof dropped.calls[0]);
    kg__model_note_unchecked(&dropped);
}

cudaError_t kg__model_refuse_storage(size_t bytes, size_t needed)
{
    void *calls[16];
    char where[160];

    kg__describe_line(where, sizeof where,
                      kg__model_host_source(calls, backtrace(calls, sizeof calls / sizeof *calls)));
    kg__complain(
        "the call of CUB%s has %zu bytes of temporary storage, and needs %zu: ask the same "
        "call for them, with the same types and no fewer elements",
        where, bytes, needed);
    return cudaErrorInvalidValue;
}

void kg__model_refuse_untyped(const char *kernel)
{
    kg__format(failure_words, sizeof failure_words,
               "kernel " KG__SHORT_NAME
               ": its parameters are not known: pass the kernel itself, not a void "
               "pointer, or compile with -g",
               KG__SHORTENED(kernel));
    kg__complain("%s", failure_words);
}

void kg__model_on_hang(void (*ended)(const kg__model_place *place, const char *file,
                                     unsigned int line))
{
    on_hang = ended;
}

/* Whether blocks wait for each other, at a barrier of the grid or of a cluster. */
static bool is_of_blocks(const kg__exec_failure *failure)
{
    return failure->deadlock.polling == 0 &&
           (failure->deadlock.at_grid > 0 || failure->deadlock.ended_blocks > 0);
}

static void describe_deadlock(kg__exec_failure *failure)
{
    const bool of_blocks = is_of_blocks(failure);
    const uintptr_t code = of_blocks ? failure->deadlock.grid : failure->deadlock.operation;
    const char *sync = failure->deadlock.is_cluster ? "cluster.sync()" : "grid.sync()";
    char where[160];
    char barrier[160] = "";
    char *text = failure->text;
    const size_t size = sizeof failure->text;

    kg__describe_line(where, sizeof where, kg__model_source_of((const void *)code));
    if (failure->deadlock.at_barrier > 0)
        kg__describe_line(barrier, sizeof barrier,
                          kg__model_source_of((const void *)failure->deadlock.barrier));
    if (failure->deadlock.polling > 0)
        kg__format(text, size, "deadlock: %d %s%s for a value that no thread has written%s",
                   failure->deadlock.polling,
                   failure->deadlock.polling == 1 ? "thread of the block waits"
                                                  : "threads of the block wait",
                   where,
                   failure->deadlock.is_together
                       ? ""
                       : "; a block must not wait for one that starts later, unless the launch is "
                         "cooperative");
    else if (failure->deadlock.ended_blocks > 0)
        kg__format(text, size,
                   "deadlock: its block waits at %s%s and %zu of the grid's have ended; make every "
                   "block reach it",
                   sync, where, failure->deadlock.ended_blocks);
    else if (of_blocks)
        kg__format(text, size,
                   "deadlock: %d threads of the block wait at %s%s and the others elsewhere; make "
                   "every thread reach it",
                   failure->deadlock.at_grid, sync, where);
    else if (failure->deadlock.at_object > 0 && failure->deadlock.in_warp_operations == 0)
        kg__format(text, size,
                   "deadlock: %d wait at a barrier in shared memory, this one%s; make as many "
                   "threads arrive as it was initialized for",
                   failure->deadlock.at_object, where);
    else if (failure->deadlock.is_group)
        kg__format(text, size,
                   "deadlock: %d threads wait in wgmma, one%s; make all four warps of the warp "
                   "group reach it, whose first warp has a number that four divides",
                   failure->deadlock.in_warp_operations, where);
    else
        kg__format(text, size,
                   "deadlock: %d wait at __syncthreads()%s and %d in warp operations, this one%s "
                   "for the lanes 0x%08x: 0x%08x wait and 0x%08x have not ended; make "
                   "every lane of the mask reach the same operation with the same mask",
                   failure->deadlock.at_barrier, barrier, failure->deadlock.in_warp_operations,
                   where, failure->deadlock.mask, failure->deadlock.waiting,
                   failure->deadlock.live);
}

/* Describes where SIGTERM has ended a launch, and returns the line. */
static kg__model_source describe_hang(kg__exec_failure *failure, const kg__model_kernel *kernel)
{
    kg__model_source source =
        kg__model_source_within(kernel->address, failure->calls, failure->call_count);
    char where[160];

    /* The stack cannot be unwound during a switch from thread to thread. */
    if (source.line == 0) {
        source = kg__model_source_of((const void *)failure->last_wait);
        failure->place.thread = failure->last_waiting;
    }
    kg__describe_line(where, sizeof where, source);
    kg__format(failure->text, sizeof failure->text, "its time ran out%s", where);
    return source;
}

/* Adds a failure that is the kernel's fault to the findings, for plain kernels too. */
static void find_failure(const kg__exec_failure *failure)
{
    const bool at_barrier = failure->deadlock.in_warp_operations == 0 &&
                            failure->deadlock.at_object == 0 && failure->deadlock.polling == 0;
    const uintptr_t code = !failure->is_deadlock   ? failure->code
                           : is_of_blocks(failure) ? failure->deadlock.grid
                           : at_barrier            ? failure->deadlock.barrier
                                                   : failure->deadlock.operation;
    kg__finding what = { .kind = failure->is_deadlock ? KG__DEADLOCK : failure->found,
                         .detail = failure->text };

    kg__set_index(&what.by.has_block, what.by.block, failure->place.block);
    kg__find(code, failure->place.linear, &what);
}

/* Reports why a launch failed, and makes every further call fail. */
static void report_failure(kg__exec_failure *failure, const kg__model_kernel *kernel)
{
    bool is_hang = failure->error == cudaErrorLaunchTimeout;
    kg__model_source hang = { .file = "" };
    kg__model_source own = { .file = "" };
    char where[160] = "";

    if (is_hang)
        hang = describe_hang(failure, kernel);
    else if (failure->is_deadlock)
        describe_deadlock(failure);
    if (failure->is_deadlock || failure->is_wrong)
        find_failure(failure);
    else if (!is_hang) {
        /* A fault in the model's own functions has no line of the kernel's. */
        if (failure->code != 0)
            own = kg__model_source_within(kernel->address, &failure->code, 1);
        kg__describe_line(where, sizeof where, kg__own_source(own));
    }
    kg__format(failure_words, sizeof failure_words,
               "kernel " KG__SHORT_NAME ", block (%u, %u, %u), thread (%u, %u, %u): %s%s",
               KG__SHORTENED(failure->place.kernel), failure->place.block.x, failure->place.block.y,
               failure->place.block.z, failure->place.thread.x, failure->place.thread.y,
               failure->place.thread.z, failure->text, where);
    kg__complain("%s", failure_words);
    kg__model_set_sticky_error(failure->error);
    if (is_hang) {
        on_hang(&failure->place, hang.file, hang.line);
        /* Cancels the time limit of faults.c: the process may continue. */
        (void)alarm(0);
    }
}

/* Where the last given-up launch waited. */
static kg__model_wait last_wait;

const kg__model_wait *kg__model_gave_up(void)
{
    return kg__exec_has_given_up() ? &last_wait : NULL;
}

static cudaError_t run(const kg__exec_launch *launch)
{
    kg__exec_failure failure;
    cudaError_t error = kg__exec_run(launch, &failure);

    if (failure.error != cudaSuccess && failure.is_given_up) {
        kg__model_source source =
            failure.is_overdue ? describe_hang(&failure, launch->kernel)
                               : kg__model_source_of((const void *)failure.deadlock.operation);

        (void)alarm(0);
        last_wait = (kg__model_wait){ failure.place, source.file, source.line };
        return cudaSuccess;
    }
    if (failure.error != cudaSuccess)
        report_failure(&failure, launch->kernel);
    return error;
}

/* A launch that waits in a stream. */
typedef struct launch_action {
    kg__action action;
    kg__exec_launch launch;
    kg__model_keep *keep; /* of the arguments that it has of its own; NULL: none */
    bool is_dependent;    /* it may begin before the launch before it ends */
    char what[256];
} launch_action;

/* Whether a thread of the running launch has waited for the launch before it. */
static bool awaited;

void kg__model_await_launches(void)
{
    __atomic_store_n(&awaited, true, __ATOMIC_RELAXED);
    kg__trace_note((const void *)KG__FENCE_OF_LAUNCH, KG__ACCESS_NOTE | KG__ACCESS_ATOMIC,
                   (uintptr_t)__builtin_return_address(0));
}

static cudaError_t run_action(kg__action *action)
{
    launch_action *mine = (launch_action *)(void *)action;
    kg__exec_launch *launch = &mine->launch;
    cudaError_t error;

    if (kg__watch_skips((uint64_t)launch->grid.x * launch->grid.y * launch->grid.z))
        return cudaSuccess;
    launch->watcher = kg__watch_watcher();
    launch->ends_on_sigterm = on_hang != NULL;
    kg__model_place_shared(launch->kernel);
    awaited = false;
    kg__spans_free(&action->early);
    kg__regions_early = mine->is_dependent ? &action->early : NULL;
    kg__found_misaligned = false;
    error = run(launch);
    if (kg__is_of_program && kg__found_misaligned) {
        error = cudaErrorMisalignedAddress;
        kg__model_set_sticky_error(error);
    }
    kg__regions_early = NULL;
    kg__spans_sort(&action->early);
    action->overlaps = mine->is_dependent;
    action->awaits = awaited;
    kg__model_free_dropped();
    if (error != cudaSuccess) {
        (void)kg__children_run(false);
        return error;
    }
    return kg__children_run(true);
}

static void drop_action(kg__action *action)
{
    launch_action *made = (launch_action *)(void *)action;

    if (made->keep != NULL)
        made->keep(made->launch.context, 0);
}

/* Finds the kernel at an address, and checks its launch. */
static cudaError_t check(const cudaLaunchConfig_t *config, const void *address,
                         const kg__model_kernel **kernel)
{
    cudaError_t error;

    if (address == NULL)
        return cudaErrorInvalidDeviceFunction;
    *kernel = kg__model_kernel_at(address);
    error = kg__exec_check_launch(config, *kernel, failure_words, sizeof failure_words);
    if (error == cudaErrorInvalidKernelImage)
        kg__complain("%s", failure_words);
    return error;
}

/* Makes the action of a launch; it keeps its arguments by `keep` (NULL: they stay where they are).
 */
static kg__action *make(const cudaLaunchConfig_t *config, const kg__model_kernel *kernel,
                        void (*body)(void *context), void *context, kg__model_keep *keep)
{
    launch_action *made = kg__action_make(sizeof *made, "kernel", run_action, drop_action);
    kg__format(made->what, sizeof made->what, "kernel %s", kernel->name);
    made->action.what = made->what;
    made->keep = keep;
    made->is_dependent = kg__exec_is_dependent(config);
    kg__queue_overlaps = kg__queue_overlaps || made->is_dependent;
    made->launch =
        (kg__exec_launch){ .kernel = kernel,
                           .grid = config->gridDim,
                           .block = config->blockDim,
                           .cluster = kg__exec_cluster_of(config, kernel),
                           .dynamic_bytes = config->dynamicSmemBytes,
                           .body = body,
                           .context = made->keep != NULL ? made->keep(context, 1) : context,
                           .is_cooperative = kg__exec_is_cooperative(config) };
    return &made->action;
}

static cudaError_t start(const cudaLaunchConfig_t *config, const void *address,
                         void (*body)(void *context), void *context, kg__model_keep *keep)
{
    const bool is_captured = kg__stream_is_captured(config->stream);
    const bool keeps = kg__queue_defers || is_captured;
    const kg__model_kernel *kernel;
    cudaError_t error;

    if (kg__stream_of(config->stream) == NULL)
        return cudaErrorInvalidResourceHandle;
    error = check(config, address, &kernel);
    if (error == cudaSuccess && is_captured && keep == NULL)
        error = kg__model_refuse("CUDA graphs: a call that is captured", kernel->name);
    if (error != cudaSuccess) {
        if (is_captured)
            (void)kg__capture_refuse(kg__stream_of(config->stream));
        return error;
    }
    if (kg__model_plans_launch(kernel, config)) {
        kg__stream_advance(kg__stream_of(config->stream), NULL);
        return cudaSuccess;
    }
    error = kg__stream_give(config->stream, cudaGraphNodeTypeKernel,
                            make(config, kernel, body, context, keeps ? keep : NULL));
    /* Its arguments are the caller's, whom nobody keeps waiting for more than the launch. */
    if (error == cudaSuccess && keep == NULL && kg__queue_defers)
        error = kg__stream_execute(config->stream);
    return error;
}

/* A launch by a kernel, which has no handle of a graph, nor a cooperative one. */
static cudaError_t start_child(const cudaLaunchConfig_t *config, const void *address,
                               void (*body)(void *context), void *context, kg__model_keep *keep)
{
    const kg__model_kernel *kernel;
    cudaError_t error = check(config, address, &kernel);

    if (error == cudaSuccess && (keep == NULL || kg__exec_is_cooperative(config)))
        error = cudaErrorNotSupported;
    return error == cudaSuccess
               ? kg__child_give(config->stream, make(config, kernel, body, context, keep))
               : error;
}

cudaError_t kg__model_launch(const cudaLaunchConfig_t *config, const void *address,
                             void (*body)(void *context), void *context, kg__model_keep *keep)
{
    cudaError_t error;

    if (!kg__model_enter_from_any(&error))
        return error;
    KG__REFUSE_IF(config == NULL, cudaErrorInvalidValue);
    failure_words[0] = '\0';
    return kg__model_leave(
        (kg__model_where(NULL) ? start_child : start)(config, address, body, context, keep));
}
