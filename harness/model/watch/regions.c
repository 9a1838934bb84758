/* SPDX-License-Identifier: MIT */
/* Regions of device memory, created at the first access by a request or by the host. */
#include "model/watch/regions.h"

#include "base/message.h"
#include "model/exec/clusters.h"
#include "model/exec/launch.h"

#include <stdlib.h>
#include <string.h>

kg__region *kg__regions;
kg__spans *kg__regions_early;
uint32_t kg__regions_awaited;
/* The last allocation that the host may have written unseen. */
static uint64_t last_unknown_allocation;

kg__finding kg__finding_in(kg__finding_kind kind, const kg__region *region, uint64_t offset,
                           unsigned int bytes, kg__finding_access access)
{
    static const kg__finding_space spaces[] = { [KG__MODEL_GLOBAL] = KG__GLOBAL,
                                                [KG__MODEL_SHARED] = KG__SHARED,
                                                [KG__MODEL_CONSTANT] = KG__CONSTANT };

    return (kg__finding){ .kind = kind,
                          .space = spaces[region->space],
                          .symbol = region->name,
                          .size = region->bytes,
                          .offset = (int64_t)offset,
                          .bytes = bytes,
                          .by.access = access,
                          .allocation = region->allocation };
}

kg__finding kg__finding_in_freed(const kg__model_freed *freed, uintptr_t address,
                                 unsigned int bytes, kg__finding_access access)
{
    return (kg__finding){ .kind = KG__AFTER_FREE,
                          .space = KG__GLOBAL,
                          .symbol = freed->name,
                          .size = freed->bytes,
                          .offset = (int64_t)(address - freed->start),
                          .bytes = bytes,
                          .by.access = access,
                          .allocation = freed->number };
}

kg__region *kg__region_of(const void *base)
{
    for (kg__region *region = kg__regions; region != NULL; region = region->next) {
        if (region->base == base)
            return region;
    }
    return NULL;
}

static kg__region *add(unsigned char *base, size_t size, kg__model_space space, const char *name)
{
    kg__region *region = kg__allocate(1, sizeof *region);

    *region = (kg__region){
        .base = base,
        .size = size,
        .start = (uintptr_t)base,
        .bytes = size,
        .name = name,
        .space = space,
        .between_blocks = space != KG__MODEL_SHARED || kg__exec_cluster_size() > 1,
        .granule = 4,
        .first_set = UINT32_MAX,
        .next = kg__regions,
    };
    kg__regions = region;
    return region;
}

static kg__region *of_allocation(kg__model_allocation *holder)
{
    kg__region *region = holder->region;

    if (region != NULL)
        return region;
    region = holder->region = add(holder->base, holder->size, KG__MODEL_GLOBAL, NULL);
    kg__format(region->own_name, sizeof region->own_name, "allocation %llu",
               (unsigned long long)holder->number);
    region->name = region->own_name;
    region->allocation = holder->number;
    /* The host writes to managed and pinned memory without a call, and its writes to other
     * memory before watching began are unknown. */
    if (kg__model_is_host_visible(holder) || holder->number <= last_unknown_allocation)
        region->state = KG__UPLOADED;
    return region;
}

/* Returns the region of the block's dynamic shared memory, also for addresses near it. The
 * launch sets its size. */
static kg__region *of_dynamic_shared(uintptr_t address)
{
    unsigned char *base = kg__model_dynamic_shared();
    kg__region *region;
    size_t bytes = kg__model_dynamic_bytes();

    if (base == NULL ||
        address - (uintptr_t)base + KG__MODEL_SHARED_PAGES >= 2 * KG__MODEL_SHARED_PAGES)
        return NULL;
    region = kg__region_of(base);
    if (region == NULL) {
        region = add(base, KG__MODEL_SHARED_OPTIN, KG__MODEL_SHARED, "dynamic shared memory");
        region->bytes = bytes;
    }
    return region;
}

void kg__regions_begin(void)
{
    last_unknown_allocation = kg__model_allocated_ever();
}

const kg__region *kg__regions_begin_launch(void)
{
    unsigned char *base = kg__model_dynamic_shared();
    kg__region *region = base != NULL ? kg__region_of(base) : NULL;
    size_t bytes = kg__model_dynamic_bytes();

    if (region == NULL || region->bytes == bytes)
        return NULL;
    kg__region_narrow(region, base, bytes);
    return region;
}

/* Returns the region of a shared array of another block of the cluster. */
static kg__region *of_copy(uintptr_t address)
{
    kg__cluster_array array;
    const kg__region *home;
    kg__region *region;

    if (!kg__exec_cluster_array_at(address, &array))
        return NULL;
    region = kg__region_of(array.copy);
    home = region == NULL ? kg__region_at((uintptr_t)array.home) : NULL;
    if (home == NULL)
        return region;
    region = add(array.copy, array.bytes, KG__MODEL_SHARED, NULL);
    kg__format(region->own_name, sizeof region->own_name, "map_shared_rank(%s, %u)", home->name,
               array.rank);
    region->name = region->own_name;
    region->is_copy = true;
    return region;
}

static kg__region *of_variable(uintptr_t address)
{
    const kg__model_variable *variable = kg__model_variable_near((const void *)address);
    kg__region *region;

    if (variable == NULL || variable->of_host)
        return NULL;
    region = kg__region_of(variable->base);
    if (region == NULL) {
        kg__model_widen_bounds(variable);
        region = add(variable->base, variable->size, variable->space, variable->name);
        /* A program's variables are initialized, if only with zeros. */
        region->state = variable->space == KG__MODEL_SHARED ? KG__UNTOUCHED : KG__UPLOADED;
    }
    return region;
}

