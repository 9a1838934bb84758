/* Two runs against each other: what is judged by which limits, what is not, and the command. The
 * figures are round, so that what is to come of them can be seen. */
#include "results/results_compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

#define GPU "nvidia-h200"
#define OTHER_GPU "nvidia-a100"
#define MODEL "cpu-model"
#define ROOT2 1.4142135623730951

static json_t *run_a;
static json_t *run_b;
static kg__results_comparison found;
static kg__error error;

/* A run without cases, as it would be written. */
static json_t *empty_run(const char *commit)
{
    return json_pack(
        "{s:s, s:s, s:b, s:{}, s:{}, s:{}, s:[], s:[], s:[], s:[], s:[], s:[], s:[], s:{s:i, s:i, "
        "s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}, s:i}",
        "schema", "kernelgate-results/1", "commit", commit, "strict", 0, "targets", "provenance",
        "boards", "cases", "tests", "claims", "refused", "vanished", "errors", "notes", "tally",
        "pass", 0, "faster", 0, "no-baseline", 0, "noisy", 0, "environment", 0, "slower", 0,
        "wrong", 0, "error", 0, "vanished", 0, "failed_claims", 0, "filtered_out", 0, "unavailable",
        0, "broken", 0, "exit_code", 0);
}

static void begin(void)
{
    make_folder();
    run_a = empty_run("aaaaaaaaaa");
    run_b = empty_run("bbbbbbbbbb");
    set("KG_FILTER", NULL);
    set("KG_STRICT", NULL);
    error.text[0] = '\0';
    unsetenv("KG_FILTER");
}

static void end(void)
{
    kg__results_comparison_free(&found);
    json_decref(run_a);
    json_decref(run_b);
    remove_folder();
}

TestSuite(compare, .init = begin, .fini = end, .timeout = 30);

static json_t *add_case(json_t *run, const char *id, const char *target, const char *verdict)
{
    json_t *entry = json_pack("{s:s, s:s, s:{}, s:s, s:s}", "case", id, "target", target, "metrics",
                              "verdict", verdict, "why", "");

    json_object_set_new(json_object_get(run, "targets"), target, json_pack("{s:s}", "key", target));
    json_array_append_new(json_object_get(run, "cases"), entry);
    return entry;
}

/* A time in ns, known to half of `width` (a fraction) on both sides; returns its figures. */
static json_t *add_time(json_t *entry, double value, double width)
{
    json_t *figures = json_pack("{s:f, s:f, s:f}", "value", value, "low",
                                value * (1.0 - width / 2.0), "high", value * (1.0 + width / 2.0));

    json_object_set_new(json_object_get(entry, "metrics"), "time_ns", figures);
    return figures;
}

static json_t *timed(json_t *run, const char *id, double value)
{
    return add_time(add_case(run, id, GPU, "pass"), value, 0.001);
}

/* What a gate notes of the baseline that it judged by. */
static void judged_by(json_t *figures, double baseline, double limit, double smallest)
{
    json_object_set_new(figures, "baseline", json_real(baseline));
    json_object_set_new(figures, "band", json_real(limit));
    json_object_set_new(figures, "limit", json_real(limit));
    json_object_set_new(figures, "smallest", json_real(smallest));
}

static void counted(json_t *run, const char *id, const char *metric, double value, bool gated)
{
    json_t *entry = add_case(run, id, MODEL, "pass");

    json_object_set_new(json_object_get(entry, "metrics"), metric,
                        json_pack("{s:f, s:b}", "value", value, "gated", (int)gated));
}

static const kg__compared *compare_both(bool across)
{
    kg__results_comparison_free(&found);
    cr_assert(kg__results_compare(run_a, run_b, "", across, &found, &error), "%s", error.text);
    return found.metrics;
}

static void expect_row(const kg__compared *row, kg__verdict verdict, double ratio)
{
    cr_expect_str_eq(kg__verdict_name(row->verdict), kg__verdict_name(verdict), "%s: %s", row->id,
                     row->why);
    cr_expect(fabs(row->ratio.value - ratio) < 1e-12, "%g", row->ratio.value);
}

