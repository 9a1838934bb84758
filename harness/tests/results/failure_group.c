/* SPDX-License-Identifier: MIT */
/* Cases that failed alike are told once, and no other is hidden by them. */
#include "results/failure_group.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <string.h>

#include "tests/fakes/drive.h"

static json_t *entry_of(const char *verdict, const char *id, const char *why)
{
    return keep_json(json_pack("{s:s, s:s, s:s, s:s}", "case", id, "target", "t", "verdict",
                               verdict, "why", why));
}

/* The key of the group of a case. */
static char *key_of(const json_t *entry)
{
    kg__error error = { "" };
    const kg__case_result *result =
        kg__case_result_read(test_pool(), keep_json(json_deep_copy(entry)), &error);

    cr_assert(result != NULL, "%s", error.text);
    return keep_text(kg__failure_group_key(result));
}

static bool are_alike(const json_t *one, const json_t *other)
{
    const char *first = key_of(one);
    const char *second = key_of(other);

    return first != NULL && second != NULL && strcmp(first, second) == 0;
}

/* Whether two failures of one variant are told together: each is what an entry has besides. */
static bool failures_are_alike(const char *one, const char *other)
{
    json_t *first = entry_of("wrong", "m/a/15/b8", "x of 3");
    json_t *second = entry_of("wrong", "m/a/530/b32", "y at b");

    json_object_update(first, json_of(one));
    json_object_update(second, json_of(other));
    return are_alike(first, second);
}

#define RACE "{'kind': 'race_in_block', 'file': 'm/a.cu', 'line': 22, 'symbol': 's', "
#define FOUND(members) "{'findings': [" members "]}"
#define WRONG(symbol) "{'failure': {'kind': 'wrong_elements', 'symbol': '" symbol "'}}"

Test(failure_group, by_kind_line_and_symbol)
{
    static const struct {
        const char *one, *other;
        bool alike;
    } rows[] = {
        { FOUND(RACE "'offset': 4}"), FOUND(RACE "'count': 9, 'block': [4, 0, 0]}"), true },
        { FOUND(RACE "'offset': 4}"), FOUND(RACE "'count': 9}, " RACE "'count': 8}"), true },
        { FOUND(RACE "'count': 4}"),
          FOUND("{'kind': 'race_in_warp', 'file': 'm/a.cu', 'line': 22, 'symbol': 's'}"), false },
        { FOUND(RACE "'count': 4}"),
          FOUND("{'kind': 'race_in_block', 'file': 'm/a.cu', 'line': 23, 'symbol': 's'}"), false },
        { FOUND(RACE "'count': 4}"),
          FOUND("{'kind': 'race_in_block', 'file': 'm/a.cu', 'line': 22, 'symbol': 't'}"), false },
        { FOUND(RACE "'count': 4}"), FOUND(RACE "'count': 4}, {'kind': 'misaligned'}"), false },
        { FOUND(RACE "'count': 4}"), WRONG("c"), false },
        { WRONG("c"), WRONG("c"), true },
        { WRONG("c"), WRONG("d"), false },
        { "{'at': {'file': 'm/a.cu', 'line': 3}}", "{'at': {'file': 'm/a.cu', 'line': 3}}", true },
        { "{'at': {'file': 'm/a.cu', 'line': 3}}", "{'at': {'file': 'm/a.cu', 'line': 4}}", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(failures_are_alike(rows[i].one, rows[i].other) == rows[i].alike, "%s and %s",
                  rows[i].one, rows[i].other);
}

/* Of what has no data, as in results of before, the words count. */
Test(failure_group, else_by_their_words)
{
    static const struct {
        const char *one, *other;
        bool alike;
    } rows[] = {
        { "the observer was killed after 60 s", "the observer was killed after 1 200.5 s", true },
        { "the observer was killed by signal SEGV", "no observer could be run", false },
        { "error of tile_1", "error of tile_2", false },
        { "", "x", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(are_alike(entry_of("wrong", "m/a/15/b8", rows[i].one),
                            entry_of("wrong", "m/a/530/b32", rows[i].other)) == rows[i].alike,
                  "%s", rows[i].one);
}

Test(failure_group, of_one_variant_target_and_verdict)
{
    json_t *one = entry_of("wrong", "m/a/15/b8", "x");
    json_t *other = entry_of("wrong", "m/a/16/b8", "x");

    cr_expect(are_alike(one, other));
    json_object_set_new(other, "target", json_string("u"));
    cr_expect(not(are_alike(one, other)));
    json_object_set_new(other, "target", json_string("t"));
    json_object_set_new(other, "verdict", json_string("error"));
    cr_expect(not(are_alike(one, other)));
    json_object_set_new(other, "verdict", json_string("wrong"));
    json_object_set_new(other, "case", json_string("m/b/16/b8"));
    cr_expect(not(are_alike(one, other)));
}

/* A slower case has figures that a reader wants of each. */
Test(failure_group, no_verdict_with_figures)
{
    static const char *const verdicts[] = { "pass",  "faster",      "no-baseline",
                                            "noisy", "environment", "slower" };

    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        cr_expect(key_of(entry_of(verdicts[i], "m/a/15/b8", "x")) == NULL, "%s", verdicts[i]);
}
