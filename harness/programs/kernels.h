/* SPDX-License-Identifier: MIT */
/* The counters of each kernel of a program, by the shape of its launches. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Counts each launch that follows for its kernel and shape. */
void kg__program_kernels_begin(void);

/* The kernels that were launched, in any shape. */
size_t kg__program_kernel_count(void);
/* All their launches. */
size_t kg__program_launch_count(void);

/* The counters, owned by the caller: [{"name", "grid": [4, 1, 1], "block": [64, 1, 1], "counters":
 * {"launches": 3, ...}, "accesses"}] in the order of their first launch; a counter that is 0 is
 * left out. */
json_t *kg__program_kernels_json(void);
