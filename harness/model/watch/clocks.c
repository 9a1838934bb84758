/* SPDX-License-Identifier: MIT */
/* Knowledge of warps and barriers. */
#include "model/watch/clocks.h"

#include "base/message.h"
#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/order.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP
#define WARPS_OF_GROUP 4
/* Each barrier counts as a warp whose actions are the copies that it completes. Barriers share
 * entries where there are more: races may be missed, but no false race is reported. */
#define COPIERS 32u

/* A row has an entry for each warp of the cluster's blocks, then those of the barriers. */
static kg__reach *known;    /* the row of each of these warps; NULL: no barrier has been used */
static unsigned int warps;  /* of a block */
static size_t width;        /* entries of a row */
static kg__reach *barriers; /* two rows each: of all arrivals, and of those of the last phase */
static size_t barrier_count, barrier_room;
static kg__model_barrier_object of_cluster;

void kg__clocks_begin_launch(void)
{
    free(known);
    known = NULL;
    free(barriers);
    barriers = NULL;
    barrier_count = barrier_room = 0;
}

void kg__clocks_begin_barriers(void)
{
    barrier_count = of_cluster.number = 0;
}

/* Returns the rank of the running block. */
static unsigned int own_rank(void)
{
    static uint32_t block;
    static unsigned int rank;

    if (block != kg__order.block_began) {
        block = kg__order.block_began;
        rank = kg__exec_cluster_rank();
    }
    return rank;
}

/* Returns the entries of a block's warps in a row. */
static kg__reach *entries_of(kg__reach *row, unsigned int rank)
{
    return row + (size_t)rank * warps;
}

static kg__reach *row_of(unsigned int warp)
{
    if (known == NULL) {
        warps = (kg__exec_thread_count() + WARP - 1) / WARP;
        width = (size_t)kg__exec_cluster_size() * warps + COPIERS;
        known = kg__allocate(kg__exec_cluster_size() * warps, width * sizeof *known);
    }
    return known + ((size_t)own_rank() * warps + warp) * width;
}

static kg__reach *rows_of(kg__model_barrier_object *object)
{
    const size_t size = 2 * width * sizeof *barriers;

    if (object->number == 0 || object->number > barrier_count) {
        barriers = kg__grow(barriers, barrier_count, &barrier_room, size);
        memset(barriers + barrier_count * 2 * width, 0, size);
        object->number = (uint32_t)++barrier_count;
    }
    return barriers + (object->number - 1) * 2 * width;
}

/* Adds what one reach has to another. Lanes whose earlier time an entry cannot hold get the later
 * one: races may be missed, but no false race is reported. */
static void add_reach(kg__reach *to, const kg__reach *from)
{
    const kg__reach low = to->until < from->until ? *to : *from;
    const uint32_t of_all = to->of_all > from->of_all ? to->of_all : from->of_all;

    if (to->until < from->until)
        *to = *from;
    if (low.until > of_all)
        to->lanes |= low.lanes;
    to->of_all = to->lanes == UINT32_MAX ? to->until : of_all;
}

static void join(kg__reach *to, const kg__reach *from)
{
    for (size_t i = 0; i < width; i++) {
        if (from[i].until > 0)
            add_reach(&to[i], &from[i]);
    }
}

static kg__reach reach_of_warp(uint32_t until)
{
    return (kg__reach){ .until = until, .lanes = UINT32_MAX, .of_all = until };
}

static void tell(kg__reach *row, uint32_t others, uint32_t until)
{
    kg__reach *own = entries_of(row, own_rank());

    for (unsigned int other = 0; other < warps; other++) {
        if ((others >> other & 1) != 0)
            own[other] = reach_of_warp(until);
    }
}

void kg__clocks_tell(unsigned int warp, uint32_t others)
{
    tell(row_of(warp), others, kg__order.now + 1);
}

void kg__clocks_barrier(void)
{
    kg__reach *first;

    if (kg__order.cluster_began == 0)
        return;
    first = row_of(0);
    for (unsigned int warp = 1; warp < warps; warp++)
        join(first, row_of(warp));
    tell(first, UINT32_MAX, kg__order.now);
    for (unsigned int warp = 1; warp < warps; warp++)
        memcpy(row_of(warp), first, width * sizeof *first);
}

bool kg__clocks_are_used(void)
{
    return known != NULL;
}

void kg__clocks_arrive(kg__model_barrier_object *object, bool odd, unsigned int warp,
                       uint32_t taken, kg__reach reach)
{
    const kg__reach *mine = row_of(warp);
    kg__reach *all = rows_of(object);

    if (object->in_odd != odd)
        memcpy(all + width, all, width * sizeof *all);
    object->in_odd = odd;
    join(all, mine);
    /* What the warp does next is later. */
    reach.until = ++kg__order.now;
    tell(all, taken, reach.until);
    add_reach(&entries_of(all, own_rank())[warp], &reach);
}

unsigned int kg__clocks_copier(kg__model_barrier_object *object)
{
    (void)row_of(0);
    (void)rows_of(object);
    return object->number % COPIERS;
}

