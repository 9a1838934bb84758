/* Counting: from what an observer of the CPU model counted of a case to its result. */
#include "results/count_result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/case_line.h"
#include "results/time_result.h"
#include "suite/counters.h"
#include "tests/fakes/made_baselines.h"

#define ID "matmul/naive/530/b16"

static const kg__target target = { .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
static kg__baseline baseline;
static kg__pool pool;
static kg__figures figures[KG__COUNTERS + 1];
static kg__absence absent[3];
static kg__observation observation;
static const kg__case_result *result;

static void release(void)
{
    kg__baseline_free(&baseline);
    kg__pool_free(&pool);
}

static void count(const char *counter, double value)
{
    size_t i = 0;

    while (i < observation.metric_count && strcmp(figures[i].name, counter) != 0)
        i++;
    cr_assert(i < sizeof figures / sizeof *figures);
    figures[i] = (kg__figures){ .name = counter, .value = value, .low = NAN, .high = NAN };
    observation.metric_count += i == observation.metric_count;
}

/* An observation of every counter at 0. */
static void begin(void)
{
    observation = (kg__observation){
        .event = KG__EVENT_MEASURED, .id = ID, .metrics = figures, .absent = absent
    };
    for (int i = 0; i < KG__COUNTERS; i++)
        count(kg__counter_name((kg__counter)i), 0);
}

TestSuite(count_result, .init = begin, .fini = release);

static void lose(const char *counter)
{
    size_t i = 0;

    while (i < observation.metric_count && strcmp(figures[i].name, counter) != 0)
        i++;
    cr_assert(i < observation.metric_count);
    figures[i] = figures[--observation.metric_count];
}

static kg__baseline_metric *store(const char *counter, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(add_baseline_case(&baseline, ID), counter);

    metric->value = value;
    return metric;
}

static const kg__metric_result *metric_of(const char *name)
{
    return kg__case_result_metric(result, name);
}

static void judge(const kg__baseline *against, const char *otherwise)
{
    result = kg__count_result(&pool, ID, &target, &observation, against, otherwise);
}

static void expect(kg__verdict verdict, const char *why)
{
    judge(&baseline, "");
    cr_assert(result->verdict == verdict, "%s, expected %s: %s", kg__verdict_name(result->verdict),
              kg__verdict_name(verdict), result->why);
    cr_assert(strcmp(result->why, why) == 0, "expected: %s\ngot: %s", why, result->why);
    cr_assert((result->moves != NULL) == (verdict == KG__SLOWER || verdict == KG__FASTER));
}

#define ACCEPT                                                                                     \
    "; to accept it: commit, then KG_FILTER='matmul/naive/*' ci/rebaseline --target model"
#define KEEP "; to keep it: commit, then KG_FILTER='matmul/naive/*' ci/rebaseline --target model"

/* The counters of the naive matmul at 530. */
static void usual_case(void)
{
    static const struct {
        const char *counter;
        double value;
    } counts[] = {
        { "global_load_requests", 9550600 }, { "global_load_sectors", 22432515 },
        { "global_store_requests", 17980 },  { "global_store_sectors", 44520 },
        { "unique_bytes_read", 2247200 },    { "unique_bytes_written", 1123600 },
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        count(counts[i].counter, counts[i].value);
        (void)store(counts[i].counter, counts[i].value);
    }
}

/* What either side leaves out is 0 there. */
Test(count_result, one_counter_moved)
{
    static const struct {
        const char *counter;
        double then; /* 0: as in the usual case */
        double now;  /* -1: left out */
        kg__verdict verdict;
        const char *why;
    } rows[] = {
        { "shuffles", 0, 0, KG__PASS, "" },
        { "global_load_requests", 0, 9550601, KG__SLOWER,
          "global_load_requests rose by 0.00001 % (9 550 601 against 9 550 600)" ACCEPT },
        { "global_load_sectors", 0, 22432514, KG__FASTER,
          "global_load_sectors fell by 0.000004 % (22 432 514 against 22 432 515)" KEEP },
        { "shared_load_wavefronts", 4, 5, KG__SLOWER,
          "shared_load_wavefronts rose by 25.0 % (5 against 4)" ACCEPT },
        { "launches", 1, 2, KG__SLOWER, "launches rose by 100.0 % (2 against 1)" ACCEPT },
        { "shuffles", 0, 1, KG__SLOWER, "shuffles rose (1 against 0)" ACCEPT },
        { "global_store_requests", 0, -1, KG__FASTER,
          "global_store_requests fell by 100.0 % (0 against 17 980)" KEEP },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__baseline_free(&baseline);
        begin();
        usual_case();
        if (rows[i].then > 0)
            (void)store(rows[i].counter, rows[i].then);
        if (rows[i].now >= 0)
            count(rows[i].counter, rows[i].now);
        else
            lose(rows[i].counter);
        expect(rows[i].verdict, rows[i].why);
        cr_expect(rows[i].now < 0 || metric_of(rows[i].counter)->verdict == rows[i].verdict, "%s",
                  rows[i].counter);
        cr_expect(metric_of("unique_bytes_read")->verdict == KG__PASS);
    }
    cr_expect_str_eq(result->id, ID);
    cr_expect_str_eq(result->target, "cpu-model");
    cr_expect_str_eq(result->part, "count");
    cr_expect(result->lines == NULL && result->sampled_of == 0);
}

Test(count_result, observations_that_are_wrong)
{
    static const double values[] = { -1, 1.5, NAN, 9007199254740994.0 };

    usual_case();
    count("speed", 7);
    expect(KG__ERROR, "speed was counted, and is not a counter: build both programs again");
    lose("speed");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        count("barriers", values[i]);
        expect(KG__ERROR, "barriers is not a whole number from 0 to 2^53 in the record");
    }
    observation.metric_count = 0;
    expect(KG__ERROR, "the observer recorded no counter of this case");
}

