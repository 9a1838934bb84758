/* SPDX-License-Identifier: MIT */
/* Requests counted by hand where lanes diverge and reconverge, in blocks of every size and traces
 * of every length. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/model/watch_fixture.h"

/* Kernels whose requests were counted by hand, for one warp. */
static const trial by_hand[] = {
    { "copy", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 4) },
    /* Each branch loads and stores; after them all lanes load twice and store once. */
    { "either_branch", 1, 32, REQUESTS(4, 3) },
    { "nested_branches", 1, 32, REQUESTS(6, 1) },
    /* As many as the longest loop: 100 * 31, far more than a lane's trace holds. All lanes read one
     * address. */
    { "loops_of_unequal_length", 1, 32, .k = 100, REQUESTS(3100, 1),
      ALSO(0, GLOBAL_LOAD_SECTORS, 3100) },
    /* The last lane leaves at 3 * 31, before its second load: 94 and 93. */
    { "loop_with_break", 1, 32, .k = 100, REQUESTS(187, 1) },
    { "loop_with_continue", 1, 32, .k = 200, REQUESTS(200, 1) },
    { "loop_with_branches", 1, 32, .k = 100, REQUESTS(300, 1) },
    { "nested_loops", 1, 32, .k = 100, REQUESTS(400, 1) },
    { "switch_of_four", 1, 32, REQUESTS(4, 1) },
    { "lambda_called_twice", 1, 32, .k = 100, REQUESTS(200, 1) },
    /* The longest of the odd lanes, 3100, one of all, then the longest of the even ones, 3000. */
    { "meet_after_long_work", 1, 32, .k = 100, REQUESTS(6101, 1) },
    { "short_circuit", 1, 32, REQUESTS(2, 1) },
    { "pointer_of_two", 1, 32, REQUESTS(1, 1) },
    { "pointer_to_shared_or_global", 1, 32, REQUESTS(1, 1), ALSO(0, SHARED_STORE_REQUESTS, 2) },
    { "one_lane_works", 1, 32, .k = 1000, REQUESTS(1001, 1) },
    { "warp_sync_in_a_loop", 1, 32, .k = 100, REQUESTS(200, 1) },
    /* What is not a vector is copied word by word, or byte by byte where it is not aligned. */
    { "copy_triples", 1, 32, REQUESTS(3, 3), ALSO(0, GLOBAL_LOAD_SECTORS, 36) },
    { "copy_packed", 1, 32, REQUESTS(4, 1) },
    { "copy_sixteen_bytes", 1, 32, REQUESTS(4, 4) },
    { "copy_four_bytes", 1, 32, REQUESTS(1, 1) },
    { "copy_twenty_bytes", 1, 32, REQUESTS(5, 5) },
    { "fill_shared_bytes", 1, 32, REQUESTS(0, 1), ALSO(0, SHARED_STORE_REQUESTS, 3) },
    { "copy_some_bytes", 1, 32, .k = 5, REQUESTS(5, 5) },
    { "move_some_bytes", 1, 32, .k = 5, REQUESTS(5, 5) },
    { "set_some_bytes", 1, 32, .k = 5, REQUESTS(0, 5) },
    { "store_by_math_functions", 1, 32, REQUESTS(1, 6), ALSO(0, SHARED_STORE_REQUESTS, 1) },
    { "copy_volatile", 1, 32, REQUESTS(2, 1) },
    { "copy_hinted", 1, 32, REQUESTS(1, 1) },
    { "copy_quads", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_STORE_SECTORS, 16) },
    { "negate_bools", 1, 32, REQUESTS(1, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 1) },
    { "copy_by_way_of_local", 1, 32, .k = 3, REQUESTS(8, 8) },
    { "copy_unsanitized", 1, 32, REQUESTS(1, 1) },
    { "compare_and_swap_halves", 1, 32, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 1) },
};

Test(watch_counts, by_hand)
{
    try_each(by_hand, LENGTH(by_hand), COUNT, BOTH, 1 << 16);
}

