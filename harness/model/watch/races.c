/* SPDX-License-Identifier: MIT */
/* Races, including reads that are a race only because of a later access. */
#include "model/watch/races.h"

#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/clusters.h"
#include "model/watch/findings.h"
#include "model/watch/padding.h"
#include "model/watch/trace.h"

#include <string.h>

#define WARP KG__MODEL_WARP

/* Reads of unwritten memory become a race when another thread writes it later. */
#define PENDING_MAXIMUM 4096
typedef struct pending_read {
    kg__checked_access mine;
    size_t cell;
    uint32_t time;
    uint3 block;
} pending_read;

static pending_read pending[PENDING_MAXIMUM];
static size_t pending_count;

/* A plain read that races with atomics is no error if its lane then updates the word atomically,
 * as a compare-and-swap loop does: that verifies the value read. */
#define DOUBTS_MAXIMUM 256
typedef struct doubt {
    kg__checked_access mine;
    size_t cell;
    unsigned int warp; /* of the readers, */
    uint32_t lanes;    /* lanes that have not updated the word */
    uint32_t time;
    unsigned int other;
    kg__finding_access did;
    unsigned int site_number;
} doubt;

static doubt doubts[DOUBTS_MAXIMUM];
static size_t doubt_count;
void kg__races_forget(void)
{
    pending_count = doubt_count = 0;
}

void kg__races_refine(const kg__region *region)
{
    size_t kept = 0;

    for (size_t i = 0; i < pending_count; i++) {
        if (pending[i].mine.region == region) {
            if (region->cells == NULL)
                continue;
            pending[i].cell *= 4;
        }
        pending[kept++] = pending[i];
    }
    pending_count = kept;
    for (size_t i = 0; i < doubt_count; i++) {
        if (doubts[i].mine.region == region)
            doubts[i].cell *= 4;
    }
}

static kg__finding finding_of(kg__finding_kind kind, const kg__checked_access *mine)
{
    return kg__finding_in(kind, mine->region, mine->offset, mine->bytes, kg__access_of(mine->kind));
}

static bool is_atomic(const kg__checked_access *mine)
{
    return (mine->kind & (KG__ACCESS_ATOMIC | KG__ACCESS_STRONG)) != 0;
}

/* Sets what an earlier access at a site was. */
static void set_other(kg__finding *what, kg__finding_access did, unsigned int site_number)
{
    const kg__site *site = kg__site_numbered(site_number);

    what->other.access = did;
    if (site != NULL)
        kg__set_source(&what->other, kg__model_source_of((const void *)site->code));
}

/* Returns whether another thread's unordered write to memory that a pending read found unwritten
 * has been reported as a race. */
static bool has_reported_race(const pending_read *read)
{
    const kg__cell *cell = kg__cell_at(read->mine.region, read->cell);
    const kg__site *site = kg__site_numbered(cell->write_site);

    /* Atomics initialize nothing for each other. */
    if ((is_atomic(&read->mine) && (cell->writer & KG__BY_ATOMIC) != 0) || site == NULL ||
        !(kg__has_race_at(site->code) || kg__has_race_at(read->mine.site->code)))
        return false;
    if (read->time == kg__order.interval_began && kg__is_of_this_interval(cell->write_time))
        return (cell->writer & KG__THREAD_NUMBER) != read->mine.thread;
    return read->mine.region->between_blocks && kg__is_of_this_launch(cell->write_time) &&
           kg__blocks_at(cell->write_time) != kg__blocks_at(read->time);
}

/* Reports pending reads that no later write explains: of shared memory, or `of_all` memory. */
void kg__races_settle(bool of_all)
{
    size_t kept = 0;

    for (size_t i = 0; i < pending_count; i++) {
        pending_read *read = &pending[i];

        if (has_reported_race(read))
            continue;
        if (!of_all && read->mine.region->space == KG__MODEL_GLOBAL) {
            pending[kept++] = *read;
        } else {
            kg__finding what = finding_of(KG__NEVER_WRITTEN, &read->mine);

            if (kg__clusters_lack(read->mine.region))
                what.kind = KG__AFTER_FREE;
            what.by.access = KG__READ;
            kg__set_index(&what.by.has_block, what.by.block, read->block);
            kg__find(read->mine.site->code, read->mine.thread, &what);
        }
    }
    pending_count = kept;
}

