/* SPDX-License-Identifier: MIT */
/* Large arrays, worked on by several threads. */
#pragma once

#include <stddef.h>

/* Works on `count` elements from number `from` on. Threads call it for different elements. */
typedef void kg__share_work(void *context, size_t from, size_t count);

/* Calls `work` for elements 0 to `count` - 1 and returns when all is done. Large counts are split
 * among threads, this one included. */
void kg__share_out(kg__share_work *work, void *context, size_t count);