/* A load of a constant costs each of its words, however many lanes share them. */
Test(watch_counts, words_of_constants)
{
    static const struct {
        const char *name;
        uint64_t words; /* of one lane's load */
    } kinds[] = { { "load_constant_words", 1 },
                  { "load_constant_doubles", 2 },
                  { "load_constant_quads", 4 } };

    for (size_t i = 0; i < LENGTH(kinds); i++) {
        watch_data data = make_data(1 << 10);

        for (data.k = 1; data.k <= 8; data.k++) {
            kg__model_watch(BOTH, 0);
            start(kinds[i].name, single, line(32), data);
            expect_count(KG__CONSTANT_LOAD_REQUESTS, 1, kinds[i].name);
            expect_count(KG__CONSTANT_LOAD_WORDS, (uint64_t)data.k * kinds[i].words, kinds[i].name);
            expect_clean(kinds[i].name);
        }
    }
}

/* Blocks and threads are those launched, in a sampled launch too. */
Test(watch_counts, the_busiest_block_and_warp)
{
    watch_data data;

    for (unsigned int what = COUNT; what <= BOTH; what += CHECK) {
        kg__model_watch(what, 0);
        data = make_data(1 << 12);
        start("copy_grid_stride", line(16), line(64), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 128, "16 blocks");
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 16, "16 blocks");
        expect_count(KG__BUSIEST_WARP_REQUESTS, 8, "16 blocks");
        start("copy_grid_stride", single, line(64), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 256, "and one");
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 16 + 256, "and one");
        expect_count(KG__BUSIEST_WARP_REQUESTS, 8 + 128, "and one");
        expect_count(KG__BLOCKS, 17, "and one");
        expect_count(KG__THREADS, 17 * 64, "and one");
        kg__model_watch(what, 100);
        start("copy_grid_stride", line(64), line(64), data);
        cr_expect(kg__model_seen()->watched < kg__model_seen()->blocks);
        expect_count(KG__BUSIEST_WARP_REQUESTS, 2, "sampled");
        expect_count(KG__BLOCKS, 64, "sampled");
        expect_count(KG__THREADS, 64 * 64, "sampled");
        /* The blocks after the 32nd have nothing to do. */
        kg__model_watch(what, 0);
        data.n = 2047;
        start("copy_grid_stride", line(48), line(64), data);
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 4, "uneven");
    }
}

Test(watch_counts, shared_memory_of_a_block)
{
    watch_data data = make_data(1 << 10);

    kg__model_watch(COUNT, 0);
    start("copy", line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 0, "none");
    start("pointer_to_shared_or_global", line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float), "an array");
    cr_assert(launch("pointer_to_shared_or_global", line(2), line(32), 1000, data) == cudaSuccess);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float) + 1000, "dynamic too");
    start("copy", line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float) + 1000, "the most of all");
}

Test(watch_counts, launches)
{
    cudaLaunchConfig_t bad = { .gridDim = single, .blockDim = line(2048) };
    watch_data data = make_data(1 << 12);

    kg__model_watch(COUNT, 0);
    expect_count(KG__LAUNCHES, 0, "none yet");
    start("copy_grid_stride", line(16), line(64), data);
    cr_assert(kernel("copy_grid_stride")(&bad, data) != cudaSuccess);
    cr_assert(cudaMemset(data.b, 0, 64) == cudaSuccess);
    expect_count(KG__LAUNCHES, 1, "not a launch that is refused, and not a fill");
    data.n = 0;
    start("copy_grid_stride", single, single, data);
    expect_count(KG__LAUNCHES, 2, "one that does nothing");
    /* Of a launch that is sampled, few blocks are run. */
    kg__model_watch(COUNT, 100);
    data.n = 1 << 12;
    start("copy_grid_stride", line(64), line(64), data);
    cr_expect(kg__model_seen()->watched < kg__model_seen()->blocks);
    expect_count(KG__LAUNCHES, 1, "sampled");
    for (size_t i = 0; i < kg__model_seen()->line_count; i++)
        cr_expect(kg__model_seen()->lines[i].counts.value[KG__LAUNCHES] == 0);
}