/* Returns whether an access at `time` was by another block, not before this one of a cluster waited
 * for others. */
static bool is_between_blocks(uint32_t time)
{
    return !kg__is_of_this_block(time) &&
           (kg__order.cluster_began == 0 || time < kg__order.cluster_began ||
            kg__blocks_rank(time) != kg__exec_cluster_rank());
}

/* Returns whether an atomic or a flag publishes an access of `other` and a fence would order it. */
static bool lacks_fence(const kg__checked_access *mine, uint32_t time, unsigned int other,
                        bool several)
{
    /* An atomic publishes nothing about its own word. */
    if ((mine->kind & (KG__ACCESS_ATOMIC | KG__ACCESS_OF_BLOCK)) != 0 ||
        kg__word_is_atomic(mine->region, mine->offset))
        return false;
    return is_between_blocks(time) ? kg__blocks_lack_fence(time)
                                   : !several && kg__order_lacks_fence(time, mine->thread, other);
}

/* Returns whether a race with an access at `time` is within the running block or between blocks. */
static kg__finding_kind class_of_race(uint32_t time)
{
    return is_between_blocks(time) ? KG__RACE_BETWEEN_BLOCKS : KG__RACE_IN_BLOCK;
}

/* Reports a race with `other`, which `did` something to the same bytes at `time`. */
static void report_race(const kg__checked_access *mine, uint32_t time, unsigned int other,
                        kg__finding_access did, unsigned int site_number)
{
    bool several = kg__are_many(other) || (other & KG__READERS_OF_WARP) != 0;
    bool is_of_warp = !kg__are_many(other) &&
                      ((other & KG__READERS_OF_WARP) != 0 ? other & KG__THREAD_NUMBER
                                                          : other / WARP) == mine->thread / WARP;
    bool between_blocks = is_between_blocks(time);
    bool no_fence;
    kg__finding what;

    if (kg__found_before(class_of_race(time), mine->site->code))
        return;
    no_fence = lacks_fence(mine, time, other, several);
    what = finding_of(no_fence         ? KG__MISSING_FENCE
                      : between_blocks ? KG__RACE_BETWEEN_BLOCKS
                      : is_of_warp     ? KG__RACE_IN_WARP
                                       : KG__RACE_IN_BLOCK,
                      mine);
    what.lacks_acquire =
        no_fence && (between_blocks ? kg__blocks_have_seen_write(time, other, mine->thread)
                                    : kg__order_has_taken(mine->thread, other, false));
    set_other(&what, did, site_number);
    if (between_blocks)
        kg__set_index(&what.other.has_block, what.other.block, kg__blocks_index(time));
    else if (!several)
        kg__set_index(&what.other.has_thread, what.other.thread,
                      kg__exec_index_of(other, blockDim));
    kg__find(mine->site->code, mine->thread, &what);
}

/* Reports the first race that no later access has resolved. */
static void settle_doubts(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const doubt *what = &doubts[i];

        report_race(&what->mine, what->time, what->other, what->did, what->site_number);
    }
    doubt_count -= count;
    memmove(doubts, doubts + count, doubt_count * sizeof *doubts);
}

void kg__races_end_block(void)
{
    settle_doubts(doubt_count);
    kg__races_settle(false);
}

/* Records a race that a later access may resolve. */
static void doubt_race(const doubt *what)
{
    if (kg__found_before(class_of_race(what->time), what->mine.site->code))
        return;
    if (doubt_count == DOUBTS_MAXIMUM)
        settle_doubts(DOUBTS_MAXIMUM / 2);
    doubts[doubt_count++] = *what;
}

/* A lane's atomic update of a cell resolves its earlier reads of the cell. */
void kg__races_clear(const kg__region *region, size_t cell, unsigned int thread)
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

/* Returns whether __syncwarp() orders the actions of `other` in this interval, a thread or the
 * `lanes` of a warp, before those of a thread. */
static bool has_met(unsigned int thread, unsigned int other, uint32_t lanes, unsigned int clock)
{
    unsigned int warp = thread / WARP;
    const uint16_t *mine = kg__order.known[warp][thread % WARP];

    if (!kg__order.have_synced[warp] || kg__are_many(other))
        return false;
    if ((other & KG__READERS_OF_WARP) != 0) {
        if ((other & KG__THREAD_NUMBER) != warp)
            return false;
        for (uint32_t rest = lanes & ~(1u << thread % WARP); rest != 0; rest &= rest - 1) {
            if (mine[__builtin_ctz(rest)] <= clock)
                return false;
        }
        return true;
    }
    return other / WARP == warp && mine[other % WARP] > clock;
}

