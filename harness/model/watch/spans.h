/* SPDX-License-Identifier: MIT */
/* Memory that a piece of work accesses. Internal to the model. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kg__span {
    uintptr_t start, end;
} kg__span;

enum { KG__SPANS_READ, KG__SPANS_WRITTEN, KG__SPANS_UPDATED, KG__SPAN_KINDS };

/* What is read, written, and updated by atomics alone, each in ascending order without overlap. */
typedef struct kg__spans {
    struct {
        kg__span *list;
        size_t count, room;
    } of[KG__SPAN_KINDS];
} kg__spans;

/* Adds `bytes` from `start`, which lie behind those that were added before, or are sorted later. */
void kg__spans_add(kg__spans *spans, int kind, uintptr_t start, size_t bytes);
/* Adds all that another has. */
void kg__spans_join(kg__spans *to, const kg__spans *from);
/* Sorts the spans by address and joins those that meet. */
void kg__spans_sort(kg__spans *spans);
/* Returns whether two have a byte in common, in what is of a kind of `a` and of a kind of `b`; and
 * the first such address. */
bool kg__spans_meet(const kg__spans *a, int kind_of_a, const kg__spans *b, int kind_of_b,
                    uintptr_t *address);
/* Frees the memory. */
void kg__spans_free(kg__spans *spans);
