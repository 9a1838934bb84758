/* Gating: from what observers recorded of a case to its entry in the results. */
#include "results/time_result.h"
#include "records/records.h"

#include "base/json.h"
#include "tests/fakes/fake_code.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "tests/fakes/made_baselines.h"

#define ID "matmul/naive/530/b16"

static const kg__target target = { .key = "nvidia-fake" };
static kg__baseline baseline;
#define MOST_HELD 256
static json_t *held[MOST_HELD];
static size_t held_count;
static kg__observation *observations[MOST_HELD];
static size_t observations_held;

static void release(void)
{
    for (size_t i = 0; i < held_count; i++)
        json_decref(held[i]);
    for (size_t i = 0; i < observations_held; i++)
        kg__observation_release(observations[i]);
    kg__baseline_free(&baseline);
}

TestSuite(gating, .fini = release);

/* A document that lives as long as the test. */
static json_t *hold(json_t *document)
{
    cr_assert(document != NULL && held_count < MOST_HELD);
    held[held_count++] = document;
    return document;
}

/* A metric of the baseline's with five equal sessions, band 2 %, floor 50 ns. */
static kg__baseline_metric *expect_metric(kg__baseline_case *entry, const char *name, double value)
{
    double sessions[5] = { value, value, value, value, value };
    kg__baseline_metric *metric = add_baseline_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = KG__TIME_FLOOR_NS;
    set_baseline_sessions(metric, sessions, 5);
    return metric;
}

static const kg__surroundings quiet = { .sentinel_move = { NAN, NAN },
                                        .sentinel_limit = { NAN, NAN } };

/* What a process recorded of the case, and what surrounded it. */
typedef struct process {
    json_t *measured;
    kg__surroundings surroundings;
} process;

/* The observation of a record, which may leave out what each has. */
static const kg__observation *read(const json_t *record)
{
    json_t *whole = json_copy((json_t *)record);
    kg__observation *observation;
    kg__error error = { "" };

    json_object_update_missing_new(whole, json_pack("{s:s, s:s}", "event", "measured", "case", ID));
    observation = kg__observation_read(whole, &error);
    json_decref(whole);
    cr_assert(observation != NULL && observations_held < MOST_HELD, "%s", error.text);
    return observations[observations_held++] = observation;
}

static kg__surroundings surroundings_of(const kg__sentinel_log *seen, const kg__baseline *against,
                                        const json_t *record)
{
    return kg__surroundings_of(seen, against, read(record));
}

/* A process's record; a cold time of 0 is absent. */
static process observed(double hot, double cold)
{
    json_t *record =
        json_pack("{s:s, s:s, s:{s:{s:f, s:f, s:f, s:i}}, s:{}, s:b}", "event", "measured", "case",
                  ID, "metrics", "time_ns", "value", hot, "low", hot * 0.999, "high", hot * 1.001,
                  "samples", 60, "absent", "throttled", 0);

    if (cold > 0)
        json_object_set_new(
            json_object_get(record, "metrics"), "cold_time_ns",
            json_pack("{s:f, s:f, s:f}", "value", cold, "low", cold * 0.999, "high", cold * 1.001));
    else
        json_object_set_new(json_object_get(record, "absent"), "cold_time_ns",
                            json_string("too many sets"));
    return (process){ hold(record), quiet };
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "(none)";
}

static const json_t *metric_of(const json_t *entry, const char *name)
{
    return json_object_get(json_object_get(entry, "metrics"), name);
}

static double figure(const json_t *entry, const char *metric, const char *key)
{
    return json_number_value(json_object_get(metric_of(entry, metric), key));
}

static json_t *judge(const process *processes, size_t count, const kg__baseline *against,
                     bool *tripped)
{
    kg__measurement measurements[1 + KG__CONFIRMATIONS];

    for (size_t i = 0; i < count; i++)
        measurements[i] =
            (kg__measurement){ read(processes[i].measured), processes[i].surroundings };
    return hold(kg__time_result(ID, &target, "time", measurements, count, against, tripped));
}

static json_t *gate(const process *processes, size_t count, bool *tripped)
{
    return judge(processes, count, &baseline, tripped);
}

static void expect_verdict(const json_t *entry, const char *verdict)
{
    cr_assert(strcmp(text_of(entry, "verdict"), verdict) == 0, "%s, expected %s: %s",
              text_of(entry, "verdict"), verdict, text_of(entry, "why"));
}

