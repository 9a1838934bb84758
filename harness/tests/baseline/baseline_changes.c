/* What a change of baselines loosens, and how much they let pass. */
#include "baseline/baseline_changes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "results/results_text.h"

static kg__baseline first;
static kg__baseline last;
static json_t *changes;

static void begin(void)
{
    first = (kg__baseline){ .target = { .key = "nvidia-fake" } };
    last = first;
    changes = kg__baseline_changes_make();
}

static void end(void)
{
    kg__baseline_free(&first);
    kg__baseline_free(&last);
    json_decref(changes);
}

TestSuite(baseline_changes, .init = begin, .fini = end);

static kg__baseline_metric *add(kg__baseline *baseline, const char *id, double value)
{
    kg__baseline_metric *metric =
        kg__baseline_add_metric(kg__baseline_add(baseline, id), "time_ns");

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    return metric;
}

static void set_sentinel(kg__baseline *baseline, const char *name, double value)
{
    kg__baseline_add_metric(kg__baseline_add_sentinel(baseline, name), "time_ns")->value = value;
}

Test(baseline_changes, counts_what_is_not_gated_and_what_is_wide)
{
    static const double spread[] = { 10000, 10500, 9500 };
    static const struct {
        double band;
        const double *sessions;
        bool gated;
    } metrics[] = {
        { 0.02, NULL, true },   { 0.1, NULL, true },  { 0.11, NULL, true },
        { 0.02, spread, true }, { 0.5, NULL, false },
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        char id[32];
        kg__baseline_metric *metric;

        kg__format(id, sizeof id, "a/b/%zu/-", i);
        metric = add(&last, id, 10000);
        metric->band = metrics[i].band;
        metric->gated = metrics[i].gated;
        kg__baseline_set_sessions(metric, metrics[i].sessions, metrics[i].sessions != NULL ? 3 : 0);
    }
    kg__baseline_changes_count(changes, &last);
    kg__baseline_changes_count(changes, &last);
    cr_expect(kg__json_count(changes, "not_gated") == 2);
    cr_expect(kg__json_count(changes, "limits_above_10_percent") == 4);
    cr_expect(json_array_size(json_object_get(changes, "files")) == 0);
}

/* Each metric in one way, but for one that is held more loosely in two. */
Test(baseline_changes, says_how_each_is_held_more_loosely)
{
    static const struct {
        const char *id;
        const char *kind; /* NULL: it is held as it was, or more tightly */
        double before;
        double after;
    } expected[] = {
        { "a/ungated/1/-", "no_longer_gated", -1, -1 }, { "a/gone/1/-", "retired", -1, -1 },
        { "a/both/1/-", "widened", 0.02, 0.2 },         { "a/floor/1/-", "widened", 0.02, 0.1 },
        { "a/wider/1/-", "widened", 0.02, 0.12 },       { "a/slower/1/-", "slower", 10000, 10300 },
    };
    const json_t *file;
    const json_t *entry;
    size_t i;

    add(&first, "a/ungated/1/-", 10000);
    add(&last, "a/ungated/1/-", 10000)->gated = false;
    add(&first, "a/gone/1/-", 10000);
    add(&first, "a/both/1/-", 10000);
    add(&last, "a/both/1/-", 15000)->band = 0.2;
    add(&first, "a/floor/1/-", 10000);
    add(&last, "a/floor/1/-", 10000)->floor = 1000;
    add(&first, "a/wider/1/-", 10000);
    add(&last, "a/wider/1/-", 10000)->band = 0.12;
    add(&first, "a/slower/1/-", 10000);
    add(&last, "a/slower/1/-", 10300);
    add(&first, "a/faster/1/-", 10000);
    add(&last, "a/faster/1/-", 9000)->band = 0.01;
    add(&first, "a/idle/1/-", 10000)->gated = false;
    add(&last, "a/idle/1/-", 20000)->gated = false;
    add(&last, "a/new/1/-", 10000);
    set_sentinel(&first, "copy", 100);
    set_sentinel(&last, "copy", 101);
    set_sentinel(&last, "fma", 100);
    kg__baseline_changes_add(changes, "nvidia-fake", KG__FILE_CHANGED, &first, &last, NULL);
    file = json_array_get(json_object_get(changes, "files"), 0);
    cr_expect_str_eq(kg__json_text(file, "target"), "nvidia-fake");
    cr_expect_str_eq(kg__json_text(file, "state"), "changed");
    cr_expect(kg__json_count(file, "no_longer_gated") == 1 && kg__json_count(file, "retired") == 1);
    cr_expect(kg__json_count(file, "widened") == 3 && kg__json_count(file, "slower") == 2);
    cr_expect(kg__json_count(file, "new") == 1 && kg__json_count(file, "sentinels_moved") == 2);
    cr_assert(json_array_size(json_object_get(changes, "loosened")) ==
              sizeof expected / sizeof *expected);
    json_array_foreach (json_object_get(changes, "loosened"), i, entry) {
        const json_t *after = json_object_get(entry, "after");

        cr_expect_str_eq(kg__json_text(entry, "case"), expected[i].id);
        cr_expect_str_eq(kg__json_text(entry, "kind"), expected[i].kind, "%s", expected[i].id);
        cr_expect((after == NULL) == (expected[i].after < 0));
        cr_expect(after == NULL || (kg__json_number(entry, "before") == expected[i].before &&
                                    json_number_value(after) == expected[i].after));
        cr_expect((json_object_get(entry, "metric") == NULL) == (i == 1), "%zu", i);
    }
}

