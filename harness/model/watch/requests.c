/* SPDX-License-Identifier: MIT */
/* The cost of a request: sectors in global memory, wavefronts in shared memory, words in
 * constant memory. */
#include "model/watch/requests.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/fibers.h"
#include "model/watch/blocks.h"
#include "model/watch/findings.h"
#include "model/watch/order.h"
#include "model/watch/shadow.h"
#include "model/watch/sites.h"
#include "model/watch/trace.h"
#include "model/watch/watch.h"

#include <limits.h>
#include <string.h>

#define WARP KG__MODEL_WARP
#define BANKS 32
#define SECTOR_SHIFT 5 /* a sector has 32 bytes */
#define WORD_SHIFT 2   /* a bank's word has 4 bytes */

static const uint8_t every_lane[WARP] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                          22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

struct kg__requests kg__requests;

static unsigned int first_thread; /* first thread of the warp whose requests are counted */
static uint64_t *of_warp = kg__requests.of_warps; /* of the current warp */

void kg__request_begin_warp(unsigned int warp)
{
    first_thread = warp * WARP;
    of_warp = &kg__requests.of_warps[warp];
}

void kg__requests_of_block(uint64_t busiest[2])
{
    uint64_t requests = 0;

    for (unsigned int i = 0; i < KG__MODEL_MAX_WARPS; i++) {
        const uint64_t mine = kg__requests.of_warps[i];

        requests += mine;
        busiest[1] = mine > busiest[1] ? mine : busiest[1];
    }
    busiest[0] = requests > busiest[0] ? requests : busiest[0];
}

/* Returns whether the second half of a warp accesses what the first half does, as the rows of a
 * block often do. */
static inline bool repeats(const uint32_t *values)
{
    uint32_t differ = 0;

    for (int lane = 0; lane < WARP / 2; lane++)
        differ |= values[lane] ^ values[lane + WARP / 2];
    return differ == 0;
}

/* Returns the number of distinct values. Lanes mostly access ascending addresses; then each
 * change is a new value. */
static inline unsigned int count_distinct(const uint32_t *values, unsigned int count)
{
    unsigned int changes = 1;
    unsigned int falls = 0;
    uint32_t seen[WARP];
    unsigned int distinct = 0;

    if (count == WARP && repeats(values))
        count = WARP / 2;
    for (unsigned int i = 1; i < count; i++) {
        changes += values[i] != values[i - 1];
        falls += values[i] < values[i - 1];
    }
    if (falls == 0)
        return changes;
    for (unsigned int i = 0; i < count; i++) {
        unsigned int other = 0;

        if (i > 0 && values[i] == values[i - 1])
            continue;
        while (other < distinct && seen[other] != values[i])
            other++;
        if (other == distinct)
            seen[distinct++] = values[i];
    }
    return distinct;
}

/* Returns the maximum number of distinct words in one bank, for accesses of `words` words each
 * that begin at the words `first`. */
static unsigned int count_conflicts(const uint32_t *first, unsigned int count, unsigned int words)
{
    uint32_t seen[BANKS][WARP];
    unsigned int distinct[BANKS] = { 0 };
    unsigned int most = 0;

    for (unsigned int i = 0; i < count; i++) {
        for (uint32_t word = first[i]; word < first[i] + words; word++) {
            unsigned int bank = word % BANKS;
            unsigned int other = 0;

            while (other < distinct[bank] && seen[bank][other] != word)
                other++;
            if (other < distinct[bank])
                continue;
            seen[bank][distinct[bank]++] = word;
            most = distinct[bank] > most ? distinct[bank] : most;
        }
    }
    return most;
}

/* Returns the wavefronts of a request to shared memory. Words within one row of the banks never
 * conflict. */
static inline unsigned int count_wavefronts(const uint32_t *first, unsigned int count,
                                            unsigned int words)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (unsigned int i = 0; i < count; i++) {
        least = first[i] < least ? first[i] : least;
        most = first[i] > most ? first[i] : most;
    }
    return most - least + words <= BANKS ? 1 : count_conflicts(first, count, words);
}

