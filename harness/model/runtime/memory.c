/* Global memory of the CPU model: a registry of allocations, and the copies between them and the
 * host. */
#include "model/model.h"

#include "base/message.h"
#include "model/watch/requests.h"
#include "model/watch/shadow.h"
#include "model/watch/watching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What lies before and behind an allocation and cannot be touched: an access that goes astray by
 * less, or by less than the allocation's own size, ends the launch and hits nothing else. Whole
 * pages, so that allocations are aligned far beyond the 256 bytes that cudaMalloc() promises and
 * that counts of sectors depend on. */
#define GAP ((size_t)1 << 20)
/* What is freed stays mapped, and cannot be touched, until so many more are freed or they take up
 * so many bytes of addresses, gaps among them: whoever still has a pointer to it finds nothing else
 * there. It takes none of the host's memory, and of its addresses little enough for whoever limits
 * them (ulimit -v). */
#define FREED_MAXIMUM 64
#define FREED_BYTES ((size_t)1 << 30)
/* The most that the model offers; a small machine offers half of what it has. */
#define LARGEST_MEMORY ((size_t)4 << 30)

/* Live allocations by ascending base. */
static kg__model_allocation *allocations;
static size_t allocation_count;
static size_t allocation_capacity;
static uint64_t allocated_ever;
static size_t device_bytes; /* in live device and managed allocations */

/* The allocations freed last, the oldest at freed_first, from there on around. */
static kg__model_freed freed[FREED_MAXIMUM];
static size_t freed_first;
static size_t freed_count;
static size_t freed_bytes; /* of addresses, gaps among them */

static size_t total_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGE_SIZE);
    size_t half;

    if (pages <= 0 || page <= 0)
        return LARGEST_MEMORY;
    half = (size_t)pages / 2 * (size_t)page;
    return half < LARGEST_MEMORY ? half : LARGEST_MEMORY;
}

/* The number of allocations whose base is not above `address`. */
static size_t rank_of(const void *address)
{
    size_t low = 0;
    size_t high = allocation_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)allocations[middle].base <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const kg__model_allocation *kg__model_find(const void *address)
{
    size_t rank = rank_of(address);
    const kg__model_allocation *below;

    if (rank == 0)
        return NULL;
    below = &allocations[rank - 1];
    return (uintptr_t)address - (uintptr_t)below->base < below->size ? below : NULL;
}

size_t kg__model_allocation_count(void)
{
    return allocation_count;
}

static size_t gap_of(size_t size)
{
    return size > GAP ? (size + GAP - 1) / GAP * GAP : GAP;
}

const kg__model_allocation *kg__model_find_near(const void *address)
{
    size_t rank = rank_of(address);

    if (rank > 0) {
        const kg__model_allocation *below = &allocations[rank - 1];

        if ((uintptr_t)address - (uintptr_t)below->base < below->size + gap_of(below->size))
            return below;
    }
    if (rank < allocation_count) {
        const kg__model_allocation *above = &allocations[rank];

        if ((uintptr_t)above->base - (uintptr_t)address <= gap_of(above->size))
            return above;
    }
    return NULL;
}

uint64_t kg__model_allocated_ever(void)
{
    return allocated_ever;
}

const kg__model_allocation *kg__model_allocation_at(size_t i)
{
    return i < allocation_count ? &allocations[i] : NULL;
}

void kg__model_memory_left(size_t *left, size_t *total)
{
    *total = total_memory();
    *left = *total > device_bytes ? *total - device_bytes : 0;
}

static void add_allocation(unsigned char *base, size_t size, kg__model_memory_kind kind)
{
    size_t rank = rank_of(base);

    allocations =
        kg__grow(allocations, allocation_count, &allocation_capacity, sizeof *allocations);
    memmove(&allocations[rank + 1], &allocations[rank],
            (allocation_count - rank) * sizeof *allocations);
    allocations[rank] = (kg__model_allocation){
        .base = base, .size = size, .kind = kind, .number = ++allocated_ever
    };
    allocation_count++;
    if (kind != KG__MODEL_PINNED)
        device_bytes += size;
}

unsigned char *kg__model_map(size_t size, size_t gap)
{
    unsigned char *mapped = kg__model_map_addresses(size + 2 * gap, PROT_NONE, 0);

    if (mapped == NULL)
        return NULL;
    if (mprotect(mapped + gap, size, PROT_READ | PROT_WRITE) == 0)
        return mapped + gap;
    munmap(mapped, size + 2 * gap);
    return NULL;
}

