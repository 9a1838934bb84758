/* Watching, to its edges: requests counted by hand where lanes part and meet again, sampling
 * against the whole count, the order between accesses, what the host does in between, and programs
 * that fail. The table of known defects is in defects.c. */
#include "watch_kernels.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters.h"
#include "model/model.h"
#include "model/watch.h"

#if defined(__SANITIZE_ADDRESS__)
#define FAULTS_ARE_CAUGHT false /* AddressSanitizer reports them instead */
#else
#define FAULTS_ARE_CAUGHT true
#endif

#define COUNT KG__MODEL_COUNT
#define CHECK KG__MODEL_CHECK
#define BOTH (KG__MODEL_COUNT | KG__MODEL_CHECK)

typedef cudaError_t launcher(const cudaLaunchConfig_t *config, watch_data data);

static const char *const kinds[] = {
    [KG__MODEL_OUT_OF_BOUNDS] = "out of bounds",
    [KG__MODEL_NEVER_WRITTEN] = "never written",
    [KG__MODEL_RACE] = "race",
    [KG__MODEL_DIVERGENT_BARRIER] = "divergent barrier",
    [KG__MODEL_MISALIGNED] = "misaligned",
    [KG__MODEL_HOST_ACCESS] = "host access",
    [KG__MODEL_READ_ONLY] = "read-only",
};

