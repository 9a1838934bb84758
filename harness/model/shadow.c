/* Who wrote and who read each few bytes of memory last.
 *
 * Time counts intervals: it goes up with every barrier of a block and every block, so that a time
 * tells the launch, the block and the interval between two barriers. Two accesses of one interval
 * by two threads have no order between them, unless their lanes have met in __syncwarp() since; two
 * accesses of one launch by two blocks have none either, unless one block has seen, by an atomic,
 * what the other made known by an atomic behind a fence. */
#include "model/shadow.h"

#include "base/message.h"
#include "model/findings.h"
#include "model/model.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

#define WARP KG__MODEL_WARP

/* The most that cells may take, so that a process stays below 1 GiB. */
#define MOST_MEMORY ((size_t)512 << 20)

/* Times of no launch. */
enum { NEVER = 0, BY_HOST = 1, FIRST_TIME = 2 };
/* Beyond this, times start anew. */
#define LAST_TIME ((uint32_t)1 << 31)

/* A writer is a thread, with a flag on top; a reader a thread, any lanes of one warp, or several
 * warps' threads. */
#define ATOMIC 0x8000u
#define READERS_OF_WARP 0x8000u
#define MANY_READERS 0xffffu
#define THREAD 0x03ffu
/* On top of a reader's clock: other blocks have read it too, in this launch. */
#define OTHER_BLOCKS 0x8000u
#define CLOCK 0x7fffu

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

static uint32_t now = FIRST_TIME;
static uint32_t launch_began = FIRST_TIME;
static uint32_t block_began = FIRST_TIME;

/* By warp: how often each lane has met others, counted from 1, and what each lane knows of the
 * others' counts. */
static uint16_t own[KG__MODEL_MAX_WARPS][WARP];
static uint16_t known[KG__MODEL_MAX_WARPS][WARP][WARP];
static bool have_met[KG__MODEL_MAX_WARPS];

static pending_read pending[PENDING_MAXIMUM];
static size_t pending_count;

static begun_block *blocks;
static size_t block_count;
static size_t block_room;

static release releases[RELEASES_MAXIMUM];
static size_t release_count;
static bool releases_overflow; /* too many words to keep apart: any two blocks count as ordered */
static bool any_fence;         /* in this launch */
static bool fenced;            /* in this block */
static uint64_t *acquired;     /* what the running block has seen; NULL: nothing */
static size_t bitmap_words;

static void forget_order(void)
{
    for (size_t i = 0; i < release_count; i++)
        free(releases[i].blocks);
    release_count = 0;
    releases_overflow = false;
    any_fence = false;
    free(acquired);
    acquired = NULL;
}

/* Makes every time so far one of the host's. */
static void start_times_anew(void)
{
    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        size_t cells = region->cells != NULL ? region->bytes / region->granule + 1 : 0;

        for (size_t i = 0; i < cells; i++) {
            region->cells[i].write_time = region->cells[i].write_time != NEVER ? BY_HOST : NEVER;
            region->cells[i].read_time = NEVER;
        }
    }
    now = FIRST_TIME;
}

void kg__shadow_begin_launch(void)
{
    if (now > LAST_TIME)
        start_times_anew();
    launch_began = ++now;
    block_count = 0;
    pending_count = 0;
    bitmap_words = ((size_t)gridDim.x * gridDim.y * gridDim.z + 63) / 64;
    forget_order();
}

void kg__shadow_begin_block(uint64_t number)
{
    block_began = ++now;
    blocks = kg__grow(blocks, block_count, &block_room, sizeof *blocks);
    blocks[block_count++] = (begun_block){ now, number };
    for (int warp = 0; warp < KG__MODEL_MAX_WARPS; warp++) {
        if (!have_met[warp])
            continue;
        memset(own[warp], 0, sizeof own[warp]);
        memset(known[warp], 0, sizeof known[warp]);
        have_met[warp] = false;
    }
    fenced = false;
    free(acquired);
    acquired = NULL;
}

/* The block, of this launch, that a time belongs to. */
static const begun_block *block_of(uint32_t time)
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
    return &blocks[low];
}

