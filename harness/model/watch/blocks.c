/* SPDX-License-Identifier: MIT */
/* Order between blocks. */
#include "model/watch/blocks.h"

#include "base/message.h"
#include "model/watch/order.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP

/* A block with more releases merges the further ones into its last. */
#define RELEASES_OF_BLOCK 16

/* Declared in order.h. Defined here because order.c is above this module. */
struct kg__order kg__order = { .now = KG__TIME_FIRST,
                               .interval_began = KG__TIME_FIRST,
                               .launch_began = KG__TIME_FIRST,
                               .block_began = KG__TIME_FIRST };

/* A block of this launch. A block that was suspended continues as a new entry. */
typedef struct begun_block {
    uint32_t time;     /* of its first interval */
    uint64_t number;   /* in its grid */
    unsigned int rank; /* in its cluster */
    size_t first_release;
    size_t next_part;   /* next entry of the same block; 0: none */
    uint32_t last_told; /* time of its last atomic that other blocks can see; 0: none */
} begun_block;

/* The knowledge that a release publishes. */
typedef struct release {
    uint32_t last_time;                  /* time of the latest write that used it */
    uint32_t by;                         /* the warps that made it */
    uint32_t before;                     /* everything the block did before this time; 0: nothing */
    uint32_t until[KG__MODEL_MAX_WARPS]; /* for each warp, everything up to this time */
} release;

static begun_block *blocks;
static size_t block_count;
static size_t block_capacity;

static unsigned char *releases; /* entries are shortened to the warps that the block has */
static size_t release_count;
static size_t release_capacity;
static size_t release_bytes; /* of each */

/* The running block. */
enum {
    SEEN = KG__TOLD, /* releases, also those that only a fence would acquire */
    MET,             /* the same at the last barrier: what every warp has seen */
    KNOWN
};
static kg__bits known[KNOWN];
static kg__bits known_of_cluster[KNOWN]; /* knowledge of the cluster's blocks at their last wait */
static uint32_t seeing;                  /* the warps that have seen a release since that barrier */
static kg__told *mine;                   /* a copy of `known`; NULL: outdated */
static kg__told *acquired;               /* the latest one acquired */
static uint32_t fenced_before;           /* the last earlier interval with a fence; 0: none */
static bool any_fence;                   /* in this interval */
static uint32_t
    until_before[KG__MODEL_MAX_WARPS]; /* time of each warp's last fence before this interval */
static uint32_t until_now[KG__MODEL_MAX_WARPS];
static uint32_t prepared; /* warps whose release_of is up to date */
static size_t release_of[KG__MODEL_MAX_WARPS];
#define NOTHING SIZE_MAX

static release *release_at(size_t number)
{
    return (release *)(void *)(releases + number * release_bytes);
}

static unsigned int warps_of_block(void)
{
    return (blockDim.x * blockDim.y * blockDim.z + WARP - 1) / WARP;
}

static void forget_known(void)
{
    for (int how = 0; how < KNOWN; how++)
        kg__bits_clear(&known[how]);
    seeing = 0;
    kg__told_drop(&mine);
    kg__told_drop(&acquired);
    if (any_fence || fenced_before != 0) {
        memset(until_before, 0, sizeof until_before);
        memset(until_now, 0, sizeof until_now);
    }
    any_fence = false;
    fenced_before = prepared = 0;
}

void kg__blocks_begin_launch(void)
{
    forget_known();
    kg__words_forget();
    block_count = release_count = 0;
    release_bytes = offsetof(release, until) + warps_of_block() * sizeof(uint32_t);
    free(releases);
    releases = NULL;
    release_capacity = 0;
}

/* A linear search is enough: a cluster has few blocks, and they take turns. */
static void link_parts(uint64_t number)
{
    for (size_t i = block_count - 1; i-- > 0 && blocks[i].time >= kg__order.cluster_began;) {
        if (blocks[i].number == number) {
            blocks[i].next_part = block_count - 1;
            return;
        }
    }
}

void kg__blocks_begin(uint64_t number)
{
    forget_known();
    blocks = kg__grow(blocks, block_count, &block_capacity, sizeof *blocks);
    blocks[block_count++] = (begun_block){ .time = kg__order.now,
                                           .number = number,
                                           .rank = kg__exec_cluster_rank(),
                                           .first_release = release_count };
    if (kg__order.cluster_began != 0)
        link_parts(number);
    (void)kg__bits_add(&known[KG__TOLD_BY_ATOMIC], number);
    (void)kg__bits_add(&known[KG__TOLD_BY_ANY], number);
}

