/* SPDX-License-Identifier: MIT */
/* Checks accesses against the last ones of each cell, or of a whole row of cells. order.h has their
 * order. */
#include "model/watch/shadow.h"

#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/findings.h"
#include "model/watch/races.h"
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

/* Adds a reader to those of this interval. The site stays if the reader is known already, since
 * that reader may be the next writer. */
static inline void join_readers(kg__cell *cell, unsigned int thread, unsigned int site)
{
    bool lanes = (cell->reader & KG__READERS_OF_WARP) != 0;
    unsigned int warp = lanes ? cell->reader & KG__THREAD_NUMBER : cell->reader / WARP;
    unsigned int clock = kg__order_clock(thread);

    if (!lanes || warp != thread / WARP || (cell->read_lanes >> thread % WARP & 1) == 0)
        cell->read_site = (uint16_t)site;
    if (warp != thread / WARP) {
        kg__cell_join(cell, 1u << thread / WARP, thread / WARP);
        return;
    }
    cell->read_time = kg__order.now;
    cell->read_lanes = (lanes ? cell->read_lanes : 1u << cell->reader % WARP) | 1u << thread % WARP;
    cell->reader = (uint16_t)(KG__READERS_OF_WARP | warp);
    if (clock > (cell->read_clock & KG__CLOCK_MAXIMUM))
        cell->read_clock = (uint16_t)((cell->read_clock & KG__OTHER_BLOCKS) | clock);
}

/* Makes a thread the only reader of a cell. */
static inline void begin_reads(kg__cell *cell, unsigned int thread, unsigned int site)
{
    unsigned int others = !kg__is_of_this_launch(cell->read_time) ? 0
                          : kg__is_of_this_block(cell->read_time)
                              ? cell->read_clock & KG__OTHER_BLOCKS
                          : kg__clocks_order_reads(thread, cell) ? 0
                                                                 : KG__OTHER_BLOCKS;

    cell->read_time = kg__order.now;
    cell->reader = (uint16_t)thread;
    cell->read_clock = (uint16_t)(kg__order_clock(thread) | others);
    cell->read_site = (uint16_t)site;
}

static inline void note_read(kg__cell *cell, unsigned int thread, unsigned int site)
{
    if (cell->read_time == KG__TIME_TO_COME)
        return;
    /* An access ordered after the earlier reads, or after a write that was, stands for them. */
    if (!kg__is_of_this_interval(cell->read_time) ||
        ((kg__order.have_synced[thread / WARP] || kg__order.any_taken || kg__order.has_arrived) &&
         (kg__reads_are_over(cell) || kg__race_follows_reads(thread, cell)))) {
        begin_reads(cell, thread, site);
    } else if (kg__are_many(cell->reader)) {
        if (kg__order.has_arrived)
            kg__cell_join(cell, 1u << thread / WARP, thread / WARP);
    } else if (cell->reader != thread) {
        join_readers(cell, thread, site);
    }
}

static inline void take_read(const kg__checked_access *mine, kg__cell *cell, size_t index,
                             bool global)
{
    if (!is_settled(cell, global))
        kg__race_of_read(mine, cell, index);
    note_read(cell, mine->thread, mine->site->number);
}

typedef void read_taker(const kg__checked_access *mine, kg__cell *cell, size_t index, bool global);

