/* Requests counted by hand where lanes part and meet again, in blocks of every size and traces of
 * every length. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/model/watch_fixture.h"

/* A kernel whose requests were counted by hand, for one warp. */
typedef struct by_hand {
    const char *name;
    launcher *launch;
    int k;
    uint64_t loads, stores; /* global requests */
    kg__counter also;       /* a counter beside, where `also_value` is not 0 */
    uint64_t also_value;
} by_hand;

static void count_by_hand(const by_hand *row)
{
    for (int order = KG__MODEL_ASCENDING; order <= KG__MODEL_REVERSED; order++) {
        watch_data data;

        kg__model_set_order((kg__model_order)order);
        for (unsigned int what = COUNT; what <= BOTH; what += CHECK) {
            kg__model_watch(what, 0);
            data = make_data(1 << 16);
            data.k = row->k;
            start(row->launch, one, line(32), data);
            expect_count(KG__GLOBAL_LOAD_REQUESTS, row->loads, row->name);
            expect_count(KG__GLOBAL_STORE_REQUESTS, row->stores, row->name);
            if (row->also_value > 0)
                expect_count(row->also, row->also_value, row->name);
            expect_clean(row->name);
            kg__model_free_all();
        }
    }
}

#define BY_HAND(kernel, ...)                                                                       \
    Test(watch_counts, kernel)                                                                     \
    {                                                                                              \
        count_by_hand(                                                                             \
            &(const by_hand){ .name = #kernel, .launch = launch_##kernel, __VA_ARGS__ });          \
    }

BY_HAND(copy, .loads = 1, .stores = 1, .also = KG__GLOBAL_LOAD_SECTORS, .also_value = 4)
/* Each branch loads and stores; after them all lanes load twice and store once. */
BY_HAND(either_branch, .loads = 4, .stores = 3)
BY_HAND(nested_branches, .loads = 6, .stores = 1)
/* As many as the longest loop: 100 * 31, far more than a lane's trace holds. All lanes read one
 * address. */
BY_HAND(loops_of_unequal_length, .k = 100, .loads = 3100, .stores = 1,
        .also = KG__GLOBAL_LOAD_SECTORS, .also_value = 3100)
BY_HAND(loops_of_unequal_length_downward, .k = 100, .loads = 3100, .stores = 1)
/* The last lane leaves at 3 * 31, before its second load: 94 and 93. */
BY_HAND(loop_with_break, .k = 100, .loads = 187, .stores = 1)
BY_HAND(loop_with_continue, .k = 200, .loads = 200, .stores = 1)
BY_HAND(loop_with_branches, .k = 100, .loads = 300, .stores = 1)
BY_HAND(nested_loops, .k = 100, .loads = 400, .stores = 1)
BY_HAND(switch_of_four, .loads = 4, .stores = 1)
BY_HAND(early_return, .loads = 2, .stores = 2)
BY_HAND(either_value, .loads = 2, .stores = 1)
BY_HAND(lambda_called_twice, .k = 100, .loads = 200, .stores = 1)
/* The longest of the odd lanes, 3100, one of all, then the longest of the even ones, 3000. */
BY_HAND(meet_after_long_work, .k = 100, .loads = 6101, .stores = 1)
BY_HAND(short_circuit, .loads = 2, .stores = 1)
BY_HAND(pointer_of_two, .loads = 1, .stores = 1)
BY_HAND(pointer_to_shared_or_global, .loads = 1, .stores = 1, .also = KG__SHARED_STORE_REQUESTS,
        .also_value = 2)
BY_HAND(one_lane_works, .k = 1000, .loads = 1001, .stores = 1)
BY_HAND(warp_sync_in_a_loop, .k = 100, .loads = 200, .stores = 1)
BY_HAND(shuffle_between, .loads = 1, .stores = 1, .also = KG__SHUFFLES, .also_value = 5)

/* What is no vector is copied word by word, or byte by byte where it is not aligned. */
BY_HAND(copy_triples, .loads = 3, .stores = 3, .also = KG__GLOBAL_LOAD_SECTORS, .also_value = 36)
BY_HAND(copy_dozens, .loads = 12, .stores = 12, .also = KG__GLOBAL_STORE_SECTORS, .also_value = 384)
BY_HAND(copy_packed, .loads = 4, .stores = 1)
BY_HAND(copy_sixteen_bytes, .loads = 4, .stores = 4)
BY_HAND(copy_some_bytes, .k = 5, .loads = 5, .stores = 5)
BY_HAND(move_some_bytes, .k = 5, .loads = 5, .stores = 5)
BY_HAND(set_some_bytes, .k = 5, .loads = 0, .stores = 5)
BY_HAND(copy_volatile, .loads = 2, .stores = 1)
BY_HAND(copy_hinted, .loads = 1, .stores = 1)
BY_HAND(copy_pairs, .loads = 1, .stores = 1, .also = KG__GLOBAL_STORE_SECTORS, .also_value = 8)
BY_HAND(copy_quads, .loads = 1, .stores = 1, .also = KG__GLOBAL_STORE_SECTORS, .also_value = 16)
BY_HAND(copy_doubles, .loads = 1, .stores = 1, .also = KG__GLOBAL_LOAD_SECTORS, .also_value = 8)
BY_HAND(negate_bools, .loads = 1, .stores = 1, .also = KG__GLOBAL_LOAD_SECTORS, .also_value = 1)
BY_HAND(copy_by_way_of_local, .k = 3, .loads = 8, .stores = 8)
BY_HAND(copy_unsanitized, .loads = 1, .stores = 1)
BY_HAND(compare_and_swap_halves, .loads = 0, .stores = 0, .also = KG__GLOBAL_ATOMIC_REQUESTS,
        .also_value = 1)

/* A load of a constant costs each of its words, however many lanes share them. */
Test(watch_counts, words_of_constants)
{
    static const struct {
        const char *name;
        launcher *launch;
        uint64_t words; /* of one lane's load */
    } kinds[] = { { "words", launch_load_constant_words, 1 },
                  { "doubles", launch_load_constant_doubles, 2 },
                  { "quads", launch_load_constant_quads, 4 } };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        watch_data data = make_data(1 << 10);

        for (data.k = 1; data.k <= 8; data.k++) {
            kg__model_watch(BOTH, 0);
            start(kinds[i].launch, one, line(32), data);
            expect_count(KG__CONSTANT_LOAD_REQUESTS, 1, kinds[i].name);
            expect_count(KG__CONSTANT_LOAD_WORDS, (uint64_t)data.k * kinds[i].words, kinds[i].name);
            expect_clean(kinds[i].name);
        }
    }
}

Test(watch_counts, copy_bytes)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(1 << 16);
    data.n = 1024;
    start(launch_copy_bytes, one, line(1024), data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 32, "bytes");
    expect_count(KG__GLOBAL_LOAD_SECTORS, 32, "bytes");
    expect_count(KG__UNIQUE_BYTES_READ, 1024, "bytes");
    expect_count(KG__UNIQUE_BYTES_WRITTEN, 1024, "bytes");
    expect_clean("bytes");
}

