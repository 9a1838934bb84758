/* SPDX-License-Identifier: MIT */
/* Sampling by CUDA graphs on a GPU that is not there: by which of two costs of a launch samples are
 * taken. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "observer/time_bench.h"
#include "records/records.h"
#include "tests/fakes/drive.h"
#include "tests/fakes/fake_graphs.h"

#define BODY_NS 3000.0
#define LOW_NS 502.0
#define HIGH_NS 680.0
#define BUDGET_MS 250.0

static kg__tools with;
static kg__series *series;
static int nowhere;
static kg__error why;

static void begin(void)
{
    fake = (fake_graphs){ .low_ns = LOW_NS, .high_ns = HIGH_NS, .warms = true };
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    series = calloc(1, sizeof *series);
    cr_assert(nowhere >= 0 && series != NULL);
}

static void end(void)
{
    kg__graph_discard(series);
    kg__tools_close(&with);
    free(series);
    (void)close(nowhere);
}

TestSuite(graph_clock, .init = begin, .fini = end, .timeout = 60);

static void open_tools(void)
{
    cr_assert(kg__tools_open(&with, nowhere, &why), "%s", why.text);
}

static cudaError_t launch(const kg__workload *what, int number)
{
    (void)number;
    return fake_launch(*(const double *)what->context);
}

/* Samples a kernel, and expects every sample to be within a thousandth of `ns`. */
static void expect_samples(double body_ns, double ns)
{
    kg__workload what = { launch, &body_ns, with.bench.stream };

    kg__graph_discard(series);
    kg__bench_forget(&with.bench);
    cr_assert(kg__graph_prepare(&with.bench, &what, 1, BUDGET_MS, series, &why), "%s", why.text);
    cr_assert(kg__graph_sample(&with.bench, &series, 1, &why), "%s", why.text);
    cr_assert(series->count >= 12);
    for (size_t i = 0; i < series->count; i++)
        cr_assert(fabs(series->samples[i] / ns - 1) < 0.001, "sample %zu: %g", i,
                  series->samples[i]);
}

/* What was seen of the GPU since the last sampling began. */
static const kg__gpu_state *seen(void)
{
    return &with.bench.watch.state;
}

Test(graph_clock, a_context_is_warmed_up_before_anything_is_sampled)
{
    open_tools();
    cr_expect(fake.warm && with.cost.low_ns < LOW_NS + 1 && with.cost.high_ns > HIGH_NS - 1);
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
    cr_expect(seen()->launch_ns == HIGH_NS && seen()->batches_repeated <= 0);
}

Test(graph_clock, a_batch_in_which_a_launch_costs_less_is_taken_again)
{
    open_tools();
    /* 27 replays a batch: one untimed, 24 samples and the monitor twice. */
    fake.fall_every = 40;
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
    cr_expect(seen()->launch_ns == HIGH_NS && seen()->batches_repeated > 0);
}

Test(graph_clock, a_case_of_before_does_not_count_for_the_next)
{
    open_tools();
    fake.fall_every = 40;
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
    fake.fall_every = 0;
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
    cr_expect(seen()->batches_repeated <= 0);
}

/* Somebody cools the context down, and copies do not warm it up again. */
Test(graph_clock, what_cannot_be_warmed_up_again_is_sampled_as_it_is)
{
    size_t warm_ups;

    open_tools();
    fake.warms = false;
    fake.warm = false;
    warm_ups = fake.warm_ups;
    expect_samples(BODY_NS, BODY_NS + LOW_NS);
    cr_expect(seen()->launch_ns == LOW_NS && seen()->batches_repeated == 1);
    cr_expect(fake.warm_ups == warm_ups + (size_t)32 * 8, "it was tried once");
    expect_samples(BODY_NS, BODY_NS + LOW_NS);
    cr_expect(seen()->batches_repeated <= 0);
    fake.warms = true;
    cr_assert(kg__tools_settle(&with, &why));
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
}

/* No batch comes through: what is lost so has an end, and what is taken then is told by its cost.
 */
