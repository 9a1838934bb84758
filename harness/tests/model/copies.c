/* SPDX-License-Identifier: MIT */
/* Asynchronous copies: they come when they are waited for, cost what they move, and are missed
 * before. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/finding_texts.h"
#include "tests/model/watch_fixture.h"

#define BLOCK 64
#define THREADS 128

/* Global loads of a block of two warps, and the finding where each waits for its
 * own alone (KG__FINDING_KINDS: that is not looked at). */
static const struct {
    const char *name;
    uint64_t loads, sectors;
    kg__finding_kind alone;
} reversals[] = {
    { "reverse_by_primitives", 2, 8, KG__RACE_IN_BLOCK },
    { "reverse_by_class", 2, 8, KG__RACE_IN_BLOCK },
    { "reverse_in_two_stages", 6, 24, KG__FINDING_KINDS },
    /* A float a thread, as on an H200. */
    { "reverse_by_group", 2, 8, KG__FINDING_KINDS },
    { "reverse_by_barrier", 2, 8, KG__FINDING_KINDS },
    { "reverse_by_pipeline", 8, 32, KG__FINDING_KINDS },
};

static bool is_reversed(watch_data data)
{
    for (int i = 0; i < THREADS; i++) {
        const int first = i / BLOCK * BLOCK;

        if (data.b[i] != (float)(first + BLOCK - i % BLOCK))
            return false;
    }
    return true;
}

Test(copies, come_when_they_are_waited_for)
{
    for (size_t i = 0; i < LENGTH(reversals) * 2; i++) {
        const size_t row = i / 2;
        watch_data data = watch_in_order(i, THREADS);

        start(reversals[row].name, line(2), line(BLOCK), data);
        cr_expect(is_reversed(data), "%s", reversals[row].name);
        expect_clean(reversals[row].name);
        expect_count(KG__GLOBAL_LOAD_REQUESTS, 2 * reversals[row].loads, reversals[row].name);
        expect_count(KG__GLOBAL_LOAD_SECTORS, 2 * reversals[row].sectors, reversals[row].name);
        expect_count(KG__SHARED_STORE_REQUESTS, 0, reversals[row].name);
    }
}

Test(copies, are_missed_before)
{
    for (size_t i = 0; i < LENGTH(reversals) * 2; i++) {
        const size_t row = i / 2;
        watch_data data = watch_in_order(i, THREADS);

        data.k = 1;
        start(reversals[row].name, line(2), line(BLOCK), data);
        cr_expect(strcmp(reversals[row].name, "reverse_in_two_stages") == 0 || !is_reversed(data),
                  "%s", reversals[row].name);
        expect_only(FOUND(COPY_NOT_WAITED, "staged", 0, 0, 0), reversals[row].name);
    }
}

Test(copies, of_others_need_a_barrier)
{
    for (size_t row = 0; row < LENGTH(reversals); row++) {
        watch_data data = watch_both(THREADS);

        data.k = 2;
        start(reversals[row].name, line(2), line(BLOCK), data);
        if (reversals[row].alone != KG__FINDING_KINDS)
            expect_only(&(kg__finding){ .kind = reversals[row].alone, .symbol = "staged" },
                        reversals[row].name);
    }
}

/* Each of three rounds hands over 32 values, to the threads from `first` to before `end`. */
static const struct {
    const char *name;
    int first, end;
    kg__finding_kind not_waited; /* KG__FINDING_KINDS: all wait */
} handovers[] = {
    { "produce_and_consume", 32, 96, KG__FINDING_KINDS },
    { "pipeline_of_roles", 32, 96, KG__COPY_NOT_WAITED },
    { "meet_by_number", 0, 64, KG__RACE_IN_BLOCK },
    { "meet_by_trying", 0, 96, KG__RACE_IN_BLOCK },
};

Test(copies, and_writes_are_handed_over_by_a_barrier)
{
    for (size_t row = 0; row < 4 * LENGTH(handovers); row++) {
        const size_t i = row / 4;
        watch_data data;

        kg__model_set_order(row % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        kg__model_watch(row % 4 < 2 ? BOTH : 0, 0);
        data = make_data(1 << 10);
        start(handovers[i].name, single, line(96), data);
        expect_clean(handovers[i].name);
        for (int j = 0; j < 3 * 96; j++) {
            const int expected = j / 96 + 32 - j % 32;

            cr_assert(j % 96 < handovers[i].first || j % 96 >= handovers[i].end ||
                          data.b[j] == (float)expected,
                      "%s: b[%d] is %g", handovers[i].name, j, (double)data.b[j]);
        }
    }
}

Test(copies, and_writes_are_not_handed_over_without)
{
    for (size_t i = 0; i < LENGTH(handovers); i++) {
        watch_data data = watch_both(1 << 10);
        bool found = false;

        if (handovers[i].not_waited == KG__FINDING_KINDS)
            continue;
        data.k = 1;
        start(handovers[i].name, single, line(96), data);
        for (size_t j = 0; j < kg__model_seen()->finding_count; j++)
            found = found || is_of_kind(&kg__model_seen()->findings[j], handovers[i].not_waited);
        cr_expect(found, "%s: %s", handovers[i].name, findings_of(kg__model_seen()));
    }
}

Test(copies, a_barrier_that_is_never_complete_fails)
{
    watch_data data = watch_both(1 << 10);

    data.k = 3;
    cr_assert(launch("produce_and_consume", single, line(96), 0, data) == cudaErrorLaunchFailure);
    cr_assert(strstr(kg__model_failure(), "lacks 64 of 96 arrivals") != NULL, "%s",
              kg__model_failure());
}