/* The results hold every counter, zeros too, as the whole numbers that they are. */
Test(count_result, every_counter_is_in_the_results)
{
    json_t *json;

    usual_case();
    judge(&baseline, "");
    json = kg__case_result_json(result);
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);
        const json_t *written = json_object_get(json_object_get(json, "metrics"), name);

        cr_assert(json_is_integer(json_object_get(written, "value")));
        cr_assert(json_is_integer(json_object_get(written, "baseline")));
        cr_assert(metric_of(name)->change == 0 && metric_of(name)->verdict == KG__PASS);
    }
    json_decref(json);
    cr_assert(metric_of("global_load_sectors")->figures.value == 22432515);
    cr_assert(metric_of("barriers")->baseline == 0);
}

/* A rise fails, whatever else fell; what fell is said, for it may be worth it. */
Test(count_result, a_rise_is_slower_even_where_another_fell)
{
    usual_case();
    count("global_load_requests", 612680);
    count("global_load_sectors", 3305548);
    count("barriers", 78608);
    count("shared_load_requests", 100);
    count("shared_load_wavefronts", 100);
    count("shared_store_requests", 100);
    count("shared_store_wavefronts", 100);
    expect(KG__SLOWER,
           "shared_load_requests rose (100 against 0); also risen: shared_load_wavefronts, "
           "shared_store_requests, shared_store_wavefronts and 1 more; fallen: "
           "global_load_requests, global_load_sectors" ACCEPT);
}

/* The one that moved furthest stands first. */
Test(count_result, several_counters_moved)
{
    usual_case();
    count("global_load_requests", 2.0 * 9550600);
    count("global_load_sectors", 3.0 * 22432515);
    count("unique_bytes_read", 2247204);
    expect(KG__SLOWER,
           "global_load_sectors rose by 200.0 % (67 297 545 against 22 432 515); also risen: "
           "global_load_requests, unique_bytes_read" ACCEPT);
    count("global_load_requests", 1);
    count("global_load_sectors", 22432515);
    count("unique_bytes_read", 4);
    count("unique_bytes_written", 1123600);
    expect(KG__FASTER, "global_load_requests fell by 100.0 % (1 against 9 550 600); also fallen: "
                       "unique_bytes_read" KEEP);
}

/* What an older model did not count, or counted otherwise, is shown and not judged; the rest is. */
Test(count_result, what_an_older_model_did_not_count)
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
        const kg__metric_result *metric;

        usual_case();
        kg__provenance_set_text(&baseline.provenance, "model", rows[i].model);
        count(rows[i].counter, 7);
        judge(&baseline, "");
        metric = metric_of(rows[i].counter);
        cr_expect(metric->figures.value == 7);
        cr_expect(result->verdict == (rows[i].judged ? KG__SLOWER : KG__PASS));
        cr_expect(metric->verdict == (rows[i].judged ? KG__SLOWER : KG__PASS));
        cr_expect((metric->gated == KG__NO) != rows[i].judged);
        cr_expect(*metric->why != '\0', "%s", rows[i].counter);
        count("global_load_requests", 9550601);
        judge(&baseline, "");
        cr_expect(result->verdict == KG__SLOWER);
        count(rows[i].counter, 0);
        kg__baseline_free(&baseline);
    }
}

