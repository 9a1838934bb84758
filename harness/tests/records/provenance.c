/* SPDX-License-Identifier: MIT */
/* Provenance: facts are read as they were written, and a figure is the same as 700 and as 700.0. */
#include "records/provenance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/held_json.h"

static kg__provenance provenance;

static void end(void)
{
    kg__provenance_free(&provenance);
    release_json();
}

TestSuite(provenance, .fini = end);

static const char *read(kg__provenance *into, const char *text)
{
    return kg__provenance_read(into, hold_json(json_loads(text, JSON_DECODE_ANY, NULL)));
}

static void expect_json(const char *expected)
{
    char *text = json_dumps(hold_json(kg__provenance_json(&provenance)), 0);

    cr_expect(eq(str, text, (char *)expected));
    free(text);
}

Test(provenance, facts_keep_their_order_and_kind)
{
    static const char text[] = "{\"driver\": \"1.2.3\", \"power_limit_w\": 700.0, "
                               "\"max_sm_clock_mhz\": 1980, \"ecc\": true}";

    kg__provenance_set_text(&provenance, "driver", "0.9");
    kg__provenance_set(&provenance, "power_limit_w", KG__FACT_NUMBER, 700);
    kg__provenance_set(&provenance, "max_sm_clock_mhz", KG__FACT_COUNT, 1980);
    kg__provenance_set(&provenance, "ecc", KG__FACT_FLAG, 1);
    kg__provenance_set(&provenance, "launch_ns", KG__FACT_NUMBER, NAN);
    kg__provenance_set_text(&provenance, "driver", "1.2.3");
    expect_json(text);
    cr_expect(read(&provenance, text) == NULL);
    expect_json(text);
    cr_expect(eq(str, (char *)kg__provenance_text(&provenance, "driver"), "1.2.3"));
    cr_expect(eq(str, (char *)kg__provenance_text(&provenance, "ecc"), ""));
    cr_expect(kg__provenance_number(&provenance, "power_limit_w") == 700);
    cr_expect(isnan(kg__provenance_number(&provenance, "driver")));
    cr_expect(isnan(kg__provenance_number(&provenance, "ecc")));
    cr_expect(kg__provenance_find(&provenance, "cuda") == NULL);
}

Test(provenance, what_is_no_fact_is_left_out)
{
    static const struct {
        const char *text, *other, *kept;
    } rows[] = {
        { "{\"a\": {}, \"b\": 1, \"c\": null}", "a", "{\"b\": 1}" },
        { "{\"b\": [1]}", "b", "{}" },
        { "{\"b\": 9223372036854775807}", NULL, "{\"b\": 9.2233720368547758e18}" },
        { "[1]", NULL, "{}" },
        { "{}", NULL, "{}" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *other = read(&provenance, rows[i].text);

        cr_expect(other == rows[i].other ||
                      (other != NULL && rows[i].other != NULL && strcmp(other, rows[i].other) == 0),
                  "%s", rows[i].text);
        expect_json(rows[i].kept);
    }
}

Test(provenance, equal_facts)
{
    static const struct {
        const char *one, *other;
        bool equal;
    } rows[] = {
        { "{\"a\": 700}", "{\"a\": 700.0}", true }, { "{\"a\": \"x\"}", "{\"a\": \"x\"}", true },
        { "{\"a\": 700}", "{\"a\": 650}", false },  { "{\"a\": 1}", "{\"a\": true}", false },
        { "{\"a\": \"1\"}", "{\"a\": 1}", false },  { "{\"a\": true}", "{\"a\": false}", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__provenance other = { .facts = NULL };

        (void)read(&provenance, rows[i].one);
        (void)read(&other, rows[i].other);
        cr_expect(kg__fact_equal(provenance.facts, other.facts) == rows[i].equal, "%s and %s",
                  rows[i].one, rows[i].other);
        kg__provenance_free(&other);
    }
}

Test(provenance, facts_are_shown_as_json_has_them)
{
    static const char *const shown[] = { "\"1.2.3\"", "700.0", "700", "false" };

    (void)read(&provenance, "{\"a\": \"1.2.3\", \"b\": 700.0, \"c\": 700, \"d\": false}");
    for (size_t i = 0; i < provenance.count; i++) {
        char text[64];

        kg__fact_show(&provenance.facts[i], text, sizeof text);
        cr_expect(eq(str, text, (char *)shown[i]));
    }
}
