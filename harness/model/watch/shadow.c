/* SPDX-License-Identifier: MIT */
/* The last write and reads of each few bytes of memory. order.h has their order. */
#include "model/watch/shadow.h"

#include "base/message.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/races.h"
#include "model/watch/tables.h"
#include "model/watch/trace.h"
#include "model/watch/watch.h"
#include "model/watch/watcher.h"

#include <stdlib.h>

bool kg__shadow_has_copies;

void kg__shadow_begin_launch(void)
{
    kg__order_begin_launch();
    kg__races_forget();
}

void kg__shadow_refine(kg__region *region)
{
    bool had_cells = region->cells != NULL;

    kg__cells_refine(region);
    if (had_cells)
        kg__races_refine(region);
}

void kg__shadow_barrier(void)
{
    kg__races_settle(false);
    kg__order_barrier();
    kg__regions_awaited = kg__regions_awaited != 0 ? UINT32_MAX : 0;
}

void kg__shadow_complete(kg__model_barrier_object *object)
{
    kg__races_settle(false);
    kg__order_complete(object);
}

/* A copy that is incomplete at the end of its block never completes. */
static void forget_copies(void)
{
    for (kg__region *region = kg__regions; kg__shadow_has_copies && region != NULL;
         region = region->next) {
        size_t cells =
            region->has_copies && region->cells != NULL ? kg__region_rows(region) * KG__ROW : 0;

        region->has_copies = false;
        for (size_t i = 0; i < cells; i++) {
            if (region->rows[i / KG__ROW].apart && region->cells[i].write_time == KG__TIME_TO_COME)
                region->cells[i].write_time = KG__TIME_NEVER;
            if (region->rows[i / KG__ROW].apart && region->cells[i].read_time == KG__TIME_TO_COME)
                region->cells[i].read_time = KG__TIME_NEVER;
        }
    }
    kg__shadow_has_copies = false;
}

void kg__shadow_end_block(void)
{
    kg__races_end_block();
    /* Blocks of a cluster are suspended with theirs, and end with all their cells. */
    if (kg__exec_cluster_size() == 1)
        forget_copies();
}

/* The cells of a shared region that a block had written, or that copies were to, before it began to
 * wait for its grid. */
typedef struct kept_region {
    kg__region *region;
    unsigned int granule;
    struct kept_region *next;
    bool written[];
} kept_region;

void *kg__shadow_suspend_block(void)
{
    kept_region *first = NULL;

    for (kg__region *region = kg__regions; region != NULL; region = region->next) {
        size_t cells = region->bytes / region->granule + 1;
        kept_region *kept;

        if (region->space != KG__MODEL_SHARED || region->cells == NULL)
            continue;
        kept = kg__allocate(1, sizeof *kept + cells * sizeof *kept->written);
        *kept = (kept_region){ .region = region, .granule = region->granule, .next = first };
        first = kept;
        for (size_t i = 0; i < cells; i++)
            kept->written[i] = kg__is_of_this_block(kg__cell_at(region, i)->write_time);
    }
    forget_copies();
    return first;
}

void kg__shadow_resume_block(void *suspended)
{
    kept_region *kept = suspended;

    while (kept != NULL) {
        kg__region *region = kept->region;
        kept_region *next = kept->next;
        size_t cells = region->cells != NULL ? region->bytes / region->granule + 1 : 0;

        for (size_t i = 0; i < cells; i++)
            *kg__cell_at(region, i) =
                (kg__cell){ .write_time = kept->written[i * region->granule / kept->granule]
                                              ? kg__order.block_began
                                              : KG__TIME_NEVER };
        free(kept);
        kept = next;
    }
    kg__order_barrier();
}

/* Completes the reads of a cell; those of a thread's warp group are complete when the first of its
 * four warps has waited, and read_lanes is that time until the warp that reads alone has. */