/* Returns whether the block's atomics or locks order all of a cell's readers before a thread. */
static bool has_taken_readers(unsigned int thread, const kg__cell *cell)
{
    const uint32_t lanes = kg__are_many(cell->reader) ? UINT32_MAX : kg__reader_lanes(cell);

    for (uint32_t warps = kg__reader_warps(cell); warps != 0; warps &= warps - 1) {
        const unsigned int first = (unsigned int)__builtin_ctz(warps) * WARP;
        uint32_t rest = first == thread / WARP * WARP ? lanes & ~(1u << thread % WARP) : 1;

        for (; rest != 0; rest &= rest - 1) {
            if (!kg__order_has_taken(thread, first + (unsigned int)__builtin_ctz(rest), false))
                return false;
        }
    }
    return kg__order.any_taken;
}

bool kg__race_follows_reads(unsigned int thread, const kg__cell *cell)
{
    const unsigned int other = cell->reader;

    return other == thread ||
           has_met(thread, other, cell->read_lanes, cell->read_clock & KG__CLOCK_MAXIMUM) ||
           has_taken_readers(thread, cell) ||
           ((kg__order.has_waited || kg__are_groups(cell)) && kg__clocks_order_reads(thread, cell));
}

/* The same for its last write. A copy is not its thread's own action. */
static bool follows_write(unsigned int thread, const kg__cell *cell, bool needs_fence)
{
    const unsigned int writer = cell->writer & KG__THREAD_NUMBER;

    return ((cell->writer & KG__BY_COPY) == 0 &&
            (writer == thread || has_met(thread, writer, 0, cell->write_clock) ||
             kg__order_has_taken(thread, writer, needs_fence))) ||
           (kg__order.has_waited && kg__clocks_order_write(thread, cell));
}

static void report_not_waited(const kg__checked_access *mine, const kg__cell *cell)
{
    kg__finding what;

    if (kg__found_before(KG__COPY_NOT_WAITED, mine->site->code))
        return;
    what = finding_of(KG__COPY_NOT_WAITED, mine);
    if (cell->write_time == KG__TIME_TO_COME || cell->read_time != KG__TIME_TO_COME)
        set_other(&what, KG__WRITE, cell->write_site);
    else
        set_other(&what, KG__READ, cell->read_site);
    kg__find(mine->site->code, mine->thread, &what);
}

void kg__race_of_bulk_read(const kg__checked_access *mine, const kg__cell *cell)
{
    const bool global = mine->region->space == KG__MODEL_GLOBAL;
    const unsigned int writer = cell->writer & KG__THREAD_NUMBER;
    kg__finding what;

    if (!kg__is_of_this_block(cell->write_time) || cell->write_time == KG__TIME_TO_COME ||
        (cell->writer & (KG__BY_BLOCK | KG__BY_ATOMIC)) == KG__BY_BLOCK ||
        (global && (cell->writer & KG__BY_ATOMIC) != 0) ||
        !kg__order_lacks_proxy_fence(cell->write_time, writer, mine->thread, global) ||
        kg__found_before(KG__RACE_IN_BLOCK, mine->site->code))
        return;
    what = finding_of(KG__MISSING_FENCE, mine);
    what.detail = "fence.proxy.async";
    set_other(&what, KG__WRITE, cell->write_site);
    kg__set_index(&what.other.has_thread, what.other.thread, kg__exec_index_of(writer, blockDim));
    kg__find(mine->site->code, mine->thread, &what);
}

/* Padding of a structure that is copied whole is never written; no access is padding only. */
static bool is_padding(const kg__checked_access *mine, size_t cell)
{
    const unsigned int granule = mine->region->granule;
    const uintptr_t code = mine->site->code;

    return mine->bytes > 1 && kg__model_may_be_padding(code, cell * granule, granule) &&
           ((mine->kind & KG__ACCESS_WHOLE) != 0 ||
            !kg__model_may_be_padding(code, mine->offset, mine->bytes));
}

