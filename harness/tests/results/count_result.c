/* Counting: from what an observer of the CPU model recorded of a case to its entry in the results.
 */
#include "results/count_result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/time_result.h"
#include "suite/counters.h"

#include "tests/fakes/made_baselines.h"

#define ID "matmul/naive/530/b16"

static const kg__target target = { .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
static kg__baseline baseline;
static json_t *record;
static json_t *entry;

static void release(void)
{
    kg__baseline_free(&baseline);
    json_decref(record);
    json_decref(entry);
}

/* A record of every counter at 0, as an observer leaves it. */
static void begin(void)
{
    record =
        json_pack("{s:s, s:s, s:{}, s:{}}", "event", "measured", "case", ID, "metrics", "lines");
    for (int i = 0; i < KG__COUNTERS; i++)
        json_object_set_new(json_object_get(record, "metrics"), kg__counter_name((kg__counter)i),
                            json_pack("{s:i}", "value", 0));
}

TestSuite(counting, .init = begin, .fini = release);

static void count(const char *counter, json_int_t value)
{
    json_object_set_new(json_object_get(record, "metrics"), counter,
                        json_pack("{s:I}", "value", value));
}

static void lose(const char *counter)
{
    cr_assert(json_object_del(json_object_get(record, "metrics"), counter) == 0);
}

static kg__baseline_metric *store(const char *counter, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(add_baseline_case(&baseline, ID), counter);

    metric->value = value;
    return metric;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "(none)";
}

static const json_t *metric_of(const char *name)
{
    return json_object_get(json_object_get(entry, "metrics"), name);
}

static void gate_with(const kg__baseline *against, const char *otherwise)
{
    kg__error error = { "" };
    kg__observation *measured = kg__observation_read(record, &error);

    cr_assert(measured != NULL, "%s", error.text);
    json_decref(entry);
    entry = kg__count_result(ID, &target, measured, against, otherwise);
    kg__observation_release(measured);
    cr_assert(entry != NULL);
}

static void expect(const char *verdict, const char *why)
{
    gate_with(&baseline, "");
    cr_assert(strcmp(text_of(entry, "verdict"), verdict) == 0, "%s, expected %s: %s",
              text_of(entry, "verdict"), verdict, text_of(entry, "why"));
    cr_assert(strcmp(text_of(entry, "why"), why) == 0, "expected: %s\ngot: %s", why,
              text_of(entry, "why"));
}

#define ACCEPT                                                                                     \
    "; to accept it: commit, then KG_FILTER='matmul/naive/*' ci/rebaseline --target model"
#define KEEP "; to keep it: commit, then KG_FILTER='matmul/naive/*' ci/rebaseline --target model"

/* The counters of the naive matmul at 530. */
static void usual_case(void)
{
    static const struct {
        const char *counter;
        json_int_t value;
    } counts[] = {
        { "global_load_requests", 9550600 }, { "global_load_sectors", 22432515 },
        { "global_store_requests", 17980 },  { "global_store_sectors", 44520 },
        { "unique_bytes_read", 2247200 },    { "unique_bytes_written", 1123600 },
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        count(counts[i].counter, counts[i].value);
        (void)store(counts[i].counter, (double)counts[i].value);
    }
}

/* What either side leaves out is 0 there. */
Test(counting, one_counter_moved)
{
    static const struct {
        const char *counter;
        double then; /* 0: as in the usual case */
        json_int_t now;
        const char *verdict;
        const char *why;
    } rows[] = {
        { "shuffles", 0, 0, "pass", "" },
        { "global_load_requests", 0, 9550601, "slower",
          "global_load_requests rose by 0.00001 % (9 550 601 against 9 550 600)" ACCEPT },
        { "global_load_sectors", 0, 22432514, "faster",
          "global_load_sectors fell by 0.000004 % (22 432 514 against 22 432 515)" KEEP },
        { "shared_load_wavefronts", 4, 5, "slower",
          "shared_load_wavefronts rose by 25.0 % (5 against 4)" ACCEPT },
        { "launches", 1, 2, "slower", "launches rose by 100.0 % (2 against 1)" ACCEPT },
        { "shuffles", 0, 1, "slower", "shuffles rose (1 against 0)" ACCEPT },
        { "global_store_requests", 0, -1, "faster",
          "global_store_requests fell by 100.0 % (0 against 17 980)" KEEP },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__baseline_free(&baseline);
        json_decref(record);
        begin();
        usual_case();
        if (rows[i].then > 0)
            (void)store(rows[i].counter, rows[i].then);
        if (rows[i].now >= 0)
            count(rows[i].counter, rows[i].now);
        else
            lose(rows[i].counter);
        expect(rows[i].verdict, rows[i].why);
        cr_expect(rows[i].now < 0 ||
                      strcmp(text_of(metric_of(rows[i].counter), "verdict"), rows[i].verdict) == 0,
                  "%s", rows[i].counter);
        cr_expect_str_eq(text_of(metric_of("unique_bytes_read"), "verdict"), "pass");
    }
    cr_expect_str_eq(text_of(entry, "case"), ID);
    cr_expect_str_eq(text_of(entry, "target"), "cpu-model");
    cr_expect_str_eq(text_of(entry, "part"), "count");
    cr_expect(json_object_get(entry, "lines") == NULL && json_object_get(entry, "sampled") == NULL);
}

Test(counting, records_that_are_wrong)
{
    static const struct {
        const char *metrics; /* in place of barriers, or of all */
        bool all;
        const char *why;
    } rows[] = {
        { "{\"speed\": {\"value\": 7}}", false,
          "speed was counted, and is not a counter: build both programs again" },
        { "{\"barriers\": {\"value\": -1}}", false, NULL },
        { "{\"barriers\": {\"value\": 1.5}}", false, NULL },
        { "{\"barriers\": {}}", false, NULL },
        { "{\"barriers\": {\"value\": 9007199254740993}}", false, NULL },
        { "{}", true, "the observer recorded no counter of this case" },
        { "null", true, "the observer recorded no counter of this case" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *metrics = json_loads(rows[i].metrics, JSON_DECODE_ANY, NULL);

        kg__baseline_free(&baseline);
        json_decref(record);
        begin();
        usual_case();
        if (json_is_null(metrics))
            json_object_del(record, "metrics");
        else if (rows[i].all)
            json_object_set(record, "metrics", metrics);
        else
            json_object_update(json_object_get(record, "metrics"), metrics);
        json_decref(metrics);
        expect("error", rows[i].why != NULL
                            ? rows[i].why
                            : "barriers is not a whole number from 0 to 2^53 in the record");
    }
}

/* The results hold every counter, zeros too, as the whole numbers that they are. */
Test(counting, every_counter_is_in_the_results)
{
    usual_case();
    gate_with(&baseline, "");
    for (int i = 0; i < KG__COUNTERS; i++) {
        const json_t *figures = metric_of(kg__counter_name((kg__counter)i));

        cr_assert(json_is_integer(json_object_get(figures, "value")));
        cr_assert(json_is_integer(json_object_get(figures, "baseline")));
        cr_assert(json_number_value(json_object_get(figures, "change")) == 0);
        cr_assert(strcmp(text_of(figures, "verdict"), "pass") == 0);
    }
    cr_assert(json_integer_value(json_object_get(metric_of("global_load_sectors"), "value")) ==
              22432515);
    cr_assert(json_integer_value(json_object_get(metric_of("barriers"), "baseline")) == 0);
}

/* A rise fails, whatever else fell; what fell is said, for it may be worth it. */
Test(counting, a_rise_is_slower_even_where_another_fell)
{
    usual_case();
    count("global_load_requests", 612680);
    count("global_load_sectors", 3305548);
    count("barriers", 78608);
    count("shared_load_requests", 100);
    count("shared_load_wavefronts", 100);
    count("shared_store_requests", 100);
    count("shared_store_wavefronts", 100);
    expect("slower",
           "shared_load_requests rose (100 against 0); also risen: shared_load_wavefronts, "
           "shared_store_requests, shared_store_wavefronts and 1 more; fallen: "
           "global_load_requests, global_load_sectors" ACCEPT);
}

/* The one that moved furthest stands first. */
Test(counting, several_counters_moved)
{
    usual_case();
    count("global_load_requests", (json_int_t)2 * 9550600);
    count("global_load_sectors", 3 * (json_int_t)22432515);
    count("unique_bytes_read", 2247204);
    expect("slower",
           "global_load_sectors rose by 200.0 % (67 297 545 against 22 432 515); also risen: "
           "global_load_requests, unique_bytes_read" ACCEPT);
    count("global_load_requests", 1);
    count("global_load_sectors", 22432515);
    count("unique_bytes_read", 4);
    count("unique_bytes_written", 1123600);
    expect("faster", "global_load_requests fell by 100.0 % (1 against 9 550 600); also fallen: "
                     "unique_bytes_read" KEEP);
}

/* What an older model did not count, or counted otherwise, is shown and not judged; the rest is. */
Test(counting, what_an_older_model_did_not_count)
{
    static const struct {
        const char *model; /* that recorded the baseline */
        const char *counter;
        bool judged;
    } rows[] = {
        { "3", "launches", true },
        { "2", "launches", false },
        { "2", "constant_load_words", false },
        { "2", "busiest_block_requests", true },
        { "1", "busiest_block_requests", false },
        { "1", "copied_bytes", false },
        { "1", "shared_bytes", false },
        { "1", "shuffles", true },
        { "unheard of", "launches", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *figures;

        usual_case();
        kg__provenance_set_text(&baseline.provenance, "model", rows[i].model);
        count(rows[i].counter, 7);
        gate_with(&baseline, "");
        figures = metric_of(rows[i].counter);
        cr_expect(json_integer_value(json_object_get(figures, "value")) == 7);
        cr_expect_str_eq(text_of(entry, "verdict"), rows[i].judged ? "slower" : "pass");
        cr_expect_str_eq(text_of(figures, "verdict"), rows[i].judged ? "slower" : "pass");
        cr_expect((json_object_get(figures, "gated") == json_false()) != rows[i].judged);
        cr_expect(*text_of(figures, "why") != '\0', "%s", rows[i].counter);
        count("global_load_requests", 9550601);
        gate_with(&baseline, "");
        cr_expect_str_eq(text_of(entry, "verdict"), "slower");
        count(rows[i].counter, 0);
        kg__baseline_free(&baseline);
    }
}

/* The same requests by fewer blocks: no line of source says it, so words do. */
Test(counting, a_busier_block)
{
    usual_case();
    (void)store("busiest_block_requests", 8448);
    count("busiest_block_requests", (json_int_t)8448 * 1156);
    expect("slower", "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); the "
                     "work is done by fewer blocks, or spread less evenly" ACCEPT);
    count("unique_bytes_read", 2247204);
    expect("slower", "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); also "
                     "risen: unique_bytes_read" ACCEPT);
    usual_case();
    count("busiest_block_requests", 8);
    expect("faster", "busiest_block_requests fell by 99.9 % (8 against 8 448)" KEEP);
}

/* What a launcher copies beside its kernel, and what a block that returns at once holds, is not the
 * kernel's work: all that was any fell to nothing. */
Test(counting, a_kernel_that_does_nothing_more)
{
    static const char *const beside[] = { "copied_bytes", "launches", "shared_bytes" };

    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        usual_case();
        for (int j = 0; j < KG__COUNTERS; j++)
            count(kg__counter_name((kg__counter)j), 0);
        (void)store(beside[i], 2048);
        count(beside[i], 2048);
        expect("error", "nothing was counted of it, where the baseline has counts: does the "
                        "launcher still launch its kernel?");
        kg__baseline_free(&baseline);
    }
}

/* A launcher that never did anything else than to copy starts no kernel that could be missed. */
Test(counting, a_launcher_that_copies_alone)
{
    (void)store("copied_bytes", 2048);
    count("copied_bytes", 2048);
    expect("pass", "");
    count("copied_bytes", 1024);
    expect("faster", "copied_bytes fell by 50.0 % (1 024 against 2 048)" KEEP);
    count("copied_bytes", 0);
    expect("error", "nothing was counted of it, where the baseline has counts: does the launcher "
                    "still launch its kernel?");
}

static void sample(void)
{
    json_object_set_new(record, "sampled", json_pack("{s:i, s:i}", "blocks", 120, "of", 16384));
    json_object_set_new(record, "absent",
                        json_pack("{s:s, s:s}", "unique_bytes_read", "the launch was sampled",
                                  "unique_bytes_written", "the launch was sampled"));
    lose("unique_bytes_read");
    lose("unique_bytes_written");
}

/* Unique bytes of a launch that was sampled are not known. */
Test(counting, a_sampled_launch_has_no_unique_bytes)
{
    usual_case();
    sample();
    expect("pass", "");
    cr_assert(metric_of("unique_bytes_read") == NULL);
    cr_assert(strcmp(text_of(json_object_get(entry, "absent"), "unique_bytes_read"),
                     "the launch was sampled") == 0);
    cr_assert(json_integer_value(json_object_get(json_object_get(entry, "sampled"), "of")) ==
              16384);
    count("global_load_requests", 9550601);
    gate_with(&baseline, "");
    cr_assert(strcmp(text_of(entry, "verdict"), "slower") == 0, "the rest is judged");
}

/* A baseline without them counts as 0, whoever took them out: a launch that is no longer sampled is
 * to be recorded anew. */
Test(counting, a_baseline_without_unique_bytes)
{
    usual_case();
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_read");
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_written");
    expect("slower", "unique_bytes_read rose (2 247 200 against 0); also risen: "
                     "unique_bytes_written" ACCEPT);
}

/* Only a sampled launch may leave them out, and nothing else may be absent. */
Test(counting, what_is_absent_for_another_reason_is_an_error)
{
    usual_case();
    lose("barriers");
    json_object_set_new(record, "absent", json_pack("{s:s}", "barriers", "nobody looked"));
    expect("error", "barriers was not counted: nobody looked");
    usual_case();
    sample();
    lose("global_load_sectors");
    json_object_set_new(json_object_get(record, "absent"), "global_load_sectors",
                        json_string("too many"));
    expect("error", "global_load_sectors was not counted: too many");
}

Test(counting, without_a_baseline)
{
    count("global_load_requests", 200);
    count("global_load_sectors", 400);
    json_object_set_new(record, "work", json_pack("{s:f, s:f}", "operations", 8.0, "bytes", 12.0));
    expect("no-baseline", "no baseline: record one with ci/rebaseline");
    cr_assert(json_object_get(metric_of("barriers"), "baseline") == NULL);
    cr_assert(json_number_value(
                  json_object_get(metric_of("global_load_sectors_per_request"), "value")) == 2);
    cr_assert(json_equal(json_object_get(entry, "work"), json_object_get(record, "work")));
    gate_with(NULL, "");
    cr_assert(strcmp(text_of(entry, "verdict"), "no-baseline") == 0);
}

/* A baseline's figure that the store would refuse is no reason to pass. */
Test(counting, a_baseline_that_is_wrong)
{
    usual_case();
    store("global_load_requests", 5)->band = NAN;
    expect("error",
           "global_load_requests the baseline's figures are unusable: record it again with "
           "ci/rebaseline");
}

/* What a hand wrote into the baseline holds. */
Test(counting, bands_and_gates_that_were_set_by_hand)
{
    kg__baseline_metric *metric;

    usual_case();
    metric = store("barriers", 1000);
    metric->band = 0.01;
    count("barriers", 1010);
    expect("pass", "");
    count("barriers", 1011);
    expect("slower", "barriers rose by 1.1 % (1 011 against 1 000, limit 1.0 %)" ACCEPT);
    metric->gated = false;
    expect("pass", "barriers not gated: rose by 1.1 % (1 011 against 1 000, limit 1.0 %)");
    cr_assert(json_is_false(json_object_get(metric_of("barriers"), "gated")));
}

Test(counting, ratios_are_shown_and_not_gated)
{
    const json_t *ratio;

    usual_case();
    count("global_load_sectors", 2 * (json_int_t)22432515);
    gate_with(&baseline, "");
    ratio = metric_of("global_load_sectors_per_request");
    cr_assert(fabs(json_number_value(json_object_get(ratio, "value")) - 2 * 22432515.0 / 9550600) <
              1e-12);
    cr_assert(fabs(json_number_value(json_object_get(ratio, "baseline")) - 22432515.0 / 9550600) <
              1e-12);
    cr_assert(fabs(json_number_value(json_object_get(ratio, "change")) - 1) < 1e-12);
    cr_assert(json_is_false(json_object_get(ratio, "gated")));
    cr_assert(strcmp(text_of(ratio, "verdict"), "pass") == 0);
    cr_assert(metric_of("shared_load_wavefronts_per_request") == NULL, "nothing to divide by");
}

static json_t *line(json_int_t requests, json_int_t sectors)
{
    return json_pack("{s:I, s:I}", "global_load_requests", requests, "global_load_sectors",
                     sectors);
}

/* Stores lines in the baseline, and frees them. */
static void store_lines(json_t *json)
{
    kg__lines *lines = kg__lines_make();
    const char *key;
    const char *counter;

    cr_assert(kg__lines_read(json, lines, &key, &counter) == NULL);
    kg__lines_free(kg__baseline_find(&baseline, ID)->lines);
    kg__baseline_find(&baseline, ID)->lines = lines;
    json_decref(json);
}

/* Beside the counter stands the line that did it, how the baseline came about, and what to do. */
Test(counting, the_reason_names_the_line)
{
    json_t *before = json_object();

    usual_case();
    json_object_set_new(before, "kernels/matmul/naive.cu:14", line(9550600, 22432515));
    store_lines(before);
    json_object_set_new(json_object_get(record, "lines"), "kernels/matmul/naive.cu:14",
                        line(9550600, 151823100));
    count("global_load_sectors", 151823100);
    expect("slower", "global_load_sectors rose by 576.8 % (151 823 100 against 22 432 515); "
                     "kernels/matmul/naive.cu:14: loads went from 2.35 to 15.90 sectors per "
                     "request" ACCEPT);
    cr_assert(json_equal(json_object_get(entry, "lines"), json_object_get(record, "lines")));
    cr_assert(strcmp(text_of(json_object_get(entry, "at"), "file"), "kernels/matmul/naive.cu") ==
              0);
    cr_assert(json_integer_value(json_object_get(json_object_get(entry, "at"), "line")) == 14);
    gate_with(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strstr(text_of(entry, "why"),
                     "sectors per request; the baseline was recorded with gcc 11, this run has gcc "
                     "12.2.0; to accept it: ") != NULL,
              "%s", text_of(entry, "why"));
    /* Nothing moved: then there is nothing to put down to a compiler. */
    count("global_load_sectors", 22432515);
    gate_with(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strcmp(text_of(entry, "why"), "") == 0);
}

/* The longest reason there is: counters both ways, long lines, and a baseline of other origin. */
Test(counting, the_command_is_never_cut_off)
{
    static const char *const risen[] = { "global_load_requests", "global_load_sectors",
                                         "global_atomic_requests", "global_atomic_sectors",
                                         "constant_load_requests" };
    static const char *const fallen[] = { "shared_store_requests", "shared_store_wavefronts",
                                          "shared_load_requests", "shared_load_wavefronts" };
    json_t *lines = json_object();
    json_t *now = json_object();
    char name[200];
    char otherwise[250];

    for (size_t i = 0; i < sizeof risen / sizeof *risen; i++) {
        (void)store(risen[i], 123456789);
        count(risen[i], 987654321);
    }
    for (size_t i = 0; i < sizeof fallen / sizeof *fallen; i++) {
        (void)store(fallen[i], 987654321);
        count(fallen[i], 123456789);
    }
    for (int i = 1; i <= 5; i++) {
        snprintf(name, sizeof name, "kernels/matmul/%0150d.cu:%d", 0, i);
        json_object_set_new(lines, name, line(1000, 2000));
        json_object_set_new(now, name, line(1000, 9000));
    }
    store_lines(lines);
    json_object_set_new(record, "lines", now);
    memset(otherwise, 'x', sizeof otherwise - 1);
    otherwise[sizeof otherwise - 1] = '\0';
    gate_with(&baseline, otherwise);

    const char *why = text_of(entry, "why");
    char shown[2 * KG__MESSAGE_SIZE];

    cr_assert(strlen(why) > strlen(ACCEPT));
    cr_assert(strcmp(why + strlen(why) - strlen(ACCEPT), ACCEPT) == 0, "%s", why);
    cr_assert(strstr(why, otherwise) != NULL, "%s", why);
    kg__time_result_line(entry, NULL, shown, sizeof shown);
    cr_assert(strcmp(shown + strlen(shown) - strlen(ACCEPT), ACCEPT) == 0, "%s", shown);
}

#define RECORDED "the baseline was recorded with "
#define UNJUDGED                                                                                   \
    "; not judged until it is recorded again: constant_load_words, launches, "                     \
    "busiest_block_requests, shared_bytes, copied_bytes"

/* Counts may be the same although other code was counted. */
static kg__provenance provenance_of(const char *model, const char *flags)
{
    kg__provenance provenance = { .facts = NULL };

    if (model != NULL)
        kg__provenance_set_text(&provenance, "model", model);
    if (flags != NULL)
        kg__provenance_set_text(&provenance, "flags", flags);
    return provenance;
}

Test(counting, how_the_baseline_was_recorded_otherwise)
{
    static const struct {
        struct origin {
            const char *compiler, *model, *flags; /* NULL: not known, and none */
        } then, now;
        const char *text;
    } rows[] = {
        { { "", NULL, NULL }, { "gcc 13.1.0", "2", NULL }, "" },
        { { "gcc 12.2.0", "1", NULL }, { "gcc 12.2.0", "1", NULL }, "" },
        { { "gcc 12.2.0", "1", NULL }, { "gcc 12.2.0", NULL, NULL }, "" },
        { { "gcc 12.2.0", "3", NULL },
          { "gcc 13.1.0", "3", NULL },
          RECORDED "gcc 12.2.0, this run has gcc 13.1.0" },
        { { "gcc 12.2.0", "1", NULL },
          { "gcc 12.2.0", "2", NULL },
          RECORDED "model 1, this run has model 2" UNJUDGED },
        { { "gcc 12.2.0", "1", NULL },
          { "gcc 13.1.0", "2", NULL },
          RECORDED "gcc 12.2.0 and model 1, this run has gcc 13.1.0 and model 2" UNJUDGED },
        { { "", "3", "-O0" }, { "", "3", "-O0" }, "" },
        { { "", "3", NULL },
          { "", "3", "-ffast-math" },
          RECORDED "no CXXFLAGS, this run has CXXFLAGS -ffast-math" },
        { { "", "3", "-O0" },
          { "", "3", NULL },
          RECORDED "CXXFLAGS -O0, this run has no CXXFLAGS" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct origin *then = &rows[i].then;
        const struct origin *now = &rows[i].now;
        kg__provenance provenance = provenance_of(now->model, now->flags);
        kg__target here = target;
        char text[256];

        kg__format(here.compiler, sizeof here.compiler, "%s", now->compiler);
        kg__format(baseline.target.compiler, sizeof here.compiler, "%s", then->compiler);
        baseline.provenance = provenance_of(then->model, then->flags);
        cr_expect(kg__recorded_otherwise(&baseline, &here, &provenance, text, sizeof text) ==
                  (rows[i].text[0] != '\0'));
        cr_expect_str_eq(text, rows[i].text);
        kg__provenance_free(&provenance);
        kg__baseline_free(&baseline);
    }
}

static void expect_line(const char *expected)
{
    char text[KG__MESSAGE_SIZE];

    kg__time_result_line(entry, NULL, text, sizeof text);
    cr_assert(strcmp(text, expected) == 0, "expected: %s\ngot:      %s", expected, text);
}

/* The console has a line a case, not 17 figures. */
Test(counting, console_lines)
{
    usual_case();
    gate_with(&baseline, "");
    expect_line("pass         cpu-model    " ID "              loads 9 550 600, 2.35 sectors each  "
                "stores 17 980, 2.48 each");
    count("barriers", 78608);
    (void)store("barriers", 78000);
    count("shared_load_requests", 100);
    count("shared_load_wavefronts", 150);
    (void)store("shared_load_requests", 100);
    (void)store("shared_load_wavefronts", 100);
    count("shared_store_requests", 10);
    count("shared_store_wavefronts", 10);
    (void)store("shared_store_requests", 10);
    (void)store("shared_store_wavefronts", 10);
    gate_with(&baseline, "");
    expect_line("slower       cpu-model    " ID "              loads 9 550 600, 2.35 sectors each  "
                "stores 17 980, 2.48 each  shared loads 1.50 wavefronts each (was 1.00)  shared "
                "stores 1.00  barriers 78 608 (+0.8 %)  shared_load_wavefronts rose by 50.0 % (150 "
                "against 100); also risen: barriers" ACCEPT);
}

Test(counting, console_lines_of_odd_cases)
{
    gate_with(NULL, "");
    expect_line("no-baseline  cpu-model    " ID
                "              no baseline: record one with ci/rebaseline");
    count("global_load_requests", 5);
    count("global_load_sectors", 5);
    sample();
    gate_with(NULL, "");
    expect_line("no-baseline  cpu-model    " ID
                "              loads 5, 1.00 sectors each  sampled, "
                "120 of 16 384 blocks  no baseline: record one with ci/rebaseline");
    /* What fell to 0 is told. */
    (void)store("global_load_requests", 5);
    (void)store("global_load_sectors", 5);
    (void)store("barriers", 2);
    gate_with(&baseline, "");
    expect_line("faster       cpu-model    " ID
                "              loads 5, 1.00 sectors each  barriers "
                "0 (-100 %)  sampled, 120 of 16 384 blocks  barriers fell by 100.0 % (0 against "
                "2)" KEEP);
}
