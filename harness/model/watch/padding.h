/* SPDX-License-Identifier: MIT */
/* Padding: bytes of structures that no member holds, from the debug information. Internal to
 * watching. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether all of `bytes`, at `offset` in an array of structures copied by the code that
 * returns to `code`, may be padding. The structures considered are those declared in the code's
 * file or its includes, without the model's headers and the system's. */
bool kg__model_may_be_padding(uintptr_t code, uint64_t offset, unsigned int bytes);
