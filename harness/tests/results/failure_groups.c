/* Cases that failed alike are told once, and no other is hidden by them. */
#include "results/failure_groups.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *entry_of(const char *verdict, const char *id, const char *why)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "case", id, "target", "t", "verdict", verdict, "why",
                     why);
}

static bool are_alike(const json_t *one, const json_t *other)
{
    char *first = kg__failure_group_key(one);
    char *second = kg__failure_group_key(other);
    bool alike = first != NULL && second != NULL && strcmp(first, second) == 0;

    free(first);
    free(second);
    return alike;
}

/* Whether two reasons of one variant are told together. */
static bool reasons_are_alike(const char *one, const char *other)
{
    json_t *first = entry_of("wrong", "m/a/15/b8", one);
    json_t *second = entry_of("wrong", "m/a/530/b32", other);
    bool alike = are_alike(first, second);

    json_decref(first);
    json_decref(second);
    return alike;
}

#define RACE "kernels/m/a.cu:22: reads 4 bytes at tile_a + 0 that thread (0, 0, 0) wrote at a.cu:19"

Test(alike, whatever_the_figures)
{
    cr_expect(reasons_are_alike(
        RACE "; block (0, 0, 0), thread (1, 0, 0); 6144 times; kernels/m/a.cu:20: writes 4 bytes "
             "at tile_b + 128 that other threads read at a.cu:22; kernels/m/a.cu: c[row 0, column "
             "0]: expected -0.14, got NaN, tolerance 5.5e-06; 224 of 225 elements wrong",
        "kernels/m/a.cu:20: writes 4 bytes at tile_b + 4 that thread (0, 0, 0) read at a.cu:22; "
        "kernels/m/a.cu: c[row 5, column 16]: expected 2, got 1, tolerance 1; 3 of 280 900 "
        "elements wrong; " RACE "; block (9, 0, 0), thread (1, 0, 0); 230 985 984 times"));
    cr_expect(reasons_are_alike("the observer was killed after 60 s", "the observer was killed "
                                                                      "after 1 200.5 s"));
    cr_expect(
        reasons_are_alike("kernels/m/a.cu: c[3]: expected 1, got 2",
                          "kernels/m/a.cu: c[row 9, column 1]: expected 7, got inf; 5 of 6 wrong"));
}

Test(alike, not_of_other_lines_or_words)
{
    cr_expect(not(reasons_are_alike(RACE, "kernels/m/a.cu:22: reads 4 bytes at tile_a + 0 that "
                                          "thread (0, 0, 0) wrote at a.cu:33")));
    cr_expect(not(reasons_are_alike(RACE, RACE "; kernels/m/a.cu:40: writes beyond the end of c")));
    cr_expect(not(reasons_are_alike(RACE, RACE "; kernels/m/a.cu: c[0]: expected 1, got 2")));
    cr_expect(not(reasons_are_alike("kernels/m/a.cu: c[0]: expected 1, got 2",
                                    "kernels/m/a.cu: d[0]: expected 1, got 2")));
    cr_expect(not(reasons_are_alike("kernels/m/a.cu: c[0]: expected 1, got 2",
                                    "kernels/m/a.cu: the guard behind c was written to")));
    cr_expect(not(reasons_are_alike("the observer was killed by signal SEGV", "no observer could "
                                                                              "be run")));
    cr_expect(not(reasons_are_alike("error of tile_1", "error of tile_2")));
    cr_expect(not(reasons_are_alike("", "x")));
}

Test(alike, of_one_variant_target_and_verdict)
{
    json_t *one = entry_of("wrong", "m/a/15/b8", RACE);
    json_t *other = entry_of("wrong", "m/a/16/b8", RACE);

    cr_expect(are_alike(one, other));
    json_object_set_new(other, "target", json_string("u"));
    cr_expect(not(are_alike(one, other)));
    json_object_set_new(other, "target", json_string("t"));
    json_object_set_new(other, "verdict", json_string("error"));
    cr_expect(not(are_alike(one, other)));
    json_object_set_new(other, "verdict", json_string("wrong"));
    json_object_set_new(other, "case", json_string("m/b/16/b8"));
    cr_expect(not(are_alike(one, other)));
    json_decref(one);
    json_decref(other);
}

/* A slower case has figures that a reader wants of each. */
Test(alike, no_verdict_with_figures)
{
    static const char *const verdicts[] = { "pass",  "faster",      "no-baseline",
                                            "noisy", "environment", "slower" };

    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        json_t *one = entry_of(verdicts[i], "m/a/15/b8", "x");

        cr_expect(kg__failure_group_key(one) == NULL, "%s", verdicts[i]);
        json_decref(one);
    }
}

static void expect_reason(const json_t *entry, const json_t *led, size_t named, const char *reason)
{
    char *text = kg__failure_group_reason(entry, led, named);

    cr_expect(eq(str, text, (char *)reason));
    free(text);
}

Test(alike, the_first_speaks_for_the_others)
{
    json_t *results =
        json_pack("{s:[o, o, o, o, o]}", "cases", entry_of("wrong", "m/a/1/b8", "x of 3"),
                  entry_of("slower", "m/a/2/b8", "x of 3"), entry_of("wrong", "m/a/3/b8", "x of 4"),
                  entry_of("wrong", "m/a/4/b8", "y"), entry_of("wrong", "m/a/5/b16", "x of 5"));
    json_t *sorted = kg__failure_groups_make(results);
    static const bool speaks[] = { true, true, false, true, false };
    const json_t *entry;
    const json_t *led;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry)
        cr_expect(kg__failure_group_leads(sorted, entry, &led) == speaks[i], "%zu", i);
    entry = json_array_get(json_object_get(results, "cases"), 0);
    cr_assert(kg__failure_group_leads(sorted, entry, &led));
    expect_reason(entry, led, 9, "x of 3; so too 3/b8, 5/b16");
    expect_reason(entry, led, 1, "x of 3; so too 3/b8 and 1 more");
    expect_reason(entry, led, 0, "x of 3; so too 2 more");
    expect_reason(entry, NULL, 9, "x of 3");
    entry = json_array_get(json_object_get(results, "cases"), 3);
    cr_assert(kg__failure_group_leads(sorted, entry, &led));
    expect_reason(entry, led, 9, "y");
    json_decref(sorted);
    json_decref(results);
}

/* Results are read from files, in which anything may stand. */
Test(alike, documents_of_any_shape)
{
    static const char several[] = "{\"cases\": [{\"case\": \"a\", \"verdict\": \"error\", \"why\": "
                                  "\"; ; .cu:; a.cu:9; b.cu:99999999999999999999: \"}]}";
    static const char *const documents[] = {
        "{}",
        "[]",
        "{\"cases\": 3}",
        "{\"cases\": [1, {}, {\"verdict\": \"wrong\"}, {\"case\": 2}]}",
        several,
    };

    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        json_t *results = json_loads(documents[i], 0, NULL);
        json_t *sorted = kg__failure_groups_make(results);
        const json_t *entry;
        const json_t *led;
        size_t j;

        json_array_foreach (json_object_get(results, "cases"), j, entry) {
            if (kg__failure_group_leads(sorted, entry, &led))
                free(kg__failure_group_reason(entry, led, 1));
        }
        json_decref(sorted);
        json_decref(results);
    }
}