static uint3 block_index(uint64_t number)
{
    return (uint3){ (unsigned int)(number % gridDim.x),
                    (unsigned int)(number / gridDim.x % gridDim.y),
                    (unsigned int)(number / gridDim.x / gridDim.y) };
}

static bool is_of_this_block(uint32_t time)
{
    return time >= block_began;
}

static bool is_of_this_launch(uint32_t time)
{
    return time >= launch_began;
}

/* True when somebody else wrote, with no order, what a pending read found unwritten: then the race
 * has been reported. */
static bool was_raced(const pending_read *read)
{
    const kg__cell *cell = &read->region->cells[read->cell];

    if (cell->write_time == read->time)
        return (cell->writer & THREAD) != read->thread;
    return read->region->space == KG__MODEL_GLOBAL && is_of_this_launch(cell->write_time) &&
           block_of(cell->write_time) != block_of(read->time);
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
        } else if (!was_raced(read)) {
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
    now++;
}

void kg__shadow_end_block(void)
{
    settle_pending(false);
}

void kg__shadow_end_launch(void)
{
    settle_pending(true);
}

void kg__shadow_sync(unsigned int warp, uint32_t group)
{
    uint16_t joined[WARP] = { 0 };
    uint16_t latest = 0;

    have_met[warp] = true;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        for (int other = 0; other < WARP; other++) {
            if (known[warp][lane][other] > joined[other])
                joined[other] = known[warp][lane][other];
        }
        latest = own[warp][lane] > latest ? own[warp][lane] : latest;
    }
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);

        /* Known counts are of what is past: one more than the count that accesses bear. */
        for (int other = 0; other < WARP; other++)
            known[warp][lane][other] = joined[other];
        for (uint32_t others = group; others != 0; others &= others - 1) {
            int other = __builtin_ctz(others);

            known[warp][lane][other] = (uint16_t)(latest + 1);
        }
        /* All go on at one count, so that the greatest of several lanes' counts tells of them all;
         * at the last count everything has been met. */
        own[warp][lane] = latest < CLOCK - 1 ? (uint16_t)(latest + 1) : latest;
    }
}

void kg__shadow_fence(void)
{
    fenced = any_fence = true;
}

/* Takes and gives what an atomic on a word makes known between blocks. */
static void meet_at(const kg__region *region, uint32_t offset)
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

/* True when what another block did at `time` is ordered before what the running block does. */
static bool is_acquired(uint32_t time)
{
    size_t block = (size_t)(block_of(time) - blocks);

    return releases_overflow || (acquired != NULL && (acquired[block / 64] >> block % 64 & 1) != 0);
}

/* What is being held against a cell. */
typedef struct access {
    kg__region *region;
    const kg__site *site;
    unsigned int bytes;
    unsigned int kind;
    uint32_t offset;
    unsigned int thread;
} access;

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
    what = kg__finding_in(!is_of_this_block(time) ? KG__RACE_BETWEEN_BLOCKS
                          : is_of_warp            ? KG__RACE_IN_WARP
                                                  : KG__RACE_IN_BLOCK,
                          mine->region);
    what.bytes = mine->bytes;
    what.offset = mine->offset;
    what.other.access = did;
    if (site != NULL)
        kg__set_source(&what.other, kg__model_source_of((const void *)site->code));
    if (what.kind == KG__RACE_BETWEEN_BLOCKS)
        kg__set_index(&what.other.has_block, what.other.block, block_index(block_of(time)->number));
    else if (!several)
        kg__set_index(&what.other.has_thread, what.other.thread, kg__thread_index(other));
    kg__find(&place, &what);
}

/* True when what `other` did in this interval, a thread or the `lanes` of a warp, is ordered before
 * what a thread does by __syncwarp(). */
