/* SPDX-License-Identifier: MIT */
/* Asynchronous copies: they come when they are waited for, cost what they move, and are missed
 * before. */
#include <criterion/criterion.h>
#include <string.h>

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