/* All findings, for the message of a test that fails. */
static const char *findings(void)
{
    static char text[8192];
    const kg__model_report *report = kg__model_seen();
    size_t used = 0;

    snprintf(text, sizeof text, "none");
    for (size_t i = 0; i < report->finding_count && used < sizeof text; i++) {
        const kg__model_finding *one = &report->findings[i];
        int length =
            snprintf(text + used, sizeof text - used, "\n  %s: line %u: %s; %llu times",
                     kinds[one->kind], one->line, one->text, (unsigned long long)one->times);

        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

static void *device_memory(size_t bytes, const char *name)
{
    unsigned char *base = NULL;
    const size_t guard = 65536;

    cr_assert(cudaMalloc((void **)&base, bytes + 2 * guard) == cudaSuccess);
    kg__model_describe(base + guard, bytes, name, false);
    return base + guard;
}

/* a, b, numbers and bytes of `elements` each; a holds 1, 2, 3 …, the others are 0. */
static watch_data make_data(size_t elements)
{
    watch_data made = { .n = (int)elements };
    float *host = malloc(elements * sizeof *host);

    cr_assert(host != NULL);
    for (size_t i = 0; i < elements; i++)
        host[i] = (float)(i + 1);
    made.a = device_memory(elements * sizeof(float), "a");
    made.b = device_memory(elements * sizeof(float), "b");
    made.numbers = device_memory(elements * sizeof(int), "numbers");
    made.bytes = device_memory(elements, "bytes");
    cr_assert(cudaMemcpy(made.a, host, elements * sizeof *host, cudaMemcpyHostToDevice) ==
              cudaSuccess);
    cr_assert(cudaMemset(made.b, 0, elements * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(made.numbers, 0, elements * sizeof(int)) == cudaSuccess);
    cr_assert(cudaMemset(made.bytes, 0, elements) == cudaSuccess);
    free(host);
    return made;
}

static const dim3 one = { 1, 1, 1 };

static dim3 line(unsigned int x)
{
    return (dim3){ x, 1, 1 };
}

static void start(launcher *launch, dim3 grid, dim3 block, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = grid, .blockDim = block };

    cr_assert(launch(&config, data) == cudaSuccess);
}

static uint64_t counted(kg__counter counter)
{
    return kg__model_seen()->counts.value[counter];
}

static void expect_count(kg__counter counter, uint64_t expected, const char *how)
{
    cr_expect(counted(counter) == expected, "%s: %s is %llu, not %llu", how,
              kg__counter_name(counter), (unsigned long long)counted(counter),
              (unsigned long long)expected);
}

static void expect_clean(const char *how)
{
    cr_expect(kg__model_seen()->finding_count == 0, "%s: %s", how, findings());
}

/* All findings are of one kind, and one of them says `says`. */
static void expect_only(kg__model_finding_kind kind, const char *says, const char *how)
{
    const kg__model_report *report = kg__model_seen();
    bool said = false;

    for (size_t i = 0; i < report->finding_count; i++) {
        cr_expect(report->findings[i].kind == kind, "%s: %s", how, findings());
        said = said || strstr(report->findings[i].text, says) != NULL;
    }
    cr_expect(said, "%s: a finding of kind %s that says \"%s\" is missing; there are: %s", how,
              kinds[kind], says, findings());
}

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
    Test(watch, kernel)                                                                            \
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
BY_HAND(compare_and_swap_halves, .loads = 0, .stores = 0, .also = KG__GLOBAL_ATOMIC_REQUESTS,
        .also_value = 1)

Test(watch, copy_bytes)
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

Test(watch, return_from_a_loop)
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

Test(watch, blocks_of_every_size_and_shape)
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
Test(watch, traces_of_every_length)
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

Test(watch, threads_that_leave_before_a_barrier)
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

Test(watch, samples_of_lines)
{
    for (unsigned int blocks = 1; blocks < 40; blocks = blocks < 5 ? blocks + 1 : 2 * blocks) {
        grid_case row = { "line", launch_smooth_line, line(blocks), line(64), { 0 } };

        row.data.n = (int)blocks * 64 - 16;
        row.data.k = 9;
        for (uint64_t part = 2; part <= 64; part *= 2)
            compare_with_whole(&row, part);
    }
}

Test(watch, samples_of_planes, .timeout = 100)
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

Test(watch, samples_of_volumes, .timeout = 100)
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

Test(watch, samples_of_barriers_and_shuffles)
{
    grid_case row = { "barriers", launch_copy_with_barriers, line(37), line(96), { 0 } };

    row.data.n = 37 * 96 - 40;
    row.data.k = 3;
    compare_with_whole(&row, 2);
    compare_with_whole(&row, 10);
}

/* Where each class has one block, a sample is the whole, and no block is run twice. */
Test(watch, whole_grids_are_no_samples)
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

Test(watch, samples_and_whole_launches_in_turn)
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
Test(watch, what_a_sample_left_out_is_no_finding)
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
Test(watch, nothing_runs_behind_a_sample)
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
Test(watch, too_much_memory_is_held_against_its_bounds_alone)
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

Test(watch, samples_find_what_is_wrong)
{
    watch_data data;

    kg__model_watch(BOTH, 20000);
    data = make_data(64 * 1024 - 8);
    data.k = 4;
    start(launch_copy_beyond_in_the_last_block, line(1024), line(64), data);
    cr_assert(kg__model_seen()->watched < 1024);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "beyond the end of a", "the last block");
}

/* Accesses in order, and without order. */
typedef struct pair {
    const char *name;
    launcher *launch;
    unsigned int grid, block;
    const char *race; /* what the finding says, or NULL where there is to be none */
} pair;

static void order(const pair *row)
{
    for (int turns = KG__MODEL_ASCENDING; turns <= KG__MODEL_REVERSED; turns++) {
        kg__model_set_order((kg__model_order)turns);
        for (unsigned int what = CHECK; what <= BOTH; what += COUNT) {
            watch_data data;

            kg__model_watch(what, 0);
            data = make_data(1 << 14);
            start(row->launch, line(row->grid), line(row->block), data);
            if (row->race != NULL)
                expect_only(KG__MODEL_RACE, row->race, row->name);
            else
                expect_clean(row->name);
            kg__model_free_all();
        }
    }
}

#define ORDER(kernel, grid_, block_, race_)                                                        \
    Test(watch, kernel)                                                                            \
    {                                                                                              \
        order(&(const pair){ .name = #kernel,                                                      \
                             .launch = launch_##kernel,                                            \
                             .grid = (grid_),                                                      \
                             .block = (block_),                                                    \
                             .race = (race_) });                                                   \
    }

ORDER(half_warp_meets, 1, 32, NULL)
ORDER(half_warp_meets_without_the_other, 1, 32, "staged")
ORDER(order_by_way_of_a_third, 1, 32, NULL)
ORDER(no_order_by_way_of_a_third, 1, 32, "staged")
ORDER(scan_of_a_warp, 1, 96, NULL)
ORDER(butterfly_of_a_warp, 1, 96, NULL)
ORDER(tree_of_a_warp, 1, 96, NULL)
ORDER(broadcast_in_a_warp, 1, 32, NULL)
ORDER(broadcast_without_second_meeting, 1, 32, "word")
ORDER(half_warp_reads, 1, 32, NULL)
ORDER(whole_warp_reads_half_meets, 1, 32, "word")
ORDER(write_after_write, 1, 64, "staged")
ORDER(read_after_write, 1, 64, "word")
ORDER(write_after_read, 1, 64, "word")
ORDER(barriers_between, 1, 160, NULL)
ORDER(atomics_of_all, 3, 160, NULL)
ORDER(atomics_in_shared, 3, 160, NULL)
ORDER(atomic_and_plain_read, 1, 64, "numbers")
ORDER(atomic_and_plain_write, 1, 64, "numbers")
ORDER(neighbouring_bytes, 3, 129, NULL)
ORDER(neighbouring_halves, 3, 129, NULL)
ORDER(bytes_of_words, 1, 160, NULL)
ORDER(byte_and_word, 1, 160, "words")
ORDER(quads_in_shared, 1, 160, NULL)
ORDER(quads_in_shared_unordered, 1, 64, "staged")
ORDER(doubles_in_shared, 1, 160, NULL)
ORDER(in_place, 3, 160, NULL)
ORDER(in_place_shifted, 1, 64, "a + ")

/* A wide access is one. */
Test(watch, quads_never_written)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    start(launch_quads_never_written, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "reads 16 bytes at staged + 0", "quads");
    cr_expect(kg__model_seen()->findings[0].times == 8, "%s", findings());
}

