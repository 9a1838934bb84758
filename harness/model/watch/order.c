/* Order between threads and blocks. */
#include "model/watch/order.h"

#include "base/message.h"
#include "model/watch/trace.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP

/* Beyond this, times start again. */
#define LAST_TIME ((uint32_t)1 << 31)

/* A block of this launch. */
typedef struct begun_block {
    uint32_t time;   /* of its first interval */
    uint64_t number; /* in its grid */
} begun_block;

/* A word that threads tell each other by, and who has. */
typedef struct word {
    const kg__region *region;
    uint32_t offset;
    uint32_t interval;    /* that `warps` are of */
    uint32_t warps;       /* that have released it in this interval, behind a fence */
    uint32_t loose_warps; /* or without one */
    uint32_t lanes;       /* that have released it by a cuda::atomic, of the warp `lanes_of` */
    unsigned int lanes_of;
    uint64_t last_block;   /* that did anything to it, by its number in the grid */
    uint64_t last_version; /* and what it knew then */
    /* A bit a block: that have released it behind a fence; or without one, by an atomic; or by any
     * access. */
    uint64_t *blocks[3];
} word;
enum { FENCED, BY_ATOMIC, BY_ANY, UNACQUIRED };

/* What an access does to a word, and for whom. */
typedef struct telling {
    bool reads, writes, by_atomic, is_strong;
    bool acquires; /* with what it reads, without a fence after it */
    bool releases; /* with what it writes, without a fence before it */
} telling;

#define WORDS_MAXIMUM 8192 /* a power of two */
#define WORDS_MEMORY ((size_t)64 << 20)

struct kg__order kg__order = { .now = KG__TIME_FIRST,
                               .launch_began = KG__TIME_FIRST,
                               .block_began = KG__TIME_FIRST };

static begun_block *blocks;
static size_t block_count;
static size_t block_room;

static word words[WORDS_MAXIMUM]; /* by a hash */
static size_t word_count;
static size_t words_most;
static bool words_overflow; /* too many to keep apart: any two blocks count as ordered */
static bool fenced;         /* the device's, in this block */
static uint64_t *known[4];  /* what the running block has seen, or will by a fence; NULL: nothing */
static uint64_t version;    /* goes up with it */
static size_t bitmap_words;

/* The running block: whether any thread has an entry in these. */
static bool any_word;
static uint32_t fenced_warps;
static uint32_t taken_interval; /* that these two are of */
static uint32_t taken[KG__MODEL_MAX_WARPS];
static uint32_t loosely_taken[KG__MODEL_MAX_WARPS];
static uint32_t not_acquired[KG__MODEL_MAX_WARPS]; /* what a fence would have taken */
static const word *lock_of[KG__MODEL_MAX_THREADS];
static uint32_t taken_lanes[KG__MODEL_MAX_THREADS]; /* of its own warp, in taken_interval */
static bool any_lanes;

static void forget_known(void)
{
    for (int i = 0; i < 4; i++) {
        free(known[i]);
        known[i] = NULL;
    }
    version++;
    fenced = false;
    fenced_warps = 0;
    if (any_word)
        memset(lock_of, 0, sizeof lock_of);
    any_word = kg__order.any_taken = false;
}

static void forget_order(void)
{
    for (size_t i = 0; word_count > 0 && i < WORDS_MAXIMUM; i++) {
        for (int how = 0; how < 3; how++)
            free(words[i].blocks[how]);
        words[i] = (word){ 0 };
    }
    word_count = 0;
    words_overflow = false;
    forget_known();
}

/* Makes every time so far one of the host's. */
static void start_times_again(void)
{
    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        size_t cells = region->cells != NULL ? region->bytes / region->granule + 1 : 0;

        for (size_t i = 0; i < cells; i++) {
            region->cells[i].write_time =
                region->cells[i].write_time != KG__TIME_NEVER ? KG__TIME_OF_HOST : KG__TIME_NEVER;
            region->cells[i].read_time = KG__TIME_NEVER;
        }
    }
    kg__order.now = KG__TIME_FIRST;
}

void kg__order_begin_launch(void)
{
    if (kg__order.now > LAST_TIME)
        start_times_again();
    kg__order.launch_began = ++kg__order.now;
    kg__order.cluster_began = kg__order.last_cluster_sync = 0;
    block_count = 0;
    bitmap_words = ((size_t)gridDim.x * gridDim.y * gridDim.z + 63) / 64;
    words_most = WORDS_MEMORY / (3 * bitmap_words * sizeof(uint64_t));
    if (words_most > WORDS_MAXIMUM / 2)
        words_most = WORDS_MAXIMUM / 2;
    forget_order();
}

