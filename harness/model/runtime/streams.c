/* SPDX-License-Identifier: MIT */
/* Handles of streams and events, and their clocks. Each piece of work has a number in its stream; a
 * clock has the pieces of all streams that happen before a moment. The same clocks tell whether a
 * launcher's other streams fork from and join the stream of its call, as a captured graph
 * requires. */
#include "model/runtime/streams.h"

#include "base/message.h"
#include "model/runtime/calls.h"

#include <stdlib.h>
#include <string.h>

/* Destroyed handles whose addresses are not reused, so that their use is found. */
#define DESTROYED_MAXIMUM 64

typedef struct handles {
    kg__handle *first;
    kg__handle *destroyed; /* the latest first */
    size_t destroyed_count;
    const char *name;
} handles;

static handles streams = { .name = "stream" };
static handles events = { .name = "event" };
static size_t stream_count; /* numbers given */
/* Numbers that are free again. */
typedef struct ended_stream {
    size_t number;
    uint32_t given;
} ended_stream;
static ended_stream *ended;
static size_t ended_count;
static size_t ended_room;
bool kg__streams_made;
/* The stream of a launcher's call, which cudaDeviceReset() keeps, and the two of CUDA's. */
static kg__stream call_stream = { .non_blocking = true };
static kg__stream legacy = { .number = 1 };
static kg__clock gone; /* the work of streams that were destroyed */
static kg__stream builder = { .number = 2, .non_blocking = true };
static _Thread_local kg__stream *of_thread;
#define FIRST_NUMBER 3
static size_t stray_work;   /* pieces of work given to streams that were not forked */
static size_t uncapturable; /* allocations and waits since the call began */
static bool null_is_of_thread;

void kg__model_default_stream_per_thread(void)
{
    null_is_of_thread = true;
}

kg__stream *kg__streams(void)
{
    return (kg__stream *)streams.first;
}

uint32_t kg__clock_of(const kg__clock *clock, size_t number)
{
    return number < clock->room ? clock->pieces[number] : 0;
}

static void set(kg__clock *clock, size_t number, uint32_t pieces)
{
    if (number >= clock->room) {
        const size_t room = number + 8;
        uint32_t *grown = kg__allocate(room, sizeof *grown);

        if (clock->room > 0)
            memcpy(grown, clock->pieces, clock->room * sizeof *grown);
        free(clock->pieces);
        *clock = (kg__clock){ grown, room };
    }
    clock->pieces[number] = pieces;
}

void kg__clock_join(kg__clock *to, const kg__clock *from)
{
    for (size_t i = from->room; i > 0; i--) {
        if (from->pieces[i - 1] > kg__clock_of(to, i - 1))
            set(to, i - 1, from->pieces[i - 1]);
    }
}

/* Returns a handle of the program's; NULL, with a finding where it was destroyed. */
static void *find(const handles *of, void *wanted)
{
    if (kg__handle_is(of->first, wanted))
        return wanted;
    if (kg__handle_is(of->destroyed, wanted))
        kg__find_in_call(&(kg__finding){ .kind = KG__DESTROYED, .symbol = of->name });
    return NULL;
}

/* Removes the handle destroyed longest ago, when there are too many; NULL if there are not. */
static void *oldest_destroyed(handles *of)
{
    kg__handle **link = &of->destroyed;
    kg__handle *oldest;

    if (of->destroyed_count < DESTROYED_MAXIMUM)
        return NULL;
    while ((*link)->next != NULL)
        link = &(*link)->next;
    oldest = *link;
    *link = NULL;
    of->destroyed_count--;
    return oldest;
}

static bool destroy(handles *of, void *wanted)
{
    if (!kg__handle_remove(&of->first, wanted))
        return find(of, wanted) != NULL;
    kg__handle_add(&of->destroyed, wanted);
    of->destroyed_count++;
    return true;
}

void kg__stream_begin(kg__stream *stream)
{
    *stream = (kg__stream){ .non_blocking = true };
    if (ended_count > 0) {
        /* The pieces of the stream that had the number count on, so that they stay ordered. */
        stream->number = ended[--ended_count].number;
        stream->given = ended[ended_count].given;
    } else {
        stream->number = FIRST_NUMBER + stream_count++;
    }
}

void kg__stream_end(kg__stream *stream)
{
    *KG__ADD(ended, ended_count, ended_room) = (ended_stream){ stream->number, stream->given };
    kg__clock_join(&gone, &stream->clock);
    free(stream->clock.pieces);
    free(stream->tips.list);
}

