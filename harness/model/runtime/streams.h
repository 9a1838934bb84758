/* SPDX-License-Identifier: MIT */
/* Streams and clocks: which work happens before which. Internal to runtime/; its functions need the
 * model's lock. */
#pragma once

#include "model/exec/launch.h"

#include <stdbool.h>
#include <stdint.h>

/* What happens before a moment: of each stream, by its number, how many pieces of its work. */
typedef struct kg__clock {
    uint32_t *pieces;
    size_t room;
} kg__clock;

/* A node of a graph that is captured or built. */
typedef struct CUgraphNode_st kg__node;

/* The nodes that the next node of a capturing stream comes after. */
typedef struct kg__nodes {
    kg__node **list;
    size_t count, room;
} kg__nodes;

typedef struct kg__stream {
    struct kg__stream *next; /* of the program's streams */
    size_t number;
    uint32_t given;  /* pieces of work */
    kg__clock clock; /* what happens before its next work */
    size_t forked;   /* pieces since it forked from the stream of a launcher's call; of that, the
                        piece that the call began with */
    int priority;
    bool non_blocking;               /* it is not ordered with the legacy stream */
    bool is_origin;                  /* its capture began here, */
    enum cudaStreamCaptureMode mode; /* in this mode */
    cudaGraph_t graph;               /* that it is captured into; NULL: it executes */
    kg__nodes tips;
} kg__stream;

typedef struct kg__event {
    struct kg__event *next; /* of the program's events */
    kg__clock clock;
    double recorded; /* when; seconds, 0: never */
    unsigned int flags;
    cudaGraph_t graph; /* that its record was captured into; NULL: none */
    kg__nodes tips;
} kg__event;

/* Returns how many pieces of a stream's work happen before a moment. */
uint32_t kg__clock_of(const kg__clock *clock, size_t number);
/* Adds to a clock what another has. */
void kg__clock_join(kg__clock *to, const kg__clock *from);

/* Makes a stream that is no handle of the program's. */
void kg__stream_begin(kg__stream *stream);
/* Ends one, and frees what it has. */
void kg__stream_end(kg__stream *stream);
/* Returns the stream that captures the nodes of graphs that are built. */
kg__stream *kg__stream_builder(void);
/* Returns a stream; NULL if there is no such stream, with a finding if it was destroyed. */
kg__stream *kg__stream_of(cudaStream_t handle);
/* Adds a piece of work to a stream, after what `before` has (NULL: nothing more) and, where CUDA
 * orders it with the legacy stream, after that. Its number is then the stream's `given`. */
void kg__stream_advance(kg__stream *stream, const kg__clock *before);
/* Brings a stream's clock up to date with the legacy stream. */
void kg__stream_refresh(kg__stream *stream);
/* Returns whether it is the legacy stream, which waits for all that are not non-blocking. */
bool kg__stream_is_legacy(const kg__stream *stream);
/* Joins the clocks of all streams. */
void kg__streams_all(kg__clock *to);
/* Returns the program's streams, linked by `next`. */
kg__stream *kg__streams(void);
/* Returns an event, like kg__stream_of(). */
kg__event *kg__event_of(cudaEvent_t handle);
/* Makes a stream; `flags` are CUDA's. */
kg__stream *kg__stream_create(unsigned int flags, int priority);
/* Makes an event, likewise. */
kg__event *kg__event_create(unsigned int flags);
/* Destroys a stream; false if there is no such stream. */
bool kg__stream_destroy(cudaStream_t handle);
/* Destroys an event, likewise. */
bool kg__event_destroy(cudaEvent_t handle);
/* Destroys all streams and events. */
void kg__streams_free(void);
/* Records an allocation or a wait, which CUDA refuses while it captures a graph. */
void kg__model_note_uncapturable(void);

/* Whether the program has made a stream. */
extern KG__HIDDEN bool kg__streams_made;