void kg__race_await_writer(const kg__checked_access *mine, size_t cell)
{
    const pending_read *last = pending_count > 0 ? &pending[pending_count - 1] : NULL;

    /* Report a wide access once, not for each of its cells. */
    if (last != NULL && last->mine.region == mine->region && last->cell < cell &&
        last->mine.offset == mine->offset && last->mine.thread == mine->thread &&
        last->mine.site == mine->site && last->time == kg__order.interval_began)
        return;
    if (pending_count < PENDING_MAXIMUM && !is_padding(mine, cell))
        pending[pending_count++] =
            (pending_read){ *mine, cell, kg__order.interval_began, blockIdx };
}

/* Reports the race of a read with a cell's last write, unless the write is atomic and a later
 * barrier or fence of the reader may order the two. */
static void find_race_with_writer(const kg__checked_access *mine, const kg__cell *cell,
                                  size_t index)
{
    unsigned int writer = cell->writer & KG__THREAD_NUMBER;

    if ((cell->writer & KG__BY_COPY) != 0)
        report_not_waited(mine, cell);
    else if ((cell->writer & KG__BY_ATOMIC) != 0)
        doubt_race(&(doubt){ *mine, index, mine->thread / WARP, 1u << mine->thread % WARP,
                             cell->write_time, writer, KG__WRITE, cell->write_site });
    else
        report_race(mine, cell->write_time, writer, KG__WRITE, cell->write_site);
}

/* Returns whether an atomic access, or the atomic write before it, has block scope. */
static bool is_of_block_scope(const kg__checked_access *mine, const kg__cell *cell)
{
    return (mine->kind & KG__ACCESS_OF_BLOCK) != 0 || (cell->writer & KG__BY_BLOCK) != 0;
}

/* Returns whether both the access and the write before it are atomic. */
static bool are_atomic(const kg__checked_access *mine, const kg__cell *cell)
{
    return is_atomic(mine) && (cell->writer & KG__BY_ATOMIC) != 0;
}

/* Returns whether an access needs no fence after the relaxed atomic that orders it. */
static bool is_strong(const kg__checked_access *mine)
{
    return (mine->kind & (KG__ACCESS_ATOMIC | KG__ACCESS_STRONG | KG__ACCESS_VOLATILE)) != 0;
}

/* Returns whether an access to global memory and the write before it, by another thread of the
 * block, are volatile or atomic, and do not rely on the order of an atomic without a fence: no data
 * race, as between blocks. In shared memory, volatile is what code that relies on lanes in step
 * uses. */
static bool are_strong(const kg__checked_access *mine, const kg__cell *cell)
{
    return mine->region->between_blocks && is_strong(mine) &&
           (cell->writer & (KG__BY_ATOMIC | KG__BY_VOLATILE)) != 0 &&
           !kg__order_lacks_fence(cell->write_time, mine->thread, cell->writer & KG__THREAD_NUMBER);
}

/* Returns whether a volatile access and another block's volatile or atomic write, which are no
 * data race, rely on an order that they lack: the blocks have exchanged something later. */
static bool is_out_of_order(const kg__checked_access *mine, const kg__cell *cell)
{
    return (cell->writer & KG__BY_ATOMIC) != 0
               ? kg__blocks_have_missed(cell->write_time, cell->writer & KG__THREAD_NUMBER,
                                        mine->thread, (mine->kind & KG__ACCESS_VOLATILE) != 0)
               : kg__blocks_told_by_atomic(cell->write_time);
}

/* Returns whether an access is right although no release orders it after another block's write. */
static bool needs_no_order(const kg__checked_access *mine, const kg__cell *cell)
{
    if ((mine->kind & KG__ACCESS_VOLATILE) != 0 && !is_of_block_scope(mine, cell) &&
        (cell->writer & (KG__BY_VOLATILE | KG__BY_ATOMIC)) != 0)
        return !is_out_of_order(mine, cell);
    return (cell->writer & KG__LEFT_OUT) != 0 && !is_out_of_order(mine, cell);
}

