/* SPDX-License-Identifier: MIT */
/* Allocations: the device's memory in the process's address space, live and freed. Callers hold
 * the model's lock, except for functions that a signal handler may use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KG__MODEL_POISON 0xff /* fills memory that has not been written */

typedef enum kg__model_memory_kind {
    KG__MODEL_DEVICE,
    KG__MODEL_POOLED, /* the same, in the order of a stream */
    KG__MODEL_HEAP,   /* the same, that a kernel allocated: no call of the host may have it */
    KG__MODEL_MANAGED,
    KG__MODEL_PINNED,    /* page-locked host memory */
    KG__MODEL_REGISTERED /* the host's own, which the device can access too */
} kg__model_memory_kind;

/* One live allocation. */
typedef struct kg__model_allocation {
    unsigned char *base;
    size_t size; /* bytes */
    kg__model_memory_kind kind;
    uint64_t number;           /* counts the process's allocations from 1 */
    struct kg__region *region; /* what watching knows of it; NULL: nothing */
} kg__model_allocation;

/* Returns whether the host can access an allocation. */
static inline bool kg__model_is_host_visible(const kg__model_allocation *allocation)
{
    return allocation->kind > KG__MODEL_HEAP;
}

/* Returns how many of `count` items of `size` bytes have a base at `address` or below; they ascend
 * by that, which each has at `offset`. */
static inline size_t kg__model_rank(const void *items, size_t offset, size_t count, size_t size,
                                    uintptr_t address)
{
    size_t low = 0;

    while (low < count) {
        const size_t middle = low + (count - low) / 2;
        const void *base = (const char *)items + middle * size + offset;

        if (*(const uintptr_t *)base <= address)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Returns the live allocation that contains `address` (its end is outside), or NULL. Valid until
 * memory is allocated or freed. */
const kg__model_allocation *kg__model_find(const void *address);
/* Bounds of all allocations that there ever were. The host's loops look at these before each
 * access: a hook that searched took 30 times as long as the loop. */
extern __attribute__((visibility("hidden"))) uintptr_t kg__model_lowest, kg__model_highest;

/* Addresses: `bytes` of them, from `low` on. */
typedef struct kg__model_addresses {
    uintptr_t low;
    uintptr_t bytes;
} kg__model_addresses;

/* Where accesses matter. The host's functions compare with it, and call hooks only for accesses
 * there (harness/model/rewrite/block_heads.py). */
extern kg__model_addresses kg__model_looked_at;
/* Has accesses matter from `base` to `end`, and between there and where they do already. */
void kg__model_look_at(uintptr_t base, uintptr_t end);
/* Has accesses matter everywhere, as while a launch runs, whose lanes call the host's functions;
 * or there alone. */
void kg__model_look_everywhere(bool everywhere);

/* Returns the live allocation that contains `address` or whose gap does; or NULL. */
kg__model_allocation *kg__model_find_near(const void *address);
/* Returns the number of live allocations. */
size_t kg__model_allocation_count(void);
/* Returns the i-th live allocation by ascending base, or NULL; valid until memory is allocated
 * or freed. */
const kg__model_allocation *kg__model_allocation_at(size_t i);
/* Returns how many allocations there ever were, which is the number of the latest. */
uint64_t kg__model_allocated_ever(void);

/* A freed allocation, for messages. */
typedef struct kg__model_freed {
    unsigned char *base; /* the whole allocation */
    size_t size;         /* bytes */
    uintptr_t start;     /* the part that kernels were allowed to access */
    size_t bytes;
    char name[64];   /* its name in findings */
    uint64_t number; /* of the allocation */
} kg__model_freed;

/* Returns the freed allocation that contains `address`, or whose gap does; NULL if there is
 * none, or if it was freed too long ago: addresses of the last FREED_MAXIMUM are not reused
 * (allocations.c). Changes nothing, so a signal handler may call it. */
const kg__model_freed *kg__model_find_freed(const void *address);
/* Writes "a + 12 after a (256 bytes) was freed" to `text`, of `size` bytes; a signal handler may
 * call it. */
void kg__model_describe_freed(const kg__model_freed *freed, uintptr_t address, char *text,
                              size_t size);

/* Has `made` called with the number of each allocation that follows, before its call returns. */
void kg__model_on_allocation(void (*made)(uint64_t number));

/* Maps `size` bytes as a new allocation, not filled; NULL when there is no memory. */
unsigned char *kg__model_add_allocation(size_t size, kg__model_memory_kind kind);
/* Adds memory of the host's as an allocation; false if a part of it is one already. */
bool kg__model_register(unsigned char *base, size_t size);
/* Whether there ever was an allocation that the host can access. */
extern __attribute__((visibility("hidden"))) bool kg__model_host_visible_ever;
/* Removes the live allocation of a kind that begins at `base` (of device memory, managed memory
 * too), and copies its entry to `allocation`; false if not found. */
bool kg__model_remove_allocation(const void *base, kg__model_memory_kind kind,
                                 kg__model_allocation *allocation);
/* Unmaps a removed allocation. With `freed`, which messages use, its addresses are not reused
 * for a while. */
void kg__model_unmap_allocation(const kg__model_allocation *allocation,
                                const kg__model_freed *freed);
/* Gives up the addresses of all freed allocations. */
void kg__model_forget_freed(void);

/* Maps memory of the host with mmap()'s protection and further flags; NULL if no addresses are left
 * even after the addresses of freed memory were released. */
void *kg__model_map_addresses(size_t size, int protection, int flags);
/* Maps `size` bytes with `gap` inaccessible bytes before and after; NULL when there is no
 * memory. */
unsigned char *kg__model_map(size_t size, size_t gap);
/* From now on the device has `bytes` of memory, or half of the host's if that is less. */
void kg__model_set_memory(size_t bytes);
/* Writes the device's unallocated and total memory, in bytes. */
void kg__model_memory_left(size_t *left, size_t *total);
