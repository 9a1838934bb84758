/* SPDX-License-Identifier: MIT */
/* Objects with virtual functions that the host has made. Internal to watching, and to copies. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/watch/regions.h"

/* Looks for them in what the host has copied to the device: their tables of functions are the
 * host's. */
void kg__tables_copied(const void *to, size_t bytes);
/* Forgets them: the memory is written, or freed. */
void kg__tables_forget(const void *from, size_t bytes);
/* Finds that lanes read the address of such a table, at `offsets` from a region's start: a call, at
 * `code`, of a virtual function. */
void kg__tables_read(const kg__region *region, uintptr_t code, unsigned int count,
                     const uint32_t *offsets, const uint8_t *lanes, unsigned int first_thread);
