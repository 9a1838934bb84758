/* SPDX-License-Identifier: MIT */
/* Claims about times: held, lost, within noise. */
#include "judge/claim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

/* A speedup of at least 1 is claimed. */
Test(claim, what_became_of_it)
{
    static const struct {
        kg__claimed_figure figure;
        kg__claim_standing standing;
    } rows[] = {
        { { 1, 1.01, 0.02 }, KG__CLAIM_HOLDS },
        { { 1.5, 0.9, 0.02 }, KG__CLAIM_HOLDS },
        { { 1.5, NAN, NAN }, KG__CLAIM_HOLDS },
        /* Less than claimed, by less than the limit from what was recorded, and by more. */
        { { 0.99, 1, 0.02 }, KG__CLAIM_WITHIN_NOISE },
        { { 1 / 1.0199, 1, 0.02 }, KG__CLAIM_WITHIN_NOISE },
        { { 1 / 1.0201, 1, 0.02 }, KG__CLAIM_LOST },
        { { 0.99, 1.02, 0.02 }, KG__CLAIM_LOST },
        { { 0.99, 1.02, 0.05 }, KG__CLAIM_WITHIN_NOISE },
        { { 0.99, 1, 0 }, KG__CLAIM_LOST },
        { { 0.99, 1, NAN }, KG__CLAIM_LOST },
        { { 0, 1, 0.02 }, KG__CLAIM_LOST },
        /* This target never had it, or nothing is recorded. */
        { { 0.99, 0.999, 0.02 }, KG__CLAIM_NEVER_HELD },
        { { 0.5, 0.9, 0.02 }, KG__CLAIM_NEVER_HELD },
        { { 0.99, NAN, NAN }, KG__CLAIM_NEVER_HELD },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(eq(int,
                     (int)kg__judge_claim(&rows[i].figure, rows[i].figure.now >= 1,
                                          rows[i].figure.recorded >= 1),
                     (int)rows[i].standing),
                  "row %zu", i);
}

/* A range may be left at either end. */
Test(claim, a_range_is_left_at_either_end)
{
    const kg__claimed_figure above = { 101, 100, 0.02 };
    const kg__claimed_figure below = { 99, 100, 0.02 };
    const kg__claimed_figure beyond = { 103, 100, 0.02 };

    cr_expect(kg__judge_claim(&above, false, true) == KG__CLAIM_WITHIN_NOISE);
    cr_expect(kg__judge_claim(&below, false, true) == KG__CLAIM_WITHIN_NOISE);
    cr_expect(kg__judge_claim(&beyond, false, true) == KG__CLAIM_LOST);
}