/* What the host does before, between and after launches. */

Test(watch, launches_are_in_order)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(1000);
    kg__model_forget(data.b, 1000 * sizeof(float));
    start(launch_copy, line(8), line(128), data);
    start(launch_add_backwards, line(8), line(128), data);
    start(launch_add_backwards, line(8), line(128), data);
    start(launch_in_place, line(8), line(128), data);
    start(launch_copy, line(8), line(128), data);
    expect_clean("five launches");
}

Test(watch, the_host_writes_a_part)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start(launch_copy, one, line(32), data);
    expect_clean("the part that is written");
    start(launch_copy, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "a + 128", "the part that is not");
    cr_expect(kg__model_seen()->findings[0].times == 32, "%s", findings());
    cr_assert(cudaMemset(data.a, 0, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(BOTH, 0);
    start(launch_copy, one, line(64), data);
    expect_clean("all of it");
}

/* A part that begins or ends within a word. */
Test(watch, the_host_writes_bytes)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.n = 32;
    kg__model_forget(data.bytes, 32);
    cr_assert(cudaMemset(data.bytes + 3, 0, 29) == cudaSuccess);
    start(launch_copy_bytes, one, line(32), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "bytes + 0", "three bytes are not written");
    cr_expect(kg__model_seen()->findings[0].times == 3, "%s", findings());
}

Test(watch, forgets_bytes)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(32);
    data.n = 0;
    data.k = 0;
    kg__model_forget(data.bytes + 30, 2);
    start(launch_negate_bools, one, line(30), data);
    expect_clean("what is not forgotten");
    start(launch_negate_bools, one, line(32), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "bytes + 30", "what is forgotten");
    cr_expect(kg__model_seen()->findings[0].times == 2, "%s", findings());
}

Test(watch, describes_a_part)
{
    watch_data data = { .n = 32 };
    float *whole = NULL;

    kg__model_watch(BOTH, 0);
    cr_assert(cudaMalloc((void **)&whole, 4096) == cudaSuccess);
    kg__model_describe(whole + 16, 32 * sizeof(float), "inner", false);
    cr_assert(cudaMemset(whole, 0, 4096) == cudaSuccess);
    data.a = whole + 16;
    data.b = whole + 16;
    start(launch_in_place, one, line(32), data);
    expect_clean("inside");
    data.a = whole + 15;
    start(launch_in_place, one, line(32), data);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "inner - 4", "before it");
    kg__model_watch(BOTH, 0);
    data.a = whole + 17;
    start(launch_in_place, one, line(32), data);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "inner + 128", "behind it");
    kg__model_watch(BOTH, 0);
    kg__model_describe(whole, 4096, "all", true);
    cr_assert(cudaMemset(whole, 0, 4096) == cudaSuccess);
    start(launch_in_place, one, line(32), data);
    expect_only(KG__MODEL_READ_ONLY, "all + 68", "described anew");
}

