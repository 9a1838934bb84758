/* SPDX-License-Identifier: MIT */
/* The device's memory: allocations, and copies of one row between them and the host. */
#include "model/runtime/runtime.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/runtime/arrays.h"
#include "model/runtime/calls.h"
#include "model/runtime/graph_parts.h"
#include "model/runtime/transfers.h"
#include "model/watch/places.h"
#include "model/watch/watcher.h"

#include <stdlib.h>
#include <string.h>

#define LARGE_MEMORY ((size_t)80 << 30) /* an H100's */
#define LARGE_FILLED ((size_t)1 << 30)

static size_t largest_filled = SIZE_MAX;
/* The bytes that kernels may have from their heap, and those that they have. */
static size_t heap_limit = (size_t)8 << 20;
static size_t heap_bytes;

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
        return cudaSuccess;
    kg__model_memory_left(&left, &total);
    /* Untouched memory takes no host memory. */
    if (!kg__model_plans() && !kg__is_sparse && size > (kind == KG__MODEL_PINNED ? total : left))
        return cudaErrorMemoryAllocation;
    base = kg__model_add_allocation(size, kind);
    if (base == NULL)
        return cudaErrorMemoryAllocation;
    if (!kg__model_plans() && !kg__is_sparse && size <= largest_filled)
        memset(base, KG__MODEL_POISON, size);
    *pointer = base;
    kg__note_pointer(pointer);
    return cudaSuccess;
}

/* Frees an allocation of a kind by its base. */
static cudaError_t remove_one(void *pointer, kg__model_memory_kind kind)
{
    kg__model_allocation allocation;
    const kg__model_freed *freed = kg__model_find_freed(pointer);

    cudaError_t error;

    if (pointer == NULL)
        return cudaSuccess;
    if (kind == KG__MODEL_DEVICE && kg__graph_frees(pointer, &error))
        return error;
    if (kg__model_remove_allocation(pointer, kind, &allocation)) {
        unmap(&allocation, true);
        return cudaSuccess;
    }
    if (freed != NULL && freed->base == pointer)
        kg__find_in_call(&(kg__finding){ .kind = KG__DOUBLE_FREE,
                                         .symbol = freed->name,
                                         .size = freed->bytes,
                                         .allocation = freed->number });
    return cudaErrorInvalidValue;
}

cudaError_t kg__model_allocate(void **pointer, size_t size, kg__model_memory_kind kind)
{
    const cudaError_t error = kg__capture_forbids();

    kg__model_note_uncapturable();
    return error == cudaSuccess ? add(pointer, size, kind) : error;
}

cudaError_t kg__model_release(void *pointer, kg__model_memory_kind kind)
{
    cudaError_t error = pointer != NULL ? kg__capture_forbids() : cudaSuccess;

    if (pointer != NULL && error == cudaSuccess)
        error = kg__queue_wait_for_all();
    kg__model_note_uncapturable();
    return error == cudaSuccess ? remove_one(pointer, kind) : error;
}

void kg__model_free_all(void)
{
    kg__model_allocation allocation;
    const kg__model_allocation *last;

    while ((last = kg__model_allocation_at(kg__model_allocation_count() - 1)) != NULL) {
        if (kg__model_remove_allocation(last->base, last->kind, &allocation) &&
            allocation.kind != KG__MODEL_REGISTERED)
            unmap(&allocation, false);
    }
    kg__model_forget_freed();
    heap_bytes = 0;
}

/* Memory that the running kernel has freed: its accesses may not have been looked at yet. */
static void **dropped;
static size_t dropped_count;
static size_t dropped_room;

