/* SPDX-License-Identifier: MIT */
/* Sampling against the whole count, and what a sample cannot say. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/model/watch_fixture.h"

/* A launch whose blocks of a class are alike. */
typedef struct grid_case {
    const char *kernel;
    dim3 grid, block;
    int n, rows, layers, k; /* as in watch_data */
} grid_case;

static const kg__model_report *launch_grid(const grid_case *c, uint64_t budget)
{
    watch_data data;

    kg__model_watch(BOTH, budget);
    data = make_data(1 << 20);
    data.n = c->n;
    data.rows = c->rows;
    data.layers = c->layers;
    data.k = c->k;
    start(c->kernel, c->grid, c->block, data);
    return kg__model_seen();
}

/* Every count of a sampled launch against that of the whole. */
static void compare_with_whole(const grid_case *c, uint64_t part)
{
    const kg__model_report *report = launch_grid(c, 0);
    const kg__counts whole = report->counts;
    const uint64_t accesses = report->accesses;
    const uint64_t blocks = report->blocks;
    char how[128];

    snprintf(how, sizeof how, "%u x %u x %u blocks, 1/%llu", c->grid.x, c->grid.y, c->grid.z,
             (unsigned long long)part);
    cr_expect(report->watched == blocks, "%s", how);
    expect_clean(how);

    report = launch_grid(c, accesses / part);
    cr_expect(report->blocks == blocks && report->watched <= blocks, "%s", how);
    for (int i = 0; i < KG__COUNTERS; i++) {
        bool unique = i == KG__UNIQUE_BYTES_READ || i == KG__UNIQUE_BYTES_WRITTEN;

        expect_count((kg__counter)i, unique && report->watched < blocks ? 0 : whole.value[i], how);
    }
    expect_clean(how);
}

Test(watch_samples, lines)
{
    for (int blocks = 1; blocks < 40; blocks = blocks < 5 ? blocks + 1 : 2 * blocks) {
        const grid_case row = {
            "smooth", line((unsigned int)blocks), line(64), blocks * 64 - 16, 1, 1, 9
        };

        for (uint64_t part = 2; part <= 64; part *= 2)
            compare_with_whole(&row, part);
    }
}

Test(watch_samples, planes, .timeout = 100)
{
    static const int edges[] = { 1, 2, 3, 10 };

    for (size_t i = 0; i < LENGTH(edges) * LENGTH(edges); i++) {
        const int columns = edges[i % 4];
        const int rows = edges[i / 4];
        const dim3 grid = { (unsigned int)columns, (unsigned int)rows, 1 };
        const grid_case plane = {
            "smooth", grid, { 16, 8, 1 }, columns * 16 - 8, rows * 8 - 3, 1, 2
        };

        compare_with_whole(&plane, 3);
        compare_with_whole(&plane, 30);
    }
}

Test(watch_samples, volumes, .timeout = 100)
{
    for (int edge = 1; edge <= 5; edge++) {
        const unsigned int blocks = (unsigned int)edge;
        const dim3 grid = { blocks, blocks, blocks };
        const grid_case volume = { "smooth",     grid, { 16, 2, 4 }, edge * 16 - 8, edge * 2 - 1,
                                   edge * 4 - 2, 1 };

        compare_with_whole(&volume, 2);
        compare_with_whole(&volume, 20);
    }
}

Test(watch_samples, barriers_and_shuffles)
{
    const grid_case row = { "copy_with_barriers", line(37), line(96), 37 * 96 - 40, 1, 1, 3 };

    compare_with_whole(&row, 2);
    compare_with_whole(&row, 10);
}

