/* SPDX-License-Identifier: MIT */
/* State that the hooks of undefined behavior share with those of accesses. Internal to watching. */
#pragma once

#include "model/exec/launch.h"

/* Set when an index was out of its array's bounds: the next access is checked before it happens,
 * so that it cannot destroy the model's own data. */
extern KG__HIDDEN bool kg__suspicious;

/* The address of the next access, if its type does not allow it, and the alignment that it
 * needs. The hook of an access alone does not say whether it accesses a vector or a structure
 * whose members are aligned. 0: none. */
extern KG__HIDDEN uintptr_t kg__misaligned;
extern KG__HIDDEN unsigned int kg__misaligned_to;

/* Reports an access of the running thread, of a kind as in trace.h, to an address that is not a
 * multiple of `alignment`. `code` is its return address. */
void kg__find_misaligned(const volatile void *address, unsigned int bytes, unsigned int alignment,
                         unsigned int kind, uintptr_t code);