kg__stream *kg__stream_builder(void)
{
    kg__streams_made = true;
    return &builder;
}

kg__stream *kg__stream_create(unsigned int flags, int priority)
{
    kg__stream *former = oldest_destroyed(&streams);
    kg__stream *made = kg__allocate(1, sizeof *made);

    if (former != NULL)
        kg__stream_end(former);
    free(former);
    kg__stream_begin(made);
    kg__handle_add(&streams.first, made);
    made->non_blocking = (flags & cudaStreamNonBlocking) != 0;
    made->priority = priority;
    kg__streams_made = true;
    return made;
}

kg__event *kg__event_create(unsigned int flags)
{
    kg__event *former = oldest_destroyed(&events);
    kg__event *made = kg__allocate(1, sizeof *made);

    if (former != NULL) {
        free(former->clock.pieces);
        free(former->tips.list);
        free(former);
    }
    kg__handle_add(&events.first, made);
    made->flags = flags;
    return made;
}

/* The thread's own stream, made at its first use. */
static kg__stream *stream_of_thread(void)
{
    if (of_thread == NULL || !kg__handle_is(streams.first, of_thread))
        of_thread = kg__stream_create(cudaStreamDefault, 0);
    return of_thread;
}

kg__stream *kg__stream_of(cudaStream_t handle)
{
    if (handle == (void *)&call_stream || handle == (void *)&builder)
        return (kg__stream *)(void *)handle;
    if (handle == cudaStreamPerThread || (handle == NULL && null_is_of_thread))
        return stream_of_thread();
    if (handle == NULL || handle == cudaStreamLegacy)
        return &legacy;
    return find(&streams, handle);
}

kg__event *kg__event_of(cudaEvent_t handle)
{
    return find(&events, handle);
}

bool kg__stream_is_legacy(const kg__stream *stream)
{
    return stream == &legacy;
}

void kg__stream_refresh(kg__stream *stream)
{
    if (stream == &legacy) {
        kg__clock_join(&legacy.clock, &gone);
        for (const kg__stream *other = kg__streams(); other != NULL; other = other->next) {
            if (!other->non_blocking)
                kg__clock_join(&legacy.clock, &other->clock);
        }
    } else if (!stream->non_blocking) {
        kg__clock_join(&stream->clock, &legacy.clock);
    }
}

/* Returns whether a moment comes after the beginning of the launcher's call. */
static bool is_of_call(const kg__clock *clock)
{
    return call_stream.given > 0 && kg__clock_of(clock, call_stream.number) >= call_stream.forked;
}

void kg__stream_advance(kg__stream *stream, const kg__clock *before)
{
    if (stream != &call_stream && (stream == &legacy || !is_of_call(&stream->clock)))
        stray_work++;
    else
        stream->forked += stream != &call_stream;
    kg__stream_refresh(stream);
    if (before != NULL)
        kg__clock_join(&stream->clock, before);
    set(&stream->clock, stream->number, ++stream->given);
}

void kg__streams_all(kg__clock *to)
{
    kg__clock_join(to, &legacy.clock);
    kg__clock_join(to, &gone);
    for (const kg__stream *stream = kg__streams(); stream != NULL; stream = stream->next)
        kg__clock_join(to, &stream->clock);
}

cudaStream_t kg__model_begin_call(void)
{
    for (kg__stream *stream = kg__streams(); stream != NULL; stream = stream->next)
        stream->forked = 0;
    /* Where it began: the first piece of the call's stream. */
    call_stream.forked = ++call_stream.given;
    set(&call_stream.clock, call_stream.number, call_stream.given);
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
static size_t open_work(const kg__stream *stream)
{
    return kg__clock_of(&call_stream.clock, stream->number) < stream->given ? stream->forked : 0;
}

size_t kg__model_other_stream_work(void)
{
    size_t all = stray_work;

    for (const kg__stream *stream = kg__streams(); stream != NULL; stream = stream->next)
        all += open_work(stream);
    return all;
}

bool kg__stream_destroy(cudaStream_t wanted)
{
    const kg__stream *known = (const kg__stream *)(void *)wanted;

    if (kg__handle_is(streams.first, wanted)) {
        stray_work += open_work(known);
        kg__clock_join(&gone, &known->clock);
    }
    return destroy(&streams, wanted);
}

bool kg__event_destroy(cudaEvent_t wanted)
{
    return destroy(&events, wanted);
}

void kg__streams_free(void)
{
    while (streams.first != NULL)
        (void)destroy(&streams, streams.first);
    while (events.first != NULL)
        (void)destroy(&events, events.first);
}