Test(watch_counts, the_busiest_block)
{
    watch_data data;

    for (unsigned int what = COUNT; what <= BOTH; what += CHECK) {
        kg__model_watch(what, 0);
        data = make_data(1 << 12);
        start(launch_copy_grid_stride, line(16), line(64), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 128, "16 blocks");
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 16, "16 blocks");
        start(launch_copy_grid_stride, one, line(64), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 256, "and one");
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 16 + 256, "and one");
        /* The blocks behind the 32nd have nothing to do. */
        kg__model_watch(what, 0);
        data.n = 2047;
        start(launch_copy_grid_stride, line(48), line(64), data);
        expect_count(KG__BUSIEST_BLOCK_REQUESTS, 4, "uneven");
        kg__model_free_all();
    }
}

Test(watch_counts, shared_memory_of_a_block)
{
    cudaLaunchConfig_t config = { .gridDim = line(2), .blockDim = line(32) };
    watch_data data = make_data(1 << 10);

    kg__model_watch(COUNT, 0);
    start(launch_copy, line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 0, "none");
    start(launch_pointer_to_shared_or_global, line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float), "an array");
    config.dynamicSmemBytes = 1000;
    cr_assert(launch_pointer_to_shared_or_global(&config, data) == cudaSuccess);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float) + 1000, "dynamic too");
    start(launch_copy, line(2), line(32), data);
    expect_count(KG__SHARED_BYTES, 32 * sizeof(float) + 1000, "the most of all");
}

