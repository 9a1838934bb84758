/* SPDX-License-Identifier: MIT */
/* Barriers that only some threads of a block reach. Internal to watching. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Checks the threads that wait at a barrier, the first of them at `code`, in the block that
 * began at the time `block`. Reports threads that wait at another barrier (`several`). Also
 * reports a barrier that fewer threads reach than did earlier, because the ended threads made
 * fewer rounds of a loop around it. */
void kg__compare_barriers(uintptr_t code, bool several, uint32_t block);
