/* SPDX-License-Identifier: MIT */
/* Order between threads and blocks. */
#include "model/watch/order.h"

#include "model/watch/blocks.h"
#include "model/watch/cells.h"
#include "model/watch/clocks.h"
#include "model/watch/trace.h"

#include <string.h>

#define WARP KG__MODEL_WARP

/* At this time, numbering starts again. */
#define LAST_TIME ((uint32_t)1 << 31)

/* Whether any thread of the running block has an entry in the arrays below. */
static bool any_word;
static uint32_t fenced_warps;
static uint32_t taken_interval; /* the interval that these two belong to */
static uint32_t taken[KG__MODEL_MAX_WARPS];
static uint32_t loosely_taken[KG__MODEL_MAX_WARPS];
static uint32_t loosely_told[KG__MODEL_MAX_WARPS]; /* when what a warp has taken so was last told */
static uint32_t not_acquired[KG__MODEL_MAX_WARPS]; /* knowledge that a later fence would add */
static bool any_lock;
static uint32_t
    taken_lanes[KG__MODEL_MAX_THREADS], /* per thread: lanes of its own warp, in taken_interval */
    lanes_not_acquired[KG__MODEL_MAX_THREADS]; /* and those that a later fence would add */
static bool any_lanes;
/* By warp: when all of its lanes have last met; by thread: the lanes of its own warp that it has
 * met since, in met_interval. */
static uint32_t met[KG__MODEL_MAX_WARPS], met_interval[KG__MODEL_MAX_WARPS];
static uint32_t met_lanes[KG__MODEL_MAX_THREADS];

/* Turns every time so far into one of the host's. */
static void start_times_again(void)
{
    for (kg__region *region = kg__regions; region != NULL; region = region->next) {
        for (size_t i = 0; region->cells != NULL && i < kg__region_rows(region); i++) {
            kg__row *row = &region->rows[i];

            row->seen = KG__TIME_NEVER;
            for (kg__cell *cell = row->apart ? &region->cells[i * KG__ROW] : &row->first,
                          *last = cell + (row->apart ? KG__ROW - 1 : 0);
                 cell <= last; cell++) {
                cell->write_time =
                    cell->write_time != KG__TIME_NEVER ? KG__TIME_OF_HOST : KG__TIME_NEVER;
                cell->read_time = KG__TIME_NEVER;
            }
        }
    }
    kg__cells_forget_readers();
    kg__order.now = KG__TIME_FIRST;
}

void kg__order_begin_launch(void)
{
    if (kg__order.now > LAST_TIME)
        start_times_again();
    kg__order.launch_began = kg__order.interval_began = ++kg__order.now;
    kg__order.cluster_began = kg__order.last_cluster_sync = 0;
    kg__blocks_begin_launch();
    kg__clocks_begin_launch();
}

void kg__order_begin_block(uint64_t number)
{
    kg__order.first_began = kg__order.block_began = kg__order.interval_began =
        kg__order.part_began = ++kg__order.now;
    kg__order.has_fenced = kg__order.has_arrived = kg__order.has_waited = false;
    kg__blocks_begin(number);
    if (kg__order.cluster_began == 0)
        kg__clocks_begin_barriers();
    for (int warp = 0; warp < KG__MODEL_MAX_WARPS; warp++) {
        met[warp] = met_interval[warp] = 0;
        if (!kg__order.have_synced[warp])
            continue;
        memset(kg__order.own[warp], 0, sizeof kg__order.own[warp]);
        memset(kg__order.known[warp], 0, sizeof kg__order.known[warp]);
        kg__order.have_synced[warp] = false;
    }
    fenced_warps = 0;
    any_word = any_lock = kg__order.any_taken = false;
}

void kg__order_begin_cluster(void)
{
    kg__order.cluster_began = kg__order.last_cluster_sync = kg__order.block_began;
    kg__blocks_begin_cluster();
    kg__clocks_begin_barriers();
}

void kg__order_sync_cluster(void)
{
    kg__order.last_cluster_sync = ++kg__order.now;
    kg__clocks_sync_cluster();
}

