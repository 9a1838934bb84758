/* How much baselines let pass, and the words for that and for what a change of them loosens. */
#include "baseline/baseline_changes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#include "tests/fakes/made_baselines.h"

static kg__baseline last;
static kg__baseline_changes changes;
static kg__pool pool;

static void begin(void)
{
    last = (kg__baseline){ .target = { .key = "nvidia-fake" } };
    changes = (kg__baseline_changes){ 0 };
}

static void end(void)
{
    kg__baseline_free(&last);
    kg__pool_free(&pool);
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
    kg__baseline_changes_count(&changes, &last);
    kg__baseline_changes_count(&changes, &last);
    cr_expect(changes.not_gated == 2);
    cr_expect(changes.wide_limits == 4);
    cr_expect(changes.file_count == 0);
}

Test(baseline_changes, nothing_to_say_is_not_said)
{
    cr_expect(kg__baseline_changes_sentence(&changes) == NULL);
    cr_expect(kg__baseline_changes_lines(&changes, &pool).count == 0);
}

/* One sentence, and the first ten of what is held more loosely. */
Test(baseline_changes, are_told_in_a_sentence_and_a_list)
{
    kg__changed_file files[] = {
        { .target = "cpu-model", .state = "unchanged" },
        { .target = "nvidia-fake",
          .state = "changed",
          .loosened = { [KG__WIDENED] = 12 },
          .added = 1,
          .sentinels_moved = 2 },
    };
    kg__loosened loosened[12];
    kg__texts lines;
    char *sentence;

    for (int i = 0; i < 12; i++) {
        const char *id = kg__pool_format(&pool, "a/b/%d/-", 10 + i);

        add(&last, id, 10000)->band = 0.12;
        loosened[i] = (kg__loosened){ "nvidia-fake", id, "time_ns", KG__WIDENED, 0.02, 0.12 };
    }
    changes = (kg__baseline_changes){
        .since = "main", .files = files, .file_count = 2, .loosened = loosened, .loosened_count = 12
    };
    kg__baseline_changes_count(&changes, &last);
    sentence = kg__baseline_changes_sentence(&changes);
    cr_expect_str_eq(sentence,
                     " since main: nvidia-fake changed; loosened: 12 limits widened; "
                     "1 new; 2 sentinels moved; 0 metrics are not gated, 12 limits are above 10 %");
    lines = kg__baseline_changes_lines(&changes, &pool);
    cr_assert(lines.count == KG__LOOSENED_NAMED + 1);
    cr_expect_str_eq(lines.items[0], "a/b/10/- time_ns on nvidia-fake: limit from 2.0 % to 12.0 %");
    cr_expect_str_eq(lines.items[KG__LOOSENED_NAMED], "and 2 more");
    free(sentence);
}