/* The same requests by fewer blocks: no line of source says it, so words do. */
Test(count_result, a_busier_block)
{
    usual_case();
    (void)store("busiest_block_requests", 8448);
    count("busiest_block_requests", 8448.0 * 1156);
    expect(KG__SLOWER, "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); the "
                       "work is done by fewer blocks, or spread less evenly" ACCEPT);
    count("unique_bytes_read", 2247204);
    expect(KG__SLOWER, "busiest_block_requests rose by 115 500.0 % (9 765 888 against 8 448); also "
                       "risen: unique_bytes_read" ACCEPT);
    usual_case();
    count("busiest_block_requests", 8);
    expect(KG__FASTER, "busiest_block_requests fell by 99.9 % (8 against 8 448)" KEEP);
}

/* What a launcher copies beside its kernel, and what a block that returns at once holds, is not the
 * kernel's work: all that was any fell to nothing. */
Test(count_result, a_kernel_that_does_nothing_more)
{
    static const char *const beside[] = { "copied_bytes", "launches", "shared_bytes" };

    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        usual_case();
        for (int j = 0; j < KG__COUNTERS; j++)
            count(kg__counter_name((kg__counter)j), 0);
        (void)store(beside[i], 2048);
        count(beside[i], 2048);
        expect(KG__ERROR, "nothing was counted of it, where the baseline has counts: does the "
                          "launcher still launch its kernel?");
        kg__baseline_free(&baseline);
    }
}

/* A launcher that never did anything else than to copy starts no kernel that could be missed. */
Test(count_result, a_launcher_that_copies_alone)
{
    (void)store("copied_bytes", 2048);
    count("copied_bytes", 2048);
    expect(KG__PASS, "");
    count("copied_bytes", 1024);
    expect(KG__FASTER, "copied_bytes fell by 50.0 % (1 024 against 2 048)" KEEP);
    count("copied_bytes", 0);
    expect(KG__ERROR, "nothing was counted of it, where the baseline has counts: does the launcher "
                      "still launch its kernel?");
}

static void sample(void)
{
    observation.sampled_blocks = 120;
    observation.sampled_of = 16384;
    absent[0] = (kg__absence){ "unique_bytes_read", "the launch was sampled" };
    absent[1] = (kg__absence){ "unique_bytes_written", "the launch was sampled" };
    observation.absent_count = 2;
    lose("unique_bytes_read");
    lose("unique_bytes_written");
}

/* Unique bytes of a launch that was sampled are not known. */
Test(count_result, a_sampled_launch_has_no_unique_bytes)
{
    usual_case();
    sample();
    expect(KG__PASS, "");
    cr_assert(metric_of("unique_bytes_read") == NULL);
    cr_assert(result->absent_count == 2 && result->sampled_of == 16384);
    cr_expect_str_eq(result->absent[0].why, "the launch was sampled");
    count("global_load_requests", 9550601);
    judge(&baseline, "");
    cr_assert(result->verdict == KG__SLOWER, "the rest is judged");
}

/* A baseline without them counts as 0, whoever took them out: a launch that is no longer sampled is
 * to be recorded anew. */
Test(count_result, a_baseline_without_unique_bytes)
{
    usual_case();
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_read");
    remove_baseline_metric(kg__baseline_find(&baseline, ID), "unique_bytes_written");
    expect(KG__SLOWER, "unique_bytes_read rose (2 247 200 against 0); also risen: "
                       "unique_bytes_written" ACCEPT);
}

/* Only a sampled launch may leave them out, and nothing else may be absent. */
Test(count_result, what_is_absent_for_another_reason_is_an_error)
{
    usual_case();
    lose("barriers");
    absent[0] = (kg__absence){ "barriers", "nobody looked" };
    observation.absent_count = 1;
    expect(KG__ERROR, "barriers was not counted: nobody looked");
    usual_case();
    sample();
    lose("global_load_sectors");
    absent[2] = (kg__absence){ "global_load_sectors", "too many" };
    observation.absent_count = 3;
    expect(KG__ERROR, "global_load_sectors was not counted: too many");
}

