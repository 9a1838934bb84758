/* Sampling against the whole count, and what a sample cannot say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/watch_fixture.h"

/* Every count of a sampled launch against that of the whole, where the blocks of a class are
 * alike. */
typedef struct grid_case {
    const char *name;
    launcher *launch;
    dim3 grid, block;
    watch_data data; /* its numbers alone */
} grid_case;

static watch_data data_of(const grid_case *one_case)
{
    watch_data data = make_data(1 << 20);

    data.n = one_case->data.n;
    data.rows = one_case->data.rows;
    data.layers = one_case->data.layers;
    data.k = one_case->data.k;
    return data;
}

static void compare_with_whole(const grid_case *one_case, uint64_t part)
{
    kg__counts whole;
    uint64_t accesses;
    uint64_t blocks;
    const kg__model_report *report;
    char how[128];

    kg__model_watch(BOTH, 0);
    start(one_case->launch, one_case->grid, one_case->block, data_of(one_case));
    report = kg__model_seen();
    whole = report->counts;
    accesses = report->accesses;
    blocks = report->blocks;
    snprintf(how, sizeof how, "%s, %u x %u x %u blocks, a %lluth", one_case->name, one_case->grid.x,
             one_case->grid.y, one_case->grid.z, (unsigned long long)part);
    cr_expect(report->watched == blocks, "%s", how);
    expect_clean(how);
    kg__model_free_all();

    kg__model_watch(BOTH, accesses / part);
    start(one_case->launch, one_case->grid, one_case->block, data_of(one_case));
    report = kg__model_seen();
    cr_expect(report->blocks == blocks, "%s", how);
    cr_expect(report->watched <= blocks, "%s", how);
    for (int i = 0; i < KG__COUNTERS; i++) {
        bool unique = i == KG__UNIQUE_BYTES_READ || i == KG__UNIQUE_BYTES_WRITTEN;

        if (unique && report->watched < blocks)
            expect_count((kg__counter)i, 0, how);
        else
            expect_count((kg__counter)i, whole.value[i], how);
    }
    expect_clean(how);
    kg__model_free_all();
}

Test(watch_samples, samples_of_lines)
{
    for (unsigned int blocks = 1; blocks < 40; blocks = blocks < 5 ? blocks + 1 : 2 * blocks) {
        grid_case row = { "line", launch_smooth_line, line(blocks), line(64), { 0 } };

        row.data.n = (int)blocks * 64 - 16;
        row.data.k = 9;
        for (uint64_t part = 2; part <= 64; part *= 2)
            compare_with_whole(&row, part);
    }
}

Test(watch_samples, samples_of_planes, .timeout = 100)
{
    for (unsigned int columns = 1; columns < 12; columns += columns < 3 ? 1 : 7) {
        for (unsigned int rows = 1; rows < 12; rows += rows < 3 ? 1 : 7) {
            grid_case row = {
                "plane", launch_smooth_plane, { columns, rows, 1 }, { 16, 8, 1 }, { 0 }
            };

            row.data.n = (int)columns * 16 - 8;
            row.data.rows = (int)rows * 8 - 3;
            row.data.k = 2;
            compare_with_whole(&row, 3);
            compare_with_whole(&row, 30);
        }
    }
}

Test(watch_samples, samples_of_volumes, .timeout = 100)
{
    for (unsigned int edge = 1; edge <= 5; edge++) {
        grid_case row = {
            "volume", launch_smooth_volume, { edge, edge, edge }, { 16, 2, 4 }, { 0 }
        };

        row.data.n = (int)edge * 16 - 8;
        row.data.rows = (int)edge * 2 - 1;
        row.data.layers = (int)edge * 4 - 2;
        row.data.k = 1;
        compare_with_whole(&row, 2);
        compare_with_whole(&row, 20);
    }
}

Test(watch_samples, samples_of_barriers_and_shuffles)
{
    grid_case row = { "barriers", launch_copy_with_barriers, line(37), line(96), { 0 } };

    row.data.n = 37 * 96 - 40;
    row.data.k = 3;
    compare_with_whole(&row, 2);
    compare_with_whole(&row, 10);
}