Test(gating, a_pass_carries_its_figures)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process one = observed(60500, 73000);
    bool tripped = true;
    const json_t *result;

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    result = gate(&one, 1, &tripped);
    expect_verdict(result, "pass");
    cr_assert(not(tripped));
    cr_assert(eq(str, (char *)text_of(result, "case"), ID));
    cr_assert(eq(str, (char *)text_of(result, "target"), "nvidia-fake"));
    cr_assert(eq(str, (char *)text_of(result, "part"), "time"));
    cr_assert(eq(str, (char *)text_of(result, "why"), ""));
    cr_assert(json_integer_value(json_object_get(result, "observers")) == 1);
    cr_assert(figure(result, "time_ns", "value") == 60500);
    cr_assert(figure(result, "time_ns", "baseline") == 60000);
    cr_assert(figure(result, "time_ns", "band") == 0.02);
    cr_assert(figure(result, "time_ns", "samples") == 60);
    cr_assert(epsilon_eq(dbl, figure(result, "time_ns", "change"), 500.0 / 60000, 1e-12));
    cr_assert(epsilon_eq(dbl, figure(result, "time_ns", "limit"), 0.02, 1e-12));
    cr_assert(figure(result, "cold_time_ns", "value") == 73000);
    expect_verdict(metric_of(result, "cold_time_ns"), "pass");
}

/* A process's samples, three around its hot time. */
static process sampled(double hot)
{
    process one = observed(hot, 0);
    const double samples[] = { hot - 8, hot, hot + 8 };

    json_object_set_new((json_t *)metric_of(one.measured, "time_ns"), KG__SAMPLES_NS,
                        kg__record_samples(samples, 3));
    return one;
}

/* They show how sure a failure is; beside a pass they would fill the results. */
Test(gating, samples_of_every_process_stand_beside_what_is_slower_alone)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process slow[3] = { sampled(70000), sampled(71000), sampled(72000) };
    process right = sampled(60000);
    const json_t *lists;

    expect_metric(entry, "time_ns", 60000);
    lists = json_object_get(metric_of(gate(slow, 3, NULL), "time_ns"), KG__SAMPLES_NS);
    cr_assert(json_array_size(lists) == 3);
    cr_expect(json_number_value(json_array_get(json_array_get(lists, 2), 1)) == 72000);
    cr_expect(json_object_get(metric_of(gate(&right, 1, NULL), "time_ns"), KG__SAMPLES_NS) == NULL);
    cr_expect(
        json_array_size(json_object_get(metric_of(right.measured, "time_ns"), KG__SAMPLES_NS)) == 3,
        "the record stays as it was");
}

/* Of three observations the median counts, metric by metric; those that lack a metric do not count
 * for it, and of two the slower decides. */
Test(gating, the_median_decides)
{
    static const struct {
        size_t count;
        double hot[3];
        double cold[3]; /* 0: absent */
        const char *verdict;
        double hot_seen;
        double cold_seen;
        bool tripped;
    } rows[] = {
        { 1, { 70000 }, { 50000 }, "slower", 70000, 50000, true },
        { 3, { 70000, 60100, 60050 }, { 73000, 90000, 73500 }, "pass", 60100, 73500, false },
        { 3, { 70000, 60100, 69000 }, { 73000, 73000, 73000 }, "slower", 69000, 73000, true },
        { 3, { 50000, 60100, 51000 }, { 73000, 73000, 73000 }, "faster", 51000, 73000, true },
        { 3, { 60000, 60000, 60000 }, { 73000, 73000, 73000 }, "pass", 60000, 73000, false },
        { 3, { 70000, 60000, 60000 }, { 73000, 73000, 73000 }, "pass", 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 73000, 0, 0 }, "pass", 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 73000, 0, 72500 }, "pass", 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 84000, 0, 73000 }, "slower", 60000, 84000, true },
    };
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        process all[3];
        bool tripped = !rows[i].tripped;
        const json_t *result;

        for (size_t j = 0; j < rows[i].count; j++)
            all[j] = observed(rows[i].hot[j], rows[i].cold[j]);
        result = gate(all, rows[i].count, &tripped);
        expect_verdict(result, rows[i].verdict);
        cr_expect(tripped == rows[i].tripped, "%zu", i);
        cr_expect(figure(result, "time_ns", "value") == rows[i].hot_seen, "%zu", i);
        cr_expect(figure(result, "cold_time_ns", "value") == rows[i].cold_seen, "%zu", i);
        cr_expect(json_integer_value(json_object_get(result, "observers")) ==
                  (json_int_t)rows[i].count);
        /* Each metric has its own verdict; the case has the worst and its reason. */
        if (i == 0) {
            expect_verdict(metric_of(result, "cold_time_ns"), "faster");
            cr_expect(strncmp(text_of(result, "why"), "time_ns slower by", 17) == 0, "%s",
                      text_of(result, "why"));
        }
    }
}