Test(compare, a_ratio_has_an_interval_that_both_intervals_make)
{
    const kg__compared *row;

    add_time(add_case(run_a, "m/a/1/b8", GPU, "pass"), 1000, 0.02);
    add_time(add_case(run_b, "m/a/1/b8", GPU, "pass"), 2000, 0.04);
    row = compare_both(false);
    cr_assert(found.count == 1);
    cr_expect(fabs(row->ratio.value - 2.0) < 1e-12);
    cr_expect(fabs(row->ratio.low - 1960.0 / 1010.0) < 1e-12);
    cr_expect(fabs(row->ratio.high - 2040.0 / 990.0) < 1e-12);
}

/* Without any baseline 2 % are widened to (1.02)^sqrt(2), 2.84 %. */
Test(compare, the_default_limit)
{
    static const struct {
        double value;
        kg__verdict verdict;
    } result[] = {
        { 100000, KG__PASS }, { 102800, KG__PASS },  { 102900, KG__SLOWER },
        { 97300, KG__PASS },  { 97100, KG__FASTER },
    };
    const kg__compared *row;

    for (size_t i = 0; i < sizeof result / sizeof *result; i++) {
        json_array_clear(json_object_get(run_a, "cases"));
        json_array_clear(json_object_get(run_b, "cases"));
        timed(run_a, "m/a/1/b8", 100000);
        timed(run_b, "m/a/1/b8", result[i].value);
        row = compare_both(false);
        expect_row(row, result[i].verdict, result[i].value / 100000);
        cr_expect(row->limit_source == KG__LIMIT_DEFAULT);
        cr_expect(fabs(row->limit - expm1(ROOT2 * log1p(0.02))) < 1e-12);
    }
}

/* A short kernel may move by the floor, 50 ns, however many percent that is. */
Test(compare, the_floor)
{
    timed(run_a, "m/a/1/b8", 1000);
    timed(run_b, "m/a/1/b8", 1049);
    timed(run_a, "m/b/1/b8", 1000);
    timed(run_b, "m/b/1/b8", 1051);
    expect_row(&compare_both(false)[0], KG__PASS, 1.049);
    expect_row(&found.metrics[1], KG__SLOWER, 1.051);
}

Test(compare, the_limit_of_a_baseline)
{
    judged_by(timed(run_a, "m/a/1/b8", 100000), 100000, 0.04, 0.04);
    timed(run_b, "m/a/1/b8", 105000);
    timed(run_a, "m/b/1/b8", 100000);
    judged_by(timed(run_b, "m/b/1/b8", 105000), 100000, 0.03, 0.03);
    /* Both: A's holds. And a floor of 200 ns, by hand. */
    judged_by(timed(run_a, "m/c/1/b8", 1000), 1000, 0.03, 0.2);
    judged_by(timed(run_b, "m/c/1/b8", 1190), 1000, 0.03, 0.03);
    expect_row(&compare_both(false)[0], KG__PASS, 1.05);
    cr_expect(found.metrics[0].limit_source == KG__LIMIT_OF_A);
    cr_expect(fabs(found.metrics[0].limit - expm1(ROOT2 * log1p(0.04))) < 1e-12);
    expect_row(&found.metrics[1], KG__SLOWER, 1.05);
    cr_expect(found.metrics[1].limit_source == KG__LIMIT_OF_B);
    expect_row(&found.metrics[2], KG__PASS, 1.19);
    cr_expect(found.metrics[2].limit_source == KG__LIMIT_OF_A);
}

/* What is too noisy to be gated is shown, and never judged. */
Test(compare, what_is_not_gated)
{
    json_t *said = timed(run_a, "m/said/1/b8", 100000);

    judged_by(timed(run_a, "m/wide/1/b8", 100000), 100000, 0.2, 0.2);
    timed(run_b, "m/wide/1/b8", 200000);
    json_object_set_new(said, "gated", json_false());
    timed(run_b, "m/said/1/b8", 200000);
    judged_by(timed(run_a, "m/hand/1/b8", 100000), 100000, 0.2, 0.2);
    json_object_set_new(
        json_object_get(
            json_object_get(json_array_get(json_object_get(run_a, "cases"), 2), "metrics"),
            "time_ns"),
        "gated", json_true());
    timed(run_b, "m/hand/1/b8", 200000);
    compare_both(false);
    cr_expect(!found.metrics[0].judged && found.metrics[0].verdict == KG__PASS);
    cr_expect(!found.metrics[1].judged && found.metrics[1].verdict == KG__PASS);
    cr_expect(found.metrics[2].judged && found.metrics[2].verdict == KG__SLOWER);
    cr_expect(found.tally.verdicts[KG__SLOWER] == 1 && found.tally.verdicts[KG__PASS] == 2);
}