static size_t mapped_size(size_t size)
{
    return size + 2 * gap_of(size);
}

const kg__model_freed *kg__model_find_freed(const void *address)
{
    for (size_t i = 0; i < freed_count; i++) {
        const kg__model_freed *one = &freed[(freed_first + i) % FREED_MAXIMUM];

        if ((uintptr_t)address - (uintptr_t)(one->base - gap_of(one->size)) <
            mapped_size(one->size))
            return one;
    }
    return NULL;
}

void kg__model_describe_freed(const kg__model_freed *freed, uintptr_t address, char *text,
                              size_t size)
{
    bool behind = address >= freed->start;

    snprintf(text, size, "%s %c %llu after %s (%zu bytes) was freed", freed->name,
             behind ? '+' : '-',
             (unsigned long long)(behind ? address - freed->start : freed->start - address),
             freed->name, freed->bytes);
}

/* Lets go of the addresses that have been freed longest. */
static void forget_oldest_freed(void)
{
    const kg__model_freed *oldest = &freed[freed_first];

    munmap(oldest->base - gap_of(oldest->size), mapped_size(oldest->size));
    freed_bytes -= mapped_size(oldest->size);
    freed_first = (freed_first + 1) % FREED_MAXIMUM;
    freed_count--;
}

static void forget_freed(void)
{
    while (freed_count > 0)
        forget_oldest_freed();
}

void *kg__model_map_addresses(size_t size, int protection, int flags)
{
    const int all = flags | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *mapped = mmap(NULL, size, protection, all, -1, 0);

    if (mapped == MAP_FAILED && freed_count > 0) {
        forget_freed();
        mapped = mmap(NULL, size, protection, all, -1, 0);
    }
    if (mapped == MAP_FAILED)
        return NULL;
    return mapped;
}

/* Gives the memory of an allocation back to the host, and keeps its addresses; false where they are
 * too many, or the host does not do it. `region` is NULL where nothing was asked of it. */
static bool remember_freed(const kg__model_allocation *allocation, const kg__region *region)
{
    size_t size = mapped_size(allocation->size);
    kg__model_freed *last;
    const void *kept;

    if (size > FREED_BYTES)
        return false;
    kept = mmap(allocation->base, allocation->size, PROT_NONE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED)
        return false;
    while (freed_count == FREED_MAXIMUM || freed_bytes + size > FREED_BYTES)
        forget_oldest_freed();
    last = &freed[(freed_first + freed_count++) % FREED_MAXIMUM];
    freed_bytes += size;
    *last = (kg__model_freed){ .base = allocation->base,
                               .size = allocation->size,
                               .start = (uintptr_t)allocation->base,
                               .bytes = allocation->size };
    if (region != NULL) {
        last->start = region->start;
        last->bytes = region->bytes;
        kg__format(last->name, sizeof last->name, "%s", region->name);
    } else {
        kg__format(last->name, sizeof last->name, "allocation %llu",
                   (unsigned long long)allocation->number);
    }
    return true;
}

static void unmap(const kg__model_allocation *allocation, bool remember)
{
    kg__region *region = kg__region_of(allocation->base);
    bool remembered = remember && remember_freed(allocation, region);

    if (region != NULL) {
        kg__requests_forget_region(region);
        kg__region_drop(allocation->base);
    }
    if (!remembered)
        munmap(allocation->base - gap_of(allocation->size), mapped_size(allocation->size));
}

/* Counts a copy or fill of `count` bytes, and keeps in mind that they are written, where they are
 * of an allocation. */
static void note_written(const void *pointer, size_t count)
{
    kg__region *region;

    kg__watch_copy(count);
    if (!kg__watch_checks() || kg__model_find(pointer) == NULL)
        return;
    region = kg__region_at((uintptr_t)pointer);
    kg__shadow_set(region, (uintptr_t)pointer, count, true);
}

static cudaError_t allocate(void **pointer, size_t size, kg__model_memory_kind kind)
{
    size_t left;
    size_t total;
    unsigned char *base;

    kg__model_note_uncapturable();
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return kind == KG__MODEL_MANAGED ? cudaErrorInvalidValue : cudaSuccess;
    kg__model_memory_left(&left, &total);
    /* Memory that nothing touches takes none of the host's. */
    if (!kg__model_plans() && size > (kind == KG__MODEL_PINNED ? total : left))
        return cudaErrorMemoryAllocation;
    base = kg__model_map(size, gap_of(size));
    if (base == NULL)
        return cudaErrorMemoryAllocation;
    if (!kg__model_plans())
        memset(base, KG__MODEL_POISON, size);
    add_allocation(base, size, kind);
    *pointer = base;
    return cudaSuccess;
}

