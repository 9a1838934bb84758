/* Choosing among candidates, and holding the best against one another. */
#include "cli/tune_choice.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static kg__tuning tuning;

static void begin(void)
{
    kg__tuning_begin(&tuning, KG__TUNING_TIME);
}

static void end(void)
{
    kg__tuning_free(&tuning);
}

TestSuite(tuning_choice, .init = begin, .fini = end, .timeout = 10);

static const kg__tuning_problem add_1000 = { "add", "1000" };
static const kg__tuning_set plain = { "plain", "plain" };
static const kg__tuning_set strided = { "strided", "strided" };
static const kg__tuning_set all_variants = { "all", "*" };

static void add(const char *id)
{
    kg__error error = { "" };

    cr_assert(kg__tuning_add(&tuning, id, NULL, &error), "%s", error.text);
}

/* Takes a record, written with ' instead of ". */
static const kg__tuning_candidate *take(const char *text)
{
    char *quoted = kg__copy_text(text);
    json_t *record;
    const kg__tuning_candidate *taken;

    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    record = json_loads(quoted, 0, NULL);
    cr_assert(record != NULL, "%s", quoted);
    taken = kg__tuning_take(&tuning, record);
    json_decref(record);
    free(quoted);
    return taken;
}

/* A measured candidate, which need not have been added. */
static const kg__tuning_candidate *measure(const char *id, double time, double occupancy,
                                           size_t dropped)
{
    char text[512];

    add(id);
    kg__format(text, sizeof text,
               "{'event': 'measured', 'case': '%s', 'metrics': {'time_ns': {'value': %f, 'low': "
               "%f, 'high': %f, 'samples': 20}}, 'kernel': {'occupancy': %f}, 'work': "
               "{'operations': 1000, 'bytes': 8000}, 'dropped_in_round': %zu}",
               id, time, time - 1, time + 1, occupancy, dropped);
    return take(text);
}

/* A finalist with these samples, a round each. */
static const kg__tuning_candidate *finish(const char *id, const double *rounds, size_t count)
{
    json_t *samples = json_array();
    json_t *record;
    const kg__tuning_candidate *taken;

    add(id);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(samples, json_real(rounds[i]));
    record = json_pack("{s:s, s:s, s:{s:{s:f, s:f, s:f, s:i}}, s:{s:f, s:f, s:f, s:o}, "
                       "s:{s:f, s:f}}",
                       "event", "measured", "case", id, "metrics", "time_ns", "value", 100.0, "low",
                       99.0, "high", 101.0, "samples", 8, "final", "value", rounds[0], "low",
                       rounds[0], "high", rounds[0], "samples_ns", samples, "work", "operations",
                       1000.0, "bytes", 8000.0);
    taken = kg__tuning_take(&tuning, record);
    json_decref(record);
    return taken;
}

Test(tuning_choice, refuses_what_is_no_candidate)
{
    static const char *const bad[] = {
        "", "add", "add/plain/1000", "add/a/1/x32", "add/a/1/b32/more", "add/a b/1/b32"
    };
    kg__error error = { "" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect(!kg__tuning_add(&tuning, bad[i], NULL, &error), "%s", bad[i]);
    add("add/plain/1000/b32");
    cr_expect(!kg__tuning_add(&tuning, "add/plain/1000/b32", NULL, &error));
    cr_expect(strstr(error.text, "twice") != NULL, "%s", error.text);
    cr_expect(tuning.count == 1);
}

Test(tuning_choice, settles_each_candidate_once)
{
    add("add/plain/1000/b32");
    cr_expect(take("{'event': 'start', 'case': 'add/plain/1000/b32'}") == NULL);
    cr_expect(take("{'event': 'checked', 'case': 'add/plain/1000/b32', 'right': true}") == NULL);
    cr_expect(take("{'event': 'failed', 'case': 'add/plain/7/b32', 'why': 'x'}") == NULL);
    cr_expect(take("{'event': 'checked', 'case': 'add/plain/1000/b32', 'right': false, "
                   "'why': 'c[3] differs'}") != NULL);
    cr_expect(tuning.list[0].fate == KG__TUNING_WRONG);
    cr_expect_str_eq(tuning.list[0].why, "c[3] differs");
    /* A wrong one never wins, whatever it took. */
    cr_expect(take("{'event': 'measured', 'case': 'add/plain/1000/b32', 'metrics': "
                   "{'time_ns': {'value': 1}}}") == NULL);
    cr_expect(kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE) == NULL);
}

