/* SPDX-License-Identifier: MIT */
/* The order between accesses, and memory of every kind, with what the host does to it in between.
 */
#include <criterion/criterion.h>

#include "tests/model/finding_texts.h"
#include "tests/model/watch_fixture.h"

/* Accesses in order, and without order. */
static const trial pairs[] = {
    { "half_warp_meets", 1, 32, CLEAN },
    { "half_warp_meets_without_the_other", 1, 32, RACES(IN_BLOCK, "staged") },
    { "order_by_way_of_a_third", 1, 32, CLEAN },
    { "no_order_by_way_of_a_third", 1, 32, RACES(IN_BLOCK, "staged") },
    { "scan_of_a_warp", 1, 96, CLEAN },
    { "butterfly_of_a_warp", 1, 96, CLEAN },
    { "tree_of_a_warp", 1, 96, CLEAN },
    { "broadcast_in_a_warp", 1, 32, CLEAN },
    { "broadcast_without_second_meeting", 1, 32, RACES(IN_BLOCK, "word") },
    { "half_warp_reads", 1, 32, CLEAN },
    { "whole_warp_reads_half_meets", 1, 32, RACES(IN_BLOCK, "word") },
    { "write_after_write", 1, 64, RACES(IN_BLOCK, "staged") },
    { "barriers_between", 1, 160, CLEAN },
    { "atomic_and_plain_read", 1, 64, RACES(IN_BLOCK, "numbers") },
    { "atomic_and_plain_write", 1, 64, RACES(IN_BLOCK, "numbers") },
    { "neighboring_bytes", 3, 129, CLEAN },
    { "neighboring_halves", 3, 129, CLEAN },
    { "bytes_of_words", 1, 160, CLEAN },
    { "byte_and_word", 1, 160, RACES(IN_BLOCK, "words") },
    { "quads_in_shared", 1, 160, CLEAN },
    { "quads_in_shared_unordered", 1, 64, RACES(IN_BLOCK, "staged") },
    { "doubles_in_shared", 1, 160, CLEAN },
    { "in_place", 3, 160, CLEAN },
    { "in_place_shifted", 1, 64, RACES(IN_BLOCK, "a") },
    { "in_place_shifted_by_rows", 1, 32, RACES(IN_BLOCK, "a") },
    { "two_of_three_readers_update", 1, 32, RACES(IN_BLOCK, "a") },
    { "read_before_an_ordered_write", 1, 32, WRONG(NEVER_WRITTEN, .symbol = "word") }
};

Test(watch_memory, races_are_accesses_without_order)
{
    try_each(pairs, LENGTH(pairs), CHECK, BOTH, 1 << 14);
}

/* Idioms of atomics, fences, flags and shuffles, each right, or wrong in one way at one symbol. */
static const trial idioms[] = {
    { "compare_and_swap_loop", 3, 96, CLEAN },
    { "compare_and_swap_loop_in_shared", 2, 96, CLEAN },
    { "compare_and_swap_and_a_look", 2, 96, WRONG(RACE_IN_BLOCK, .symbol = "b") },
    { "lock_of_all_threads", 3, 96, CLEAN },
    { "lock_of_warps", 3, 96, CLEAN },
    { "lock_of_warps_whose_lanes_read", 1, 96, CLEAN },
    { "lock_of_blocks", 3, 96, CLEAN },
    { "lock_of_warps_not_acquired", 3, 96,
      WRONG(MISSING_FENCE, .symbol = "b", .lacks_acquire = true) },
    { "lock_of_warps_without_fence", 1, 96, WRONG(MISSING_FENCE, .symbol = "b") },
    { "lock_of_blocks_without_fence", 3, 96, WRONG(MISSING_FENCE, .symbol = "b") },
    { "two_locks_by_exchange", 1, 64, CLEAN },
    { "two_locks_by_comparison", 1, 64, CLEAN },
    { "two_locks_by_release", 1, 64, CLEAN },
    { "two_locks_by_exchange_not_acquired", 1, 64,
      WRONG(MISSING_FENCE, .symbol = "b", .lacks_acquire = true) },
    { "two_locks_by_release_not_acquired", 1, 64,
      WRONG(MISSING_FENCE, .symbol = "b", .lacks_acquire = true) },
    { "tickets_of_warps", 3, 96, CLEAN, .in_order = true },
    { "sum_by_the_second", 3, 96, CLEAN, .in_order = true },
    { "sum_by_the_second_not_acquired", 1, 32, RACES(IN_WARP, "b"), .in_order = true },
    { "fence_behind_the_unlock", 3, 32, WRONG(MISSING_FENCE, .symbol = "b") },
    { "other_locks", 4, 33, WRONG(RACE_BETWEEN_BLOCKS, .symbol = "b") },
    { "last_block_does_not_acquire", 4, 96,
      WRONG(MISSING_FENCE, .symbol = "parts", .lacks_acquire = true) },
    { "look_at_a_maximum", 4, 32, CLEAN },
    { "plain_look_at_a_maximum", 4, 32, WRONG(RACE_BETWEEN_BLOCKS, .symbol = "numbers") },
    { "zeroed_by_each_block", 3, 96, CLEAN },
    { "zeroed_by_the_last_block", 3, 96, CLEAN },
    { "zeroed_by_one_block", 3, 96, WRONG(RACE_BETWEEN_BLOCKS, .symbol = "numbers") },
    { "zeroed_without_barrier", 3, 96, WRONG(RACE_IN_BLOCK, .symbol = "numbers") },
    { "shuffle_in_half_a_warp", 1, 32, CLEAN },
    { "shuffle_outside_the_mask", 1, 32,
      WRONG(SHUFFLE_OUTSIDE, .has_index = true, .index = 20, .count = 1) },
    { "shuffle_from_ended_lanes", 1, 32,
      WRONG(SHUFFLE_OUTSIDE, .has_index = true, .index = 24, .count = 8) },
    { "look_back_by_flags", 9, 32, .in_order = true },
    { "look_back_without_fence", 9, 32, .in_order = true, WRONG(MISSING_FENCE, .symbol = "b") },
};

