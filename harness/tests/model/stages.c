/* SPDX-License-Identifier: MIT */
/* Stages of shared memory that are handed over by barriers of some of a block's threads: what these
 * order, and what they do not. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/each_row.h"
#include "tests/model/finding_texts.h"
#include "tests/model/stage_kernels.h"
#include "tests/model/watch_fixture.h"

#define THREADS 160

/* In either order of threads: 0 and 1 are watched, 2 and 3 not. */
static watch_data start_stages(size_t order, const char *name, int rows, int k)
{
    watch_data data;

    kg__model_set_order(order % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
    kg__model_watch(order < 2 ? BOTH : 0, 0);
    data = make_data(1 << 10);
    data.rows = rows;
    data.k = k;
    start(name, single, line(THREADS), data);
    return data;
}

/* Right kernels: their rows, and the sum of thread i from thread `first` to before `end`, which is
 * `rounds` values that lie 32 apart. */
static const struct {
    const char *name;
    int rows, first, end, rounds;
} right[] = {
    { "ring_of_stages", EACH_FOR_ITSELF, 32, 160, 5 },
    { "ring_of_stages", ONE_FOR_WARP, 32, 160, 5 },
    { "ring_of_stages", ONE_FOR_GROUP, 32, 160, 5 },
    { "ring_of_words", BY_WORDS, 32, 160, 5 },
    { "ring_of_words", BY_VECTORS, 32, 160, 5 },
    { "ring_of_words", ALL_EACH_WORD, 32, 160, 5 },
    { "three_read", 0, 32, 96, 1 },
    { "two_of_three_meet", 0, 32, 64, 1 },
    { "pass_by_another", 0, 64, 96, 1 },
    { "pass_by_another", 1, 64, 96, 1 },
    { "pass_by_another", 2, 64, 96, 1 },
    { "produce_and_consume", 0, 32, 160, 3 },
    { "meet_by_number", 0, 0, 64, 3 },
    { "meet_by_trying", 0, 0, 160, 3 },
    { "pipeline_of_block", 0, 32, 160, 5 },
    { "pipeline_of_all", 0, 0, 160, 5 },
    { "lanes_meet_by_object", 0, 0, 32, 1 },
    { "pipeline_of_threads", 0, 0, 0, 0 },
};

EACH_ROW(stages, are_handed_over, right)

ParameterizedTest(const size_t *row, stages, are_handed_over)
{
    for (size_t order = 0; order < 4; order++) {
        const watch_data data = start_stages(order, right[*row].name, right[*row].rows, 0);

        expect_clean(right[*row].name);
        /* A thread that only polls an atomic waits in vain in reversed order. */
        for (int i = right[*row].first; !kg__exec_has_given_up() && i < right[*row].end; i++) {
            float sum = 0;

            for (int j = 0; j < right[*row].rounds; j++)
                sum += (float)(32 * j + 32 - i % 32);
            cr_assert(data.b[i] == sum, "b[%d] is %g, not %g", i, (double)data.b[i], (double)sum);
        }
    }
}

#define RACE KG__RACE_IN_BLOCK
#define NOT_WAITED KG__COPY_NOT_WAITED

/* Wrong ones, whose results are right here: what is found in either order. */
static const struct {
    const char *name;
    int rows, k;
    kg__finding_kind found;
} wrong[] = {
    { "ring_of_stages", EACH_FOR_ITSELF, ONE_RELEASED_BEFORE, RACE },
    { "ring_of_stages", ONE_FOR_WARP, RELEASED_BEFORE, RACE },
    { "ring_of_stages", ONE_FOR_WARP, ONE_RELEASED_BEFORE, RACE },
    { "ring_of_stages", ONE_FOR_WARP, READ_AFTER, RACE },
    { "ring_of_stages", ONE_FOR_WARP, WAITS_FOR_OTHER, RACE },
    { "ring_of_stages", ONE_FOR_WARP, NO_WAIT_FOR_FULL, RACE },
    { "ring_of_stages", ONE_FOR_GROUP, NO_MEETING_BEFORE, NOT_WAITED },
    { "ring_of_stages", ONE_FOR_GROUP, NO_MEETING_BEHIND, RACE },
    { "ring_of_stages", ONE_FOR_WARP, NO_WARP_MEETS, RACE },
    { "ring_of_stages", ONE_FOR_WARP, HALF_WARPS_MEET, RACE },
    { "ring_of_words", BY_WORDS, RELEASED_BEFORE, RACE },
    { "ring_of_words", BY_WORDS, ONE_RELEASED_BEFORE, RACE },
    { "ring_of_words", BY_WORDS, WAITS_FOR_OTHER, RACE },
    { "ring_of_words", BY_WORDS, NO_WAIT_FOR_FULL, RACE },
    { "ring_of_words", BY_VECTORS, RELEASED_BEFORE, RACE },
    { "ring_of_words", BY_VECTORS, ONE_RELEASED_BEFORE, RACE },
    { "ring_of_words", BY_VECTORS, WAITS_FOR_OTHER, RACE },
    { "ring_of_words", BY_VECTORS, NO_WAIT_FOR_FULL, RACE },
    { "ring_of_words", ALL_EACH_WORD, RELEASED_BEFORE, RACE },
    { "ring_of_words", ALL_EACH_WORD, ONE_RELEASED_BEFORE, RACE },
    { "ring_of_words", ALL_EACH_WORD, WAITS_FOR_OTHER, RACE },
    { "ring_of_words", ALL_EACH_WORD, NO_WAIT_FOR_FULL, RACE },
    { "three_read", 0, 1, RACE },
    { "two_of_three_meet", 0, 1, RACE },
    { "two_of_three_meet", 0, 2, RACE },
    { "pass_by_another", 0, 1, RACE },
    { "pass_by_another", 0, 2, RACE },
    { "lanes_meet_by_object", 0, 1, KG__RACE_IN_WARP },
    { "meet_by_number", 0, 1, RACE },
    { "meet_by_trying", 0, 1, RACE },
    { "pipeline_of_block", 0, 1, RACE },
    { "pipeline_of_block", 0, 2, NOT_WAITED },
    { "pipeline_of_all", 0, 1, RACE },
    { "pipeline_of_threads", 0, 1, RACE },
};

EACH_ROW(stages, are_not_handed_over, wrong)

ParameterizedTest(const size_t *row, stages, are_not_handed_over)
{
    for (size_t order = 0; order < 2; order++) {
        bool found = false;

        (void)start_stages(order, wrong[*row].name, wrong[*row].rows, wrong[*row].k);
        for (size_t i = 0; i < kg__model_seen()->finding_count; i++)
            found = found || is_of_kind(&kg__model_seen()->findings[i], wrong[*row].found);
        cr_expect(found, "%s, %d in order %zu: %s", wrong[*row].name, wrong[*row].k, order,
                  findings_of(kg__model_seen()));
    }
}

Test(stages, a_barrier_that_is_never_complete_fails)
{
    watch_data data = watch_both(1 << 10);

    data.k = 1;
    cr_assert(launch("produce_and_consume", single, line(THREADS), 0, data) ==
              cudaErrorLaunchFailure);
    cr_assert(strstr(kg__model_failure(), "lacks 128 of 160 arrivals") != NULL, "%s",
              kg__model_failure());
}
