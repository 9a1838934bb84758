/* SPDX-License-Identifier: MIT */
/* The state of a GPU over several looks: the worst of each. */
#include "records/gpu_state.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "results/time_result.h"
#include "tests/fakes/drive.h"

static kg__gpu_state read(const char *text)
{
    kg__gpu_state state = kg__gpu_state_unknown;
    kg__error error = { "" };

    cr_assert(kg__fields_read(json_of(text), kg__gpu_state_fields, &state, &error), "%s: %s", text,
              error.text);
    return state;
}

static void join(kg__gpu_state *worst, const char *look)
{
    kg__gpu_state state = read(look);

    kg__gpu_state_join(worst, &state);
}

static void expect(const kg__gpu_state *state, const char *text)
{
    json_t *json = keep_json(kg__fields_json(kg__gpu_state_fields, state));

    cr_expect(json_equal(json, json_of(text)), "%s, expected %s",
              keep_text(json_dumps(json, JSON_SORT_KEYS)), text);
}

Test(gpu_state, the_worst_of_all_looks)
{
    kg__gpu_state worst = kg__gpu_state_unknown;

    join(&worst, "{'temperature_c': 40, 'sm_clock_mhz': 1980, 'memory_clock_mhz': 3201, "
                 "'foreign_processes': 0, 'launch_ns': 680, 'clock_reasons': 'none'}");
    join(&worst, "{'launch_ns': 504, 'batches_repeated': 1}");
    join(&worst, "{'launch_ns': 681, 'batches_repeated': 3}");
    join(&worst, "{'batches_repeated': 2}");
    join(&worst,
         "{'temperature_c': 71, 'sm_clock_mhz': 1410, 'memory_clock_mhz': 3201, "
         "'foreign_processes': 2, 'throttled': true, 'clock_reasons': 'software power cap'}");
    join(&worst, "{'temperature_c': 60, 'sm_clock_mhz': 1980, 'memory_clock_mhz': 2619, "
                 "'foreign_processes': 1, 'clock_reasons': 'none'}");
    expect(&worst, "{'temperature_c': 71, 'sm_clock_mhz': 1410, 'memory_clock_mhz': 2619, "
                   "'foreign_processes': 2, 'launch_ns': 504, 'batches_repeated': 3, 'throttled': "
                   "true, 'clock_reasons': 'software power cap'}");
}

Test(gpu_state, what_a_look_does_not_tell_stays)
{
    kg__gpu_state worst = read("{'temperature_c': 50}");

    join(&worst, "{}");
    expect(&worst, "{'temperature_c': 50}");
    join(&worst, "{'sm_clock_mhz': 1980}");
    expect(&worst, "{'temperature_c': 50, 'sm_clock_mhz': 1980}");
}

Test(gpu_state, reasons_are_joined_each_once)
{
    static const struct {
        const char *first, *second, *joined;
    } pairs[] = {
        { "none", "none", "none" },
        { "a", "none", "a" },
        { "none", "a, b", "a, b" },
        { "a, b", "b, c", "a, b, c" },
        { "software power cap", "power cap", "software power cap, power cap" },
        { "", "a", "a" },
        { "a", "", "a" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        kg__gpu_state worst = kg__gpu_state_unknown;
        kg__gpu_state look = kg__gpu_state_unknown;

        kg__format(worst.clock_reasons, sizeof worst.clock_reasons, "%s", pairs[i].first);
        kg__format(look.clock_reasons, sizeof look.clock_reasons, "%s", pairs[i].second);
        kg__gpu_state_join(&worst, &look);
        cr_expect(strcmp(worst.clock_reasons, pairs[i].joined) == 0, "%s and %s", pairs[i].first,
                  pairs[i].second);
    }
}

Test(gpu_state, whether_a_launch_costs_what_it_did)
{
    json_t *then = json_of("{'launch_ns': 680}");
    kg__gpu_state low = read("{'launch_ns': 502}");
    kg__gpu_state alike = read("{'launch_ns': 700}");
    kg__gpu_state unknown = read("{}");
    double before = 0;
    double now = 0;

    cr_expect(kg__launch_cost_moved(&low, then, &now, &before));
    cr_expect(eq(dbl, now, 502));
    cr_expect(eq(dbl, before, 680));
    cr_expect(not(kg__launch_cost_moved(&alike, then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(&unknown, then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(NULL, then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(&low, NULL, &now, &before)));
}
