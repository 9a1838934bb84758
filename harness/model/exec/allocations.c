/* SPDX-License-Identifier: MIT */
/* Allocations: a registry of the live ones, and the addresses of those freed last. */
#include "model/exec/allocations.h"

#include "base/message.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Inaccessible bytes before and after an allocation: an access that is out of bounds by less
 * than this, or by less than the allocation's own size, ends the launch and corrupts nothing.
 * Whole pages, so allocations are aligned far beyond the 256 bytes that cudaMalloc() promises
 * and that sector counts depend on. */
#define GAP ((size_t)1 << 20)
/* Freed memory stays mapped and inaccessible, so that a stale pointer faults, until this many
 * more allocations are freed or freed ones take up this many bytes of addresses, gaps included.
 * It takes no host memory, and fits common limits of address space (ulimit -v). */
#define WIDEST 8 /* bytes of an access that host code compares for */
#define FREED_MAXIMUM 64
#define FREED_BYTES ((size_t)1 << 30)

/* Live allocations by ascending base. */
static kg__model_allocation *allocations;
static size_t allocation_count;
static size_t allocation_capacity;
static uint64_t allocated_ever;
bool kg__model_host_visible_ever;
static void (*on_allocation)(uint64_t number);
uintptr_t kg__model_lowest = UINTPTR_MAX;
uintptr_t kg__model_highest;
kg__model_addresses kg__model_looked_at;
static kg__model_addresses told; /* what kg__model_look_at() was called with, and all between */
static size_t device_bytes;      /* in live device and managed allocations */
static size_t largest_memory = (size_t)4 << 30;

/* The allocations freed last: a ring buffer, the oldest at freed_first. */
static kg__model_freed freed[FREED_MAXIMUM];
static size_t freed_first;
static size_t freed_count;
static size_t freed_bytes; /* of addresses, gaps included */

void kg__model_set_memory(size_t bytes)
{
    largest_memory = bytes;
}

static size_t total_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGE_SIZE);
    size_t half;

    if (pages <= 0 || page <= 0)
        return largest_memory;
    half = (size_t)pages / 2 * (size_t)page;
    return half < largest_memory ? half : largest_memory;
}

