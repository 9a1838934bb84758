/* What is wrong with a baseline that can be read. */
#include "baseline/baseline_lint.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kg__baseline baseline;
static char findings[4096];

static const double quiet[] = { 10000, 10010, 9990, 10005, 9995 };
static const double loud[] = { 10000, 10300, 9700, 10200, 9800 };

static kg__baseline_metric *add(const char *id, const double *sessions, size_t count)
{
    kg__baseline_case *entry = kg__baseline_add(&baseline, id);
    kg__baseline_metric *metric = kg__baseline_add_metric(entry, "time_ns");

    if (entry->commit == NULL)
        entry->commit = kg__copy_text("abc");
    free(metric->sessions);
    *metric = (kg__baseline_metric){
        .name = metric->name, .value = 10000, .band = 0.02, .floor = 50, .gated = true
    };
    kg__baseline_set_sessions(metric, sessions, count);
    return metric;
}

/* A sound one, of a GPU. */
static void begin(void)
{
    static const char *const sentinels[] = { "copy", "fma" };

    baseline = (kg__baseline){ .target = { .key = "nvidia-fake" } };
    for (size_t i = 0; i < 2; i++) {
        kg__baseline_metric *metric =
            kg__baseline_add_metric(kg__baseline_add_sentinel(&baseline, sentinels[i]), "time_ns");

        metric->value = 10000;
        metric->band = 0.02;
        kg__baseline_set_sessions(metric, quiet, 5);
    }
    add("matmul/naive/31x33x17/b256g1056", quiet, 5);
}

static void end(void)
{
    kg__baseline_free(&baseline);
}

TestSuite(baseline_lint, .init = begin, .fini = end);

static void note(void *context, const char *id, const char *metric, const char *what)
{
    size_t used = strlen(findings);

    (void)context;
    snprintf(findings + used, sizeof findings - used, "%s: %s%s%s\n", id,
             metric != NULL ? metric : "", metric != NULL ? ": " : "", what);
}

/* Lints; the only finding has to hold `line`, NULL where there must be none. */
static void expect(const char *line)
{
    size_t count;

    findings[0] = '\0';
    count = kg__baseline_lint(&baseline, note, NULL);
    cr_expect(count == (line != NULL), "%zu findings: %s", count, findings);
    cr_expect(line == NULL || strstr(findings, line) != NULL, "%s", findings);
}

#define SOUND "matmul/naive/31x33x17/b256g1056"

static kg__baseline_metric *sound(void)
{
    return &kg__baseline_find(&baseline, SOUND)->metrics[0];
}

Test(baseline_lint, a_sound_one)
{
    expect(NULL);
}

Test(baseline_lint, a_value_that_is_not_the_median)
{
    sound()->value = 10100;
    expect(SOUND ": time_ns: its value is 10 100 ns, and the median of its sessions 10 000 ns");
    sound()->value = 10000 * (1 + 1e-12);
    expect(NULL);
}

Test(baseline_lint, too_few_sessions)
{
    kg__baseline_set_sessions(sound(), quiet, 1);
    expect("rests on 1 session, and 5 is the fewest that say enough of the noise");
    kg__baseline_set_sessions(sound(), NULL, 0);
    expect("rests on 0 sessions, and 5");
}

Test(baseline_lint, a_band_below_the_noise)
{
    add(SOUND, loud, 5)->gated = false;
    expect("its band is 2.0 %, and its noise (3 sigma) 8.0 %");
    sound()->band_by_hand = true;
    expect(NULL);
    sound()->band_by_hand = false;
    sound()->band = 0.08;
    expect(NULL);
    sound()->gated = true;
    expect("it is gated, and its noise (3 sigma, by 80 % confidence) is up to 12.6 %");
    sound()->band_by_hand = true;
    expect(NULL);
}

Test(baseline_lint, a_band_far_above_the_noise)
{
    sound()->band = 0.0204;
    expect(NULL);
    sound()->band = 0.999;
    expect("its band is 99.9 %, and its noise (3 sigma) only 0.9 %");
    sound()->band_by_hand = true;
    expect(NULL);
}

Test(baseline_lint, what_is_quiet_and_not_gated)
{
    sound()->gated = false;
    expect("it is not gated, and its noise (3 sigma, by 80 % confidence) is only up to 0.9 %");
    sound()->band_by_hand = true;
    expect(NULL);
}

/* Nobody but a hand makes a band narrower than 2 %. */
Test(baseline_lint, a_band_below_the_least)
{
    sound()->band = 0.01;
    expect("its band is 1.0 %");
    sound()->band_by_hand = true;
    expect(NULL);
}

Test(baseline_lint, a_case_without_a_commit)
{
    kg__baseline_case *entry = kg__baseline_find(&baseline, SOUND);

    free(entry->commit);
    entry->commit = NULL;
    expect(SOUND ": has no commit");
}

Test(baseline_lint, a_sentinel_that_is_missing)
{
    free(baseline.sentinels[1].id);
    baseline.sentinels[1].id = kg__copy_text("gma");
    expect("fma: this sentinel is missing");
}

Test(baseline_lint, names_that_no_table_gives)
{
    static const struct {
        const char *id;
        const char *line;
    } names[] = {
        { "a/b/1/-", NULL },
        { "a/b/0/b1", NULL },
        { "a_1/b_2/31x33x17/b256", NULL },
        { "A/b/1/-", "no table gives this name" },
        { "a/b-c/1/-", "no table gives this name" },
        { "a/b/x/-", "no table gives this size" },
        { "a/b/1x/-", "no table gives this size" },
        { "a/b/1y2/-", "no table gives this size" },
        { "a/b/-/-", "no table gives this size" },
        { "a/b/1/256", "no table gives this launch" },
        { "a/b/1/b", "no table gives this launch" },
        { "a/b/1/b0", "no table gives this launch" },
        { "a/b/1/b32g", "no table gives this launch" },
        { "a/b/1/b32g4x", "no table gives this launch" },
        { "a/b/1/--", "no table gives this launch" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add(names[i].id, quiet, 5);
        expect(names[i].line);
        cr_assert(kg__baseline_remove(&baseline, names[i].id));
    }
}

/* The CPU model's file has no sentinels, and its counters no sessions. */
Test(baseline_lint, counters_rest_on_themselves)
{
    kg__baseline_case *entry;

    end();
    kg__format(baseline.target.key, sizeof baseline.target.key, "%s", KG__MODEL_KEY);
    entry = kg__baseline_add(&baseline, "a/b/1/-");
    entry->commit = kg__copy_text("abc");
    kg__baseline_add_metric(entry, "barriers")->value = 3;
    expect(NULL);
}
