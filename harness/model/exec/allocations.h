/* Allocations: the device's memory in the process's address space, live and freed. Calls come with
 * the model's lock held, but for those that a signal handler may use. */
#ifndef KG__MODEL_EXEC_ALLOCATIONS_H
#define KG__MODEL_EXEC_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KG__MODEL_POISON 0xff /* fills memory that is not written yet */

typedef enum kg__model_memory_kind {
    KG__MODEL_DEVICE,
    KG__MODEL_MANAGED,
    KG__MODEL_PINNED /* page-locked host memory */
} kg__model_memory_kind;

/* One live allocation. */
typedef struct kg__model_allocation {
    unsigned char *base;
    size_t size; /* bytes */
    kg__model_memory_kind kind;
    uint64_t number; /* counts the process's allocations from 1 */
} kg__model_allocation;

/* The live allocation that `address` lies in (its end is outside), or NULL. The pointer is valid
 * until memory is next allocated or freed. */
const kg__model_allocation *kg__model_find(const void *address);
/* Bounds of all allocations that there ever were. The host's loops look at these before each
 * access: a hook that searched took 30 times as long as the loop. */
extern __attribute__((visibility("hidden"))) uintptr_t kg__model_lowest, kg__model_highest;
/* The live allocation that `address` lies in, or so near to that nothing else can be there; or
 * NULL. */
const kg__model_allocation *kg__model_find_near(const void *address);
/* The number of live allocations. */
size_t kg__model_allocation_count(void);
/* The i-th of them by ascending base, or NULL; valid until memory is next allocated or freed. */
const kg__model_allocation *kg__model_allocation_at(size_t i);
/* How many there ever were: the number of the latest. */
uint64_t kg__model_allocated_ever(void);

/* A freed allocation, for messages. */
typedef struct kg__model_freed {
    unsigned char *base; /* the whole of it */
    size_t size;         /* bytes */
    uintptr_t start;     /* the part that kernels were to touch */
    size_t bytes;
    char name[64];   /* as findings call it */
    uint64_t number; /* of the allocation */
} kg__model_freed;

/* Finds the freed allocation that `address` lies in, or so near to that nothing else can be there.
 * NULL without one, or if it was freed too long ago: addresses of the last FREED_MAXIMUM of
 * them are not used again (allocations.c). Changes nothing, so that a signal handler may call it.
 */
const kg__model_freed *kg__model_find_freed(const void *address);
/* Writes "a + 12 after a (256 bytes) was freed" to `text`, of `size` bytes; a signal handler may
 * call it. */
void kg__model_describe_freed(const kg__model_freed *freed, uintptr_t address, char *text,
                              size_t size);

/* Has `made` called with the number of each allocation that follows, before its call returns. */
void kg__model_on_allocation(void (*made)(uint64_t number));

/* Maps `size` bytes as a new allocation, which is not filled; NULL when there is no memory. */
unsigned char *kg__model_add_allocation(size_t size, kg__model_memory_kind kind);
/* Removes the live allocation that begins at `base`, of pinned memory or of the other kinds, from
 * the live ones and copies it to `allocation`; false without one. */
bool kg__model_remove_allocation(const void *base, bool pinned, kg__model_allocation *allocation);
/* Unmaps a removed allocation. With `freed`, which messages about it use, its addresses are not
 * used again for a while. */
void kg__model_unmap_allocation(const kg__model_allocation *allocation,
                                const kg__model_freed *freed);
/* Gives up the addresses of everything that was freed. */
void kg__model_forget_freed(void);

/* Maps memory of the host by mmap()'s protection and further flags; NULL if there is no more,
 * although addresses of freed memory were released for it. */
void *kg__model_map_addresses(size_t size, int protection, int flags);
/* Maps `size` bytes with `gap` bytes before and after them that cannot be touched; NULL when there
 * is no memory. */
unsigned char *kg__model_map(size_t size, size_t gap);
/* Memory of the device that is not allocated, and all of it; bytes. */
void kg__model_memory_left(size_t *left, size_t *total);

#endif
