/* SPDX-License-Identifier: MIT */
/* Memory that a piece of work accesses. Internal to the model. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kg__span {
    uintptr_t start, end;
} kg__span;

/* What is read [0] and written [1], each in ascending order without overlap. */
typedef struct kg__spans {
    struct {
        kg__span *list;
        size_t count, room;
    } of[2];
} kg__spans;

/* Adds `bytes` from `start`, which lie behind those that were added before, or are sorted later. */
void kg__spans_add(kg__spans *spans, bool written, uintptr_t start, size_t bytes);
/* Adds all that another has. */
void kg__spans_join(kg__spans *to, const kg__spans *from);
/* Sorts the spans by address and joins those that meet. */
void kg__spans_sort(kg__spans *spans);
/* Returns whether two have a byte in common, in what `a` writes or reads and `b` writes or reads;
 * and the first such address. */
bool kg__spans_meet(const kg__spans *a, bool a_writes, const kg__spans *b, bool b_writes,
                    uintptr_t *address);
/* Frees the memory. */
void kg__spans_free(kg__spans *spans);