/* The same by a bulk copy, which reads shared memory until its wait. */
static void take_bulk_read(const kg__checked_access *mine, kg__cell *cell, size_t index,
                           bool global)
{
    const uint16_t warp = (uint16_t)(KG__READERS_OF_WARP | mine->thread / WARP);
    const bool alone = cell->read_time != KG__TIME_TO_COME || cell->reader == warp;

    if (mine->region->space == KG__MODEL_SHARED)
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

/* Notes that two warps are a cell's readers. */
static inline void begin_many(kg__cell *cell, uint32_t warps)
{
    cell->reader = KG__MANY_READERS;
    cell->read_clock &= KG__OTHER_BLOCKS;
    cell->read_lanes = warps;
}

/* Adds lanes of one warp, which have not synchronized in this block, to a cell's readers. */
static inline void note_lanes(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                              unsigned int site)
{
    unsigned int warp = first_thread / WARP;
    bool several = (lanes & (lanes - 1)) != 0;

    if (cell->read_time == KG__TIME_TO_COME)
        return;
    if (!kg__is_of_this_interval(cell->read_time)) {
        begin_reads(cell, first_thread + (unsigned int)__builtin_ctz(lanes), site);
    } else if (kg__are_many(cell->reader)) {
        return;
    } else if ((cell->reader & KG__READERS_OF_WARP) != 0) {
        several = true;
        if ((cell->reader & KG__THREAD_NUMBER) != warp)
            begin_many(cell, kg__reader_warps(cell) | 1u << warp);
        else if ((lanes & ~cell->read_lanes) == 0)
            return;
        else
            lanes |= cell->read_lanes;
    } else if (cell->reader / WARP == warp) {
        lanes |= 1u << cell->reader % WARP;
        several = (lanes & (lanes - 1)) != 0;
    } else {
        begin_many(cell, kg__reader_warps(cell) | 1u << warp);
    }
    if (several && !kg__are_many(cell->reader)) {
        cell->reader = (uint16_t)(KG__READERS_OF_WARP | warp);
        cell->read_lanes = lanes;
    }
    cell->read_site = (uint16_t)site;
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

    if (is_settled(cell, global)) {
        note_lanes(cell, first_thread, together, mine->site->number);
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
        } else if (!kg__is_of_this_interval(cell->read_time) ||
                   cell->reader != (KG__READERS_OF_WARP | first_thread / WARP)) {
            note_lanes(cell, first_thread, together, mine->site->number);
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
    const bool several = (together & (together - 1)) != 0;
    const bool settled = is_settled(cell, mine->region->between_blocks);
    const bool of_warp = (cell->reader & KG__READERS_OF_WARP) != 0;
    const unsigned int warp = of_warp ? cell->reader & KG__THREAD_NUMBER : cell->reader / WARP;
    uint32_t lanes;

    if (!settled && (several || !kg__is_of_this_interval(cell->write_time) ||
                     cell->writer != mine->thread || row->write_shift != shift))
        return false;
    if (!kg__is_of_this_interval(cell->read_time)) {
        begin_reads(cell, mine->thread, mine->site->number);
        row->read_shift = (uint8_t)shift;
        if (several) {
            cell->reader = (uint16_t)(KG__READERS_OF_WARP | mine->thread / WARP);
            cell->read_lanes = together;
        }
        return true;
    }
    if (kg__are_many(cell->reader))
        return true;
    if (warp != mine->thread / WARP) {
        begin_many(cell, 1u << warp | 1u << mine->thread / WARP);
        cell->read_site = mine->site->number;
        return true;
    }
    if (!settled || shift != 0 || (!of_warp && row->read_shift != 0))
        return !several && cell->reader == mine->thread && row->read_shift == shift;
    /* As note_lanes() does. A row is read whole, so that each lane in a mask is at most 24, and
     * none is lost when a mask moves by up to 7. */
    lanes = of_warp ? cell->read_lanes : 1u << cell->reader % WARP;
    if (of_warp && (together & ~lanes) == 0)
        return true;
    lanes |= together;
    if ((lanes & (lanes - 1)) != 0) {
        cell->reader = (uint16_t)(KG__READERS_OF_WARP | warp);
        cell->read_lanes = lanes;
    }
    cell->read_site = mine->site->number;
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
    cell->write_time = atomic ? kg__order.now : kg__order_time_of_write();
    cell->writer = (uint16_t)(mine->thread | (atomic || strong ? KG__BY_ATOMIC : 0) |
                              ((mine->kind & KG__ACCESS_OF_BLOCK) != 0 ? KG__BY_BLOCK : 0) |
                              (after_plain ? KG__AFTER_PLAIN : 0) |
                              ((mine->kind & KG__ACCESS_VOLATILE) != 0 ? KG__BY_VOLATILE : 0));
    cell->write_clock = (uint16_t)kg__order_clock(mine->thread);
    if (!after_plain)
        cell->write_site = mine->site->number;
    if ((mine->kind & KG__ACCESS_ASYNC) != 0 &&
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
         (cell->writer != mine->thread || row->write_shift != shift)) ||
        (kg__is_of_this_interval(cell->read_time) &&
         (cell->reader != mine->thread || row->read_shift != shift)))
        return false;
    if (global &&
        ((kg__is_of_this_launch(cell->write_time) && !kg__is_of_this_block(cell->write_time)) ||
         (kg__is_of_this_launch(cell->read_time) &&
          (!kg__is_of_this_block(cell->read_time) || (cell->read_clock & KG__OTHER_BLOCKS) != 0))))
        return false;
    cell->write_time = kg__order_time_of_write();
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
    if (!tells && take == take_read && !kg__order.have_synced[first_thread / WARP] &&
        !kg__order.any_taken && !kg__order.has_arrived &&
        (reads_cells || can_be_rows(&mine, count, offsets))) {
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
