/* SPDX-License-Identifier: MIT */
/* Requests: the cost of one access by a warp, and the memory that it accesses. Internal to
 * watching. */
#pragma once

#include "model/watch/regions.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets what requests are used for: a sum of KG__MODEL_COUNT and KG__MODEL_CHECK. Forgets all
 * sites' counts. */
void kg__requests_begin(unsigned int what);
/* Keeps where launches access memory, from now on or no longer. */
void kg__requests_track(bool tracks);
/* Stops checking requests against the shadow of memory. */
void kg__requests_stop_checking(void);

/* Sets the warp of the running block that makes the following requests. */
void kg__request_begin_warp(unsigned int warp);

/* Handles a request of `count` lanes (`lanes` NULL: lane i is i) at `code`, of a kind as in
 * trace.h. */
void kg__request_take(uintptr_t code, unsigned int kind, unsigned int count,
                      const uint64_t *addresses, const uint8_t *lanes);

/* Notes that this launch has read or written `bytes` of global memory, if anything needs to know.
 */
void kg__requests_mark(kg__region *region, bool written, uint32_t offset, uint32_t bytes);
/* Adds accesses that another process has handled. */
void kg__requests_add(uint64_t more);
/* Returns the single lanes' accesses handled since kg__requests_begin(). */
uint64_t kg__requests_accesses(void);
/* Raises `block` to the running block's requests and `warp` to those of its busiest warp, if
 * they are greater. */
void kg__requests_of_block(uint64_t *block, uint64_t *warp);
/* Returns the requests counted for each warp of the running block, KG__MODEL_MAX_WARPS entries.
 * Code that begins or resumes a block sets them. */
uint64_t *kg__requests_of_warps(void);
