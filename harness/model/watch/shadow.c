/* The last write and reads of each few bytes of memory. order.h has their order. */
#include "model/watch/shadow.h"

#include "base/message.h"
#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/findings.h"
#include "model/watch/races.h"
#include "model/watch/trace.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP

static bool any_copy; /* this block made asynchronous copies */

void kg__shadow_begin_launch(void)
{
    kg__order_begin_launch();
    kg__races_forget();
}

/* Gives a region one cell per byte. */
static void refine(kg__region *region)
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
}

/* A copy that is incomplete at the end of its block never completes. */
static void forget_copies(void)
{
    for (kg__region *region = kg__regions(); any_copy && region != NULL; region = region->next) {
        size_t cells = region->cells != NULL ? region->bytes / region->granule + 1 : 0;

        for (size_t i = 0; i < cells; i++) {
            if (region->cells[i].write_time == KG__TIME_TO_COME)
                region->cells[i].write_time = KG__TIME_NEVER;
        }
    }
    any_copy = false;
}

void kg__shadow_end_block(void)
{
    kg__races_end_block();
    forget_copies();
}

/* The cells of a shared region that a block had written before it began to wait for its grid. */
typedef struct kept_region {
    kg__region *region;
    unsigned int granule;
    struct kept_region *next;
    bool written[];
} kept_region;

void *kg__shadow_suspend_block(void)
{
    kept_region *first = NULL;

    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        size_t cells = region->bytes / region->granule + 1;
        kept_region *kept;

        if (region->space != KG__MODEL_SHARED || region->cells == NULL)
            continue;
        kept = kg__allocate(1, sizeof *kept + cells * sizeof *kept->written);
        *kept = (kept_region){ .region = region, .granule = region->granule, .next = first };
        first = kept;
        for (size_t i = 0; i < cells; i++)
            kept->written[i] = kg__is_of_this_block(region->cells[i].write_time);
    }
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
            region->cells[i] =
                (kg__cell){ .write_time = kept->written[i * region->granule / kept->granule]
                                              ? kg__order.block_began
                                              : KG__TIME_NEVER };
        free(kept);
        kept = next;
    }
    kg__order_barrier();
}

void kg__shadow_end_launch(void)
{
    kg__races_settle(true);
}

/* Returns whether a cell's last write happens before every read made now: it is of this block
 * before the last barrier, or (in global memory) from before the launch. */
static inline bool is_settled(const kg__cell *cell, bool global)
{
    return cell->write_time - kg__order.block_began <
               kg__order.interval_began - kg__order.block_began ||
           (global && cell->write_time - 1 < kg__order.launch_began - 1);
}

static inline unsigned int clock_of(unsigned int thread)
{
    return kg__order.own[thread / WARP][thread % WARP];
}

/* Adds a reader to those of this interval. The site stays if the reader is known already, since
 * that reader may be the next writer. */
static inline void join_readers(kg__cell *cell, unsigned int thread, unsigned int site)
{
    bool lanes = (cell->reader & KG__READERS_OF_WARP) != 0;
    unsigned int warp = lanes ? cell->reader & KG__THREAD_NUMBER : cell->reader / WARP;
    unsigned int clock = clock_of(thread);

    if (!lanes || warp != thread / WARP || (cell->read_lanes >> thread % WARP & 1) == 0)
        cell->read_site = (uint16_t)site;
    if (warp != thread / WARP) {
        cell->reader = KG__MANY_READERS;
        return;
    }
    cell->read_lanes = (lanes ? cell->read_lanes : 1u << cell->reader % WARP) | 1u << thread % WARP;
    cell->reader = (uint16_t)(KG__READERS_OF_WARP | warp);
    if (clock > (cell->read_clock & KG__CLOCK_MAXIMUM))
        cell->read_clock = (uint16_t)((cell->read_clock & KG__OTHER_BLOCKS) | clock);
}