void kg__blocks_barrier(void)
{
    /* CUDA's own samples rely on this: the barrier after a relaxed atomic acquires. */
    if (seeing != 0) {
        (void)kg__bits_add_all(&known[MET], &known[SEEN]);
        if (kg__bits_add_all(&known[KG__TOLD_FENCED], &known[SEEN]))
            kg__told_drop(&mine);
        seeing = 0;
    }
    if (!any_fence)
        return;
    memcpy(until_before, until_now, sizeof until_before);
    fenced_before = kg__order.part_began;
    any_fence = false;
    prepared = 0;
}

/* What a block keeps while others of its cluster run. */
typedef struct kept_order {
    uint32_t time;   /* when it was suspended */
    uint32_t before; /* its last interval with a fence */
    uint32_t until[KG__MODEL_MAX_WARPS];
    kg__bits known[KNOWN];
} kept_order;

void kg__blocks_begin_cluster(void)
{
    for (int how = 0; how < KNOWN; how++)
        kg__bits_clear(&known_of_cluster[how]);
}

/* They gain nothing from each other's atomics. */
void kg__blocks_know_cluster(void)
{
    for (int how = 0; how < KNOWN; how++) {
        if (how != KG__TOLD_BY_ATOMIC && how != KG__TOLD_BY_ANY)
            (void)kg__bits_add_all(&known[how], &known_of_cluster[how]);
    }
    kg__told_drop(&mine);
}

void *kg__blocks_suspend(void)
{
    kept_order *kept = kg__allocate(1, sizeof *kept);

    kg__blocks_barrier();
    kept->time = kg__order.now;
    kept->before = fenced_before;
    memcpy(kept->until, until_before, sizeof kept->until);
    for (int how = 0; how < KNOWN; how++) {
        (void)kg__bits_add_all(&known_of_cluster[how], &known[how]);
        kept->known[how] = known[how];
        known[how] = (kg__bits){ 0 };
    }
    return kept;
}

void kg__blocks_resume(void *suspended)
{
    kept_order *kept = suspended;
    /* Not behind grid.sync(), which has ordered all that was known. */
    const bool counts = kept->time >= kg__order.launch_began;

    if (counts) {
        fenced_before = kept->before;
        memcpy(until_before, kept->until, sizeof until_before);
        memcpy(until_now, kept->until, sizeof until_now);
    }
    for (int how = 0; how < KNOWN; how++) {
        if (counts)
            (void)kg__bits_add_all(&known[how], &kept->known[how]);
        kg__bits_clear(&kept->known[how]);
    }
    if (kg__order.last_cluster_sync > kept->time)
        kg__blocks_know_cluster();
    free(kept);
}

void kg__blocks_fence(unsigned int warp, uint32_t taken)
{
    for (uint32_t rest = taken | 1u << warp; rest != 0; rest &= rest - 1)
        until_now[__builtin_ctz(rest)] = kg__order.now;
    any_fence = kg__order.has_fenced = true;
    prepared = 0;
    if (kg__bits_add_all(&known[KG__TOLD_FENCED], &known[SEEN]))
        kg__told_drop(&mine);
}

void kg__blocks_forget_release(unsigned int warp)
{
    prepared &= ~(1u << warp);
}

/* Returns the release that a warp's write makes. */
static release make_release(const kg__telling *what)
{
    uint32_t warps = what->taken | 1u << what->warp;
    release made = { .last_time = kg__order.now, .before = fenced_before };

    for (unsigned int warp = 0; warp < warps_of_block(); warp++) {
        bool knows = (warps >> warp & 1) != 0;

        made.until[warp] = !knows           ? until_before[warp]
                           : what->releases ? kg__order.now
                                            : until_now[warp];
        if (made.until[warp] >= kg__order.part_began)
            made.before = kg__order.part_began;
    }
    return made;
}

static void add_to_release(release *to, const release *made)
{
    to->last_time = made->last_time;
    to->before = made->before > to->before ? made->before : to->before;
    for (unsigned int warp = 0; warp < warps_of_block(); warp++)
        to->until[warp] = made->until[warp] > to->until[warp] ? made->until[warp] : to->until[warp];
}