/* An allocation that nobody has described has its own bounds. */
Test(watch, bounds_of_a_bare_allocation)
{
    watch_data data = { .n = 40 };

    kg__model_watch(BOTH, 0);
    cr_assert(cudaMalloc((void **)&data.a, 32 * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start(launch_in_place, one, line(64), data);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "beyond the end of allocation 1", "8 elements too many");
}

Test(watch, memory_from_before_watching)
{
    watch_data data = make_data(64);
    float *fresh = NULL;

    cr_assert(cudaMalloc((void **)&fresh, 64 * sizeof(float)) == cudaSuccess);
    data.a = fresh;
    kg__model_watch(BOTH, 0);
    start(launch_copy, one, line(64), data);
    expect_clean("what the host did before is not known");
    cr_assert(cudaMalloc((void **)&data.a, 64 * sizeof(float)) == cudaSuccess);
    start(launch_copy, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "allocation", "what it did since is");
}

Test(watch, checking_begins_anew)
{
    watch_data data;

    kg__model_watch(CHECK, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    kg__model_watch(COUNT, 0);
    cr_assert(cudaMemset(data.a, 0, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(CHECK, 0);
    start(launch_copy, one, line(64), data);
    expect_clean("the host wrote while nobody checked");
    kg__model_forget(data.a, 64 * sizeof(float));
    kg__model_watch(CHECK, 0);
    start(launch_copy, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "a + 0", "checking went on");
}

Test(watch, read_before_writing)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.b, 64 * sizeof(float));
    start(launch_read_before_writing, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "b + 0", "an output that is added to");
    cr_expect(kg__model_seen()->findings[0].times == 64, "%s", findings());
}

Test(watch, half_is_written)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.b, 64 * sizeof(float));
    start(launch_write_first_half, one, line(64), data);
    data.a = data.b;
    start(launch_copy, one, line(32), data);
    expect_clean("the first half");
    start(launch_copy, one, line(64), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "b + 128", "the second half");
}

/* The host writes to managed and to pinned memory without a call. */
Test(watch, managed_and_pinned_memory)
{
    for (int kind = 0; kind < 2; kind++) {
        for (int described = 0; described < 2; described++) {
            watch_data data;

            kg__model_watch(BOTH, 0);
            data = make_data(64);
            if (kind == 0)
                cr_assert(cudaMallocManaged((void **)&data.a, 256, cudaMemAttachGlobal) ==
                          cudaSuccess);
            else
                cr_assert(cudaMallocHost((void **)&data.a, 256) == cudaSuccess);
            if (described)
                kg__model_describe(data.a, 256, "shared with the host", false);
            for (int i = 0; i < 64; i++)
                data.a[i] = 1.0f;
            start(launch_copy, one, line(64), data);
            expect_clean(kind == 0 ? "managed" : "pinned");
            kg__model_free_all();
        }
    }
}

Test(watch, device_variables)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(128);
    start(launch_fetch_from_variable, one, line(64), data);
    expect_clean("variables begin as zeros");
    start(launch_keep_in_variable, one, line(64), data);
    start(launch_fetch_from_variable, one, line(64), data);
    expect_clean("one launch after the other");
    start(launch_keep_in_variable, line(2), line(64), data);
    expect_only(KG__MODEL_RACE, "variable", "two blocks write to it");
    kg__model_watch(BOTH, 0);
    start(launch_keep_in_variable, one, line(65), data);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "float [64]", "one thread too many");
}

Test(watch, constants_are_read_only)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    start(launch_write_to_constant, one, line(32), data);
    expect_only(KG__MODEL_READ_ONLY, "constants", "a write to a constant");
}

Test(watch, constants_copied_out_are_written)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(fetch_constants(data.a) == cudaSuccess);
    start(launch_copy, one, line(32), data);
    expect_clean("what was copied");
    start(launch_copy, one, line(33), data);
    expect_only(KG__MODEL_NEVER_WRITTEN, "a + 128", "what was not");
}

