/* SPDX-License-Identifier: MIT */
/* Checks accesses against the last ones of each cell, or of a whole row of cells. order.h has their
 * order. */
#include "model/watch/shadow.h"

#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/clusters.h"
#include "model/watch/findings.h"
#include "model/watch/races.h"
#include "model/watch/tables.h"
#include "model/watch/trace.h"

#define WARP KG__MODEL_WARP

/* Returns whether a cell's last write happens before every read made now: it is of this block
 * before the last barrier, or (in global memory) from before the launch. */
static inline bool is_settled(const kg__cell *cell, bool global)
{
    return cell->write_time - kg__order.block_began <
               kg__order.interval_began - kg__order.block_began ||
           (global && cell->write_time - 1 < kg__order.launch_began - 1);
}

/* Makes lanes of a warp the only readers of a cell. */
static inline void begin_reads(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                               unsigned int site)
{
    const unsigned int thread = first_thread + (unsigned int)__builtin_ctz(lanes);
    unsigned int others = !kg__is_of_this_launch(cell->read_time) ? 0
                          : kg__is_of_this_block(cell->read_time)
                              ? cell->read_clock & KG__OTHER_BLOCKS
                          : kg__clocks_order_reads(thread, cell) ? 0
                                                                 : KG__OTHER_BLOCKS;

    cell->read_time = kg__order.now;
    cell->reader = (uint16_t)thread;
    cell->read_clock = (uint16_t)(kg__order_clock(thread) | others);
    cell->read_site = (uint16_t)site;
    if ((lanes & (lanes - 1)) != 0) {
        cell->reader = (uint16_t)(KG__READERS_OF_WARP | first_thread / WARP);
        cell->read_lanes = lanes;
    }
}

/* Returns whether a cell's last write happens before an access by a thread of a warp in which
 * nothing was ordered, also in this interval, by barriers of some threads. */
static inline bool is_before(const kg__cell *cell, unsigned int thread, bool global)
{
    return is_settled(cell, global) ||
           (kg__order.has_waited && kg__is_of_this_interval(cell->write_time) &&
            kg__clocks_order_write(thread, cell));
}

/* Adds lanes of a warp to the readers of this interval. The site stays if the readers are known
 * already, since one of them may be the next writer. */
static inline void join_readers(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                                unsigned int site)
{
    const unsigned int warp = first_thread / WARP;
    const bool several = (cell->reader & KG__READERS_OF_WARP) != 0;
    const uint32_t known = kg__reader_lanes(cell);
    const unsigned int clock = kg__order_clock(first_thread + (unsigned int)__builtin_ctz(lanes));

    if ((several ? cell->reader & KG__THREAD_NUMBER : cell->reader / WARP) != warp) {
        cell->read_site = (uint16_t)site;
        kg__cell_join(cell, 1u << warp, warp, lanes);
        return;
    }
    cell->read_time = kg__order.now;
    if (clock > (cell->read_clock & KG__CLOCK_MAXIMUM))
        cell->read_clock = (uint16_t)((cell->read_clock & KG__OTHER_BLOCKS) | clock);
    if ((lanes & ~known) == 0)
        return;
    cell->read_lanes = known | lanes;
    cell->reader = (uint16_t)(KG__READERS_OF_WARP | warp);
    cell->read_site = (uint16_t)site;
}

/* Returns whether a thread's access is ordered after a cell's reads in this interval, or after a
 * write that was: then it stands for them. */
static inline bool replaces_reads(const kg__cell *cell, unsigned int thread)
{
    return kg__reads_are_over(cell) || kg__race_follows_reads(thread, cell);
}

/* Returns whether one more read by a warp changes nothing: it was the last of several readers, and
 * no time has passed. */
static inline bool was_last(const kg__cell *cell, unsigned int warp)
{
    return cell->reader == (KG__MANY_READERS | warp) && kg__last_read(cell) == kg__order.now;
}

/* Notes reads by lanes of a warp; `ordered`: some order is known in this interval, of several lanes
 * by barriers only. */
static inline void note_reads(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                              unsigned int site, bool ordered)
{
    const unsigned int warp = first_thread / WARP;

    if (cell->read_time == KG__TIME_TO_COME || (ordered && was_last(cell, warp)))
        return;
    if (!kg__is_of_this_interval(cell->read_time) ||
        (ordered && replaces_reads(cell, first_thread + (unsigned int)__builtin_ctz(lanes))))
        begin_reads(cell, first_thread, lanes, site);
    else if (!kg__are_many(cell->reader))
        join_readers(cell, first_thread, lanes, site);
    else if (kg__order.has_arrived)
        kg__cell_join(cell, 1u << warp, warp, lanes);
    else
        cell->read_lanes |= 1u << warp;
}

