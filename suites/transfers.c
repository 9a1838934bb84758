/* SPDX-License-Identifier: MIT */
/* transfers: rows x columns words, brought from where they are to where they are wanted: over the
 * bus in both directions, from page-locked memory and from memory that is not, into __constant__
 * memory, and on the GPU into shared memory. */
#include <kernelgate/kernelgate.h>
#include <string.h>

enum { FROM, TO };

kg_launcher transfers_h2d_pageable, transfers_h2d_pinned, transfers_d2h_pageable,
    transfers_d2h_pinned;
kg_launcher transfers_h2d_constant, transfers_h2d_constant_prepare, transfers_h2d_constant_collect;
kg_launcher transfers_global_to_shared, transfers_global_to_shared_collect;

/* Copies over the bus start no kernel, so that there is nothing to count. */
static const kg_variant variants[] = {
    KG_VARIANT("h2d_pageable", transfers_h2d_pageable, "host to device, from pageable memory",
               .advanced.memory = { KG_PAGEABLE, KG_DEVICE }, .advanced.clock = KG_HOST_CLOCK,
               .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("h2d_pinned", transfers_h2d_pinned, "host to device, from page-locked memory",
               .advanced.memory = { KG_PINNED, KG_DEVICE }, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("d2h_pageable", transfers_d2h_pageable, "device to host, into pageable memory",
               .advanced.memory = { KG_DEVICE, KG_PAGEABLE }, .advanced.clock = KG_HOST_CLOCK,
               .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("d2h_pinned", transfers_d2h_pinned, "device to host, into page-locked memory",
               .advanced.memory = { KG_DEVICE, KG_PINNED }, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("h2d_constant", transfers_h2d_constant,
               "host to __constant__, from page-locked memory",
               .advanced.prepare = transfers_h2d_constant_prepare,
               .advanced.collect = transfers_h2d_constant_collect,
               .advanced.memory = { KG_PINNED, KG_DEVICE }, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("global_to_shared", transfers_global_to_shared,
               "global to shared memory, 16 bytes a thread",
               .advanced.collect = transfers_global_to_shared_collect),
    KG_END,
};

/* 1x16384 fills __constant__ memory. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1),     KG_CHECKED(1, 33),    KG_CHECKED(17, 31),
    KG_CHECKED(1, 16384), KG_TIMED(8, 8),       KG_TIMED(16, 16),
    KG_TIMED(32, 32),     KG_TIMED(64, 64),     KG_TIMED(96, 96),
    KG_TIMED(128, 128),   KG_TIMED(192, 192),   KG_TIMED(384, 384),
    KG_TIMED(768, 768),   KG_COUNTED(530, 530), KG_END,
};

static int64_t elements(const kg_size *size)
{
    return kg_extent(size, 0) * kg_extent(size, 1);
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "from", KG_INT32, kg_extent(size, 0), kg_extent(size, 1));
    kg_add_argument(list, KG_OUTPUT, "to", KG_INT32, kg_extent(size, 0), kg_extent(size, 1));
}

/* Nothing is computed, and each byte moves once: bytes are those that arrive, not what is read and
 * what is written added up, so that bytes over time is the bandwidth that people speak of. */
static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = 0, .bytes = 4 * (double)elements(size) };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const int32_t *from = problem->data[FROM];

    (void)output;
    for (int64_t i = 0; i < elements(problem->size); i++) {
        expected[i] = from[i];
        tolerance[i] = 0;
    }
}

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)launch;
    if (strcmp(variant->name, "h2d_constant") == 0 && 4 * elements(size) > 64 * 1024)
        return "__constant__ memory holds 64 KiB: 128x128 words just fit";
    return NULL;
}

KG_COMPARISON(transfers, .variants = variants, .sizes = sizes, .arguments = arguments,
              .reference = reference, .work = work, .refuses = refuses);

KG_TIME_CLAIM(transfers, pinned_beats_pageable_to_device)
{
    kg_expect_speedup("h2d_pinned/768x768/-", "h2d_pageable/768x768/-", 1.2);
}

KG_TIME_CLAIM(transfers, pinned_beats_pageable_to_host)
{
    kg_expect_speedup("d2h_pinned/768x768/-", "d2h_pageable/768x768/-", 1.2);
}

/* The GPU reads its own memory at terabytes a second, the host's over a bus of tens of gigabytes.
 */
KG_TIME_CLAIM(transfers, shared_memory_is_nearer_than_the_host)
{
    kg_expect_speedup("global_to_shared/768x768/-", "h2d_pinned/768x768/-", 10);
}

/* 16 bytes a lane fill 16 sectors per request; the last warp of 530x530 words is not full. */
KG_COUNT_CLAIM(transfers, staging_fills_its_requests)
{
    kg_expect_within("global_load_sectors_per_request", "global_to_shared/530x530/-", 15.99, 16);
}

/* 280 900 words are 35 112 sectors and a half. */
KG_COUNT_CLAIM(transfers, staging_reads_each_sector_once)
{
    kg_expect_within("global_load_sectors", "global_to_shared/530x530/-", 35113, 35113);
}
