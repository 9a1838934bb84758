/* Order between threads and blocks. */
#include "model/watch/order.h"

#include "base/message.h"

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

/* A word that blocks have released by an atomic behind a fence, and which: a bit a block. */
#define RELEASES_MAXIMUM 256
typedef struct release {
    const kg__region *region;
    uint32_t offset;
    uint64_t *blocks;
} release;

struct kg__order kg__order = { .now = KG__TIME_FIRST,
                               .launch_began = KG__TIME_FIRST,
                               .block_began = KG__TIME_FIRST };

static begun_block *blocks;
static size_t block_count;
static size_t block_room;

static release releases[RELEASES_MAXIMUM];
static size_t release_count;
static bool releases_overflow; /* too many words to keep apart: any two blocks count as ordered */
static bool fenced;            /* in this block */
static uint64_t *acquired;     /* what the running block has seen; NULL: nothing */
static size_t bitmap_words;

static void forget_order(void)
{
    for (size_t i = 0; i < release_count; i++)
        free(releases[i].blocks);
    release_count = 0;
    releases_overflow = false;
    kg__order.any_fence = false;
    free(acquired);
    acquired = NULL;
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
    block_count = 0;
    bitmap_words = ((size_t)gridDim.x * gridDim.y * gridDim.z + 63) / 64;
    forget_order();
}

void kg__order_begin_block(uint64_t number)
{
    kg__order.block_began = ++kg__order.now;
    blocks = kg__grow(blocks, block_count, &block_room, sizeof *blocks);
    blocks[block_count++] = (begun_block){ kg__order.now, number };
    for (int warp = 0; warp < KG__MODEL_MAX_WARPS; warp++) {
        if (!kg__order.have_met[warp])
            continue;
        memset(kg__order.own[warp], 0, sizeof kg__order.own[warp]);
        memset(kg__order.known[warp], 0, sizeof kg__order.known[warp]);
        kg__order.have_met[warp] = false;
    }
    fenced = false;
    free(acquired);
    acquired = NULL;
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

    kg__order.have_met[warp] = true;
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

void kg__order_fence(void)
{
    fenced = kg__order.any_fence = true;
}

void kg__order_atomic(const kg__region *region, uint32_t offset)
{
    release *word = NULL;
    size_t mine = block_count - 1;

    for (size_t i = 0; i < release_count && word == NULL; i++) {
        if (releases[i].region == region && releases[i].offset == offset)
            word = &releases[i];
    }
    if (word != NULL) {
        if (acquired == NULL)
            acquired = kg__allocate(bitmap_words, sizeof *acquired);
        for (size_t i = 0; i < bitmap_words; i++)
            acquired[i] |= word->blocks[i];
    }
    if (!fenced)
        return;
    if (word == NULL) {
        if (release_count == RELEASES_MAXIMUM) {
            releases_overflow = true;
            return;
        }
        word = &releases[release_count++];
        *word = (release){ region, offset, kg__allocate(bitmap_words, sizeof(uint64_t)) };
    }
    for (size_t i = 0; acquired != NULL && i < bitmap_words; i++)
        word->blocks[i] |= acquired[i];
    word->blocks[mine / 64] |= (uint64_t)1 << mine % 64;
}

bool kg__order_is_acquired(uint32_t time)
{
    size_t block = kg__order_block(time);

    return releases_overflow || (acquired != NULL && (acquired[block / 64] >> block % 64 & 1) != 0);
}

bool kg__order_has_acquired_nothing(void)
{
    return acquired == NULL && !releases_overflow;
}
