/* SPDX-License-Identifier: MIT */
/* Dynamic parallelism. A kernel cannot wait for what it launches, and its grid ends only after it,
 * so that all of it executes when the grid's own threads have ended. Nothing orders work in
 * different streams: each block has a default stream of its own. What conflicts is found as
 * between streams of the host; the parent's own accesses count as before all of its children's. */
#include "model/runtime/children.h"

#include "base/message.h"
#include "model/exec/launch.h"
#include "model/watch/watcher.h"

#include <stdlib.h>

/* CUDA's limit of grids that are launched by one another, the host's included. */
#define DEPTH_MAXIMUM 24
/* Siblings whose accesses are kept, as in queue.c. */
#define KEPT_MAXIMUM 1024
/* What the handles of kernels' streams begin with: no pointer has these bits. */
#define STREAM_BITS ((uintptr_t)0x4b47 << 48)

typedef struct child {
    struct child *next;
    kg__action *action;
    cudaStream_t stream;
    uint64_t block; /* that launched it */
    kg__spans spans;
} child;

/* What the grid that runs has been given, the earliest first. */
static child *given;
static child **end = &given;
static unsigned int depth; /* of the grid that runs: 1 if the host launched it */
static uintptr_t stream_count;

cudaStream_t kg__child_stream(void)
{
    return (cudaStream_t)(STREAM_BITS | ++stream_count); // NOLINT(performance-no-int-to-ptr)
}

bool kg__child_stream_is(cudaStream_t stream)
{
    const uintptr_t number = (uintptr_t)stream - STREAM_BITS;

    return number > 0 && number <= stream_count;
}

cudaError_t kg__child_give(cudaStream_t stream, kg__action *action)
{
    const bool is_default = stream == NULL || stream == cudaStreamPerThread;
    kg__model_place place;
    child *made;

    (void)kg__model_where(&place);
    if (!is_default && stream != cudaStreamTailLaunch && stream != cudaStreamFireAndForget &&
        !kg__child_stream_is(stream)) {
        kg__action_release(action);
        return cudaErrorInvalidResourceHandle;
    }
    if (stream != cudaStreamTailLaunch && depth + 1 >= DEPTH_MAXIMUM) {
        kg__action_release(action);
        return cudaErrorLaunchMaxDepthExceeded;
    }
    made = kg__allocate(1, sizeof *made);
    *made = (child){ .action = action,
                     .stream = is_default ? NULL : stream,
                     .block = kg__exec_number_of(place.block, gridDim) };
    *end = made;
    end = &made->next;
    return cudaSuccess;
}

static bool is_tail(const child *one)
{
    return one->stream == cudaStreamTailLaunch;
}

static bool is_ordered(const child *a, const child *b)
{
    return is_tail(a) || is_tail(b) ||
           (a->stream == b->stream && a->stream != cudaStreamFireAndForget &&
            (a->stream != NULL || a->block == b->block));
}

/* Returns the link to the child that is next: tail launches come last, and in reversed order the
 * first of the last stream does. */
static child **next_of(child **list)
{
    child **next = list;
    child *last = NULL;

    while (*next != NULL && is_tail(*next))
        next = &(*next)->next;
    if (*next == NULL)
        return list;
    if (!kg__queue_defers)
        return next;
    for (child *one = *next; one != NULL; one = one->next)
        last = is_tail(one) ? last : one;
    for (next = list; *next != last && (is_tail(*next) || !is_ordered(*next, last));)
        next = &(*next)->next;
    return next;
}

static cudaError_t run(child *one, const child *done)
{
    const bool nests = !is_tail(one);
    kg__spans *outer = kg__watch_track(&one->spans);
    cudaError_t error;

    depth += nests;
    error = one->action->run(one->action);
    depth -= nests;
    (void)kg__watch_track(outer);
    kg__spans_join(&one->spans, &one->action->spans);
    kg__spans_sort(&one->spans);
    if (outer != NULL)
        kg__spans_join(outer, &one->spans);
    for (size_t kept = 0; done != NULL && kept < KEPT_MAXIMUM; done = done->next, kept++) {
        if (!is_ordered(one, done))
            kg__queue_find_conflict(one->action, &one->spans, done->action, &done->spans, NULL);
    }
    return error;
}

static void drop(child *list)
{
    while (list != NULL) {
        child *first = list;

        list = first->next;
        kg__spans_free(&first->spans);
        kg__action_release(first->action);
        free(first);
    }
}

cudaError_t kg__children_run(bool succeeded)
{
    cudaError_t error = cudaSuccess;
    child *mine = given;
    child *done = NULL;

    given = NULL;
    end = &given;
    while (succeeded && mine != NULL && error == cudaSuccess) {
        child **link = next_of(&mine);
        child *one = *link;

        *link = one->next;
        error = run(one, done);
        one->next = done;
        done = one;
    }
    drop(done);
    drop(mine);
    return error;
}