Test(watch, dynamic_shared_memory_of_changing_size)
{
    static const unsigned int sizes[] = { 32, 256, 64, 1024, 31, 1 };
    cudaLaunchConfig_t config = { .gridDim = { 2, 1, 1 } };
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(1024);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        config.blockDim = line(sizes[i]);
        config.dynamicSmemBytes = sizes[i] * sizeof(float);
        config.gridDim.x = 1;
        cr_assert(launch_reverse_in_dynamic_shared(&config, data) == cudaSuccess);
        expect_clean("as much as is needed");
    }
    /* What another launch left is not written. */
    cr_assert(launch_read_dynamic_shared(&config, data) == cudaSuccess);
    expect_only(KG__MODEL_NEVER_WRITTEN, "dynamic shared memory + 0", "of a former launch");
    kg__model_watch(BOTH, 0);
    config.dynamicSmemBytes = 0;
    cr_assert(launch_read_dynamic_shared(&config, data) == cudaSuccess);
    expect_only(KG__MODEL_OUT_OF_BOUNDS, "dynamic shared memory (0 bytes)", "none at all");
}

Test(watch, another_allocation_at_the_same_address)
{
    watch_data data;
    float *first = NULL;
    int again = 0;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    for (int i = 0; i < 8; i++) {
        float *a = NULL;

        cr_assert(cudaMalloc((void **)&a, i % 2 == 0 ? 256 : 128) == cudaSuccess);
        again += a == first;
        first = a;
        kg__model_describe(a, i % 2 == 0 ? 256 : 128, i % 2 == 0 ? "even" : "odd", false);
        data.a = a;
        start(launch_copy, one, line(32), data);
        expect_only(KG__MODEL_NEVER_WRITTEN, i % 2 == 0 ? "even + 0" : "odd + 0", "fresh memory");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaMemset(a, 0, 128) == cudaSuccess);
        start(launch_copy, one, line(32), data);
        expect_clean("written memory");
        start(launch_copy, one, line(64), data);
        expect_only(i % 2 == 0 ? KG__MODEL_NEVER_WRITTEN : KG__MODEL_OUT_OF_BOUNDS, "128",
                    "beyond what is written");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaFree(a) == cudaSuccess);
    }
    cr_expect(again > 0, "no address came twice: the test says nothing");
}

/* Launches of several host threads take turns, and what the launchers themselves do meanwhile is no
 * access of a kernel. */
#define HOST_THREADS 4
#define LAUNCHES_EACH 3000

static void *launch_many(void *data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

    for (int i = 0; i < LAUNCHES_EACH; i++) {
        if (launch_in_place(&config, *(const watch_data *)data) != cudaSuccess)
            return data;
    }
    return NULL;
}

Test(watch, launches_of_several_host_threads)
{
    pthread_t threads[HOST_THREADS];
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    for (int i = 0; i < HOST_THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, launch_many, &data) == 0);
    for (int i = 0; i < HOST_THREADS; i++) {
        void *failed = NULL;

        cr_assert(pthread_join(threads[i], &failed) == 0 && failed == NULL);
    }
    expect_clean("launches of several threads");
    expect_count(KG__GLOBAL_LOAD_REQUESTS, (uint64_t)2 * HOST_THREADS * LAUNCHES_EACH,
                 "several threads");
    expect_count(KG__GLOBAL_STORE_REQUESTS, (uint64_t)2 * HOST_THREADS * LAUNCHES_EACH,
                 "several threads");
    cr_expect(kg__model_seen()->accesses == (uint64_t)128 * HOST_THREADS * LAUNCHES_EACH);
}

/* Programs that fail. Whatever a launch did before it failed is seen, and CUDA's error sticks. */

static cudaError_t start_failing(launcher *launch, unsigned int threads, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(threads) };
    cudaError_t error = launch(&config, data);
    cudaError_t again;

    cr_expect(cudaDeviceSynchronize() == error);
    kg__model_watch(BOTH, 0);
    expect_clean("watched anew");
    cr_expect(kg__model_seen()->accesses == 0);
    again = launch(&config, data);
    cr_expect(again == error, "%s, not %s", cudaGetErrorName(again), cudaGetErrorName(error));
    return error;
}

static void fail_with(launcher *launch, cudaError_t expected, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };
    cudaError_t error = launch(&config, data);

    cr_assert(error == expected, "%s, not %s", cudaGetErrorName(error), cudaGetErrorName(expected));
}