/* Returns the wavefronts where each lane has 16 bytes: eight lanes are served at a time if all
 * lanes' words are distinct. */
static unsigned int count_wavefronts_of_quads(const uint32_t *first, unsigned int count)
{
    unsigned int wavefronts = 0;

    if (count_distinct(first, count) < count)
        return count_wavefronts(first, count, 4);
    for (unsigned int i = 0; i < count; i += BANKS / 4)
        wavefronts += count_wavefronts(first + i, count - i < BANKS / 4 ? count - i : BANKS / 4, 4);
    return wavefronts;
}

/* Sets the bits from `first` up to, but not including, `end`. */
static inline void set_bits(unsigned char *bits, uint32_t first, uint32_t end)
{
    unsigned char *byte = bits + (first >> 3);
    unsigned char *last = bits + ((end - 1) >> 3);
    unsigned int mask = UCHAR_MAX << (first & 7);

    if (byte < last) {
        *byte++ |= (unsigned char)mask;
        memset(byte, UCHAR_MAX, (size_t)(last - byte));
        mask = UCHAR_MAX;
    }
    *last |= (unsigned char)(mask & UCHAR_MAX >> (7 - ((end - 1) & 7)));
}

/* Returns whether each lane of half a warp accesses the same bytes as the lane before it, or the
 * next ones. */
static inline bool are_one_piece(const uint32_t *offsets, unsigned int count, unsigned int bytes)
{
    unsigned int gaps = 0;

    if (count != WARP / 2)
        return false;
    for (int lane = 1; lane < WARP / 2; lane++)
        gaps += offsets[lane] - offsets[lane - 1] > bytes;
    return gaps == 0;
}

/* Marks the bytes from `first` up to, but not including, `end` as accessed by this launch. */
static inline void mark_piece(kg__region *region, int how, uint32_t first, uint32_t end)
{
    if (region->bits[how] == NULL)
        region->bits[how] = kg__allocate(region->bytes / 64 + 1, 8);
    set_bits(region->bits[how], first, end);
    region->first_set = first < region->first_set ? first : region->first_set;
    region->last_set = end - 1 > region->last_set ? end - 1 : region->last_set;
}

void kg__requests_mark(kg__region *region, bool written, uint32_t offset, uint32_t bytes)
{
    if ((kg__requests.counting || kg__requests.tracking) && region->space != KG__MODEL_SHARED)
        mark_piece(region, written ? KG__BITS_WRITTEN : KG__BITS_READ, offset, offset + bytes);
}

/* Marks bytes that this launch accesses for the first time. */
static void mark_bytes(kg__region *region, int how, unsigned int bytes, const uint32_t *offsets,
                       unsigned int count)
{
    for (unsigned int i = 0; i < count; i += WARP / 2) {
        unsigned int end = count - i < WARP / 2 ? count : i + WARP / 2;

        if (are_one_piece(offsets + i, end - i, bytes)) {
            mark_piece(region, how, offsets[i], offsets[end - 1] + bytes);
            continue;
        }
        for (unsigned int lane = i; lane < end; lane++)
            mark_piece(region, how, offsets[lane], offsets[lane] + bytes);
    }
}

/* Returns the maximum number of lanes that update one word, which the hardware serves one after
 * the other. */
static unsigned int count_passes(unsigned int count, const uint64_t *addresses)
{
    unsigned int most = 0;
    uint32_t words[WARP];

    for (unsigned int i = 0; i < count; i++)
        words[i] = (uint32_t)(addresses[i] >> WORD_SHIFT);
    for (unsigned int i = 0; i < count; i++) {
        unsigned int lanes = 0;

        for (unsigned int other = 0; other < count; other++)
            lanes += words[other] == words[i];
        most = lanes > most ? lanes : most;
    }
    return most;
}