/* The ratio's interval is wider than half the limit, and what A knows counts as B's does. */
Test(compare, noise_of_either)
{
    add_time(add_case(run_a, "m/a/1/b8", GPU, "pass"), 100000, 0.02);
    timed(run_b, "m/a/1/b8", 100500);
    timed(run_a, "m/b/1/b8", 100000);
    add_time(add_case(run_b, "m/b/1/b8", GPU, "pass"), 100500, 0.02);
    expect_row(&compare_both(false)[0], KG__NOISY, 1.005);
    expect_row(&found.metrics[1], KG__NOISY, 1.005);
}

Test(compare, counters_are_exact)
{
    const kg__compared *row;

    counted(run_a, "m/a/1/b8", "barriers", 100, true);
    counted(run_b, "m/a/1/b8", "barriers", 101, true);
    counted(run_a, "m/b/1/b8", "barriers", 0, true);
    counted(run_b, "m/b/1/b8", "barriers", 1, true);
    counted(run_a, "m/c/1/b8", "barriers", 0, true);
    counted(run_b, "m/c/1/b8", "barriers", 0, true);
    counted(run_a, "m/d/1/b8", "barriers", 2, true);
    counted(run_b, "m/d/1/b8", "barriers", 0, true);
    row = compare_both(false);
    expect_row(&row[0], KG__SLOWER, 1.01);
    cr_expect(row[1].verdict == KG__SLOWER && isnan(row[1].ratio.value), "%s", row[1].why);
    cr_expect(row[2].verdict == KG__PASS && isnan(row[2].ratio.value));
    expect_row(&row[3], KG__FASTER, 0.0);
    cr_expect(row[0].limit_source == KG__LIMIT_EXACT && found.sum_count == 0);
}

/* What a hand lets a counter move by says nothing of whether it is gated. */
Test(compare, a_counter_is_gated_however_wide_its_band)
{
    json_t *a = add_case(run_a, "m/a/1/b8", MODEL, "pass");
    json_t *b = add_case(run_b, "m/a/1/b8", MODEL, "pass");
    const kg__compared *row;

    json_object_set_new(
        json_object_get(a, "metrics"), "barriers",
        json_pack("{s:f, s:f, s:f}", "value", 100.0, "baseline", 100.0, "limit", 0.1));
    json_object_set_new(json_object_get(b, "metrics"), "barriers",
                        json_pack("{s:f}", "value", 200.0));
    row = compare_both(false);
    expect_row(&row[0], KG__SLOWER, 2.0);
}

/* One is wrong now, one was, one is in A alone, one in B, one lacks a metric. */
Test(compare, what_cannot_be_compared)
{
    json_t *entry;

    add_time(add_case(run_a, "m/now_wrong/1/b8", GPU, "pass"), 100, 0);
    entry = add_case(run_b, "m/now_wrong/1/b8", GPU, "wrong");
    add_time(entry, 100, 0);
    json_object_set_new(entry, "why", json_string("c[0]"));
    add_case(run_a, "m/was_wrong/1/b8", GPU, "wrong");
    add_time(add_case(run_b, "m/was_wrong/1/b8", GPU, "pass"), 100, 0);
    timed(run_a, "m/gone/1/b8", 100);
    timed(run_b, "m/new/1/b8", 100);
    timed(run_a, "m/half/1/b8", 100);
    add_case(run_b, "m/half/1/b8", GPU, "pass");
    compare_both(false);
    cr_assert(found.count == 2 && found.one_sided_count == 3);
    cr_expect(found.metrics[0].verdict == KG__WRONG && found.metrics[0].metric == NULL);
    cr_expect_str_eq(found.metrics[0].why, "in B: c[0]");
    cr_expect(found.metrics[1].verdict == KG__NO_BASELINE);
    cr_expect(found.tally.vanished == 2 && found.tally.verdicts[KG__NO_BASELINE] == 3);
    cr_expect(found.tally.verdicts[KG__PASS] == 0 && found.checked == 0);
    cr_expect_str_eq(found.one_sided[0].id, "m/gone/1/b8");
    cr_expect_str_eq(found.one_sided[1].metric, "time_ns");
    cr_expect(found.one_sided[2].in_b);
}