static inline void take_read(const kg__checked_access *mine, kg__cell *cell, size_t index,
                             bool global)
{
    if (!is_settled(cell, global))
        kg__race_of_read(mine, cell, index);
    note_reads(cell, mine->thread & ~(WARP - 1u), 1u << mine->thread % WARP, mine->site->number,
               kg__order.have_synced[mine->thread / WARP] || kg__order.any_taken ||
                   kg__order.has_arrived);
}

typedef void read_taker(const kg__checked_access *mine, kg__cell *cell, size_t index, bool global);

/* The same by a bulk copy, which reads shared memory until its wait. */
static void take_bulk_read(const kg__checked_access *mine, kg__cell *cell, size_t index,
                           bool global)
{
    const uint16_t warp = (uint16_t)(KG__READERS_OF_WARP | mine->thread / WARP);
    const bool alone = cell->read_time != KG__TIME_TO_COME || cell->reader == warp;

    kg__race_of_bulk_read(mine, cell);
    take_read(mine, cell, index, global);
    if (mine->region->space == KG__MODEL_SHARED) {
        cell->read_time = KG__TIME_TO_COME;
        cell->reader = alone ? warp : (uint16_t)KG__MANY_READERS;
        cell->read_lanes = 0; /* none of its warp group has waited */
        cell->read_site = mine->site->number;
        kg__shadow_has_copies = mine->region->has_copies = true;
    }
}

/* Returns after how many lanes the offsets of a warp repeat, as the rows of a block do: 8, 16 or
 * all. */
static inline unsigned int period_of(const uint32_t *offsets, unsigned int count)
{
    uint32_t differ_by_8 = 0;
    uint32_t differ_by_16 = 0;

    if (count != WARP)
        return count;
    for (int lane = 0; lane < WARP - 8; lane++)
        differ_by_8 |= offsets[lane] ^ offsets[lane + 8];
    for (int lane = 0; lane < WARP - 16; lane++)
        differ_by_16 |= offsets[lane] ^ offsets[lane + 16];
    return differ_by_8 == 0 ? 8 : differ_by_16 == 0 ? 16 : WARP;
}

/* Handles the reads of one cell by the lanes `together` of a warp in which nothing was ordered. */
static inline void read_cell(kg__checked_access *mine, size_t index, unsigned int first_thread,
                             uint32_t together)
{
    const bool global = mine->region->between_blocks;
    kg__cell *cell = kg__cell_at(mine->region, index);

    if (is_before(cell, first_thread, global)) {
        note_reads(cell, first_thread, together, mine->site->number, kg__order.has_arrived);
        return;
    }
    for (; together != 0; together &= together - 1) {
        mine->thread = first_thread + (unsigned int)__builtin_ctz(together);
        take_read(mine, cell, index, global);
    }
}

/* The same for adjacent cells of one row: of the first by `together`, of each by the next lanes. */
static inline void read_cells(kg__checked_access *mine, size_t first, size_t count,
                              unsigned int first_thread, uint32_t together)
{
    const bool global = mine->region->between_blocks;
    kg__cell *cell = kg__cell_at(mine->region, first);

    for (size_t end = first + count; first < end; first++, cell++, together <<= 1) {
        if (!is_settled(cell, global)) {
            read_cell(mine, first, first_thread, together);
        } else if (cell->read_time != kg__order.now || kg__order.has_arrived ||
                   cell->reader != (KG__READERS_OF_WARP | first_thread / WARP)) {
            note_reads(cell, first_thread, together, mine->site->number, kg__order.has_arrived);
        } else if ((together & ~cell->read_lanes) != 0) {
            cell->read_lanes |= together;
            cell->read_site = mine->site->number;
        }
        mine->offset += mine->bytes;
    }
}

/* Handles the reads of a row that has one state by a warp in which nothing was ordered: of its
 * first cell by `thread`, or also by other lanes, all in `together`; of cell i by the thread or
 * lanes that come (i >> shift) later. Does what the reads of its cells would do; false, and does
 * nothing, if these differ or find something. */