/* Counts a request whose lanes are all in one space. */
static inline void count_request(kg__site *site, kg__model_space space, unsigned int kind,
                                 unsigned int count, const uint64_t *addresses)
{
    unsigned int bytes = kind & KG__ACCESS_BYTES;
    unsigned int words = bytes > 4 ? bytes / 4 : 1;
    unsigned int shift = space == KG__MODEL_GLOBAL ? SECTOR_SHIFT : WORD_SHIFT;
    uint64_t *fresh = site->fresh[space];
    uint32_t parts[WARP];

    for (unsigned int i = 0; i < count; i++)
        parts[i] = (uint32_t)(addresses[i] >> shift);
    ++*of_warp;
    fresh[KG__SITE_REQUESTS]++;
    /* Vectors are aligned, so two of them share all their words or none. */
    fresh[KG__SITE_PARTS] +=
        space == KG__MODEL_SHARED && words == 4 ? count_wavefronts_of_quads(parts, count)
        : space == KG__MODEL_SHARED             ? count_wavefronts(parts, count, words)
        : space == KG__MODEL_CONSTANT           ? (uint64_t)count_distinct(parts, count) * words
                                                : count_distinct(parts, count);
    if (__builtin_expect((kind & (KG__ACCESS_ATOMIC | KG__ACCESS_RELEASE)) != 0, 0)) {
        if ((kind & KG__ACCESS_ATOMIC) != 0)
            fresh[KG__SITE_PASSES] += count_passes(count, addresses);
        /* nvcc generates a fence before a release. */
        if ((kind & KG__ACCESS_RELEASE) != 0)
            kg__site_note(site->code, kind, 1);
    }
}

/* Returns whether the launch before this one may still run: neither the warp has waited for it, nor
 * one that it has met. */
static bool is_early(void)
{
    return (kg__regions_awaited >> first_thread / WARP & 1) == 0 &&
           (kg__regions_awaited == 0 || (!kg__order.any_taken && kg__blocks_have_seen_nothing()));
}

/* Handles a request within one region, at offsets from its start. */
static inline void take_together(kg__site *site, kg__region *region, unsigned int kind,
                                 unsigned int count, const uint32_t *offsets, const uint8_t *lanes)
{
    const unsigned int strong = KG__ACCESS_ATOMIC | KG__ACCESS_VOLATILE | KG__ACCESS_STRONG;
    bool writes = (kind & (KG__ACCESS_WRITE | KG__ACCESS_ATOMIC)) != 0;

    region->is_written |= writes;
    if ((kg__requests.counting || kg__requests.tracking) && region->space != KG__MODEL_SHARED) {
        unsigned int bytes = kind & KG__ACCESS_BYTES;

        if (!writes || (kind & KG__ACCESS_ATOMIC) != 0)
            mark_bytes(region, KG__BITS_READ, bytes, offsets, count);
        if (writes)
            mark_bytes(region, KG__BITS_WRITTEN, bytes, offsets, count);
        if (kg__regions_early != NULL && (kind & strong) == 0 && is_early())
            mark_bytes(region, KG__BITS_EARLY + writes, bytes, offsets, count);
        if (kg__requests.tracking && (kind & strong) != 0) {
            kg__exec_leave_process();
            mark_bytes(region,
                       (kind & strong) == KG__ACCESS_ATOMIC ? KG__BITS_UPDATED : KG__BITS_STRONG,
                       bytes, offsets, count);
        }
    }
    if (kg__requests.checking)
        kg__shadow_take(region, site, kind, count, offsets, lanes, first_thread);
}

/* Returns whether an address is in a program or library, and in or behind no variable of its
 * host: a string, say, or a table of virtual functions. */
static bool is_constant_of_program(const void *address)
{
    const kg__model_variable *variable = kg__model_variable_near(address);

    return kg__model_in_image(address) && (variable == NULL || !variable->of_host);
}