/* Frees an allocation by its base, of pinned memory or of the other kinds. */
static cudaError_t release(void *pointer, bool pinned)
{
    size_t rank = rank_of(pointer);
    kg__model_allocation found;

    kg__model_note_uncapturable();
    if (pointer == NULL)
        return cudaSuccess;
    if (rank == 0 || allocations[rank - 1].base != pointer ||
        (allocations[rank - 1].kind == KG__MODEL_PINNED) != pinned)
        return cudaErrorInvalidValue;
    found = allocations[rank - 1];
    memmove(&allocations[rank - 1], &allocations[rank],
            (allocation_count - rank) * sizeof *allocations);
    allocation_count--;
    if (!pinned)
        device_bytes -= found.size;
    unmap(&found, true);
    return cudaSuccess;
}

void kg__model_free_all(void)
{
    for (size_t i = 0; i < allocation_count; i++)
        unmap(&allocations[i], false);
    forget_freed();
    free(allocations);
    allocations = NULL;
    allocation_count = 0;
    allocation_capacity = 0;
    device_bytes = 0;
}

/* What is wrong with the device's side of a copy: it must lie within one allocation. Pinned memory
 * is mapped into the device's addresses. */
static bool on_device(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);

    return holder != NULL && count <= holder->size - ((uintptr_t)pointer - (uintptr_t)holder->base);
}

/* The same of the host's side: memory that the model has never heard of is the host's own. */
static bool on_host(const void *pointer, size_t count)
{
    const kg__model_allocation *holder = kg__model_find(pointer);

    return holder == NULL || (holder->kind != KG__MODEL_DEVICE && on_device(pointer, count));
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
        to_device = kg__model_find(to) != NULL;
        from_device = kg__model_find(from) != NULL;
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
        note_written(to, count);
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
    memset(pointer, value, count);
    note_written(pointer, count);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    cudaError_t error;

    return kg__model_enter(&error) ? kg__model_leave(allocate(pointer, size, KG__MODEL_DEVICE))
                                   : error;
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return kg__model_leave(cudaErrorInvalidValue);
    return kg__model_leave(allocate(pointer, size, KG__MODEL_MANAGED));
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    const unsigned int known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    if ((flags & ~known) != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    return kg__model_leave(allocate(pointer, size, KG__MODEL_PINNED));
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFree(void *pointer)
{
    cudaError_t error;

    return kg__model_enter(&error) ? kg__model_leave(release(pointer, false)) : error;
}

cudaError_t cudaFreeHost(void *pointer)
{
    cudaError_t error;

    return kg__model_enter(&error) ? kg__model_leave(release(pointer, true)) : error;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    if (free_bytes == NULL || total_bytes == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
    kg__model_memory_left(free_bytes, total_bytes);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    const kg__model_allocation *holder;
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
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
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
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
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    if (!kg__model_takes_work(stream))
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    return kg__model_leave(fill(pointer, value, count));
}

/* What is wrong with a copy to or from a variable, whose other side is at `other`. */
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
    if (kind == cudaMemcpyDeviceToDevice || (kind == cudaMemcpyDefault && kg__model_find(other)))
        return on_device(other, count) ? cudaSuccess : cudaErrorInvalidValue;
    return on_host(other, count) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t kg__model_copy_to_symbol(void *symbol, size_t size, const void *from, size_t count,
                                     size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    error = check_symbol_copy(size, count, offset, from, kind, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess && count > 0 && !kg__model_plans()) {
        memmove((unsigned char *)symbol + offset, from, count);
        note_written((unsigned char *)symbol + offset, count);
    }
    return kg__model_leave(error);
}

cudaError_t kg__model_copy_from_symbol(void *to, const void *symbol, size_t size, size_t count,
                                       size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;

    if (!kg__model_enter(&error))
        return error;
    error = check_symbol_copy(size, count, offset, to, kind, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess && count > 0 && !kg__model_plans()) {
        memmove(to, (const unsigned char *)symbol + offset, count);
        note_written(to, count);
    }
    return kg__model_leave(error);
}