void kg__clocks_complete(kg__model_barrier_object *object)
{
    const unsigned int copier = kg__clocks_copier(object);
    kg__reach *all = rows_of(object);

    /* Unless there are arrivals in the next phase. */
    if (object->in_odd != (object->phase & 1))
        memcpy(all + width, all, width * sizeof *all);
    all[width - COPIERS + copier] = all[2 * width - COPIERS + copier] =
        reach_of_warp(++kg__order.now);
}

void kg__clocks_wait(kg__model_barrier_object *object, unsigned int warp)
{
    kg__reach *mine = row_of(warp);
    const kg__reach *phase = rows_of(object) + width;
    bool of_others = false;

    for (size_t i = 0; i < width - COPIERS; i++)
        of_others |= phase[i].until > mine[i].until && i / warps != own_rank();
    join(mine, phase);
    if (of_others)
        kg__blocks_know_cluster();
    kg__order.acquired[warp] = kg__order.now;
}

kg__model_barrier_object *kg__clocks_of_cluster(void)
{
    return &of_cluster;
}

void kg__clocks_sync_cluster(void)
{
    for (size_t i = 0; known != NULL && i < width - COPIERS; i++)
        join(known + i * width, rows_of(&of_cluster));
}

uint32_t kg__clocks_known(unsigned int warp)
{
    uint32_t those = 0;

    for (unsigned int other = 0; other < warps; other++) {
        if (entries_of(row_of(warp), own_rank())[other].until > kg__order.interval_began)
            those |= 1u << other;
    }
    return those;
}

bool kg__clocks_know(unsigned int warp, unsigned int rank)
{
    for (unsigned int other = 0; other < warps && known != NULL; other++) {
        if (entries_of(row_of(warp), rank)[other].until > kg__order.cluster_began)
            return true;
    }
    return false;
}

/* Returns the row of a thread's warp where it may have an action of that time, and sets the rank of
 * the block that made it; NULL where it cannot. */
static kg__reach *row_for(unsigned int thread, uint32_t time, unsigned int *rank)
{
    *rank = own_rank();
    if (time < kg__order.block_began) {
        if (kg__order.cluster_began == 0 || time < kg__order.cluster_began)
            return NULL;
        *rank = kg__blocks_rank(time);
    }
    return known == NULL ? NULL : row_of(thread / WARP);
}

/* Returns whether actions of all these lanes at a time are before what has the reach. */
static bool is_reached(const kg__reach *reach, uint32_t lanes, uint32_t time)
{
    return ((lanes & ~reach->lanes) == 0 ? reach->until : reach->of_all) > time;
}

bool kg__clocks_order_write(unsigned int thread, const kg__cell *cell)
{
    const unsigned int writer = cell->writer & KG__THREAD_NUMBER;
    unsigned int rank;
    kg__reach *row = row_for(thread, cell->write_time, &rank);

    if (row == NULL)
        return false;
    return (cell->writer & KG__BY_COPY) != 0
               ? row[width - COPIERS + cell->write_clock].until > cell->write_time
               : is_reached(&entries_of(row, rank)[writer / WARP], 1u << writer % WARP,
                            cell->write_time);
}

bool kg__clocks_order_reads(unsigned int thread, const kg__cell *cell)
{
    const uint32_t readers = kg__reader_warps(cell);
    const bool several = kg__are_many(cell->reader);
    const bool by_group = kg__are_groups(cell);
    const unsigned int last = several ? cell->reader & ~KG__MANY_READERS : KG__MODEL_MAX_WARPS;
    const kg__readers *of;
    unsigned int rank;
    kg__reach *row;

    /* Nobody knows of these yet. */
    if (!by_group && last != thread / WARP && kg__last_read(cell) == kg__order.now)
        return false;
    row = row_for(thread, cell->read_time, &rank);

    if (row == NULL && (!several || cell->read_time < kg__order.block_began))
        return false;
    of = kg__cell_readers(cell);
    for (uint32_t group = 0; group < KG__MODEL_MAX_WARPS; group += WARPS_OF_GROUP) {
        const uint32_t asked = readers >> group & 15;
        uint32_t after = 0;
        bool own = false;

        for (uint32_t warp = group; asked != 0 && warp < group + WARPS_OF_GROUP; warp++) {
            const bool later =
                by_group ? warp / WARPS_OF_GROUP == last / WARPS_OF_GROUP : warp == last;
            const uint32_t noted = of->times[warp];
            const uint32_t time = later                     ? kg__last_read(cell)
                                  : noted > cell->read_time ? noted
                                                            : cell->read_time;
            const uint32_t lanes = !several        ? kg__reader_lanes(cell)
                                   : noted == time ? of->lanes[warp]
                                                   : 0;
            const bool mine = several && warp == thread / WARP && rank == own_rank();

            own |= mine;
            if (mine || (row != NULL && warp < warps &&
                         is_reached(&entries_of(row, rank)[warp], lanes, time)))
                after |= 1u << (warp - group);
        }
        /* Another warp of the group has to wait for its own products. */
        if (by_group && !own ? asked != 0 && after == 0 : (asked & ~after) != 0)
            return false;
    }
    return true;
}
