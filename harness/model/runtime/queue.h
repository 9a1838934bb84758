/* SPDX-License-Identifier: MIT */
/* Work given to streams: when it executes, and which of it conflicts. Internal to runtime/; its
 * functions need the model's lock. */
#pragma once

#include "model/runtime/calls.h"
#include "model/runtime/streams.h"
#include "model/watch/spans.h"

/* What a piece of work does. A node of a graph executes its own again and again. */
typedef struct kg__action {
    size_t references;
    cudaError_t (*run)(struct kg__action *action);
    /* Frees what belongs to the action, but not the action; NULL: nothing does. */
    void (*drop)(struct kg__action *action);
    const char *what;   /* "copy", "kernel scale", for findings; kept by reference */
    bool calls_host;    /* it is a function of the program's */
    bool overlaps;      /* a launch that may begin before the launch before it in its stream ends */
    bool awaits;        /* but has waited for that */
    kg__spans spans;    /* of memory that it accesses; a launch's are found when it runs */
    kg__spans early;    /* what it has accessed before it waited */
    kg__call_site site; /* of the call */
} kg__action;

/* Makes an action of `size` bytes, which begins with a kg__action and is otherwise 0, with one
 * reference. */
void *kg__action_make(size_t size, const char *what, cudaError_t (*run)(kg__action *action),
                      void (*drop)(kg__action *action));
/* Gives up a reference. */
void kg__action_release(kg__action *action);

/* Whether work may execute after its call has returned: in reversed order. */
extern KG__HIDDEN bool kg__queue_defers;
/* Whether a launch was made that may begin before the one before it ends: of one stream, too, two
 * launches are not ordered then. */
extern KG__HIDDEN bool kg__queue_overlaps;

/* Gives a stream work, with a reference to its action, which the queue takes over. It executes now
 * unless it is deferred. Returns the error that it ended with, cudaSuccess if it is deferred. */
cudaError_t kg__queue_give(kg__stream *stream, kg__action *action);
/* Executes all work that happens before `until`; the host continues after it. Returns the error of
 * a kernel that has failed. */
cudaError_t kg__queue_wait(const kg__clock *until);
/* The same; the host counts as one that has not waited. */
cudaError_t kg__queue_execute(const kg__clock *until);
/* Finds an access by `mine` and one by `other`, which nothing orders, to the same memory. Their
 * spans are sorted. `wait`: the call that is missing in a kernel that may begin before the one
 * before it ends; NULL: they are of different streams. */
void kg__queue_find_conflict(const kg__action *mine, const kg__spans *my_spans,
                             const kg__action *other, const kg__spans *other_spans,
                             const char *wait);
/* Returns whether all work that happens before `until` is done, after which the host continues;
 * else executes it: a program that asks again gets on. */
bool kg__queue_is_done(const kg__clock *until);
/* Returns whether the host has waited for all work that happens before `until`. */
bool kg__queue_has_waited(const kg__clock *until);
/* Executes all work. */
cudaError_t kg__queue_wait_for_all(void);