/* Returns the number of a release; an equal release of the block keeps its number. */
static size_t number_of(const release *made)
{
    size_t first = blocks[block_count - 1].first_release;

    for (size_t i = release_count; i-- > first;) {
        if (memcmp(&release_at(i)->before, &made->before,
                   release_bytes - offsetof(release, before)) == 0)
            return i;
    }
    if (release_count - first == RELEASES_OF_BLOCK) {
        add_to_release(release_at(release_count - 1), made);
        return release_count - 1;
    }
    releases = kg__grow(releases, release_count, &release_capacity, release_bytes);
    memcpy(release_at(release_count), made, release_bytes);
    return release_count++;
}

bool kg__blocks_release(const kg__telling *what)
{
    uint32_t warp = 1u << what->warp;

    if (fenced_before == 0 && !any_fence && !what->releases)
        return false;
    if (what->releases || (prepared & warp) == 0) {
        release made = make_release(what);
        size_t number = made.before != 0 ? number_of(&made) : NOTHING;

        release_of[what->warp] = number;
        prepared = what->releases ? prepared & ~warp : prepared | warp;
        kg__order.has_fenced = kg__order.has_fenced || what->releases;
        if (number != NOTHING && kg__bits_add(&known[KG__TOLD_FENCED], number))
            kg__told_drop(&mine);
    }
    if (release_of[what->warp] == NOTHING)
        return false;
    release_at(release_of[what->warp])->last_time = kg__order.now;
    release_at(release_of[what->warp])->by |= warp;
    return true;
}

static void acquire(kg__told *told, unsigned int warp, bool acquires)
{
    bool changed = false;

    if (told == NULL || told == mine)
        return;
    seeing |= told->of[KG__TOLD_FENCED].count > 0 ? 1u << warp : 0;
    if (told == acquired)
        return;
    (void)kg__bits_add_all(&known[SEEN], &told->of[KG__TOLD_FENCED]);
    for (int how = acquires ? KG__TOLD_FENCED : KG__TOLD_BY_ATOMIC; how < KG__TOLD; how++)
        changed |= kg__bits_add_all(&known[how], &told->of[how]);
    if (changed)
        kg__told_drop(&mine);
    if (!acquires)
        return;
    kg__told_drop(&acquired);
    acquired = told;
    told->holders++;
}

/* Adds the block's knowledge to what a word publishes already. */
static void tell_more(kg__word *at, bool by_atomic, bool fenced)
{
    static const kg__bits none[KG__TOLD];
    const bool adds[KG__TOLD] = {
        [KG__TOLD_FENCED] = fenced, [KG__TOLD_BY_ATOMIC] = by_atomic, [KG__TOLD_BY_ANY] = true
    };

    for (int how = 0; how < KG__TOLD; how++) {
        kg__told *old = at->told;

        if (!adds[how] || (old != NULL && kg__bits_have_all(&old->of[how], &known[how])))
            continue;
        if (old == NULL || old->holders > 1) {
            at->told = kg__told_copy(old == NULL ? none : old->of);
            kg__told_drop(&old);
        }
        kg__told_add(at->told, how, &known[how]);
    }
}

void kg__blocks_tell(kg__word *at, const kg__telling *what, bool fenced)
{
    if (what->reads)
        acquire(at->told, what->warp, what->acquires);
    /* Its next write is later than what it tells now. */
    if (what->writes && what->by_atomic) {
        blocks[block_count - 1].last_told = kg__order.now;
        kg__order.has_fenced = true;
    }
    if (!what->writes || (at->told == mine && mine != NULL))
        return;
    if (!what->by_atomic || (!fenced && known[KG__TOLD_FENCED].count > 0) ||
        (at->told != NULL && !(what->reads && what->acquires))) {
        tell_more(at, what->by_atomic, fenced);
        return;
    }
    /* Everything that the word published is known already. */
    if (mine == NULL)
        mine = kg__told_copy(known);
    mine->holders++;
    kg__told_drop(&at->told);
    at->told = mine;
}

