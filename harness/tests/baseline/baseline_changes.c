/* How much baselines let pass, and the words for that and for what a change of them loosens. */
#include "baseline/baseline_changes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "results/results_text.h"

#include "tests/fakes/made_baselines.h"

static kg__baseline last;
static json_t *changes;

static void begin(void)
{
    last = (kg__baseline){ .target = { .key = "nvidia-fake" } };
    changes = kg__baseline_changes_make();
}

static void end(void)
{
    kg__baseline_free(&last);
    json_decref(changes);
}

TestSuite(baseline_changes, .init = begin, .fini = end);

static kg__baseline_metric *add(kg__baseline *baseline, const char *id, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(add_baseline_case(baseline, id), "time_ns");

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    return metric;
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
        set_baseline_sessions(metric, metrics[i].sessions, metrics[i].sessions != NULL ? 3 : 0);
    }
    kg__baseline_changes_count(changes, &last);
    kg__baseline_changes_count(changes, &last);
    cr_expect(kg__json_count(changes, "not_gated") == 2);
    cr_expect(kg__json_count(changes, "limits_above_10_percent") == 4);
    cr_expect(json_array_size(json_object_get(changes, "files")) == 0);
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
        add(&last, id, 10000)->band = 0.12;
        json_array_append_new(json_object_get(changes, "loosened"),
                              json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "target", "nvidia-fake",
                                        "case", id, "metric", "time_ns", "kind", "widened",
                                        "before", 0.02, "after", 0.12));
    }
    json_object_set_new(changes, "files",
                        json_pack("[{s:s, s:s}, {s:s, s:s, s:i, s:i, s:i}]", "target", "cpu-model",
                                  "state", "unchanged", "target", "nvidia-fake", "state", "changed",
                                  "widened", 12, "new", 1, "sentinels_moved", 2));
    kg__baseline_changes_count(changes, &last);
    json_object_set_new(changes, "since", json_string("main"));
    results = document();
    sentence = kg__baseline_changes_sentence(results);
    cr_expect_str_eq(sentence,
                     " since main: nvidia-fake changed; loosened: 12 limits widened; "
                     "1 new; 2 sentinels moved; 0 metrics are not gated, 12 limits are above 10 %");
    lines = kg__baseline_changes_lines(results);
    cr_assert(json_array_size(lines) == KG__LOOSENED_NAMED + 1);
    cr_expect_str_eq(json_string_value(json_array_get(lines, 0)),
                     "a/b/10/- time_ns on nvidia-fake: limit from 2.0 % to 12.0 %");
    cr_expect_str_eq(json_string_value(json_array_get(lines, KG__LOOSENED_NAMED)), "and 2 more");
    free(sentence);
    json_decref(lines);
    json_decref(results);
}
