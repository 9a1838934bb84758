/* SPDX-License-Identifier: MIT */
/* Copies by the host's calls: what nothing has written stays so. */
#include "model/exec/allocations.h"
#include "model/watch/cells.h"
#include "model/watch/order.h"
#include "model/watch/shadow.h"
#include "model/watch/watcher.h"

#include <limits.h>

/* Most structures are smaller than this, and most rows of an array are larger. */
#define STRUCTURE_BYTES 128

/* Returns the first byte of a region from `at` on, or `end`, that something has written or
 * (`written` false) nothing has. */
static size_t next_byte(const kg__region *region, size_t at, size_t end, bool written)
{
    if (region->cells == NULL)
        return (region->state != KG__UNTOUCHED) == written ? at : end;
    while (at < end) {
        const size_t number = at / region->granule;
        const kg__row *row = &region->rows[number / KG__ROW];
        const kg__cell *cell = row->apart ? &region->cells[number] : &row->first;

        if ((cell->write_time != KG__TIME_NEVER) == written)
            return at;
        at = (row->apart ? number + 1 : (number / KG__ROW + 1) * KG__ROW) * region->granule;
    }
    return end;
}

/* Returns whether bytes of a region that nothing has written may be the padding of a structure of
 * at most STRUCTURE_BYTES, which other padding, or the copy, ends at `before`: it is shorter than
 * the alignment of what follows. */
static bool may_be_padding(size_t at, size_t past, size_t before)
{
    const size_t alignment = past - at >= 4 ? 8 : past - at >= 2 ? 4 : 2;

    return past - at < alignment && past % alignment == 0 && past - before <= STRUCTURE_BYTES;
}

void kg__watch_copied(const void *to, const void *from, size_t count, kg__finding *unwritten)
{
    /* A sampled launch leaves memory unwritten. */
    const bool checks = kg__watch_checks() && !kg__watch_skips(0);
    const kg__region *source =
        checks && kg__model_find(from) != NULL ? kg__region_at((uintptr_t)from) : NULL;
    const kg__model_allocation *holder = kg__model_find(to);
    /* From the start of the region, which the source may exceed. */
    const ptrdiff_t begin = source != NULL ? (ptrdiff_t)((uintptr_t)from - source->start) : 0;
    const size_t last = (size_t)begin + count;
    const size_t end = source != NULL && last > source->bytes ? source->bytes : last;
    const size_t start = begin > 0 ? (size_t)begin : 0;
    size_t past = start, first = 0, bytes = 0;
    bool is_padding = true;
    unsigned int room;

    kg__watch_written(to, count);
    for (size_t before = start; source != NULL && to != from; before = past) {
        const size_t at = next_byte(source, past, end, false);

        if (at >= end)
            break;
        past = next_byte(source, at, end, true);
        is_padding = is_padding && may_be_padding(at, past, before);
        first = bytes == 0 ? at : first;
        bytes += past - at;
        if (holder != NULL && !kg__model_is_host_visible(holder))
            kg__watch_set((const char *)to + ((ptrdiff_t)at - begin), past - at, false);
    }
    if (bytes == 0 || (is_padding && bytes < end - start && end - past <= STRUCTURE_BYTES))
        return;
    if (unwritten->bytes == 0)
        *unwritten = kg__finding_in(KG__NEVER_WRITTEN, source, first, 0, KG__READ);
    room = UINT_MAX - unwritten->bytes;
    unwritten->bytes += bytes < room ? (unsigned int)bytes : room;
}
