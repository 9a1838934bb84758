/* Who wrote and who read each few bytes of memory last: order.h says what is ordered before what.
 */
#include "model/watch/shadow.h"

#include "base/message.h"
#include "model/watch/cells.h"
#include "model/watch/findings.h"
#include "model/watch/order.h"
#include "model/watch/trace.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP

/* A writer is a thread, with a flag on top; a reader a thread, any lanes of one warp, or several
 * warps' threads. */
#define ATOMIC 0x8000u
#define STRONG 0x4000u /* volatile, in global memory: between blocks much like an atomic */
#define READERS_OF_WARP 0x8000u
#define MANY_READERS 0xffffu
#define THREAD 0x03ffu
/* On top of a reader's clock: other blocks have read it too, in this launch. */
#define OTHER_BLOCKS 0x8000u
/* The time of what an asynchronous copy has yet to write. */
#define TIME_TO_COME UINT32_MAX

/* Reads of what was not written yet: a race when somebody else writes it after all. */
#define PENDING_MAXIMUM 4096
typedef struct pending_read {
    kg__region *region;
    size_t cell;
    uint32_t time;
    uint32_t offset;
    unsigned int bytes;
    uint16_t thread;
    const kg__site *site;
    uint3 block;
} pending_read;

static pending_read pending[PENDING_MAXIMUM];
static size_t pending_count;

/* What is being held against a cell. */
typedef struct access {
    kg__region *region;
    const kg__site *site;
    unsigned int bytes;
    unsigned int kind;
    uint32_t offset;
    unsigned int thread;
} access;

/* Races of plain reads with atomics: none where the reader updates the word atomically too, as a
 * loop that compares and swaps does, which so tells whether it has read what is there. */
#define DOUBTS_MAXIMUM 256
typedef struct doubt {
    access mine;
    size_t cell;
    unsigned int warp; /* of the readers, */
    uint32_t lanes;    /* that have not updated it */
    uint32_t time;
    unsigned int other;
    kg__finding_access did;
    unsigned int site_number;
} doubt;

static doubt doubts[DOUBTS_MAXIMUM];
static size_t doubt_count;
static bool any_copy; /* asynchronous ones, in this block */

void kg__shadow_begin_launch(void)
{
    kg__order_begin_launch();
    pending_count = doubt_count = 0;
}

/* Gives a region a cell for each byte. */
static void refine(kg__region *region)
{
    bool had_cells = region->cells != NULL;
    size_t kept = 0;

    kg__cells_refine(region);
    for (size_t i = 0; had_cells && i < pending_count; i++) {
        if (pending[i].region == region) {
            if (region->cells == NULL)
                continue;
            pending[i].cell *= 4;
        }
        pending[kept++] = pending[i];
    }
    if (had_cells)
        pending_count = kept;
    for (size_t i = 0; had_cells && i < doubt_count; i++) {
        if (doubts[i].mine.region == region)
            doubts[i].cell *= 4;
    }
}

static bool is_of_this_block(uint32_t time)
{
    return time >= kg__order.block_began;
}

static bool is_of_this_launch(uint32_t time)
{
    return time >= kg__order.launch_began;
}

/* True when somebody else wrote, with no order, what a pending read found unwritten: then the race
 * has been reported. */
static bool has_reported_race(const pending_read *read)
{
    const kg__cell *cell = &read->region->cells[read->cell];

    if (cell->write_time == read->time)
        return (cell->writer & THREAD) != read->thread;
    return read->region->space == KG__MODEL_GLOBAL && is_of_this_launch(cell->write_time) &&
           kg__order_block(cell->write_time) != kg__order_block(read->time);
}

/* Reports the pending reads of shared memory, or of all memory, that nobody has made good. */
static void settle_pending(bool of_all)
{
    size_t kept = 0;

    for (size_t i = 0; i < pending_count; i++) {
        pending_read *read = &pending[i];
        kg__finding_place place = { read->site->code, KG__READ, read->thread, &read->block };

        if (!of_all && read->region->space == KG__MODEL_GLOBAL) {
            pending[kept++] = *read;
        } else if (!has_reported_race(read)) {
            kg__finding what = kg__finding_in(KG__NEVER_WRITTEN, read->region);

            what.bytes = read->bytes;
            what.offset = read->offset;
            kg__find(&place, &what);
        }
    }
    pending_count = kept;
}