Test(tuning_choice, a_measured_candidate_without_a_time_has_failed)
{
    static const char *const figures[] = { "{}", "{'value': 0}", "{'value': -1}",
                                           "{'value': 'fast'}" };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        char text[256];

        begin();
        add("add/plain/1000/b32");
        kg__format(text, sizeof text,
                   "{'event': 'measured', 'case': 'add/plain/1000/b32', 'metrics': {'time_ns': "
                   "%s}, 'absent': {'time_ns': 'no clock'}}",
                   figures[i]);
        take(text);
        cr_expect(tuning.list[0].fate == KG__TUNING_FAILED, "%s", figures[i]);
        cr_expect_str_eq(tuning.list[0].why, "its record has no time_ns: no clock");
        end();
    }
}

Test(tuning_choice, closes_what_no_record_came_of)
{
    kg__error error = { "" };

    add("add/plain/1000/b32");
    cr_assert(kg__tuning_add(&tuning, "add/plain/1000/b1024", "too many threads", &error));
    cr_expect(kg__tuning_close(&tuning, "no record") == 1);
    cr_expect(tuning.list[0].fate == KG__TUNING_FAILED);
    cr_expect(tuning.list[1].fate == KG__TUNING_REFUSED);
    cr_expect_str_eq(tuning.list[1].why, "too many threads");
}

Test(tuning_choice, finds_the_best_by_each_aim)
{
    const kg__tuning_candidate *best;

    measure("add/plain/1000/b32", 120, 0.5, 0);
    measure("add/plain/1000/b64", 100, 0.75, 0);
    measure("add/plain/1000/b128", 110, 1, 0);
    measure("add/plain/1000/b256", 105, 1, 0);
    /* Other variants and sizes are not compared. */
    measure("add/plain/2000/b32", 1, 1, 0);
    measure("add/strided/1000/b32", 1, 1, 0);
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE);
    cr_assert(best != NULL);
    cr_expect_str_eq(best->name.launch, "b64");
    cr_expect(kg__tuning_gigabytes(best) == 80 && kg__tuning_gigaflops(best) == 10);
    cr_expect(kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_BANDWIDTH) == best);
    /* Of the two that fill a multiprocessor the faster. */
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_OCCUPANCY);
    cr_assert(best != NULL);
    cr_expect_str_eq(best->name.launch, "b256");
    best = kg__tuning_best(&tuning, &add_1000, &all_variants, KG__TUNING_BY_FIGURE);
    cr_expect_str_eq(best->name.variant, "strided");
}

Test(tuning_choice, a_dropped_candidate_wins_only_among_its_like)
{
    const kg__tuning_candidate *best;

    measure("add/plain/1000/b32", 90, 0.5, 2);
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE);
    cr_assert(best != NULL);
    cr_expect_str_eq(best->name.launch, "b32");
    measure("add/plain/1000/b64", 100, 0.5, 0);
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE);
    cr_expect_str_eq(best->name.launch, "b64");
    finish("add/plain/1000/b128", (double[]){ 101, 101, 101 }, 3);
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE);
    cr_expect_str_eq(best->name.launch, "b128");
}