size_t kg__blocks_at(uint32_t time)
{
    size_t low = 0;
    size_t high = block_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (blocks[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

unsigned int kg__blocks_rank(uint32_t time)
{
    return blocks[kg__blocks_at(time)].rank;
}

uint3 kg__blocks_index(uint32_t time)
{
    return kg__exec_index_of(blocks[kg__blocks_at(time)].number, gridDim);
}

/* Returns how a block's releases order an action of its `warp` at `time`. `set`: the releases in
 * that set of `known`; KNOWN: all of them. */
enum { ANY = 1, NO_OLDER = 2, ORDERED = 4, OF_ITS_WARP = 8 /* no older, and by the warp itself */ };
static unsigned int released(uint32_t time, unsigned int warp, int set)
{
    unsigned int how = 0;
    size_t part;

    /* Of a cooperative launch, a block goes on behind all that it did before others ran. */
    if (kg__model_is_cooperative() &&
        blocks[kg__blocks_at(time)].number == blocks[block_count - 1].number)
        return ANY | NO_OLDER | ORDERED | OF_ITS_WARP;
    if (release_count == 0 || (set != KNOWN && known[set].count == 0))
        return 0;
    part = kg__blocks_at(time);
    do {
        size_t end = part + 1 < block_count ? blocks[part + 1].first_release : release_count;

        for (size_t i = blocks[part].first_release; i < end; i++) {
            const release *made = release_at(i);
            bool no_older = made->last_time >= time;

            if (set != KNOWN && !kg__bits_have(&known[set], i))
                continue;
            how |= ANY | (made->before > time || made->until[warp] >= time ? ORDERED : 0u) |
                   (no_older ? NO_OLDER : 0u) |
                   (no_older && (made->by >> warp & 1) != 0 ? OF_ITS_WARP : 0u);
        }
        part = blocks[part].next_part;
    } while (part != 0);
    return how;
}

/* Returns the set with what a thread knows: its warp has seen a release since the last barrier, or
 * may know by the block's own atomics of one that has. */
static int known_by(unsigned int thread, int set)
{
    return (seeing >> thread / WARP & 1) != 0 || kg__order.any_taken ? set : MET;
}

bool kg__blocks_have_acquired_write(uint32_t time, unsigned int writer, unsigned int thread)
{
    return (released(time, writer / WARP, known_by(thread, KG__TOLD_FENCED)) & ORDERED) != 0;
}

bool kg__blocks_have_seen_write(uint32_t time, unsigned int writer, unsigned int thread)
{
    return (released(time, writer / WARP, known_by(thread, SEEN)) & ORDERED) != 0;
}

bool kg__blocks_have_seen_read(uint32_t time)
{
    return (released(time, 0, SEEN) & NO_OLDER) != 0;
}

bool kg__blocks_left_out(uint32_t time, unsigned int writer)
{
    const unsigned int how = released(time, writer / WARP, KNOWN);

    return how != 0 && how < ORDERED;
}

bool kg__blocks_have_missed(uint32_t time, unsigned int writer, unsigned int reader, bool no_older)
{
    const bool sees = (seeing >> reader / WARP & 1) != 0;
    const unsigned int how = released(time, writer / WARP, sees ? SEEN : MET);

    return how < ORDERED && how >= (no_older ? NO_OLDER : ANY);
}

bool kg__blocks_have_seen_nothing(void)
{
    const kg__bits *seen = &known[SEEN];
    size_t first = blocks[block_count - 1].first_release;

    for (size_t i = 0; i < seen->count && i <= first / 64; i++) {
        uint64_t others = i < first / 64 ? ~(uint64_t)0 : ((uint64_t)1 << first % 64) - 1;

        if ((seen->words[i] & others) != 0)
            return false;
    }
    return true;
}

bool kg__blocks_have_heard(unsigned int rank)
{
    for (size_t i = block_count; i-- > 0 && blocks[i].time >= kg__order.cluster_began;) {
        if (blocks[i].rank == rank && kg__bits_have(&known[KG__TOLD_BY_ANY], blocks[i].number))
            return true;
    }
    return false;
}

bool kg__blocks_lack_fence(uint32_t time)
{
    size_t block = kg__blocks_at(time);

    return kg__bits_have(&known[KG__TOLD_BY_ANY], blocks[block].number) &&
           (released(blocks[block].time, 0, KG__TOLD_FENCED) & NO_OLDER) == 0;
}

bool kg__blocks_told_by_atomic(uint32_t time)
{
    const begun_block *block = &blocks[kg__blocks_at(time)];

    return time <= block->last_told && kg__bits_have(&known[KG__TOLD_BY_ATOMIC], block->number);
}
