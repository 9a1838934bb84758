/* SPDX-License-Identifier: MIT */
#include "model/runtime/transfers.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/runtime/graphs.h"
#include "model/runtime/runtime.h"
#include "model/watch/regions.h"
#include "model/watch/tables.h"
#include "model/watch/watcher.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Variables of the device whose addresses the host has. */
typedef struct variable {
    const unsigned char *base;
    size_t size;
} variable;

typedef struct transfer {
    kg__action action;
    kg__side to, from;
    size_t width, height, rows; /* of a layer, and of all */
    unsigned char *staged;      /* the source as it was at the call; NULL: itself */
} transfer;

typedef struct fill {
    kg__action action;
    unsigned char *first;
    size_t pitch, width, height;
    unsigned int value, size;
} fill;

static variable *variables;
static size_t variable_count;
static size_t variable_room;
bool kg__is_sparse;

void kg__model_be_sparse(bool sparse)
{
    kg__is_sparse = sparse;
}

void kg__note_variable(const void *base, size_t size)
{
    *KG__ADD(variables, variable_count, variable_room) = (variable){ base, size };
}

static const variable *variable_at(const void *pointer)
{
    for (size_t i = 0; i < variable_count; i++) {
        if ((uintptr_t)pointer - (uintptr_t)variables[i].base < variables[i].size)
            return &variables[i];
    }
    return NULL;
}

bool kg__is_device(const void *pointer)
{
    return kg__model_find(pointer) != NULL || variable_at(pointer) != NULL;
}

/* Returns the variable of a program that an address of the host's is in, unless it asked CUDA for
 * the address; else NULL. */
static const kg__model_variable *shadow_at(const void *pointer)
{
    const kg__model_variable *variable =
        kg__is_of_program && variable_at(pointer) == NULL && kg__model_in_image(pointer)
            ? kg__model_variable_near(pointer)
            : NULL;

    return variable != NULL && !variable->of_both &&
                   (uintptr_t)pointer - (uintptr_t)variable->base < variable->size
               ? variable
               : NULL;
}

void kg__note_pointer(void **pointer)
{
    const kg__model_allocation *holder = kg__model_find(pointer);
    const kg__model_variable *variable = holder == NULL ? shadow_at(pointer) : NULL;

    if (holder != NULL)
        kg__watch_written(pointer, sizeof *pointer);
    if (!kg__model_where(NULL) && (holder != NULL ? !kg__model_is_host_visible(holder)
                                                  : variable != NULL && variable->of_device))
        kg__find_in_call(&(kg__finding){ .kind = KG__HOST_ACCESS,
                                         .symbol = variable != NULL ? variable->name : NULL,
                                         .by.access = KG__WRITE });
}

void kg__look_at_argument(const void *argument, size_t bytes)
{
    for (size_t at = 0; kg__watch_checks() && at + sizeof argument <= bytes;
         at += sizeof argument) {
        const kg__model_variable *variable = NULL;
        const void *pointer;

        memcpy(&pointer, (const char *)argument + at, sizeof pointer);
        if (kg__model_find(pointer) == NULL)
            variable = shadow_at(pointer);
        if (variable != NULL && variable->of_device)
            kg__find_in_call(&(kg__finding){
                .kind = KG__HOST_ACCESS, .symbol = variable->name, .by_host = true });
        else if (variable != NULL && !variable->of_host && variable->space != KG__MODEL_SHARED)
            kg__model_give_to_host(variable); /* padding may hold an address of shared memory */
    }
}

/* A block's shared memory, and a thread's own, are not its children's. */
static void look_at_argument_of_child(const void *argument, size_t bytes)
{
    const void *pointer;
    kg__model_memory memory = KG__MODEL_IS_NOWHERE;

    if (bytes == sizeof pointer) {
        memcpy(&pointer, argument, sizeof pointer);
        memory = kg__model_memory_at(pointer);
    }
    if (memory == KG__MODEL_IS_SHARED || memory == KG__MODEL_IS_LOCAL)
        kg__model_trap(cudaErrorIllegalAddress, "it launches a kernel with the address of its own "
                                                "local or shared memory: pass global memory");
}

void kg__model_look_at_argument(const void *argument, size_t bytes)
{
    if (kg__model_where(NULL)) {
        look_at_argument_of_child(argument, bytes);
        return;
    }
    kg__model_hold();
    kg__look_at_argument(argument, bytes);
    kg__model_unhold();
}

/* Returns whether the host can access memory. */
static bool is_host_visible(const void *pointer)
{
    const kg__model_allocation *holder = kg__model_find(pointer);

    return holder != NULL ? kg__model_is_host_visible(holder) : variable_at(pointer) == NULL;
}

/* Checks the device's side of a copy: it must lie within one allocation or variable. Pinned
 * memory is mapped into the device's addresses. The host's calls cannot access kernels' heap. */
static bool on_device(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);
    const variable *symbol = holder == NULL ? variable_at(pointer) : NULL;

    if (symbol != NULL)
        return count <= symbol->size - ((uintptr_t)pointer - (uintptr_t)symbol->base);
    if (holder != NULL && holder->kind == KG__MODEL_HEAP && !kg__model_where(NULL))
        return false;
    return holder != NULL && count <= holder->size - ((uintptr_t)pointer - (uintptr_t)holder->base);
}