void kg__order_barrier(void)
{
    kg__blocks_barrier();
    kg__order.interval_began = kg__order.part_began = ++kg__order.now;
    kg__order.has_fenced = kg__order.has_arrived = kg__order.has_waited = false;
    kg__clocks_barrier();
}

/* Forgets which lanes of a warp have met, of a former interval or (`all`) this one's. */
static void forget_met(unsigned int warp, bool all)
{
    if (all || met_interval[warp] != kg__order.interval_began)
        memset(&met_lanes[warp * WARP], 0, WARP * sizeof *met_lanes);
    met_interval[warp] = kg__order.interval_began;
}

void kg__order_meet(unsigned int warp, uint32_t group)
{
    const bool all = (kg__exec_lanes(warp) & ~group) == 0;
    uint32_t joined = group;

    forget_met(warp, all);
    /* What follows is later, once it matters. */
    if (all)
        met[warp] = kg__clocks_are_used() ? ++kg__order.now : kg__order.now + 1;
    for (uint32_t rest = all ? 0 : group; rest != 0; rest &= rest - 1)
        joined |= met_lanes[warp * WARP + (unsigned int)__builtin_ctz(rest)];
    for (uint32_t rest = all ? 0 : group; rest != 0; rest &= rest - 1)
        met_lanes[warp * WARP + (unsigned int)__builtin_ctz(rest)] = joined;
}

/* Returns how far the actions of a thread's own warp happen before its next one; `all`: those of
 * all lanes. */
static kg__reach reach_of(unsigned int thread, bool all)
{
    const unsigned int warp = thread / WARP;
    const unsigned int lanes = kg__exec_thread_count() - warp * WARP;
    kg__reach reach = { .lanes = all ? UINT32_MAX : lanes < WARP ? UINT32_MAX << lanes : 0 };

    forget_met(warp, false);
    reach.lanes |= 1u << thread % WARP | met_lanes[thread] |
                   (taken_interval == kg__order.interval_began ? taken_lanes[thread] : 0);
    reach.of_all = met[warp] > kg__order.interval_began ? met[warp] : kg__order.interval_began;
    return reach;
}

void kg__order_sync(unsigned int warp, uint32_t group)
{
    uint16_t joined[WARP] = { 0 };
    uint16_t latest = 0;

    kg__order.have_synced[warp] = true;
    kg__order_meet(warp, group);
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        for (int other = 0; other < WARP; other++) {
            if (kg__order.known[warp][lane][other] > joined[other])
                joined[other] = kg__order.known[warp][lane][other];
        }
        latest = kg__order.own[warp][lane] > latest ? kg__order.own[warp][lane] : latest;
    }
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        /* Known counts are of the past: one more than the count that an access records. */
        for (int other = 0; other < WARP; other++)
            kg__order.known[warp][lane][other] = joined[other];
        for (uint32_t others = group; others != 0; others &= others - 1) {
            int other = __builtin_ctz(others);

            kg__order.known[warp][lane][other] = (uint16_t)(latest + 1);
        }
        /* All continue at one count, so that the maximum of several lanes' counts covers all of
         * them. At the last count, everything counts as synchronized. */
        kg__order.own[warp][lane] =
            latest < KG__CLOCK_MAXIMUM - 1 ? (uint16_t)(latest + 1) : latest;
    }
}

/* Starts the block's knowledge of its warps for this interval. */
static void begin_taking(void)
{
    if (taken_interval == kg__order.interval_began)
        return;
    memset(taken, 0, sizeof taken);
    memset(loosely_taken, 0, sizeof loosely_taken);
    memset(loosely_told, 0, sizeof loosely_told);
    memset(not_acquired, 0, sizeof not_acquired);
    if (any_lanes) {
        memset(taken_lanes, 0, sizeof taken_lanes);
        memset(lanes_not_acquired, 0, sizeof lanes_not_acquired);
    }
    any_lanes = false;
    taken_interval = kg__order.interval_began;
}

