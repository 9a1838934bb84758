/* The order between accesses, and memory of every kind, with what the host does to it in between.
 */
#include <criterion/criterion.h>

#include "tests/model/finding_texts.h"
#include "tests/model/watch_fixture.h"

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
                expect_only(KG__RACE_IN_BLOCK, row->race, row->name);
            else
                expect_clean(row->name);
            kg__model_free_all();
        }
    }
}

#define ORDER(kernel, grid_, block_, race_)                                                        \
    Test(watch_memory, kernel)                                                                     \
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
Test(watch_memory, quads_never_written)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    start(launch_quads_never_written, one, line(64), data);
    expect_only(KG__NEVER_WRITTEN, "read 16 bytes at staged + 0", "quads");
    cr_expect(kg__model_seen()->findings[0].count == 8, "%s", findings_of(kg__model_seen()));
}

/* What the host does before, between and after launches. */

Test(watch_memory, launches_are_in_order)
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

Test(watch_memory, the_host_writes_a_part)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start(launch_copy, one, line(32), data);
    expect_clean("the part that is written");
    start(launch_copy, one, line(64), data);
    expect_only(KG__NEVER_WRITTEN, "a + 128", "the part that is not");
    cr_expect(kg__model_seen()->findings[0].count == 32, "%s", findings_of(kg__model_seen()));
    cr_assert(cudaMemset(data.a, 0, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(BOTH, 0);
    start(launch_copy, one, line(64), data);
    expect_clean("all of it");
}

/* A part that begins or ends within a word. */
Test(watch_memory, the_host_writes_bytes)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    data.n = 32;
    kg__model_forget(data.bytes, 32);
    cr_assert(cudaMemset(data.bytes + 3, 0, 29) == cudaSuccess);
    start(launch_copy_bytes, one, line(32), data);
    expect_only(KG__NEVER_WRITTEN, "bytes + 0", "three bytes are not written");
    cr_expect(kg__model_seen()->findings[0].count == 3, "%s", findings_of(kg__model_seen()));
}

Test(watch_memory, forgets_bytes)
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
    expect_only(KG__NEVER_WRITTEN, "bytes + 30", "what is forgotten");
    cr_expect(kg__model_seen()->findings[0].count == 2, "%s", findings_of(kg__model_seen()));
}

Test(watch_memory, describes_a_part)
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
    expect_only(KG__OUT_OF_BOUNDS, "inner - 4", "before it");
    kg__model_watch(BOTH, 0);
    data.a = whole + 17;
    start(launch_in_place, one, line(32), data);
    expect_only(KG__OUT_OF_BOUNDS, "inner + 128", "behind it");
    kg__model_watch(BOTH, 0);
    kg__model_describe(whole, 4096, "all", true);
    cr_assert(cudaMemset(whole, 0, 4096) == cudaSuccess);
    start(launch_in_place, one, line(32), data);
    expect_only(KG__READ_ONLY, "all + 68", "described anew");
}

/* An allocation that nobody has described has its own bounds. */
Test(watch_memory, bounds_of_a_bare_allocation)
{
    watch_data data = { .n = 40 };

    kg__model_watch(BOTH, 0);
    cr_assert(cudaMalloc((void **)&data.a, 32 * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start(launch_in_place, one, line(64), data);
    expect_only(KG__OUT_OF_BOUNDS, "allocation 1 + 128", "8 elements too many");
}

Test(watch_memory, memory_from_before_watching)
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
    expect_only(KG__NEVER_WRITTEN, "allocation", "what it did since is");
}

Test(watch_memory, checking_begins_anew)
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
    expect_only(KG__NEVER_WRITTEN, "a + 0", "checking went on");
}

Test(watch_memory, read_before_writing)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.b, 64 * sizeof(float));
    start(launch_read_before_writing, one, line(64), data);
    expect_only(KG__NEVER_WRITTEN, "b + 0", "an output that is added to");
    cr_expect(kg__model_seen()->findings[0].count == 64, "%s", findings_of(kg__model_seen()));
}

Test(watch_memory, half_is_written)
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
    expect_only(KG__NEVER_WRITTEN, "b + 128", "the second half");
}

/* The host writes to managed and to pinned memory without a call. */
Test(watch_memory, managed_and_pinned_memory)
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

Test(watch_memory, device_variables)
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
    expect_only(KG__RACE_IN_BLOCK, "variable", "two blocks write to it");
    kg__model_watch(BOTH, 0);
    start(launch_keep_in_variable, one, line(65), data);
    expect_only(KG__OUT_OF_BOUNDS, "float [64]", "one thread too many");
}

Test(watch_memory, constants_are_read_only)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    start(launch_write_to_constant, one, line(32), data);
    expect_only(KG__READ_ONLY, "constants", "a write to a constant");
}

Test(watch_memory, constants_copied_out_are_written)
{
    watch_data data;

    kg__model_watch(BOTH, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(fetch_constants(data.a) == cudaSuccess);
    start(launch_copy, one, line(32), data);
    expect_clean("what was copied");
    start(launch_copy, one, line(33), data);
    expect_only(KG__NEVER_WRITTEN, "a + 128", "what was not");
}

Test(watch_memory, dynamic_shared_memory_of_changing_size)
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
    expect_only(KG__NEVER_WRITTEN, "dynamic shared memory + 0", "of a former launch");
    kg__model_watch(BOTH, 0);
    config.dynamicSmemBytes = 0;
    cr_assert(launch_read_dynamic_shared(&config, data) == cudaSuccess);
    expect_only(KG__OUT_OF_BOUNDS, "dynamic shared memory + 0 of 0", "none at all");
}

/* Frees so much that what was freed before is no longer remembered. */
static void let_go_of_freed_addresses(void)
{
    for (int i = 0; i < 64; i++) {
        void *other = NULL;

        cr_assert(cudaMalloc(&other, 128) == cudaSuccess && cudaFree(other) == cudaSuccess);
    }
}

Test(watch_memory, another_allocation_at_the_same_address)
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
        expect_only(KG__NEVER_WRITTEN, i % 2 == 0 ? "even + 0" : "odd + 0", "fresh memory");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaMemset(a, 0, 128) == cudaSuccess);
        start(launch_copy, one, line(32), data);
        expect_clean("written memory");
        start(launch_copy, one, line(64), data);
        expect_only(i % 2 == 0 ? KG__NEVER_WRITTEN : KG__OUT_OF_BOUNDS, "128",
                    "beyond what is written");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaFree(a) == cudaSuccess);
        let_go_of_freed_addresses();
    }
    cr_expect(again > 0, "no address came twice: the test says nothing");
}