Test(watch_counts, copies_and_fills)
{
    watch_data data = make_data(1 << 10);
    float host[16] = { 0 };

    kg__model_watch(COUNT, 0);
    expect_count(KG__COPIED_BYTES, 0, "forgotten");
    cr_assert(cudaMemcpy(data.a, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
    expect_count(KG__COPIED_BYTES, 64, "a copy");
    cr_assert(cudaMemcpyAsync(data.b, data.a, 1024, cudaMemcpyDeviceToDevice, NULL) == cudaSuccess);
    cr_assert(cudaMemset(data.bytes, 1, 100) == cudaSuccess);
    expect_count(KG__COPIED_BYTES, 64 + 1024 + 100, "and a fill");
    cr_assert(cudaMemset(data.bytes, 1, 1 << 20) != cudaSuccess);
    cr_assert(cudaMemset(data.bytes, 1, 0) == cudaSuccess);
    expect_count(KG__COPIED_BYTES, 64 + 1024 + 100, "none that fails");
    kg__model_watch(0, 0);
    cr_assert(cudaMemset(data.bytes, 1, 100) == cudaSuccess);
    expect_count(KG__COPIED_BYTES, 0, "not watched");
}

Test(watch_counts, return_from_a_loop)
{
    static float rows[32][40];
    watch_data data = watch_both(1 << 16);

    data.k = 40;
    for (int i = 0; i < 32; i++)
        rows[i][i] = -1.0f;
    cr_assert(cudaMemcpy(data.a, rows, sizeof rows, cudaMemcpyHostToDevice) == cudaSuccess);
    start("return_from_a_loop", single, line(32), data);
    expect_requests(32, 1, "return from a loop");
    expect_clean("return from a loop");
}

Test(watch_counts, blocks_of_every_size_and_shape)
{
    static const struct {
        dim3 block;
        uint64_t requests;
    } shapes[] = { { { 1, 1, 1 }, 1 },    { { 31, 1, 1 }, 1 },    { { 32, 1, 1 }, 1 },
                   { { 33, 1, 1 }, 2 },   { { 1023, 1, 1 }, 32 }, { { 1024, 1, 1 }, 32 },
                   { { 33, 3, 1 }, 4 },   { { 5, 5, 5 }, 4 },     { { 1, 1, 64 }, 2 },
                   { { 1, 1024, 1 }, 32 } };

    for (size_t i = 0; i < LENGTH(shapes); i++) {
        dim3 block = shapes[i].block;
        unsigned int threads = block.x * block.y * block.z;
        char how[64];

        snprintf(how, sizeof how, "%u x %u x %u", block.x, block.y, block.z);
        start("copy_by_linear_thread", single, block, watch_both(threads));
        expect_requests(shapes[i].requests, shapes[i].requests, how);
        expect_count(KG__GLOBAL_LOAD_SECTORS, (threads + 7) / 8, how);
        expect_count(KG__UNIQUE_BYTES_READ, 4 * (uint64_t)threads, how);
        cr_expect(kg__model_seen()->accesses == 2 * (uint64_t)threads);
        cr_expect(kg__model_seen()->blocks == 1 && kg__model_seen()->watched == 1);
        expect_clean(how);
    }
}

/* Wherever the ends of loops are in a lane's trace. */
Test(watch_counts, traces_of_every_length)
{
    watch_data data = make_data(1 << 16);

    for (data.k = 1; data.k <= 130; data.k++) {
        char how[64];

        snprintf(how, sizeof how, "%d times", data.k);
        kg__model_watch(COUNT, 0);
        start("loops_of_unequal_length", single, line(32), data);
        expect_requests(31 * (uint64_t)data.k, 1, how);
        kg__model_watch(COUNT, 0);
        start("one_lane_works", single, line(47), data);
        expect_requests(2 * ((uint64_t)data.k + 1), 2, how);
    }
}

Test(watch_counts, threads_that_leave_before_a_barrier)
{
    static const unsigned int sizes[] = { 33, 64, 95, 1023, 1024 };

    for (size_t i = 0; i < LENGTH(sizes); i++) {
        unsigned int warps = (sizes[i] + 31) / 32;
        char how[64];

        snprintf(how, sizeof how, "%u threads", sizes[i]);
        start("leave_before_barrier", single, line(sizes[i]), watch_both(1024));
        expect_requests(warps, warps - 1, how);
        expect_count(KG__BARRIERS, 1, how);
        expect_clean(how);
    }
}