static inline bool read_row(kg__row *row, const kg__checked_access *mine, unsigned int shift,
                            uint32_t together)
{
    kg__cell *cell = &row->first;
    const unsigned int thread = mine->thread;
    const bool several = (together & (together - 1)) != 0;
    const bool before = is_before(cell, thread, mine->region->between_blocks);
    const bool is_same = cell->reader == thread && row->read_shift == shift;
    const unsigned int warp = thread / WARP;

    if (!before && (several || !kg__is_of_this_interval(cell->write_time) ||
                    cell->writer != thread || row->write_shift != shift))
        return false;
    if (kg__is_of_this_interval(cell->read_time) && kg__are_many(cell->reader) &&
        (!kg__order.has_arrived || was_last(cell, warp))) {
        cell->read_lanes |= 1u << warp;
        return true;
    }
    if (!kg__is_of_this_interval(cell->read_time) ||
        (kg__order.has_arrived && (is_same || cell->reader != thread) &&
         replaces_reads(cell, thread))) {
        begin_reads(cell, warp * WARP, together, mine->site->number);
        row->read_shift = (uint8_t)shift;
        return true;
    }
    /* Their lanes are those of the first cell, moved. A row is read whole, so that each lane in a
     * mask is at most 24, and none is lost when a mask moves by up to 7. */
    if (kg__reader_warps(cell) == 1u << warp &&
        (!before || shift != 0 ||
         ((cell->reader & KG__READERS_OF_WARP) == 0 && row->read_shift != 0))) {
        cell->read_time = !several && is_same ? kg__order.now : cell->read_time;
        return !several && is_same;
    }
    if (kg__are_many(cell->reader))
        kg__cell_join(cell, 1u << warp, warp, row->read_shift == shift ? together : 0);
    else
        join_readers(cell, warp * WARP, together, mine->site->number);
    return true;
}

/* Returns whether the atomic follows a plain write of its block, which races.c reports. */
static inline bool is_after_plain(const kg__cell *cell)
{
    return kg__is_of_this_block(cell->write_time) &&
           ((cell->writer & KG__AFTER_PLAIN) != 0 ||
            (cell->writer & (KG__BY_ATOMIC | KG__BY_VOLATILE)) == 0);
}

/* Returns whether the atomic follows another block's atomic that no release of that block
 * orders. */
static inline bool is_left_out(const kg__cell *cell)
{
    return (cell->writer & KG__BY_ATOMIC) != 0 && kg__is_of_this_launch(cell->write_time) &&
           !kg__is_of_this_block(cell->write_time) &&
           kg__blocks_left_out(cell->write_time, cell->writer & KG__THREAD_NUMBER);
}

static inline void take_write(const kg__checked_access *mine, kg__cell *cell)
{
    bool atomic = (mine->kind & KG__ACCESS_ATOMIC) != 0;
    bool strong = (mine->kind & KG__ACCESS_STRONG) != 0;
    bool after_plain = atomic && is_after_plain(cell);
    size_t index = (size_t)(cell - mine->region->cells);

    if (atomic && (mine->kind & KG__ACCESS_WRITE) == 0 && cell->write_time == KG__TIME_NEVER)
        kg__race_await_writer(mine, index);
    if (atomic) {
        kg__cell_clear_reads(cell, mine->thread, mine->region->between_blocks);
        kg__races_clear(mine->region, index, mine->thread);
    }
    /* Two atomics on a block's own memory never race. */
    if ((cell->write_time >= kg__order.launch_began &&
         (mine->region->between_blocks || !atomic || (cell->writer & KG__BY_ATOMIC) == 0)) ||
        cell->read_time >= kg__order.launch_began)
        kg__race_of_write(mine, cell, index);
    /* Of a thread's plain write and its atomic in one interval, keep the write: it races with
     * more accesses. */
    if (atomic && kg__is_of_this_interval(cell->write_time) && cell->writer == mine->thread)
        return;
    if (atomic && mine->region->between_blocks && is_left_out(cell)) {
        cell->writer |= KG__LEFT_OUT;
        return;
    }
    cell->write_time = atomic ? kg__order.now : kg__order_time_of_plain();
    cell->writer = (uint16_t)(mine->thread | (atomic || strong ? KG__BY_ATOMIC : 0) |
                              ((mine->kind & KG__ACCESS_OF_BLOCK) != 0 ? KG__BY_BLOCK : 0) |
                              (after_plain ? KG__AFTER_PLAIN : 0) |
                              ((mine->kind & KG__ACCESS_VOLATILE) != 0 ? KG__BY_VOLATILE : 0));
    cell->write_clock = (uint16_t)kg__order_clock(mine->thread);
    if (!after_plain)
        cell->write_site = mine->site->number;
    if ((mine->kind & KG__ACCESS_ASYNC) != 0 && !atomic &&
        (mine->region->space == KG__MODEL_SHARED || (mine->kind & KG__ACCESS_OF_BLOCK) == 0)) {
        cell->write_time = KG__TIME_TO_COME;
        kg__shadow_has_copies = mine->region->has_copies = true;
    }
}

