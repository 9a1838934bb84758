/* SPDX-License-Identifier: MIT */
/* Calls of the host's code: where in the source they are. */
#pragma once

#include <stdint.h>

#include "model/watch/places.h"

/* Keeps the calls that make each allocation which follows. */
void kg__host_calls_begin(void);

/* The line of the call that made an allocation, by its number; line 0 where it is not known. */
kg__model_source kg__host_call_of(uint64_t allocation);