/* Where each class has one block, a sample is the whole, and no block is run twice. */
Test(watch_samples, whole_grids_are_not_samples)
{
    for (unsigned int blocks = 1; blocks <= 4; blocks++) {
        float first[2] = { 0 };
        watch_data data;

        kg__model_watch(BOTH, 16);
        data = make_data(4096);
        start("in_place", line(blocks), line(64), data);
        cr_assert(kg__model_seen()->blocks == blocks);
        if (kg__model_seen()->watched < blocks)
            continue;
        cr_expect(blocks < 4, "4 blocks are of 3 classes");
        expect_count(KG__UNIQUE_BYTES_READ, 256 * (uint64_t)blocks, "in place");
        cr_assert(cudaMemcpy(first, data.a, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess);
        cr_expect(first[0] == 2.0f && first[1] == 4.0f, "%u blocks: a block ran more than once",
                  blocks);
    }
}

/* Watches with this budget, and launches a grid of 1024 blocks, which is sampled. */
static watch_data sample(unsigned int what, size_t elements, const char *name)
{
    watch_data data;

    kg__model_watch(what, 20000);
    data = make_data(elements);
    kg__model_forget(data.b, elements * sizeof(float));
    data.k = 4;
    start(name, line(1024), line(64), data);
    cr_assert(kg__model_seen()->blocks == 1024 && kg__model_seen()->watched < 100);
    return data;
}

Test(watch_samples, samples_and_whole_launches_in_turn)
{
    watch_data data = sample(COUNT, 1 << 16, "smooth");
    const uint64_t sampled = kg__model_seen()->watched;
    const uint64_t loads = counted(KG__GLOBAL_LOAD_REQUESTS);
    const uint64_t stores = counted(KG__GLOBAL_STORE_REQUESTS);

    /* The next launch is small, and counted whole: 2 warps, each a load and a store. */
    start("in_place", single, line(64), data);
    cr_expect(kg__model_seen()->blocks == 1025 && kg__model_seen()->watched == sampled + 1);
    expect_requests(loads + 2, stores + 2, "after a sample");
    expect_count(KG__UNIQUE_BYTES_READ, 0, "after a sample");
    kg__model_watch(BOTH, 20000);
    start("in_place", single, line(64), data);
    expect_count(KG__UNIQUE_BYTES_READ, 256, "watched again");
}

/* What a sampled launch was to write counts as written. */
Test(watch_samples, what_a_sample_left_out_is_not_a_finding)
{
    watch_data data = sample(BOTH, 1 << 16, "smooth");

    expect_clean("the first launch");
    kg__model_watch(BOTH, 20000);
    data.n = 1000;
    start("add_backwards", line(8), line(128), data);
    cr_expect(kg__model_seen()->watched == 8);
    expect_clean("the second launch reads what the first would have written");
}

/* While checking, a launch after a sampled one would find what is not true: it is not run. */
Test(watch_samples, nothing_runs_after_a_sample)
{
    watch_data data = sample(CHECK, 1 << 16, "smooth");
    const uint64_t sampled = kg__model_seen()->watched;

    start("in_place", single, line(64), data);
    cr_expect(kg__model_seen()->watched == sampled && kg__model_seen()->blocks == 1025);
}

/* Cells of 512 MiB at most: a cell per byte of 32 MiB would be 768. */
Test(watch_samples, too_much_memory_is_held_against_its_bounds_alone)
{
    const size_t bytes = (size_t)32 << 20;
    watch_data data = make_data(64);

    kg__model_watch(CHECK, 0);
    cr_assert(cudaMalloc((void **)&data.bytes, bytes) == cudaSuccess);
    kg__model_describe(data.bytes, bytes, "large", false);
    start("neighboring_bytes", single, line(64), data);
    cr_assert(kg__model_seen()->too_large != NULL);
    cr_expect_str_eq(kg__model_seen()->too_large, "large");
    expect_clean("a large array");
}

Test(watch_samples, samples_find_what_is_wrong)
{
    (void)sample(BOTH, 64 * 1024 - 8, "copy_beyond_in_the_last_block");
    expect_only(FOUND(OUT_OF_BOUNDS, "a", 64 * 4096 - 32, 64 * 4096 - 32, 0), "the last block");
}
