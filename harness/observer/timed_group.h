/* SPDX-License-Identifier: MIT */
/* Timed cases: cases that are checked and timed against each other on a GPU, their problems and
 * their buffers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "device/buffers.h"
#include "observer/check.h"
#include "observer/graph_clock.h"
#include "suite/table.h"

/* The buffers of cases whose arguments are in the same kinds of memory with the same content. */
typedef struct kg__buffer_set {
    const kg__problem *problem; /* the random inputs that are timed */
    bool first_touch;           /* its managed arguments leave the device between launches */
    kg__error refusal;          /* why its memory was refused, or "" */
    kg__buffers buffers;
    void *slabs[KG_MAX_ARGUMENTS]; /* an argument's copies for cold launches, one after the other */
    void *(*copies)[KG_MAX_ARGUMENTS];
    int copy_count;
    char no_cold[192]; /* why there is no cold time, or "" */
} kg__buffer_set;

/* The buffer sets of some timed cases, which keep pointers to them. */
typedef struct kg__buffer_sets {
    kg__buffer_set *list;
    size_t count;
} kg__buffer_sets;

/* A case that is timed. */
typedef struct kg__timed_case {
    const kg__case *c;
    const kg__problem *problem; /* the random inputs that are timed */
    kg__problem *check_problem; /* the inputs that are checked */
    kg_arguments arguments;     /* of its launch */
    kg__buffer_set *buffer_set;
    bool dropped; /* wrong or failed: it has its record and is no longer timed */
} kg__timed_case;

/* Allocates the list for the buffer sets of `most` timed cases; free them with
 * kg__buffer_sets_free(). */
void kg__buffer_sets_make(kg__buffer_sets *buffer_sets, size_t most);

/* Frees the buffer sets with their buffers, and empties the list. */
void kg__buffer_sets_free(kg__buffer_sets *buffer_sets);

/* Gives a timed case its buffer set: one with the same arguments in the same memory, else a new
 * one. Drops the timed case if its memory is refused. False when the device is lost. */
bool kg__timed_case_assign_buffers(kg__timed_case *timed, kg__buffer_sets *buffer_sets,
                                   int records);

/* Fills a buffer set's arguments for launches; false with `why`. */
bool kg__buffer_set_fill(kg__buffer_set *buffer_set, cudaStream_t stream, kg__error *why);

/* Makes the copies for cold launches, which exceed a cache of `l2_bytes` twice; writes the
 * reason to no_cold if it did not. False with `why` when the device fails. */
bool kg__buffer_set_make_copies(kg__buffer_set *buffer_set, size_t l2_bytes, cudaStream_t stream,
                                kg__error *why);

/* Drops a timed case after an error, with its record. False when the device is lost. */
bool kg__timed_case_mark_failed(kg__timed_case *timed, const kg__error *why, int records);

/* Launches a timed case once and compares; a wrong one gets its record and is dropped. Returns
 * the outcome, with `why`; the caller reports an error. */
kg__outcome kg__timed_case_try(kg__timed_case *timed, const kg_comparison *comparison,
                               const char *when, int records, kg__error *why);

/* Like kg__timed_case_try(), but also reports an error. False when the device is lost. */
bool kg__timed_case_check(kg__timed_case *timed, const kg_comparison *comparison, const char *when,
                          int records);

/* A case's launches, each on the next of `.copy_count` copies: the context of a timed workload. */
typedef struct kg__rotation {
    const kg__case *c;
    const kg__buffers *buffers; /* the buffers that were copied */
    void *(*copies)[KG_MAX_ARGUMENTS];
    int copy_count;
} kg__rotation;

/* Launches number `number` of a rotation, the context of `workload`, on the workload's stream. */
cudaError_t kg__launch_rotation(const kg__workload *workload, int number);

/* Times launches that a graph cannot hold, by the variant's own clock; false with `why`. */
bool kg__timed_case_sample(const kg__timed_case *timed, kg__bench *bench,
                           const kg__workload *workload, double budget_ms, kg__series *series,
                           kg__error *why);

/* The problems of a size, made on first use: random inputs, and those to check with if they
 * differ. Initialize all members but the comparison with zeros. */
typedef struct kg__problems {
    const kg_comparison *comparison;
    kg__problem *random; /* one per variant if they differ, else one */
    kg__problem *exact;
    size_t count;
} kg__problems;

/* Makes the missing problems of a timed case, and sets its pointers. False with `error`. */
bool kg__problems_learn(kg__problems *problems, kg__timed_case *timed, kg__error *error);
/* Forgets a size, before the next one. */
void kg__problems_forget(kg__problems *problems);