Test(count_result, without_a_baseline)
{
    static const kg__work work = { .operations = 8, .bytes = 12 };

    count("global_load_requests", 200);
    count("global_load_sectors", 400);
    observation.work = &work;
    expect(KG__NO_BASELINE, "no baseline: record one with ci/rebaseline");
    cr_assert(isnan(metric_of("barriers")->baseline));
    cr_assert(metric_of("global_load_sectors_per_request")->figures.value == 2);
    cr_assert(result->work == &work);
    judge(NULL, "");
    cr_assert(result->verdict == KG__NO_BASELINE);
}

/* A baseline's figure that the store would refuse is no reason to pass. */
Test(count_result, a_baseline_that_is_wrong)
{
    usual_case();
    store("global_load_requests", 5)->band = NAN;
    expect(KG__ERROR,
           "global_load_requests the baseline's figures are unusable: record it again with "
           "ci/rebaseline");
}

/* What a hand wrote into the baseline holds. */
Test(count_result, bands_and_gates_that_were_set_by_hand)
{
    kg__baseline_metric *metric;

    usual_case();
    metric = store("barriers", 1000);
    metric->band = 0.01;
    count("barriers", 1010);
    expect(KG__PASS, "");
    count("barriers", 1011);
    expect(KG__SLOWER, "barriers rose by 1.1 % (1 011 against 1 000, limit 1.0 %)" ACCEPT);
    metric->gated = false;
    expect(KG__PASS, "barriers not gated: rose by 1.1 % (1 011 against 1 000, limit 1.0 %)");
    cr_assert(metric_of("barriers")->gated == KG__NO);
}

Test(count_result, ratios_are_shown_and_not_gated)
{
    const kg__metric_result *ratio;

    usual_case();
    count("global_load_sectors", 2.0 * 22432515);
    judge(&baseline, "");
    ratio = metric_of("global_load_sectors_per_request");
    cr_assert(fabs(ratio->figures.value - 2 * 22432515.0 / 9550600) < 1e-12);
    cr_assert(fabs(ratio->baseline - 22432515.0 / 9550600) < 1e-12);
    cr_assert(fabs(ratio->change - 1) < 1e-12);
    cr_assert(ratio->gated == KG__NO && ratio->verdict == KG__PASS);
    cr_assert(metric_of("shared_load_wavefronts_per_request") == NULL, "nothing to divide by");
}

/* Adds a line of source with its loads. */
static void add_line(kg__lines *lines, const char *file, unsigned int line, uint64_t requests,
                     uint64_t sectors)
{
    kg__counts *counts = kg__lines_at(lines, file, strlen(file), line);

    counts->value[KG__GLOBAL_LOAD_REQUESTS] = requests;
    counts->value[KG__GLOBAL_LOAD_SECTORS] = sectors;
}

/* Gives the baseline lines. */
static void store_lines(kg__lines *lines)
{
    kg__lines_free(kg__baseline_find(&baseline, ID)->lines);
    kg__baseline_find(&baseline, ID)->lines = lines;
}

/* Beside the counter stands the line that did it, how the baseline came about, and what to do. */
Test(count_result, the_reason_names_the_line)
{
    kg__lines *before = kg__lines_make();
    kg__lines *now = kg__lines_make();

    usual_case();
    add_line(before, "kernels/matmul/naive.cu", 14, 9550600, 22432515);
    store_lines(before);
    add_line(now, "kernels/matmul/naive.cu", 14, 9550600, 151823100);
    observation.lines = now;
    count("global_load_sectors", 151823100);
    expect(KG__SLOWER, "global_load_sectors rose by 576.8 % (151 823 100 against 22 432 515); "
                       "kernels/matmul/naive.cu:14: loads went from 2.35 to 15.90 sectors per "
                       "request" ACCEPT);
    cr_assert(result->lines == now && result->at_line == 14);
    cr_expect_str_eq(result->at_file, "kernels/matmul/naive.cu");
    judge(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strstr(result->why,
                     "sectors per request; the baseline was recorded with gcc 11, this run has gcc "
                     "12.2.0; to accept it: ") != NULL,
              "%s", result->why);
    cr_assert(strncmp(result->moves, result->why, strlen(result->moves)) == 0 &&
                  strcmp(result->why + strlen(result->moves), ACCEPT) == 0,
              "%s", result->moves);
    /* Nothing moved: then there is nothing to put down to a compiler. */
    count("global_load_sectors", 22432515);
    judge(&baseline, "the baseline was recorded with gcc 11, this run has gcc 12.2.0");
    cr_assert(strcmp(result->why, "") == 0);
    kg__lines_free(now);
}