/* Where each class has one block, a sample is the whole, and no block is run twice. */
Test(watch_samples, whole_grids_are_no_samples)
{
    for (unsigned int blocks = 1; blocks <= 4; blocks++) {
        float first[2] = { 0 };
        watch_data data;

        kg__model_watch(BOTH, 16);
        data = make_data(4096);
        start(launch_in_place, line(blocks), line(64), data);
        cr_assert(kg__model_seen()->blocks == blocks);
        if (kg__model_seen()->watched < blocks)
            continue;
        cr_expect(blocks < 4, "4 blocks are of 3 classes");
        expect_count(KG__UNIQUE_BYTES_READ, 256 * (uint64_t)blocks, "in place");
        cr_assert(cudaMemcpy(first, data.a, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess);
        cr_expect(first[0] == 2.0f && first[1] == 4.0f, "%u blocks: a block ran more than once",
                  blocks);
        kg__model_free_all();
    }
}

Test(watch_samples, samples_and_whole_launches_in_turn)
{
    watch_data data;

    kg__model_watch(KG__MODEL_COUNT, 20000);
    data = make_data(1 << 16);
    data.k = 4;
    start(launch_smooth_line, line(1024), line(64), data);
    cr_assert(kg__model_seen()->blocks == 1024);
    cr_expect(kg__model_seen()->watched < 100);
    uint64_t sampled = kg__model_seen()->watched;

    /* The next launch is small, and counted whole: 2 warps, each a load and a store. */
    uint64_t loads = counted(KG__GLOBAL_LOAD_REQUESTS);
    uint64_t stores = counted(KG__GLOBAL_STORE_REQUESTS);

    start(launch_in_place, one, line(64), data);
    cr_expect(kg__model_seen()->blocks == 1025);
    cr_expect(kg__model_seen()->watched == sampled + 1);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, loads + 2, "after a sample");
    expect_count(KG__GLOBAL_STORE_REQUESTS, stores + 2, "after a sample");
    expect_count(KG__UNIQUE_BYTES_READ, 0, "after a sample");
    kg__model_watch(BOTH, 20000);
    start(launch_in_place, one, line(64), data);
    expect_count(KG__UNIQUE_BYTES_READ, 256, "watched anew");
}

/* What a sampled launch was to write counts as written. */
Test(watch_samples, what_a_sample_left_out_is_no_finding)
{
    watch_data data;

    kg__model_watch(BOTH, 20000);
    data = make_data(1 << 16);
    kg__model_forget(data.b, (1 << 16) * sizeof(float));
    data.k = 4;
    start(launch_smooth_line, line(1024), line(64), data);
    cr_assert(kg__model_seen()->watched < 1024);
    expect_clean("the first launch");
    kg__model_watch(BOTH, 20000);
    data.n = 1000;
    start(launch_add_backwards, line(8), line(128), data);
    cr_expect(kg__model_seen()->watched == 8);
    expect_clean("the second launch reads what the first would have written");
}

/* While checking, a launch behind a sampled one would find what is not true: it is not run. */
Test(watch_samples, nothing_runs_behind_a_sample)
{
    watch_data data;
    uint64_t sampled;

    kg__model_watch(KG__MODEL_CHECK, 20000);
    data = make_data(1 << 16);
    data.k = 4;
    start(launch_smooth_line, line(1024), line(64), data);
    sampled = kg__model_seen()->watched;
    cr_assert(sampled < 1024);
    start(launch_in_place, one, line(64), data);
    cr_expect(kg__model_seen()->watched == sampled && kg__model_seen()->blocks == 1025);
}

/* Cells of 512 MiB at most: a cell a byte for 32 MiB would be 768. */
Test(watch_samples, too_much_memory_is_held_against_its_bounds_alone)
{
    watch_data data;
    const size_t bytes = (size_t)32 << 20;
    void *large = NULL;

    kg__model_watch(KG__MODEL_CHECK, 0);
    cr_assert(cudaMalloc(&large, bytes) == cudaSuccess);
    kg__model_describe(large, bytes, "large", false);
    data = make_data(64);
    data.bytes = large;
    start(launch_neighbouring_bytes, one, line(64), data);
    cr_assert(kg__model_seen()->too_large != NULL);
    cr_expect(strcmp(kg__model_seen()->too_large, "large") == 0);
    expect_clean("a large array");
}

Test(watch_samples, samples_find_what_is_wrong)
{
    watch_data data;

    kg__model_watch(BOTH, 20000);
    data = make_data(64 * 1024 - 8);
    data.k = 4;
    start(launch_copy_beyond_in_the_last_block, line(1024), line(64), data);
    cr_assert(kg__model_seen()->watched < 1024);
    expect_only(KG__OUT_OF_BOUNDS, "at a + ", "the last block");
}