/* Returns the number of allocations whose base is not above `address`. */
static size_t rank_of(const void *address)
{
    return kg__model_rank(allocations, offsetof(kg__model_allocation, base), allocation_count,
                          sizeof *allocations, (uintptr_t)address);
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

/* Around memory of the host's own is no gap. */
static size_t gap_around(const kg__model_allocation *allocation)
{
    return allocation->kind != KG__MODEL_REGISTERED ? gap_of(allocation->size) : 0;
}

kg__model_allocation *kg__model_find_near(const void *address)
{
    size_t rank = rank_of(address);

    if (rank > 0) {
        kg__model_allocation *below = &allocations[rank - 1];

        if ((uintptr_t)address - (uintptr_t)below->base < below->size + gap_around(below))
            return below;
    }
    if (rank < allocation_count) {
        kg__model_allocation *above = &allocations[rank];

        if ((uintptr_t)above->base - (uintptr_t)address <= gap_around(above))
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

void kg__model_on_allocation(void (*made)(uint64_t number))
{
    on_allocation = made;
}

void kg__model_look_at(uintptr_t base, uintptr_t end)
{
    const uintptr_t low = base - (WIDEST - 1); /* of an access that ends there */
    const uintptr_t old_end = told.low + told.bytes;

    if (told.bytes == 0 || low < told.low)
        told.low = low;
    told.bytes = (end > old_end ? end : old_end) - told.low;
    kg__model_look_everywhere(kg__model_looked_at.bytes == UINTPTR_MAX);
}

void kg__model_look_everywhere(bool everywhere)
{
    kg__model_looked_at = everywhere ? (kg__model_addresses){ 0, UINTPTR_MAX } : told;
}

static bool is_of_device(kg__model_memory_kind kind)
{
    return kind <= KG__MODEL_MANAGED;
}

static void add_allocation(unsigned char *base, size_t size, kg__model_memory_kind kind)
{
    /* The rest of the last page belongs to it: an overrun there does not fault. */
    const uintptr_t page_end = ((uintptr_t)base + size) / 4096 * 4096 + 4096;
    size_t rank = rank_of(base);

    allocations =
        kg__grow(allocations, allocation_count, &allocation_capacity, sizeof *allocations);
    memmove(&allocations[rank + 1], &allocations[rank],
            (allocation_count - rank) * sizeof *allocations);
    allocations[rank] = (kg__model_allocation){
        .base = base, .size = size, .kind = kind, .number = ++allocated_ever
    };
    allocation_count++;
    if ((uintptr_t)base < kg__model_lowest)
        kg__model_lowest = (uintptr_t)base;
    if (page_end > kg__model_highest)
        kg__model_highest = page_end;
    kg__model_look_at((uintptr_t)base, page_end);
    kg__model_host_visible_ever |= kg__model_is_host_visible(&allocations[rank]);
    if (is_of_device(kind))
        device_bytes += size;
    if (on_allocation != NULL)
        on_allocation(allocated_ever);
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
        const kg__model_freed *last = &freed[(freed_first + i) % FREED_MAXIMUM];

        if ((uintptr_t)address - (uintptr_t)(last->base - gap_of(last->size)) <
            mapped_size(last->size))
            return last;
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

/* Unmaps the allocation freed longest ago. */
static void forget_oldest_freed(void)
{
    const kg__model_freed *oldest = &freed[freed_first];

    munmap(oldest->base - gap_of(oldest->size), mapped_size(oldest->size));
    freed_bytes -= mapped_size(oldest->size);
    freed_first = (freed_first + 1) % FREED_MAXIMUM;
    freed_count--;
}

void kg__model_forget_freed(void)
{
    while (freed_count > 0)
        forget_oldest_freed();
}

/* Of allocations, apart from the host's own memory: the host's accesses are looked at where they
 * lie between two allocations (is_of_host_alone()). */
#define FIRST_ADDRESS ((uintptr_t)1 << 45)
#define END_OF_ADDRESSES ((uintptr_t)1 << 46)

void *kg__model_map_addresses(size_t size, int protection, int flags)
{
    static uintptr_t next = FIRST_ADDRESS; /* a hint, which the kernel may ignore */
    const int all = flags | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *mapped = mmap((void *)next, size, protection, all, -1, 0);

    if (mapped == MAP_FAILED && freed_count > 0) {
        kg__model_forget_freed();
        mapped = mmap(NULL, size, protection, all, -1, 0);
    }
    if (mapped == MAP_FAILED)
        return NULL;
    next = (uintptr_t)mapped + size;
    if (next < FIRST_ADDRESS || next > END_OF_ADDRESSES)
        next = FIRST_ADDRESS;
    return mapped;
}

/* Returns the memory of an allocation to the host, and keeps its addresses; false if they are
 * too many, or the host refuses. */
static bool remember_freed(const kg__model_freed *last)
{
    size_t size = mapped_size(last->size);
    const void *kept;

    if (size > FREED_BYTES)
        return false;
    kept = mmap(last->base, last->size, PROT_NONE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED)
        return false;
    while (freed_count == FREED_MAXIMUM || freed_bytes + size > FREED_BYTES)
        forget_oldest_freed();
    freed[(freed_first + freed_count++) % FREED_MAXIMUM] = *last;
    freed_bytes += size;
    return true;
}

unsigned char *kg__model_add_allocation(size_t size, kg__model_memory_kind kind)
{
    unsigned char *base = kg__model_map(size, gap_of(size));

    if (base != NULL)
        add_allocation(base, size, kind);
    return base;
}

bool kg__model_register(unsigned char *base, size_t size)
{
    const size_t rank = rank_of(base + size - 1);

    if (rank > 0 && allocations[rank - 1].base + allocations[rank - 1].size > base)
        return false;
    add_allocation(base, size, KG__MODEL_REGISTERED);
    return true;
}

bool kg__model_remove_allocation(const void *base, kg__model_memory_kind kind,
                                 kg__model_allocation *allocation)
{
    size_t rank = rank_of(base);
    kg__model_memory_kind has;

    if (rank == 0 || allocations[rank - 1].base != base)
        return false;
    has = allocations[rank - 1].kind;
    if (has != kind &&
        (kind != KG__MODEL_DEVICE || (has != KG__MODEL_MANAGED && has != KG__MODEL_POOLED)))
        return false;
    *allocation = allocations[rank - 1];
    memmove(&allocations[rank - 1], &allocations[rank],
            (allocation_count - rank) * sizeof *allocations);
    allocation_count--;
    if (is_of_device(kind))
        device_bytes -= allocation->size;
    return true;
}

void kg__model_unmap_allocation(const kg__model_allocation *allocation,
                                const kg__model_freed *remembered)
{
    if (remembered == NULL || !remember_freed(remembered))
        munmap(allocation->base - gap_of(allocation->size), mapped_size(allocation->size));
}
