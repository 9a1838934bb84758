/* SPDX-License-Identifier: MIT */
/* Cells of four bytes or of one byte, allocated at a region's first checked access. */
#include "model/watch/cells.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/watch/order.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Limits the memory of cells, so that a process stays below 1 GiB. */
#define MOST_MEMORY ((size_t)512 << 20)

/* A cell that finds its entry taken takes it over: races may be missed, but no false race is
 * reported. Mapped at the first use: a leak checker reads all static memory of every process. */
#define READERS ((size_t)1 << 16)
static kg__readers *readers;

static kg__readers *readers_of(const kg__cell *cell)
{
    return &readers[(uintptr_t)cell / sizeof *cell % READERS];
}

/* Of a cell that lanes read which come `later`. */
static void copy_readers(const kg__cell *to, const kg__cell *from, unsigned int later)
{
    const kg__readers *of = kg__cell_readers(from);
    kg__readers *copy;

    if (of->cell != from)
        return;
    copy = readers_of(to);
    *copy = *of;
    copy->cell = to;
    for (int warp = 0; warp < KG__MODEL_MAX_WARPS; warp++)
        copy->lanes[warp] <<= later;
}

static void note_readers(const kg__cell *cell, uint32_t warps, uint32_t lanes, uint32_t time)
{
    kg__readers *of;

    if (readers == NULL)
        readers = kg__model_map_addresses(READERS * sizeof *readers, PROT_READ | PROT_WRITE, 0);
    if (readers == NULL)
        return;
    of = readers_of(cell);
    if (of->cell != cell)
        *of = (kg__readers){ .cell = cell };
    for (; warps != 0; warps &= warps - 1) {
        const int warp = __builtin_ctz(warps);

        if (of->times[warp] != time)
            of->lanes[warp] = lanes;
        else if (of->lanes[warp] != 0)
            of->lanes[warp] = lanes != 0 ? of->lanes[warp] | lanes : 0;
        of->times[warp] = time;
    }
}

/* Reserves memory for `count` cells of a region; false when that would exceed MOST_MEMORY. */
static bool take_cells(kg__region *region, size_t count)
{
    size_t bytes = 0;

    for (const kg__region *other = kg__regions; other != NULL; other = other->next) {
        if (other->cells != NULL && other != region)
            bytes += (other->bytes / other->granule + 1) * sizeof *other->cells;
    }
    if (count > (MOST_MEMORY - bytes) / sizeof *region->cells) {
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UNKNOWN;
        return false;
    }
    count = kg__region_rows(region) * KG__ROW;
    region->cells =
        kg__allocate(count / KG__ROW, KG__ROW * sizeof *region->cells + sizeof *region->rows);
    region->rows = (kg__row *)(void *)(region->cells + count);
    return true;
}

void kg__cells_spread(const kg__region *region, size_t number)
{
    kg__row *row = &region->rows[number];
    kg__cell *cells = &region->cells[number * KG__ROW];
    const bool several = (row->first.reader & KG__READERS_OF_WARP) != 0;
    const unsigned int step = kg__are_many(row->first.reader) ? 0 : 1;

    for (unsigned int i = 0; i < KG__ROW; i++) {
        cells[i] = row->first;
        cells[i].writer = (uint16_t)(row->first.writer + (i >> row->write_shift));
        if (several)
            cells[i].read_lanes <<= i * step;
        else
            cells[i].reader = (uint16_t)(row->first.reader + (i >> row->read_shift));
        if (several && step == 0)
            copy_readers(&cells[i], &row->first, i >> row->read_shift);
    }
    row->apart = true;
    row->seen = kg__order.now;
}

void kg__cell_join(kg__cell *cell, uint32_t warps, unsigned int warp, uint32_t lanes)
{
    const bool many = kg__are_many(cell->reader);
    const uint32_t later = kg__order.now - cell->read_time;
    const unsigned int kept = many ? KG__OTHER_BLOCKS | KG__BY_GROUP : KG__OTHER_BLOCKS;

    if (!many && kg__order.has_arrived)
        note_readers(cell, kg__reader_warps(cell), kg__reader_lanes(cell), cell->read_time);
    cell->read_lanes = kg__reader_warps(cell) | warps;
    if (many && later == 0)
        return;
    if (kg__order.has_arrived)
        note_readers(cell, warps, lanes, kg__order.now);
    cell->reader = (uint16_t)(KG__MANY_READERS | warp);
    cell->read_clock =
        (uint16_t)((cell->read_clock & kept) | (later < KG__LATER ? later : KG__LATER));
}

