/* SPDX-License-Identifier: MIT */
#include "judge/claim.h"

#include <math.h>

kg__claim_standing kg__judge_claim(const kg__claimed_figure *figure, bool holds, bool held)
{
    double move = fabs(log(figure->now / figure->recorded));

    if (holds)
        return KG__CLAIM_HOLDS;
    if (!held)
        return KG__CLAIM_NEVER_HELD;
    /* A move or a limit that is NaN is not within the limit. */
    return move <= log1p(figure->limit) ? KG__CLAIM_WITHIN_NOISE : KG__CLAIM_LOST;
}