Test(tuning_choice, tallies_a_set)
{
    kg__error error = { "" };
    kg__tuning_tally tally;

    measure("add/plain/1000/b32", 90, 0.5, 2);
    finish("add/plain/1000/b64", (double[]){ 1, 2, 3 }, 3);
    cr_assert(kg__tuning_add(&tuning, "add/plain/1000/b96", "no", &error));
    add("add/plain/1000/b128");
    take("{'event': 'failed', 'case': 'add/plain/1000/b128', 'why': 'crashed'}");
    measure("add/strided/1000/b32", 90, 0.5, 0);
    tally = kg__tuning_count(&tuning, &add_1000, &plain);
    cr_expect(tally.candidates == 4 && tally.dropped == 1);
    cr_expect(tally.fates[KG__TUNING_MEASURED] == 2 && tally.fates[KG__TUNING_REFUSED] == 1);
    cr_expect(tally.fates[KG__TUNING_FAILED] == 1 && tally.fates[KG__TUNING_WRONG] == 0);
    cr_expect(tally.samples == 20 + 8 + 3);
}

Test(tuning_choice, lists_problems_and_variants_in_their_order)
{
    size_t count;
    kg__tuning_problem *problems;
    kg__tuning_set *variants;

    add("add/strided/1000/b32g1");
    add("add/plain/1000/b32");
    add("add/plain/2000/b32");
    add("copy/plain/1000/b32");
    problems = kg__tuning_problems(&tuning, &count);
    cr_assert(count == 3);
    cr_expect_str_eq(problems[1].size, "2000");
    cr_expect_str_eq(problems[2].comparison, "copy");
    free(problems);
    variants = kg__tuning_variants(&tuning, "add", &count);
    cr_assert(count == 2);
    cr_expect_str_eq(variants[0].name, "strided");
    free(variants);
    variants = kg__tuning_variants(&tuning, NULL, &count);
    cr_expect(count == 2, "a name that two comparisons have is one");
    free(variants);
}

/* Both drift by a factor of two, together: their ratio does not. */
Test(tuning_choice, ratios_are_taken_round_by_round)
{
    double first[12];
    double other[12];
    const kg__tuning_candidate *a;
    const kg__tuning_candidate *b;
    kg__tuning_ratio ratio;
    kg__tuning_ratio mirrored;

    for (int i = 0; i < 12; i++) {
        other[i] = 100 * (1 + i / 11.0);
        first[i] = other[i] * 1.05 * (1 + 0.001 * (i % 3 - 1));
    }
    a = finish("add/plain/1000/b32", first, 12);
    cr_assert(a != NULL);
    b = finish("add/strided/1000/b32", other, 12);
    a = &tuning.list[0];
    ratio = kg__tuning_compare(&tuning, a, b);
    mirrored = kg__tuning_compare(&tuning, b, a);
    cr_assert(ratio.known && ratio.differs && ratio.rounds == 12);
    cr_expect(fabs(ratio.times.value - 1.05) < 0.0011);
    cr_expect(ratio.times.low > 1.04 && ratio.times.high < 1.06);
    cr_expect(fabs(ratio.bandwidths.value - 1 / 1.05) < 0.0011);
    cr_expect(fabs(mirrored.times.low - 1 / ratio.times.high) < 1e-12);
    cr_expect(mirrored.differs);
}

Test(tuning_choice, an_interval_that_holds_one_is_no_difference)
{
    static const double first[] = { 99, 101, 99, 101, 99, 101, 99, 101 };
    static const double other[] = { 100, 100, 100, 100, 100, 100, 100, 100 };
    kg__tuning_ratio ratio;

    finish("add/plain/1000/b32", first, 8);
    finish("add/strided/1000/b32", other, 8);
    ratio = kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[1]);
    cr_expect(ratio.known && !ratio.differs);
}