/* What a report needs of a case is carried as the first observation has it. */
Test(gating, what_has_no_baseline)
{
    process one = observed(60500, 73000);
    json_t *record = (json_t *)one.measured;
    bool tripped = true;
    const json_t *result;

    (void)add_baseline_case(&baseline, "matmul/other/530/b16");
    json_object_set_new(record, "work", json_pack("{s:f, s:f}", "operations", 8.0, "bytes", 12.0));
    json_object_set_new(record, "kernel", json_pack("{s:i}", "registers", 40));
    result = gate(&one, 1, &tripped);
    expect_verdict(result, "no-baseline");
    cr_assert(not(tripped));
    cr_assert(json_object_get(metric_of(result, "time_ns"), "change") == NULL);
    cr_assert(json_equal(json_object_get(result, "work"), json_object_get(record, "work")));
    cr_assert(json_equal(json_object_get(result, "kernel"), json_object_get(record, "kernel")));
    expect_verdict(judge(&one, 1, NULL, NULL), "no-baseline");
    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    result = gate(&one, 1, NULL);
    expect_verdict(result, "no-baseline");
    expect_verdict(metric_of(result, "time_ns"), "pass");
    expect_verdict(metric_of(result, "cold_time_ns"), "no-baseline");
}

/* A metric of the baseline's that the run did not measure must not pass unseen. */
Test(gating, a_metric_that_is_missing)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process one = observed(60000, 0);
    const json_t *result;

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    result = gate(&one, 1, NULL);
    expect_verdict(result, "error");
    cr_assert(strstr(text_of(result, "why"), "cold_time_ns is in the baseline") != NULL);
    cr_assert(strstr(text_of(result, "why"), "(too many sets)") != NULL);

    kg__baseline_metric_of(entry, "cold_time_ns")->gated = false;
    expect_verdict(gate(&one, 1, NULL), "pass");
}

Test(gating, a_record_without_figures_is_an_error)
{
    process none = {
        hold(json_pack("{s:s, s:s, s:{}}", "event", "measured", "case", ID, "metrics")), quiet
    };
    process zero = { hold(json_pack("{s:{s:{s:f, s:f, s:f}}}", "metrics", "time_ns", "value", -1.0,
                                    "low", -1.0, "high", -1.0)),
                     quiet };

    expect_verdict(gate(&none, 1, NULL), "error");
    expect_verdict(gate(&zero, 1, NULL), "error");
}

/* A counter has no interval of its own, and its unit is no nanoseconds. */
Test(gating, a_counter)
{
    kg__baseline_metric *metric =
        add_baseline_metric(add_baseline_case(&baseline, ID), "global_load_sectors");
    process one = { hold(json_pack("{s:{s:{s:f, s:f, s:f}}}", "metrics", "global_load_sectors",
                                   "value", 101.0, "low", 101.0, "high", 101.0)),
                    quiet };
    const json_t *result;

    metric->value = 100;
    result = gate(&one, 1, NULL);
    expect_verdict(result, "slower");
    cr_assert(strstr(text_of(result, "why"), " ns") == NULL, "%s", text_of(result, "why"));
}

/* The record of a process that tells nothing. */
static json_t *nothing(void)
{
    return hold(json_object());
}

static const kg__observation *sentinels(double copy, double fma)
{
    return read(hold(json_pack("{s:s, s:{s:f}, s:{s:f}}", "event", "sentinels", "copy", "value",
                               copy, "fma", "value", fma)));
}

