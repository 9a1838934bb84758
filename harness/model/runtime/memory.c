/* The device's memory: allocations, and copies between them and the host. */
#include "model/runtime/runtime.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/runtime/arrays.h"
#include "model/runtime/calls.h"
#include "model/runtime/streams.h"
#include "model/watch/watcher.h"

#include <stdlib.h>
#include <string.h>

/* Variables of the device whose addresses the host has. */
typedef struct variable {
    const unsigned char *base;
    size_t size;
} variable;

static variable *symbols;
static size_t symbol_count;
static size_t symbol_room;

#define LARGE_MEMORY ((size_t)80 << 30) /* an H100's */
#define LARGE_FILLED ((size_t)1 << 30)

static bool is_sparse;
static size_t largest_filled = SIZE_MAX;

void kg__model_be_sparse(bool sparse)
{
    is_sparse = sparse;
}

void kg__model_be_large(void)
{
    kg__model_set_memory(LARGE_MEMORY);
    largest_filled = LARGE_FILLED;
}

/* Unmaps a removed allocation; with `remember`, its addresses are not reused for a while. */
static void unmap(const kg__model_allocation *allocation, bool remember)
{
    kg__model_freed freed;

    kg__watch_freed(allocation, &freed);
    kg__model_unmap_allocation(allocation, remember ? &freed : NULL);
}

static cudaError_t add(void **pointer, size_t size, kg__model_memory_kind kind)
{
    size_t left;
    size_t total;
    unsigned char *base;

    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return kind == KG__MODEL_MANAGED ? cudaErrorInvalidValue : cudaSuccess;
    kg__model_memory_left(&left, &total);
    /* Untouched memory takes no host memory. */
    if (!kg__model_plans() && !is_sparse && size > (kind == KG__MODEL_PINNED ? total : left))
        return cudaErrorMemoryAllocation;
    base = kg__model_add_allocation(size, kind);
    if (base == NULL)
        return cudaErrorMemoryAllocation;
    if (!kg__model_plans() && !is_sparse && size <= largest_filled)
        memset(base, KG__MODEL_POISON, size);
    *pointer = base;
    return cudaSuccess;
}

/* Frees an allocation by its base, either pinned memory or any other kind. */
static cudaError_t remove_one(void *pointer, bool pinned)
{
    kg__model_allocation allocation;

    if (pointer == NULL)
        return cudaSuccess;
    if (!kg__model_remove_allocation(pointer, pinned, &allocation))
        return cudaErrorInvalidValue;
    unmap(&allocation, true);
    return cudaSuccess;
}

/* Allocates, as calls that CUDA refuses while it captures a graph. */
static cudaError_t allocate(void **pointer, size_t size, kg__model_memory_kind kind)
{
    kg__model_note_uncapturable();
    return add(pointer, size, kind);
}

static cudaError_t release(void *pointer, bool pinned)
{
    kg__model_note_uncapturable();
    return remove_one(pointer, pinned);
}

void kg__model_free_all(void)
{
    kg__model_allocation allocation;
    const kg__model_allocation *last;

    while ((last = kg__model_allocation_at(kg__model_allocation_count() - 1)) != NULL) {
        if (kg__model_remove_allocation(last->base, last->kind == KG__MODEL_PINNED, &allocation))
            unmap(&allocation, false);
    }
    kg__model_forget_freed();
}

static const variable *symbol_at(const void *pointer)
{
    for (size_t i = 0; i < symbol_count; i++) {
        if ((uintptr_t)pointer - (uintptr_t)symbols[i].base < symbols[i].size)
            return &symbols[i];
    }
    return NULL;
}

static bool is_device(const void *pointer)
{
    return kg__model_find(pointer) != NULL || symbol_at(pointer) != NULL;
}

/* Checks the device's side of a copy: it must lie within one allocation or variable. Pinned
 * memory is mapped into the device's addresses. */
static bool on_device(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);
    const variable *symbol = holder == NULL ? symbol_at(pointer) : NULL;

    if (symbol != NULL)
        return count <= symbol->size - ((uintptr_t)pointer - (uintptr_t)symbol->base);
    return holder != NULL && count <= holder->size - ((uintptr_t)pointer - (uintptr_t)holder->base);
}

/* Checks the host's side of a copy: memory unknown to the model is the host's own. */
static bool on_host(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);

    if (holder == NULL)
        return symbol_at(pointer) == NULL;
    return holder->kind != KG__MODEL_DEVICE && on_device(pointer, count);
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
        to_device = is_device(to);
        from_device = is_device(from);
    }
    if (!(to_device ? on_device(to, count) : on_host(to, count)) ||
        !(from_device ? on_device(from, count) : on_host(from, count)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    cudaError_t error = check_copy(to, from, count, kind);

    if (error == cudaSuccess && count > 0 && !kg__model_plans()) {
        memmove(to, from, count);
        kg__watch_written(to, count);
    }
    return error;
}

static cudaError_t fill(void *pointer, int value, size_t count)
{
    if (count == 0)
        return cudaSuccess;
    if (!on_device(pointer, count))
        return cudaErrorInvalidValue;
    if (kg__model_plans())
        return cudaSuccess;
    if (!is_sparse || value != 0)
        memset(pointer, value, count);
    kg__watch_written(pointer, count);
    return cudaSuccess;
}

cudaError_t kg__model_copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return copy(to, from, count, kind);
}