void kg__order_begin_block(uint64_t number)
{
    kg__order.block_began = ++kg__order.now;
    blocks = kg__grow(blocks, block_count, &block_room, sizeof *blocks);
    blocks[block_count++] = (begun_block){ kg__order.now, number };
    for (int warp = 0; warp < KG__MODEL_MAX_WARPS; warp++) {
        if (!kg__order.have_synced[warp])
            continue;
        memset(kg__order.own[warp], 0, sizeof kg__order.own[warp]);
        memset(kg__order.known[warp], 0, sizeof kg__order.known[warp]);
        kg__order.have_synced[warp] = false;
    }
    forget_known();
}

void kg__order_begin_cluster(void)
{
    kg__order.cluster_began = kg__order.last_cluster_sync = kg__order.block_began;
}

void kg__order_sync_cluster(void)
{
    kg__order.last_cluster_sync = ++kg__order.now;
}

size_t kg__order_block(uint32_t time)
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

uint3 kg__order_block_index(uint32_t time)
{
    uint64_t number = blocks[kg__order_block(time)].number;

    return (uint3){ (unsigned int)(number % gridDim.x),
                    (unsigned int)(number / gridDim.x % gridDim.y),
                    (unsigned int)(number / gridDim.x / gridDim.y) };
}

void kg__order_barrier(void)
{
    kg__order.now++;
}

void kg__order_sync(unsigned int warp, uint32_t group)
{
    uint16_t joined[WARP] = { 0 };
    uint16_t latest = 0;

    kg__order.have_synced[warp] = true;
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

        /* Known counts are of what is past: one more than the count that accesses bear. */
        for (int other = 0; other < WARP; other++)
            kg__order.known[warp][lane][other] = joined[other];
        for (uint32_t others = group; others != 0; others &= others - 1) {
            int other = __builtin_ctz(others);

            kg__order.known[warp][lane][other] = (uint16_t)(latest + 1);
        }
        /* All go on at one count, so that the greatest of several lanes' counts tells of them all;
         * at the last count everything has been met. */
        kg__order.own[warp][lane] =
            latest < KG__CLOCK_MAXIMUM - 1 ? (uint16_t)(latest + 1) : latest;
    }
}

/* The word's entry, added where there is space for one; NULL where there is none. */
static word *word_at(const kg__region *region, uint32_t offset)
{
    size_t slot = (size_t)(((uintptr_t)region / 64 + offset) * 0x9e3779b97f4a7c15u >> 32);

    for (;; slot++) {
        word *found = &words[slot % WORDS_MAXIMUM];

        if (found->region == region && found->offset == offset)
            return found;
        if (found->region != NULL)
            continue;
        if (word_count == words_most)
            return NULL;
        word_count++;
        *found = (word){ .region = region, .offset = offset, .last_block = UINT64_MAX };
        return found;
    }
}

/* Returns whether there was any that is new. */
static bool add_blocks(uint64_t **to, const uint64_t *from)
{
    uint64_t added = 0;

    if (from == NULL)
        return false;
    if (*to == NULL)
        *to = kg__allocate(bitmap_words, sizeof **to);
    for (size_t i = 0; i < bitmap_words; i++) {
        added |= from[i] & ~(*to)[i];
        (*to)[i] |= from[i];
    }
    return added != 0;
}

static void add_block(uint64_t **to, uint64_t block)
{
    if (*to == NULL)
        *to = kg__allocate(bitmap_words, sizeof **to);
    (*to)[block / 64] |= (uint64_t)1 << block % 64;
}

/* What blocks tell each other by a word. */
static void tell_blocks(word *at, const telling *what)
{
    uint64_t mine = blocks[block_count - 1].number;
    bool releases = fenced || what->releases;

    if (at->last_block == mine && at->last_version == version * 2 + releases)
        return;
    for (int how = 0; what->reads && how < 3; how++)
        version += add_blocks(&known[how == FENCED && !what->acquires ? UNACQUIRED : how],
                              at->blocks[how]);
    for (int how = 0; what->writes && how < 3; how++) {
        if (how == FENCED ? !releases : how == BY_ATOMIC && !what->by_atomic)
            continue;
        (void)add_blocks(&at->blocks[how], known[how]);
        add_block(&at->blocks[how], mine);
    }
    if (what->reads && !what->acquires)
        return;
    at->last_block = mine;
    at->last_version = version * 2 + releases;
}

/* What warps of the block have taken is of this interval. */
static void begin_taking(void)
{
    if (taken_interval == kg__order.now)
        return;
    memset(taken, 0, sizeof taken);
    memset(loosely_taken, 0, sizeof loosely_taken);
    memset(not_acquired, 0, sizeof not_acquired);
    if (any_lanes)
        memset(taken_lanes, 0, sizeof taken_lanes);
    any_lanes = false;
    taken_interval = kg__order.now;
}