Test(gating, sentinels_become_surroundings)
{
    kg__sentinel_log seen = { 0 };
    kg__surroundings around;
    double spread[5] = { 100000, 101000, 99000, 100500, 99500 };
    kg__baseline_metric *copy =
        expect_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);

    expect_metric(add_baseline_sentinel(&baseline, "fma"), "time_ns", 200000);
    around = surroundings_of(&seen, &baseline, nothing());
    cr_assert(isnan(around.sentinel_move[0]) && isnan(around.sentinel_limit[1]), "none was seen");
    kg__sentinels_add(&seen, sentinels(0, -5));
    kg__sentinels_add(&seen, read(hold(json_pack("{s:s}", "event", "sentinels"))));
    cr_assert(seen.count[0] == 0 && seen.count[1] == 0, "no times");
    kg__sentinels_add(&seen, sentinels(101000, 200000));
    kg__sentinels_add(&seen, sentinels(103000, 220000));
    around = surroundings_of(&seen, NULL, nothing());
    cr_assert(isnan(around.sentinel_move[0]) && isnan(around.sentinel_move[1]));
    around = surroundings_of(&seen, &baseline, nothing());
    cr_assert(not(around.throttled));
    cr_assert(epsilon_eq(dbl, around.sentinel_move[0], (log(1.01) + log(1.03)) / 2, 1e-12));
    cr_assert(epsilon_eq(dbl, around.sentinel_move[1], log(1.1) / 2, 1e-12));
    cr_assert(epsilon_eq(dbl, around.sentinel_limit[0], 3 * KG__SIGMA_MINIMUM, 1e-12));

    set_baseline_sessions(copy, spread, 5);
    around = surroundings_of(&seen, &baseline, nothing());
    cr_assert(epsilon_eq(dbl, around.sentinel_limit[0], 3 * kg__log_deviation(spread, 5), 1e-12));
    cr_assert(lt(dbl, 3 * KG__SIGMA_MINIMUM, around.sentinel_limit[0]));
    set_baseline_sessions(copy, spread, 1);
    around = surroundings_of(&seen, &baseline, nothing());
    cr_assert(epsilon_eq(dbl, around.sentinel_limit[0], 3 * KG__SIGMA_MINIMUM, 1e-12));
}

Test(gating, what_surrounds_a_move_answers_for_it)
{
    process one = observed(66000, 0);
    json_t *throttled = hold(json_pack("{s:b}", "throttled", 1));
    kg__sentinel_log seen = { 0 };
    bool tripped = false;

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    expect_metric(add_baseline_sentinel(&baseline, "copy"), "time_ns", 100000);
    one.surroundings = surroundings_of(&seen, &baseline, throttled);
    cr_assert(one.surroundings.throttled);
    expect_verdict(gate(&one, 1, &tripped), "environment");
    cr_assert(tripped);

    kg__sentinels_add(&seen, sentinels(110000, 1));
    one.surroundings = surroundings_of(&seen, &baseline, one.measured);
    expect_verdict(gate(&one, 1, NULL), "environment");
}

Test(gating, others_on_the_card_become_surroundings)
{
    static const struct {
        const char *card;
        int foreign;
    } cards[] = { { "{\"foreign_processes\": 2}", 2 },
                  { "{\"foreign_processes\": 0}", 0 },
                  { "{\"foreign_processes\": 99999999999}", 0 },
                  { "{}", 0 },
                  { "[]", 0 } };
    kg__sentinel_log seen = { 0 };

    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        json_t *record = hold(json_object());

        json_object_set_new(record, "card", json_loads(cards[i].card, 0, NULL));
        cr_expect(eq(int, surroundings_of(&seen, NULL, record).foreign_processes, cards[i].foreign),
                  "%s", cards[i].card);
    }
    cr_expect(eq(int, surroundings_of(&seen, NULL, nothing()).foreign_processes, 0));
}

#define CODE "0123456789abcdef"

Test(gating, the_same_code_becomes_surroundings)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    kg__sentinel_log seen = { 0 };
    json_t *record = (json_t *)observed(60000, 0).measured;
    json_t *kernel = json_pack("{s:i}", "registers", 40);
    kg__kernel_code code;

    json_object_set_new(record, "kernel", kernel);
    cr_expect(not(surroundings_of(&seen, &baseline, record).same_code), "neither knows");
    code = fake_code(-1, NAN, CODE);
    set_baseline_code(entry, &code);
    cr_expect(not(surroundings_of(&seen, &baseline, record).same_code), "the run does not");
    json_object_set_new(kernel, "fingerprint", json_string("fedcba9876543210"));
    cr_expect(not(surroundings_of(&seen, &baseline, record).same_code), "they differ");
    json_object_set_new(kernel, "fingerprint", json_string(CODE));
    cr_expect(surroundings_of(&seen, &baseline, record).same_code);
    cr_expect(not(surroundings_of(&seen, NULL, record).same_code), "no baseline");
    json_object_set_new(record, "case", json_string("matmul/tiled/530/b16"));
    cr_expect(not(surroundings_of(&seen, &baseline, record).same_code), "another case");
}