static cudaError_t add_to_heap(void **pointer, size_t size, size_t limit)
{
    cudaError_t error = cudaErrorMemoryAllocation;

    if (heap_bytes <= limit && size <= limit - heap_bytes)
        error = add(pointer, size, KG__MODEL_HEAP);
    if (error == cudaSuccess)
        heap_bytes += size;
    return error;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF((unsigned int)limit > cudaLimitPersistingL2CacheSize, cudaErrorInvalidValue);
    /* A thread has 512 KiB of local memory, some of it the driver's. */
    KG__REFUSE_IF(limit == cudaLimitStackSize && value >= (512 << 10) - 16, cudaErrorInvalidValue);
    if (limit == cudaLimitMallocHeapSize)
        heap_limit = value;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF((unsigned int)limit > cudaLimitPersistingL2CacheSize, cudaErrorUnsupportedLimit);
    KG__REFUSE_IF(value == NULL, cudaErrorInvalidValue);
    *value = limit == cudaLimitStackSize        ? 1024
             : limit == cudaLimitPrintfFifoSize ? 1 << 20
             : limit == cudaLimitMallocHeapSize ? heap_limit
                                                : 0;
    return kg__model_leave(cudaSuccess);
}

static void *allocate_in_kernel(size_t size, size_t limit)
{
    void *memory = NULL;
    cudaError_t error;

    if (!kg__model_where(NULL))
        return malloc(size);
    (void)kg__model_enter_from_any(&error);
    (void)kg__model_leave(add_to_heap(&memory, size, limit));
    return memory;
}

void *kg__model_malloc(size_t size)
{
    return allocate_in_kernel(size, heap_limit);
}

void *kg__model_room(size_t size)
{
    return allocate_in_kernel(size, SIZE_MAX);
}

void kg__model_free(void *memory)
{
    const kg__model_allocation *holder;
    bool is_other;
    cudaError_t error;

    if (!kg__model_where(NULL)) {
        free(memory);
        return;
    }
    (void)kg__model_enter_from_any(&error);
    holder = kg__model_find(memory);
    is_other = holder != NULL && (holder->kind != KG__MODEL_HEAP || holder->base != memory);
    if (holder != NULL && !is_other)
        heap_bytes -= holder->size < heap_bytes ? holder->size : heap_bytes;
    *KG__ADD(dropped, dropped_count, dropped_room) = memory;
    (void)kg__model_leave(cudaSuccess);
    if (is_other)
        kg__model_trap(cudaErrorIllegalAddress,
                       "free() in a kernel of memory that no malloc() in a kernel returned");
}

void kg__model_free_dropped(void)
{
    while (dropped_count > 0)
        (void)remove_one(dropped[--dropped_count], KG__MODEL_HEAP);
}