void kg__shadow_barrier(void)
{
    settle_pending(false);
    kg__order_barrier();
}

static void report_race(const access *mine, uint32_t time, unsigned int other,
                        kg__finding_access did, unsigned int site_number);

/* Reports the first of the races that nobody has made good. */
static void settle_doubts(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const doubt *what = &doubts[i];

        report_race(&what->mine, what->time, what->other, what->did, what->site_number);
    }
    doubt_count -= count;
    memmove(doubts, doubts + count, doubt_count * sizeof *doubts);
}

/* What has not come by the end of its block never does. */
static void forget_copies(void)
{
    for (kg__region *region = kg__regions(); any_copy && region != NULL; region = region->next) {
        size_t cells = region->cells != NULL ? region->bytes / region->granule + 1 : 0;

        for (size_t i = 0; i < cells; i++) {
            if (region->cells[i].write_time == TIME_TO_COME)
                region->cells[i].write_time = KG__TIME_NEVER;
        }
    }
    any_copy = false;
}

void kg__shadow_end_block(void)
{
    settle_pending(false);
    settle_doubts(doubt_count);
    forget_copies();
}

/* Which cells of a shared region a block that waits for its grid has written. */
typedef struct kept_region {
    kg__region *region;
    unsigned int granule;
    struct kept_region *next;
    bool written[];
} kept_region;

void *kg__shadow_suspend_block(void)
{
    kept_region *first = NULL;

    kg__shadow_end_block();
    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        size_t cells = region->bytes / region->granule + 1;
        kept_region *kept;

        if (region->space != KG__MODEL_SHARED || region->cells == NULL)
            continue;
        kept = kg__allocate(1, sizeof *kept + cells * sizeof *kept->written);
        *kept = (kept_region){ .region = region, .granule = region->granule, .next = first };
        first = kept;
        for (size_t i = 0; i < cells; i++)
            kept->written[i] = is_of_this_block(region->cells[i].write_time);
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
    settle_pending(true);
}

/* Whether an atomic or a flag tells of what `other` did, and would order it behind a fence. */
static bool lacks_fence(const access *mine, uint32_t time, unsigned int other, bool several)
{
    /* Of its own word it says nothing. */
    if ((mine->kind & KG__ACCESS_ATOMIC) != 0)
        return false;
    if (!is_of_this_block(time))
        return kg__order_block_lacks_fence(time, false);
    return !several && kg__order_lacks_fence(mine->thread, other);
}

/* Reports a race with whoever `other` is, at `time`, who `did` something to the same bytes. */
static void report_race(const access *mine, uint32_t time, unsigned int other,
                        kg__finding_access did, unsigned int site_number)
{
    kg__finding_place place = { mine->site->code, kg__access_of(mine->kind), mine->thread, NULL };
    const kg__site *site = kg__site_numbered(site_number);
    bool several = other == MANY_READERS || (other & READERS_OF_WARP) != 0;
    bool is_of_warp =
        other != MANY_READERS &&
        ((other & READERS_OF_WARP) != 0 ? other & THREAD : other / WARP) == mine->thread / WARP;
    kg__finding what;

    if (kg__found_before(KG__RACE_IN_BLOCK, mine->site->code))
        return;
    what = kg__finding_in(lacks_fence(mine, time, other, several) ? KG__MISSING_FENCE
                          : !is_of_this_block(time)               ? KG__RACE_BETWEEN_BLOCKS
                          : is_of_warp                            ? KG__RACE_IN_WARP
                                                                  : KG__RACE_IN_BLOCK,
                          mine->region);
    what.bytes = mine->bytes;
    what.offset = mine->offset;
    what.other.access = did;
    if (site != NULL)
        kg__set_source(&what.other, kg__model_source_of((const void *)site->code));
    if (!is_of_this_block(time))
        kg__set_index(&what.other.has_block, what.other.block, kg__order_block_index(time));
    else if (!several)
        kg__set_index(&what.other.has_thread, what.other.thread, kg__thread_index(other));
    kg__find(&place, &what);
}

