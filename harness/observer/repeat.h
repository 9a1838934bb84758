/* SPDX-License-Identifier: MIT */
/* Repetition: whether a KG_REPEATABLE variant gives the same bits in every order. */
#pragma once

#include <stdbool.h>

#include "base/message.h"
#include "device/buffers.h"

/* The outputs of a case's first launch, on the host. Initialize with zeros. */
typedef struct kg__repeats {
    void *first[KG_MAX_ARGUMENTS]; /* NULL: not kept, or the argument is not compared */
} kg__repeats;

/* Keeps the results of the launch in order 0, and compares those of another order with them.
 * False if they differ, with the argument's name in `symbol` and the difference in `why`,
 * "c[17]: 0x3f800001 in ascending, 0x3f800000 in ..."; or, with `symbol` unchanged, if they
 * could not be read. */
bool kg__repeats_take(kg__repeats *repeats, kg__buffers *buffers, int order, const char **symbol,
                      kg__error *why);

/* Frees the outputs and empties the structure, which may be empty already. */
void kg__repeats_free(kg__repeats *repeats);
