/* SPDX-License-Identifier: MIT */
/* Cooperative groups: what each thread gets, what it costs, and what is wrong. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/each_row.h"
#include "tests/model/finding_texts.h"
#include "tests/model/group_kernels.h"
#include "tests/model/watch_fixture.h"

#define BLOCK 64
#define THREADS 128

VALUE(block_shape, i % BLOCK + 1000 * BLOCK + 1000000 * (i / BLOCK))
VALUE(tile_ranks, i % 8 + 100 * (i % BLOCK / 8) + 10000 * 8 + 8000000)
VALUE(tile_of_tile, i % 4 + 100 * (i % 32 / 4) + 10000 * 8)
VALUE(dynamic_tile, i % 16 + 1600 + 10000 * (i % 4))
VALUE(tile_shuffles, i / 16 * 16 + 3 + (i % 16 == 0 ? 100 : 0) + (i % 16 < 14 ? 2000 : 0))

static int tile_votes(int i)
{
    int votes = 0;

    for (int lane = 0; lane < 16; lane++)
        votes |= ((i / 16 * 16 + lane) % 3 == 0) << lane;
    return votes + (1 << 16) + (1 << 17);
}

VALUE(tile_match, (i % 2 == 0 ? 0x55 : 0xaa) + (0xff << 8) + (1 << 20))
VALUE(odd_lanes, i % 2 == 0 ? -1 : i % 32 / 2 + 1600)

static int odd_shuffles(int i)
{
    int rank = i % 32 / 2;

    return i % 2 == 0 ? -1
                      : i / 32 * 32 + 5 + (rank < 15 ? 200 : 0) + (rank >= 3 ? 6000 : 0) + 700000;
}

static int labels(int i)
{
    int first = i / 32 * 32;
    int rank = 0;
    int size = 0;
    int group = 0;

    for (int other = first; other < first + 32; other++) {
        rank += other < i && other % 5 == i % 5;
        size += other % 5 == i % 5;
    }
    while ((first + group) % 5 != i % 5)
        group++;
    return rank + 100 * size + 10000 * group + 500000;
}

VALUE(halves, i % 4 == 0 ? i % 32 / 4 + 800 : i % 32 - i % 32 / 4 - 1 + 2400)
VALUE(reduce_numbers, sum_from(i / 16 * 16, 16) + 10000 * 15 + 15000000)
VALUE(reduce_reals, sum_from(1, 32))
VALUE(reduce_by_function, i / 32 * 32 + 31)
VALUE(reduce_odd_lanes, i % 2 == 0 ? -1 : 16 * (i / 32 * 32) + 256)
VALUE(scan_numbers, sum_from(1, i % 8 + 1))
VALUE(scan_exclusive, sum_from(1, i % 8) + 100 * (i % 8))
VALUE(scan_reals, sum_from(1, i % 8))
VALUE(update_by_tiles, i % 16 + 100 * ((i + 1) % 16))
VALUE(store_by_tiles, (i % 16 == 0 ? sum_from(i, 16) : 0) + 1000 * (i % 16))
VALUE(one_invokes, i / 8 * 80 + (i % 8 == 0))
VALUE(shuffle_struct, 3 * (i / 32 * 32 + 7))
VALUE(grid_shape, i + 1000 * THREADS)
VALUE(swap_in_tiles, i ^ 7)
VALUE(wide_tile, sum_from(i / 64 * 64, 64) + 10000 * (i / 32 % 2) + 4000000 + 50000000)
VALUE(wide_scan, i % 64 + 1 + 100 * (i % 64) + 10000 * (i % 64 > 0 ? i % 64 - 1 : 0))
VALUE(swap_in_wide_tiles, i ^ 63)

#define ROW(name) #name, name

/* Shuffles of a warp. */
static const struct {
    const char *name;
    int (*expected)(int i);
    unsigned int shuffles;
} values[] = {
    { ROW(block_shape), 0 },
    { ROW(tile_ranks), 0 },
    { ROW(tile_of_tile), 0 },
    { ROW(dynamic_tile), 0 },
    /* Two tiles of a warp each. */
    { ROW(tile_shuffles), 8 },
    { ROW(tile_votes), 0 },
    { ROW(tile_match), 0 },
    { ROW(odd_lanes), 0 },
    { ROW(odd_shuffles), 3 },
    { ROW(labels), 0 },
    { ROW(halves), 0 },
    { ROW(reduce_numbers), 0 },
    { ROW(reduce_reals), 5 },
    { ROW(reduce_by_function), 5 },
    { ROW(reduce_odd_lanes), 5 },
    { ROW(scan_numbers), 12 },
    { ROW(scan_exclusive), 28 },
    { ROW(scan_reals), 16 },
    { ROW(update_by_tiles), 22 },
    { ROW(store_by_tiles), 0 },
    { ROW(one_invokes), 4 },
    { ROW(shuffle_struct), 2 },
    { ROW(grid_shape), 0 },
    { ROW(swap_in_tiles), 0 },
    { ROW(wide_tile), 0 },
    { ROW(wide_scan), 17 },
    { ROW(swap_in_wide_tiles), 0 },
};