kg__region *kg__region_at(uintptr_t address)
{
    kg__model_allocation *holder = kg__model_find_near((const void *)address);
    kg__region *region;

    if (holder != NULL)
        return of_allocation(holder);
    region = of_dynamic_shared(address);
    if (region == NULL)
        region = of_copy(address);
    return region != NULL ? region : of_variable(address);
}

/* Returns the last word of bits that may have one: an access has up to 16 bytes. */
static size_t last_word(const kg__region *region)
{
    const size_t last = ((size_t)region->last_set + 16) / 64;

    return last < region->bytes / 64 ? last : region->bytes / 64;
}

static void forget_bits(kg__region *region)
{
    region->first_set = UINT32_MAX;
    region->last_set = 0;
    for (int i = 0; i < KG__REGION_BITS; i++) {
        free(region->bits[i]);
        region->bits[i] = NULL;
    }
}

void kg__region_narrow(kg__region *region, const void *start, size_t bytes)
{
    region->start = (uintptr_t)start;
    region->bytes = bytes;
    region->state = KG__UNTOUCHED;
    free(region->cells);
    region->cells = NULL;
    forget_bits(region);
}

void kg__region_drop(const void *base)
{
    for (kg__region **link = &kg__regions; *link != NULL; link = &(*link)->next) {
        kg__region *region = *link;

        if (region->base != base)
            continue;
        *link = region->next;
        free(region->cells);
        forget_bits(region);
        free(region);
        return;
    }
}

/* The next launch has the same bits: to free and allocate them takes longer than a small launch. */
static void clear_bits(kg__region *region)
{
    const size_t first = region->first_set / 64;
    const size_t last = last_word(region);

    for (int i = 0; i < KG__REGION_BITS && first <= last; i++) {
        if (region->bits[i] != NULL)
            memset(region->bits[i] + 8 * first, 0, 8 * (last - first + 1));
    }
    region->first_set = UINT32_MAX;
    region->last_set = 0;
}

/* Adds the runs of set bits to the spans. */
static void add_runs(kg__spans *spans, int kind, uintptr_t start, uint64_t bits)
{
    while (bits != 0) {
        const int first = __builtin_ctzll(bits);
        const uint64_t rest = ~(bits >> first);
        const int length = rest != 0 ? __builtin_ctzll(rest) : 64;

        kg__spans_add(spans, kind, start + (uintptr_t)first, (size_t)length);
        bits &= length < 64 ? ~((((uint64_t)1 << length) - 1) << first) : 0;
    }
}

/* Adds what threads have accessed before their wait for the launch before this one. */
static void add_early(const kg__region *region)
{
    for (int how = 0; how < 2; how++) {
        const uint64_t *bits = (const uint64_t *)(void *)region->bits[KG__BITS_EARLY + how];
        const size_t last = bits != NULL ? last_word(region) : 0;

        for (size_t word = region->first_set / 64; bits != NULL && word <= last; word++)
            add_runs(kg__regions_early, how, region->start + 64 * word, bits[word]);
    }
}

/* Returns whether blocks of the launch may wait for each other. */
static bool blocks_may_meet(void)
{
    return kg__model_is_cooperative() != 0 || kg__exec_cluster_size() > 1;
}

void kg__regions_count_unique(uint64_t bytes[2], kg__spans *spans)
{
    for (kg__region *region = kg__regions; region != NULL; region = region->next) {
        const uint64_t *strong = (const uint64_t *)(void *)region->bits[KG__BITS_STRONG];
        const uint64_t *updated = (const uint64_t *)(void *)region->bits[KG__BITS_UPDATED];

        for (int i = 0; i <= KG__BITS_UPDATED; i++) {
            const uint64_t *bits = (const uint64_t *)(void *)region->bits[i];
            const size_t last = bits != NULL ? last_word(region) : 0;

            for (size_t word = region->first_set / 64; bits != NULL && word <= last; word++) {
                if (bits[word] == 0)
                    continue;
                if (region->space == KG__MODEL_GLOBAL && i != KG__BITS_UPDATED)
                    bytes[i] += (uint64_t)__builtin_popcountll(bits[word]);
                if (spans != NULL)
                    add_runs(spans, i, region->start + 64 * word,
                             bits[word] & ~(strong != NULL ? strong[word] : 0) &
                                 ~(updated != NULL && updated != bits ? updated[word] : 0));
            }
        }
        if (kg__regions_early != NULL)
            add_early(region);
        clear_bits(region);
    }
}

void kg__regions_begin_block(bool of_launch)
{
    if (of_launch || !blocks_may_meet())
        kg__regions_awaited = 0;
}

void kg__regions_await(unsigned int warp)
{
    kg__regions_awaited |= blocks_may_meet() ? UINT32_MAX : 1u << warp;
}

bool kg__found_misaligned;

kg__finding kg__finding_misaligned(uintptr_t address, unsigned int bytes, unsigned int alignment,
                                   kg__finding_access access)
{
    const bool local = kg__exec_is_local((const void *)address);
    const kg__region *region = local ? NULL : kg__region_at(address);
    kg__finding what = { .kind = KG__MISALIGNED, .bytes = bytes, .by.access = access };

    kg__found_misaligned = kg__found_misaligned || region != NULL;
    if (region != NULL)
        what = kg__finding_in(KG__MISALIGNED, region, address - region->start, bytes, access);
    else if (local)
        what.space = KG__LOCAL;
    else
        what.address = address;
    what.alignment = alignment != bytes ? alignment : 0;
    return what;
}