Test(tuning_choice, only_what_was_timed_by_turns_has_a_ratio)
{
    static const double rounds[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    finish("add/a/1000/b32", rounds, 8);
    finish("add/b/1000/b32", rounds, 7);
    finish("add/c/1000/b32", rounds, 5);
    finish("add/d/1000/b32", rounds, 5);
    measure("add/e/1000/b32", 5, 1, 0);
    cr_expect(!kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[1]).known);
    cr_expect(!kg__tuning_compare(&tuning, &tuning.list[2], &tuning.list[3]).known);
    cr_expect(!kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[4]).known);
    cr_expect(kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[4]).why != NULL);
}

/* A clock of its own keeps a variant out of the final, which its observer says. */
Test(tuning_choice, the_reason_of_no_final_is_that_of_no_ratio)
{
    static const double rounds[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    finish("add/a/1000/b32", rounds, 8);
    add("add/b/1000/b32");
    take("{'event': 'measured', 'case': 'add/b/1000/b32', 'metrics': {'time_ns': "
         "{'value': 5}}, 'no_final': 'timed by the host'}");
    cr_expect_str_eq(kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[1]).why,
                     "timed by the host");
    cr_expect_str_eq(kg__tuning_compare(&tuning, &tuning.list[1], &tuning.list[0]).why,
                     "timed by the host");
}

Test(tuning_choice, what_is_passed_over_is_told_from_refusals)
{
    add("add/plain/1000/b32");
    cr_expect(take("{'event': 'passed_over', 'case': 'add/plain/1000/b32', 'why': 'far "
                   "behind b64'}") != NULL);
    cr_expect(tuning.list[0].fate == KG__TUNING_PASSED_OVER);
    cr_expect_str_eq(tuning.list[0].why, "far behind b64");
    cr_expect(kg__tuning_count(&tuning, &add_1000, &plain).fates[KG__TUNING_PASSED_OVER] == 1);
}

Test(tuning_choice, a_round_that_is_no_time_spoils_the_final)
{
    static const double rounds[] = { 1, 2, 0, 4, 5, 6, 7, 8 };

    finish("add/a/1000/b32", rounds, 8);
    cr_expect(tuning.list[0].fate == KG__TUNING_MEASURED);
    cr_expect(tuning.list[0].rounds == NULL && tuning.list[0].round_count == 0);
}

static void count(const char *id, int sectors)
{
    char text[256];

    add(id);
    kg__format(text, sizeof text,
               "{'event': 'measured', 'case': '%s', 'metrics': {'global_load_sectors': {'value': "
               "%d}}}",
               id, sectors);
    take(text);
}

Test(tuning_choice, counters_are_exact)
{
    const kg__tuning_candidate *best;
    kg__tuning_ratio ratio;

    kg__tuning_begin(&tuning, "global_load_sectors");
    count("add/plain/1000/b32", 300);
    count("add/plain/1000/b64", 200);
    count("add/plain/1000/b128", 200);
    count("add/strided/1000/b32", 0);
    best = kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_FIGURE);
    cr_assert(best != NULL);
    cr_expect_str_eq(best->name.launch, "b64");
    cr_expect(kg__tuning_ties(&tuning, &add_1000, &plain, best) == 2);
    cr_expect(kg__tuning_best(&tuning, &add_1000, &plain, KG__TUNING_BY_OCCUPANCY) == NULL);
    ratio = kg__tuning_compare(&tuning, &tuning.list[0], &tuning.list[1]);
    cr_expect(ratio.known && ratio.differs && ratio.times.value == 1.5 && ratio.times.low == 1.5);
    ratio = kg__tuning_compare(&tuning, &tuning.list[1], &tuning.list[2]);
    cr_expect(ratio.known && !ratio.differs);
    /* A count of 0 is one, and nothing is a multiple of it but itself. */
    best = kg__tuning_best(&tuning, &add_1000, &strided, KG__TUNING_BY_FIGURE);
    cr_assert(best != NULL);
    cr_expect(!kg__tuning_compare(&tuning, &tuning.list[0], best).known);
    cr_expect(kg__tuning_compare(&tuning, best, best).known);
}
