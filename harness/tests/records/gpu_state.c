/* The state of a card over several looks: the worst of each. */
#include "records/gpu_state.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/json.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/held_json.h"

TestSuite(card, .fini = release_json);

static json_t *read(const char *text)
{
    return hold_json(json_loads(text, JSON_DECODE_ANY, NULL));
}

static void expect(const json_t *card, const char *text)
{
    char *got = json_dumps(card, JSON_SORT_KEYS);

    cr_expect(json_equal(card, read(text)), "%s, expected %s", got, text);
    free(got);
}

Test(card, the_worst_of_all_looks)
{
    json_t *worst = read("{}");

    kg__gpu_state_join(worst, read("{\"temperature_c\": 40, \"sm_clock_mhz\": 1980, "
                                   "\"memory_clock_mhz\": 3201, \"foreign_processes\": 0, "
                                   "\"launch_ns\": 680, \"clock_reasons\": \"none\"}"));
    kg__gpu_state_join(worst, read("{\"launch_ns\": 504, \"batches_repeated\": 1}"));
    kg__gpu_state_join(worst, read("{\"launch_ns\": 681, \"batches_repeated\": 3}"));
    kg__gpu_state_join(worst, read("{\"batches_repeated\": 2}"));
    kg__gpu_state_join(worst, read("{\"temperature_c\": 71, \"sm_clock_mhz\": 1410, "
                                   "\"memory_clock_mhz\": 3201, \"foreign_processes\": 2, "
                                   "\"clock_reasons\": \"software power cap\"}"));
    kg__gpu_state_join(worst, read("{\"temperature_c\": 60, \"sm_clock_mhz\": 1980, "
                                   "\"memory_clock_mhz\": 2619, \"foreign_processes\": 1, "
                                   "\"clock_reasons\": \"none\"}"));
    expect(worst, "{\"temperature_c\": 71, \"sm_clock_mhz\": 1410, \"memory_clock_mhz\": 2619, "
                  "\"foreign_processes\": 2, \"launch_ns\": 504, \"batches_repeated\": 3, "
                  "\"clock_reasons\": \"software power cap\"}");
}

Test(card, what_a_look_does_not_tell_stays)
{
    json_t *worst = read("{\"temperature_c\": 50}");

    kg__gpu_state_join(worst, read("{}"));
    kg__gpu_state_join(worst, NULL);
    kg__gpu_state_join(worst, read("[]"));
    kg__gpu_state_join(worst, read("{\"temperature_c\": \"hot\", \"sm_clock_mhz\": 1.5, "
                                   "\"clock_reasons\": 7}"));
    expect(worst, "{\"temperature_c\": 50}");
    kg__gpu_state_join(worst, read("{\"sm_clock_mhz\": 1980}"));
    expect(worst, "{\"temperature_c\": 50, \"sm_clock_mhz\": 1980}");
}

Test(card, reasons_are_joined_each_once)
{
    static const struct {
        const char *first;
        const char *second;
        const char *joined;
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
        json_t *worst = read("{}");
        json_t *look = read("{}");

        json_object_set_new(worst, "clock_reasons", json_string(pairs[i].first));
        json_object_set_new(look, "clock_reasons", json_string(pairs[i].second));
        kg__gpu_state_join(worst, look);
        cr_expect(eq(str, (char *)kg__json_text(worst, "clock_reasons"), (char *)pairs[i].joined),
                  "%s and %s", pairs[i].first, pairs[i].second);
    }
}

Test(card, is_described_in_words)
{
    static const struct {
        const char *card;
        double most;
        const char *text;
    } cards[] = {
        { "{\"sm_clock_mhz\": 1410, \"temperature_c\": 71, \"clock_reasons\": \"software power "
          "cap\", \"foreign_processes\": 2}",
          1980, "1 410 of 1 980 MHz, 71 °C, software power cap, 2 other processes" },
        { "{\"sm_clock_mhz\": 1980, \"clock_reasons\": \"none\", \"foreign_processes\": 1}", 0,
          "1 980 MHz, 1 other process" },
        { "{\"temperature_c\": 35, \"launch_ns\": 680, \"clock_reasons\": \"thermal\"}", 0,
          "35 °C, a launch at 680 ns or more, thermal" },
        { "{\"temperature_c\": 35, \"clock_reasons\": \"none\", \"foreign_processes\": 0}", 1980,
          "35 °C" },
        { "{}", 1980, "" },
        { "[]", 0, "" },
    };

    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        char text[256] = "old";

        kg__gpu_state_describe(read(cards[i].card), cards[i].most, text, sizeof text);
        cr_expect(eq(str, text, (char *)cards[i].text));
    }
}

Test(card, whether_a_launch_costs_what_it_did)
{
    json_t *then = read("{\"launch_ns\": 680}");
    double before = 0;
    double now = 0;

    cr_expect(kg__launch_cost_moved(read("{\"launch_ns\": 502}"), then, &now, &before));
    cr_expect(eq(dbl, now, 502));
    cr_expect(eq(dbl, before, 680));
    cr_expect(not(kg__launch_cost_moved(read("{\"launch_ns\": 700}"), then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(read("{}"), then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(NULL, then, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(read("{\"launch_ns\": 502}"), NULL, &now, &before)));
    cr_expect(not(kg__launch_cost_moved(read("{\"launch_ns\": \"dear\"}"), then, &now, &before)));
}