cudaError_t kg__model_allocate(void **pointer, size_t size)
{
    return allocate(pointer, size, KG__MODEL_DEVICE);
}

cudaError_t kg__model_release(void *pointer)
{
    return release(pointer, false);
}

/* Memory that the running kernel has freed: its accesses may not have been looked at yet. */
static void **dropped;
static size_t dropped_count;
static size_t dropped_room;

/* A kernel runs while its launch has the lock. */

void *kg__model_malloc(size_t size)
{
    void *memory = NULL;

    if (!kg__model_where(NULL))
        return malloc(size);
    return add(&memory, size, KG__MODEL_DEVICE) == cudaSuccess ? memory : NULL;
}

void kg__model_free(void *memory)
{
    if (!kg__model_where(NULL)) {
        free(memory);
        return;
    }
    dropped = kg__grow(dropped, dropped_count, &dropped_room, sizeof *dropped);
    dropped[dropped_count++] = memory;
}

void kg__model_free_dropped(void)
{
    while (dropped_count > 0)
        (void)remove_one(dropped[--dropped_count], false);
}

int kg__model_in_kernel(void)
{
    return kg__model_where(NULL);
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    KG__BEGIN_CALL();
    return kg__model_leave(allocate(pointer, size, KG__MODEL_DEVICE));
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return kg__model_leave(cudaErrorInvalidValue);
    return kg__model_leave(allocate(pointer, size, KG__MODEL_MANAGED));
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    const unsigned int known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;

    KG__BEGIN_CALL();
    if ((flags & ~known) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    return kg__model_leave(allocate(pointer, size, KG__MODEL_PINNED));
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

/* CUDA allows cudaMallocAsync() and cudaFreeAsync() while it captures a graph. */
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    KG__BEGIN_CALL();
    if (!kg__model_is_stream(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(add(pointer, size, KG__MODEL_DEVICE));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    KG__BEGIN_CALL();
    if (!kg__model_is_stream(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(remove_one(pointer, false));
}

cudaError_t kg__model_symbol_address(void **pointer, const void *symbol, size_t size)
{
    KG__BEGIN_CALL();
    if (pointer == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    *pointer = (void *)symbol;
    symbols = kg__grow(symbols, symbol_count, &symbol_room, sizeof *symbols);
    symbols[symbol_count++] = (variable){ symbol, size };
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaFree(void *pointer)
{
    KG__BEGIN_CALL();
    return kg__model_leave(release(pointer, false));
}

cudaError_t cudaFreeHost(void *pointer)
{
    KG__BEGIN_CALL();
    return kg__model_leave(release(pointer, true));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    KG__BEGIN_CALL();
    if (free_bytes == NULL || total_bytes == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    kg__model_memory_left(free_bytes, total_bytes);
    if (is_sparse)
        *free_bytes = *total_bytes = PTRDIFF_MAX;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    const kg__model_allocation *holder;

    KG__BEGIN_CALL();
    if (attributes == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered,
                                                  .device = -2,
                                                  .hostPointer = (void *)pointer };
    holder = kg__model_find(pointer);
    if (holder != NULL) {
        attributes->type = holder->kind == KG__MODEL_DEVICE    ? cudaMemoryTypeDevice
                           : holder->kind == KG__MODEL_MANAGED ? cudaMemoryTypeManaged
                                                               : cudaMemoryTypeHost;
        attributes->device = 0;
        attributes->devicePointer = (void *)pointer;
        if (holder->kind == KG__MODEL_DEVICE)
            attributes->hostPointer = NULL;
    }
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, count, kind, NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    KG__BEGIN_CALL();
    if (!kg__model_takes_work(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(copy(to, from, count, kind));
}

cudaError_t cudaMemset(void *pointer, int value, size_t count)
{
    return cudaMemsetAsync(pointer, value, count, NULL);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream)
{
    KG__BEGIN_CALL();
    if (!kg__model_takes_work(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(fill(pointer, value, count));
}

/* Checks a copy to or from a variable; its other side is at `other`. */
static cudaError_t check_symbol_copy(size_t size, size_t count, size_t offset, const void *other,
                                     enum cudaMemcpyKind kind, enum cudaMemcpyKind from_host,
                                     cudaStream_t stream)
{
    if (!kg__model_takes_work(stream))
        return cudaErrorInvalidResourceHandle;
    if (kind != from_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (offset > size || count > size - offset)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    if (other == NULL)
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyDeviceToDevice || (kind == cudaMemcpyDefault && is_device(other)))
        return on_device(other, count) ? cudaSuccess : cudaErrorInvalidValue;
    return on_host(other, count) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t kg__model_copy_to_symbol(void *symbol, size_t size, const void *from, size_t count,
                                     size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;

    KG__BEGIN_CALL();
    error = check_symbol_copy(size, count, offset, from, kind, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess && count > 0 && !kg__model_plans()) {
        memmove((unsigned char *)symbol + offset, from, count);
        kg__watch_written((unsigned char *)symbol + offset, count);
    }
    return kg__model_leave(error);
}

cudaError_t kg__model_copy_from_symbol(void *to, const void *symbol, size_t size, size_t count,
                                       size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;

    KG__BEGIN_CALL();
    error = check_symbol_copy(size, count, offset, to, kind, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess && count > 0 && !kg__model_plans()) {
        memmove(to, (const unsigned char *)symbol + offset, count);
        kg__watch_written(to, count);
    }
    return kg__model_leave(error);
}
