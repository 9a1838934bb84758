/* SPDX-License-Identifier: MIT */
/* What a launch costs: which of two costs a reading is. */
#include "judge/launch_cost.h"

#include <criterion/criterion.h>

static kg__launch_cost seen;

Test(launch_cost, of_nothing_seen)
{
    cr_expect(!kg__launch_cost_has_two(&seen));
    cr_expect(!kg__launch_cost_is_high(&seen, 680));
    cr_expect(kg__launch_cost_check(&seen, 680), "nothing says that there is a higher one");
    cr_expect(seen.low_ns == 0 && seen.high_ns == 0, "a single reading is not a first one");
}

Test(launch_cost, one_that_repeats)
{
    kg__launch_cost_add(&seen, 502);
    kg__launch_cost_add(&seen, 510);
    kg__launch_cost_add(&seen, 498);
    cr_expect(seen.low_ns == 498 && seen.high_ns == 510);
    cr_expect(!kg__launch_cost_has_two(&seen));
    cr_expect(!kg__launch_cost_is_high(&seen, 510));
    cr_expect(kg__launch_cost_check(&seen, 505));
    cr_expect(kg__launch_cost_check(&seen, 900), "it was held up");
    cr_expect(seen.high_ns == 510, "which says nothing of what it costs");
}

Test(launch_cost, two)
{
    kg__launch_cost_add(&seen, 502);
    kg__launch_cost_add(&seen, 681);
    cr_expect(kg__launch_cost_has_two(&seen));
    cr_expect(kg__launch_cost_is_high(&seen, 681) && kg__launch_cost_is_high(&seen, 672));
    cr_expect(!kg__launch_cost_is_high(&seen, 502) && !kg__launch_cost_is_high(&seen, 600));
    cr_expect(kg__launch_cost_check(&seen, 672) && kg__launch_cost_check(&seen, 5000));
    cr_expect(!kg__launch_cost_check(&seen, 503));
}

/* The context may have been worn before it was first read. */
Test(launch_cost, a_cheaper_one_that_shows_late)
{
    kg__launch_cost_add(&seen, 681);
    cr_expect(kg__launch_cost_check(&seen, 675));
    cr_expect(!kg__launch_cost_has_two(&seen));
    cr_expect(!kg__launch_cost_check(&seen, 502));
    cr_expect(kg__launch_cost_has_two(&seen));
    cr_expect(kg__launch_cost_check(&seen, 675));
}

/* A reading that was too high by chance, or a higher cost that no warm-up brings back, would have
 * every batch taken again. */
Test(launch_cost, a_dearer_one_that_cannot_be_had)
{
    kg__launch_cost_add(&seen, 502);
    kg__launch_cost_add(&seen, 800);
    cr_expect(!kg__launch_cost_check(&seen, 681));
    kg__launch_cost_settle_for(&seen, 681);
    cr_expect(kg__launch_cost_check(&seen, 681) && !kg__launch_cost_check(&seen, 502));
    kg__launch_cost_settle_for(&seen, 502);
    cr_expect(!kg__launch_cost_has_two(&seen) && kg__launch_cost_check(&seen, 502));
    kg__launch_cost_add(&seen, 681);
    cr_expect(kg__launch_cost_has_two(&seen), "it came back");
}

Test(launch_cost, two_readings_of_one_are_no_two_costs)
{
    cr_expect(!kg__launch_costs_differ(502, 502) && !kg__launch_costs_differ(552, 502));
    cr_expect(kg__launch_costs_differ(680, 502) && kg__launch_costs_differ(450, 502));
    cr_expect(kg__launch_costs_differ(502, 680) && !kg__launch_costs_differ(502, 552));
}