static void complete_reads(kg__cell *cell, unsigned int thread, unsigned int waits)
{
    const bool of_group = kg__access_is_bulk(waits);
    const unsigned int warp = thread / KG__MODEL_WARP;
    const bool to_come = cell->read_time == KG__TIME_TO_COME;
    const bool many = kg__are_many(cell->reader);
    const uint32_t readers = of_group && many ? 15u << warp / 4 * 4 : 1u << warp;

    /* The first wait of the group has said so of what others have read meanwhile. */
    if (waits == KG__OF_WARP && (!to_come || many || (cell->reader & KG__THREAD_NUMBER) != warp))
        return;
    if (to_come && of_group && !many && (cell->reader & KG__THREAD_NUMBER) != warp) {
        cell->read_lanes = cell->read_lanes != 0 ? cell->read_lanes : kg__order.now;
    } else if (to_come || !kg__is_of_this_interval(cell->read_time) || kg__reads_are_over(cell)) {
        cell->read_time = to_come && cell->read_lanes != 0 ? cell->read_lanes : kg__order.now;
        cell->reader = (uint16_t)(of_group ? KG__MANY_READERS | warp : thread);
        cell->read_lanes = readers;
        cell->read_clock = (uint16_t)(of_group ? KG__BY_GROUP : kg__order_clock(thread));
    } else if (cell->reader != thread && !(of_group && (kg__reader_warps(cell) & readers) != 0)) {
        kg__cell_join(cell, readers, warp, 0);
        cell->read_clock |= of_group ? KG__BY_GROUP : 0;
    }
}

void kg__shadow_copied(kg__region *region, uint32_t offset, unsigned int bytes, unsigned int thread,
                       unsigned int waits, kg__model_barrier_object *by)
{
    size_t last = (offset + bytes - 1) / region->granule;

    for (size_t i = offset / region->granule; region->cells != NULL && i <= last; i++) {
        kg__cell *cell = kg__cell_at(region, i);

        if (cell->read_time == KG__TIME_TO_COME || cell->write_time != KG__TIME_TO_COME)
            complete_reads(cell, thread, waits);
        if (cell->write_time != KG__TIME_TO_COME)
            continue;
        cell->write_time = kg__order_time_of_plain();
        cell->write_clock = (uint16_t)kg__order_clock(thread);
        if (by == NULL)
            continue;
        cell->writer |= KG__BY_COPY;
        cell->write_clock = (uint16_t)kg__clocks_copier(by);
    }
}

void kg__shadow_set(kg__region *region, uintptr_t address, size_t bytes, bool written)
{
    uintptr_t from = address > region->start ? address : region->start;
    uintptr_t to = address + bytes;
    uintptr_t end = region->start + region->bytes;

    to = to < end ? to : end;
    if (from >= to)
        return;
    if (from == region->start && to == end && region->cells == NULL) {
        region->state = written ? KG__UPLOADED : KG__UNTOUCHED;
        return;
    }
    if ((from - region->start) % region->granule != 0 ||
        ((to - region->start) % region->granule != 0 && to != end))
        kg__shadow_refine(region);
    if (region->cells == NULL && region->state != KG__UNKNOWN)
        kg__cells_make(region);
    if (region->cells == NULL)
        return;
    kg__cells_set(region, (from - region->start) / region->granule,
                  (to - region->start - 1) / region->granule, written);
}

void kg__watch_freed(const kg__model_allocation *allocation, kg__model_freed *freed)
{
    const kg__region *region = allocation->region;

    *freed = (kg__model_freed){ .base = allocation->base,
                                .size = allocation->size,
                                .start = (uintptr_t)allocation->base,
                                .bytes = allocation->size,
                                .number = allocation->number };
    kg__tables_forget(allocation->base, allocation->size);
    if (region == NULL) {
        kg__format(freed->name, sizeof freed->name, "allocation %llu",
                   (unsigned long long)allocation->number);
        return;
    }
    freed->start = region->start;
    freed->bytes = region->bytes;
    kg__format(freed->name, sizeof freed->name, "%s", region->name);
    kg__sites_forget_region(region);
    kg__region_drop(allocation->base);
}

/* Returns whether the host can write to this memory without a call. */
static bool is_written_silently(const void *data)
{
    const kg__model_allocation *holder = kg__model_find(data);

    return holder != NULL && kg__model_is_host_visible(holder);
}

void kg__model_describe(const void *data, size_t bytes, const char *name, bool read_only)
{
    kg__region *region = kg__region_at((uintptr_t)data);

    if (region == NULL)
        return;
    kg__sites_forget_region(region);
    kg__region_narrow(region, data, bytes);
    if (is_written_silently(data))
        region->state = KG__UPLOADED;
    region->name = name;
    region->read_only = read_only;
}

void kg__model_forget(const void *data, size_t bytes)
{
    kg__region *region = kg__region_at((uintptr_t)data);

    if (region != NULL && !is_written_silently(data))
        kg__shadow_set(region, (uintptr_t)data, bytes, false);
}