Test(groups, give_each_thread_what_is_its_own)
{
    for (size_t row = 0; row < LENGTH(values) * 2; row++) {
        const char *name = values[row / 2].name;
        watch_data data = watch_in_order(row, THREADS + 1);

        start(values[row / 2].name, line(THREADS / BLOCK), line(BLOCK), data);
        for (int i = 0; i < THREADS; i++)
            cr_expect(data.numbers[i] == values[row / 2].expected(i),
                      "%s: thread %d has %d, not %d", name, i, data.numbers[i],
                      values[row / 2].expected(i));
        expect_count(KG__SHUFFLES, values[row / 2].shuffles * (THREADS / 32), name);
        expect_clean(name);
    }
}

Test(groups, of_a_tile_that_do_not_meet_race)
{
    watch_data data = watch_both(THREADS);

    data.k = 1;
    start("swap_in_tiles", line(2), line(BLOCK), data);
    expect_only(FOUND(RACE_IN_WARP, "staged", 0, 0, 0), "no tile.sync()");
}

/* Two tiles of a block, which have barriers of their own. */
Test(groups, of_several_warps_that_do_not_meet_race)
{
    watch_data data = watch_both(2 * THREADS);

    start("swap_in_wide_tiles", line(2), line(THREADS), data);
    for (int i = 0; i < 2 * THREADS; i++)
        cr_expect(data.numbers[i] == swap_in_wide_tiles(i), "thread %d", i);
    expect_clean("two tiles");
    data.k = 1;
    start("swap_in_wide_tiles", line(2), line(THREADS), data);
    expect_only(FOUND(RACE_IN_BLOCK, "staged", 0, 0, 0), "no tile.sync()");
}

Test(groups, that_update_what_others_write_race)
{
    watch_data data = watch_both(THREADS + 1);
    size_t races = 0;

    data.k = 1;
    start("update_by_tiles", line(2), line(BLOCK), data);
    for (size_t i = 0; i < kg__model_seen()->finding_count; i++) {
        kg__finding_kind kind = kg__model_seen()->findings[i].kind;

        races += kg__finding_is_race(kind) && kind != KG__MISSING_FENCE;
        cr_expect(kg__finding_is_race(kind), "%s", findings_of(kg__model_seen()));
    }
    cr_expect(races > 0, "a plain sum of an atomic");
}

static cudaError_t start_together(const char *name, dim3 grid, dim3 block, watch_data data)
{
    cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeCooperative, .val.cooperative = 1 };
    cudaLaunchConfig_t config = {
        .gridDim = grid, .blockDim = block, .attrs = &attribute, .numAttrs = 1
    };

    return kernel(name)(&config, data);
}