/* Returns the bytes from `pointer` to the end of a variable of the program's host; SIZE_MAX where
 * it is in none that is known. */
static size_t bytes_of_host(const void *pointer)
{
    const size_t bytes =
        kg__is_of_program && kg__model_in_image(pointer) ? kg__model_bytes_at(pointer) : 0;

    return bytes > 0 ? bytes : SIZE_MAX;
}

/* Checks the host's side of a copy: memory unknown to the model is the host's own. */
static bool on_host(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);
    const kg__model_variable *shadow = holder == NULL ? shadow_at(pointer) : NULL;

    if (holder == NULL)
        return variable_at(pointer) == NULL && (shadow == NULL || !shadow->of_device) &&
               count <= bytes_of_host(pointer);
    return kg__model_is_host_visible(holder) && on_device(pointer, count);
}

/* Finds what is wrong with one side of a program's copy or fill: it overruns memory, or the memory
 * was freed. */
static void find_wrong(const void *pointer, size_t count, bool writes)
{
    const uintptr_t address = (uintptr_t)pointer;
    const unsigned int bytes = count < UINT_MAX ? (unsigned int)count : UINT_MAX;
    const kg__finding_access access = writes ? KG__WRITE : KG__READ;
    const kg__model_allocation *holder = kg__model_find_near(pointer);
    const kg__model_freed *freed = kg__model_find_freed(pointer);
    kg__finding what = { .kind = KG__OUT_OF_BOUNDS,
                         .symbol = "the host's variable",
                         .size = bytes_of_host(pointer),
                         .bytes = bytes,
                         .by.access = access };

    if (!kg__is_of_program)
        return;
    if (holder != NULL || variable_at(pointer) != NULL) {
        const kg__region *region = kg__region_at(address);

        if (region == NULL || on_device(pointer, count) ||
            (holder != NULL && holder->kind == KG__MODEL_HEAP))
            return;
        what = kg__finding_in(KG__OUT_OF_BOUNDS, region, address - region->start, bytes, access);
    } else if (freed != NULL && address - freed->start < freed->bytes) {
        what = kg__finding_in_freed(freed, address, bytes, access);
    } else if (count <= what.size) {
        return;
    }
    what.by.what = "copy";
    kg__find_in_call(&what);
}

/* Device memory that a program's copy names the host's is found; CUDA leaves it undefined, and an
 * H200's driver copies. */
static bool is_good_side(const void *pointer, size_t count, bool device, bool writes)
{
    const kg__finding named = { .kind = KG__HOST_ACCESS,
                                .by = { .access = writes ? KG__WRITE : KG__READ, .what = "copy" } };

    if (device ? on_device(pointer, count) : on_host(pointer, count))
        return true;
    if (kg__is_of_program && on_device(pointer, count)) {
        kg__find_in_call(&named);
        return true;
    }
    find_wrong(pointer, count, writes);
    return false;
}