Test(compare, what_is_no_value)
{
    json_object_set_new(timed(run_a, "m/null/1/b8", 100), "value", json_null());
    json_object_set_new(timed(run_b, "m/null/1/b8", 100), "value", json_null());
    timed(run_a, "m/zero/1/b8", 0);
    timed(run_b, "m/zero/1/b8", 100);
    compare_both(false);
    cr_assert(found.count == 1);
    cr_expect(found.metrics[0].verdict == KG__ERROR);
    cr_expect(found.checked == 1, "a case without a value counts as checked");
}

Test(compare, what_no_run_can_have_measured)
{
    static const double absurd[][3] = {
        { 1e300, 1e300, 1e300 },
        { 100, 101, 102 },
        { 100, 98, 99 },
        { -100, -100, -100 },
    };

    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        char id[32];
        json_t *figures;

        kg__format(id, sizeof id, "m/a%zu/1/b8", i);
        timed(run_a, id, 100);
        figures = timed(run_b, id, 100);
        json_object_set_new(figures, "value", json_real(absurd[i][0]));
        json_object_set_new(figures, "low", json_real(absurd[i][1]));
        json_object_set_new(figures, "high", json_real(absurd[i][2]));
    }
    compare_both(false);
    cr_assert(found.count == 4);
    for (size_t i = 0; i < found.count; i++) {
        cr_expect(found.metrics[i].verdict == KG__ERROR, "%zu", i);
        cr_expect(isnan(found.metrics[i].ratio.value));
    }
    cr_expect(found.sum_count == 0);
}

/* Each run's sentinel, which no commit touches, moved as the kernel did. */
Test(compare, what_surrounds)
{
    static const char sentinels[] = "{s:{s:{s:f, s:f}}}";

    json_object_set_new(run_a, "provenance",
                        json_pack(sentinels, GPU, "sentinels_ns", "copy", 100.0, "fma", 100.0));
    json_object_set_new(run_b, "provenance",
                        json_pack(sentinels, GPU, "sentinels_ns", "copy", 105.0, "fma", 100.0));
    timed(run_a, "m/a/1/b8", 100000);
    timed(run_b, "m/a/1/b8", 105000);
    expect_row(&compare_both(false)[0], KG__ENVIRONMENT, 1.05);
    /* A move of a sentinel by less than runs differ by explains nothing. */
    json_object_set_new(run_b, "provenance",
                        json_pack(sentinels, GPU, "sentinels_ns", "copy", 101.0, "fma", 100.0));
    expect_row(&compare_both(false)[0], KG__SLOWER, 1.05);
}

Test(compare, the_same_machine_code_does_not_get_slower)
{
    static const char kernel[] = "{s:s, s:s}";
    json_t *a = add_case(run_a, "m/a/1/b8", GPU, "pass");
    json_t *b = add_case(run_b, "m/a/1/b8", GPU, "pass");

    add_time(a, 100000, 0);
    add_time(b, 110000, 0);
    json_object_set_new(a, "kernel",
                        json_pack(kernel, "name", "k", "fingerprint", "00112233445566ff"));
    json_object_set_new(b, "kernel",
                        json_pack(kernel, "name", "k", "fingerprint", "00112233445566ff"));
    expect_row(&compare_both(false)[0], KG__ENVIRONMENT, 1.1);
    json_object_set_new(b, "kernel",
                        json_pack(kernel, "name", "k", "fingerprint", "00112233445566fe"));
    expect_row(&compare_both(false)[0], KG__SLOWER, 1.1);
}

Test(compare, a_run_that_doubts_itself)
{
    json_object_set_new(timed(run_b, "m/a/1/b8", 110000), "verdict", json_string("environment"));
    timed(run_a, "m/a/1/b8", 100000);
    expect_row(&compare_both(false)[0], KG__ENVIRONMENT, 1.1);
    cr_expect(strstr(found.metrics[0].why, "B's surroundings were disturbed: slower by") != NULL);
}