/* Blocks that all wait for each other, in either order, watched or not. */
Test(groups, of_a_whole_grid_meet)
{
    for (unsigned int way = 0; way < 8; way++) {
        watch_data data;

        kg__model_set_order(way % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(way / 2, 64);
        data = make_data(4 * BLOCK);
        cr_assert(start_together("reverse_by_grid", line(4), line(BLOCK), data) == cudaSuccess);
        for (int i = 0; i < 4 * BLOCK; i++)
            cr_assert(data.b[i] == (float)(4 * BLOCK - i), "b[%d] is %g", i, (double)data.b[i]);
        if ((way / 2 & COUNT) != 0)
            expect_count(KG__BARRIERS, 4 * 2, "reverse_by_grid");
        if ((way / 2 & COUNT) != 0) {
            expect_count(KG__BUSIEST_WARP_REQUESTS, 4, "two before and two after grid.sync()");
            expect_count(KG__BUSIEST_BLOCK_REQUESTS, 4 * (BLOCK / 32), "reverse_by_grid");
        }
        data.k = 3;
        data.rows = 2;
        cr_assert(launch_ring_with_pointers(line(4), line(48), data) == cudaSuccess);
        for (int i = 0; i < 4 * 48; i++)
            cr_assert(data.numbers[i] == (i + 3 * 48) % 192 + 1 + 2 * (i + 1), "numbers[%d] is %d",
                      i, data.numbers[i]);
        cr_assert(kg__model_last_launch().blocks == 4);
        expect_clean("a grid that waits");
        data = make_data(4 * BLOCK);
        cr_assert(start_together("meet_by_atomics", line(4), line(BLOCK), data) == cudaSuccess);
        for (int i = 0; i < 4 * BLOCK; i++)
            cr_assert(data.b[i] == (float)(i + 1 + 4 * BLOCK + 1), "b[%d] is %g", i,
                      (double)data.b[i]);
        expect_clean("a grid that polls");
    }
}

Test(groups, of_a_whole_grid_fit_the_device)
{
    watch_data data = watch_both(4096);
    int most = blocks_of_ring(1024, 0);

    cr_assert(most == 2 && blocks_of_ring(1024, 200 << 10) == 1 && blocks_of_ring(32, 0) == 32);
    cr_assert(blocks_of_ring(0, 0) == -1);
    data.k = 0;
    cr_assert(launch_ring_with_pointers(line(2 * 132 + 1), line(1024), data) ==
              cudaErrorCooperativeLaunchTooLarge);
}

Test(groups, of_a_grid_that_do_not_meet_race)
{
    for (unsigned int way = 0; way < 2; way++) {
        watch_data data = watch_in_order(way, 4 * BLOCK);

        data.k = 1;
        cr_assert(start_together("reverse_by_grid", line(4), line(BLOCK), data) == cudaSuccess);
        expect_only(FOUND(RACE_BETWEEN_BLOCKS, "numbers", 0, 0, 0), "no grid.sync()");
    }
}

/* Launches that fail, and what is said of it. */
static const struct {
    int k;
    bool together;
    const char *told;
} failures[] = {
    { 0, false, "grid.sync() in a launch that is not cooperative" },
    { 2, true, "waits at grid.sync() at group_kernels.cpp:" },
};

EACH_ROW(groups, of_a_grid_that_cannot_meet_fail, failures)

ParameterizedTest(const size_t *row, groups, of_a_grid_that_cannot_meet_fail)
{
    watch_data data = watch_both(4 * BLOCK);
    cudaLaunchConfig_t alone = { .gridDim = line(4), .blockDim = line(BLOCK) };

    data.k = failures[*row].k;
    cr_assert((failures[*row].together
                   ? start_together("reverse_by_grid", line(4), line(BLOCK), data)
                   : kernel("reverse_by_grid")(&alone, data)) == cudaErrorLaunchFailure);
    cr_assert(strstr(kg__model_failure(), failures[*row].told) != NULL, "%s", kg__model_failure());
}