Test(graph_clock, patience_ends)
{
    double begun;

    open_tools();
    begun = fake.now_ns;
    fake.fall_every = 20;
    expect_samples(1000 * BODY_NS, 1000 * BODY_NS + HIGH_NS);
    cr_expect(seen()->launch_ns == LOW_NS && seen()->batches_repeated > 10);
    cr_expect(fake.now_ns - begun < 12e9, "%g s", (fake.now_ns - begun) / 1e9);
    cr_assert(kg__tools_settle(&with, &why));
    cr_expect(fake.warm, "it is warmed up before each sampling all the same");
}

Test(graph_clock, a_gpu_of_one_cost)
{
    fake.high_ns = LOW_NS;
    open_tools();
    cr_expect(!kg__launch_cost_has_two(&with.cost));
    expect_samples(BODY_NS, BODY_NS + LOW_NS);
    cr_expect(seen()->batches_repeated <= 0);
}

/* One reading that something held up is not a higher cost forever. */
Test(graph_clock, a_spurious_high_cost_is_dropped)
{
    open_tools();
    kg__launch_cost_add(&with.cost, 2 * HIGH_NS);
    expect_samples(BODY_NS, BODY_NS + HIGH_NS);
    cr_expect(seen()->batches_repeated == 1);
    cr_expect(fabs(with.cost.high_ns - HIGH_NS) < 1);
}

static void add(void *context, size_t index, double ns)
{
    double *least = context;

    (void)index;
    *least = fmin(*least, ns);
}

/* All that a process does, up to the first error. */
static bool do_everything(void)
{
    double body_ns = BODY_NS;
    kg__workload what = { launch, &body_ns, NULL };
    kg__series other = { 0 };
    kg__buffers buffers = { 0 };
    bool good = kg__tools_open(&with, nowhere, &why) && kg__tools_time_sentinels(&with, &why) &&
                kg__tools_settle(&with, &why) &&
                kg__graph_prepare(&with.bench, &what, 1, BUDGET_MS, series, &why) &&
                kg__graph_sample(&with.bench, &series, 1, &why) &&
                kg__first_touch_sample(&with.bench, &what, &buffers, BUDGET_MS, &other, &why) &&
                kg__launch_time(&with.bench, &what, &body_ns, &why);

    kg__graph_discard(series);
    kg__tools_close(&with);
    with = (kg__tools){ 0 };
    return good;
}

/* Wherever the device is lost: it is said, what was made is freed, and nothing goes on forever. */
Test(graph_clock, a_device_that_is_lost)
{
    size_t lost = 0;

    for (size_t n = 1; n < SIZE_MAX; n += 1 + n / 16) {
        fake = (fake_graphs){
            .low_ns = LOW_NS, .high_ns = HIGH_NS, .warms = true, .fall_every = 40, .fail_at = n
        };
        why = (kg__error){ "" };
        if (do_everything())
            break;
        cr_assert(strstr(why.text, ": ") != NULL, "call %zu: %s", n, why.text);
        lost++;
    }
    cr_expect(lost > 50, "%zu", lost);
}

Test(graph_clock, sentinels_are_recorded)
{
    FILE *records = tmpfile();
    json_t *record;
    const json_t *copy;
    const json_t *bus;

    cr_assert(records != NULL);
    cr_assert(kg__tools_open(&with, fileno(records), &why));
    cr_assert(kg__tools_time_sentinels(&with, &why));
    rewind(records);
    record = keep_json(json_loadf(records, JSON_DISABLE_EOF_CHECK, NULL));
    copy = json_object_get(record, "copy");
    cr_assert_str_eq(kg__json_text(record, "event"), "sentinels");
    cr_expect(fabs(kg__json_number(copy, "value") / (100000 + HIGH_NS) - 1) < 0.001);
    cr_expect(kg__json_number(copy, "bytes") == 2.0 * (256 << 20));
    cr_expect(fabs(kg__json_number(json_object_get(record, "empty"), "value") - HIGH_NS) < 1);
    cr_expect(kg__json_number(json_object_get(record, "fma"), "operations") > 0);
    bus = json_object_get(record, "bus");
    cr_expect(fabs(kg__json_number(bus, "value") / (100000 + HIGH_NS) - 1) < 0.001);
    cr_expect(kg__json_number(bus, "bytes") == 2.0 * (4 << 20));
    /* By what they do per second, what bounds a case is told. */
    cr_expect(fabs(with.per_second[KG__COPY_SENTINEL] * kg__json_number(copy, "value") /
                       (2.0 * (256 << 20) * 1e9) -
                   1) < 1e-9);
    cr_expect(with.per_second[KG__FMA_SENTINEL] > 0 && with.per_second[KG__BUS_SENTINEL] > 0);
    (void)fclose(records);
}