static void take_warps(unsigned int warp, uint32_t warps)
{
    taken[warp] |= warps;
    kg__order.any_taken = kg__order.any_taken || taken[warp] != 0;
}

/* What lanes of a warp tell each other by a cuda::atomic. */
static void tell_lanes(word *at, unsigned int thread, bool takes, bool gives)
{
    unsigned int warp = thread / WARP;

    if (takes && at->lanes_of == warp && at->lanes != 0) {
        taken_lanes[thread] |= at->lanes;
        kg__order.any_taken = any_lanes = true;
    }
    if (!gives)
        return;
    if (at->lanes_of != warp)
        at->lanes = 0;
    at->lanes_of = warp;
    at->lanes |= 1u << thread % WARP | taken_lanes[thread];
}

/* What threads of the block tell each other. */
static void tell_threads(word *at, unsigned int thread, const telling *what)
{
    unsigned int warp = thread / WARP;
    uint32_t mine = 1u << warp;
    bool releases = (fenced_warps & mine) != 0 || what->releases;

    begin_taking();
    if (at->interval != kg__order.now) {
        at->warps = at->loose_warps = at->lanes = 0;
        at->interval = kg__order.now;
    }
    if (what->is_strong)
        tell_lanes(at, thread, what->reads && what->acquires, what->writes && releases);
    if (what->reads) {
        loosely_taken[warp] |= at->loose_warps;
        if (what->acquires)
            take_warps(warp, at->warps);
        else
            not_acquired[warp] |= at->warps;
    }
    if (!what->writes)
        return;
    if (releases)
        at->warps |= mine | taken[warp];
    at->loose_warps |= mine | loosely_taken[warp];
}

void kg__order_fence(unsigned int thread, bool of_device)
{
    unsigned int warp = thread / WARP;

    fenced = fenced || of_device;
    fenced_warps |= 1u << warp;
    if (of_device)
        version += add_blocks(&known[FENCED], known[UNACQUIRED]);
    begin_taking();
    take_warps(warp, not_acquired[warp]);
}

void kg__order_atomic(const kg__region *region, uint32_t offset, unsigned int thread,
                      unsigned int kind)
{
    bool is_atomic = (kind & KG__ACCESS_ATOMIC) != 0;
    bool is_strong = (kind & KG__ACCESS_STRONG) != 0;
    telling what = { .reads = is_atomic || (kind & KG__ACCESS_WRITE) == 0,
                     .writes = (kind & (KG__ACCESS_ATOMIC | KG__ACCESS_WRITE)) != 0,
                     .by_atomic = is_atomic || is_strong,
                     .is_strong = is_strong,
                     .acquires = !is_strong || (kind & KG__ACCESS_ACQUIRE) != 0,
                     .releases = (kind & KG__ACCESS_RELEASE) != 0 };
    word *at = word_at(region, offset);

    if (at == NULL) {
        words_overflow = words_overflow || fenced || what.releases;
        return;
    }
    if (region->space == KG__MODEL_GLOBAL && (kind & KG__ACCESS_OF_BLOCK) == 0)
        tell_blocks(at, &what);
    if (!what.by_atomic)
        return;
    tell_threads(at, thread, &what);
    any_word = true;
    if (is_atomic && (kind & KG__ACCESS_VOLATILE) != 0) {
        lock_of[thread] = at;
        kg__order.any_taken = true;
    }
}

bool kg__order_has_taken(unsigned int thread, unsigned int other)
{
    if (!kg__order.any_taken)
        return false;
    if (thread / WARP == other / WARP)
        return (lock_of[thread] != NULL && lock_of[thread] == lock_of[other]) ||
               (taken_interval == kg__order.now && (taken_lanes[thread] >> other % WARP & 1) != 0);
    return taken_interval == kg__order.now && (taken[thread / WARP] >> other / WARP & 1) != 0;
}

bool kg__order_lacks_fence(unsigned int thread, unsigned int other)
{
    return any_word && taken_interval == kg__order.now && thread / WARP != other / WARP &&
           (loosely_taken[thread / WARP] >> other / WARP & 1) != 0;
}

static bool is_known(int how, uint32_t time)
{
    uint64_t block = blocks[kg__order_block(time)].number;

    return known[how] != NULL && (known[how][block / 64] >> block % 64 & 1) != 0;
}

bool kg__order_is_acquired(uint32_t time)
{
    return kg__order_has_met(time) || words_overflow || is_known(FENCED, time);
}

bool kg__order_block_lacks_fence(uint32_t time, bool by_atomics_alone)
{
    return is_known(by_atomics_alone ? BY_ATOMIC : BY_ANY, time);
}

bool kg__order_has_acquired_nothing(void)
{
    return known[FENCED] == NULL && !words_overflow;
}