/* Notes a race that may be none. */
static void doubt_race(const doubt *what)
{
    if (kg__found_before(KG__RACE_IN_BLOCK, what->mine.site->code))
        return;
    if (doubt_count == DOUBTS_MAXIMUM)
        settle_doubts(DOUBTS_MAXIMUM / 2);
    doubts[doubt_count++] = *what;
}

/* A lane updates a cell atomically: what it has read of it before is no race. */
static void clear_doubts(const kg__region *region, size_t cell, unsigned int thread)
{
    for (size_t i = 0; i < doubt_count; i++) {
        doubt *what = &doubts[i];

        if (what->mine.region != region || what->cell != cell || what->warp != thread / WARP)
            continue;
        what->lanes &= ~(1u << thread % WARP);
        if (what->lanes == 0)
            doubts[i--] = doubts[--doubt_count];
    }
}

/* True when what `other` did in this interval, a thread or the `lanes` of a warp, is ordered before
 * what a thread does by __syncwarp(). */
static bool has_met(unsigned int thread, unsigned int other, uint32_t lanes, unsigned int clock)
{
    unsigned int warp = thread / WARP;
    const uint16_t *mine = kg__order.known[warp][thread % WARP];

    if (!kg__order.have_met[warp] || other == MANY_READERS)
        return false;
    if ((other & READERS_OF_WARP) != 0) {
        if ((other & THREAD) != warp)
            return false;
        for (uint32_t rest = lanes & ~(1u << thread % WARP); rest != 0; rest &= rest - 1) {
            if (mine[__builtin_ctz(rest)] <= clock)
                return false;
        }
        return true;
    }
    return other / WARP == warp && mine[other % WARP] > clock;
}

/* The same, or by an atomic. */
static bool is_ordered(unsigned int thread, unsigned int other, uint32_t lanes, unsigned int clock)
{
    return has_met(thread, other, lanes, clock) ||
           ((other & READERS_OF_WARP) == 0 && kg__order_has_taken(thread, other));
}

static void report_not_waited(const access *mine, const kg__cell *cell)
{
    kg__finding_place place = { mine->site->code, KG__READ, mine->thread, NULL };
    const kg__site *site = kg__site_numbered(cell->write_site);
    kg__finding what;

    if (kg__found_before(KG__COPY_NOT_WAITED, mine->site->code))
        return;
    what = kg__finding_in(KG__COPY_NOT_WAITED, mine->region);
    what.bytes = mine->bytes;
    what.offset = mine->offset;
    what.other.access = KG__WRITE;
    if (site != NULL)
        kg__set_source(&what.other, kg__model_source_of((const void *)site->code));
    kg__find(&place, &what);
}

static void await_writer(const access *mine, size_t cell)
{
    const pending_read *last = pending_count > 0 ? &pending[pending_count - 1] : NULL;

    /* A wide access is one, however many cells it has. */
    if (last != NULL && last->region == mine->region && last->cell < cell &&
        last->offset == mine->offset && last->thread == mine->thread && last->site == mine->site &&
        last->time == kg__order.now)
        return;
    if (pending_count < PENDING_MAXIMUM)
        pending[pending_count++] =
            (pending_read){ mine->region, cell,        kg__order.now,
                            mine->offset, mine->bytes, (uint16_t)mine->thread,
                            mine->site,   blockIdx };
}

/* Reports the race of a read with a cell's last write, unless that is an atomic and the reader
 * makes it good. */
static void find_race_with_writer(const access *mine, const kg__cell *cell, size_t index)
{
    uint32_t time = cell->write_time;
    unsigned int writer = is_of_this_block(time) ? cell->writer & THREAD : 0;

    if ((cell->writer & ATOMIC) != 0)
        doubt_race(&(doubt){ *mine, index, mine->thread / WARP, 1u << mine->thread % WARP, time,
                             writer, KG__WRITE, cell->write_site });
    else
        report_race(mine, time, writer, KG__WRITE, cell->write_site);
}

/* Whether a volatile access and another block's, neither of which is a race by itself, go wrong. */
static bool is_strong_and_right(const access *mine, const kg__cell *cell, uint32_t time)
{
    return (mine->kind & KG__ACCESS_VOLATILE) != 0 && (cell->writer & (STRONG | ATOMIC)) != 0 &&
           ((cell->writer & ATOMIC) != 0 || !kg__order_block_lacks_fence(time, true));
}

