/* SPDX-License-Identifier: MIT */
/* What CUDA sources call in kernels and on the host: `new`, `delete` and clock(). */
#pragma once

#include <stddef.h>

/* Stands for `new` of `size` bytes, arrays included. */
void *kg__program_new(size_t size);
/* Stands for `delete`, arrays included; memory may be NULL. */
void kg__program_delete(void *memory);
/* Stands for clock(): in a kernel cycles, as of clock64(), else the processor time of the process.
 */
long kg__program_clock(void);
