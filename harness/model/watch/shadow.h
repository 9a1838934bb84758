/* SPDX-License-Identifier: MIT */
/* The shadow of memory: the last writer and readers of each byte, to find reads of unwritten
 * memory and pairs of unordered accesses. Internal to watching. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/include/kg_model_device.h"
#include "model/watch/sites.h"

/* Begins a launch: all accesses of earlier launches happen before its own. */
void kg__shadow_begin_launch(void);
/* Notes that all threads of the block are at a barrier, which orders the accesses before and
 * after it. */
void kg__shadow_barrier(void);
/* Notes that some threads have ended a phase of a barrier. */
void kg__shadow_complete(kg__model_barrier_object *object);
/* Ends the running block's last interval. */
void kg__shadow_end_block(void);

/* Suspends the running block, which has ended an interval and waits for its grid. Returns the
 * state of its shared memory for kg__shadow_resume_block(). */
void *kg__shadow_suspend_block(void);
/* Resumes a block after the grid's barrier; frees its saved state. */
void kg__shadow_resume_block(void *suspended);

/* Whether the running block has made asynchronous copies. */
extern KG__HIDDEN bool kg__shadow_has_copies;
/* Gives a region one cell per byte. */
void kg__shadow_refine(kg__region *region);
/* Checks the accesses of `count` lanes to `region`, at `offsets` from its start, against its
 * last accesses. */
void kg__shadow_take(kg__region *region, const kg__site *site, unsigned int kind,
                     unsigned int count, const uint32_t *offsets, const uint8_t *lanes,
                     unsigned int first_thread);

/* Completes a thread's asynchronous copy, for itself or (`by` not NULL) for those that wait for a
 * barrier; or a read. `waits`: KG__OF_GROUP or KG__OF_WARP for a product's read. */
void kg__shadow_copied(kg__region *region, uint32_t offset, unsigned int bytes, unsigned int thread,
                       unsigned int waits, kg__model_barrier_object *by);

/* Marks `bytes` from `address` of a region as written by the host, or (`written` false) as never
 * written. */
void kg__shadow_set(kg__region *region, uintptr_t address, size_t bytes, bool written);