Test(watch_memory, idioms_are_right_or_wrong_in_one_way)
{
    try_each(idioms, LENGTH(idioms), CHECK, BOTH, 1 << 10);
}

/* A race with several readers names the line where others read, not the writer's own. */
Test(watch_memory, others_read_at_another_line)
{
    const kg__finding *found;

    start("update_of_what_others_read", single, line(32), watch_both(64));
    expect_only(FOUND(RACE_IN_BLOCK, "numbers", 0, 0, 0), "an update");
    found = &kg__model_seen()->findings[0];
    cr_expect(found->other.access == KG__READ && found->other.line + 2 == found->by.line, "%u, %u",
              found->other.line, found->by.line);
}

/* A barrier cures the race within the block alone: the one between blocks is a finding of its own.
 */
Test(watch_memory, a_line_races_in_its_block_and_between_blocks)
{
    unsigned int in_block = 0;
    unsigned int between = 0;

    start("update_of_what_others_read", line(3), line(64), watch_both(192));
    expect_only(FOUND(RACE_IN_BLOCK, "numbers", 0, 0, 0), "an update");
    for (size_t i = 0; i < kg__model_seen()->finding_count; i++) {
        const kg__finding *found = &kg__model_seen()->findings[i];

        if (found->by.access == KG__READ && found->kind == KG__RACE_BETWEEN_BLOCKS)
            between = found->by.line;
        else if (found->by.access == KG__READ)
            in_block = found->by.line;
    }
    cr_expect(in_block > 0 && in_block == between, "%s", findings_of(kg__model_seen()));
}

/* A wide access is one access. */
Test(watch_memory, quads_never_written)
{
    start("quads_never_written", single, line(64), watch_both(64));
    expect_only(FOUND(NEVER_WRITTEN, "staged", 0, 16384, 8), "quads");
    cr_expect(kg__model_seen()->findings[0].bytes == 16);
}

/* What the host does before, between and after launches. */

Test(watch_memory, launches_are_in_order)
{
    static const char *const launches[] = { "copy", "add_backwards", "add_backwards", "in_place",
                                            "copy" };
    watch_data data = watch_both(1000);

    kg__model_forget(data.b, 1000 * sizeof(float));
    for (size_t i = 0; i < LENGTH(launches); i++)
        start(launches[i], line(8), line(128), data);
    expect_clean("five launches");
}