/* Two GPUs: shown, and judged where that is asked for. The model of both runs is one target. */
Test(compare, across_targets)
{
    add_time(add_case(run_a, "m/a/1/b8", GPU, "pass"), 100000, 0);
    add_time(add_case(run_b, "m/a/1/b8", OTHER_GPU, "pass"), 200000, 0);
    compare_both(false);
    cr_assert(found.count == 1 && found.one_sided_count == 0);
    cr_expect(!found.metrics[0].judged && found.unjudged == 1 && found.sum_count == 1);
    cr_expect(kg__exit_code(&found.tally, false) == KG__EXIT_NOTHING);
    cr_expect(kg__exit_code(&found.tally, true) == KG__EXIT_ERROR);
    expect_row(&compare_both(true)[0], KG__SLOWER, 2.0);
    cr_expect(kg__exit_code(&found.tally, false) == KG__EXIT_FAIL);
    counted(run_a, "m/a/1/b8", "barriers", 1, true);
    counted(run_b, "m/a/1/b8", "barriers", 1, true);
    compare_both(false);
    cr_expect(found.count == 2 && found.metrics[1].judged);
}

/* What runs the same machine code on two GPUs may well be slower on one of them. */
Test(compare, the_same_machine_code_on_two_gpus)
{
    json_t *a = add_case(run_a, "m/a/1/b8", GPU, "pass");
    json_t *b = add_case(run_b, "m/a/1/b8", OTHER_GPU, "pass");

    add_time(a, 100000, 0);
    add_time(b, 110000, 0);
    json_object_set_new(a, "kernel", json_pack("{s:s}", "fingerprint", "00112233445566ff"));
    json_object_set_new(b, "kernel", json_pack("{s:s}", "fingerprint", "00112233445566ff"));
    expect_row(&compare_both(true)[0], KG__SLOWER, 1.1);
}

/* The mean of 2 and 1/2 is 1. */
Test(compare, means_are_geometric)
{
    timed(run_a, "m/a/1/b8", 100);
    timed(run_b, "m/a/1/b8", 200);
    timed(run_a, "m/b/1/b8", 100);
    timed(run_b, "m/b/1/b8", 50);
    compare_both(false);
    cr_assert(found.sum_count == 1 && found.sums[0].count == 2);
    cr_expect(fabs(found.sums[0].mean - 1.0) < 1e-12);
}

static void expect_refusal(const char *filter, const char *expected)
{
    kg__results_comparison_free(&found);
    cr_expect(!kg__results_compare(run_a, run_b, filter, false, &found, &error));
    cr_expect(strstr(error.text, expected) != NULL, "%s", error.text);
}

Test(compare, nothing_to_compare)
{
    expect_refusal("", "A holds no case");
    timed(run_a, "m/a/1/b8", 100);
    expect_refusal("", "B holds no case");
    timed(run_b, "m/b/1/b8", 100);
    expect_refusal("", "no case in common");
    timed(run_b, "m/a/1/b8", 100);
    expect_refusal("n/*", "the filter leaves none of 1 cases");
    setenv("KG_FILTER", "n/*", 1);
    expect_refusal("", "the filter leaves none of 1 cases");
    unsetenv("KG_FILTER");
    timed(run_b, "m/a/1/b8", 100);
    expect_refusal("", "B: m/a/1/b8 appears twice on " GPU);
}

static void write_runs(void)
{
    char *a = json_dumps(run_a, 0);
    char *b = json_dumps(run_b, 0);

    write_text(at("a.json"), a);
    write_text(at("b.json"), b);
    free(a);
    free(b);
}

#define command(...)                                                                               \
    drive((const char *const[]){ KG__COMMAND, "compare", __VA_ARGS__, NULL }, environment)

static void expect(ending result, int code, const char *expected)
{
    expect_ending(&result, code, expected);
    free(result.output);
}

static void make_two(void)
{
    timed(run_a, "m/a/1/b8", 100000);
    timed(run_b, "m/a/1/b8", 100000);
    timed(run_a, "m/b/1/b8", 100000);
    timed(run_b, "m/b/1/b8", 110000);
    counted(run_a, "m/a/1/b8", "barriers", 7, true);
    counted(run_b, "m/a/1/b8", "barriers", 7, true);
    write_runs();
}