/* No graph holds these, and no monitor repeats their batches. */
Test(graph_clock, first_touches_and_calls_of_the_host)
{
    double body_ns = 1e6;
    kg__workload what = { launch, &body_ns, NULL };
    kg__buffers buffers = { 0 };

    open_tools();
    cr_assert(kg__first_touch_sample(&with.bench, &what, &buffers, BUDGET_MS, series, &why));
    cr_expect_str_eq(series->clock, "first_touch");
    cr_expect(series->launches == 1 && series->count >= 6);
    cr_expect(fabs(series->interval.value / (1e6 + HIGH_NS) - 1) < 0.001);
    cr_assert(kg__host_sample(&with.bench, &what, 5, series, &why));
    cr_expect_str_eq(series->clock, "host");
    cr_expect(series->launches >= 1 && series->count >= 12 && series->interval.value > 0);
    cr_assert(kg__launch_time(&with.bench, &what, &body_ns, &why));
    cr_expect(fabs(body_ns / (1e6 + HIGH_NS) - 1) < 0.001);
}

/* A sample lasts about a millisecond, and a kernel that lasts longer is not launched more often
 * than that takes: at most four times until it is sampled. */
Test(graph_clock, how_many_launches_a_sample_holds)
{
    static const struct {
        double body_ns;
        int unit, least, most;
        double spent_ns;
    } rows[] = {
        { BODY_NS, 1, 250, 280, 1e6 }, { BODY_NS, 100, 200, 200, 1e6 },
        { 100, 1, 1000, 1000, 1e6 },   { 50e3, 1, 18, 20, 4e6 },
        { 200e3, 1, 4, 5, 4 * 200e3 }, { 200e3, 9, 9, 9, 4 * 200e3 },
        { 5e6, 1, 1, 1, 4 * 5e6 },
    };

    open_tools();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double body_ns = rows[i].body_ns;
        kg__workload what = { launch, &body_ns, with.bench.stream };
        double begun = fake.now_ns;

        kg__graph_discard(series);
        cr_assert(kg__graph_prepare(&with.bench, &what, rows[i].unit, BUDGET_MS, series, &why));
        cr_expect(series->launches >= rows[i].least && series->launches <= rows[i].most,
                  "row %zu: %d", i, series->launches);
        cr_expect(fake.now_ns - begun <= rows[i].spent_ns, "row %zu: %g ns", i,
                  fake.now_ns - begun);
    }
}

/* More than fit in a batch cannot take turns in it. */
Test(graph_clock, too_many_side_by_side)
{
    kg__series *all[KG__REPLAYS_QUEUED + 1];

    open_tools();
    for (size_t i = 0; i <= KG__REPLAYS_QUEUED; i++)
        all[i] = series;
    cr_assert(!kg__graph_sample(&with.bench, all, KG__REPLAYS_QUEUED + 1, &why));
    cr_expect(strstr(why.text, "25 cases have the same size") != NULL, "%s", why.text);
}

/* The search for the fastest launch decides round by round. */
Test(graph_clock, loops_are_looked_after_too)
{
    double body_ns = BODY_NS;
    double least = INFINITY;
    kg__loop loop;
    const kg__loop *all[] = { &loop };

    open_tools();
    kg__workload what = { launch, &body_ns, with.bench.stream };

    cr_assert(kg__loop_make(&what, 100, &loop, &why));
    fake.fall_every = 33;
    cr_assert(kg__loops_replay(&with.bench, all, 1, 100, add, &least, &why));
    cr_expect(least > BODY_NS + HIGH_NS - 1, "%g", least);
    kg__loop_discard(&loop);
}