Test(watch_memory, the_host_writes_a_part)
{
    watch_data data = watch_both(64);

    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start("copy", single, line(32), data);
    expect_clean("the part that is written");
    start("copy", single, line(64), data);
    expect_only(FOUND(NEVER_WRITTEN, "a", 128, 256, 32), "the part that is not");
    cr_assert(cudaMemset(data.a, 0, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(BOTH, 0);
    start("copy", single, line(64), data);
    expect_clean("all of it");
}

/* A part that begins or ends within a word. */
Test(watch_memory, parts_of_words_are_written_and_forgotten)
{
    watch_data data = watch_both(64);

    data.n = 32;
    kg__model_forget(data.bytes, 32);
    cr_assert(cudaMemset(data.bytes + 3, 0, 29) == cudaSuccess);
    start("copy_bytes", single, line(32), data);
    expect_only(FOUND(NEVER_WRITTEN, "bytes", 0, 64, 3), "the host wrote all but three");
    kg__model_watch(BOTH, 0);
    kg__model_forget(data.bytes + 30, 2);
    cr_assert(cudaMemset(data.bytes, 0, 30) == cudaSuccess);
    start("negate_bools", single, line(30), data);
    expect_clean("what is not forgotten");
    start("negate_bools", single, line(32), data);
    expect_only(FOUND(NEVER_WRITTEN, "bytes", 30, 64, 2), "what is forgotten");
}

Test(watch_memory, describes_a_part)
{
    watch_data data = { .n = 32 };
    float *whole = NULL;

    kg__model_watch(BOTH, 0);
    cr_assert(cudaMalloc((void **)&whole, 4096) == cudaSuccess);
    kg__model_describe(whole + 16, 32 * sizeof(float), "inner", false);
    cr_assert(cudaMemset(whole, 0, 4096) == cudaSuccess);
    data.a = data.b = whole + 16;
    start("in_place", single, line(32), data);
    expect_clean("inside");
    data.a = whole + 15;
    start("in_place", single, line(32), data);
    expect_only(FOUND(OUT_OF_BOUNDS, "inner", -4, 128, 0), "before it");
    kg__model_watch(BOTH, 0);
    data.a = whole + 17;
    start("in_place", single, line(32), data);
    expect_only(FOUND(OUT_OF_BOUNDS, "inner", 128, 128, 0), "after it");
    kg__model_watch(BOTH, 0);
    kg__model_describe(whole, 4096, "all", true);
    cr_assert(cudaMemset(whole, 0, 4096) == cudaSuccess);
    start("in_place", single, line(32), data);
    expect_only(FOUND(READ_ONLY, "all", 68, 4096, 0), "described again");
}

/* An allocation that is not described has its own bounds. */
Test(watch_memory, bounds_of_a_bare_allocation)
{
    watch_data data = { .n = 40 };

    kg__model_watch(BOTH, 0);
    cr_assert(cudaMalloc((void **)&data.a, 32 * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(data.a, 0, 32 * sizeof(float)) == cudaSuccess);
    start("in_place", single, line(64), data);
    expect_only(FOUND(OUT_OF_BOUNDS, "allocation 1", 128, 128, 0), "8 elements too many");
}

Test(watch_memory, memory_from_before_watching)
{
    watch_data data = make_data(64);

    cr_assert(cudaMalloc((void **)&data.a, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(BOTH, 0);
    start("copy", single, line(64), data);
    expect_clean("what the host did before is not known");
    cr_assert(cudaMalloc((void **)&data.a, 64 * sizeof(float)) == cudaSuccess);
    start("copy", single, line(64), data);
    expect_only(FOUND(NEVER_WRITTEN, NULL, 0, 256, 0), "what it did since is");
}

Test(watch_memory, checking_begins_again)
{
    watch_data data;

    kg__model_watch(CHECK, 0);
    data = make_data(64);
    kg__model_forget(data.a, 64 * sizeof(float));
    kg__model_watch(COUNT, 0);
    cr_assert(cudaMemset(data.a, 0, 64 * sizeof(float)) == cudaSuccess);
    kg__model_watch(CHECK, 0);
    start("copy", single, line(64), data);
    expect_clean("the host wrote while nothing was checked");
    kg__model_forget(data.a, 64 * sizeof(float));
    kg__model_watch(CHECK, 0);
    start("copy", single, line(64), data);
    expect_only(FOUND(NEVER_WRITTEN, "a", 0, 256, 0), "checking went on");
}

/* An output that is added to, and one of which only half is written. */
Test(watch_memory, outputs_that_are_read)
{
    watch_data data = watch_both(64);

    kg__model_forget(data.b, 64 * sizeof(float));
    start("read_before_writing", single, line(64), data);
    expect_only(FOUND(NEVER_WRITTEN, "b", 0, 256, 64), "added to");
    kg__model_watch(BOTH, 0);
    kg__model_forget(data.b, 64 * sizeof(float));
    start("write_first_half", single, line(64), data);
    data.a = data.b;
    start("copy", single, line(32), data);
    expect_clean("the first half");
    start("copy", single, line(64), data);
    expect_only(FOUND(NEVER_WRITTEN, "b", 128, 256, 0), "the second half");
}

/* The host writes to managed and to pinned memory without a call. */
Test(watch_memory, managed_and_pinned_memory)
{
    for (int i = 0; i < 4; i++) {
        watch_data data = watch_both(64);

        cr_assert((i % 2 == 0 ? cudaMallocManaged((void **)&data.a, 256, cudaMemAttachGlobal)
                              : cudaMallocHost((void **)&data.a, 256)) == cudaSuccess);
        if (i >= 2)
            kg__model_describe(data.a, 256, "shared with the host", false);
        for (int j = 0; j < 64; j++)
            data.a[j] = 1.0f;
        start("copy", single, line(64), data);
        expect_clean(i % 2 == 0 ? "managed" : "pinned");
    }
}

Test(watch_memory, device_variables)
{
    watch_data data = watch_both(128);

    start("fetch_from_variable", single, line(64), data);
    expect_clean("variables begin as zeros");
    start("keep_in_variable", single, line(64), data);
    start("fetch_from_variable", single, line(64), data);
    expect_clean("one launch after the other");
    start("keep_in_variable", line(2), line(64), data);
    expect_only(FOUND(RACE_IN_BLOCK, "variable", 0, 0, 0), "two blocks write to it");
    kg__model_watch(BOTH, 0);
    start("keep_in_variable", single, line(65), data);
    expect_only(FOUND(OUT_OF_BOUNDS, "'float [64]'", 0, 0, 0), "one thread too many");
    cr_expect(kg__model_seen()->findings[0].index == 64);
}

Test(watch_memory, constants)
{
    watch_data data = watch_both(64);

    start("write_to_constant", single, line(32), data);
    expect_only(FOUND(READ_ONLY, "constants", 0, 128, 0), "a write to a constant");
    kg__model_watch(BOTH, 0);
    kg__model_forget(data.a, 64 * sizeof(float));
    cr_assert(fetch_constants(data.a) == cudaSuccess);
    start("copy", single, line(32), data);
    expect_clean("what was copied out");
    start("copy", single, line(33), data);
    expect_only(FOUND(NEVER_WRITTEN, "a", 128, 256, 0), "what was not");
}

Test(watch_memory, dynamic_shared_memory_of_changing_size)
{
    static const unsigned int sizes[] = { 32, 256, 64, 1024, 31, 1 };
    watch_data data = watch_both(1024);

    for (size_t i = 0; i < LENGTH(sizes); i++) {
        cr_assert(launch("reverse_in_dynamic_shared", single, line(sizes[i]),
                         sizes[i] * sizeof(float), data) == cudaSuccess);
        expect_clean("as much as is needed");
    }
    /* What another launch left is not written. */
    cr_assert(launch("read_dynamic_shared", single, single, 4, data) == cudaSuccess);
    expect_only(FOUND(NEVER_WRITTEN, "dynamic shared memory", 0, 4, 0), "of a former launch");
    kg__model_watch(BOTH, 0);
    start("read_dynamic_shared", single, single, data);
    expect_only(FOUND(OUT_OF_BOUNDS, "dynamic shared memory", 0, 0, 0), "none at all");
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
    watch_data data = watch_both(64);
    float *first = NULL;
    int again = 0;

    for (int i = 0; i < 8; i++) {
        const char *name = i % 2 == 0 ? "even" : "odd";
        const size_t size = i % 2 == 0 ? 256 : 128;

        cr_assert(cudaMalloc((void **)&data.a, size) == cudaSuccess);
        again += data.a == first;
        first = data.a;
        kg__model_describe(data.a, size, name, false);
        start("copy", single, line(32), data);
        expect_only(FOUND(NEVER_WRITTEN, name, 0, size, 0), "fresh memory");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaMemset(data.a, 0, 128) == cudaSuccess);
        start("copy", single, line(32), data);
        expect_clean("written memory");
        start("copy", single, line(64), data);
        if (i % 2 == 0)
            expect_only(FOUND(NEVER_WRITTEN, name, 128, size, 0), "more than is written");
        else
            expect_only(FOUND(OUT_OF_BOUNDS, name, 128, size, 0), "more than there is");
        kg__model_watch(BOTH, 0);
        cr_assert(cudaFree(data.a) == cudaSuccess);
        let_go_of_freed_addresses();
    }
    cr_expect(again > 0, "no address came twice: the test says nothing");
}
