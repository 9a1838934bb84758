/* Streams and events. They order nothing, because every call finishes its work before it
 * returns. The model only tracks whether a launcher's other streams fork from and join the
 * stream of the call, as a captured graph requires. */
#include "model/runtime/streams.h"

#include "base/message.h"
#include "model/runtime/calls.h"
#include "model/runtime/runtime.h"

#include <stdint.h>
#include <stdlib.h>

/* A stream or an event. */
typedef struct handle {
    struct handle *next;
    bool of_call;    /* it is ordered after the beginning of the call */
    uint64_t bit;    /* of a stream forked from the call's */
    uint64_t covers; /* the bits of the streams whose work is ordered before */
    size_t work;     /* pieces of work since the call began */
} handle;

static handle *streams;
static handle *events;
/* The stream of the launcher's call; cudaDeviceReset() does not destroy it. */
static handle call_stream;
static uint64_t next_bit;
static size_t stray_work;   /* pieces of work given to streams that were not forked */
static size_t uncapturable; /* allocations and waits since the call began */

/* Returns the link to a handle in its list; NULL if the list does not contain it. All functions
 * here need the lock. */
static handle **find_link(handle **link, const void *wanted)
{
    while (*link != NULL && *link != wanted)
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

bool kg__model_is_stream(cudaStream_t stream)
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

static handle *handle_of(cudaStream_t stream)
{
    handle **link = find_link(&streams, stream);

    return stream == (void *)&call_stream ? &call_stream : link != NULL ? *link : NULL;
}

bool kg__model_takes_work(cudaStream_t stream)
{
    handle *given = handle_of(stream);

    if (given == &call_stream)
        return true;
    if (given == NULL || !given->of_call) {
        stray_work++;
        return kg__model_is_stream(stream);
    }
    given->work++;
    /* Earlier waits for the stream do not cover this work. */
    call_stream.covers &= ~given->bit;
    for (handle *other = streams; other != NULL; other = other->next)
        other->covers &= ~given->bit;
    for (handle *event = events; event != NULL; event = event->next)
        event->covers &= ~given->bit;
    given->covers |= given->bit;
    return true;
}

static void forget_order(handle *list)
{
    for (; list != NULL; list = list->next) {
        list->of_call = false;
        list->covers = 0;
        list->work = 0;
    }
}

cudaStream_t kg__model_begin_call(void)
{
    forget_order(streams);
    forget_order(events);
    call_stream = (handle){ .of_call = true };
    next_bit = 1;
    stray_work = uncapturable = 0;
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

/* Returns the pieces of a stream's work that the call's stream has not waited for. */
static size_t open_work(const handle *stream)
{
    return stream->of_call && (call_stream.covers & stream->bit) == 0 ? stream->work : 0;
}

size_t kg__model_other_stream_work(void)
{
    size_t all = stray_work;

    for (const handle *stream = streams; stream != NULL; stream = stream->next)
        all += open_work(stream);
    return all;
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
    const handle *known;

    KG__BEGIN_CALL();
    known = handle_of(stream);
    if (known != NULL)
        stray_work += open_work(known);
    return kg__model_leave(destroy(&streams, stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    const handle *waited = (const handle *)event;
    handle *waiting;

    KG__BEGIN_CALL();
    if (flags != cudaEventWaitDefault)
        return kg__model_leave(cudaErrorInvalidValue);
    if (!kg__model_is_stream(stream) || !is_event(event))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    waiting = handle_of(stream);
    if (waiting == NULL || !waited->of_call)
        return kg__model_leave(cudaSuccess);
    if (!waiting->of_call) {
        waiting->of_call = next_bit != 0;
        waiting->bit = next_bit;
        next_bit <<= 1;
    }
    waiting->covers |= waited->covers;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    KG__BEGIN_CALL();
    kg__model_note_uncapturable();
    return kg__model_leave(kg__model_is_stream(stream) ? cudaSuccess
                                                       : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (event == NULL || (flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming |
                                                  cudaEventInterprocess)) != 0)
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
    handle *recorded = (handle *)event;
    const handle *from;

    KG__BEGIN_CALL();
    if (!is_event(event) || !kg__model_is_stream(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    from = handle_of(stream);
    recorded->of_call = from != NULL && from->of_call;
    recorded->covers = recorded->of_call ? from->covers : 0;
    return kg__model_leave(cudaSuccess);
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
