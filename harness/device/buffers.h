/* SPDX-License-Identifier: MIT */
/* The arguments' buffers, in the variant's kinds of memory, with guard zones on both sides to
 * detect writes outside of them. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "suite/table.h"

/* Bytes of guard before and after every buffer: a kernel without its bounds guard writes at most
 * a tile's height of rows beyond the end, which at width 530 is 34 KiB. */
#define KG__GUARD_BYTES ((size_t)64 << 10)

/* The arguments of one problem, in a variant's kinds of memory. */
typedef struct kg__buffers {
    kg_arguments arguments;
    kg_memory memory[KG_MAX_ARGUMENTS];
    void *allocation[KG_MAX_ARGUMENTS];
    void *data[KG_MAX_ARGUMENTS]; /* the launcher's arguments */
    size_t bytes[KG_MAX_ARGUMENTS];
    unsigned char *guard;     /* an untouched guard zone of each argument, one after the other */
    unsigned char *zone_copy; /* one guard zone, read back */
    void *computed;           /* an argument, read back; kept from launch to launch */
    size_t computed_bytes;
} kg__buffers;

/* Returns the bytes of one argument's data. */
size_t kg__argument_bytes(const kg_argument *argument);
/* Returns the bytes of all arguments' data. */
size_t kg__arguments_bytes(const kg_arguments *arguments);

/* Allocates in the memory of `variant`, with guard zones; false with `error` when the device
 * refuses, or has less free memory than the managed memory needs, which could hang it. Free with
 * kg__buffers_free() in either case. */
bool kg__buffers_make(kg__buffers *buffers, const kg_arguments *arguments,
                      const kg_variant *variant, kg__error *error);

/* Returns whether the buffers fit arguments of these sizes, in the kinds of memory that
 * `variant` uses. */
bool kg__buffers_suit(const kg__buffers *buffers, const kg_arguments *arguments,
                      const kg_variant *variant);

/* Returns the call of a case's launcher with these buffers. */
static inline kg_call kg__buffers_call(const kg__buffers *buffers, const kg__case *c,
                                       cudaStream_t stream)
{
    return (kg_call){ .size = c->size,
                      .launch = c->launch,
                      .argument = buffers->data,
                      .scalar = buffers->arguments.scalar,
                      .stream = stream,
                      .declared = &buffers->arguments };
}

/* Allocates `bytes` in one kind of memory; `*allocation` is NULL on an error. */
cudaError_t kg__memory_allocate(kg_memory memory, size_t bytes, void **allocation);

/* Frees an allocation of kg__memory_allocate() of that kind; NULL is allowed. */
void kg__memory_free(kg_memory memory, void *allocation);

/* Prepares a launch: copies inputs from `inputs`, which are on the device (NULL for an output or
 * scratch), fills the others with the byte `poison`, and rewrites the guard zones. */
bool kg__buffers_fill(kg__buffers *buffers, void *const *inputs, unsigned char poison,
                      kg__error *error);

/* Returns whether argument `index` still holds its input, given on the device and on the host;
 * false with `first` the index of the first byte that differs, or with `error` filled when the
 * device fails. */
bool kg__buffers_unchanged(kg__buffers *buffers, int index, const void *device_input,
                           const void *host_input, size_t *first, kg__error *error);

/* Returns whether argument `index` holds the bytes of `expected`, compared on the device. Also
 * false if the device does not compare, or fails: then read the argument back. */
bool kg__buffers_hold(const kg__buffers *buffers, int index, const void *expected);

/* Reads argument `index` back into memory that the next call reuses; NULL with `error`. */
const void *kg__buffers_read(kg__buffers *buffers, int index, kg__error *error);

/* Checks every guard zone. Returns false with `finding` naming the buffer, the side, and the
 * first and the number of bytes overwritten; fills `error` instead when the device fails. */
bool kg__buffers_guards_hold(kg__buffers *buffers, kg__error *finding, kg__error *error);

/* Frees the buffers in each kind of memory, and empties the structure, which may be empty
 * already. */
void kg__buffers_free(kg__buffers *buffers);