/* Reports the race of a read whose last write is not plainly in order, if it is one. */
static void find_read_race(const access *mine, const kg__cell *cell, size_t index)
{
    bool global = mine->region->space == KG__MODEL_GLOBAL;
    unsigned int writer = cell->writer & THREAD;

    if (cell->write_time == TIME_TO_COME) {
        report_not_waited(mine, cell);
    } else if (cell->write_time == kg__order.now) {
        if (writer != mine->thread && !is_ordered(mine->thread, writer, 0, cell->write_clock))
            find_race_with_writer(mine, cell, index);
    } else if (cell->write_time == KG__TIME_NEVER || !global) {
        await_writer(mine, index);
    } else if (!kg__order_is_acquired(cell->write_time) &&
               !is_strong_and_right(mine, cell, cell->write_time)) {
        find_race_with_writer(mine, cell, index);
    }
}

/* True when a cell's last write is in order before anything that is read now: of this block before
 * the last barrier, or (in global memory) from before the launch. */
static inline bool is_settled(const kg__cell *cell, bool global)
{
    return cell->write_time - kg__order.block_began < kg__order.now - kg__order.block_began ||
           (global && cell->write_time - 1 < kg__order.launch_began - 1);
}

static inline unsigned int clock_of(unsigned int thread)
{
    return kg__order.own[thread / WARP][thread % WARP];
}

/* Adds a reader to others of this interval. */
static inline void join_readers(kg__cell *cell, unsigned int thread)
{
    bool lanes = (cell->reader & READERS_OF_WARP) != 0;
    unsigned int warp = lanes ? cell->reader & THREAD : cell->reader / WARP;
    unsigned int clock = clock_of(thread);

    if (warp != thread / WARP) {
        cell->reader = MANY_READERS;
        return;
    }
    cell->read_lanes = (lanes ? cell->read_lanes : 1u << cell->reader % WARP) | 1u << thread % WARP;
    cell->reader = (uint16_t)(READERS_OF_WARP | warp);
    if (clock > (cell->read_clock & KG__CLOCK_MAXIMUM))
        cell->read_clock = (uint16_t)((cell->read_clock & OTHER_BLOCKS) | clock);
}

static inline void note_read(kg__cell *cell, unsigned int thread, unsigned int site)
{
    if (cell->read_time != kg__order.now) {
        unsigned int others =
            is_of_this_launch(cell->read_time) && !is_of_this_block(cell->read_time) ? OTHER_BLOCKS
            : is_of_this_launch(cell->read_time) ? cell->read_clock & OTHER_BLOCKS
                                                 : 0;

        cell->read_time = kg__order.now;
        cell->reader = (uint16_t)thread;
        cell->read_clock = (uint16_t)(clock_of(thread) | others);
        cell->read_site = (uint16_t)site;
    } else if ((kg__order.have_met[thread / WARP] || kg__order.any_taken) &&
               (cell->reader == thread || is_ordered(thread, cell->reader, cell->read_lanes,
                                                     cell->read_clock & KG__CLOCK_MAXIMUM))) {
        /* Who is ordered behind this read is so behind the former ones. */
        cell->reader = (uint16_t)thread;
        cell->read_clock = (uint16_t)((cell->read_clock & OTHER_BLOCKS) | clock_of(thread));
        cell->read_site = (uint16_t)site;
    } else if (cell->reader != thread && cell->reader != MANY_READERS) {
        join_readers(cell, thread);
        cell->read_site = (uint16_t)site;
    }
}

static inline void take_read(const access *mine, kg__cell *cell, size_t index, bool global)
{
    if (!is_settled(cell, global))
        find_read_race(mine, cell, index);
    note_read(cell, mine->thread, mine->site->number);
}

/* Adds lanes of one warp, that have met nobody in this block, to the readers of a cell. */
static inline void note_lanes(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                              unsigned int site)
{
    unsigned int warp = first_thread / WARP;
    bool several = (lanes & (lanes - 1)) != 0;

    if (cell->read_time != kg__order.now) {
        note_read(cell, first_thread + (unsigned int)__builtin_ctz(lanes), site);
    } else if (cell->reader == MANY_READERS) {
        return;
    } else if ((cell->reader & READERS_OF_WARP) != 0) {
        several = true;
        if ((cell->reader & THREAD) == warp)
            lanes |= cell->read_lanes;
        else
            cell->reader = MANY_READERS;
    } else if (cell->reader / WARP == warp) {
        lanes |= 1u << cell->reader % WARP;
        several = (lanes & (lanes - 1)) != 0;
    } else {
        cell->reader = MANY_READERS;
    }
    if (several && cell->reader != MANY_READERS) {
        cell->reader = (uint16_t)(READERS_OF_WARP | warp);
        cell->read_lanes = lanes;
    }
    cell->read_site = (uint16_t)site;
}