const kg__readers *kg__cell_readers(const kg__cell *cell)
{
    static const kg__readers none;

    return readers != NULL && readers_of(cell)->cell == cell ? readers_of(cell) : &none;
}

void kg__cells_forget_readers(void)
{
    if (readers != NULL)
        memset(readers, 0, READERS * sizeof *readers);
}

void kg__cell_clear_reads(kg__cell *cell, unsigned int thread, bool global)
{
    uint32_t lane = 1u << thread % KG__MODEL_WARP;

    if (cell->read_time < kg__order.block_began || kg__are_many(cell->reader) ||
        (global && (cell->read_clock & KG__OTHER_BLOCKS) != 0))
        return;
    if ((cell->reader & KG__READERS_OF_WARP) == 0) {
        if (cell->reader == thread)
            cell->read_time = KG__TIME_NEVER;
    } else if ((cell->reader & KG__THREAD_NUMBER) == thread / KG__MODEL_WARP) {
        cell->read_lanes &= ~lane;
        if (cell->read_lanes == 0)
            cell->read_time = KG__TIME_NEVER;
    }
}

bool kg__cells_are_alike(const kg__region *region, kg__row *row)
{
    const kg__cell *cells = &region->cells[(size_t)(row - region->rows) * KG__ROW];
    const uint32_t since = region->between_blocks ? kg__order.launch_began : kg__order.block_began;
    const bool written = cells->write_time != KG__TIME_NEVER;

    if (!row->apart || row->seen >= since)
        return !row->apart;
    row->seen = kg__order.now;
    for (unsigned int i = 0; i < KG__ROW; i++) {
        if (cells[i].write_time >= since || cells[i].read_time >= since ||
            (cells[i].write_time != KG__TIME_NEVER) != written)
            return false;
    }
    *row = (kg__row){ .first.write_time = written ? KG__TIME_OF_HOST : KG__TIME_NEVER };
    return true;
}

void kg__cells_set(const kg__region *region, size_t first, size_t last, bool written)
{
    const kg__cell set = { .write_time = written ? KG__TIME_OF_HOST : KG__TIME_NEVER };
    size_t next;

    for (size_t i = first; i <= last; i = next) {
        next = i + 1;
        if (i % KG__ROW == 0 && last - i >= KG__ROW - 1) {
            region->rows[i / KG__ROW] = (kg__row){ .first = set };
            next = i + KG__ROW;
        } else {
            *kg__cell_at(region, i) = set;
        }
    }
}

void kg__cells_make(kg__region *region)
{
    size_t count = region->bytes / region->granule + 1;

    if (!take_cells(region, count))
        return;
    for (size_t i = 0; region->state == KG__UPLOADED && i < kg__region_rows(region); i++)
        region->rows[i].first.write_time = KG__TIME_OF_HOST;
    region->state = KG__IN_CELLS;
}

void kg__cells_refine(kg__region *region)
{
    const kg__region coarse = *region;

    region->granule = 1;
    if (coarse.cells == NULL)
        return;
    region->cells = NULL;
    if (take_cells(region, region->bytes + 1)) {
        for (size_t i = 0; i <= region->bytes; i++)
            *kg__cell_at(region, i) = *kg__cell_at(&coarse, i / 4);
    }
    free(coarse.cells);
}

void kg__cells_forget(void)
{
    for (kg__region *region = kg__regions; region != NULL; region = region->next) {
        if (region->space != KG__MODEL_GLOBAL)
            continue;
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UPLOADED;
    }
}

const char *kg__cells_too_large(void)
{
    for (const kg__region *region = kg__regions; region != NULL; region = region->next) {
        if (region->state == KG__UNKNOWN)
            return region->name;
    }
    return NULL;
}