/* The changes noted beside an entry, joined by "; ". */
static const char *changes_of(const json_t *entry)
{
    static char all[1024];
    const json_t *text;
    size_t i;

    all[0] = '\0';
    json_array_foreach (json_object_get(entry, KG__CHANGED), i, text) {
        size_t length = strlen(all);

        kg__format(all + length, sizeof all - length, "%s%s", i > 0 ? "; " : "",
                   json_string_value(text));
    }
    return all;
}

Test(gating, a_slower_case_tells_how_its_kernel_changed)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process one = observed(66000, 0);
    json_t *kernel =
        json_pack("{s:i, s:i, s:f, s:s, s:[s], s:s}", "registers", 40, "local_bytes", 16,
                  "occupancy", 0.5, "fingerprint", CODE, "names", "_Z5naive", "launch", CODE);
    kg__kernel_code code = fake_code(32, 1.0, "fedcba9876543210");
    json_t *result;

    json_object_set_new((json_t *)one.measured, "kernel", kernel);
    expect_metric(entry, "time_ns", 60000);
    result = gate(&one, 1, NULL);
    expect_verdict(result, "slower");
    cr_expect(json_object_get(result, KG__CHANGED) == NULL, "nothing is known of then");
    cr_expect(json_object_get(json_object_get(result, "kernel"), "names") == NULL);
    cr_expect(json_object_get(json_object_get(result, "kernel"), "launch") == NULL);
    cr_expect(json_object_get(kernel, "names") != NULL, "the record keeps its own");

    code.local_bytes = 0;
    set_baseline_code(entry, &code);
    result = gate(&one, 1, NULL);
    cr_expect(eq(str, (char *)changes_of(result),
                 "code changed: registers 32 -> 40, local memory 0 B -> 16 B, occupancy 100 % -> "
                 "50.0 %"));
    code = fake_code(40, NAN, CODE);
    set_baseline_code(entry, &code);
    result = gate(&one, 1, NULL);
    cr_expect(strstr(changes_of(result), "code and launch are the baseline's") != NULL);
    cr_expect(strstr(changes_of(result), "registers") == NULL);

    one = observed(60000, 0);
    json_object_set((json_t *)one.measured, "kernel", kernel);
    cr_expect(json_object_get(gate(&one, 1, NULL), KG__CHANGED) == NULL, "it passed");
}

/* A context has two costs of a launch, a third apart; what differs by less is nothing to tell. */
Test(gating, a_slower_case_tells_that_a_launch_costs_more)
{
    process one = observed(66000, 0);
    json_t *card = json_pack("{s:i}", "launch_ns", 680);

    json_object_set_new((json_t *)one.measured, "card", card);
    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    cr_expect(eq(str, (char *)changes_of(gate(&one, 1, NULL)), ""), "not known of then");
    kg__provenance_set(&baseline.provenance, "launch_ns", KG__FACT_COUNT, 502);
    cr_expect(eq(str, (char *)changes_of(gate(&one, 1, NULL)),
                 "a launch cost 680 ns at the least, and 502 ns when the baseline was recorded"));
    json_object_set_new(card, "launch_ns", json_integer(552));
    cr_expect(eq(str, (char *)changes_of(gate(&one, 1, NULL)), ""));
    json_object_set_new(card, "launch_ns", json_integer(450));
    cr_expect(eq(str, (char *)changes_of(gate(&one, 1, NULL)),
                 "a launch cost 450 ns at the least, and 502 ns when the baseline was recorded"));
}

Test(gating, the_card_is_shown_at_its_worst)
{
    process all[3] = { observed(66000, 0), observed(66000, 0), observed(66000, 0) };
    const json_t *card;

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    for (int i = 0; i < 3; i++)
        json_object_set_new((json_t *)all[i].measured, "card",
                            json_pack("{s:i, s:i}", "temperature_c", 40 + 10 * (i % 2),
                                      "sm_clock_mhz", 1980 - 100 * i));
    card = json_object_get(gate(all, 3, NULL), "card");
    cr_expect(json_integer_value(json_object_get(card, "temperature_c")) == 50);
    cr_expect(json_integer_value(json_object_get(card, "sm_clock_mhz")) == 1780);
}

