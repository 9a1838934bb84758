/* SPDX-License-Identifier: MIT */
#include "model/watch/spans.h"

#include "base/message.h"

#include <stdlib.h>

void kg__spans_add(kg__spans *spans, int kind, uintptr_t start, size_t bytes)
{
    size_t *count = &spans->of[kind].count;
    kg__span *last;

    if (bytes == 0)
        return;
    last = *count > 0 ? &spans->of[kind].list[*count - 1] : NULL;
    if (last != NULL && last->end == start) {
        last->end += bytes;
        return;
    }
    spans->of[kind].list =
        kg__grow(spans->of[kind].list, *count, &spans->of[kind].room, sizeof *last);
    spans->of[kind].list[(*count)++] = (kg__span){ start, start + bytes };
}

void kg__spans_join(kg__spans *to, const kg__spans *from)
{
    for (int i = 0; i < KG__SPAN_KINDS; i++) {
        for (size_t at = 0; at < from->of[i].count; at++)
            kg__spans_add(to, i, from->of[i].list[at].start,
                          from->of[i].list[at].end - from->of[i].list[at].start);
    }
}

static int compare(const void *left, const void *right)
{
    const kg__span *a = left;
    const kg__span *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

void kg__spans_sort(kg__spans *spans)
{
    for (int i = 0; i < KG__SPAN_KINDS; i++) {
        kg__span *list = spans->of[i].list;
        size_t kept = 0;

        if (spans->of[i].count > 1)
            qsort(list, spans->of[i].count, sizeof *list, compare);
        for (size_t at = 0; at < spans->of[i].count; at++) {
            if (kept > 0 && list[at].start <= list[kept - 1].end) {
                if (list[at].end > list[kept - 1].end)
                    list[kept - 1].end = list[at].end;
            } else {
                list[kept++] = list[at];
            }
        }
        spans->of[i].count = kept;
    }
}

bool kg__spans_meet(const kg__spans *a, int kind_of_a, const kg__spans *b, int kind_of_b,
                    uintptr_t *address)
{
    const kg__span *of_a = a->of[kind_of_a].list;
    const kg__span *of_b = b->of[kind_of_b].list;
    size_t i = 0;
    size_t j = 0;

    while (i < a->of[kind_of_a].count && j < b->of[kind_of_b].count) {
        if (of_a[i].end <= of_b[j].start) {
            i++;
        } else if (of_b[j].end <= of_a[i].start) {
            j++;
        } else {
            *address = of_a[i].start > of_b[j].start ? of_a[i].start : of_b[j].start;
            return true;
        }
    }
    return false;
}

void kg__spans_free(kg__spans *spans)
{
    for (int i = 0; i < KG__SPAN_KINDS; i++)
        free(spans->of[i].list);
    *spans = (kg__spans){ 0 };
}
