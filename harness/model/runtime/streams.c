/* Streams and events, which order nothing: every call has done its work when it returns. */
#include "model/runtime/streams.h"

#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/runtime.h"

#include <stdlib.h>

/* A stream or an event: nothing but its being alive. */
struct CUstream_st {
    struct CUstream_st *next;
};

struct CUevent_st {
    struct CUevent_st *next;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;
/* The stream of the call that is judged, which no reset takes away. */
static struct CUstream_st call_stream;
static size_t other_stream_work; /* pieces of work that another stream was given since */
static size_t uncapturable;      /* allocations and waits since */

/* True when `stream` is one that work can be given to; needs the lock. */
static bool is_stream(cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return true;
    if (stream == &call_stream)
        return true;
    for (const struct CUstream_st *live = streams; live != NULL; live = live->next) {
        if (live == stream)
            return true;
    }
    return false;
}

bool kg__model_takes_work(cudaStream_t stream)
{
    other_stream_work += stream != &call_stream;
    return is_stream(stream);
}

cudaStream_t kg__model_begin_call(void)
{
    other_stream_work = uncapturable = 0;
    return &call_stream;
}

void kg__model_note_uncapturable(void)
{
    uncapturable++;
}

size_t kg__model_uncapturable(void)
{
    return uncapturable;
}

size_t kg__model_other_stream_work(void)
{
    return other_stream_work;
}

static bool is_event(cudaEvent_t event)
{
    for (const struct CUevent_st *live = events; live != NULL; live = live->next) {
        if (live == event)
            return true;
    }
    return false;
}

void kg__model_free_streams(void)
{
    while (streams != NULL) {
        struct CUstream_st *first = streams;

        streams = first->next;
        free(first);
    }
    while (events != NULL) {
        struct CUevent_st *first = events;

        events = first->next;
        free(first);
    }
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (stream == NULL || (flags & ~(unsigned int)cudaStreamNonBlocking) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *stream = kg__allocate(1, sizeof **stream);
    (*stream)->next = streams;
    streams = *stream;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    KG__BEGIN_CALL();
    for (struct CUstream_st **link = &streams; *link != NULL; link = &(*link)->next) {
        if (*link == stream) {
            *link = stream->next;
            free(stream);
            return kg__model_leave(cudaSuccess);
        }
    }
    return kg__model_leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    return kg__model_leave(is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (event == NULL ||
        (flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *event = kg__allocate(1, sizeof **event);
    (*event)->next = events;
    events = *event;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    KG__BEGIN_CALL();
    for (struct CUevent_st **link = &events; *link != NULL; link = &(*link)->next) {
        if (*link == event) {
            *link = event->next;
            free(event);
            return kg__model_leave(cudaSuccess);
        }
    }
    return kg__model_leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    KG__BEGIN_CALL();
    return kg__model_leave(is_event(event) && is_stream(stream) ? cudaSuccess
                                                                : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    return kg__model_leave(is_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    KG__BEGIN_CALL();
    if (milliseconds == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    if (!is_event(start) || !is_event(end))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(cudaErrorNotSupported);
}