/* Reports one lane's access outside of all regions that it may access. */
static void report_outside(const kg__site *site, const kg__region *region, unsigned int kind,
                           uint64_t address, unsigned int lane)
{
    const unsigned int bytes = kind & KG__ACCESS_BYTES;
    const kg__finding_access access = kg__access_of(kind);
    const void *pointer = (const void *)(uintptr_t)address;
    const kg__model_freed *freed = region == NULL ? kg__model_find_freed(pointer) : NULL;
    kg__finding what = {
        .kind = KG__HOST_ACCESS, .bytes = bytes, .address = address, .by.access = access
    };

    if ((kind & (KG__ACCESS_WRITE | KG__ACCESS_ATOMIC)) != 0)
        kg__exec_leave_process();
    if (region != NULL)
        what = kg__finding_in(KG__OUT_OF_BOUNDS, region, address - region->start, bytes, access);
    else if (freed != NULL)
        what = kg__finding_in_freed(freed, address, bytes, access);
    else if (is_constant_of_program(pointer))
        return;
    else if (kg__model_in_stack(pointer))
        what.space = KG__LOCAL;
    if (region != NULL && region->ended_bytes > 0) {
        what.kind = KG__AFTER_FREE;
        what.size = region->ended_bytes;
    }
    kg__find(site->code, first_thread + lane, &what);
}

/* Handles a request that is not within the site's last region: its lanes are in several regions,
 * or outside of all. Lanes that access no device memory are left out. */
static void take_apart(kg__site *site, unsigned int kind, unsigned int count,
                       const uint64_t *addresses, const uint8_t *lanes)
{
    unsigned int bytes = kind & KG__ACCESS_BYTES;
    kg__region *region_of[WARP];

    for (unsigned int i = 0; i < count; i++) {
        kg__region *region = kg__region_at((uintptr_t)addresses[i]);
        uint64_t offset = region != NULL ? addresses[i] - region->start : 0;

        region_of[i] = region;
        if (region != NULL && region->bytes >= bytes && offset <= region->bytes - bytes)
            continue;
        region_of[i] = NULL;
        if (kg__requests.checking)
            report_outside(site, region, kind, addresses[i], lanes[i]);
    }
    for (unsigned int space = 0;
         kg__requests.counting && (kind & KG__ACCESS_ASYNC) == 0 && space < KG__SPACES; space++) {
        uint64_t mine[WARP];
        unsigned int together = 0;

        for (unsigned int i = 0; i < count; i++) {
            if (region_of[i] != NULL && region_of[i]->space == space)
                mine[together++] = addresses[i];
        }
        if (together > 0)
            count_request(site, (kg__model_space)space, kind, together, mine);
    }
    for (unsigned int i = 0; i < count; i++) {
        kg__region *region = region_of[i];
        uint32_t offsets[WARP];
        uint8_t region_lanes[WARP];
        unsigned int together = 0;

        if (region == NULL)
            continue;
        for (unsigned int other = i; other < count; other++) {
            if (region_of[other] != region)
                continue;
            region_of[other] = NULL;
            offsets[together] = (uint32_t)(addresses[other] - region->start);
            region_lanes[together++] = lanes[other];
        }
        site->region = region;
        take_together(site, region, kind, together, offsets, region_lanes);
    }
}

/* Returns the address bits that must be 0 for a kind of access. A vector of 16 bytes has the
 * same hook as a structure with 8-byte members; the hook itself checks the vector. */
static inline unsigned int alignment_mask(unsigned int kind)
{
    return (kind & ~KG__ACCESS_WRITE) == 16 ? 7 : (kind & KG__ACCESS_BYTES) - 1;
}

static void report_misaligned(const kg__site *site, unsigned int kind, unsigned int count,
                              const uint64_t *addresses, const uint8_t *lanes)
{
    unsigned int bytes = kind & KG__ACCESS_BYTES;

    for (unsigned int i = 0; i < count; i++) {
        kg__finding what;

        if ((addresses[i] & alignment_mask(kind)) == 0)
            continue;
        what = kg__finding_misaligned((uintptr_t)addresses[i], bytes, bytes, kg__access_of(kind));
        kg__find(site->code, first_thread + lanes[i], &what);
    }
}