/* The same for plain writes. */
static inline bool write_row(kg__row *row, const kg__checked_access *mine, unsigned int shift)
{
    kg__cell *cell = &row->first;
    const bool global = mine->region->between_blocks;

    if ((kg__is_of_this_interval(cell->write_time) &&
         (cell->writer != mine->thread || row->write_shift != shift) &&
         !is_before(cell, mine->thread, global)) ||
        (kg__is_of_this_interval(cell->read_time) &&
         (cell->reader != mine->thread || row->read_shift != shift) &&
         (!kg__order.has_arrived || cell->reader == mine->thread ||
          !replaces_reads(cell, mine->thread))))
        return false;
    if (global &&
        ((kg__is_of_this_launch(cell->write_time) && !kg__is_of_this_block(cell->write_time)) ||
         (kg__is_of_this_launch(cell->read_time) &&
          (!kg__is_of_this_block(cell->read_time) || (cell->read_clock & KG__OTHER_BLOCKS) != 0))))
        return false;
    cell->write_time = kg__order.now;
    cell->writer = (uint16_t)mine->thread;
    cell->write_clock = 0; /* of a warp in which nothing was ordered */
    cell->write_site = mine->site->number;
    row->write_shift = (uint8_t)shift;
    return true;
}

/* The lanes of a request. */
typedef struct request_lanes {
    unsigned int count;
    const uint32_t *offsets;
    const uint8_t *lanes;
    unsigned int first_thread;
} request_lanes;

/* Handles plain accesses that follow each other in memory, of `count` lanes from the i-th on. Each
 * of them is also made by the lanes that `repeats` has for lane 0. */
static void take_run(kg__checked_access *mine, const request_lanes *of, unsigned int i,
                     unsigned int count, uint32_t repeats)
{
    const kg__region *region = mine->region;
    const bool writes = (mine->kind & KG__ACCESS_WRITE) != 0;
    const unsigned int shift = (unsigned int)__builtin_ctz(mine->bytes / region->granule);
    const size_t first = of->offsets[i] / region->granule;
    const size_t end = first + ((size_t)count << shift);
    size_t next;

    for (size_t index = first; index < end; index = next) {
        const unsigned int at = i + (unsigned int)((index - first) >> shift);
        const uint32_t together = repeats << of->lanes[at];
        kg__row *row = &region->rows[index / KG__ROW];

        mine->offset = of->offsets[at];
        mine->thread = of->first_thread + of->lanes[at];
        next = (index | (KG__ROW - 1)) + 1;
        if (index % KG__ROW == 0 && next <= end && kg__cells_are_alike(region, row) &&
            (writes ? write_row(row, mine, shift) : read_row(row, mine, shift, together)))
            continue;
        if (!writes && shift == 0) {
            next = next < end ? next : end;
            read_cells(mine, index, next - index, of->first_thread, together);
            continue;
        }
        next = index + 1;
        if (writes)
            take_write(mine, kg__cell_at(region, index));
        else
            take_read(mine, kg__cell_at(region, index), index, region->between_blocks);
    }
}

/* Returns how many lanes, from the i-th of `end` on, access memory one after the other. */
static inline unsigned int length_of_run(const request_lanes *of, unsigned int i, unsigned int end,
                                         unsigned int bytes)
{
    unsigned int count = 1;
    uint32_t gaps = 0;

    for (unsigned int lane = 1; end == WARP && i == 0 && lane < WARP; lane++)
        gaps |= (of->offsets[lane] - of->offsets[0]) ^ lane * bytes;
    if (end == WARP && i == 0 && gaps == 0)
        return WARP;
    while (i + count < end && of->offsets[i + count] - of->offsets[i] == count * bytes &&
           of->lanes[i + count] - of->lanes[i] == (int)count)
        count++;
    return count;
}

/* Returns whether accesses that are no reads of one cell each may be handled by take_plain(). */
static inline bool can_be_rows(const kg__checked_access *mine, unsigned int count,
                               const uint32_t *offsets)
{
    const unsigned int others = KG__ACCESS_VOLATILE | KG__ACCESS_ASYNC;
    uint32_t bits = 0;

    for (unsigned int i = 0; i < count; i++)
        bits |= offsets[i];
    return ((mine->kind & KG__ACCESS_WRITE) == 0 || (mine->kind & others) == 0) &&
           mine->bytes <= KG__ROW * mine->region->granule && (bits & (mine->bytes - 1)) == 0;
}