Test(baseline_changes, a_file_that_is_gone_is_not_listed_case_by_case)
{
    add(&first, "a/b/1/-", 10000);
    add(&first, "a/b/2/-", 10000);
    kg__baseline_changes_add(changes, "nvidia-fake", KG__FILE_REMOVED, &first, &last, NULL);
    cr_expect(kg__json_count(json_array_get(json_object_get(changes, "files"), 0), "retired") == 2);
    cr_expect(json_array_size(json_object_get(changes, "loosened")) == 0);
}

/* A results document with these changes. */
static json_t *document(void)
{
    return json_pack("{s:O}", KG__BASELINES, changes);
}

Test(baseline_changes, nothing_to_say_is_not_said)
{
    json_t *results = document();
    json_t *lines = kg__baseline_changes_lines(results);

    cr_expect(kg__baseline_changes_sentence(results) == NULL);
    cr_expect(json_array_size(lines) == 0);
    json_decref(lines);
    json_decref(results);
}

/* One sentence, and the first ten of what is held more loosely. */
Test(baseline_changes, are_told_in_a_sentence_and_a_list)
{
    json_t *results;
    json_t *lines;
    char *sentence;
    char id[32];

    for (int i = 0; i < 12; i++) {
        kg__format(id, sizeof id, "a/b/%d/-", 10 + i);
        add(&first, id, 10000);
        add(&last, id, 10000)->band = 0.12;
    }
    kg__baseline_changes_add(changes, "cpu-model", KG__FILE_UNCHANGED, &first, &first, NULL);
    kg__baseline_changes_add(changes, "nvidia-fake", KG__FILE_CHANGED, &first, &last, NULL);
    kg__baseline_changes_count(changes, &last);
    json_object_set_new(changes, "since", json_string("main"));
    results = document();
    sentence = kg__baseline_changes_sentence(results);
    cr_expect_str_eq(sentence, " since main: nvidia-fake changed; loosened: 12 limits widened; "
                               "0 metrics are not gated, 12 limits are above 10 %");
    lines = kg__baseline_changes_lines(results);
    cr_assert(json_array_size(lines) == KG__LOOSENED_NAMED + 1);
    cr_expect_str_eq(json_string_value(json_array_get(lines, 0)),
                     "a/b/10/- time_ns on nvidia-fake: limit from 2.0 % to 12.0 %");
    cr_expect_str_eq(json_string_value(json_array_get(lines, KG__LOOSENED_NAMED)), "and 2 more");
    free(sentence);
    json_decref(lines);
    json_decref(results);
}