/* Returns the warps whose actions in this interval happen before a warp's at a barrier, by atomics:
 * all, where they may take locks. */
static uint32_t taken_by(unsigned int warp)
{
    return any_lock                                     ? UINT32_MAX
           : taken_interval != kg__order.interval_began ? 0
                                                        : taken[warp] | not_acquired[warp];
}

void kg__order_arrive(kg__model_barrier_object *object, bool odd, unsigned int thread)
{
    const unsigned int warp = thread / WARP;
    const uint32_t others = taken_by(warp);

    kg__order.has_arrived = true;
    kg__clocks_arrive(object, odd, warp, others, reach_of(thread, (others >> warp & 1) != 0));
}

void kg__order_complete(kg__model_barrier_object *object)
{
    /* Fences and atomics between blocks are as before and after any barrier. */
    kg__blocks_barrier();
    kg__clocks_complete(object);
    kg__order.part_began = ++kg__order.now;
    kg__order.has_fenced = false;
}

void kg__order_wait(kg__model_barrier_object *object, unsigned int thread)
{
    kg__order.has_arrived = kg__order.has_waited = true;
    kg__clocks_wait(object, thread / WARP);
    if (kg__regions_awaited != 0)
        kg__regions_awaited |= 1u << thread / WARP;
}

void kg__order_suspend(bool ends)
{
    for (unsigned int warp = 0; warp * WARP < kg__exec_thread_count(); warp++) {
        kg__clocks_tell(warp, taken_by(warp) | 1u << warp);
        if (ends || kg__exec_lacks_lanes(warp))
            kg__clocks_arrive(kg__clocks_of_cluster(), false, warp, taken_by(warp),
                              reach_of(warp * WARP, true));
    }
}

static void take_warps(unsigned int warp, uint32_t warps)
{
    if ((warps & ~taken[warp]) != 0)
        kg__blocks_forget_release(warp);
    taken[warp] |= warps;
    kg__order.any_taken = kg__order.any_taken || taken[warp] != 0;
}

/* Orders lanes of a warp by an atomic or a lock: of lanes that take one in the same request the
 * replay does not know the order, so that each then happens before all others. A word keeps the
 * lanes of the last warp: any of an earlier one may have used it. */
static void tell_lanes(kg__word *at, unsigned int thread, const kg__telling *what, bool releases,
                       bool is_lock)
{
    const unsigned int warp = what->warp;
    const uint32_t own = 1u << thread % WARP;
    const uint32_t lanes = at->lanes_of == warp                 ? at->lanes
                           : (at->loose_warps >> warp & 1) != 0 ? UINT32_MAX
                                                                : 0;

    if ((is_lock || what->reads) && lanes != 0) {
        (is_lock || what->acquires ? taken_lanes : lanes_not_acquired)[thread] |= lanes;
        kg__order.any_taken = any_lanes = true;
    }
    for (uint32_t rest = is_lock && (lanes & own) == 0 ? lanes : 0; rest != 0; rest &= rest - 1)
        taken_lanes[warp * WARP + (unsigned int)__builtin_ctz(rest)] |= own;
    if (is_lock || (what->writes && releases)) {
        at->lanes_of = warp;
        at->lanes = lanes | own | taken_lanes[thread];
    }
}

/* Orders threads of the block by an atomic. */
static inline __attribute__((always_inline)) void
tell_threads(kg__word *at, unsigned int thread, const kg__telling *what, bool is_lock)
{
    unsigned int warp = what->warp;
    uint32_t mine = 1u << warp;
    bool releases = (fenced_warps & mine) != 0 || what->releases;

    if (at->interval != kg__order.interval_began) {
        at->warps = at->loose_warps = at->lanes = 0;
        at->interval = kg__order.interval_began;
    }
    if (what->is_strong || is_lock || (what->by_atomic && (releases || at->lanes != 0)))
        tell_lanes(at, thread, what, releases, is_lock);
    if (what->reads) {
        loosely_taken[warp] |= at->loose_warps;
        if (at->loose_warps != 0 && loosely_told[warp] < at->loose_time)
            loosely_told[warp] = at->loose_time;
        if (what->acquires)
            take_warps(warp, at->warps);
        not_acquired[warp] |= at->warps;
        kg__order.any_taken = kg__order.any_taken || at->warps != 0;
    }
    if (!what->writes)
        return;
    mine |= kg__order.has_waited ? kg__clocks_known(warp) : 0;
    if (releases)
        at->warps |= mine | taken[warp];
    at->loose_warps |= mine | loosely_taken[warp];
    at->loose_time = kg__order.now;
}