Test(gating, a_case_states_the_smallest_slowdown_that_it_would_see)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process one = observed(60000, 73000);

    cr_expect(json_object_get(gate(&one, 1, NULL), "smallest") == NULL, "without a baseline");
    expect_metric(entry, "time_ns", 60000)->band = 0.05;
    expect_metric(entry, "cold_time_ns", 73000)->band = 0.03;
    cr_expect(epsilon_eq(dbl, kg__json_number(gate(&one, 1, NULL), "smallest"), 0.03, 1e-12));
    kg__baseline_metric_of(entry, "cold_time_ns")->gated = false;
    cr_expect(epsilon_eq(dbl, kg__json_number(gate(&one, 1, NULL), "smallest"), 0.05, 1e-12));
    kg__baseline_metric_of(entry, "time_ns")->gated = false;
    cr_expect(json_object_get(gate(&one, 1, NULL), "smallest") == NULL, "nothing is gated");
}

static void expect_line(const json_t *entry, const char *expected)
{
    char line[KG__MESSAGE_SIZE];

    kg__time_result_line(entry, NULL, line, sizeof line);
    cr_assert(eq(str, line, (char *)expected));
}

Test(gating, console_lines)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    process one = observed(60600, 73000);

    expect_line(hold(kg__plain_result(ID, &target, "check", KG__PASS, "")),
                "pass         nvidia-fake  " ID "              checked");
    expect_line(hold(kg__plain_result(ID, &target, "check", KG__ERROR, "crashed")),
                "error        nvidia-fake  " ID "              crashed");
    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    expect_line(gate(&one, 1, NULL),
                "pass         nvidia-fake  " ID
                "              hot 60 600 ns (+1.0 %)  cold 73 000 ns (0.0 %)");
    one = observed(600, 0);
    expect_line(judge(&one, 1, NULL, NULL),
                "no-baseline  nvidia-fake  " ID
                "              hot 600 ns  time_ns no baseline: record one with ci/rebaseline");
}

/* Other metrics stand under their own names, and many of them are cut, not overrun. */
Test(gating, console_lines_of_many_metrics)
{
    char line[KG__MESSAGE_SIZE];
    json_t *entry = hold(kg__plain_result(ID, &target, "count", KG__PASS, ""));

    json_object_set_new(json_object_get(entry, "metrics"), "barriers",
                        json_pack("{s:i, s:f}", "value", 9550600, "change", 0.5));
    kg__time_result_line(entry, NULL, line, sizeof line);
    cr_assert(strstr(line, "  barriers 9 550 600 (+50.0 %)") != NULL, "%s", line);
    for (int i = 0; i < 100; i++) {
        char name[32];

        kg__format(name, sizeof name, "metric_%d", i);
        json_object_set_new(json_object_get(entry, "metrics"), name,
                            json_pack("{s:i}", "value", i));
    }
    kg__time_result_line(entry, NULL, line, sizeof line);
    cr_assert(strlen(line) < sizeof line && strstr(line, "metric_3") != NULL, "%s", line);
}

static json_t *timed(const char *verdict, double hot)
{
    return json_pack("{s:s, s:{s:{s:f}}}", "verdict", verdict, "metrics", "time_ns", "value", hot);
}

/* There is a speedup only where both are right and both times are real. */
Test(gating, speedups)
{
    static const struct {
        const char *fast, *slow;
        double fast_time, slow_time;
        double speedup;
    } rows[] = {
        { "pass", "pass", 500, 1000, 2 },        { "slower", "no-baseline", 500, 250, 0.5 },
        { "environment", "noisy", 500, 500, 1 }, { "wrong", "pass", 500, 1000, NAN },
        { "pass", "error", 500, 1000, NAN },     { "pass", "pass", 0, 1000, NAN },
        { "pass", "pass", 500, -1, NAN },        { "of no kind", "pass", 500, 1000, NAN },
    };
    json_t *one = hold(timed("pass", 500));

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seen = kg__speedup(hold(timed(rows[i].fast, rows[i].fast_time)),
                                  hold(timed(rows[i].slow, rows[i].slow_time)), "time_ns");

        cr_expect(seen == rows[i].speedup || (isnan(seen) && isnan(rows[i].speedup)), "%zu: %g", i,
                  seen);
    }
    cr_assert(isnan(kg__speedup(one, one, "cold_time_ns")));
    cr_assert(isnan(kg__speedup(NULL, one, "time_ns")));
    cr_assert(isnan(kg__speedup(one, NULL, "time_ns")));
}
