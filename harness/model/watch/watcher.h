/* SPDX-License-Identifier: MIT */
/* The runtime's interface to watching: launches, and the host's writes to memory. Internal to
 * the model. */
#pragma once

#include "model/exec/allocations.h"
#include "model/exec/launch.h"
#include "model/watch/spans.h"

/* Returns the watcher of launches; NULL while nothing is watched. */
const kg__exec_watcher *kg__watch_watcher(void);
/* Returns whether a launch of `blocks` blocks must not run: a sampled launch before it left memory
 * unwritten, so its findings would be false. If it is to be counted, it runs and is no longer
 * checked. */
bool kg__watch_skips(uint64_t blocks);
/* Returns whether accesses are checked, not only counted. */
bool kg__watch_checks(void);
/* Marks this program's kernels as instrumented. */
void kg__watch_instrumented(void);

/* From now on launches add the global memory that they access to `spans` (NULL: no longer). Returns
 * what they added it to. */
kg__spans *kg__watch_track(kg__spans *spans);
/* Has `accessed` called for the accesses by the host's code to memory that it and the device can
 * access: `kind` as in trace.h, `code` where the hook returns to. */
void kg__watch_on_host_access(void (*accessed)(uintptr_t address, unsigned int kind,
                                               uintptr_t code));

/* Ends the launch because a copy's source was written before the wait for the copy. */
void kg__fail_overwritten(void) __attribute__((noreturn));

/* Has `ended` called at the end of each block that is watched. */
void kg__watch_on_block_end(void (*ended)(void));

/* Notes that a copy or a fill has written `count` bytes. */
void kg__watch_written(const void *pointer, size_t count);
/* The same of a copy of `count` bytes: what nothing has written at `from` counts as unwritten at
 * `to`, but in memory that the host can access. Adds such bytes, unless all may be structures'
 * padding, to `unwritten`, whose offset is that of the first (bytes == 0: none so far). */
void kg__watch_copied(const void *to, const void *from, size_t count, kg__finding *unwritten);
/* Notes that memory of the device is `written`, or holds nothing any more that a kernel may read.
 */
void kg__watch_set(const void *pointer, size_t count, bool written);
/* Forgets the state of an allocation that is freed, and fills in `freed` for messages. */
void kg__watch_freed(const kg__model_allocation *allocation, kg__model_freed *freed);