void kg__order_fence(unsigned int thread, bool of_device)
{
    unsigned int warp = thread / WARP;

    fenced_warps |= 1u << warp;
    begin_taking();
    take_warps(warp, not_acquired[warp]);
    taken_lanes[thread] |= lanes_not_acquired[thread];
    if (of_device)
        kg__blocks_fence(warp, taken[warp]);
}

static inline __attribute__((always_inline)) void order_atomic(const kg__region *region,
                                                               uint32_t offset, unsigned int thread,
                                                               unsigned int kind, bool of_global)
{
    unsigned int warp = thread / WARP;
    bool is_atomic = (kind & KG__ACCESS_ATOMIC) != 0;
    bool is_strong = (kind & KG__ACCESS_STRONG) != 0;
    bool is_lock = is_atomic && (kind & KG__ACCESS_VOLATILE) != 0;
    bool tells_blocks = of_global && (kind & KG__ACCESS_OF_BLOCK) == 0;
    kg__telling what = { .warp = warp,
                         .reads = is_atomic || (kind & KG__ACCESS_WRITE) == 0,
                         .writes = (kind & (KG__ACCESS_ATOMIC | KG__ACCESS_WRITE)) != 0,
                         .by_atomic = is_atomic || is_strong,
                         .is_strong = is_strong,
                         .acquires = (kind & KG__ACCESS_ACQUIRE) != 0,
                         .releases = (kind & KG__ACCESS_RELEASE) != 0 };
    bool fenced;
    kg__word *at;

    begin_taking();
    what.taken = taken[warp];
    fenced = tells_blocks && what.writes && kg__blocks_release(&what);
    at = kg__word_at(
        region, offset,
        is_lock || (what.writes && (fenced || what.releases || (fenced_warps >> warp & 1) != 0)));
    if (at == NULL)
        return;
    if (tells_blocks)
        kg__blocks_tell(at, &what, fenced);
    if (!what.by_atomic && !of_global)
        return;
    tell_threads(at, thread, &what, is_lock || (is_atomic && (kind & KG__ACCESS_WRITE) != 0));
    any_word = true;
    any_lock = any_lock || is_lock;
}

void kg__order_atomic(const kg__region *region, uint32_t offset, unsigned int thread,
                      unsigned int kind)
{
    const bool of_global = region->space == KG__MODEL_GLOBAL;

    /* Compiled apart, these take 79 instructions instead of 142. */
    if ((kind & ~KG__ACCESS_BYTES) == KG__ACCESS_ATOMIC && !of_global)
        order_atomic(region, offset, thread, KG__ACCESS_ATOMIC, false);
    else
        order_atomic(region, offset, thread, kind, of_global);
}

bool kg__order_has_taken(unsigned int thread, unsigned int other, bool needs_fence)
{
    const unsigned int warp = thread / WARP;
    const bool same = warp == other / WARP;
    uint32_t those = same ? taken_lanes[thread] : taken[warp];

    if (!kg__order.any_taken || taken_interval != kg__order.interval_began)
        return false;
    if (!needs_fence)
        those |= same ? lanes_not_acquired[thread] : not_acquired[warp];
    return (those >> (same ? other % WARP : other / WARP) & 1) != 0;
}

bool kg__order_lacks_fence(uint32_t time, unsigned int thread, unsigned int other)
{
    const unsigned int warp = thread / WARP;

    return any_word && taken_interval == kg__order.interval_began && warp != other / WARP &&
           (loosely_taken[warp] >> other / WARP & 1) != 0 && time <= loosely_told[warp];
}