Test(watch, trap)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 40;
    fail_with(launch_trap, cudaErrorLaunchFailure, data);
    /* The first warp whole, and 9 lanes of the second. */
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 2, "trap");
    expect_count(KG__GLOBAL_STORE_REQUESTS, 2, "trap");
    cr_expect(kg__model_seen()->accesses == 82, "%llu accesses",
              (unsigned long long)kg__model_seen()->accesses);
    expect_clean("trap");
    cr_expect(start_failing(launch_trap, 64, data) == cudaErrorLaunchFailure);
}

Test(watch, failed_assert, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 40;
    fail_with(launch_failed_assert, cudaErrorAssert, data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 2, "assert");
    expect_clean("assert");
}

Test(watch, divide_by_zero, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    fail_with(launch_divide_by_zero, cudaErrorLaunchFailure, data);
    expect_clean("a division by zero");
}

Test(watch, null_pointer, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.a = NULL;
    fail_with(launch_copy, cudaErrorIllegalAddress, data);
    expect_only(KG__MODEL_HOST_ACCESS, "reads 4 bytes at 0x0", "a null pointer");
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 0, "a null pointer");
}

/* Of all pointers, what poisoned memory holds is the likeliest. */
Test(watch, wild_pointer, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;
    const uintptr_t wild = UINTPTR_MAX - 3;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    cr_assert(cudaMemcpy(data.numbers, &wild, sizeof wild, cudaMemcpyHostToDevice) == cudaSuccess);
    fail_with(launch_follow_pointer, cudaErrorIllegalAddress, data);
    expect_only(KG__MODEL_HOST_ACCESS, "reads 4 bytes at 0x", "a wild pointer");
    expect_count(KG__GLOBAL_ATOMIC_REQUESTS, 0, "a wild pointer");
}

Test(watch, deep_recursion, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.k = 10;
    start(launch_deep_recursion, one, one, data);
    expect_clean("a little recursion");
    data.k = 1 << 30;
    fail_with(launch_deep_recursion, cudaErrorHardwareStackError, data);
    expect_clean("the stack is nobody's memory");
}

Test(watch, huge_local_array, .disabled = !FAULTS_ARE_CAUGHT)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    fail_with(launch_huge_local_array, cudaErrorHardwareStackError, data);
    expect_clean("the stack is nobody's memory");
}

Test(watch, launches_that_are_refused)
{
    static const struct {
        dim3 grid, block;
        size_t dynamic;
        cudaError_t error;
    } refused[] = {
        { { 0, 1, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 0, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 0, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1025, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 1, 1, 65 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 65536, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 2147483648u, 1, 1 }, { 32, 1, 1 }, 0, cudaErrorInvalidConfiguration },
        { { 1, 1, 1 }, { 32, 1, 1 }, 49153, cudaErrorInvalidValue },
    };
    cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(32) };
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cudaLaunchConfig_t bad = { .gridDim = refused[i].grid,
                                   .blockDim = refused[i].block,
                                   .dynamicSmemBytes = refused[i].dynamic };
        cudaError_t error = launch_copy(&bad, data);

        cr_expect(error == refused[i].error, "launch %zu: %s", i, cudaGetErrorName(error));
    }
    cr_expect(launch_too_much_static_shared(&config, data) == cudaErrorInvalidKernelImage);
    cr_expect(kg__model_seen()->blocks == 0 && kg__model_seen()->accesses == 0);
    expect_clean("nothing ran");
    start(launch_copy, one, line(32), data);
    expect_count(KG__GLOBAL_LOAD_REQUESTS, 1, "after refusals");
}

/* The most that the process ever had in memory, bytes. */
static size_t peak_memory(pid_t process)
{
    char path[64];
    char text[256];
    size_t kib = 0;
    FILE *status;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    status = fopen(path, "r");
    cr_assert(status != NULL);
    while (fgets(text, sizeof text, status) != NULL) {
        if (sscanf(text, "VmHWM: %zu", &kib) == 1)
            break;
    }
    fclose(status);
    return kib * 1024;
}