/* Handles events of lanes that are not accesses. */
static void take_note(unsigned int kind, unsigned int count, const uint64_t *addresses,
                      const uint8_t *lanes)
{
    for (unsigned int i = 0; i < count; i++) {
        kg__region *region;

        if ((kind & (KG__ACCESS_RELEASE | KG__ACCESS_ACQUIRE)) != 0) {
            kg__model_barrier_object *object = (void *)(uintptr_t)addresses[i];

            if ((kind & KG__ACCESS_ACQUIRE) != 0)
                kg__order_wait(object, first_thread + lanes[i]);
            else
                kg__order_arrive(object, (kind & KG__ACCESS_BYTES) != 0, first_thread + lanes[i]);
            continue;
        }
        if ((kind & KG__ACCESS_ASYNC) == 0 &&
            (addresses[i] == KG__FENCE_OF_PROXY || addresses[i] == KG__FENCE_OF_PROXY_GLOBAL)) {
            kg__order_fence_proxy(first_thread + lanes[i],
                                  addresses[i] == KG__FENCE_OF_PROXY_GLOBAL);
            continue;
        }
        if ((kind & KG__ACCESS_ASYNC) == 0) {
            kg__order_fence(first_thread + lanes[i], addresses[i] != KG__FENCE_OF_BLOCK);
            continue;
        }
        region = kg__region_at((uintptr_t)addresses[i]);
        if (region != NULL && addresses[i] - region->start < region->bytes)
            kg__shadow_copied(region, (uint32_t)(addresses[i] - region->start),
                              kind & KG__ACCESS_BYTES, first_thread + lanes[i],
                              kind & ~KG__ACCESS_BYTES, NULL);
    }
}

KG__OF_VECTORS void kg__request_take(uintptr_t code, unsigned int kind, unsigned int count,
                                     const uint64_t *addresses, const uint8_t *lanes)
{
    kg__site *site;
    kg__region *region;
    unsigned int bytes = kind & KG__ACCESS_BYTES;
    uint64_t last;
    uint32_t offsets[WARP];
    uint64_t alignment = 0;
    uint64_t outside = 0;

    if (lanes == NULL)
        lanes = every_lane;
    if (__builtin_expect((kind & KG__ACCESS_NOTE) != 0, 0)) {
        if (addresses[0] == KG__FENCE_OF_LAUNCH) {
            kg__regions_await(first_thread / WARP);
            return;
        }
        if (kg__requests.counting && (kind & KG__ACCESS_ASYNC) == 0 &&
            addresses[0] <= KG__FENCE_OF_DEVICE)
            kg__site_note(code, kind, 1);
        if (kg__requests.checking)
            take_note(kind, count, addresses, lanes);
        return;
    }
    site = kg__site_of(code);
    region = site->region;
    last = region->bytes - bytes;
    kg__requests.accesses += count;
    site->kind = kind;
    for (unsigned int i = 0; i < count; i++) {
        uint64_t offset = addresses[i] - region->start;

        offsets[i] = (uint32_t)offset;
        /* The sign bit of either is set when an offset is negative or beyond the last. */
        outside |= offset | (last - offset);
        alignment |= addresses[i];
    }
    if ((alignment & alignment_mask(kind)) != 0 && kg__requests.checking)
        report_misaligned(site, kind, count, addresses, lanes);
    if (outside >> 63 != 0 || region->bytes < bytes) {
        take_apart(site, kind, count, addresses, lanes);
        return;
    }
    if (kg__requests.counting && (kind & KG__ACCESS_ASYNC) == 0)
        count_request(site, region->space, kind, count, addresses);
    take_together(site, region, kind, count, offsets, lanes);
}