Test(watch_counts, launches)
{
    cudaLaunchConfig_t bad = { .gridDim = one, .blockDim = line(2048) };
    watch_data data = make_data(1 << 12);

    kg__model_watch(COUNT, 0);
    expect_count(KG__LAUNCHES, 0, "none yet");
    start(launch_copy_grid_stride, line(16), line(64), data);
    expect_count(KG__LAUNCHES, 1, "one, of any grid");
    cr_assert(launch_copy_grid_stride(&bad, data) != cudaSuccess);
    cr_assert(cudaMemset(data.b, 0, 64) == cudaSuccess);
    expect_count(KG__LAUNCHES, 1, "not a launch that is refused, and not a fill");
    data.n = 0;
    start(launch_copy_grid_stride, one, one, data);
    expect_count(KG__LAUNCHES, 2, "one that does nothing");
    /* Of a launch that is sampled, few blocks are run. */
    kg__model_watch(COUNT, 100);
    data.n = 1 << 12;
    start(launch_copy_grid_stride, line(64), line(64), data);
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
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(1 << 16);
    data.k = 40;
    for (int i = 0; i < 32; i++)
        rows[i][i] = -1.0f;
    cr_assert(cudaMemcpy(data.a, rows, sizeof rows, cudaMemcpyHostToDevice) == cudaSuccess);
    start(launch_return_from_a_loop, one, line(32), data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 32, "return from a loop");
    expect_count(KG__GLOBAL_STORE_REQUESTS, 1, "return from a loop");
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

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        dim3 block = shapes[i].block;
        unsigned int threads = block.x * block.y * block.z;
        char how[64];
        watch_data data;

        snprintf(how, sizeof how, "%u x %u x %u", block.x, block.y, block.z);
        kg__model_watch(BOTH, 0);
        data = make_data(threads);
        start(launch_copy_by_linear_thread, one, block, data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, shapes[i].requests, how);
        expect_count(KG__GLOBAL_STORE_REQUESTS, shapes[i].requests, how);
        expect_count(KG__GLOBAL_LOAD_SECTORS, (threads + 7) / 8, how);
        expect_count(KG__UNIQUE_BYTES_READ, 4 * (uint64_t)threads, how);
        cr_expect(kg__model_seen()->accesses == 2 * (uint64_t)threads);
        cr_expect(kg__model_seen()->blocks == 1 && kg__model_seen()->watched == 1);
        expect_clean(how);
        kg__model_free_all();
    }
}

/* Wherever the ends of loops fall in a lane's trace. */
Test(watch_counts, traces_of_every_length)
{
    watch_data data;

    kg__model_watch(COUNT, 0);
    data = make_data(1 << 16);
    for (data.k = 1; data.k <= 130; data.k++) {
        char how[64];

        snprintf(how, sizeof how, "%d times", data.k);
        kg__model_watch(COUNT, 0);
        start(launch_loops_of_unequal_length, one, line(32), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 31 * (uint64_t)data.k, how);
        expect_count(KG__GLOBAL_STORE_REQUESTS, 1, how);
        kg__model_watch(COUNT, 0);
        start(launch_one_lane_works, one, line(47), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 2 * ((uint64_t)data.k + 1), how);
        expect_count(KG__GLOBAL_STORE_REQUESTS, 2, how);
    }
}

Test(watch_counts, threads_that_leave_before_a_barrier)
{
    static const unsigned int sizes[] = { 33, 64, 95, 1023, 1024 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        watch_data data;
        char how[64];

        snprintf(how, sizeof how, "%u threads", sizes[i]);
        kg__model_watch(BOTH, 0);
        data = make_data(1024);
        start(launch_leave_before_barrier, one, line(sizes[i]), data);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, (sizes[i] + 31) / 32, how);
        expect_count(KG__GLOBAL_STORE_REQUESTS, (sizes[i] + 31) / 32 - 1, how);
        expect_count(KG__BARRIERS, 1, how);
        expect_clean(how);
        kg__model_free_all();
    }
}