/* A kernel that never ends is for whoever waits for it to stop; until then it takes no memory. */
Test(watch, endless_kernel)
{
    watch_data data;
    pid_t child;
    size_t early;
    size_t late;

    kg__model_watch(BOTH, 1000);
    data = make_data(64);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        cudaLaunchConfig_t config = { .gridDim = one, .blockDim = line(64) };

        launch_endless(&config, data);
        _exit(0);
    }
    usleep(500000);
    early = peak_memory(child);
    usleep(1000000);
    late = peak_memory(child);
    cr_expect(waitpid(child, NULL, WNOHANG) == 0, "it has ended");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect(late <= early + ((size_t)1 << 20), "from %zu to %zu bytes", early, late);
}

/* Three bytes of each pixel, so that every byte has its own shadow. */
Test(watch, memory_of_an_image, .timeout = 100)
{
    const size_t bytes = (size_t)960 * 1280 * 4;
    cudaLaunchConfig_t config = { .gridDim = { 80, 60, 1 }, .blockDim = { 16, 16, 1 } };
    watch_data data = { .n = 1280, .rows = 960 };

    kg__model_watch(BOTH, 0);
    data.bytes = device_memory(bytes, "image");
    cr_assert(cudaMemset(data.bytes, 1, bytes) == cudaSuccess);
    cr_assert(launch_image_in_place(&config, data) == cudaSuccess);
    expect_clean("an image in place");
    expect_count(KG__UNIQUE_BYTES_READ, (uint64_t)960 * 1280 * 3, "an image in place");
    expect_count(KG__UNIQUE_BYTES_WRITTEN, (uint64_t)960 * 1280 * 3, "an image in place");
    cr_log_info("peak memory %zu MiB\n", peak_memory(getpid()) >> 20);
    cr_expect(peak_memory(getpid()) < (size_t)1 << 30);
}

/* Writes a report of launches of many kinds. */
static void write_report(int to)
{
    static launcher *const all[] = {
        launch_nested_branches, launch_write_after_write,     launch_butterfly_of_a_warp,
        launch_bytes_of_words,  launch_in_place_shifted,      launch_pointer_of_two,
        launch_copy_quads,      launch_atomic_and_plain_read,
    };
    watch_data data;
    const kg__model_report *report;

    kg__model_watch(BOTH, 0);
    data = make_data(500);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        start(all[i], line(2), line(64), data);
    start(launch_copy, line(8), line(128), (watch_data){ .a = data.a, .b = data.b, .n = 600 });
    report = kg__model_seen();
    for (int i = 0; i < KG__COUNTERS; i++)
        dprintf(to, "%s %llu\n", kg__counter_name((kg__counter)i),
                (unsigned long long)report->counts.value[i]);
    for (size_t i = 0; i < report->line_count; i++)
        dprintf(to, "%u: %llu\n", report->lines[i].line,
                (unsigned long long)report->lines[i].counts.value[KG__GLOBAL_LOAD_SECTORS]);
    dprintf(to, "%s\n", findings());
    dprintf(to, "end\n");
}

static size_t report_of_another_process(bool randomised, char *text, size_t size)
{
    int ends[2];
    size_t used = 0;
    ssize_t got;
    pid_t child;

    cr_assert(pipe(ends) == 0);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        char to[16];

        snprintf(to, sizeof to, "%d", ends[1]);
        setenv("KG_TEST_REPORT_TO", to, 1);
        unsetenv("BXFI_MAP");
        personality(randomised ? 0 : ADDR_NO_RANDOMIZE);
        execl("/proc/self/exe", "test_watch", "--list", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (used < size - 1 && (got = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    waitpid(child, NULL, 0);
    return used;
}

/* Before Criterion's own main: the process that another one asks for a report. */
__attribute__((constructor(65535))) static void report_and_end(void)
{
    const char *to = getenv("KG_TEST_REPORT_TO");

    if (to == NULL)
        return;
    write_report(atoi(to));
    _exit(0);
}

Test(watch, reports_do_not_depend_on_addresses)
{
    static char first[16384];
    static char other[16384];

    report_of_another_process(false, first, sizeof first);
    cr_assert(strstr(first, "end\n") != NULL, "no report: %s", first);
    for (int i = 0; i < 5; i++) {
        report_of_another_process(true, other, sizeof other);
        cr_assert_str_eq(other, first);
    }
}