/* How many lanes it takes until the lanes of a warp read the same again, as the rows of a block do:
 * 8, 16 or all. */
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

/* Reads of one cell a lane, which most are. */
static inline void take_reads(access *mine, unsigned int count, const uint32_t *offsets,
                              const uint8_t *lanes, unsigned int first_thread, unsigned int shift)
{
    kg__cell *cells = mine->region->cells;
    bool global = mine->region->space == KG__MODEL_GLOBAL;
    bool alike = !kg__order.have_met[first_thread / WARP] && !kg__order.any_taken;
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

/* A thread's atomic makes its own plain reads good. */
static void clear_own_reads(kg__cell *cell, unsigned int thread, bool global)
{
    uint32_t lane = 1u << thread % WARP;

    if (!is_of_this_block(cell->read_time) || cell->reader == MANY_READERS ||
        (global && (cell->read_clock & OTHER_BLOCKS) != 0))
        return;
    if ((cell->reader & READERS_OF_WARP) == 0) {
        if (cell->reader == thread)
            cell->read_time = KG__TIME_NEVER;
    } else if ((cell->reader & THREAD) == thread / WARP) {
        cell->read_lanes &= ~lane;
        if (cell->read_lanes == 0)
            cell->read_time = KG__TIME_NEVER;
    }
}

/* What is wrong with a write, by the reads of its own block in this interval before it. */
static void find_race_with_readers(const access *mine, const kg__cell *cell, size_t index)
{
    unsigned int reader = cell->reader;
    bool lanes = reader != MANY_READERS && (reader & READERS_OF_WARP) != 0;

    if (reader == mine->thread ||
        is_ordered(mine->thread, reader, cell->read_lanes, cell->read_clock & KG__CLOCK_MAXIMUM))
        return;
    /* Lanes that take the same lock as this one. */
    if (lanes && (reader & THREAD) == mine->thread / WARP) {
        uint32_t rest = cell->read_lanes & ~(1u << mine->thread % WARP);

        while (rest != 0 && kg__order_has_taken(mine->thread, mine->thread / WARP * WARP +
                                                                  (unsigned)__builtin_ctz(rest)))
            rest &= rest - 1;
        if (rest == 0)
            return;
    } else if (lanes && kg__order_has_taken(mine->thread, (reader & THREAD) * WARP)) {
        return;
    }
    if ((mine->kind & KG__ACCESS_ATOMIC) != 0 && reader != MANY_READERS)
        doubt_race(&(doubt){ *mine, index, lanes ? reader & THREAD : reader / WARP,
                             lanes ? cell->read_lanes : 1u << reader % WARP, kg__order.now, reader,
                             KG__READ, cell->read_site });
    else
        report_race(mine, kg__order.now, reader, KG__READ, cell->read_site);
}

/* What is wrong with a write, by the reads and the last write before it. */
static void find_write_race(const access *mine, const kg__cell *cell, size_t index)
{
    bool atomic = (mine->kind & KG__ACCESS_ATOMIC) != 0;
    bool both_atomic = atomic && (cell->writer & ATOMIC) != 0;
    unsigned int writer = cell->writer & THREAD;

    if (cell->write_time == kg__order.now && writer != mine->thread && !both_atomic &&
        !is_ordered(mine->thread, writer, 0, cell->write_clock))
        report_race(mine, kg__order.now, writer, KG__WRITE, cell->write_site);
    if (cell->read_time == kg__order.now)
        find_race_with_readers(mine, cell, index);
    if (mine->region->space != KG__MODEL_GLOBAL)
        return;
    if (is_of_this_launch(cell->write_time) && !is_of_this_block(cell->write_time) &&
        !both_atomic && !kg__order_is_acquired(cell->write_time) &&
        !is_strong_and_right(mine, cell, cell->write_time))
        report_race(mine, cell->write_time, 0, KG__WRITE, cell->write_site);
    if (is_of_this_launch(cell->read_time) && !is_of_this_block(cell->read_time) &&
        !kg__order_is_acquired(cell->read_time))
        report_race(mine, cell->read_time, 0, KG__READ, cell->read_site);
    else if (is_of_this_block(cell->read_time) && (cell->read_clock & OTHER_BLOCKS) != 0 &&
             kg__order_has_acquired_nothing())
        report_race(mine, kg__order.launch_began, 0, KG__READ, cell->read_site);
}

static inline void take_write(const access *mine, kg__cell *cell)
{
    bool atomic = (mine->kind & KG__ACCESS_ATOMIC) != 0;
    size_t index = (size_t)(cell - mine->region->cells);

    if (atomic && (mine->kind & KG__ACCESS_WRITE) == 0 && cell->write_time == KG__TIME_NEVER)
        await_writer(mine, index);
    if (atomic) {
        clear_own_reads(cell, mine->thread, mine->region->space == KG__MODEL_GLOBAL);
        if (doubt_count > 0)
            clear_doubts(mine->region, index, mine->thread);
    }
    if (cell->write_time >= kg__order.launch_began || cell->read_time >= kg__order.launch_began)
        find_write_race(mine, cell, index);
    cell->write_time = kg__order.now;
    cell->writer = (uint16_t)(mine->thread | (atomic ? ATOMIC : 0) |
                              ((mine->kind & KG__ACCESS_VOLATILE) != 0 ? STRONG : 0));
    cell->write_clock = (uint16_t)clock_of(mine->thread);
    cell->write_site = mine->site->number;
    if ((mine->kind & KG__ACCESS_ASYNC) != 0) {
        cell->write_time = TIME_TO_COME;
        any_copy = true;
    }
}

void kg__shadow_copied(kg__region *region, uint32_t offset, unsigned int bytes, unsigned int thread)
{
    size_t last = (offset + bytes - 1) / region->granule;

    for (size_t i = offset / region->granule; region->cells != NULL && i <= last; i++) {
        kg__cell *cell = &region->cells[i];

        if (cell->write_time != TIME_TO_COME)
            continue;
        cell->write_time = kg__order.now;
        cell->write_clock = (uint16_t)clock_of(thread);
    }
}

static void report_read_only(const access *mine)
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
    access mine = { region, site, kind & KG__ACCESS_BYTES, kind, 0, 0 };
    bool writes = (kind & (KG__ACCESS_WRITE | KG__ACCESS_ATOMIC)) != 0;
    bool global = region->space == KG__MODEL_GLOBAL;
    bool constant = region->space == KG__MODEL_CONSTANT;
    unsigned int shift;

    if (writes && (region->read_only || constant)) {
        for (unsigned int i = 0; i < count; i++) {
            mine.offset = offsets[i];
            mine.thread = first_thread + lanes[i];
            report_read_only(&mine);
        }
        return;
    }
    /* Nobody can have written what only the host may write. */
    if (constant || (region->read_only && region->state == KG__UPLOADED))
        return;
    if (region->granule == 4 && (mine.bytes & 3) != 0)
        refine(region);
    if (region->cells == NULL && region->state != KG__UNKNOWN)
        kg__cells_make(region);
    if (region->cells == NULL)
        return;
    shift = region->granule == 4 ? 2 : 0;
    if (!writes && mine.bytes == region->granule &&
        !(global && (kind & KG__ACCESS_VOLATILE) != 0)) {
        take_reads(&mine, count, offsets, lanes, first_thread, shift);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        size_t first = offsets[i] >> shift;
        size_t last = (offsets[i] + mine.bytes - 1) >> shift;

        mine.offset = offsets[i];
        mine.thread = first_thread + lanes[i];
        if ((kind & KG__ACCESS_ATOMIC) != 0 || (global && (kind & KG__ACCESS_VOLATILE) != 0))
            kg__order_atomic(region, offsets[i], mine.thread, kind);
        for (size_t cell = first; cell <= last; cell++) {
            if (writes)
                take_write(&mine, &region->cells[cell]);
            else
                take_read(&mine, &region->cells[cell], cell, global);
        }
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