static inline void note_read(kg__cell *cell, unsigned int thread, unsigned int site)
{
    if (!kg__is_of_this_interval(cell->read_time)) {
        unsigned int others =
            !kg__is_of_this_launch(cell->read_time) || kg__order_has_met(cell->read_time) ? 0
            : kg__is_of_this_block(cell->read_time) ? cell->read_clock & KG__OTHER_BLOCKS
                                                    : KG__OTHER_BLOCKS;

        cell->read_time = kg__order.now;
        cell->reader = (uint16_t)thread;
        cell->read_clock = (uint16_t)(clock_of(thread) | others);
        cell->read_site = (uint16_t)site;
    } else if ((kg__order.have_synced[thread / WARP] || kg__order.any_taken) &&
               (cell->reader == thread ||
                kg__race_is_ordered(thread, cell->reader, cell->read_lanes,
                                    cell->read_clock & KG__CLOCK_MAXIMUM, false))) {
        /* An access ordered after this read is also ordered after the earlier ones. */
        cell->reader = (uint16_t)thread;
        cell->read_clock = (uint16_t)((cell->read_clock & KG__OTHER_BLOCKS) | clock_of(thread));
        cell->read_site = (uint16_t)site;
    } else if (cell->reader != thread && cell->reader != KG__MANY_READERS) {
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

/* Adds lanes of one warp, which have not synchronized in this block, to a cell's readers. */
static inline void note_lanes(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                              unsigned int site)
{
    unsigned int warp = first_thread / WARP;
    bool several = (lanes & (lanes - 1)) != 0;

    if (!kg__is_of_this_interval(cell->read_time)) {
        note_read(cell, first_thread + (unsigned int)__builtin_ctz(lanes), site);
    } else if (cell->reader == KG__MANY_READERS) {
        return;
    } else if ((cell->reader & KG__READERS_OF_WARP) != 0) {
        several = true;
        if ((cell->reader & KG__THREAD_NUMBER) != warp)
            cell->reader = KG__MANY_READERS;
        else if ((lanes & ~cell->read_lanes) == 0)
            return;
        else
            lanes |= cell->read_lanes;
    } else if (cell->reader / WARP == warp) {
        lanes |= 1u << cell->reader % WARP;
        several = (lanes & (lanes - 1)) != 0;
    } else {
        cell->reader = KG__MANY_READERS;
    }
    if (several && cell->reader != KG__MANY_READERS) {
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

/* Handles reads of one cell per lane, the common case. */
static inline void take_reads(kg__checked_access *mine, unsigned int count, const uint32_t *offsets,
                              const uint8_t *lanes, unsigned int first_thread, unsigned int shift)
{
    kg__cell *cells = mine->region->cells;
    bool global = mine->region->between_blocks;
    bool alike = !kg__order.have_synced[first_thread / WARP] && !kg__order.any_taken;
    unsigned int period = alike ? period_of(offsets, count) : count;
    unsigned int next;

    for (unsigned int i = 0; i < period; i = next) {
        size_t index = offsets[i] >> shift;
        kg__cell *cell = &cells[index];
        uint32_t together = 1u << lanes[i];

        for (next = i + 1; alike && next < period && offsets[next] == offsets[i]; next++)
            together |= 1u << lanes[next];
        for (unsigned int repeat = period; repeat < count; repeat *= 2)
            together |= together << repeat;
        mine->offset = offsets[i];
        if (alike && is_settled(cell, global)) {
            note_lanes(cell, first_thread, together, mine->site->number);
            continue;
        }
        for (; together != 0; together &= together - 1) {
            mine->thread = first_thread + (unsigned int)__builtin_ctz(together);
            take_read(mine, cell, index, global);
        }
    }
}

/* A thread's atomic update of a cell resolves its own plain reads of it. */
static void clear_own_reads(kg__cell *cell, unsigned int thread, bool global)
{
    uint32_t lane = 1u << thread % WARP;

    if (!kg__is_of_this_block(cell->read_time) || cell->reader == KG__MANY_READERS ||
        (global && (cell->read_clock & KG__OTHER_BLOCKS) != 0))
        return;
    if ((cell->reader & KG__READERS_OF_WARP) == 0) {
        if (cell->reader == thread)
            cell->read_time = KG__TIME_NEVER;
    } else if ((cell->reader & KG__THREAD_NUMBER) == thread / WARP) {
        cell->read_lanes &= ~lane;
        if (cell->read_lanes == 0)
            cell->read_time = KG__TIME_NEVER;
    }
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
        clear_own_reads(cell, mine->thread, mine->region->between_blocks);
        kg__races_clear(mine->region, index, mine->thread);
    }
    if (cell->write_time >= kg__order.launch_began || cell->read_time >= kg__order.launch_began)
        kg__race_of_write(mine, cell, index);
    /* Of a thread's plain write and its atomic in one interval, keep the write: it races with
     * more accesses. */
    if (atomic && kg__is_of_this_interval(cell->write_time) && cell->writer == mine->thread)
        return;
    if (atomic && mine->region->between_blocks && is_left_out(cell)) {
        cell->writer |= KG__LEFT_OUT;
        return;
    }
    cell->write_time =
        atomic || !mine->region->between_blocks ? kg__order.now : kg__order_time_of_write();
    cell->writer = (uint16_t)(mine->thread | (atomic || strong ? KG__BY_ATOMIC : 0) |
                              ((mine->kind & KG__ACCESS_OF_BLOCK) != 0 ? KG__BY_BLOCK : 0) |
                              (after_plain ? KG__AFTER_PLAIN : 0) |
                              ((mine->kind & KG__ACCESS_VOLATILE) != 0 ? KG__BY_VOLATILE : 0));
    cell->write_clock = (uint16_t)clock_of(mine->thread);
    if (!after_plain)
        cell->write_site = mine->site->number;
    if ((mine->kind & KG__ACCESS_ASYNC) != 0) {
        cell->write_time = KG__TIME_TO_COME;
        any_copy = true;
    }
}

void kg__shadow_copied(kg__region *region, uint32_t offset, unsigned int bytes, unsigned int thread)
{
    size_t last = (offset + bytes - 1) / region->granule;

    for (size_t i = offset / region->granule; region->cells != NULL && i <= last; i++) {
        kg__cell *cell = &region->cells[i];

        if (cell->write_time != KG__TIME_TO_COME)
            continue;
        cell->write_time = kg__order_time_of_write();
        cell->write_clock = (uint16_t)clock_of(thread);
    }
}

static void report_read_only(const kg__checked_access *mine)
{
    kg__finding_place place = { mine->site->code, kg__access_of(mine->kind), mine->thread, NULL };
    kg__finding what = kg__finding_in(KG__READ_ONLY, mine->region);

    what.bytes = mine->bytes;
    what.offset = mine->offset;
    kg__find(&place, &what);
}

void kg__shadow_take(kg__region *region, const kg__site *site, unsigned int kind,
                     unsigned int count, const uint32_t *offsets, const uint8_t *lanes,
                     unsigned int first_thread)
{
    kg__checked_access mine = { region, site, kind & KG__ACCESS_BYTES, kind, 0, 0 };
    bool writes = (kind & (KG__ACCESS_WRITE | KG__ACCESS_ATOMIC)) != 0;
    bool global = region->between_blocks;
    bool constant = region->space == KG__MODEL_CONSTANT;
    bool tells = (kind & (KG__ACCESS_ATOMIC | KG__ACCESS_STRONG)) != 0 ||
                 (global && (kind & KG__ACCESS_VOLATILE) != 0);
    /* A volatile read of a flag does not rely on what the flag tells of other words. */
    bool looks = tells && !writes && (kind & KG__ACCESS_STRONG) == 0;
    unsigned int shift;

    if (writes && (region->read_only || constant)) {
        for (unsigned int i = 0; i < count; i++) {
            mine.offset = offsets[i];
            mine.thread = first_thread + lanes[i];
            report_read_only(&mine);
        }
        return;
    }
    /* Kernels cannot write memory that only the host may write. */
    if (constant || (region->read_only && region->state == KG__UPLOADED))
        return;
    if (region->granule == 4 && (mine.bytes & 3) != 0)
        refine(region);
    if (region->cells == NULL && region->state != KG__UNKNOWN)
        kg__cells_make(region);
    if (region->cells == NULL)
        return;
    shift = region->granule == 4 ? 2 : 0;
    if (!writes && mine.bytes == region->granule && !tells) {
        take_reads(&mine, count, offsets, lanes, first_thread, shift);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        size_t first = offsets[i] >> shift;
        size_t last = (offsets[i] + mine.bytes - 1) >> shift;

        mine.offset = offsets[i];
        mine.thread = first_thread + lanes[i];
        if (tells && !looks)
            kg__order_atomic(region, offsets[i], mine.thread, kind);
        for (size_t cell = first; cell <= last; cell++) {
            if (writes)
                take_write(&mine, &region->cells[cell]);
            else
                take_read(&mine, &region->cells[cell], cell, global);
        }
        if (looks)
            kg__order_atomic(region, offsets[i], mine.thread, kind);
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
        refine(region);
    if (region->cells == NULL && region->state != KG__UNKNOWN)
        kg__cells_make(region);
    if (region->cells == NULL)
        return;
    for (size_t i = (from - region->start) / region->granule;
         i <= (to - region->start - 1) / region->granule; i++)
        region->cells[i] = (kg__cell){ .write_time = written ? KG__TIME_OF_HOST : KG__TIME_NEVER };
}
