/* SPDX-License-Identifier: MIT */
/* Requests: the cost of one access by a warp, and the memory that it accesses. Internal to
 * watching. */
#pragma once

#include "model/exec/launch.h"
#include "model/watch/regions.h"

#include <stdbool.h>
#include <stdint.h>

/* What requests are used for, and how many there were. */
struct kg__requests {
    bool counting;     /* for their cost */
    bool checking;     /* against the shadow of memory */
    bool tracking;     /* for where launches access memory */
    uint64_t accesses; /* of single lanes, also those that another process has handled */
    /* Of each warp of the running block. Code that begins or resumes a block sets them. */
    uint64_t of_warps[KG__MODEL_MAX_WARPS];
};

extern KG__HIDDEN struct kg__requests kg__requests;

/* Sets the warp of the running block that makes the following requests. */
void kg__request_begin_warp(unsigned int warp);

/* Handles a request of `count` lanes (`lanes` NULL: lane i is i) at `code`, of a kind as in
 * trace.h. */
void kg__request_take(uintptr_t code, unsigned int kind, unsigned int count,
                      const uint64_t *addresses, const uint8_t *lanes);

/* Notes that this launch has read or written `bytes` of global memory, if anything needs to know.
 */
void kg__requests_mark(kg__region *region, bool written, uint32_t offset, uint32_t bytes);
/* Raises `busiest` to the running block's requests [0] and to those of its busiest warp [1], if
 * they are greater. */
void kg__requests_of_block(uint64_t busiest[2]);
