/* SPDX-License-Identifier: MIT */
/* The calls of streams and events. */
#include "base/clock.h"
#include "model/runtime/calls.h"
#include "model/runtime/children.h"
#include "model/runtime/graphs.h"
#include "model/runtime/queue.h"
#include "model/runtime/runtime.h"
#include "model/runtime/streams.h"

#include <stdlib.h>

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    KG__BEGIN_CALL_OF_ANY();
    KG__REFUSE_IF(stream == NULL || (flags & ~(unsigned int)cudaStreamNonBlocking) != 0 ||
                      (kg__model_where(NULL) && flags != cudaStreamNonBlocking),
                  cudaErrorInvalidValue);
    if (kg__model_where(NULL)) {
        *stream = kg__child_stream();
        return kg__model_leave(cudaSuccess);
    }
    /* CUDA clamps it to the nearest valid one. */
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *stream = (cudaStream_t)(void *)kg__stream_create(flags, priority);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    bool destroyed;

    KG__BEGIN_CALL_OF_ANY();
    /* A kernel's own executes what it was given, and needs no memory. */
    destroyed = kg__model_where(NULL) ? kg__child_stream_is(stream) : kg__stream_destroy(stream);
    return kg__model_leave(destroyed ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t kg__model_stream_facts(cudaStream_t handle, int *priority, unsigned int *flags,
                                   unsigned long long *id)
{
    const kg__stream *stream;

    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    KG__REFUSE_IF(priority == NULL && flags == NULL && id == NULL, cudaErrorInvalidValue);
    if (priority != NULL)
        *priority = stream->priority;
    if (flags != NULL)
        *flags = stream->non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
    if (id != NULL)
        *id = stream->number;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t waited, unsigned int flags)
{
    kg__stream *stream;
    const kg__event *event;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(flags != cudaEventWaitDefault, cudaErrorInvalidValue);
    stream = kg__stream_of(handle);
    event = kg__event_of(waited);
    KG__REFUSE_IF(stream == NULL || event == NULL, cudaErrorInvalidResourceHandle);
    if (stream->graph != NULL || event->graph != NULL)
        return kg__model_leave(kg__capture_wait(stream, event));
    kg__clock_join(&stream->clock, &event->clock);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    return kg__model_leave(kg__stream_wait(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    kg__stream *stream;

    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    stream = kg__stream_of(handle);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    if (stream->graph != NULL)
        return kg__model_leave(kg__capture_refuse(stream));
    kg__stream_refresh(stream);
    return kg__model_leave(kg__queue_is_done(&stream->clock) ? cudaSuccess : cudaErrorNotReady);
}

typedef struct host_call {
    kg__action action;
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* in its place */
    cudaStream_t stream;
    void *data;
} host_call;

static void call_back(void *context)
{
    const host_call *made = context;

    if (made->function != NULL)
        made->function(made->data);
    else
        made->callback(made->stream, cudaSuccess, made->data);
}

static cudaError_t run_host_call(kg__action *action)
{
    kg__model_call_out(call_back, action);
    return cudaSuccess;
}

cudaError_t kg__model_call_host(cudaStream_t stream, cudaHostFn_t function,
                                cudaStreamCallback_t callback, void *data)
{
    host_call *made;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(function == NULL && callback == NULL, cudaErrorInvalidValue);
    made = kg__action_make(sizeof *made, "host function", run_host_call, NULL);
    made->action.calls_host = true;
    made->function = function;
    made->callback = callback;
    made->stream = stream;
    made->data = data;
    return kg__model_leave(kg__stream_give(stream, cudaGraphNodeTypeHost, &made->action));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(event == NULL ||
                      (flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming |
                                               cudaEventInterprocess)) != 0,
                  cudaErrorInvalidValue);
    *event = (cudaEvent_t)(void *)kg__event_create(flags);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    KG__BEGIN_CALL();
    return kg__model_leave(kg__event_destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t recorded, cudaStream_t handle, unsigned int flags)
{
    kg__event *event;
    kg__stream *stream;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(flags > cudaEventRecordExternal, cudaErrorInvalidValue);
    event = kg__event_of(recorded);
    stream = kg__stream_of(handle);
    KG__REFUSE_IF(event == NULL || stream == NULL, cudaErrorInvalidResourceHandle);
    free(event->clock.pieces);
    event->clock = (kg__clock){ 0 };
    kg__stream_refresh(stream);
    kg__clock_join(&event->clock, &stream->clock);
    event->recorded = kg__now();
    kg__capture_record(event, stream);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* Waits for an event, or asks whether it is done. */
static cudaError_t await_event(cudaEvent_t handle, bool waits)
{
    const kg__event *event;

    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    event = kg__event_of(handle);
    KG__REFUSE_IF(event == NULL, cudaErrorInvalidResourceHandle);
    KG__REFUSE_IF(event->graph != NULL, cudaErrorCapturedEvent);
    return kg__model_leave(waits                              ? kg__queue_wait(&event->clock)
                           : kg__queue_is_done(&event->clock) ? cudaSuccess
                                                              : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return await_event(event, true);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return await_event(event, false);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const kg__event *from;
    const kg__event *to;
    bool waited;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(milliseconds == NULL, cudaErrorInvalidValue);
    from = kg__event_of(start);
    to = kg__event_of(end);
    KG__REFUSE_IF(from == NULL || to == NULL, cudaErrorInvalidResourceHandle);
    KG__REFUSE_IF(!kg__is_of_program, cudaErrorNotSupported);
    KG__REFUSE_IF(from->recorded <= 0 || to->recorded <= 0 ||
                      ((from->flags | to->flags) & cudaEventDisableTiming) != 0,
                  cudaErrorInvalidResourceHandle);
    /* A GPU is not done when a program asks at once; one that asks again gets on. */
    waited = kg__queue_has_waited(&to->clock);
    KG__REFUSE_IF(!kg__queue_is_done(&to->clock) || !waited, cudaErrorNotReady);
    *milliseconds = (float)(1e3 * (to->recorded - from->recorded));
    return kg__model_leave(cudaSuccess);
}