/* Handles plain accesses of a warp in which nothing was ordered. */
KG__OF_VECTORS static void take_plain(kg__checked_access *mine, const request_lanes *of)
{
    const unsigned int granule = mine->region->granule;
    const bool reads_cells = (mine->kind & KG__ACCESS_WRITE) == 0 && mine->bytes == granule;
    const unsigned int period = reads_cells ? period_of(of->offsets, of->count) : of->count;
    uint32_t repeats = 1;
    unsigned int next;

    for (unsigned int repeat = period; repeat < of->count; repeat *= 2)
        repeats |= repeats << repeat;
    for (unsigned int i = 0; i < period; i = next) {
        uint32_t together = repeats << of->lanes[i];

        next = i + length_of_run(of, i, period, mine->bytes);
        if (next > i + 1 || !reads_cells) {
            take_run(mine, of, i, next - i, repeats);
            continue;
        }
        for (; next < period && of->offsets[next] == of->offsets[i]; next++)
            together |= repeats << of->lanes[next];
        mine->offset = of->offsets[i];
        read_cell(mine, mine->offset / granule, of->first_thread, together);
    }
}

void kg__shadow_take(kg__region *region, const kg__site *site, unsigned int kind,
                     unsigned int count, const uint32_t *offsets, const uint8_t *lanes,
                     unsigned int first_thread)
{
    kg__checked_access mine = { region, site, kind & KG__ACCESS_BYTES, kind, 0, 0 };
    bool writes = (kind & (KG__ACCESS_WRITE | KG__ACCESS_ATOMIC)) != 0;
    bool global = region->between_blocks;
    bool constant = region->space == KG__MODEL_CONSTANT;
    bool reads_cells;
    bool tells = (kind & (KG__ACCESS_ATOMIC | KG__ACCESS_STRONG)) != 0 ||
                 (global && (kind & KG__ACCESS_VOLATILE) != 0);
    /* A volatile read of a flag does not rely on what the flag tells of other words. */
    bool looks = tells && !writes && (kind & KG__ACCESS_STRONG) == 0;
    read_taker *const take = kg__access_is_bulk(kind) ? take_bulk_read : take_read;
    unsigned int shift;

    if (region->is_copy) {
        mine.offset = offsets[0];
        mine.thread = first_thread + lanes[0];
        kg__clusters_look_at(&mine);
    }
    if (region->has_objects && !writes && mine.bytes == sizeof(void *))
        kg__tables_read(region, site->code, count, offsets, lanes, first_thread);
    if (writes && (region->read_only || constant)) {
        for (unsigned int i = 0; i < count; i++) {
            const kg__finding what =
                kg__finding_in(KG__READ_ONLY, region, offsets[i], mine.bytes, kg__access_of(kind));

            kg__find(site->code, first_thread + lanes[i], &what);
        }
        return;
    }
    /* Kernels cannot write memory that only the host may write. */
    if (constant || (region->read_only && region->state == KG__UPLOADED))
        return;
    if (region->granule == 4 && (mine.bytes & 3) != 0)
        kg__shadow_refine(region);
    if (region->cells == NULL && region->state != KG__UNKNOWN)
        kg__cells_make(region);
    if (region->cells == NULL)
        return;
    shift = region->granule == 4 ? 2 : 0;
    reads_cells = !writes && mine.bytes == region->granule && !tells;
    if (!tells)
        (void)kg__order_time_of_plain();
    if (!tells && take == take_read && !kg__order.have_synced[first_thread / WARP] &&
        !kg__order.any_taken && (reads_cells || can_be_rows(&mine, count, offsets))) {
        take_plain(&mine, &(request_lanes){ count, offsets, lanes, first_thread });
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        size_t first = offsets[i] >> shift;
        size_t last = reads_cells ? first : (offsets[i] + mine.bytes - 1) >> shift;

        mine.offset = offsets[i];
        mine.thread = first_thread + lanes[i];
        if (tells && !looks)
            kg__order_atomic(region, offsets[i], mine.thread, kind);
        for (size_t cell = first; cell <= last; cell++) {
            if (writes)
                take_write(&mine, kg__cell_at(region, cell));
            else
                take(&mine, kg__cell_at(region, cell), cell, global);
        }
        if (looks)
            kg__order_atomic(region, offsets[i], mine.thread, kind);
    }
}