/* The longest reason there is: counters both ways, long lines, and a baseline of other origin. */
Test(count_result, the_command_is_never_cut_off)
{
    static const char *const risen[] = { "global_load_requests", "global_load_sectors",
                                         "global_atomic_requests", "global_atomic_sectors",
                                         "constant_load_requests" };
    static const char *const fallen[] = { "shared_store_requests", "shared_store_wavefronts",
                                          "shared_load_requests", "shared_load_wavefronts" };
    kg__lines *before = kg__lines_make();
    kg__lines *now = kg__lines_make();
    char file[200];
    char otherwise[250];

    for (size_t i = 0; i < sizeof risen / sizeof *risen; i++) {
        (void)store(risen[i], 123456789);
        count(risen[i], 987654321);
    }
    for (size_t i = 0; i < sizeof fallen / sizeof *fallen; i++) {
        (void)store(fallen[i], 987654321);
        count(fallen[i], 123456789);
    }
    snprintf(file, sizeof file, "kernels/matmul/%0150d.cu", 0);
    for (unsigned int line = 1; line <= 5; line++) {
        add_line(before, file, line, 1000, 2000);
        add_line(now, file, line, 1000, 9000);
    }
    store_lines(before);
    observation.lines = now;
    memset(otherwise, 'x', sizeof otherwise - 1);
    otherwise[sizeof otherwise - 1] = '\0';
    judge(&baseline, otherwise);

    const char *why = result->why;
    char shown[2 * KG__MESSAGE_SIZE];

    cr_assert(strlen(why) > strlen(ACCEPT));
    cr_assert(strcmp(why + strlen(why) - strlen(ACCEPT), ACCEPT) == 0, "%s", why);
    cr_assert(strstr(why, otherwise) != NULL, "%s", why);
    kg__case_line(result, NULL, shown, sizeof shown);
    cr_assert(strcmp(shown + strlen(shown) - strlen(ACCEPT), ACCEPT) == 0, "%s", shown);
    kg__lines_free(now);
}

#define RECORDED "the baseline was recorded with "
#define UNJUDGED                                                                                   \
    "; not judged until it is recorded again: constant_load_words, launches, "                     \
    "busiest_block_requests, shared_bytes, copied_bytes"

static kg__provenance provenance_of(const char *model, const char *flags)
{
    kg__provenance provenance = { .facts = NULL };

    if (model != NULL)
        kg__provenance_set_text(&provenance, "model", model);
    if (flags != NULL)
        kg__provenance_set_text(&provenance, "flags", flags);
    return provenance;
}

/* Counts may be the same although other code was counted. */
Test(count_result, how_the_baseline_was_recorded_otherwise)
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

    kg__case_line(result, NULL, text, sizeof text);
    cr_assert(strcmp(text, expected) == 0, "expected: %s\ngot:      %s", expected, text);
}

/* The console has a line a case, not 17 figures. */
Test(count_result, console_lines)
{
    usual_case();
    judge(&baseline, "");
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
    judge(&baseline, "");
    expect_line("slower       cpu-model    " ID "              loads 9 550 600, 2.35 sectors each  "
                "stores 17 980, 2.48 each  shared loads 1.50 wavefronts each (was 1.00)  shared "
                "stores 1.00  barriers 78 608 (+0.8 %)  shared_load_wavefronts rose by 50.0 % (150 "
                "against 100); also risen: barriers" ACCEPT);
}

Test(count_result, console_lines_of_odd_cases)
{
    judge(NULL, "");
    expect_line("no-baseline  cpu-model    " ID
                "              no baseline: record one with ci/rebaseline");
    count("global_load_requests", 5);
    count("global_load_sectors", 5);
    sample();
    judge(NULL, "");
    expect_line("no-baseline  cpu-model    " ID
                "              loads 5, 1.00 sectors each  sampled, "
                "120 of 16 384 blocks  no baseline: record one with ci/rebaseline");
    /* What fell to 0 is told. */
    (void)store("global_load_requests", 5);
    (void)store("global_load_sectors", 5);
    (void)store("barriers", 2);
    judge(&baseline, "");
    expect_line("faster       cpu-model    " ID
                "              loads 5, 1.00 sectors each  barriers "
                "0 (-100 %)  sampled, 120 of 16 384 blocks  barriers fell by 100.0 % (0 against "
                "2)" KEEP);
}
