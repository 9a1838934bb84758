/* SPDX-License-Identifier: MIT */
/* Finding the program with the instrumented kernels of a comparison. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* The program with instrumented kernels of a comparison's program for the CPU model:
 * <comparison>.instrumented next to <comparison>.model. `program` is the path of the latter,
 * NULL for this very program. False with `error`, which says how to build it, where it is not there
 * or cannot be run. */
bool kg__instrumented_program(const char *program, char *path, size_t size, kg__error *error);