static cudaError_t check_copy(const void *to, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

    if ((int)kind < cudaMemcpyHostToHost || (int)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (count == 0)
        return cudaSuccess;
    if (to == NULL || from == NULL)
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyDefault) {
        to_device = kg__is_device(to);
        from_device = kg__is_device(from);
    }
    /* A side that is named the device's decides whether the call fails. */
    for (int writes = !from_device, sides = 0; sides < 2; writes = !writes, sides++) {
        if (!is_good_side(writes ? to : from, count, writes ? to_device : from_device, writes))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static unsigned char *row_of(const kg__side *side, size_t row, size_t height)
{
    return side->first + row / height * side->slice + row % height * side->pitch;
}

/* Finds what the host gets of memory that nothing has written. */
static void find_unwritten(kg__action *action, kg__finding *what)
{
    what->by.what = action->what;
    if (what->bytes > 0)
        kg__find_at_call(&action->site, what);
}

static cudaError_t run_transfer(kg__action *action)
{
    const transfer *made = (const transfer *)(void *)action;
    kg__finding unwritten = { .bytes = 0 };

    for (size_t row = 0; row < made->rows && !kg__model_plans(); row++) {
        void *to = row_of(&made->to, row, made->height);

        memmove(to,
                made->staged != NULL ? made->staged + row * made->width
                                     : row_of(&made->from, row, made->height),
                made->width);
        if (made->staged == NULL)
            kg__watch_copied(to, row_of(&made->from, row, made->height), made->width, &unwritten);
        else
            kg__watch_written(to, made->width);
        if (kg__is_of_program && kg__watch_checks() && kg__is_device(to) &&
            !kg__is_device(made->from.first))
            kg__tables_copied(to, made->width);
    }
    if (is_host_visible(made->to.first))
        find_unwritten(action, &unwritten);
    return cudaSuccess;
}

static void drop_transfer(kg__action *action)
{
    free(((transfer *)(void *)action)->staged);
}

static void note_spans(transfer *made)
{
    for (size_t row = 0; row < made->rows; row++) {
        const unsigned char *to = row_of(&made->to, row, made->height);
        const unsigned char *from = row_of(&made->from, row, made->height);

        if (kg__is_device(to))
            kg__spans_add(&made->action.spans, true, (uintptr_t)to, made->width);
        if (made->staged == NULL && kg__is_device(from))
            kg__spans_add(&made->action.spans, false, (uintptr_t)from, made->width);
    }
    kg__spans_sort(&made->action.spans);
}

static void find_overlap(const transfer *made)
{
    const kg__spans *spans = &made->action.spans;
    const kg__region *region;
    uintptr_t address;

    if (made->to.first == made->from.first || !kg__spans_meet(spans, true, spans, false, &address))
        return;
    region = kg__region_at(address);
    if (region != NULL) {
        const kg__finding what =
            kg__finding_in(KG__OVERLAP, region, address - region->start, 0, KG__WRITE);

        kg__find_in_call(&what);
    }
}

/* Keeps the source as it is now: the driver copies pageable memory before the call returns. */
static void stage(transfer *made)
{
    unsigned char *staged = kg__allocate(made->rows * made->width, 1);

    for (size_t row = 0; row < made->rows; row++)
        memcpy(staged + row * made->width, row_of(&made->from, row, made->height), made->width);
    made->staged = staged;
}

kg__side kg__side_of_rows(const void *first, size_t pitch)
{
    return (kg__side){ (unsigned char *)first, pitch, 0, pitch, SIZE_MAX, SIZE_MAX };
}

cudaError_t kg__transfer(kg__side to, kg__side from, struct cudaExtent extent,
                         enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    const size_t rows = extent.width > 0 ? extent.height * extent.depth : 0;
    const bool from_host = !kg__is_device(from.first);
    const bool to_host = !kg__is_device(to.first);
    cudaError_t error = cudaSuccess;
    transfer *made;

    if (extent.width > to.pitch || extent.width > from.pitch)
        return cudaErrorInvalidPitchValue;
    if (extent.width > to.width || extent.width > from.width || extent.height > to.height ||
        extent.height > from.height || extent.depth > to.depth || extent.depth > from.depth)
        return cudaErrorInvalidValue;
    if (rows == 0)
        error = check_copy(to.first, from.first, 0, kind);
    for (size_t row = 0; row < rows && error == cudaSuccess; row++)
        error = check_copy(row_of(&to, row, extent.height), row_of(&from, row, extent.height),
                           extent.width, kind);
    if (error != cudaSuccess)
        return error;
    made = kg__action_make(sizeof *made, "copy", run_transfer, drop_transfer);
    made->to = to;
    made->from = from;
    made->width = extent.width;
    made->height = extent.height;
    made->rows = rows;
    if (from_host && !to_host && !waits && kg__queue_defers && !kg__stream_is_captured(stream))
        stage(made);
    if (kg__is_of_program) {
        note_spans(made);
        find_overlap(made);
    }
    error = kg__stream_give(stream, cudaGraphNodeTypeMemcpy, &made->action);
    if (error != cudaSuccess || kg__stream_is_captured(stream))
        return error;
    /* Copies within the device do not block the host, nor do those of pinned memory. */
    return (waits && (is_host_visible(to.first) || is_host_visible(from.first))) || to_host
               ? kg__stream_wait(stream)
               : cudaSuccess;
}

static cudaError_t run_fill(kg__action *action)
{
    const fill *made = (const fill *)(void *)action;

    for (size_t row = 0; row < made->height && !kg__model_plans(); row++) {
        unsigned char *to = made->first + row * made->pitch;

        if (made->size == 1 && (!kg__is_sparse || made->value != 0))
            memset(to, (int)made->value, made->width);
        for (size_t at = 0; made->size > 1 && at < made->width; at += made->size)
            memcpy(to + at, &made->value, made->size);
        kg__watch_written(to, made->width);
    }
    return cudaSuccess;
}

cudaError_t kg__fill(void *first, size_t pitch, unsigned int value, unsigned int size, size_t width,
                     size_t height, cudaStream_t stream, bool waits)
{
    fill *made;
    cudaError_t error;

    if ((size != 1 && size != 2 && size != 4) || width > pitch || width % size != 0 ||
        (uintptr_t)first % size != 0)
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < height && width > 0; row++) {
        if (!is_good_side((char *)first + row * pitch, width, true, true))
            return cudaErrorInvalidValue;
    }
    made = kg__action_make(sizeof *made, "fill", run_fill, NULL);
    made->first = first;
    made->pitch = pitch;
    made->width = width;
    made->height = width > 0 ? height : 0;
    made->value = size == 1 ? value & UCHAR_MAX : value;
    made->size = size;
    for (size_t row = 0; row < made->height && kg__is_of_program; row++)
        kg__spans_add(&made->action.spans, true, (uintptr_t)first + row * pitch, width);
    error = kg__stream_give(stream, cudaGraphNodeTypeMemset, &made->action);
    /* The host waits for a fill of its own memory alone. */
    return error == cudaSuccess && waits && is_host_visible(first) ? kg__stream_wait(stream)
                                                                   : error;
}
