/* SPDX-License-Identifier: MIT */
/* What blocks release to each other, and what they do not. */
#include <criterion/criterion.h>

#include "tests/model/watch_fixture.h"

/* Kernels of three warps per block; `k` is how many words each thread counts in. */
static const struct {
    const char *name;
    const char *race; /* what it is about, or NULL where there is none */
    int k;
} releases[] = {
    { "releases_its_own", NULL, 0 },
    { "releases_its_warps", NULL, 0 },
    { "releases_after_a_barrier", NULL, 0 },
    { "releases_what_all_fenced", NULL, 0 },
    { "releases_what_the_writer_fenced", NULL, 0 },
    { "releases_two_barriers_later", NULL, 0 },
    { "releases_twice", NULL, 0 },
    { "releases_former_after_latter", NULL, 0 },
    { "no_barrier_before_release", "parts", 0 },
    { "written_after_release", "parts", 0 },
    { "written_a_barrier_after_release", "parts", 0 },
    { "written_between_fence_and_release", "parts", 0 },
    { "fences_without_barrier", "parts", 0 },
    { "second_release_without_fence", "further_parts", 0 },
    { "last_block_meets", NULL, 0 },
    { "counts_then_meets", NULL, 0 },
    { "counts_without_meeting", "numbers", 0 },
    { "own_counts_then_meets", NULL, 0 },
    { "looks_at_a_maximum", NULL, 0 },
    { "many_counts", NULL, 2 },
    { "many_counts_and_a_race", "b", 2 },
    { "many_counts_and_the_last_block", NULL, 2 },
    { "many_counts", NULL, 20 },
    { "many_counts_and_a_race", "b", 20 },
    { "many_counts_and_the_last_block", NULL, 20 },
    { "many_counts", NULL, 60 },
    { "many_counts_and_a_race", "b", 60 },
    { "many_counts_and_the_last_block", NULL, 60 },
    /* The last one waits for the warp before. */
    { "releases_what_another_warp_told", NULL, 0 },
};

Test(watch_releases, blocks_see_what_is_released_and_nothing_else)
{
    for (size_t i = 0; i < LENGTH(releases) * 4; i++) {
        const size_t row = i / 4;
        watch_data data;

        if (i % 2 == 1 && row == LENGTH(releases) - 1)
            continue;
        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(i % 4 < 2 ? CHECK : BOTH, 0);
        data = make_data(1 << 16);
        data.k = releases[row].k;
        start(releases[row].name, line(8), line(96), data);
        if (releases[row].race == NULL)
            expect_clean(releases[row].name);
        else
            expect_only(FOUND(RACE_BETWEEN_BLOCKS, releases[row].race, 0, 0, 0),
                        releases[row].name);
        cr_expect(!kg__model_seen()->too_many_words);
    }
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