void kg__model_move(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

int kg__model_in_kernel(void)
{
    return kg__model_where(NULL);
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    KG__BEGIN_CALL_OF_ANY();
    return kg__model_leave(kg__model_where(NULL)
                               ? add_to_heap(pointer, size, heap_limit)
                               : kg__model_allocate(pointer, size, KG__MODEL_DEVICE));
}

void *kg__model_keep_memory(void *former, size_t bytes)
{
    free(former);
    return bytes > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(flags != cudaMemAttachGlobal && flags != cudaMemAttachHost,
                  cudaErrorInvalidValue);
    return kg__model_leave(kg__model_allocate(pointer, size, KG__MODEL_MANAGED));
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    const unsigned int known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;

    KG__BEGIN_CALL();
    KG__REFUSE_IF((flags & ~known) != 0, cudaErrorInvalidValue);
    return kg__model_leave(kg__model_allocate(pointer, size, KG__MODEL_PINNED));
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

/* Memory that is allocated or freed in the order of a stream. */
typedef struct ordered_memory {
    kg__action action;
    void *pointer;
} ordered_memory;

static cudaError_t run_allocation(kg__action *action)
{
    (void)action;
    return cudaSuccess;
}

static cudaError_t run_free(kg__action *action)
{
    return remove_one(((ordered_memory *)(void *)action)->pointer, KG__MODEL_DEVICE);
}

static void unmap_of_graph(void *pointer)
{
    (void)remove_one(pointer, KG__MODEL_DEVICE);
}

/* Gives a stream an allocation, which has been made, or a free. */
static cudaError_t give_memory(void *pointer, cudaStream_t stream, bool frees)
{
    const kg__model_allocation *holder = kg__model_find(pointer);
    ordered_memory *made;

    if (!frees && kg__stream_is_captured(stream))
        return kg__graph_allocate(pointer, holder->size, stream, unmap_of_graph);
    /* A graph frees memory of graphs alone. */
    if (frees && kg__stream_is_captured(stream) && !kg__graph_has(pointer))
        return cudaErrorInvalidValue;
    if (!kg__is_of_program || holder == NULL)
        return frees ? remove_one(pointer, KG__MODEL_DEVICE) : cudaSuccess;
    made = kg__action_make(sizeof *made, frees ? "free" : "allocation",
                           frees ? run_free : run_allocation, NULL);
    made->pointer = pointer;
    kg__spans_add(&made->action.spans, true, (uintptr_t)holder->base, holder->size);
    return kg__stream_give(stream, frees ? cudaGraphNodeTypeMemFree : cudaGraphNodeTypeMemAlloc,
                           &made->action);
}

/* CUDA allows cudaMallocAsync() and cudaFreeAsync() while it captures a graph. */
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    cudaError_t error;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(kg__stream_of(stream) == NULL, cudaErrorInvalidResourceHandle);
    error =
        add(pointer, size, kg__stream_is_captured(stream) ? KG__MODEL_DEVICE : KG__MODEL_POOLED);
    return kg__model_leave(error == cudaSuccess ? give_memory(*pointer, stream, false) : error);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(kg__stream_of(stream) == NULL, cudaErrorInvalidResourceHandle);
    return kg__model_leave(give_memory(pointer, stream, true));
}

/* Memory of the host's own becomes memory that the device can access, where it is. */
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    const unsigned int known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                               cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(pointer == NULL || size == 0 || (flags & ~known) != 0, cudaErrorInvalidValue);
    return kg__model_leave(
        kg__model_register(pointer, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    kg__model_allocation allocation;
    kg__model_freed freed;
    cudaError_t error;

    KG__BEGIN_CALL();
    error = kg__queue_wait_for_all();
    KG__REFUSE_IF(error != cudaSuccess, error);
    KG__REFUSE_IF(!kg__model_remove_allocation(pointer, KG__MODEL_REGISTERED, &allocation),
                  cudaErrorHostMemoryNotRegistered);
    kg__watch_freed(&allocation, &freed);
    return kg__model_leave(cudaSuccess);
}

/* Returns whether `symbol` may be a variable of the device: it is not in the host's stack or heap,
 * nor, if it is to be written, a constant of the program such as a string. */
static bool may_be_symbol(const void *symbol, bool writes)
{
    if (writes ? kg__model_is_writable(symbol) : kg__model_in_image(symbol))
        return true;
    kg__find_in_call(&(kg__finding){ .kind = KG__NO_SYMBOL });
    return false;
}

cudaError_t kg__model_symbol_address(void **pointer, const void *symbol, size_t size)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(pointer == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(!may_be_symbol(symbol, false), cudaErrorInvalidSymbol);
    *pointer = (void *)symbol;
    kg__note_variable(symbol, size > 0 ? size : kg__model_bytes_at(symbol));
    return kg__model_leave(cudaSuccess);
}

/* Frees memory of a pool by cudaFree(), which does not wait for what uses it. */
static cudaError_t free_pooled(void *pointer)
{
    const cudaStream_t unordered = (cudaStream_t)kg__stream_create(cudaStreamNonBlocking, 0);
    const cudaError_t error = give_memory(pointer, unordered, true);

    (void)kg__stream_destroy(unordered);
    return error;
}

cudaError_t cudaFree(void *pointer)
{
    const kg__model_allocation *holder;

    if (kg__model_where(NULL)) {
        kg__model_free(pointer);
        return cudaSuccess;
    }
    KG__BEGIN_CALL();
    holder = kg__model_find(pointer);
    if (holder != NULL && holder->base == pointer && holder->kind == KG__MODEL_POOLED &&
        kg__is_of_program && kg__capture_forbids() == cudaSuccess)
        return kg__model_leave(free_pooled(pointer));
    return kg__model_leave(kg__model_release(pointer, KG__MODEL_DEVICE));
}

cudaError_t cudaFreeHost(void *pointer)
{
    KG__BEGIN_CALL();
    return kg__model_leave(kg__model_release(pointer, KG__MODEL_PINNED));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(free_bytes == NULL || total_bytes == NULL, cudaErrorInvalidValue);
    kg__model_memory_left(free_bytes, total_bytes);
    if (kg__is_sparse)
        *free_bytes = *total_bytes = PTRDIFF_MAX;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    const kg__model_allocation *holder;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(attributes == NULL, cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered,
                                                  .device = -2,
                                                  .hostPointer = (void *)pointer };
    holder = kg__model_find(pointer);
    if (holder != NULL) {
        attributes->type = holder->kind <= KG__MODEL_HEAP      ? cudaMemoryTypeDevice
                           : holder->kind == KG__MODEL_MANAGED ? cudaMemoryTypeManaged
                                                               : cudaMemoryTypeHost;
        attributes->device = 0;
        attributes->devicePointer = (void *)pointer;
        if (!kg__model_is_host_visible(holder))
            attributes->hostPointer = NULL;
    }
    return kg__model_leave(cudaSuccess);
}

/* Copies one row. */
static cudaError_t copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool waits)
{
    KG__ENTER(waits ? kg__model_enter : kg__model_enter_from_any);
    return kg__model_leave(kg__transfer(kg__side_of_rows(to, count), kg__side_of_rows(from, count),
                                        make_cudaExtent(count, 1, 1), kind, stream, waits));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return copy(to, from, count, kind, NULL, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(to, from, count, kind, stream, false);
}

cudaError_t kg__model_fill(void *pointer, size_t pitch, unsigned int value, unsigned int size,
                           size_t width, size_t height, cudaStream_t stream, int waits)
{
    KG__ENTER(waits != 0 ? kg__model_enter : kg__model_enter_from_any);
    return kg__model_leave(
        kg__fill(pointer, pitch, value, size, width, height, stream, waits != 0));
}

cudaError_t cudaMemset(void *pointer, int value, size_t count)
{
    return cudaMemset2D(pointer, count, value, count, 1);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream)
{
    return cudaMemset2DAsync(pointer, count, value, count, 1, stream);
}

cudaError_t kg__model_copy_symbol(const void *symbol, size_t size, const void *other, size_t count,
                                  size_t offset, enum cudaMemcpyKind kind,
                                  enum cudaMemcpyKind with_host, cudaStream_t stream, int waits)
{
    const bool to_symbol = with_host == cudaMemcpyHostToDevice;
    const kg__side sides[2] = { kg__side_of_rows((const char *)symbol + offset, count),
                                kg__side_of_rows(other, count) };

    KG__BEGIN_CALL();
    KG__REFUSE_IF(kind != with_host && kind != cudaMemcpyDeviceToDevice &&
                      kind != cudaMemcpyDefault,
                  cudaErrorInvalidMemcpyDirection);
    KG__REFUSE_IF(!may_be_symbol(symbol, to_symbol), cudaErrorInvalidSymbol);
    if (size == 0)
        size = kg__model_bytes_at(symbol);
    KG__REFUSE_IF(offset > size || count > size - offset, cudaErrorInvalidValue);
    if (!kg__is_device(symbol))
        kg__note_variable(symbol, size);
    return kg__model_leave(kg__transfer(sides[!to_symbol], sides[to_symbol],
                                        make_cudaExtent(count, 1, 1), kind, stream, waits != 0));
}
