/* SPDX-License-Identifier: MIT */
/* The CPU model's functions for mbarrier objects and bulk copies, for compiled kernels' inline PTX
 * and for the model itself. */
#pragma once

#include "kg_model_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initializes the mbarrier object at `word` for `expected` arrivals per phase. */
void kg__model_init_mbarrier(void *word, unsigned int expected);
/* Ends its life. */
void kg__model_invalidate_mbarrier(void *word);
/* Expects `bytes` more of the phase, then records `count` arrivals, `leaving` of them for the last
 * time; returns the phase. */
uint64_t kg__model_arrive_at_mbarrier(void *word, unsigned int count, unsigned int leaving,
                                      int64_t bytes);
/* Lets other threads run if a phase is incomplete: the one `phase`, or (`by_parity`) the last one
 * with that parity. */
kg__model_turn kg__model_try_mbarrier(void *word, uint64_t phase, int by_parity);
/* Returns the barrier that copies are bound to by kg__model_copy_async(). */
const void *kg__model_mbarrier_at(void *word);
/* Has such a barrier complete the calling thread's copies that none completes. */
void kg__model_bind_copies(const void *object);
/* Returns whether that phase is complete, and what it orders is visible. */
int kg__model_mbarrier_is_over(const void *word, uint64_t phase, int by_parity);

/* fence.proxy.async for shared memory (1), global memory (2), or both (3). */
void kg__model_fence_proxy(unsigned int spaces);
/* Copies `size` bytes from global to shared memory, which an mbarrier counts. */
void kg__model_bulk_load(void *to, const void *from, unsigned int size, void *word);
/* Copies `size` bytes from shared to global memory. */
void kg__model_bulk_store(void *to, const void *from, unsigned int size);
/* Changes an element of global memory by a value. */
typedef void kg__model_change(void *element, const void *value);
/* Changes elements of `element` bytes in global memory by those in shared memory. */
void kg__model_bulk_reduce(void *to, const void *from, unsigned int size, kg__model_change *change,
                           unsigned int element);
/* Copies a tensor map's box at `rank` coordinates to shared memory, which an mbarrier counts. */
void kg__model_tensor_load(void *to, const void *map, const int *at, int rank, void *word);
/* Copies such a box from shared memory. */
void kg__model_tensor_store(const void *map, const int *at, int rank, const void *from);
/* Changes a box of a tensor by that in shared memory: changes[i] for elements of type i of
 * CUtensorMapDataType, NULL where the type has no such operation. */
void kg__model_tensor_reduce(const void *map, const int *at, int rank, const void *from,
                             kg__model_change *const *changes);
/* Ends the calling thread's group of bulk stores, and begins the next. */
void kg__model_commit_bulk(void);
/* Waits for all groups of the calling thread except the `newest`. */
void kg__model_wait_for_bulk(unsigned int newest);

#ifdef __cplusplus
}

/* Lets other threads run where the phase is incomplete; returns whether it is complete. */
__attribute__((always_inline, unused)) static inline bool
kg__model_has_phase(void *word, uint64_t phase, bool by_parity)
{
    kg__model_pass(kg__model_try_mbarrier(word, phase, by_parity));
    return kg__model_mbarrier_is_over(word, phase, by_parity) != 0;
}
#endif
