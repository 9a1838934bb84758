/* Streams and events, which order nothing: every call has done its work when it returns. */
#include "model/runtime/streams.h"

#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/runtime.h"

#include <stdlib.h>

/* A stream or an event: nothing but its being alive. */
typedef struct handle {
    struct handle *next;
} handle;

static handle *streams;
static handle *events;
/* The stream of the call that is judged, which no reset takes away. */
static handle call_stream;
static size_t other_stream_work; /* pieces of work that another stream was given since */
static size_t uncapturable;      /* allocations and waits since */

/* What links to a handle in its list; NULL where that has none such. All here needs the lock. */
static handle **find_link(handle **link, const void *wanted)
{
    while (*link != NULL && *link != wanted)
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

/* True when `stream` is one that work can be given to. */
static bool is_stream(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           stream == (void *)&call_stream || find_link(&streams, stream) != NULL;
}

static bool is_event(cudaEvent_t event)
{
    return find_link(&events, event) != NULL;
}

static void *create(handle **list)
{
    handle *made = kg__allocate(1, sizeof *made);

    made->next = *list;
    *list = made;
    return made;
}

static cudaError_t destroy(handle **list, void *wanted)
{
    handle **link = find_link(list, wanted);

    if (link == NULL)
        return cudaErrorInvalidResourceHandle;
    *link = (*link)->next;
    free(wanted);
    return cudaSuccess;
}

bool kg__model_takes_work(cudaStream_t stream)
{
    other_stream_work += stream != (void *)&call_stream;
    return is_stream(stream);
}

cudaStream_t kg__model_begin_call(void)
{
    other_stream_work = uncapturable = 0;
    return (cudaStream_t)&call_stream;
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

void kg__model_free_streams(void)
{
    while (streams != NULL)
        (void)destroy(&streams, streams);
    while (events != NULL)
        (void)destroy(&events, events);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (stream == NULL || (flags & ~(unsigned int)cudaStreamNonBlocking) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *stream = create(&streams);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    KG__BEGIN_CALL();
    return kg__model_leave(destroy(&streams, stream));
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
    *event = create(&events);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    KG__BEGIN_CALL();
    return kg__model_leave(destroy(&events, event));
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