Test(compare, the_table)
{
    ending result;

    make_two();
    result = command(at("a.json"), at("b.json"));
    expect_ending(&result, 1, "a.json: nvidia-h200, cpu-model, commit aaaaaaaaaa\n");
    expect_ending(&result, 1,
                  "\nslower   m/b/1/b8  time_ns  100 000 ns  110 000 ns  1.1000  1.0989 to 1.1011  "
                  "2.8 %  default limit: no baseline\n"
                  "pass     m/a/1/b8  time_ns  100 000 ns  100 000 ns  1.0000  0.9990 to 1.0010  ");
    expect_ending(&result, 1, "1 counter is the same in both\n");
    expect_ending(&result, 1, "B / A is 1.0488 in the geometric mean of 2 cases\n");
    expect_ending(&result, 1, "\ncases: 1 slower, 2 pass\nexit 1\n");
    free(result.output);
    expect(command("--format", "markdown", at("a.json"), at("b.json")), 1,
           "| slower | m/b/1/b8 | time\\_ns | 100 000 ns |");
    expect(command("--format", "csv", at("a.json"), at("b.json")), 1,
           "slower,nvidia-h200,m/b/1/b8,time_ns,100000,110000,1.1,");
    expect(command(at("a.json"), at("b.json"), "m/a/*"), 0, "cases: 2 pass\nexit 0\n");
}

Test(compare, the_document)
{
    ending result;
    json_t *document;

    make_two();
    result = command("--format", "json", at("a.json"), at("b.json"));
    document = json_loads(result.output, 0, NULL);
    cr_assert(result.code == 1 && document != NULL, "%s", result.output);
    expect_strict(document);
    cr_expect(json_array_size(json_object_get(document, "metrics")) == 3);
    cr_expect(json_integer_value(json_object_get(document, "exit_code")) == 1);
    free(result.output);
    result = command("--json", at("a.json"), at("b.json"));
    cr_expect(json_equal(document, json_loads(result.output, 0, NULL)), "%s", result.output);
    json_decref(document);
    free(result.output);
    expect(command("--json", "--format", "csv", at("a.json"), at("b.json")), 2, "two formats");
}

Test(compare, strictness)
{
    timed(run_a, "m/a/1/b8", 100000);
    timed(run_b, "m/a/1/b8", 100000);
    timed(run_a, "m/b/1/b8", 100000);
    write_runs();
    expect(command(at("a.json"), at("b.json")), 0, "only in A: m/b/1/b8 on nvidia-h200\n");
    set("KG_STRICT", "1");
    expect(command(at("a.json"), at("b.json")), 1, "1 gone from B");
}

Test(compare, a_path_that_is_no_utf8)
{
    json_error_t error;
    json_t *document;
    ending result;

    make_two();
    cr_assert(rename(at("a.json"), at("\xff.json")) == 0);
    result = command("--format", "json", at("\xff.json"), at("b.json"));
    cr_expect(result.code == 1);
    document = json_loads(result.output, 0, &error);
    cr_expect(document != NULL, "%s", result.output);
    json_decref(document);
    free(result.output);
}

Test(compare, bad_input)
{
    make_two();
    expect(command(at("a.json")), 2, "takes two results files");
    expect(command(at("a.json"), at("b.json"), "a", "b"), 2, "takes one filter");
    expect(command(at("a.json"), at("none.json")), 2, "none.json");
    expect(command("--format", "xml", at("a.json"), at("b.json")), 2,
           "there is no format \"xml\": use text, markdown, csv or json");
    expect(command(at("a.json"), at("b.json"), "m/a"), 0, "cases: 2 pass");
    expect(command(at("a.json"), at("b.json"), "m/a/1/b9"), 2, "nearest is m/a/1/b8");
    expect(command(at("a.json"), at("b.json"), "m/aa/*"), 2, "nearest is m/a/1/b8");
    write_text(at("b.json"), "{\"schema\": \"kernelgate-baseline/1\"}");
    expect(command(at("a.json"), at("b.json")), 2, "kernelgate-results/1");
    write_text(at("b.json"), "{\"schema\": ");
    expect(command(at("a.json"), at("b.json")), 2, "b.json");
    write_text(at("b.json"), "");
    expect(command(at("a.json"), at("b.json")), 2, "b.json");
}
