/* SPDX-License-Identifier: MIT */
/* What blocks release to each other, and what they do not. */
#include <criterion/criterion.h>

#include "tests/model/watch_fixture.h"

/* Kernels of three warps per block; `k` is how many words each thread counts in. */
static const trial releases[] = {
    { "releases_its_own", 8, 96, CLEAN },
    { "releases_its_warps", 8, 96, CLEAN },
    { "releases_after_a_barrier", 8, 96, CLEAN },
    { "releases_what_all_fenced", 8, 96, CLEAN },
    { "releases_what_the_writer_fenced", 8, 96, CLEAN },
    { "releases_two_barriers_later", 8, 96, CLEAN },
    { "releases_twice", 8, 96, CLEAN },
    { "releases_former_after_latter", 8, 96, CLEAN },
    { "no_barrier_before_release", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "written_after_release", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "written_a_barrier_after_release", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "written_between_fence_and_release", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "fences_without_barrier", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "reads_before_release", 8, 96, CLEAN },
    { "reads_after_release", 8, 96, RACES(BETWEEN_BLOCKS, "parts") },
    { "second_release_without_fence", 8, 96, RACES(BETWEEN_BLOCKS, "further_parts") },
    { "last_block_meets", 8, 96, CLEAN },
    { "counts_then_meets", 8, 96, CLEAN },
    { "counts_without_meeting", 8, 96, RACES(BETWEEN_BLOCKS, "numbers") },
    { "counts_later_without_meeting", 8, 96, RACES(BETWEEN_BLOCKS, "numbers") },
    { "own_counts_then_meets", 8, 96, CLEAN },
    { "looks_at_a_maximum", 8, 96, CLEAN },
    { "many_counts", 8, 96, .k = 2 },
    { "many_counts_and_a_race", 8, 96, .k = 2, RACES(BETWEEN_BLOCKS, "b") },
    { "many_counts_and_the_last_block", 8, 96, .k = 2 },
    { "many_counts", 8, 96, .k = 20 },
    { "many_counts_and_a_race", 8, 96, .k = 20, RACES(BETWEEN_BLOCKS, "b") },
    { "many_counts_and_the_last_block", 8, 96, .k = 20 },
    { "many_counts", 8, 96, .k = 60 },
    { "many_counts_and_a_race", 8, 96, .k = 60, RACES(BETWEEN_BLOCKS, "b") },
    { "many_counts_and_the_last_block", 8, 96, .k = 60 },
    { "releases_what_another_warp_told", 8, 96, .in_order = true },
    { "waits_for_its_block", 8, 96, .in_order = true },
    { "waits_for_its_warp", 8, 96, .in_order = true, RACES(BETWEEN_BLOCKS, "b") },
};

Test(watch_releases, blocks_see_what_is_released_and_nothing_else)
{
    try_each(releases, LENGTH(releases), CHECK, BOTH, 1 << 16);
}

/* More words than are kept apart: blocks count as ordered that may not be, and the report says so.
 */
Test(watch_releases, too_many_words)
{
    static const char *const right[] = { "many_counts", "many_counts_and_the_last_block" };

    for (size_t i = 0; i < LENGTH(right); i++) {
        watch_data data;

        kg__model_watch(CHECK, 0);
        data = make_data(1 << 20);
        data.k = 700;
        start(right[i], line(8), line(96), data);
        expect_clean("too many words");
        cr_expect(kg__model_seen()->too_many_words);
        kg__model_watch(CHECK, 0);
        cr_expect(!kg__model_seen()->too_many_words);
    }
}