static bool has_met(unsigned int thread, unsigned int other, uint32_t lanes, unsigned int clock)
{
    unsigned int warp = thread / WARP;
    const uint16_t *mine = known[warp][thread % WARP];

    if (!have_met[warp] || other == MANY_READERS)
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

static void await_writer(const access *mine, size_t cell)
{
    const pending_read *last = pending_count > 0 ? &pending[pending_count - 1] : NULL;

    /* A wide access is one, however many cells it has. */
    if (last != NULL && last->region == mine->region && last->cell < cell &&
        last->offset == mine->offset && last->thread == mine->thread && last->site == mine->site &&
        last->time == now)
        return;
    if (pending_count < PENDING_MAXIMUM)
        pending[pending_count++] =
            (pending_read){ mine->region,           cell,       now,     mine->offset, mine->bytes,
                            (uint16_t)mine->thread, mine->site, blockIdx };
}

/* A read whose last write is not plainly in order. */
static void question_read(const access *mine, const kg__cell *cell, size_t index)
{
    bool global = mine->region->space == KG__MODEL_GLOBAL;
    unsigned int writer = cell->writer & THREAD;

    if (cell->write_time == now) {
        if (writer != mine->thread && !has_met(mine->thread, writer, 0, cell->write_clock))
            report_race(mine, now, writer, KG__WRITE, cell->write_site);
    } else if (cell->write_time == NEVER || !global) {
        await_writer(mine, index);
    } else if (!is_acquired(cell->write_time)) {
        report_race(mine, cell->write_time, 0, KG__WRITE, cell->write_site);
    }
}

/* True when a cell's last write is in order before anything that is read now: of this block before
 * the last barrier, or (in global memory) from before the launch. */
static inline bool is_settled(const kg__cell *cell, bool global)
{
    return cell->write_time - block_began < now - block_began ||
           (global && cell->write_time - 1 < launch_began - 1);
}

static inline unsigned int clock_of(unsigned int thread)
{
    return own[thread / WARP][thread % WARP];
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
    if (clock > (cell->read_clock & CLOCK))
        cell->read_clock = (uint16_t)((cell->read_clock & OTHER_BLOCKS) | clock);
}

static inline void note_read(kg__cell *cell, unsigned int thread, unsigned int site)
{
    if (cell->read_time != now) {
        unsigned int others =
            is_of_this_launch(cell->read_time) && !is_of_this_block(cell->read_time) ? OTHER_BLOCKS
            : is_of_this_launch(cell->read_time) ? cell->read_clock & OTHER_BLOCKS
                                                 : 0;

        cell->read_time = now;
        cell->reader = (uint16_t)thread;
        cell->read_clock = (uint16_t)(clock_of(thread) | others);
        cell->read_site = (uint16_t)site;
    } else if (have_met[thread / WARP] &&
               (cell->reader == thread ||
                has_met(thread, cell->reader, cell->read_lanes, cell->read_clock & CLOCK))) {
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
        question_read(mine, cell, index);
    note_read(cell, mine->thread, mine->site->number);
}

/* Adds lanes of one warp, that have met nobody in this block, to the readers of a cell. */
static inline void note_lanes(kg__cell *cell, unsigned int first_thread, uint32_t lanes,
                              unsigned int site)
{
    unsigned int warp = first_thread / WARP;
    bool several = (lanes & (lanes - 1)) != 0;

    if (cell->read_time != now) {
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
    bool alike = !have_met[first_thread / WARP];
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

/* What is wrong with a write, by the reads and the last write before it. */
static void question_write(const access *mine, const kg__cell *cell)
{
    bool atomic = (mine->kind & KG__ACCESS_ATOMIC) != 0;
    bool both_atomic = atomic && (cell->writer & ATOMIC) != 0;
    unsigned int writer = cell->writer & THREAD;

    if (cell->write_time == now && writer != mine->thread && !both_atomic &&
        !has_met(mine->thread, writer, 0, cell->write_clock))
        report_race(mine, now, writer, KG__WRITE, cell->write_site);
    if (cell->read_time == now && cell->reader != mine->thread &&
        !has_met(mine->thread, cell->reader, cell->read_lanes, cell->read_clock & CLOCK))
        report_race(mine, now, cell->reader, KG__READ, cell->read_site);
    if (mine->region->space != KG__MODEL_GLOBAL)
        return;
    if (is_of_this_launch(cell->write_time) && !is_of_this_block(cell->write_time) &&
        !both_atomic && !is_acquired(cell->write_time))
        report_race(mine, cell->write_time, 0, KG__WRITE, cell->write_site);
    if (is_of_this_launch(cell->read_time) && !is_of_this_block(cell->read_time) &&
        !is_acquired(cell->read_time))
        report_race(mine, cell->read_time, 0, KG__READ, cell->read_site);
    else if (is_of_this_block(cell->read_time) && (cell->read_clock & OTHER_BLOCKS) != 0 &&
             acquired == NULL && !releases_overflow)
        report_race(mine, launch_began, 0, KG__READ, cell->read_site);
}

static inline void take_write(const access *mine, kg__cell *cell)
{
    bool atomic = (mine->kind & KG__ACCESS_ATOMIC) != 0;

    if (atomic && (mine->kind & KG__ACCESS_WRITE) == 0 && cell->write_time == NEVER)
        await_writer(mine, (size_t)(cell - mine->region->cells));
    if (cell->write_time >= launch_began || cell->read_time >= launch_began)
        question_write(mine, cell);
    cell->write_time = now;
    cell->writer = (uint16_t)(mine->thread | (atomic ? ATOMIC : 0));
    cell->write_clock = (uint16_t)clock_of(mine->thread);
    cell->write_site = mine->site->number;
}

/* Takes room for `count` cells of a region; false where that would be too much. */
static bool take_cells(kg__region *region, size_t count)
{
    size_t bytes = 0;

    for (const kg__region *other = kg__regions(); other != NULL; other = other->next) {
        if (other->cells != NULL && other != region)
            bytes += (other->bytes / other->granule + 1) * sizeof *other->cells;
    }
    if (count > (MOST_MEMORY - bytes) / sizeof *region->cells) {
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UNKNOWN;
        return false;
    }
    region->cells = kg__allocate(count, sizeof *region->cells);
    return true;
}

/* Gives a region cells, of what is known of it as a whole. */
static void make_cells(kg__region *region)
{
    size_t count = region->bytes / region->granule + 1;

    if (!take_cells(region, count))
        return;
    for (size_t i = 0; region->state == KG__UPLOADED && i < count; i++)
        region->cells[i].write_time = BY_HOST;
    region->state = KG__IN_CELLS;
}

/* Gives a region a cell a byte. */
static void refine(kg__region *region)
{
    kg__cell *coarse = region->cells;

    region->granule = 1;
    if (coarse == NULL)
        return;
    region->cells = NULL;
    if (take_cells(region, region->bytes + 1)) {
        for (size_t i = 0; i <= region->bytes; i++)
            region->cells[i] = coarse[i / 4];
    }
    size_t kept = 0;

    for (size_t i = 0; i < pending_count; i++) {
        if (pending[i].region == region) {
            if (region->cells == NULL)
                continue;
            pending[i].cell *= 4;
        }
        pending[kept++] = pending[i];
    }
    pending_count = kept;
    free(coarse);
}

const char *kg__shadow_too_large(void)
{
    for (const kg__region *region = kg__regions(); region != NULL; region = region->next) {
        if (region->state == KG__UNKNOWN)
            return region->name;
    }
    return NULL;
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
        make_cells(region);
    if (region->cells == NULL)
        return;
    shift = region->granule == 4 ? 2 : 0;
    if (!writes && mine.bytes == region->granule) {
        take_reads(&mine, count, offsets, lanes, first_thread, shift);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        size_t first = offsets[i] >> shift;
        size_t last = (offsets[i] + mine.bytes - 1) >> shift;

        mine.offset = offsets[i];
        mine.thread = first_thread + lanes[i];
        if ((kind & KG__ACCESS_ATOMIC) != 0 && global && any_fence)
            meet_at(region, offsets[i]);
        for (size_t cell = first; cell <= last; cell++) {
            if (writes)
                take_write(&mine, &region->cells[cell]);
            else
                take_read(&mine, &region->cells[cell], cell, global);
        }
    }
}

void kg__shadow_forget(void)
{
    for (kg__region *region = kg__regions(); region != NULL; region = region->next) {
        if (region->space != KG__MODEL_GLOBAL)
            continue;
        free(region->cells);
        region->cells = NULL;
        region->state = KG__UPLOADED;
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
        make_cells(region);
    if (region->cells == NULL)
        return;
    for (size_t i = (from - region->start) / region->granule;
         i <= (to - region->start - 1) / region->granule; i++)
        region->cells[i] = (kg__cell){ .write_time = written ? BY_HOST : NEVER };
}