/* Reports the race, if any, of a read whose last write is not known to happen before it. */
void kg__race_of_read(const kg__checked_access *mine, const kg__cell *cell, size_t index)
{
    bool global = mine->region->between_blocks;
    unsigned int writer = cell->writer & KG__THREAD_NUMBER;

    if (cell->write_time == KG__TIME_TO_COME) {
        report_not_waited(mine, cell);
    } else if (kg__is_of_this_interval(cell->write_time)) {
        if (!are_atomic(mine, cell) && !are_strong(mine, cell) &&
            !follows_write(mine->thread, cell, !is_strong(mine)))
            find_race_with_writer(mine, cell, index);
    } else if (cell->write_time == KG__TIME_NEVER || !global) {
        kg__race_await_writer(mine, index);
    } else if (!kg__clocks_order_write(mine->thread, cell) &&
               !(is_strong(mine) ? kg__blocks_have_seen_write : kg__blocks_have_acquired_write)(
                   cell->write_time, writer, mine->thread) &&
               !needs_no_order(mine, cell)) {
        find_race_with_writer(mine, cell, index);
    }
}

/* Checks a write against the earlier reads of its own block in this interval. */
static void find_race_with_readers(const kg__checked_access *mine, const kg__cell *cell,
                                   size_t index)
{
    unsigned int reader = cell->reader;

    if (kg__race_follows_reads(mine->thread, cell))
        return;
    if ((mine->kind & KG__ACCESS_ATOMIC) != 0 && !kg__are_many(reader))
        doubt_race(&(doubt){ *mine, index, (unsigned int)__builtin_ctz(kg__reader_warps(cell)),
                             kg__reader_lanes(cell), cell->read_time, reader, KG__READ,
                             cell->read_site });
    else
        report_race(mine, cell->read_time, reader, KG__READ, cell->read_site);
}

/* Returns whether an atomic write follows a read by cuda::atomic, or between blocks an atomic or
 * volatile write a volatile read. */
static bool is_read_atomically(const kg__checked_access *mine, const kg__cell *cell)
{
    const kg__site *site = kg__site_numbered(cell->read_site);

    if (site == NULL)
        return false;
    return (is_atomic(mine) && (site->kind & KG__ACCESS_STRONG) != 0) ||
           (mine->region->between_blocks && is_strong(mine) &&
            (mine->kind & KG__ACCESS_OF_BLOCK) == 0 && (site->kind & KG__ACCESS_VOLATILE) != 0);
}

/* Checks a write against earlier reads and the last write. */
void kg__race_of_write(const kg__checked_access *mine, const kg__cell *cell, size_t index)
{
    bool both_atomic = are_atomic(mine, cell);
    bool read_atomically = is_read_atomically(mine, cell);
    unsigned int writer = cell->writer & KG__THREAD_NUMBER;

    /* Lanes of one instruction, such as the init of an mbarrier by all of them. */
    if (cell->write_time == KG__TIME_TO_COME && cell->write_site == mine->site->number &&
        writer != mine->thread && writer / WARP == mine->thread / WARP)
        report_race(mine, kg__order.now, writer, KG__WRITE, cell->write_site);
    else if (cell->write_time == KG__TIME_TO_COME || cell->read_time == KG__TIME_TO_COME)
        report_not_waited(mine, cell);
    if (kg__is_of_this_interval(cell->write_time) && !both_atomic && !are_strong(mine, cell) &&
        !follows_write(mine->thread, cell, false))
        report_race(mine, cell->write_time, writer, KG__WRITE, cell->write_site);
    if (kg__is_of_this_interval(cell->read_time) && !read_atomically && !kg__reads_are_over(cell))
        find_race_with_readers(mine, cell, index);
    if (!mine->region->between_blocks)
        return;
    if (kg__is_of_this_launch(cell->write_time) && !kg__is_of_this_block(cell->write_time) &&
        !(both_atomic && !is_of_block_scope(mine, cell) && (cell->writer & KG__AFTER_PLAIN) == 0) &&
        !kg__clocks_order_write(mine->thread, cell) &&
        !kg__blocks_have_seen_write(cell->write_time, writer, mine->thread) &&
        !needs_no_order(mine, cell))
        report_race(mine, cell->write_time, writer, KG__WRITE, cell->write_site);
    if (read_atomically)
        return;
    if (kg__is_of_this_launch(cell->read_time) && !kg__is_of_this_block(cell->read_time) &&
        !kg__clocks_order_reads(mine->thread, cell) && !kg__blocks_have_seen_read(cell->read_time))
        report_race(mine, cell->read_time, cell->reader, KG__READ, cell->read_site);
    else if (kg__is_of_this_block(cell->read_time) && (cell->read_clock & KG__OTHER_BLOCKS) != 0 &&
             kg__blocks_have_seen_nothing())
        report_race(mine, kg__order.launch_began, 0, KG__READ, cell->read_site);
}
